#include "motions/momentum_rate.h"

#include <fmt/format.h>

#include "bricard/input_error.h"

namespace bricard {

MomentumRate::MomentumRate(const System& system)
    : system_(system), gradient_rates_(system.row_table()), impulse_rates_(system.row_table().entries.size()) {
  for (const GradientEntry& entry : system.row_table().entries) impulses_.push_back({entry.marker, Vec3::Zero()});
}

void MomentumRate::add(double t, ConstVector q, ConstVector v, ConstVector sigma, VectorRef rate) {
  const Rows& rows = system_.row_table();
  gradient_rates_.update(t, system_.markers(), system_.signals());
  for (std::size_t e = 0; e < impulses_.size(); ++e) {
    const double impulse = sigma[rows.entries[e].row];
    impulses_[e].value = impulse * rows.gradients[e];
    impulse_rates_[e] = impulse * gradient_rates_.values()[e];
  }
  const Coordinates& coordinates = system_.coordinates();
  coordinates.add_momentum_rates(q, v, system_.markers(), impulses_, impulse_rates_, rate);
  coordinates.add_own_row_rates(q, v, sigma.tail(coordinates.own_rows()), rate);
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
