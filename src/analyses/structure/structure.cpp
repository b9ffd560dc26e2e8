#include "analyses/structure/structure.h"

#include <cmath>

#include "analyses/structure/body_companion.h"
#include "dynamics/tree/tree_dynamics.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"
#include "linear/sparse_ldlt.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

/// What each coordinate moves: however light, it is an inertia. What is left of a zero by rounding is none: diagonals
/// far below those of coordinates that they are coupled with.
Vector own_inertia(const SparseColumns& M, const Vector& typical) {
  constexpr double rounding = 1e-14;
  const Vector diagonal = M.diagonal();
  Vector inertia = diagonal;
  for (int column = 0; column < M.outerSize(); ++column) {
    for (SparseColumns::InnerIterator entry(M, column); entry; ++entry) {
      const double other = diagonal[entry.row()] * typical[column] / typical[entry.row()];
      if (entry.value() != 0) inertia[column] = std::max(inertia[column], rounding * other);
    }
    if (!(inertia[column] > 0)) inertia[column] = typical[column];
  }
  return inertia;
}

bool is_singular(const SparseColumns& M, const Vector& inertia) {
  const Vector scale = inertia.cwiseSqrt().cwiseInverse();
  const SparseColumns scaled = scale.asDiagonal() * M * scale.asDiagonal();
  return SparseLdlt(scaled).least_pivot() < 1e-12;
}

UniqueComponents::Names names_of(const System& system, int joint) {
  if (!system.reactions().has_reaction(joint)) return UniqueComponents::Names::efforts;
  return system.model().planar() ? UniqueComponents::Names::planar : UniqueComponents::Names::spatial;
}

int component_count(UniqueComponents::Names names, int rows) {
  if (names == UniqueComponents::Names::efforts) return rows;
  return names == UniqueComponents::Names::planar ? 3 : 6;
}

void find_unique_reactions(const System& system, const MinimumNorm& rows, const SparseRows& P, const Vector& typical,
                           Structure& structure) {
  // Every combination of multipliers that does nothing to the motion; a component that it changes is a convention.
  SparseColumns states = rows.sparse_row_null_space();
  Vector scale(P.rows());
  for (int row = 0; row < P.rows(); ++row) {
    // Back from rows of unit length: lambda = (scaled length) * scaled multiplier.
    double squared = 0;
    for (SparseRows::InnerIterator entry(P, row); entry; ++entry)
      squared += entry.value() * entry.value() / typical[entry.col()];
    scale[row] = squared > 0 ? 1 / std::sqrt(squared) : 1;
  }
  states = scale.asDiagonal() * states;
  for (int k = 0; k < states.cols(); ++k) states.col(k) /= std::max(states.col(k).norm(), 1e-300);
  const SparseRows self_stress(states);

  const double length = system.model().characteristic_length();
  std::vector<double> values;
  Vector unit = Vector::Zero(system.row_count());
  structure.reactions.reserve(system.model().joints.size());
  for (int joint = 0; joint < static_cast<int>(system.model().joints.size()); ++joint) {
    const UniqueComponents::Names kind = names_of(system, joint);
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    const int count = component_count(kind, last - first);
    values.resize(count);
    std::map<int, Vector> by_state;  // components in each state in which the joint takes part
    for (int row = first; row < last; ++row) {
      if (self_stress.outerIndexPtr()[row] == self_stress.outerIndexPtr()[row + 1]) continue;
      unit[row] = 1;
      reaction_values(system, joint, unit, values.data());
      unit[row] = 0;
      for (SparseRows::InnerIterator entry(self_stress, row); entry; ++entry) {
        Vector& sum = by_state.try_emplace(static_cast<int>(entry.col()), Vector::Zero(count)).first->second;
        sum += entry.value() * Eigen::Map<const Vector>(values.data(), count);
      }
    }
    Vector largest = Vector::Zero(count);
    for (const auto& [state, components] : by_state) largest = largest.cwiseMax(components.cwiseAbs());
    UniqueComponents marks(kind);
    for (int c = 0; c < count; ++c)
      marks.push_back((UniqueComponents::name(kind, c)[0] == 'm' ? largest[c] / length : largest[c]) < 1e-6);
    structure.reactions.emplace_back(system.model().joints[joint].name, marks);
  }
}

}  // namespace

