#include "joints/rows.h"

#include <cmath>

namespace bricard {
namespace {

void evaluate_coincide(const Rows::Coincide& r, const Markers& m, bool velocities, const RowValues& out) {
  for (int k = 0; k < r.dimensions; ++k) {
    out.Phi[r.row + k] = m.value[r.j][k] - m.value[r.i][k];
    if (!velocities) continue;
    out.Phi_t[r.row + k] = 0;
    out.Phi_dot[r.row + k] = m.rate[r.j][k] - m.rate[r.i][k];
    out.gamma[r.row + k] = m.bias[r.i][k] - m.bias[r.j][k];
  }
}

void evaluate_dot(const Rows::Dot& r, const Markers& m, bool velocities, const RowValues& out, Vec3* g) {
  const Vec3 &u = m.value[r.u], &w = m.value[r.w];
  out.Phi[r.row] = u.dot(w) - r.constant;
  g[0] = w, g[1] = u;
  if (!velocities) return;
  const Vec3 &u1 = m.rate[r.u], &w1 = m.rate[r.w];
  out.Phi_t[r.row] = 0;
  out.Phi_dot[r.row] = u1.dot(w) + u.dot(w1);
  out.gamma[r.row] = -(m.bias[r.u].dot(w) + 2 * u1.dot(w1) + u.dot(m.bias[r.w]));
}

void evaluate_along(const Rows::Along& r, const Markers& m, bool velocities, const RowValues& out, Vec3* g) {
  const Vec3& u = m.value[r.u];
  const Vec3 d = m.value[r.to] - m.value[r.from];
  out.Phi[r.row] = u.dot(d) - r.constant;
  g[0] = d, g[1] = -u, g[2] = u;
  if (!velocities) return;
  const Vec3& u1 = m.rate[r.u];
  const Vec3 d1 = m.rate[r.to] - m.rate[r.from], d2 = m.bias[r.to] - m.bias[r.from];
  out.Phi_t[r.row] = 0;
  out.Phi_dot[r.row] = u1.dot(d) + u.dot(d1);
  out.gamma[r.row] = -(m.bias[r.u].dot(d) + 2 * u1.dot(d1) + u.dot(d2));
}

void evaluate_distance(const Rows::Distance& r, const Markers& m, bool velocities, const RowValues& out, Vec3* g) {
  const Vec3 d = m.value[r.to] - m.value[r.from];
  const double length = d.norm();
  // Coincident ends have no direction; any one lets the assembly move them apart.
  const Vec3 e = length > 0 ? Vec3(d / length) : Vec3(Vec3::UnitX());
  out.Phi[r.row] = length - r.length;
  g[0] = -e, g[1] = e;
  if (!velocities) return;
  const Vec3 d1 = m.rate[r.to] - m.rate[r.from], d2 = m.bias[r.to] - m.bias[r.from];
  const double rate = e.dot(d1);
  out.Phi_t[r.row] = 0;
  out.Phi_dot[r.row] = rate;
  out.gamma[r.row] = -(e.dot(d2) + (length > 0 ? (d1.squaredNorm() - rate * rate) / length : 0));
}

void evaluate_combination(const Rows::Combination& r, double t, const Signals& signals, bool velocities,
                          const RowValues& out, Vec3* g) {
  const Jet law = r.law.jet(t, signals);
  Jet sum;
  for (const Rows::Term& term : r.terms) {
    Jet s = signals[term.signal];
    // A velocity-level row is the same sum of the rates.
    if (r.velocity_level && !signals.is_velocity(term.signal)) s = {s.rate, s.acceleration, 0};
    sum.value += term.coefficient * s.value;
    sum.rate += term.coefficient * s.rate;
    sum.acceleration += term.coefficient * s.acceleration;
    const Vec3* gradient = signals.gradient(term.signal);
    for (int e = 0; e < signals.entries(term.signal); ++e) *g++ = term.coefficient * gradient[e];
  }
  out.Phi[r.row] = r.velocity_level ? 0 : sum.value - law.value;
  if (!velocities) return;
  out.Phi_t[r.row] = r.velocity_level ? -law.value : -law.rate;
  out.Phi_dot[r.row] = r.velocity_level ? sum.value - law.value : sum.rate - law.rate;
  out.gamma[r.row] = r.velocity_level ? law.rate - sum.rate : law.acceleration - sum.acceleration;
}

// Position level: Phi = f(signals, t). Velocity level: psi(signals, velocities, t) = 0 with A = d psi/dv.
void evaluate_formula(const Rows::Formula& r, double t, const Signals& signals, bool velocities, const RowValues& out,
                      Vec3* g) {
  double time_partial = 0;
  const double value = r.expression.gradient(t, signals, time_partial);
  const std::vector<int>& ids = r.expression.ids();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const double partial = r.velocity_level && !signals.is_velocity(ids[k]) ? 0 : r.expression.partials()[k];
    const Vec3* gradient = signals.gradient(ids[k]);
    for (int e = 0; e < signals.entries(ids[k]); ++e) *g++ = partial * gradient[e];
  }
  out.Phi[r.row] = r.velocity_level ? 0 : value;
  if (!velocities) return;
  const Jet jet = r.expression.jet(t, signals);
  out.Phi_t[r.row] = r.velocity_level ? 0 : time_partial;
  out.Phi_dot[r.row] = r.velocity_level ? jet.value : jet.rate;
  out.gamma[r.row] = r.velocity_level ? -jet.rate : -jet.acceleration;
}

// Disc with centre C and axis u on a plane with normal n through O. The contact point is C + R d with
//   d = -(n - (n.u) u) / |n - (n.u) u|,   contact: n.(C - O) - R sqrt(1 - (n.u)^2) = 0,
//   no slip: t_k . (C' + omega x R d - O' - Omega x (C + R d - O)) = 0 for two directions t_k of the plane.
void evaluate_rolling(Rows::Rolling& r, const Markers& m, bool velocities, const RowValues& out, Vec3* g) {
  const Vec3 &C = m.value[r.center], &u = m.value[r.axis], &O = m.value[r.origin], &n = m.value[r.normal];
  const double R = r.radius, c = n.dot(u), sine = std::sqrt(std::max(1 - c * c, 1e-30));
  const Vec3 d = (c * u - n) / sine, height = C - O, lever = height + R * d;
  const int tangent[] = {r.tangent1, r.tangent2};
  r.contact = C + R * d;

  // Entries: contact with (normal, origin, center, axis), then each direction with (center, spin, origin, base).
  const double slope = R * c / sine;
  out.Phi[r.row] = n.dot(height) - R * sine;
  g[0] = height + slope * u, g[1] = -n, g[2] = n, g[3] = slope * n;
  for (int k = 0; k < 2; ++k) {
    const Vec3& t = m.value[tangent[k]];
    out.Phi[r.row + 1 + k] = 0;
    Vec3* s = g + 4 + 4 * k;
    s[0] = t, s[1] = R * d.cross(t), s[2] = -t, s[3] = -lever.cross(t);
  }
  if (!velocities) return;

  const Vec3 &u1 = m.rate[r.axis], &n1 = m.rate[r.normal];
  const Vec3 h1 = m.rate[r.center] - m.rate[r.origin], h2 = m.bias[r.center] - m.bias[r.origin];
  const double c1 = n1.dot(u) + n.dot(u1), c2 = m.bias[r.normal].dot(u) + 2 * n1.dot(u1) + n.dot(m.bias[r.axis]);
  const double sine1 = -c * c1 / sine, sine2 = -(c1 * c1 + c * c2 + sine1 * sine1) / sine;
  out.Phi_t[r.row] = 0;
  out.Phi_dot[r.row] = n1.dot(height) + n.dot(h1) - R * sine1;
  out.gamma[r.row] = -(m.bias[r.normal].dot(height) + 2 * n1.dot(h1) + n.dot(h2) - R * sine2);

  const Vec3 d1 = (c1 * u + c * u1 - n1 - sine1 * d) / sine;
  const Vec3 &spin = m.rate[r.spin], &base = m.rate[r.base];
  const Vec3 slip = h1 + R * spin.cross(d) - base.cross(lever);
  const Vec3 slip_rate =
      h2 + R * (m.bias[r.spin].cross(d) + spin.cross(d1)) - m.bias[r.base].cross(lever) - base.cross(h1 + R * d1);
  for (int k = 0; k < 2; ++k) {
    out.Phi_t[r.row + 1 + k] = 0;
    out.Phi_dot[r.row + 1 + k] = m.value[tangent[k]].dot(slip);
    out.gamma[r.row + 1 + k] = -(m.rate[tangent[k]].dot(slip) + m.value[tangent[k]].dot(slip_rate));
  }
}

// psi = u . (P' - O' - Omega x (P - O)), O and Omega of the body that carries the ground for this edge.
void evaluate_knife_edge(const Rows::KnifeEdge& r, const Markers& m, bool velocities, const RowValues& out, Vec3* g) {
  const Vec3& u = m.value[r.u];
  const Vec3 lever = m.value[r.point] - m.value[r.origin];
  out.Phi[r.row] = 0;
  g[0] = u, g[1] = -u, g[2] = -lever.cross(u);
  if (!velocities) return;
  const Vec3& base = m.rate[r.base];
  const Vec3 lever1 = m.rate[r.point] - m.rate[r.origin];
  const Vec3 slip = lever1 - base.cross(lever);
  const Vec3 slip_rate = m.bias[r.point] - m.bias[r.origin] - m.bias[r.base].cross(lever) - base.cross(lever1);
  out.Phi_t[r.row] = 0;
  out.Phi_dot[r.row] = u.dot(slip);
  out.gamma[r.row] = -(m.rate[r.u].dot(slip) + u.dot(slip_rate));
}

}  // namespace

