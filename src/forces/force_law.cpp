#include "forces/force_law.h"

#include <algorithm>
#include <cmath>

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
  if (!law_.held()) return stored_between(context, 0, x, x);
  find_kinks(context, x);
  double sum = 0, from = 0;
  const auto advance = [&](double to) { sum += stored_between(context, from, to, x), from = to; };
  if (x >= 0) {
    for (auto kink = std::upper_bound(kinks_.begin(), kinks_.end(), 0.0); kink != kinks_.end() && *kink < x; ++kink)
      advance(*kink);
  } else {
    for (auto kink = std::lower_bound(kinks_.begin(), kinks_.end(), 0.0); kink != kinks_.begin() && *(kink - 1) > x;)
      advance(*--kink);
  }
  advance(x);
  return sum;
}

double ForceLaw::free_value(const ForceContext& context, double x) const {
  const double variables[] = {x, 0};
  return law_.free_value(context.t, context.signals, variables);
}

double ForceLaw::stored_between(const ForceContext& context, double from, double to, double whole) const {
  if (from == to) return 0;
  // Composite Gauss-Legendre quadrature with three points a panel: exact for polynomials up to degree five, so for the
  // usual laws; only the energy column depends on it, not the motion.
  constexpr double most_panels = 64;
  constexpr double node = 0.7745966692414834, weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const int panels = static_cast<int>(std::clamp(std::ceil(most_panels * (to - from) / whole), 1.0, most_panels));
  const double half = (to - from) / panels / 2;
  double sum = 0;
  for (int p = 0; p < panels; ++p) {
    for (int k = -1; k <= 1; ++k) sum += weights[k + 1] * free_value(context, from + (2 * p + 1 + k * node) * half);
  }
  return -half * sum;
}

void ForceLaw::find_kinks(const ForceContext& context, double x) const {
  if (x >= lowest_ && x <= highest_) return;
  constexpr int cells = 256;
  const Expression& law = law_.expression();
  std::vector<double> left(law.switch_count()), right(law.switch_count()), middle(law.switch_count());
  std::vector<double> variables(law_.ids().size(), 0.0);
  const auto functions = [&](double at, std::vector<double>& values) {
    for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = law_.ids()[k] == -1 ? at : 0;
    law.switching(context.t, variables.data(), nullptr, values.data());
  };
  const auto sign = [](double g) { return (g > 0) - (g < 0); };
  // Further than asked for, so that it is asked for rarely.
  const double known = x > 0 ? highest_ : lowest_, end = 2 * x;
  functions(known, left);
  for (int cell = 0; cell < cells; ++cell, left = right) {
    const double from = known + (end - known) * cell / cells, to = known + (end - known) * (cell + 1) / cells;
    functions(to, right);
    for (int k = 0; k < law.switch_count(); ++k) {
      if (sign(left[k]) == sign(right[k])) continue;
      double a = from, b = to;
      for (int halving = 0; halving < 100 && 0.5 * (a + b) != a && 0.5 * (a + b) != b; ++halving) {
        functions(0.5 * (a + b), middle);
        (sign(middle[k]) == sign(left[k]) ? a : b) = 0.5 * (a + b);
      }
      kinks_.push_back(b);
    }
  }
  std::sort(kinks_.begin(), kinks_.end());
  (x > 0 ? highest_ : lowest_) = end;
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
