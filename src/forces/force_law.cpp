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

void ForceLaw::couple(const ForceContext& context, int signal, double offset, LoadCouplings& couplings) const {
  const Jet& jet = context.signals[signal];
  const double x = jet.value - offset, v = jet.rate;
  if (!has_law_) {
    const EffortSlope slope{signal, -stiffness_, -damping_};
    couple_effort(context, signal, -stiffness_ * x - damping_ * v, &slope, 1, couplings);
    return;
  }
  const double variables[] = {x, v};
  double time_partial = 0;
  const double force = law_.gradient(context.t, context.signals, variables, time_partial);
  EffortSlope own{signal, 0, 0};
  for (std::size_t k = 0; k < law_.ids().size(); ++k) {
    if (law_.ids()[k] == -1) own.of_value = law_.partials()[k];
    if (law_.ids()[k] == -2) own.of_rate = law_.partials()[k];
  }
  couple_effort(context, signal, force, &own, 1, couplings);
  couple_expression(context, signal, law_, couplings);
}

}  // namespace bricard
