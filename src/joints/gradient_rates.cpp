#include "joints/gradient_rates.h"

#include <algorithm>
#include <cmath>

namespace bricard {

GradientRates::GradientRates(const Rows& rows) : rows_(rows), values_(rows.entries.size(), Vec3::Zero()) {
  std::size_t most = 0;
  for (const Rows::Formula& r : rows.formula) most = std::max(most, r.expression.ids().size());
  jets_.resize(most), rates_.resize(most);
}

void GradientRates::set_signal(int entry, int signal, double factor, double factor_rate, const Markers& m,
                               const Signals& signals) {
  Vec3 rates[Signals::most_entries];
  signals.gradient_rates(signal, m, rates);
  const Vec3* gradient = signals.gradient(signal);
  for (int e = 0; e < signals.entries(signal); ++e) values_[entry + e] = factor * rates[e] + factor_rate * gradient[e];
}

void GradientRates::update(double t, const Markers& m, const Signals& signals) {
  for (const Rows::Dot& r : rows_.dot) {
    values_[r.entry] = m.rate[r.w];
    values_[r.entry + 1] = m.rate[r.u];
  }
  for (const Rows::Along& r : rows_.along) {
    values_[r.entry] = m.rate[r.to] - m.rate[r.from];
    values_[r.entry + 1] = -m.rate[r.u];
    values_[r.entry + 2] = m.rate[r.u];
  }
  for (const Rows::Distance& r : rows_.distance) {
    const Vec3 &e = rows_.gradients[r.entry + 1], d1 = m.rate[r.to] - m.rate[r.from];
    const double length = (m.value[r.to] - m.value[r.from]).norm();
    Vec3& rate = values_[r.entry + 1];
    rate.setZero();
    if (length > 0) rate = (d1 - e.dot(d1) * e) / length;
    values_[r.entry] = -rate;
  }
  for (const Rows::Combination& r : rows_.combination) {
    int entry = r.entry;
    for (const Rows::Term& term : r.terms) {
      set_signal(entry, term.signal, term.coefficient, 0, m, signals);
      entry += signals.entries(term.signal);
    }
  }
  for (const Rows::Formula& r : rows_.formula) {
    const std::vector<int>& ids = r.expression.ids();
    double time_partial = 0;
    r.expression.gradient(t, signals, time_partial);
    for (std::size_t k = 0; k < ids.size(); ++k) jets_[k] = signals[ids[k]];
    r.expression.partial_rates(t, jets_.data(), rates_.data());
    int entry = r.entry;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      // Of a velocity-level row, the derivatives by velocities alone are its Jacobian.
      const bool counts = !r.velocity_level || signals.is_velocity(ids[k]);
      set_signal(entry, ids[k], counts ? r.expression.partials()[k] : 0, counts ? rates_[k] : 0, m, signals);
      entry += signals.entries(ids[k]);
    }
  }
  for (const Rows::Rolling& r : rows_.rolling) update_rolling(r, m);
  for (const Rows::KnifeEdge& r : rows_.knife_edge) {
    const Vec3 &u = m.value[r.u], &u1 = m.rate[r.u];
    const Vec3 lever = m.value[r.point] - m.value[r.origin], lever1 = m.rate[r.point] - m.rate[r.origin];
    values_[r.entry] = u1, values_[r.entry + 1] = -u1;
    values_[r.entry + 2] = -lever1.cross(u) - lever.cross(u1);
  }
}

// The gradients of rows.cpp, differentiated term by term.
void GradientRates::update_rolling(const Rows::Rolling& r, const Markers& m) {
  const Vec3 &u = m.value[r.axis], &u1 = m.rate[r.axis], &n = m.value[r.normal], &n1 = m.rate[r.normal];
  const double R = r.radius, c = n.dot(u), sine = std::sqrt(std::max(1 - c * c, 1e-30));
  const double c1 = n1.dot(u) + n.dot(u1), sine1 = -c * c1 / sine;
  const Vec3 d = (c * u - n) / sine, d1 = (c1 * u + c * u1 - n1 - sine1 * d) / sine;
  const Vec3 h1 = m.rate[r.center] - m.rate[r.origin];
  const double slope = R * c / sine, slope1 = R * (c1 - c * sine1 / sine) / sine;
  Vec3* g1 = &values_[r.entry];
  g1[0] = h1 + slope1 * u + slope * u1, g1[1] = -n1, g1[2] = n1, g1[3] = slope1 * n + slope * n1;
  const Vec3 lever = m.value[r.center] - m.value[r.origin] + R * d, lever1 = h1 + R * d1;
  const int tangent[] = {r.tangent1, r.tangent2};
  for (int k = 0; k < 2; ++k) {
    const Vec3 &t = m.value[tangent[k]], &t1 = m.rate[tangent[k]];
    Vec3* s1 = g1 + 4 + 4 * k;
    s1[0] = t1, s1[1] = R * (d1.cross(t) + d.cross(t1));
    s1[2] = -t1, s1[3] = -lever1.cross(t) - lever.cross(t1);
  }
}

}  // namespace bricard
