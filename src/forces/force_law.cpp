#include "forces/force_law.h"

#include <algorithm>

namespace bricard {

ForceLaw::ForceLaw(double stiffness, double damping, const std::optional<Expression>& law, ForceBuilder& builder)
    : stiffness_(stiffness), damping_(damping), has_law_(law.has_value()), conservative_(true) {
  if (!has_law_) return;
  law_ = builder.bind(*law);
  const auto is_variable = [](int id) { return id < 0; };
  conservative_ = !law->uses_time() && std::all_of(law_.ids().begin(), law_.ids().end(), is_variable);
}

double ForceLaw::value(const ForceContext& context, double x, double v) const {
  if (!has_law_) return -stiffness_ * x - damping_ * v;
  const double variables[] = {x, v};
  return law_.value(context.t, context.signals, variables);
}

double ForceLaw::potential(const ForceContext& context, double x) const {
  if (!has_law_) return 0.5 * stiffness_ * x * x;
  if (!conservative_) return 0;
  // Composite Gauss-Legendre quadrature with three points a panel: exact for piecewise polynomials up to degree five,
  // so for the usual laws; only the energy column depends on it, not the motion.
  constexpr int panels = 64;
  constexpr double node = 0.7745966692414834, weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double half = x / panels / 2;
  double sum = 0;
  for (int p = 0; p < panels; ++p) {
    for (int k = -1; k <= 1; ++k) sum += weights[k + 1] * value(context, (2 * p + 1 + k * node) * half, 0);
  }
  return -half * sum;
}

double ForceLaw::potential_rate(const ForceContext& context, double x, double v) const {
  return conservative_ ? -value(context, x, 0) * v : 0;
}

}  // namespace bricard
