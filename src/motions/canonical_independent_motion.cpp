#include "motions/canonical_independent_motion.h"

#include <cmath>

#include "formulations/exhibit.h"

namespace bricard {

template <class Base>
IndependentMomenta<Base>::IndependentMomenta(System& system, const FormulationOptions& options)
    : Base(system, options),
      momentum_rate_(system),
      inertia_(options.typical_inertia),
      right_(system.row_count()),
      particular_(this->velocities_),
      momenta_(this->velocities_),
      sigma_(system.row_count()),
      Q_(this->velocities_),
      rate_(this->velocities_) {}

template <class Base>
bool IndependentMomenta<Base>::evaluate_matrices(double t, ConstVector q) {
  this->system_.evaluate_matrices(t, q, this->eq_);
  if (this->partition_.factorize(this->eq_)) return true;
  this->failure_ = "the independent coordinates no longer determine the others";
  return false;
}

template <class Base>
void IndependentMomenta<Base>::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  const int F = this->freedoms();
  Base::pack(t, q, v, x);
  no_freedoms_.setZero(F);
  zdot_.resize(F);
  MR_.resize(this->velocities_, F);
  reduced_.resize(F, F);
  if (F > 0) reduced_factor_.compute(Matrix::Identity(F, F));  // allocates now what later evaluations use
  evaluate_matrices(t, q);
  momenta_.noalias() = this->eq_.M * v;
  x.segment(first(), F).noalias() = this->partition_.R().transpose() * momenta_;
}

template <class Base>
Status IndependentMomenta<Base>::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  if constexpr (has_all_positions) {
    q = x.head(this->positions_);
    if (!evaluate_matrices(t, q)) return Status::failed;
  } else {
    if (Base::unpack(t, x, q, v) != Status::ok) return Status::failed;
    this->system_.coordinates().mass(this->eq_.M.valuePtr());
  }
  const int F = this->freedoms();
  right_ = -this->eq_.Phi_t;
  this->partition_.solve(right_, no_freedoms_, particular_);
  momenta_.noalias() = this->eq_.M * particular_;
  zdot_ = x.segment(first(), F);
  zdot_.noalias() -= this->partition_.R().transpose() * momenta_;
  MR_.noalias() = this->eq_.M * this->partition_.R();
  reduced_.noalias() = this->partition_.R().transpose() * MR_;
  if (F > 0) {
    reduced_factor_.compute(reduced_);
    if (reduced_factor_.info() != Eigen::Success) {
      this->failure_ = "the reduced mass matrix is singular: a motion has no inertia";
      return Status::failed;
    }
    reduced_factor_.solveInPlace(zdot_);
  }
  v = particular_;
  v.noalias() += this->partition_.R() * zdot_;
  return v.allFinite() ? Status::ok : Status::failed;
}

template <class Base>
Status IndependentMomenta<Base>::evaluate(double t, ConstVector x, VectorRef xdot, bool observed) {
  System& system = this->system_;
  Equations& eq = this->eq_;
  Vector &q = this->q_, &v = this->v_, &lambda = this->lambda_;
  const int F = this->freedoms();
  const auto states = this->friction_states(x);
  if (unpack(t, x, q, v) != Status::ok) return Status::failed;
  // S^T M v, but for a part without effect: R^T P'^T does not see combinations of rows that vanish along the motion.
  momenta_.noalias() = eq.M * v;
  this->partition_.multipliers(momenta_, sigma_);
  sigma_ = -sigma_;
  system.evaluate_applied_forces(q, v, states, eq);
  if (!this->forces_are_finite()) return Status::failed;
  rate_ = eq.Q;
  momentum_rate_.add(t, q, v, sigma_, rate_);
  // The multipliers of the accelerations have a part in y' through friction, in the work through drives.
  if (observed || system.friction_depends_on_load() || !eq.Phi_t.isZero(0)) {
    system.complete(q, v, eq);
    const Status status = this->find_accelerations(states);
    if (status != Status::ok) return status;
    system.add_friction(lambda, states, eq, Q_);
    if (system.friction_depends_on_load()) rate_ += Q_ - eq.Q;
  }
  if constexpr (has_all_positions)
    system.coordinates().position_rate(q, v, xdot.head(this->positions_));
  else
    xdot.head(F) = zdot_;
  xdot.segment(first(), F).noalias() = this->partition_.R().transpose() * rate_;
  if (this->states_ > 0) system.state_rates(lambda, states, xdot.segment(first() + F, this->states_));
  xdot[this->size() - 1] = system.nonconservative_power(eq, lambda);
  return Status::ok;
}

// The rates of z are not in the state.
template <class Base>
void IndependentMomenta<Base>::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  // Not the one between, which knows its own state. NOLINTNEXTLINE(bugprone-parent-virtual-call)
  MotionEquations::interpolate(points, t, x);
}

template <class Base>
void IndependentMomenta<Base>::show(Exhibit& exhibit) {
  const char* source = "Jalon-Bayo (5.111)-(5.112), Algorithm 5-7";
  exhibit.add("y", "R^T M v: momenta of the independent velocities", source,
              this->partition_.R().transpose() * momenta_, Axis::freedoms);
  exhibit.add("sigma", "-S^T M v", source, sigma_, Axis::rows);
  exhibit.add("z'", "(R^T M R) z' = y - R^T M S b,  b = -Phi_t", source, zdot_, Axis::freedoms);
  exhibit.add("y'", "R^T (Q + M' v + P'^T sigma)", source, this->partition_.R().transpose() * rate_, Axis::freedoms);
  Base::show(exhibit);
}

template <class Base>
void IndependentMomenta<Base>::error_scales(VectorRef scales) const {
  Base::error_scales(scales);
  const std::vector<int>& coordinates = this->partition_.coordinates();
  for (int k = 0; k < this->freedoms(); ++k) {
    // Combinations are velocities times the root of an inertia, and so are their momenta.
    scales[first() + k] *= coordinates.empty() ? std::sqrt(inertia_.minCoeff()) : inertia_[coordinates[k]];
  }
}

template class IndependentMomenta<IndependentExtendedMotion>;
template class IndependentMomenta<IndependentMotion>;

std::unique_ptr<MechanismMotion> motions::independent_momenta(MotionSetting setting) {
  require_linear_rows(setting.system, setting.q, setting.v, setting.formulation.name);
  return create_partitioned<CanonicalIndependentMotion>(setting);
}

std::unique_ptr<MechanismMotion> motions::reduced_momenta(MotionSetting setting) {
  require_linear_rows(setting.system, setting.q, setting.v, setting.formulation.name);
  return create_partitioned<CanonicalReducedMotion>(setting);
}

}  // namespace bricard
