#include "analyses/nearby_positions.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "linear/subspaces.h"

namespace bricard {

void NearbyPositions::evaluate(ConstVector q) {
  scaled_.evaluate(t_, q, v_);
  decompose(Matrix(scaled_.P()), Eigen::ComputeThinU | Eigen::ComputeFullV, svd_);
}

int NearbyPositions::rank(double threshold) {
  svd_.setThreshold(threshold);
  return static_cast<int>(svd_.rank());
}

bool NearbyPositions::step_aside(ConstVector q, double size, unsigned seed, Vector& aside) {
  evaluate(q);
  const int n = static_cast<int>(v_.size()), freedoms = n - rank(1e-8);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Vector step = Vector::Zero(n);
  for (int k = 0; k < freedoms; ++k) step += number(random) * svd_.matrixV().col(n - 1 - k);
  return step_along(q, scaled_.displacement(step), size, aside);
}

double NearbyPositions::size_of(ConstVector displacement) const {
  const double length = system_.model().characteristic_length();
  double longest = 1e-300;
  for (int k = 0; k < displacement.size(); ++k)
    longest = std::max(longest, std::abs(displacement[k]) / (system_.coordinates().is_rotation(k) ? 1 : length));
  return longest;
}

bool NearbyPositions::step_along(ConstVector q, ConstVector velocities, double size, Vector& aside) {
  aside = q;
  system_.coordinates().advance(aside, size / size_of(velocities) * velocities);
  for (int iteration = 0; iteration < 20; ++iteration) {
    evaluate(aside);
    const Vector errors = scaled_.errors();
    if (errors.norm() < 1e-12) return true;
    svd_.setThreshold(1e-6);
    system_.coordinates().advance(aside, scaled_.displacement(svd_.solve(-errors)));
  }
  return false;
}

}  // namespace bricard
