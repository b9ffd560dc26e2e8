// Feedback of constraint errors into accelerations, row by row:  P v' = gamma - rate Phi_dot - position Phi.
#pragma once

#include <vector>

#include "system/equations.h"

namespace bricard {

struct Feedback {
  Vector rate, position;  // gains by row; empty: none. Velocity-level rows have no Phi, and a position gain of zero.

  bool empty() const { return rate.size() == 0; }
  void apply(const Equations& eq, VectorRef gamma) const {
    if (!empty()) gamma -= rate.cwiseProduct(eq.Phi_dot) + position.cwiseProduct(eq.Phi);
  }
  /// Takes the gains of others of the same size, row k those of row `from[k]` as below; allocates nothing.
  void set_in_order(const Feedback& other, const std::vector<int>& from) {
    for (std::size_t k = 0; k < from.size() && !empty(); ++k) {
      if (from[k] < 0) continue;
      rate[static_cast<Eigen::Index>(k)] = other.rate[from[k]];
      position[static_cast<Eigen::Index>(k)] = other.position[from[k]];
    }
  }
  /// In another order: row k is row `from[k]` of these; negative: padding, which has none.
  Feedback in_order(const std::vector<int>& from) const {
    if (empty()) return {};
    const auto size = static_cast<Eigen::Index>(from.size());
    Feedback ordered{Vector::Zero(size), Vector::Zero(size)};
    for (Eigen::Index k = 0; k < size; ++k) {
      if (from[k] < 0) continue;
      ordered.rate[k] = rate[from[k]];
      ordered.position[k] = position[from[k]];
    }
    return ordered;
  }
};

}  // namespace bricard
