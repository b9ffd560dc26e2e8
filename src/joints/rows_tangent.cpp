#include "joints/rows_tangent.h"

#include <algorithm>

#include "coordinates/rotation_algebra.h"

namespace bricard {

RowsTangent::RowsTangent(const Rows& rows) : rows_(rows) {
  const Vec3 zero = Vec3::Zero();
  for (const GradientEntry& entry : rows.entries) entries_.push_back({entry.row, entry.marker, zero, zero, zero, zero});
  for (const Rows::KnifeEdge& r : rows.knife_edge) entries_.push_back({r.row, r.u, zero, zero, zero, zero});
  for (const Rows::Rolling& r : rows.rolling) {
    for (int slip = 1; slip <= 2; ++slip) {
      for (int marker : {r.axis, r.normal, slip == 1 ? r.tangent1 : r.tangent2})
        entries_.push_back({r.row + slip, marker, zero, zero, zero, zero});
    }
  }
  // The gradients of points that coincide are constant.
  for (std::size_t e = 0; e < rows.entries.size(); ++e) entries_[e].of_acceleration = rows.gradients[e];
  std::size_t most = 0;
  for (const Rows::Formula& r : rows.formula) {
    exact_ = exact_ && !r.velocity_level;
    most = std::max(most, r.expression.ids().size());
  }
  second_.resize(most * most);
  rates_.resize(most), accelerations_.resize(most), jets_.resize(most);
}

// --- loads ---

void RowsTangent::couple(double t, const Markers& m, const Signals& signals, ConstVector lambda, LoadCouplings& out) {
  const Mat3 I = Mat3::Identity();
  for (const Rows::Dot& r : rows_.dot) {
    const Mat3 H = -lambda[r.row] * I;
    out.add(r.u, r.w, H);
    out.add(r.w, r.u, H);
  }
  for (const Rows::Along& r : rows_.along) {
    const Mat3 H = -lambda[r.row] * I;
    out.add(r.u, r.to, H), out.add(r.u, r.from, -H);
    out.add(r.to, r.u, H), out.add(r.from, r.u, -H);
  }
  for (const Rows::Distance& r : rows_.distance) {
    const Vec3& e = rows_.gradients[r.entry + 1];
    const double length = (m.value[r.to] - m.value[r.from]).norm();
    const Mat3 H = length > 0 ? Mat3(-lambda[r.row] / length * (I - e * e.transpose())) : Mat3(Mat3::Zero());
    out.add(r.to, r.to, H), out.add(r.from, r.from, H);
    out.add(r.to, r.from, -H), out.add(r.from, r.to, -H);
  }
  for (const Rows::Combination& r : rows_.combination) {
    for (const Rows::Term& term : r.terms) {
      const int count = signals.entries(term.signal);
      const int* markers = signals.markers_of(term.signal);
      Mat3 H[Signals::most_entries * Signals::most_entries];
      signals.hessian(term.signal, m, H);
      for (int e = 0; e < count; ++e)
        for (int f = 0; f < count; ++f)
          out.add(markers[e], markers[f], -lambda[r.row] * term.coefficient * H[e * count + f]);
    }
  }
  for (const Rows::Formula& r : rows_.formula) couple_formula(r, t, m, signals, lambda[r.row], out);
  for (const Rows::KnifeEdge& r : rows_.knife_edge) {
    const Mat3 force = -lambda[r.row] * I;
    const Vec3 lever = m.value[r.point] - m.value[r.origin];
    const Mat3 of_lever = -lambda[r.row] * cross_matrix(m.value[r.u]);
    out.add(r.point, r.u, force);
    out.add(r.origin, r.u, -force);
    out.add(r.base, r.u, lambda[r.row] * cross_matrix(lever));
    out.add(r.base, r.point, of_lever);
    out.add(r.base, r.origin, -of_lever);
  }
  for (const Rows::Rolling& r : rows_.rolling) couple_rolling(r, m, lambda, out);
}

// H = sum_k f_k H_k + sum_kl f_kl g_k g_l^T
void RowsTangent::couple_formula(const Rows::Formula& r, double t, const Markers& m, const Signals& signals,
                                 double lambda, LoadCouplings& out) {
  const std::vector<int>& ids = r.expression.ids();
  const std::size_t count = ids.size();
  const bool known = !r.velocity_level;
  if (known) {
    double time_partial = 0;
    r.expression.gradient(t, signals, time_partial);
    r.expression.hessian(t, signals, second_.data());
  }
  for (std::size_t k = 0; k < count; ++k) {
    const int* markers_k = signals.markers_of(ids[k]);
    const int entries_k = signals.entries(ids[k]);
    Mat3 H[Signals::most_entries * Signals::most_entries];
    signals.hessian(ids[k], m, H);
    for (std::size_t l = 0; l < count; ++l) {
      const int* markers_l = signals.markers_of(ids[l]);
      const int entries_l = signals.entries(ids[l]);
      for (int e = 0; e < entries_k; ++e) {
        for (int f = 0; f < entries_l; ++f) {
          Mat3 block = Mat3::Zero();
          if (known) {
            block = second_[k * count + l] * signals.gradient(ids[k])[e] * signals.gradient(ids[l])[f].transpose();
            if (k == l) block += r.expression.partials()[k] * H[e * entries_k + f];
          }
          out.add(markers_k[e], markers_l[f], -lambda * block);
        }
      }
    }
  }
}

// --- rows ---

void RowsTangent::set(int entry, const Vec3& g, const Vec3& g1, const Vec3& g2) {
  Entry& e = entries_[entry];
  e.of_rate = g1, e.of_value = g2, e.of_velocity = 2 * g1, e.of_acceleration = g;
}

void RowsTangent::update_signal(int entry, int signal, const Jet& k, const Markers& m, const Signals& signals,
                                const std::vector<Vec3>& accelerations) {
  Vec3 g1[Signals::most_entries], g2[Signals::most_entries];
  const Vec3* g = signals.gradient(signal);
  signals.gradient_rates(signal, m, accelerations, g1, g2);
  for (int e = 0; e < signals.entries(signal); ++e) {
    set(entry + e, k.value * g[e], k.rate * g[e] + k.value * g1[e],
        k.acceleration * g[e] + 2 * k.rate * g1[e] + k.value * g2[e]);
  }
}

void RowsTangent::update(double t, const Markers& m, const Signals& signals, const std::vector<Vec3>& a) {
  for (const Rows::Dot& r : rows_.dot) {
    set(r.entry, m.value[r.w], m.rate[r.w], a[r.w]);
    set(r.entry + 1, m.value[r.u], m.rate[r.u], a[r.u]);
  }
  for (const Rows::Along& r : rows_.along) {
    set(r.entry, m.value[r.to] - m.value[r.from], m.rate[r.to] - m.rate[r.from], a[r.to] - a[r.from]);
    set(r.entry + 1, -m.value[r.u], -m.rate[r.u], -a[r.u]);
    set(r.entry + 2, m.value[r.u], m.rate[r.u], a[r.u]);
  }
  for (const Rows::Distance& r : rows_.distance) {
    const Vec3& e = rows_.gradients[r.entry + 1];
    const Vec3 d1 = m.rate[r.to] - m.rate[r.from], d2 = a[r.to] - a[r.from];
    const double length = (m.value[r.to] - m.value[r.from]).norm(), l1 = e.dot(d1);
    Vec3 e1 = Vec3::Zero(), e2 = Vec3::Zero();
    if (length > 0) {
      e1 = (d1 - l1 * e) / length;
      e2 = (d2 - (e1.dot(d1) + e.dot(d2)) * e - 2 * l1 * e1) / length;
    }
    set(r.entry, -e, -e1, -e2);
    set(r.entry + 1, e, e1, e2);
  }
  for (const Rows::Combination& r : rows_.combination) {
    int entry = r.entry;
    for (const Rows::Term& term : r.terms) {
      update_signal(entry, term.signal, {term.coefficient, 0, 0}, m, signals, a);
      entry += signals.entries(term.signal);
    }
  }
  for (const Rows::Formula& r : rows_.formula) {
    if (r.velocity_level) continue;
    const std::vector<int>& ids = r.expression.ids();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      // The signals' second time derivatives with the accelerations in them.
      Jet& jet = jets_[k] = signals[ids[k]];
      for (int e = 0; e < signals.entries(ids[k]); ++e) {
        const int marker = signals.markers_of(ids[k])[e];
        jet.acceleration += signals.gradient(ids[k])[e].dot(a[marker] - m.bias[marker]);
      }
    }
    double time_partial = 0;
    r.expression.gradient(t, signals, time_partial);
    r.expression.partial_rates(t, jets_.data(), rates_.data(), accelerations_.data());
    int entry = r.entry;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      update_signal(entry, ids[k], {r.expression.partials()[k], rates_[k], accelerations_[k]}, m, signals, a);
      entry += signals.entries(ids[k]);
    }
  }
  // psi = u . (h' - Omega x h), h = P - O
  std::size_t direction = rows_.entries.size();
  for (const Rows::KnifeEdge& r : rows_.knife_edge) {
    const Vec3 &u = m.value[r.u], &u1 = m.rate[r.u], &Omega = m.rate[r.base], &Omega1 = a[r.base];
    const Vec3 h = m.value[r.point] - m.value[r.origin], h1 = m.rate[r.point] - m.rate[r.origin];
    const Vec3 of_h = -u.cross(Omega), of_h1 = -(u1.cross(Omega) + u.cross(Omega1));
    Entry *point = &entries_[r.entry], *origin = point + 1, *base = point + 2, *edge = &entries_[direction++];
    point->of_rate = of_h, point->of_value = of_h1, point->of_velocity = of_h + u1, point->of_acceleration = u;
    origin->of_rate = -of_h, origin->of_value = -of_h1, origin->of_velocity = -of_h - u1, origin->of_acceleration = -u;
    base->of_velocity = -(h1.cross(u) + h.cross(u1)), base->of_acceleration = -h.cross(u);
    edge->of_rate = edge->of_velocity = h1 - Omega.cross(h);
    edge->of_value = a[r.point] - a[r.origin] - Omega1.cross(h) - Omega.cross(h1);
  }
  for (const Rows::Rolling& r : rows_.rolling) {
    update_rolling(r, m, a, &entries_[direction]);
    direction += 6;
  }
}

}  // namespace bricard
