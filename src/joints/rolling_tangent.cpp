// Derivatives of the rows of a rolling disc (see rows.cpp for its equations), with h = C - O, c = n.u, s = sqrt(1 -
// c^2), d = (c u - n)/s, w = omega - Omega:
//   contact:  Phi = n.h - R s,                      dPhi/dn = h + k u,  dPhi/du = k n,  k = R c/s,  dk/dc = R/s^3
//   no slip:  psi = t.(h' - Omega x h + R w x d),   dpsi/du = D_u^T R (t x w),  dpsi/dn = D_n^T R (t x w),
//   D_u = dd/du = (u n^T + c I)/s + (c/s^2) d n^T,  D_n = dd/dn = (u u^T - I)/s + (c/s^2) d u^T
#include <algorithm>
#include <cmath>

#include "coordinates/rotation_algebra.h"
#include "joints/rows_tangent.h"

namespace bricard {
namespace {

/// The direction to the contact point with its derivatives.
struct Contact {
  Contact(const Rows::Rolling& r, const Markers& m)
      : u(m.value[r.axis]),
        n(m.value[r.normal]),
        h(m.value[r.center] - m.value[r.origin]),
        c(n.dot(u)),
        s(std::sqrt(std::max(1 - c * c, 1e-30))),
        d((c * u - n) / s),
        D_u((u * n.transpose() + c * Mat3::Identity()) / s + c / (s * s) * d * n.transpose()),
        D_n((u * u.transpose() - Mat3::Identity()) / s + c / (s * s) * d * u.transpose()) {}
  Vec3 u, n, h;
  double c, s;
  Vec3 d;
  Mat3 D_u, D_n;
};

}  // namespace

void RowsTangent::couple_rolling(const Rows::Rolling& r, const Markers& m, ConstVector lambda, LoadCouplings& out) {
  const Contact at(r, m);
  const double R = r.radius, contact = -lambda[r.row], k = R * at.c / at.s, slope = R / (at.s * at.s * at.s);
  const Mat3 I = Mat3::Identity(), n_by_u = contact * (k * I + slope * at.u * at.n.transpose());
  out.add(r.normal, r.normal, contact * slope * at.u * at.u.transpose());
  out.add(r.normal, r.axis, n_by_u);
  out.add(r.axis, r.normal, n_by_u.transpose());
  out.add(r.axis, r.axis, contact * slope * at.n * at.n.transpose());
  out.add(r.normal, r.center, contact * I), out.add(r.center, r.normal, contact * I);
  out.add(r.normal, r.origin, -contact * I), out.add(r.origin, r.normal, -contact * I);
  const int tangents[] = {r.tangent1, r.tangent2};
  for (int slip = 0; slip < 2; ++slip) {
    const double load = -lambda[r.row + 1 + slip];
    const int tangent = tangents[slip];
    const Mat3 t_cross = load * cross_matrix(m.value[tangent]);
    out.add(r.center, tangent, load * I);
    out.add(r.origin, tangent, -load * I);
    out.add(r.spin, tangent, load * R * cross_matrix(at.d));
    out.add(r.spin, r.axis, -R * t_cross * at.D_u);
    out.add(r.spin, r.normal, -R * t_cross * at.D_n);
    out.add(r.base, tangent, -load * cross_matrix(at.h + R * at.d));
    out.add(r.base, r.center, t_cross);
    out.add(r.base, r.origin, -t_cross);
    out.add(r.base, r.axis, R * t_cross * at.D_u);
    out.add(r.base, r.normal, R * t_cross * at.D_n);
  }
}

void RowsTangent::update_rolling(const Rows::Rolling& r, const Markers& m, const std::vector<Vec3>& a, Entry* extra) {
  const Contact at(r, m);
  const auto& [u, n, h, c, s, d, D_u, D_n] = at;
  const double R = r.radius;
  const Vec3 &u1 = m.rate[r.axis], &u2 = a[r.axis], &n1 = m.rate[r.normal], &n2 = a[r.normal];
  const Vec3 h1 = m.rate[r.center] - m.rate[r.origin], h2 = a[r.center] - a[r.origin];
  const double c1 = n1.dot(u) + n.dot(u1), c2 = n2.dot(u) + 2 * n1.dot(u1) + n.dot(u2);
  const double s1 = -c * c1 / s, s2 = -(c1 * c1 + c * c2 + s1 * s1) / s;
  // k = R c/s
  const double k = R * c / s, k1 = (R * c1 - k * s1) / s, k2 = (R * c2 - 2 * k1 * s1 - k * s2) / s;
  set(r.entry, h + k * u, h1 + k1 * u + k * u1, h2 + k2 * u + 2 * k1 * u1 + k * u2);
  set(r.entry + 1, -n, -n1, -n2);
  set(r.entry + 2, n, n1, n2);
  set(r.entry + 3, k * n, k1 * n + k * n1, k2 * n + 2 * k1 * n1 + k * n2);

  const Vec3 d1 = D_u * u1 + D_n * n1, lever = h + R * d, lever1 = h1 + R * d1;
  const double b = c / (s * s), b1 = c1 / (s * s) - 2 * b * s1 / s;
  const Mat3 I = Mat3::Identity();
  const Mat3 D_u1 = (u1 * n.transpose() + u * n1.transpose() + c1 * I) / s -
                    s1 / (s * s) * (u * n.transpose() + c * I) + b1 * d * n.transpose() +
                    b * (d1 * n.transpose() + d * n1.transpose());
  const Mat3 D_n1 = (u1 * u.transpose() + u * u1.transpose()) / s - s1 / (s * s) * (u * u.transpose() - I) +
                    b1 * d * u.transpose() + b * (d1 * u.transpose() + d * u1.transpose());
  const Vec3 &Omega = m.rate[r.base], &Omega1 = a[r.base];
  const Vec3 w = m.rate[r.spin] - Omega, w1 = a[r.spin] - Omega1;
  const int tangents[] = {r.tangent1, r.tangent2};
  for (int slip = 0; slip < 2; ++slip) {
    const Vec3 &t = m.value[tangents[slip]], &t1 = m.rate[tangents[slip]];
    const Vec3 of_h = -t.cross(Omega), of_h1 = -(t1.cross(Omega) + t.cross(Omega1));
    const Vec3 of_d = R * t.cross(w), of_d1 = R * (t1.cross(w) + t.cross(w1));
    Entry *center = &entries_[r.entry + 4 + 4 * slip], *spin = center + 1, *origin = center + 2, *base = center + 3;
    center->of_rate = of_h, center->of_value = of_h1, center->of_velocity = of_h + t1, center->of_acceleration = t;
    origin->of_rate = -of_h, origin->of_value = -of_h1, origin->of_velocity = -of_h - t1, origin->of_acceleration = -t;
    spin->of_velocity = R * (d1.cross(t) + d.cross(t1)), spin->of_acceleration = R * d.cross(t);
    base->of_velocity = -(lever1.cross(t) + lever.cross(t1)), base->of_acceleration = -lever.cross(t);
    Entry *axis = extra + 3 * slip, *normal = axis + 1, *tangent = axis + 2;
    axis->of_rate = axis->of_velocity = D_u.transpose() * of_d;
    axis->of_value = D_u1.transpose() * of_d + D_u.transpose() * of_d1;
    normal->of_rate = normal->of_velocity = D_n.transpose() * of_d;
    normal->of_value = D_n1.transpose() * of_d + D_n.transpose() * of_d1;
    tangent->of_rate = tangent->of_velocity = h1 - Omega.cross(h) + R * w.cross(d);
    tangent->of_value = h2 - Omega1.cross(h) - Omega.cross(h1) + R * (w1.cross(d) + w.cross(d1));
  }
}

}  // namespace bricard
