#include "analyses/assembly/scaled_constraints.h"

#include <random>

#include "system/typical_inertia.h"

namespace bricard {

ScaledConstraints::ScaledConstraints(System& system, ConstVector q, ConstVector v)
    : system_(system),
      eq_(system.empty_equations()),
      root_inertia_(typical_inertia(system).cwiseSqrt()),
      row_length_(Vector::Ones(system.row_count())),
      no_states_(Vector::Zero(system.state_size())) {
  if (eq_.rows() == 0) return;
  evaluate(0, q, v);
  Vector longest = row_lengths();
  const double length = system.model().characteristic_length();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  Vector elsewhere(q.size()), step(v.size());
  System other(system.shared_model(), system.coordinates_type());  // far positions would upset the count of turns
  for (int sample = 0; sample < 4; ++sample) {
    for (int k = 0; k < step.size(); ++k) step[k] = number(random) * (system.coordinates().is_rotation(k) ? 1 : length);
    elsewhere = q;
    system.coordinates().advance(elsewhere, step);
    other.evaluate(0, elsewhere, v, no_states_, Upto::velocities, eq_);
    scale();
    if (eq_.P.coeffs().isFinite().all()) longest = longest.cwiseMax(row_lengths());
  }
  row_length_ = (longest.array() > 0).select(longest, 1);
}

Vector ScaledConstraints::row_lengths() const {
  Vector lengths(P_.rows());
  for (int row = 0; row < P_.outerSize(); ++row) lengths[row] = P_.row(row).norm() * row_length_[row];
  return lengths;
}

void ScaledConstraints::evaluate(double t, ConstVector q, ConstVector v) {
  if (eq_.rows() == 0) return;
  system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
  scale();
}

void ScaledConstraints::scale() {
  P_ = eq_.P;
  for (int row = 0; row < P_.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(P_, row); entry; ++entry)
      entry.valueRef() /= root_inertia_[entry.col()] * row_length_[row];
  }
}

}  // namespace bricard
