#include <fmt/format.h>

#include <algorithm>

#include "analyses/choice/choose_state.h"
#include "analyses/equations/velocity_transformation.h"
#include "analyses/reactions/gauss_elimination.h"
#include "analyses/reactions/physical_reactions.h"
#include "analyses/run/no_sink.h"
#include "analyses/run/run_options.h"
#include "analyses/run/stepped_run.h"
#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "motions/create_motion.h"

namespace bricard {
namespace {

/// The run that leads to the instant, and what it has become there.
RunState state_at(PreparedRun& prepared, double at, std::string& failure) {
  NoSink sink;
  const SimulationOptions none;
  const auto run = create_run(prepared, sink, none);
  bool going = run->begin();
  while (going && run->time() < at && !run->is_over()) going = run->step(at);
  RunState state = run->state();
  if (run->time() < at) failure = run->finish().failure;
  return state;
}

class Names {
 public:
  explicit Names(const System& system) {
    const Coordinates& coordinates = system.coordinates();
    for (int k = 0; k < system.position_size(); ++k) positions.push_back(coordinates.position_name(k));
    for (int k = 0; k < system.velocity_size(); ++k) velocities.push_back(coordinates.velocity_name(k));
    for (int k = 0; k < system.row_count(); ++k) rows.push_back(system.row_name(k));
  }

  /// Of one axis of a matrix with `size` rows or columns.
  std::vector<std::string> of(Axis axis, const std::vector<int>& chosen, Eigen::Index size) const {
    std::vector<std::string> names;
    if (axis == Axis::velocities || axis == Axis::velocities_and_rows) names = velocities;
    if (axis == Axis::rows || axis == Axis::velocities_and_rows || axis == Axis::rows_and_freedoms) {
      if (chosen.empty()) {
        names.insert(names.end(), rows.begin(), rows.end());
      } else {
        for (const int row : chosen) names.push_back(rows[row]);
      }
    }
    const auto first = names.size();
    while (static_cast<Eigen::Index>(names.size()) < size) names.push_back(std::to_string(names.size() - first + 1));
    return names;
  }

