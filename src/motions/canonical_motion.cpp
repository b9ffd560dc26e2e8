#include "motions/canonical_motion.h"

#include "formulations/exhibit.h"
#include "motions/work_scale.h"

namespace bricard {

CanonicalMotion::CanonicalMotion(System& system, const FormulationOptions& options, std::unique_ptr<Formulation> solver,
                                 std::unique_ptr<Stabilization> stabilization, int integrals)
    : MatrixMotion(system),
      whole_(system, std::move(solver)),
      sigma_(Vector::Zero(system.row_count())),
      stabilization_(std::move(stabilization)),
      momentum_rate_(system),
      integrals_(integrals),
      solved_x_(positions_ + velocities_ + integrals),
      solved_v_(velocities_),
      inertia_(options.typical_inertia),
      scratch_(velocities_),
      right_(system.row_count()),
      Q_(velocities_),
      momenta_(velocities_) {}

Status CanonicalMotion::solve(double t, ConstVector x, ConstVector q, VectorRef v) {
  system_.evaluate_matrices(t, q, eq_);
  const int size = positions_ + velocities_ + integrals_;
  if (is_solved_ && t == solved_t_ && x.head(size) == solved_x_) {
    v = solved_v_;
    return Status::ok;
  }
  is_solved_ = false;
  const Status status =
      find_velocities(x.segment(positions_, velocities_), x.segment(positions_ + velocities_, integrals_), v);
  if (status != Status::ok) return status;
  solved_t_ = t;
  solved_x_ = x.head(size);
  solved_v_ = v;
  is_solved_ = true;
  return status;
}

Status CanonicalMotion::factorize() {
  const Status status = solver().factorize(eq_);
  if (status != Status::ok) failure_ = solver().failure();
  return status;
}

Status CanonicalMotion::find_velocities(ConstVector p, ConstVector, VectorRef v) {
  Status status = factorize();
  if (status != Status::ok) return status;
  right_ = -eq_.Phi_t;
  status = solver().solve(p, right_, v, sigma_);
  if (status != Status::ok) failure_ = solver().failure();
  return status;
}

Status CanonicalMotion::find_accelerations(const Vector& Q) {
  const Status status = solver().solve(Q, eq_.gamma, vdot_, lambda_);
  if (status != Status::ok) failure_ = solver().failure();
  return status;
}

void CanonicalMotion::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  x.setZero();
  sigma_.setZero();
  replace(t, q, v, x);
}

void CanonicalMotion::replace(double t, ConstVector q, ConstVector v, VectorRef x) {
  is_solved_ = false;
  system_.evaluate_matrices(t, q, eq_);
  momenta_.noalias() = eq_.M * v;
  momenta_.noalias() += eq_.P.transpose() * sigma_;
  x.head(positions_) = q;
  x.segment(positions_, velocities_) = momenta_;
}

Status CanonicalMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  q = x.head(positions_);
  return solve(t, x, q, v);
}

Status CanonicalMotion::derivative(double t, ConstVector x, VectorRef xdot) { return evaluate(t, x, xdot, false); }

Status CanonicalMotion::observe(double t, ConstVector x, VectorRef xdot) { return evaluate(t, x, xdot, true); }

Status CanonicalMotion::evaluate(double t, ConstVector x, VectorRef xdot, bool observed) {
  const auto states = x.segment(size() - 1 - states_, states_);
  q_ = x.head(positions_);
  Status status = solve(t, x, q_, v_);
  if (status != Status::ok) return status;
  system_.evaluate_applied_forces(q_, v_, states, eq_);
  if (!forces_are_finite()) return Status::failed;
  system_.coordinates().position_rate(q_, v_, xdot.head(positions_));
  auto pdot = xdot.segment(positions_, velocities_);
  pdot = eq_.Q;
  momentum_rate_.add(t, q_, v_, sigma_, pdot);
  eq_.Phi_dot.noalias() = eq_.P * v_;
  eq_.Phi_dot += eq_.Phi_t;
  add_feedback(pdot);
  integral_rates(xdot.segment(positions_ + velocities_, integrals_));
  // The multipliers of the accelerations have a part in p' through friction, in the work through drives.
  if (observed || system_.friction_depends_on_load() || !eq_.Phi_t.isZero(0)) {
    system_.complete(q_, v_, eq_);
    status = prepare_accelerations();
    if (status == Status::ok)
      status = settle_friction(states, [this](const Vector& Q) { return find_accelerations(Q); });
    if (status != Status::ok) return status;
    system_.add_friction(lambda_, states, eq_, Q_);
    if (system_.friction_depends_on_load()) pdot += Q_ - eq_.Q;
  }
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(size() - 1 - states_, states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

StepChange CanonicalMotion::after_step(double t, VectorRef x) {
  const StepChange change = correct(t, x);
  if (change == StepChange::failed) return change;
  return accept(t, x) ? change : StepChange::failed;
}

StepChange CanonicalMotion::correct(double t, VectorRef x) {
  if (!stabilization_->corrects()) return StepChange::none;
  if (unpack(t, x, q_, v_) != Status::ok) return StepChange::failed;
  const StepChange change = stabilization_->correct(whole_, t, q_, v_);
  is_solved_ = is_solved_ && change == StepChange::none;
  if (change == StepChange::failed) failure_ = stabilization_->failure();
  if (change == StepChange::failed || change == StepChange::none) return change;
  replace(t, q_, v_, x);
  x.segment(positions_ + velocities_, integrals_).setZero();
  return change;
}

bool CanonicalMotion::renew(double t, VectorRef x) {
  constexpr double largest_part = 30;
  if (unpack(t, x, q_, v_) != Status::ok) return false;
  momenta_.noalias() = eq_.M * v_;
  scale_momenta(scratch_);
  const auto p = x.segment(positions_, velocities_);
  const bool large = ((p - momenta_).array().abs() > largest_part * (scratch_ + momenta_.cwiseAbs()).array()).any();
  if (!system_.coordinates().rebase(q_, v_) && !large) return false;
  sigma_.setZero();
  replace(t, q_, v_, x);
  return true;
}

void CanonicalMotion::show(Exhibit& exhibit) {
  const char* source = "Jalon-Bayo (5.100)-(5.103)";
  exhibit.add("p", "M v + P^T sigma: canonical momenta", source, eq_.M * v_ + eq_.P.transpose() * sigma_,
              Axis::velocities);
  exhibit.add("sigma", "its multipliers; lambda = sigma'", source, sigma_, Axis::rows);
  solver().show(exhibit);
}

std::string CanonicalMotion::report() const {
  const std::string of_solver = whole_.report(), of_stabilization = stabilization_->report();
  return of_solver + (of_solver.empty() || of_stabilization.empty() ? "" : "; ") + of_stabilization;
}

void CanonicalMotion::scale_momenta(VectorRef scales) const {
  scale_velocities(scales);
  scales.array() *= inertia_.array();
}

void CanonicalMotion::error_scales(VectorRef scales) const {
  // Integrals of constraint errors are small against the size of the model, and uncritical.
  scales.setConstant(system_.model().characteristic_length());
  scale_positions(scales.head(positions_));
  scale_momenta(scales.segment(positions_, velocities_));
  scales.segment(size() - 1 - states_, states_).setOnes();
  scales[size() - 1] = work_scale(system_.model());
}

}  // namespace bricard
