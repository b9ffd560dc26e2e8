// The equations of motion at one state, solved for the accelerations a and least-norm multipliers lambda, and their
// derivatives there along displacements, velocities, friction states and multipliers, in one packed vector:
//   rate        Phi_dot, then the rates of the named coordinates
//   curvature   gamma - P a, then minus the named coordinates' second derivatives      (a, lambda held)
//   force       Q - M a - P^T lambda
//   states      s'
#pragma once

#include <string>

#include "analyses/run/constraint_inverse.h"
#include "analyses/structure/named_coordinates.h"
#include "linear/romberg.h"

namespace bricard {

class LocalEquations {
 public:
  /// `named` must outlive it. Coordinates `reference-point`.
  LocalEquations(System& system, const NamedCoordinates& named, double t, ConstVector q, ConstVector v,
                 ConstVector states);

  bool ok() const { return failure_.empty(); }
  const std::string& failure() const { return failure_; }

  System& system() const { return system_; }
  double time() const { return t_; }
  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  const Vector& states() const { return states_; }
  const Matrix& M() const { return M_; }
  /// The constraints' rows, and with the named coordinates' below them.
  const Matrix& P() const { return P_; }
  const Matrix& stacked_rows() const { return stacked_; }
  const Vector& metric() const { return metric_; }
  const ConstraintInverse& rows() const { return rows_; }
  const Vector& acceleration() const { return a_; }
  const Vector& lambda() const { return lambda_; }
  /// Second derivatives of the named coordinates, and rates of the friction states.
  Vector named_accelerations() const { return -packed_.segment(curvature_at() + constraints(), named_.size()); }
  Vector state_rates() const { return packed_.tail(states_.size()); }
  /// Rate of the motion itself: of its velocities over its size, or what its accelerations make of them, 1/s.
  double pace() const { return pace_; }
  /// A length to measure translations by, and the largest component so measured.
  double length() const { return length_; }
  double size_of(const Vector& v) const;

  // --- derivatives, one column a direction ---
  struct Derivatives {
    Matrix value, error;
  };
  Derivatives along_displacements(const Matrix& directions);
  Derivatives along_velocities(const Matrix& directions);
  Derivatives along_states();
  Derivatives along_multipliers();
  /// Of P, along a displacement with its change of velocity and of time.
  Matrix jacobian_derivative(const Vector& displacement, const Vector& dv, double dt);

  int constraints() const { return static_cast<int>(P_.rows()); }
  int row_count() const { return constraints() + named_.size(); }
  int curvature_at() const { return row_count(); }
  int force_at() const { return 2 * row_count(); }
  int states_at() const { return 2 * row_count() + static_cast<int>(v_.size()); }
  int packed_size() const { return states_at() + static_cast<int>(states_.size()); }

 private:
  void solve();
  void evaluate(double t, ConstVector q, ConstVector v, ConstVector states, ConstVector lambda, VectorRef packed);
  double displacement_step(double size) const { return power_of_two_below(size > 0 ? 0.125 / size : 1); }

  System& system_;
  const NamedCoordinates& named_;
  double t_;
  Vector q_, v_, states_;
  Equations eq_;
  Vector metric_, a_, lambda_, Q_, packed_;
  Vector terms_;  // sizes of those that the packed forces are the difference of
  Matrix M_, P_, stacked_;
  ConstraintInverse rows_;
  double length_ = 1, pace_ = 0;
  std::string failure_;
};

}  // namespace bricard
