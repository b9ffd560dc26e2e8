// Loads of an effort F on a signal s are F g with g = ds/d markers, so
//   d(F g) = g dF + F H dx,   dF = F_s (g . dx) + F_s' (g' . dx + g . dx')   for each signal that F depends on.
#include "forces/force_element.h"

namespace bricard {
namespace {

/// Gradient of a slope's part of the effort with respect to values and rates of its signal's markers.
struct SlopeGradient {
  SlopeGradient(const ForceContext& context, const EffortSlope& slope)
      : count(context.signals.entries(slope.signal)), markers(context.signals.markers_of(slope.signal)) {
    const Signals& signals = context.signals;
    const Vec3* g = signals.gradient(slope.signal);
    const bool is_velocity = signals.is_velocity(slope.signal);
    const double by_rate = is_velocity ? slope.of_value : slope.of_rate;
    Vec3 g1[Signals::most_entries], unused[Signals::most_entries];
    signals.gradient_rates(slope.signal, context.markers, context.markers.bias, g1, unused);
    for (int e = 0; e < count; ++e) {
      of_value[e] = by_rate * g1[e];
      if (!is_velocity) of_value[e] += slope.of_value * g[e];
      of_rate[e] = by_rate * g[e];
    }
  }
  int count;
  const int* markers;
  Vec3 of_value[Signals::most_entries], of_rate[Signals::most_entries];
};

}  // namespace

void couple_load(const ForceContext& context, int loaded, const Vec3& direction, const EffortSlope& slope,
                 LoadCouplings& couplings) {
  const SlopeGradient gradient(context, slope);
  for (int f = 0; f < gradient.count; ++f)
    couplings.add(loaded, gradient.markers[f], direction * gradient.of_value[f].transpose(),
                  direction * gradient.of_rate[f].transpose());
}

void couple_effort(const ForceContext& context, int signal, double effort, const EffortSlope* slopes, int count,
                   LoadCouplings& couplings) {
  const Signals& signals = context.signals;
  const int entries = signals.entries(signal);
  const int* markers = signals.markers_of(signal);
  Mat3 H[Signals::most_entries * Signals::most_entries];
  signals.hessian(signal, context.markers, H);
  for (int e = 0; e < entries; ++e)
    for (int f = 0; f < entries; ++f) couplings.add(markers[e], markers[f], effort * H[e * entries + f]);
  for (int k = 0; k < count; ++k)
    for (int e = 0; e < entries; ++e)
      couple_load(context, markers[e], signals.gradient(signal)[e], slopes[k], couplings);
}

void couple_expression(const ForceContext& context, int signal, const BoundExpression& expression,
                       LoadCouplings& couplings) {
  for (std::size_t k = 0; k < expression.ids().size(); ++k) {
    if (expression.ids()[k] < 0) continue;
    const EffortSlope slope{expression.ids()[k], expression.partials()[k], 0};
    for (int e = 0; e < context.signals.entries(signal); ++e)
      couple_load(context, context.signals.markers_of(signal)[e], context.signals.gradient(signal)[e], slope,
                  couplings);
  }
}

}  // namespace bricard
