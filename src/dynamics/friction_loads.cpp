#include "dynamics/friction_loads.h"

#include <algorithm>
#include <limits>

namespace bricard {

FrictionLoads::FrictionLoads(int joints)
    : free_(3 * joints),
      n_(joints),
      next_(joints),
      change_(joints),
      R_(3 * joints),
      per_load_(3 * joints, joints),
      jacobian_(joints, joints),
      factor_(joints) {}

bool FrictionLoads::newton(double s, Vector& n) {
  const int joints = size();
  // Loads of this size are what rounding makes of zero.
  const double smallest = 1e-300 + std::numeric_limits<double>::epsilon() * free_.lpNorm<Eigen::Infinity>();
  for (int iteration = 0; iteration < 12; ++iteration) {
    R_ = free_;
    R_.noalias() += s * (per_load_ * n);
    jacobian_.setIdentity();
    for (int j = 0; j < joints; ++j) {
      const double size = R_.segment<3>(3 * j).norm();
      change_[j] = size - n[j];
      if (size > smallest)
        jacobian_.row(j).noalias() -= s / size * (R_.segment<3>(3 * j).transpose() * per_load_.middleRows<3>(3 * j));
    }
    const double error = change_.lpNorm<Eigen::Infinity>();
    factor_.compute(jacobian_);
    if (!(factor_.determinant() > 0)) return false;
    if (error <= 1e-14 * n.lpNorm<Eigen::Infinity>() + smallest) return n.minCoeff() >= -smallest;
    n += factor_.solve(change_);
    if (!n.allFinite()) return false;
  }
  return change_.lpNorm<Eigen::Infinity>() <= 1e-11 * n.lpNorm<Eigen::Infinity>() && n.minCoeff() >= -smallest;
}

bool FrictionLoads::solve() {
  for (int j = 0; j < size(); ++j) n_[j] = free_.segment<3>(3 * j).norm();
  const double scale = std::max(n_.lpNorm<Eigen::Infinity>(), std::numeric_limits<double>::min());
  double s = 0, step = 0.25;
  while (s < 1) {
    next_ = n_;
    const double target = std::min(1.0, s + step);
    if (newton(target, next_)) {
      s = target;
      step *= 2;
      n_ = next_;
    } else {
      step /= 2;
    }
    if (step < 1e-4 || !(n_.lpNorm<Eigen::Infinity>() < 1e6 * scale)) {
      n_.maxCoeff(&jammed_);
      return false;
    }
  }
  return true;
}

}  // namespace bricard
