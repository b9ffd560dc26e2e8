// Friction that depends on the joints' loads makes Q depend on lambda:
//   M v' + P^T lambda = Q + F(lambda),   P v' = gamma.
// A fixed point over the same factors; where that does not converge the loads are found directly, in which F is linear
// (dynamics/friction_loads.h), and a joint that is self-locking is named. With redundant rows loads mean multipliers of
// least norm.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dynamics/friction_loads.h"
#include "system/status.h"
#include "system/system.h"

namespace bricard {

class FrictionSolver {
 public:
  explicit FrictionSolver(System& system);

  bool is_needed() const { return system_.friction_depends_on_load(); }
  /// `solve(Q)` finds accelerations, and multipliers in `lambda`, for forces Q in place of those of the equations;
  /// repeated until friction and loads agree.
  template <class Solve>
  Status settle(const Equations& eq, ConstVector states, const Vector& lambda, const Solve& solve) {
    failure_.clear();
    Status status = solve(eq.Q);
    if (status != Status::ok || !is_needed()) return status;
    for (int iteration = 0; !finds_loads_directly_ && iteration < most_iterations; ++iteration) {
      previous_lambda_ = lambda;
      system_.add_friction(lambda, states, eq, Q_);
      status = solve(Q_);
      if (status != Status::ok) break;
      if (has_settled(lambda, 1e-13)) return Status::ok;
    }
    if (!finds_loads_directly_ && status == Status::ok && has_settled(lambda, 1e-9))
      return Status::ok;  // as far as rounding lets it
    finds_loads_directly_ = true;
    return solve_with_loads(eq, states, lambda, solve);
  }
  /// Forces with friction, as settled.
  const Vector& Q() const { return Q_; }
  /// Why the last settle() failed, if it was for a self-locking joint.
  const std::string& failure() const { return failure_; }

 private:
  static constexpr int most_iterations = 40;
  bool has_settled(const Vector& lambda, double tolerance) const;

  template <class Solve>
  Status solve_with_loads(const Equations& eq, ConstVector states, const Vector& lambda, const Solve& solve) {
    loads_.setZero();
    system_.add_friction_of_loads(loads_, states, eq, Q_);
    if (solve(Q_) != Status::ok) return Status::failed;
    find_reactions(lambda, friction_loads_.free());
    const double unit = std::max(friction_loads_.free().lpNorm<Eigen::Infinity>(), 1e-12);
    for (int k = 0; k < friction_loads_.size(); ++k) {
      loads_.setZero();
      loads_[loaded_joints_[k]] = unit;
      system_.add_friction_of_loads(loads_, states, eq, Q_);
      if (solve(Q_) != Status::ok) return Status::failed;
      find_reactions(lambda, friction_loads_.per_load().col(k));
      friction_loads_.per_load().col(k) = (friction_loads_.per_load().col(k) - friction_loads_.free()) / unit;
    }
    const bool found = friction_loads_.solve();
    loads_.setZero();
    for (int k = 0; k < friction_loads_.size(); ++k) loads_[loaded_joints_[k]] = friction_loads_.loads()[k];
    if (!found) return is_self_locking(loaded_joints_[friction_loads_.jammed()]);
    system_.add_friction_of_loads(loads_, states, eq, Q_);
    return solve(Q_);
  }
  /// Reaction forces of the joints whose friction depends on them.
  void find_reactions(const Vector& lambda, VectorRef forces) const;
  Status is_self_locking(int joint);

  System& system_;
  std::vector<int> loaded_joints_;
  FrictionLoads friction_loads_;
  Vector previous_lambda_, Q_, loads_;
  bool finds_loads_directly_ = false;
  std::string failure_;
};

}  // namespace bricard
