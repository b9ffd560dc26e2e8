#include "dynamics/friction_solver.h"

namespace bricard {

FrictionSolver::FrictionSolver(System& system)
    : system_(system),
      loaded_joints_(system.friction().loaded_joints()),
      friction_loads_(static_cast<int>(loaded_joints_.size())) {
  if (!is_needed()) return;
  previous_lambda_.resize(system.row_count());
  Q_.resize(system.velocity_size());
  loads_ = Vector::Zero(static_cast<int>(system.model().joints.size()));
}

bool FrictionSolver::has_settled(const Vector& lambda, double tolerance) const {
  return lambda.allFinite() &&
         (lambda - previous_lambda_).lpNorm<Eigen::Infinity>() <= tolerance * lambda.lpNorm<Eigen::Infinity>();
}

void FrictionSolver::find_reactions(const Vector& lambda, VectorRef forces) const {
  for (std::size_t k = 0; k < loaded_joints_.size(); ++k)
    forces.segment<3>(static_cast<int>(3 * k)) = system_.reaction(loaded_joints_[k], lambda).force;
}

Status FrictionSolver::is_self_locking(int joint) {
  failure_ = "the friction of joint " + system_.model().joints[joint].name +
             " is so large that the joint is self-locking: it raises the load that causes it without limit";
  return Status::failed;
}

}  // namespace bricard
