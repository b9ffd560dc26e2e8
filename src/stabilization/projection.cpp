// `projection`: after each step q and v move to the nearest state on the constraints, nearest in the metric of M:
//   [M P^T; P 0] [dq; y] = [0; -Phi],  then  [M P^T; P 0] [dv; y] = [0; -Phi_dot]    [Bayo-Ledesma 1996; Eich 1993;
//   Blajer 2002]
// Redundant rows and singular positions: -mu I in the lower block with proximal refinement. Directions of P whose
// squared singular value (in this metric) is below mu are left alone, so that a nearly singular position causes no
// jump.
#include <cmath>

#include "linear/kkt_solver.h"
#include "stabilization/stabilization.h"
#include "system/typical_inertia.h"

namespace bricard::stabilizations {
namespace {

/// With the matrices of the system.
class WholeProjection {
 public:
  explicit WholeProjection(System& system)
      : system_(system),
        eq_(system.empty_equations()),
        solver_(eq_.M, eq_.P),
        shift_(metric_part * typical_inertia(system)),
        zero_(Vector::Zero(eq_.velocities())),
        no_states_(Vector::Zero(system.state_size())),
        step_(eq_.velocities()),
        multiplier_(eq_.rows()),
        right_(eq_.rows()) {
    // Rows are lengths, angles, or rates of either: both are judged against lengths of the model's size.
    tolerance_ = 1e-13 * std::max(1.0, system.model().characteristic_length());
  }

  StepChange correct(double t, VectorRef q, VectorRef v) {
    if (eq_.rows() == 0) return StepChange::none;
    failure_.clear();
    system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
    double position_error = eq_.Phi.norm();
    double velocity_error = eq_.Phi_dot.norm();
    const double velocity_tolerance = tolerance_ * std::max(1.0, v.lpNorm<Eigen::Infinity>());
    if (position_error <= tolerance_ && velocity_error <= velocity_tolerance) return StepChange::none;

    if (!find_scale()) return StepChange::none;  // no displacement changes rows that say nothing
    if (!solver_.factorize(eq_.M, eq_.P, shift_, mu_)) {
      failure_ = "the projection onto the constraints has a singular matrix";
      return StepChange::failed;
    }
    // One factorisation serves all iterations (simplified Newton): the state is near the constraints to begin with.
    for (int iteration = 0; iteration < 20 && position_error > tolerance_; ++iteration) {
      if (!solve(eq_.Phi)) return StepChange::failed;
      system_.coordinates().advance(q, step_);
      system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
      const double error = eq_.Phi.norm();
      if (!std::isfinite(error) || error > 1e3 * position_error) {
        failure_ = "the projection onto the constraints diverged";
        return StepChange::failed;
      }
      const bool stalled = error > 0.5 * position_error;
      position_error = error;
      if (stalled) break;
    }
    velocity_error = eq_.Phi_dot.norm();
    for (int iteration = 0; iteration < 20 && velocity_error > velocity_tolerance; ++iteration) {
      if (!solve(eq_.Phi_dot)) return StepChange::failed;
      v += step_;
      system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
      const double error = eq_.Phi_dot.norm();
      const bool stalled = error > 0.5 * velocity_error;
      velocity_error = error;
      if (stalled) break;
    }
    if (!q.allFinite() || !v.allFinite() || position_error > 1e9 * tolerance_) {
      failure_ = "the projection onto the constraints does not converge: the state is too far from them";
      return StepChange::failed;
    }
    return StepChange::corrected;
  }

  const std::string& failure() const { return failure_; }

 private:
  /// mu relative to the typical size of P (M + D)^-1 P^T; false if that is zero.
  bool find_scale() {
    double typical = 0;
    for (int row = 0; row < eq_.P.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry) {
        typical = std::max(
            typical, entry.value() * entry.value() / (eq_.M.coeff(entry.col(), entry.col()) + shift_[entry.col()]));
      }
    }
    mu_ = 1e-9 * typical;
    return typical > 0;
  }

  // step = -(metric-weighted minimum-norm solution) for the residual, by proximal refinement.
  bool solve(const Vector& residual) {
    multiplier_.setZero();
    for (int k = 0; k < 3; ++k) {
      right_ = -residual - mu_ * multiplier_;
      if (!solver_.solve(zero_, right_, step_, multiplier_)) {
        failure_ = "the projection onto the constraints is not finite";
        return false;
      }
    }
    return true;
  }

  System& system_;
  Equations eq_;
  KktSolver solver_;
  Vector shift_, zero_, no_states_, step_, multiplier_, right_;
  double tolerance_ = 0, mu_ = 0;
  std::string failure_;
};

class Projection : public Stabilization {
 public:
  explicit Projection(System& system) : system_(system) {}

  bool corrects() const override { return true; }
  StepChange correct(double t, VectorRef q, VectorRef v) override {
    if (!whole_) whole_ = std::make_unique<WholeProjection>(system_);
    return whole_->correct(t, q, v);
  }
  std::string failure() const override { return whole_ ? whole_->failure() : std::string(); }

 private:
  System& system_;
  std::unique_ptr<WholeProjection> whole_;  // since it was needed first: other engines project without
};

}  // namespace

StabilizationType projection() {
  return {.name = "projection",
          .description = "mass-orthogonal projection of positions and velocities after each step",
          .source = "Bayo, Ledesma 1996; Eich 1993; Blajer 2002",
          .feedback = false,
          .corrections = true,
          .create = [](System& system, const StabilizationOptions&) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Projection>(system);
          }};
}

}  // namespace bricard::stabilizations
