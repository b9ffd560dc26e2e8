#include "analyses/run/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bricard {
namespace {

constexpr double largest_gain = 0.5;   // of the energy that the motion exchanges
constexpr double largest_error = 0.3;  // of what a displacement by the mechanism's size makes of a constraint

double total_mass(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass;
}

}  // namespace

double weight_over_length(const Model& model) {
  return total_mass(model) * model.gravity.norm() * model.characteristic_length();
}

Divergence::Divergence(const System& system, double tolerance, const Vector& q, const Vector& v)
    : system_(system),
      start_q_(q),
      start_v_(v),
      length_(system.model().characteristic_length()),
      least_energy_(100 * tolerance * total_mass(system.model()) * length_ * length_) {}

std::string Divergence::of_energy(double gain, double size) const {
  if (!(gain > largest_gain * std::max(size, least_energy_))) return {};
  return fmt::format(
      "the motion diverges: its energy has grown by {:.3g} J that nothing has put in, of {:.3g} J exchanged", gain,
      size);
}

void Divergence::find_row_sizes() {
  // Another system: this one counts turns.
  System other(system_.shared_model(), system_.coordinates_type());
  Equations equations = other.empty_equations();
  other.evaluate(0, start_q_, start_v_, Vector::Zero(other.state_size()), Upto::velocities, equations);
  row_sizes_ = Vector::Zero(other.row_count());
  for (int row = 0; row < equations.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(equations.P, row); entry; ++entry) {
      const double size = system_.coordinates().is_rotation(static_cast<int>(entry.col())) ? 1 : length_;
      row_sizes_[row] = std::hypot(row_sizes_[row], size * entry.value());
    }
  }
}

std::string Divergence::of_constraints(const Vector& Phi, double norm) {
  // Most rows are lengths, or products of unit vectors.
  if (!(norm > 0.1 * std::min(length_, 1.0)) || Phi.size() != system_.row_count()) return {};
  if (row_sizes_.size() == 0) find_row_sizes();
  for (int row = 0; row < Phi.size(); ++row) {
    if (row_sizes_[row] == 0 || !(std::abs(Phi[row]) > largest_error * row_sizes_[row])) continue;
    return fmt::format(
        "the motion diverges: the error of the constraint {} has grown to {:.3g}, in a mechanism of {:.3g} m",
        system_.row_name(row), std::abs(Phi[row]), length_);
  }
  return {};
}

}  // namespace bricard
