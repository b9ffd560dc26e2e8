#include "dynamics/whole_projection.h"

#include <cmath>

#include "dynamics/constraint_newton.h"
#include "linear/proximal_settings.h"
#include "system/typical_inertia.h"

namespace bricard {

WholeProjection::WholeProjection(System& system)
    : system_(system),
      eq_(system.empty_equations()),
      solver_(eq_.M, eq_.P),
      shift_(metric_part * typical_inertia(system)),
      zero_(Vector::Zero(eq_.velocities())),
      no_states_(Vector::Zero(system.state_size())),
      step_(eq_.velocities()),
      multiplier_(eq_.rows()),
      right_(eq_.rows()),
      tolerance_(constraint_tolerance(system.model())) {
  for (int row = 0; row < eq_.rows(); ++row) {
    if (system.rows()[row].velocity_level) velocity_rows_.push_back(row);
  }
  if (!velocity_rows_.empty()) P_of_positions_ = eq_.P;
}

StepChange WholeProjection::project(double t, VectorRef q, VectorRef v) {
  if (eq_.rows() == 0) return StepChange::none;
  failure_.clear();
  system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
  const double position_error = eq_.Phi.norm(), velocity_error = eq_.Phi_dot.norm();
  const double velocity_tolerance = tolerance_ * std::max(1.0, v.lpNorm<Eigen::Infinity>());
  if (position_error <= tolerance_ && velocity_error <= velocity_tolerance) return StepChange::none;

  if (!find_scale()) return StepChange::none;  // no displacement changes rows that say nothing
  bool is_factorized = false;
  const auto positions_onto = [&](const auto& rows) {
    return project_positions(
        tolerance_, is_factorized, [&] { return eq_.Phi.norm(); }, [&] { return factorize(rows()); },
        [&] {
          find_step(eq_.Phi);
          system_.coordinates().advance(q, step_);
          system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
        },
        failure_);
  };
  bool has_factors = position_error > tolerance_;  // of all rows, after this
  const bool found = positions_onto([&]() -> const SparseRows& { return eq_.P; });
  if (!velocity_rows_.empty() && eq_.Phi.norm() > 1e3 * tolerance_) {
    has_factors = false;
    failure_.clear();
    if (!positions_onto([&]() -> const SparseRows& { return rows_of_positions(); })) return StepChange::failed;
  } else if (!found) {
    return StepChange::failed;
  }
  if (!has_factors && !factorize(eq_.P)) return StepChange::failed;
  const bool settled = project_velocities(
      eq_.Phi_dot.norm(), velocity_tolerance, true,
      [&] {
        find_step(eq_.Phi_dot);
        v += step_;
      },
      [&] {
        system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
        return eq_.Phi_dot.norm();
      });
  if (settled && q.allFinite() && v.allFinite()) return StepChange::corrected;
  failure_ = "the projection onto the constraints is not finite";
  return StepChange::failed;
}

bool WholeProjection::factorize(const SparseRows& P) {
  if (solver_.factorize(eq_.M, P, shift_, mu_)) return true;
  failure_ = "the projection onto the constraints has a singular matrix";
  return false;
}

// Displacements obey rows of velocities as far as they can. Where rows of positions depend on these they cannot.
const SparseRows& WholeProjection::rows_of_positions() {
  std::copy_n(eq_.P.valuePtr(), eq_.P.nonZeros(), P_of_positions_.valuePtr());
  for (const int row : velocity_rows_) {
    const int* const start = P_of_positions_.outerIndexPtr() + row;
    std::fill(P_of_positions_.valuePtr() + start[0], P_of_positions_.valuePtr() + start[1], 0.0);
  }
  return P_of_positions_;
}

bool WholeProjection::find_scale() {
  double typical = 0;
  for (int row = 0; row < eq_.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry) {
      typical = std::max(typical,
                         entry.value() * entry.value() / (eq_.M.coeff(entry.col(), entry.col()) + shift_[entry.col()]));
    }
  }
  mu_ = proximal::projection.mu * typical;
  return typical > 0;
}

void WholeProjection::find_step(const Vector& residual) {
  multiplier_.setZero();
  for (int k = 0; k < proximal::projection.passes; ++k) {
    right_ = -residual - mu_ * multiplier_;
    if (!solver_.solve(zero_, right_, step_, multiplier_)) step_.setConstant(NAN);
  }
}

}  // namespace bricard
