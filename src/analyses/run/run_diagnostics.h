// What a run can say of its constraints at an instant, in the metric of the masses:
//   D = S P L^-T,   M = L L^T,   S: rows to unit length (see ScaledConstraints),   D = U diag(sigma) V^T
//   rank          of D
//   singularity   sigma_r / sigma_1 with the generic rank r: goes to 0 where the rank falls. A singular M gives way to
//                 the typical inertia.
//   projective    of a joint coordinate with g = d(its rate)/dv: how well it describes the motion,
//                 cos^2 alpha = g^T R (R^T M R)^-1 R^T g / (g^T M^-1 g),  R any basis of the null space of P
//                             = |h - V_r V_r^T h|^2 / |h|^2,  h = L^-1 g           [Blajer-Schiehlen-Schirm (23)]
#pragma once

#include <string>
#include <vector>

#include "analyses/assembly/scaled_constraints.h"
#include "bricard/simulate.h"
#include "dynamics/tree/tree_dynamics.h"
#include "linear/singular_values.h"

namespace bricard {

class RunDiagnostics {
 public:
  /// (q, v): an assembled state; leaves the system evaluated there. `generic_rank`: of the constraints at ordinary
  /// positions, as far as known; it rises with the ranks seen.
  RunDiagnostics(System& system, ConstVector q, ConstVector v, int generic_rank, bool mass_is_singular);

  /// constraint.rank, singularity, projective.JOINT for each coordinate of a joint.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Their values, at the state at which the system was evaluated last: q its positions.
  void record(const System& system, const Equations& equations, ConstVector q, double* values);

  /// Singularity and rank alone.
  struct Measure {
    double singularity = 1;
    int rank = 0;
  };
  Measure measure(const Equations& equations, ConstVector q);

 private:
  /// Puts S P L^-T into D_ for the metric M, or M with a small part of the typical inertia, or that inertia alone.
  enum class Metric { masses, regularized, typical };
  void weigh(const Equations& equations, ConstVector q, Metric metric);
  void find_root(ConstVector q, Metric metric);
  Measure judge(const Equations& equations, const Vector& singular_values);
  double drift(const Equations& equations) const;

  std::vector<std::string> columns_;
  Vector row_length_, root_inertia_;
  double root_mass_length_;  // root of a typical mass times a typical length: makes errors of rows dimensionless
  int generic_rank_;
  bool mass_is_singular_;
  Matrix D_, M_;
  Eigen::LLT<Matrix> mass_;
  std::unique_ptr<TreeDynamics> recursion_;  // of large trees, which have M^-1 and no M; else null
  Matrix root_;                              // then: F with F F^T = M^-1, in the place of L^-T
  Eigen::JacobiSVD<Matrix> values_;
  SingularValues factor_;
  std::vector<Load> loads_;
  Vector g_;
};

/// Of a run, if its method asks for them; else null. Throws InputError where they would take too long.
std::unique_ptr<RunDiagnostics> create_diagnostics(System& system, const Summary& start, int generic_rank,
                                                   const Assembly& assembly);

/// True for names of these columns, and of groups of them (projective.*).
bool is_diagnostic_column(const std::string& name);

}  // namespace bricard
