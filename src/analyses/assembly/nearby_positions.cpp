#include "analyses/assembly/nearby_positions.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analyses/assembly/least_norm_newton.h"
#include "linear/dense/dense.h"

namespace bricard {

void NearbyPositions::evaluate(ConstVector q) {
  scaled_.evaluate(t_, q, v_);
  if (decomposed_at_ == t_ && decomposed_.size() == q.size() && decomposed_ == q) return;
  decomposed_ = q;
  decomposed_at_ = t_;
  svd_.compute(Matrix(scaled_.P()));
}

bool NearbyPositions::step_aside(ConstVector q, double size, unsigned seed, Vector& aside) {
  const int n = static_cast<int>(v_.size());
  if (free_from_.size() != q.size() || free_from_ != q) {
    evaluate(q);
    free_ = svd_.Vt().bottomRows(n - rank(1e-8)).transpose().rowwise().reverse();
    free_from_ = q;
  }
  const int freedoms = static_cast<int>(free_.cols());
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Vector step = Vector::Zero(n);
  for (int k = 0; k < freedoms; ++k) step += number(random) * free_.col(k);
  scaled_.evaluate(t_, q, v_);
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
  // Back onto the constraints by orthogonal decompositions: singular values are wanted of the place alone.
  constexpr double tolerance = 1e-12;
  Vector step;
  const double error = least_norm_newton(
      aside, {.tolerance = tolerance, .iterations = 20},
      [&](const Vector& place) {
        scaled_.evaluate(t_, place, v_);
        return scaled_.errors().norm();
      },
      [&] {
        step = scaled_.displacement(least_norm_solution(Matrix(scaled_.P()), -scaled_.errors(), 1e-6));
        return size_of(step);
      },
      [&](Vector& place, double factor) { system_.coordinates().advance(place, factor * step); });
  if (!(error <= tolerance)) return false;
  evaluate(aside);
  return true;
}

}  // namespace bricard
