#include "bricard/equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/reactions/physical_reactions.h"
#include "analyses/run/budget.h"
#include "analyses/run/own_units.h"
#include "analyses/statics/static_descent.h"
#include "analyses/statics/static_equations.h"
#include "analyses/statics/static_newton.h"
#include "analyses/statics/static_stability.h"
#include "analyses/structure/structure.h"
#include "linear/minimum_norm.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

constexpr int most_rounds = 8;          // of leaving unstable equilibria
constexpr double nudge = 0.05;          // rad, or characteristic lengths
constexpr double same_position = 1e-4;  // the same units

bool uses_time(const Force& force) {
  const auto any = [](const auto& expressions) {
    return std::any_of(expressions.begin(), expressions.end(), [](const Expression& e) { return e.uses_time(); });
  };
  return std::visit(
      [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        if constexpr (std::is_same_v<Law, AppliedForce> || std::is_same_v<Law, AppliedTorque>) return any(law.vector);
        if constexpr (std::is_same_v<Law, Spring> || std::is_same_v<Law, RotationalSpring>)
          return law.law && law.law->uses_time();
        if constexpr (std::is_same_v<Law, Actuator>) return law.value.uses_time();
        if constexpr (std::is_same_v<Law, Rotor>) return law.speed.uses_time();
        if constexpr (std::is_same_v<Law, CustomForce>)
          return std::any_of(law.formulas.begin(), law.formulas.end(),
                             [](const auto& formula) { return formula.second.uses_time(); });
        return std::is_same_v<Law, FunctionForce>;  // as far as anybody knows
      },
      force.law);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class Search {
 public:
  Search(const std::shared_ptr<const Model>& model, const EquilibriumOptions& options, const Assembly& assembly)
      : options_(options), system_(model, *find_coordinates_type("reference-point")), start_(assembly.q) {
    start_at(system_, assembly);
    equations_ = std::make_unique<StaticEquations>(system_, start_, options.seed);
  }

  Equilibrium run() {
    note_what_is_held();
    find();
    if (result_.ok) describe();
    return std::move(result_);
  }

 private:
  // --- the search ---

  void find() {
    StaticEquations& equations = *equations_;
    if (!equations.evaluate(start_)) {
      const std::string force = system_.force_without_value();
      result_.failure = force.empty() ? "the equations have no value at the start"
                                      : fmt::format("force {} is not a number at the start", force);
      return;
    }
    if (polish(start_) && settled()) {
      result_.how = "Newton's method from the start";
      return;
    }
    Vector from = start_;
    if (result_.ok && equations.difference(start_, result_.q).lpNorm<Eigen::Infinity>() < same_position)
      from = nudged();
    for (int round = 0; round < most_rounds; ++round) {
      const Vector before = result_.q;
      const Descent descent = descend(equations, from);
      result_.iterations += descent.steps;
      if (descent.end == DescentEnd::runs_away || !polish(descent.q)) {
        give_up(descent);
        return;
      }
      result_.how = fmt::format("descent along the constraints{}, then Newton's method",
                                round > 0 ? " past unstable equilibria" : "");
      if (settled()) return;
      if (round > 0 && equations.difference(before, result_.q).lpNorm<Eigen::Infinity>() < same_position) break;
      from = nudged();
    }
    result_.messages.emplace_back("no stable equilibrium was found; this one is unstable");
  }

  /// Newton's method; what it finds becomes the result.
  bool polish(const Vector& q) {
    StaticEquations& equations = *equations_;
    Vector mu;
    if (!equations.evaluate(q)) return false;
    equations.multipliers(mu);
    const StaticSolution solution = solve_statics(equations, q, mu, options_.tolerance);
    result_.iterations += solution.iterations;
    if (!solution.ok) return false;
    result_.ok = true;
    result_.q = solution.q;
    result_.residual = solution.residual;
    mu_ = solution.mu;
    report_ = assess_stability(equations, solution.q);
    return true;
  }

  bool settled() const { return !options_.stable || report_.stability != Stability::unstable; }

  /// A little off along the direction in which the equilibrium is unstable.
  Vector nudged() const {
    Vector q = result_.q;
    if (report_.softest.size() == 0) return q;
    const double size = (options_.seed % 2 == 1 ? nudge : -nudge) / report_.softest.lpNorm<Eigen::Infinity>();
    equations_->advance(q, size * report_.softest);
    return q;
  }

  void give_up(const Descent& descent) {
    const std::string load = unbalanced(descent);
    const std::string why = descent.end == DescentEnd::runs_away
                                ? fmt::format("the mechanism moves away without end, because nothing balances {}", load)
                                : fmt::format("the search ended where {} is not balanced", load);
    if (result_.ok) {  // an unstable one
      result_.how = "Newton's method from the start";
      result_.messages.push_back("no stable equilibrium was found, this one is unstable: from the start " + why);
      return;
    }
    result_.failure =
        descent.end == DescentEnd::runs_away ? "there is no equilibrium: " + why : "no equilibrium was found: " + why;
  }

  /// The largest load that is left, with its body and direction.
  std::string unbalanced(const Descent& descent) const {
    const Model& model = system_.model();
    if (descent.unbalanced.size() == 0) return "any load";
    const int of_body = system_.velocity_size() / static_cast<int>(model.bodies.size());
    const int translations = model.planar() ? 2 : 3;
    int most = 0;
    descent.unbalanced.cwiseAbs().maxCoeff(&most);
    const int body = most / of_body;
    const bool turns = most % of_body >= translations;
    const double force = equations_->force() * (turns ? equations_->length() : 1.0);
    const Vector load =
        force * (turns ? descent.unbalanced.segment(body * of_body + translations, of_body - translations)
                       : descent.unbalanced.segment(body * of_body, translations));
    std::string components;
    for (double value : load)
      components +=
          fmt::format("{}{:.4g}", components.empty() ? "" : ", ", std::abs(value) < 1e-9 * load.norm() ? 0 : value);
    return fmt::format("the {} ({}) {} on {}", turns ? "moment" : "force", components, turns ? "N m" : "N",
                       model.bodies[body].name);
  }

  // --- the answer ---

  void note_what_is_held() {
    const Model& model = system_.model();
    std::vector<std::string> names;
    for (const Motion& motion : model.motions) names.push_back(motion.name);
    if (!names.empty()) result_.messages.push_back("drives are held where they are at t = 0: " + list(names));
    names.clear();
    for (const Force& force : model.forces) {
      if (uses_time(force)) names.push_back(force.name);
    }
    if (!names.empty())
      result_.messages.push_back("forces that depend on time have their values of t = 0: " + list(names));
    names.clear();
    for (const Joint& joint : model.joints) {
      if (joint.friction.law == Friction::Law::coulomb || joint.friction.law == Friction::Law::dahl)
        names.push_back(joint.name);
    }
    if (!names.empty())
      result_.messages.push_back(
          "this is the equilibrium without friction, which would hold other positions as well: " + list(names));
    equations_->evaluate(start_);
    names.clear();
    for (int row = 0; row < system_.row_count(); ++row) {
      if (system_.rows()[row].velocity_level && std::abs(equations_->equations().Phi_t[row]) > 0)
        names.push_back(system_.row_name(row));
    }
    if (!names.empty())
      result_.messages.push_back("constraints that ask for a velocity are taken as at rest: " + list(names));
  }

  void describe() {
    const Model& model = system_.model();
    result_.stability = report_.stability;
    result_.stable = report_.stability == Stability::stable;
    result_.smallest_stiffness = report_.smallest_stiffness;
    result_.conservative = report_.conservative;
    result_.growth = report_.growth;
    if (!report_.message.empty()) result_.messages.push_back(report_.message);
    if (report_.softest.size() > 0) result_.softest = describe_direction(*equations_, result_.q, report_.softest);
    if (report_.stability == Stability::neutral && report_.conservative) {
      std::vector<std::string> names;
      for (const Vector& direction : report_.neutral) {
        const std::string name = describe_direction(*equations_, result_.q, direction);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
      result_.messages.push_back("the equilibrium is neutral: nothing holds or drives " + list(names));
    }
    find_displacements();

    const Vector rest = Vector::Zero(system_.velocity_size());
    const Structure structure = analyze_structure(system_, result_.q, rest);
    result_.degrees_of_freedom = structure.degrees_of_freedom;
    find_reactions(structure);
    system_.body_states(result_.bodies);
    result_.potential_energy = system_.potential_energy(0);
    for (std::size_t joint = 0; joint < model.joints.size(); ++joint) {
      const auto names = coordinate_names(*find_joint_type(model.joints[joint].type), model.dimension);
      for (std::size_t k = 0; k < names.size(); ++k)
        result_.joint_positions.push_back(
            {model.joints[joint].name, names[k], system_.signals()[system_.joint_coordinates()[joint][k]].value});
    }
    refuse_what_is_not_finite();
  }

  /// Loads beyond the range of numbers have no equilibrium that could be told.
  void refuse_what_is_not_finite() {
    const auto fail = [this](const std::string& what) {
      result_.ok = result_.stable = false;
      result_.failure =
          fmt::format("no equilibrium was found: {} is not a finite number; are the loads too large?", what);
    };
    for (const StaticReaction& reaction : result_.reactions) {
      for (std::size_t k = 0; k < reaction.values.size(); ++k) {
        if (!std::isfinite(reaction.values[k])) return fail(reaction.joint + "." + reaction.components[k]);
      }
    }
    for (const auto& drive : result_.drives) {
      if (!std::isfinite(drive.effort)) return fail("the effort of " + drive.motion);
    }
    if (!std::isfinite(result_.potential_energy)) return fail("the potential energy");
    if (!std::isfinite(result_.residual)) return fail("what is left of the loads");
    if (!result_.q.allFinite()) return fail("the position");
  }

  void find_displacements() {
    const auto frames = [&](const Vector& q) {
      equations_->evaluate(q);
      std::vector<BodyState> states;
      system_.body_states(states);
      return states;
    };
    const std::vector<BodyState> before = frames(start_), after = frames(result_.q);
    for (std::size_t b = 0; b < before.size(); ++b) {
      const double distance = (after[b].center - before[b].center).norm();
      const double angle = system_.model().planar() ? std::abs(after[b].angle - before[b].angle)
                                                    : after[b].orientation.angularDistance(before[b].orientation);
      if (distance > 1e-10 * equations_->length() || angle > 1e-7)
        result_.moved.push_back({system_.model().bodies[b].name, distance, angle});
    }
  }

  void find_reactions(const Structure& structure) {
    const Model& model = system_.model();
    StaticEquations& equations = *equations_;
    equations.evaluate(result_.q);
    const bool redundant = !structure.redundant.empty();
    result_.statically_determinate = !redundant;
    Matrix self_stress(system_.row_count(), 0);
    if (redundant) {
      // The multipliers of least norm, and what may be added to them.
      MinimumNorm solver;
      solver.factorize(SparseRows(equations.Ps().transpose()), 1e-8);
      solver.solve(equations.b(), mu_);
      solver.factorize(equations.Ps(), 1e-8);
      self_stress = solver.row_null_space();
    }
    result_.lambda = equations.lambda(mu_);

    Equations eq = system_.empty_equations();
    const Vector rest = Vector::Zero(system_.velocity_size());
    system_.evaluate(0, result_.q, rest, Vector::Zero(system_.state_size()), Upto::dynamics, eq);
    PhysicalReactions physical(system_, redundant ? ReactionScheme::blajer_38 : ReactionScheme::multipliers);
    physical.find(eq, eq.Q, rest, result_.lambda);
    std::vector<std::string> doubtful;
    for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
      StaticReaction reaction;
      reaction.joint = model.joints[joint].name;
      reaction.components = reaction_components(system_, joint);
      reaction.values.resize(reaction.components.size());
      if (system_.reactions().has_reaction(joint)) {
        reaction.place = physical.of_joint(joint).place;
        reaction_values(system_, physical.of_joint(joint), reaction.values.data());
      } else {
        reaction_values(system_, joint, result_.lambda, reaction.values.data());
      }
      std::vector<std::string> names;
      for (const auto& [name, unique] : structure.reactions[joint].second) {
        reaction.unique.push_back(unique);
        if (!unique) names.push_back(name);
      }
      if (!names.empty()) doubtful.push_back(fmt::format("{} ({})", reaction.joint, list(names)));
      result_.reactions.push_back(std::move(reaction));
    }
    for (int k = 0; k < static_cast<int>(model.motions.size()); ++k) {
      const int row = system_.motion_row(k);
      const bool unique = self_stress.cols() == 0 || self_stress.row(row).lpNorm<Eigen::Infinity>() < 1e-6;
      result_.drives.push_back({model.motions[k].name, -result_.lambda[row], unique});
      if (!unique) doubtful.push_back(fmt::format("{} (effort)", model.motions[k].name));
    }
    if (redundant)
      result_.messages.push_back(
          fmt::format("statically indeterminate: the reactions of {} are not unique; those of least norm are given",
                      list(doubtful)));
  }

  EquilibriumOptions options_;
  System system_;
  Vector start_, mu_;
  std::unique_ptr<StaticEquations> equations_;
  StabilityReport report_;
  Equilibrium result_;
};

/// What 1 of each multiplier is in SI units: energy over what its row measures, which the rows themselves tell.
Vector sizes_of_multipliers(const OwnUnits& own, const std::shared_ptr<const Model>& model, const Vector& own_q) {
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  System there(own.model(), coordinates), here(model, coordinates);
  Equations eq_there = there.empty_equations(), eq = here.empty_equations();
  const Vector rest = Vector::Zero(here.velocity_size()), states = Vector::Zero(here.state_size());
  Vector q = own_q, unused;
  own.to_si(coordinates, q, unused);
  there.evaluate(0, own_q, rest, states, Upto::velocities, eq_there);
  here.evaluate(0, q, rest, states, Upto::velocities, eq);
  Vector sizes = Vector::Constant(here.row_count(), own.units().energy());
  for (int row = 0; row < here.row_count(); ++row) {
    double largest = 0, size = 1;
    for (SparseRows::InnerIterator entry(eq_there.P, row); entry; ++entry) {
      if (!(std::abs(entry.value()) > largest)) continue;
      largest = std::abs(entry.value());
      const int column = static_cast<int>(entry.col());
      const double unit = here.coordinates().is_rotation(column) ? 1 : own.units().length;
      size = eq.P.coeff(row, column) * unit / entry.value();
    }
    sizes[row] /= size;
  }
  return sizes;
}

void to_si(const OwnUnits& own, const std::shared_ptr<const Model>& model, Equilibrium& found) {
  const Units& units = own.units();
  own.to_si(found.failure);
  own.to_si(found.messages);
  own.to_si(found.how);
  own.to_si(found.moved);
  if (found.lambda.size() > 0) found.lambda = found.lambda.cwiseProduct(sizes_of_multipliers(own, model, found.q));
  Vector unused;
  own.to_si(*find_coordinates_type("reference-point"), found.q, unused);
  own.to_si(found.bodies);
  for (JointPosition& position : found.joint_positions)
    position.value *= own.size_of(position.joint + "." + position.name);
  for (StaticReaction& reaction : found.reactions) {
    reaction.place *= units.length;
    for (std::size_t k = 0; k < reaction.values.size(); ++k)
      reaction.values[k] *= own.size_of(reaction.joint + "." + reaction.components[k]);
  }
  for (DriveEffort& drive : found.drives) drive.effort *= own.size_of(drive.motion + ".effort");
  found.potential_energy *= units.energy();
  found.smallest_stiffness *= units.stiffness();
  found.growth /= units.time;
}

}  // namespace

Equilibrium find_equilibrium(const std::shared_ptr<const Model>& model, const EquilibriumOptions& options) {
  if (const OwnUnits own(model); own.differ()) {
    Equilibrium found = own.translate_errors([&] { return find_equilibrium(own.model(), options); });
    to_si(own, model, found);
    return found;
  }
  const std::size_t coordinates = (model->planar() ? 3 : 6) * model->bodies.size();
  check_dense({.what = fmt::format("the equilibrium of {} coordinates", coordinates),
               .seconds_per_cube = 4e-9,
               .matrices = 6,
               .size = static_cast<double>(coordinates)},
              options.time_limit, options.memory_limit);
  const Assembly assembly = assemble(model, *find_coordinates_type("reference-point"), options.seed);
  if (!assembly.ok) {
    Equilibrium failed;
    failed.failure = assembly.message;
    return failed;
  }
  return Search(model, options, assembly).run();
}

}  // namespace bricard
