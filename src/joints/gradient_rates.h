// Time derivatives of the rows' gradients along the motion, as momenta need them: P'^T sigma is made of these and of the
// rates of the markers' derivatives (Coordinates::add_momentum_rates).
#pragma once

#include "joints/rows.h"

namespace bricard {

class GradientRates {
 public:
  explicit GradientRates(const Rows& rows);

  /// At the values and rates of markers and signals; the rows' gradients are of the same instant.
  void update(double t, const Markers& markers, const Signals& signals);
  /// In the order of the rows' entries.
  const std::vector<Vec3>& values() const { return values_; }

 private:
  /// Of factor times a signal's gradient.
  void set_signal(int entry, int signal, double factor, double factor_rate, const Markers& markers,
                  const Signals& signals);
  void update_rolling(const Rows::Rolling& row, const Markers& markers);

  const Rows& rows_;
  std::vector<Vec3> values_;
  std::vector<Jet> jets_;  // of a formula's signals, and the rates of its partial derivatives
  std::vector<double> rates_;
};

}  // namespace bricard
