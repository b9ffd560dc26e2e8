#include "motions/momentum_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bricard/input_error.h"

namespace bricard {
namespace {

constexpr double displacement = 4e-3;  // rad, or of the model's size
constexpr double longest_step = 1e-3;  // s: rows may depend on time where nothing moves

}  // namespace

MomentumRate::MomentumRate(System& system)
    : system_(system),
      eq_(system.empty_equations()),
      upto_(
          std::any_of(system.rows().begin(), system.rows().end(), [](const RowInfo& row) { return row.velocity_level; })
              ? Upto::velocities
              : Upto::positions),
      rate_scale_(system.velocity_size()),
      no_states_(Vector::Zero(system.state_size())),
      displaced_(system.position_size()),
      value_(system.velocity_size()),
      rate_(system.velocity_size()) {
  for (int k = 0; k < rate_scale_.size(); ++k)
    rate_scale_[k] = system.coordinates().is_rotation(k) ? 1 : system.model().characteristic_length();
}

double MomentumRate::step(ConstVector v) const {
  double rate = displacement / longest_step;
  for (int k = 0; k < v.size(); ++k) rate = std::max(rate, std::abs(v[k]) / rate_scale_[k]);
  return displacement / rate;
}

const Vector& MomentumRate::at(double t, ConstVector q, ConstVector v, ConstVector sigma) {
  static constexpr double weights[] = {45, -9, 1};  // of the differences over 1, 2, 3 steps to either side
  const double h = step(v);
  rate_.setZero();
  for (int k = -3; k <= 3; ++k) {
    if (k == 0) continue;
    displaced_ = q + k * h * v;
    system_.evaluate(t + k * h, displaced_, v, no_states_, upto_, eq_);
    system_.coordinates().mass(eq_.M.valuePtr());
    value_.noalias() = eq_.M * v;
    value_.noalias() += eq_.P.transpose() * sigma;
    rate_ += (k > 0 ? 1 : -1) * weights[std::abs(k) - 1] / (60 * h) * value_;
  }
  return rate_;
}

void require_linear_rows(System& system, ConstVector q, ConstVector v, const char* formulation) {
  Equations here = system.empty_equations(), there = here;
  const Vector states = Vector::Zero(system.state_size());
  const Vector other = (2 * v.array() + 1).matrix();
  system.evaluate(0, q, other, states, Upto::velocities, there);
  system.evaluate(0, q, v, states, Upto::velocities, here);
  for (int row = 0; row < here.rows(); ++row) {
    if ((here.P.row(row) - there.P.row(row)).norm() <= 1e-9 * here.P.row(row).norm()) continue;
    throw InputError(
        fmt::format("formulation '{}' cannot be used here: {} is not linear in the velocities; use 'nullspace-svd' or "
                    "'auto'",
                    formulation, system.row_name(row)));
  }
}

}  // namespace bricard
