#include "analyses/run/energy_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bricard {

EnergyBounds::EnergyBounds(const Model& model, const Method& method, const Divergence& divergence, Summary& summary)
    : divergence_(divergence),
      summary_(summary),
      tolerance_(std::max(method.tolerance, summary.chosen.step_tolerance)),
      weight_over_length_(weight_over_length(model)) {}

void EnergyBounds::begin(double total, double potential, double balance) {
  energy_start_ = total, potential_start_ = potential, balance_ = balance;
}

void EnergyBounds::see(double total, double kinetic) {
  if (summary_.outputs == 0) begin(total, total - kinetic, total);
  summary_.energy_scale = std::max({summary_.energy_scale, kinetic, std::abs(total - kinetic - potential_start_)});
}

void EnergyBounds::see(double kinetic, double potential, double work) {
  for (const double energy : {kinetic, std::abs(potential - potential_start_), std::abs(work)}) {
    if (std::isfinite(energy)) exchanged_ = std::max(exchanged_, energy);
  }
}

void EnergyBounds::count_drift() {
  summary_.energy_drift = std::max(summary_.energy_drift, std::abs(balance_ - energy_start_));
}

double EnergyBounds::size() const { return std::max({weight_over_length_, summary_.energy_scale, exchanged_}); }

bool EnergyBounds::has_jumped(double balance) const {
  const double allowed = std::max(1e5 * tolerance_, 1e-6);
  return size() > 0 && std::abs(balance - balance_) > allowed * std::max(size(), divergence_.least_energy());
}

std::string EnergyBounds::jump_text(double balance) const {
  return fmt::format("the energy balance jumped by {:.3g} J of {:.3g} J in one step", std::abs(balance - balance_),
                     size());
}

}  // namespace bricard