  std::vector<std::string> positions, velocities, rows;
};

NamedMatrix named(const Names& names, const Exhibit::Item& item) {
  if (!item.row_names.empty()) {
    return {.symbol = item.symbol,
            .formula = item.formula,
            .source = item.source,
            .values = item.value,
            .rows = item.row_names,
            .columns = item.column_names,
            .is_vector = item.columns == Axis::one};
  }
  return {.symbol = item.symbol,
          .formula = item.formula,
          .source = item.source,
          .values = item.value,
          .rows = names.of(item.rows, item.chosen_rows, item.value.rows()),
          .columns = item.columns == Axis::one ? std::vector<std::string>()
                                               : names.of(item.columns, item.chosen_rows, item.value.cols()),
          .is_vector = item.columns == Axis::one};
}

/// Rank of P by Gauss elimination with full pivoting, in dimensionless velocities.
void find_rank(const System& system, const Equations& eq, const FormulationOptions& options, EquationsResult& result) {
  DenseEquations dense(eq, options);
  dense.set_matrices(eq);
  result.threshold = dense.threshold;
  if (eq.rows() == 0 || eq.velocities() == 0) return;
  const Eigen::FullPivLU<Matrix> lu(dense.P);
  result.pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (result.pivots[0] > 0) result.pivots /= result.pivots[0];
  result.rank = static_cast<int>((result.pivots.array() > result.threshold).count());
  const auto rows = lu.permutationP().inverse().eval();
  for (Eigen::Index k = 0; k < result.pivots.size(); ++k) {
    result.pivot_rows.push_back(system.row_name(rows.indices()[k]));
    result.pivot_columns.push_back(system.coordinates().velocity_name(lu.permutationQ().indices()[k]));
  }
}

/// (38) by Gauss elimination, of the joints that have rows here.
void show_elimination(const System& system, const Equations& eq, const Vector& effect, double length,
                      const Names& names, std::vector<NamedMatrix>& shown) {
  ReactionDistribution distribution;
  distribution.find(system, eq, length);
  const Matrix& Bt = distribution.Bt;
  const GaussElimination elimination(Bt, effect, row_scale_of(system, length), 1e-9);
  constexpr const char* axes[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  std::vector<std::string> components;
  for (const auto& basis : distribution.bases) {
    for (int k = 0; k < basis.count; ++k) {
      const std::string& joint = system.model().joints[basis.joint].name;
      Eigen::Index largest = 0;
      const bool along_axis = basis.directions.col(k).cwiseAbs().maxCoeff(&largest) > 1 - 1e-12;
      components.push_back(along_axis ? fmt::format("{}.{}", joint, axes[largest])
                                      : fmt::format("{} {}", joint, k + 1));
    }
  }
  while (static_cast<Eigen::Index>(components.size()) < Bt.cols())
    components.push_back(fmt::format("multiplier {}", components.size() + 1));
  const char* source = "Blajer-Schiehlen-Schirm (38)";
  const auto vector = [&](const char* symbol, const char* formula, const Vector& values,
                          const std::vector<std::string>& rows) {
    shown.push_back(
        {.symbol = symbol, .formula = formula, .source = source, .values = values, .rows = rows, .is_vector = true});
  };
  shown.push_back({.symbol = "B^T",
                   .formula = "what the forces and moments of joints do to the velocities",
                   .source = source,
                   .values = Bt,
                   .rows = names.velocities,
                   .columns = components});
  std::vector<std::string> places;
  for (std::size_t k = 0; k < elimination.pivots.size(); ++k)
    places.push_back(names.velocities[elimination.rows[k]] + ", " + components[elimination.columns[k]]);
  vector("pivots", "of [B^T | M v' - Q], scaled to one unit: independent rows, and the components they give",
         Eigen::Map<const Vector>(elimination.pivots.data(), static_cast<Eigen::Index>(places.size())), places);
  vector("f", "by back-substitution; zero where it is not unique", elimination.f, components);
  vector("B^T f - (M v' - Q)", "what the other rows keep", -elimination.residual, names.velocities);
}

double relative(const Vector& residual, double scale) { return scale > 0 ? residual.norm() / scale : residual.norm(); }

}  // namespace

const NamedMatrix* EquationsResult::find(const std::string& symbol) const {
  for (const auto* list : {&system, &formulated, &solution}) {
    for (const NamedMatrix& matrix : *list) {
      if (matrix.symbol == symbol) return &matrix;
    }
  }
  return nullptr;
}

EquationsResult show_equations(const std::shared_ptr<const Model>& model, const Method& method,
                               const EquationsOptions& options) {
  Method until = method;
  until.duration = std::max(options.at, 1e-3);
  PreparedRun prepared = prepare_run(model, until);
  const Method chosen = prepared.start.chosen.method;  // the run takes the summary away
  const int redundant = prepared.start.structure.constraints - prepared.generic_rank;
  const FormulationType& formulation = *find_formulation_type(chosen.formulation);
  if (options.velocity_transformation && !prepared.system->coordinates().spanning_tree()) {
    throw InputError(fmt::format("coordinates '{}' have no velocity transformation to show; use 'relative'",
                                 prepared.system->coordinates_type().name));
  }

  EquationsResult result;
  result.time = options.at;
  result.coordinates = prepared.system->coordinates_type().name;
  result.formulation = name_with_state(chosen, formulation);
  result.description = formulation.description;
  result.source = formulation.source;

  const RunState there = state_at(prepared, options.at, result.failure);
  result.time = there.time;
  System system(model, prepared.system->coordinates_type());
  for (const RunState::Turn& turn : there.turns)
    system.set_turn(turn.joint, turn.coordinate, turn.value, there.time, turn.rate);
  Vector q(system.position_size()), v(system.velocity_size());
  system.coordinates().from_bodies(there.bodies, q, v);

  Equations eq = system.empty_equations();
  system.evaluate(there.time, q, v, there.friction, Upto::dynamics, eq);
  system.accept(there.time);
  const FormulationOptions of_formulation = formulation_options(system, chosen, formulation, redundant);
  const Names names(system);
  const auto vector = [&](const char* symbol, const char* formula, const Vector& values,
                          const std::vector<std::string>& rows) {
    return NamedMatrix{.symbol = symbol, .formula = formula, .values = values, .rows = rows, .is_vector = true};
  };
  const auto matrix = [&](const char* symbol, const char* formula, const Matrix& values,
                          const std::vector<std::string>& rows) {
    return NamedMatrix{
        .symbol = symbol, .formula = formula, .values = values, .rows = rows, .columns = names.velocities};
  };
  result.system = {vector("q", "positions", q, names.positions), vector("v", "velocities", v, names.velocities)};
  if (system.has_mass_matrix()) {
    result.system.push_back(matrix("M", "mass matrix", eq.M, names.velocities));
  } else {
    result.messages.emplace_back(
        "M is not formed: in these coordinates it would be dense, and the tree solves with it by recursion; "
        "--coordinates reference-point shows a sparse one");
  }
  result.system.push_back(vector("Q", "forces, with the velocity-dependent terms of inertia", eq.Q, names.velocities));
  result.system.push_back(vector("Phi", "constraints, = 0", eq.Phi, names.rows));
  result.system.push_back(matrix("P", "Phi_q: their Jacobian, Phi' = P v + Phi_t", eq.P, names.rows));
  result.system.push_back(vector("Phi_t", "their derivatives with respect to time alone", eq.Phi_t, names.rows));
  result.system.push_back(vector("Phi'", "P v + Phi_t, = 0", eq.Phi_dot, names.rows));
  result.system.push_back(vector("gamma", "P v' = gamma", eq.gamma, names.rows));
  find_rank(system, eq, of_formulation, result);

  const bool by_engine = formulation.state == State::full && !formulation.create;
  const auto motion = create_motion({.system = system,
                                     .formulation = formulation,
                                     .options = of_formulation,
                                     .stabilization = create_stabilization(system, chosen),
                                     .q = q,
                                     .v = v,
                                     .state = state_of(chosen, formulation),
                                     .dynamics = *find_dynamics_type(by_engine ? formulation.engine : "whole"),
                                     .t = there.time});
  if (!motion) {
    result.failure = "no independent coordinates can be chosen here: is it a singular position?";
    return result;
  }
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(there.time, q, v, x);
  x.segment(x.size() - 1 - there.friction.size(), there.friction.size()) = there.friction;
  const Status status = motion->observe(there.time, x, xdot);
  Exhibit exhibit;
  motion->show(exhibit);
  for (const Exhibit::Item& item : exhibit.items()) result.formulated.push_back(named(names, item));
  if (options.velocity_transformation) {
    System other(model, system.coordinates_type());
    for (NamedMatrix& item : velocity_transformation(other, there.time, q, v, there.friction))
      result.formulated.push_back(std::move(item));
  }
  if (status != Status::ok) {
    result.failure = motion->failure();
    return result;
  }
  if (by_engine) {
    result.messages.push_back("the matrices of '" + std::string(formulation.name) +
                              "' are never formed: its engine goes over the tree body by body");
  }
  const Vector &vdot = motion->accelerations(), &lambda = motion->multipliers();
  result.solution = {vector("lambda", "multipliers", lambda, names.rows),
                     vector("v'", "accelerations", vdot, names.velocities)};
  const Vector force = eq.P.transpose() * lambda, at_rows = eq.P * vdot;
  if (system.has_mass_matrix()) {
    const Vector inertia = eq.M * vdot, Q = eq.Q + motion->friction_forces();
    result.motion_residual = relative(inertia + force - Q, inertia.norm() + force.norm() + Q.norm());
  }
  if (chosen.reactions == "blajer-38-gauss" && system.has_mass_matrix()) {
    show_elimination(system, eq, eq.M * vdot - eq.Q - motion->friction_forces(), chosen.reaction_length, names,
                     result.formulated);
  }
  result.constraint_residual = relative(at_rows - eq.gamma, eq.P.norm() * vdot.norm() + eq.gamma.norm());
  result.ok = result.failure.empty();
  return result;
}

}  // namespace bricard