std::string UniqueComponents::name(Names names, int k) {
  static const char* const planar[] = {"fx", "fy", "mz"};
  static const char* const spatial[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  if (names == Names::efforts) return k == 0 ? "effort" : "effort" + std::to_string(k + 1);
  return names == Names::planar ? planar[k] : spatial[k];
}

std::vector<std::string> reaction_components(const System& system, int joint) {
  const auto [first, last] = system.reactions().rows_of_joint(joint);
  const UniqueComponents::Names kind = names_of(system, joint);
  std::vector<std::string> names;
  for (int k = 0; k < component_count(kind, last - first); ++k) names.push_back(UniqueComponents::name(kind, k));
  return names;
}

void reaction_values(const System& system, int joint, ConstVector lambda, double* values) {
  if (!system.reactions().has_reaction(joint)) {
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    for (int row = first; row < last; ++row) *values++ = -lambda[row];
    return;
  }
  reaction_values(system, system.reaction(joint, lambda), values);
}

void reaction_values(const System& system, const Reaction& reaction, double* values) {
  if (system.model().planar()) {
    values[0] = reaction.force.x(), values[1] = reaction.force.y(), values[2] = reaction.moment.z();
    return;
  }
  for (int k = 0; k < 3; ++k) values[k] = reaction.force[k], values[3 + k] = reaction.moment[k];
}

/// False if the mass matrix of a large tree, which is not formed, is singular.
static bool recursion_at(const System& system, ConstVector q) {
  const auto recursion = create_tree_dynamics(system.model(), *system.coordinates().spanning_tree());
  recursion->place(q.data());
  return recursion->factorize();
}

Structure analyze_structure(System& system, ConstVector q, ConstVector v) {
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  const Vector typical = typical_inertia(system);

  Structure s;
  s.coordinates = system.velocity_size();
  s.positions = system.position_size();
  s.constraints = system.row_count();
  for (const RowInfo& row : system.rows()) s.velocity_constraints += row.velocity_level;

  const SparseRows scaled = dimensionless_rows(eq.P, typical);
  MinimumNorm rows;
  rows.factorize(scaled, rank_threshold);
  s.rank = rows.rank();
  s.degrees_of_freedom = s.coordinates - s.rank;
  for (int row : rows.dependent_rows()) {
    const std::string name = system.row_name(row);
    const std::size_t colon = name.find(": ");
    s.redundant.push_back({name.substr(0, colon), name.substr(colon + 2)});
  }
  if (system.absorbs_joints()) {
    // Absorbed joints have no rows here; in free bodies they do.
    BodyCompanion companion(system);
    companion.follow(0, q, v, Vector::Zero(system.velocity_size()), Vector::Zero(system.state_size()));
    const Vector typical_of_bodies = typical_inertia(companion.system());
    const SparseRows& P = companion.equations().P;
    MinimumNorm all_rows;
    all_rows.factorize(dimensionless_rows(P, typical_of_bodies), rank_threshold);
    find_unique_reactions(companion.system(), all_rows, P, typical_of_bodies, s);
  } else {
    find_unique_reactions(system, rows, eq.P, typical, s);
  }

  const Vector inertia = system.has_mass_matrix() ? own_inertia(eq.M, typical) : typical;
  s.mass_is_singular = system.has_mass_matrix() ? is_singular(eq.M, inertia) : !recursion_at(system, q);
  for (const Body& body : system.model().bodies) {
    const double smallest =
        system.model().planar()
            ? body.inertia(2, 2)
            : Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues()[0];
    const double largest = system.model().planar() ? body.inertia(2, 2) : body.inertia.trace();
    if (body.mass <= 0 || smallest <= 1e-12 * largest || largest <= 0) s.massless.push_back(body.name);
  }
  if (s.mass_is_singular) {
    std::vector<Eigen::Triplet<double>> entries;
    const Vector scale = inertia.cwiseSqrt().cwiseInverse();
    const SparseRows weighed = dimensionless_rows(eq.P, inertia);
    for (int column = 0; column < eq.M.outerSize(); ++column) {
      for (SparseColumns::InnerIterator entry(eq.M, column); entry; ++entry) {
        entries.emplace_back(static_cast<int>(entry.row()), column, entry.value() * scale[entry.row()] * scale[column]);
      }
    }
    for (int row = 0; row < weighed.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(weighed, row); entry; ++entry) {
        entries.emplace_back(s.coordinates + row, static_cast<int>(entry.col()), entry.value());
      }
    }
    SparseRows stacked(s.coordinates + s.constraints, s.coordinates);
    stacked.setFromTriplets(entries.begin(), entries.end());
    MinimumNorm both;
    both.factorize(stacked, rank_threshold);
    s.accelerations_are_unique = both.rank() == s.coordinates;
  }
  return s;
}

}  // namespace bricard
