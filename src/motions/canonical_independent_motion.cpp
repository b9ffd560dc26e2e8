#include "motions/canonical_independent_motion.h"

#include <cmath>

#include "formulations/exhibit.h"

namespace bricard {

CanonicalIndependentMotion::CanonicalIndependentMotion(System& system, const FormulationOptions& options)
    : IndependentExtendedMotion(system, options),
      momentum_rate_(system),
      inertia_(options.typical_inertia),
      no_velocities_(Vector::Zero(velocities_)),
      no_states_(Vector::Zero(states_)),
      right_(system.row_count()),
      particular_(velocities_),
      momenta_(velocities_),
      sigma_(system.row_count()),
      Q_(velocities_) {}

bool CanonicalIndependentMotion::evaluate_matrices(double t, ConstVector q) {
  // Rows are linear in v: their Jacobian and Phi_t do not depend on it.
  system_.evaluate(t, q, no_velocities_, no_states_, Upto::velocities, eq_);
  system_.coordinates().mass(eq_.M.valuePtr());
  if (partition_.factorize(eq_)) return true;
  failure_ = "the independent coordinates no longer determine the others";
  return false;
}

void CanonicalIndependentMotion::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  const int F = freedoms();
  IndependentExtendedMotion::pack(t, q, v, x);
  no_freedoms_.setZero(F);
  zdot_.resize(F);
  MR_.resize(velocities_, F);
  reduced_.resize(F, F);
  if (F > 0) reduced_factor_.compute(Matrix::Identity(F, F));  // allocates now what later evaluations use
  evaluate_matrices(t, q);
  momenta_.noalias() = eq_.M * v;
  x.segment(positions_, F).noalias() = partition_.R().transpose() * momenta_;
}

Status CanonicalIndependentMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  q = x.head(positions_);
  if (!evaluate_matrices(t, q)) return Status::failed;
  right_ = -eq_.Phi_t;
  partition_.solve(right_, no_freedoms_, particular_);
  momenta_.noalias() = eq_.M * particular_;
  zdot_ = x.segment(positions_, freedoms());
  zdot_.noalias() -= partition_.R().transpose() * momenta_;
  MR_.noalias() = eq_.M * partition_.R();
  reduced_.noalias() = partition_.R().transpose() * MR_;
  if (freedoms() > 0) {
    reduced_factor_.compute(reduced_);
    if (reduced_factor_.info() != Eigen::Success) {
      failure_ = "the reduced mass matrix is singular: a motion has no inertia";
      return Status::failed;
    }
    reduced_factor_.solveInPlace(zdot_);
  }
  v = particular_;
  v.noalias() += partition_.R() * zdot_;
  return v.allFinite() ? Status::ok : Status::failed;
}

Status CanonicalIndependentMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const int F = freedoms();
  const auto states = x.segment(positions_ + F, states_);
  if (unpack(t, x, q_, v_) != Status::ok) return Status::failed;
  // S^T M v, but for a part without effect: R^T P'^T does not see combinations of rows that vanish along the motion.
  momenta_.noalias() = eq_.M * v_;
  partition_.multipliers(momenta_, sigma_);
  sigma_ = -sigma_;
  // The displaced evaluations first: the system is to remember the state itself.
  const Vector& rate = momentum_rate_.at(t, q_, v_, sigma_);
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  const Status status = find_accelerations(states);  // for friction, work and outputs
  if (status != Status::ok) return status;
  system_.add_friction(lambda_, states, eq_, Q_);
  Q_ += rate;

  xdot.head(positions_) = v_;
  xdot.segment(positions_, F).noalias() = partition_.R().transpose() * Q_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(positions_ + F, states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

void CanonicalIndependentMotion::show(Exhibit& exhibit) {
  const char* source = "Jalon-Bayo (5.111)-(5.112), Algorithm 5-7";
  exhibit.add("y", "R^T M v: momenta of the independent velocities", source, partition_.R().transpose() * momenta_,
              Axis::freedoms);
  exhibit.add("sigma", "-S^T M v", source, sigma_, Axis::rows);
  exhibit.add("z'", "(R^T M R) z' = y - R^T M S b,  b = -Phi_t", source, zdot_, Axis::freedoms);
  IndependentExtendedMotion::show(exhibit);
}

void CanonicalIndependentMotion::error_scales(VectorRef scales) const {
  IndependentExtendedMotion::error_scales(scales);
  for (int k = 0; k < freedoms(); ++k) {
    // Combinations are velocities times the root of an inertia, and so are their momenta.
    const bool combined = partition_.coordinates().empty();
    scales[positions_ + k] *= combined ? std::sqrt(inertia_.minCoeff()) : inertia_[partition_.coordinates()[k]];
  }
}

std::unique_ptr<MechanismMotion> motions::independent_momenta(MotionSetting setting) {
  require_linear_rows(setting.system, setting.q, setting.v, setting.formulation.name);
  return create_partitioned<CanonicalIndependentMotion>(setting);
}

}  // namespace bricard