void Rows::shrink() {
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(info, labels, entries, gradients, coincide, dot, along, distance, combination, formula, rolling, knife_edge);
}

void Rows::evaluate(double t, const Markers& m, const Signals& signals, bool velocities, const RowValues& out) {
  Vec3* g = gradients.data();
  for (const Coincide& r : coincide) evaluate_coincide(r, m, velocities, out);  // its gradients are constant
  for (const Dot& r : dot) evaluate_dot(r, m, velocities, out, g + r.entry);
  for (const Along& r : along) evaluate_along(r, m, velocities, out, g + r.entry);
  for (const Distance& r : distance) evaluate_distance(r, m, velocities, out, g + r.entry);
  evaluate_general_kinds(t, m, signals, velocities, out);
}

void Rows::evaluate_general_rows(double t, const Markers& m, const Signals& signals, const RowValues& out) {
  evaluate_general_kinds(t, m, signals, true, out);
}

void Rows::evaluate_general_kinds(double t, const Markers& m, const Signals& signals, bool velocities,
                                  const RowValues& out) {
  Vec3* g = gradients.data();
  for (const Combination& r : combination) evaluate_combination(r, t, signals, velocities, out, g + r.entry);
  for (const Formula& r : formula) evaluate_formula(r, t, signals, velocities, out, g + r.entry);
  for (Rolling& r : rolling) evaluate_rolling(r, m, velocities, out, g + r.entry);
  for (const KnifeEdge& r : knife_edge) evaluate_knife_edge(r, m, velocities, out, g + r.entry);
}

}  // namespace bricard
