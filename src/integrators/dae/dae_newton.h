// The linearised equations of an implicit step: derivatives of the residual, the factorised matrix, and what is solved
// with it.
//   [m M + c C + k K, P^T - F; P, -epsilon I] [x; y] = [f; g]
// epsilon is either just large enough for redundant rows, or the inverse of a penalty factor. In both cases it acts on
// increments only: repeating the solution with g - epsilon y leads to the one for epsilon = 0 [Bertsekas, Constrained
// Optimization and Lagrange Multiplier Methods, 1982, chapter 5].
// The derivatives K and C are exact where Tangent knows them, else difference quotients, with its pattern if it has
// one.
#pragma once

#include <functional>
#include <memory>

#include "integrators/dae/dae_differences.h"
#include "integrators/dae/dae_equations.h"
#include "integrators/dae/dae_matrix.h"
#include "system/tangent.h"

namespace bricard {

class DaeNewton {
 public:
  struct Options {
    double penalty = 0;               // 0: none
    bool penalty_is_relative = true;  // to the largest term of M
    int largest_dense = 60;           // so many velocity coordinates have dense matrices: a round number, not tuned
  };
  /// r at positions and velocities, for accelerations and multipliers which the caller knows; false if there is none.
  using Residual = std::function<bool(const Vector& q, const Vector& v, Vector& r)>;

  DaeNewton(DaeEquations& dae, const Options& options);

  /// Which derivatives vanish, where Tangent does not say. For small models none is taken to; for large ones it is
  /// tried out at a state nearby, and extend_patterns() tries again where Newton's method fails: forces may begin to
  /// act later.
  void find_patterns(const Residual& residual, const Vector& q, const Vector& v, const Vector& lambda,
                     const Vector& states);
  /// False if there is nothing to add.
  bool extend_patterns(const Residual& residual, const Vector& q, const Vector& v);

  /// Finds C, K and F at (q, v); the last evaluation is there afterwards. False if the residual has no value nearby.
  bool linearize(const Residual& residual, const Vector& q, const Vector& v, const Vector& vdot, const Vector& lambda,
                 const Vector& states);
  /// With M and P of the last evaluation. k is also the factor of the penalty. False if the matrix is singular.
  bool factorize(double m, double c, double k);
  /// The solution for epsilon = 0, g being satisfied to that accuracy.
  bool solve(const Vector& f, const Vector& g, double accuracy, Vector& x, Vector& y);
  /// (m M + c C + k K) x + P^T y = 0, P x = g to that accuracy, P being that of the last evaluation.
  bool project(const Vector& g, double accuracy, Vector& x, Vector& y);
  /// The solution for epsilon as it is.
  bool solve_once(const Vector& f, const Vector& g, Vector& x, Vector& y) { return matrix_->solve(f, g, x, y); }

  /// f = (P^T - F) y, what multipliers do to the bodies with the friction they cause.
  void loads(const Vector& y, Vector& f) const {
    f.noalias() = dae_.values().P.transpose() * y;
    f.noalias() -= F_.values() * y;
  }

  const Vector& scales() const { return scale_; }  // of displacements: the size of the model, or a radian
  double length() const { return length_; }
  bool has_patterns() const { return matrix_ != nullptr; }
  /// How often derivatives were found, and the size of the matrix's factors.
  long linearizations() const { return linearizations_; }
  long factor_nonzeros() const { return matrix_->factor_nonzeros(); }

 private:
  DaeMatrix::Terms terms(double m, double c, double k) const;
  const SparseColumns& K() const { return tangent_.exact() ? tangent_.K() : K_.values(); }
  const SparseColumns& C() const { return tangent_.exact() ? tangent_.C() : C_.values(); }
  bool detect(const Residual& residual, const Vector& q, const Vector& v);
  /// Friction in a joint depends on the multipliers of its rows.
  void add_friction_pattern();
  void build_matrix();
  /// The residual as a function of a displacement, or of a change of velocities.
  DifferenceJacobian::Function of_positions(const Residual& residual, const Vector& q, const Vector& v);
  DifferenceJacobian::Function of_velocities(const Residual& residual, const Vector& q, const Vector& v);
  DifferenceJacobian::Function of_multipliers(const Vector& lambda, const Vector& states);
  void set_increments(const Vector& v, const Vector& lambda);

  DaeEquations& dae_;
  Options options_;
  int n_, rows_;
  bool dense_;
  double length_, epsilon_ = 0;
  double factor_m_ = 0, factor_c_ = 0, factor_k_ = 0;  // of the factorised matrix
  Vector scale_, inertia_;
  Tangent tangent_;
  DifferenceJacobian K_, C_, F_;
  std::unique_ptr<DaeMatrix> matrix_;
  long linearizations_ = 0;
  Vector position_increments_, velocity_increments_, multiplier_increments_;
  Vector q_, v_, r_, g_, y_, dx_, dy_, lambda_;
};

}  // namespace bricard
