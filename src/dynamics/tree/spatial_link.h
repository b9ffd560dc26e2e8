// A link of a tree in space: what the recursion of tree_dynamics_spatial.cpp keeps of it, and the inertia and wrench
// of its own bodies.
#pragma once

#include <cmath>

#include "dynamics/tree/tree_dynamics.h"
#include "linear/simd/pack_vector.h"

namespace bricard::spatial_tree {

using Kind = ElementaryLink::Kind;

inline Vec3 vec3(const Pack& a) { return {a.value[0], a.value[1], a.value[2]}; }
inline Pack pack(const Vec3& a) { return vector_pack(a.data()); }

struct Link {
  // Of the model; place and axis in the frame of the parent, moments of mass in the own one.
  int parent = 0, position = 0, velocity = 0, ball = 0;
  int branch = -1;  // of its children that do not follow it, in `branches_`
  Kind kind = Kind::turn;
  bool at_parent = false;  // its place is always the parent's
  bool parallel = false;   // its frame at zero angle is the parent's
  bool has_mass = false;
  bool has_d = false;
  bool follows = false;          // its parent is the link before it
  bool is_followed = false;      // the next link is its child
  bool is_first_branch = false;  // on the way inwards the first of its parent's children that do not follow
  double advance = 0;            // along the axis, m per radian; 1 of a slide
  double rate = 0;               // of a joint that advances
  double root = 0;               // D^-1/2
  double mass = 0, first_moment[3] = {};
  double J_all = 0, sign = 1, e[3] = {}, d[3] = {};  // J about the place = J_all 1 + sign (e e^T + d d^T)
  double place[3] = {};
  double C[3][3] = {};  // columns of the own frame at zero angle in the parent's; of a slide the third is its axis
  // Now, in the world: frame, place from the parent's, motion while the joint accelerations are zero.
  alignas(32) Pack A[3] = {0, 0, 0};
  Pack r = 0, omega = 0, alpha_bias = 0, bias = 0, T_n = 0, T_f = 0;
  Pack slide = 0;  // axis of a slide

  const Pack& axis() const { return kind == Kind::slide ? slide : A[2]; }
  template <Kind known>
  const Pack& axis() const {
    return known == Kind::slide ? slide : A[2];
  }
  Mat3 frame() const {
    Mat3 result;
    result << vec3(A[0]), vec3(A[1]), vec3(A[2]);
    return result;
  }
};

/// p on (angular, linear)
struct Wrench {
  Pack n = zero_pack(), f = zero_pack();
  void operator+=(const Wrench& b) { n += b.n, f += b.f; }
};

/// [J H; H^T m] on (angular, linear)
struct Inertia {
  SymmetricPack J, m;
  MatrixPack H;
  void operator+=(const Inertia& b) { J += b.J, m += b.m, H += b.H; }
};

struct Symmetric {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  explicit Symmetric(const SymmetricPack& A)
      : xx(A.diagonal[0]), xy(A.others[2]), xz(A.others[1]), yy(A.diagonal[1]), yz(A.others[0]), zz(A.diagonal[2]) {}
};

/// L L^T = J
struct Triangle {
  double a = 1, b = 0, c = 1, d = 0, e = 0, f = 1;  // [a; b c; d e f]
  bool ok = false;                                  // false if a pivot is rounding
  Triangle() = default;
  explicit Triangle(const Symmetric& J) {
    const double least = no_inertia * (J.xx + J.yy + J.zz);
    a = std::sqrt(J.xx), b = J.xy / a, d = J.xz / a;
    const double second = J.yy - b * b;
    c = std::sqrt(second), e = (J.yz - b * d) / c;
    const double third = J.zz - d * d - e * e;
    f = std::sqrt(third);
    ok = J.xx > least && second > least && third > least;
  }
  /// L^-1 x
  Vec3 solve(const Vec3& x) const {
    const double y0 = x[0] / a, y1 = (x[1] - b * y0) / c;
    return {y0, y1, (x[2] - d * y0 - e * y1) / f};
  }
  /// L^-T x
  Vec3 solve_transposed(const Vec3& x) const {
    const double y2 = x[2] / f, y1 = (x[1] - e * y2) / c;
    return {(x[0] - b * y1 - d * y2) / a, y1, y2};
  }
  Vec3 transposed_times(const Vec3& x) const { return {a * x[0] + b * x[1] + d * x[2], c * x[1] + e * x[2], f * x[2]}; }
};

/// What a ball has instead of T and D^-1/2. With all three axes at once D = J = L L^T, and z = L^-1 (Q - n) in world
/// axes, V = (L; H^T L^-T).
struct Ball {
  Triangle L;
  Mat3 G;  // L^-1 H
};

/// J of the link's own bodies, about its place.
inline SymmetricPack own_J(const Link& link) {
  const PackFactor e(broadcast_product(link.A, link.e));
  SymmetricPack J;
  J.diagonal = e.of * e.of;
  J.others = e.next * e.previous;
  if (link.has_d) {
    const PackFactor d(broadcast_product(link.A, link.d));
    J.diagonal += d.of * d.of;
    J.others += d.next * d.previous;
  }
  const Pack sign = broadcast(link.sign);
  J.diagonal = broadcast(link.J_all) + sign * J.diagonal;
  J.others *= sign;
  return J;
}

/// p of the link's own bodies while the joint accelerations are zero, with their J and first moment s.
inline void add_own(const Link& link, const SymmetricPack& J, const PackFactor& s, Wrench& p) {
  const PackFactor omega(link.omega), alpha(link.alpha_bias), bias(link.bias);
  // n = s x a + J alpha + omega x J omega,   f = m a + alpha x s + omega x (omega x s)
  p.n += J * alpha;
  add_cross(p.n, omega, PackFactor(J * omega));
  add_cross(p.n, s, bias);
  p.f += broadcast(link.mass) * link.bias;
  add_cross(p.f, alpha, s);
  add_cross(p.f, omega, PackFactor(cross(omega, s)));
}
inline void add_own(const Link& link, Wrench& p) {
  add_own(link, own_J(link), PackFactor(broadcast_product(link.A, link.first_moment)), p);
}

/// I := X^T I X, the inertia seen from a place at -r.
inline void shift(Inertia& I, const PackFactor& r) {
  const PackFactor diagonal(I.m.diagonal), others(I.m.others);
  MatrixPack &H = I.H, G = H;  // G = H + r x m
  G.first += r.next * others.next;
  G.second += r.next * others.of;
  G.third += r.next * diagonal.previous;
  G.first -= r.previous * others.previous;
  G.second -= r.previous * diagonal.next;
  G.third -= r.previous * others.of;
  // J + (r x H^T)^T + r x G^T
  I.J.diagonal += r.next * (H.third + G.third);
  I.J.diagonal -= r.previous * (H.second + G.second);
  I.J.others += r.of * (next(H.first) - previous(G.first));
  I.J.others += previous(r.of * G.second) - next(r.of * H.third);
  H = G;
}

}  // namespace bricard::spatial_tree
