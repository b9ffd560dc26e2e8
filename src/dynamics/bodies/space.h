// What differs between the plane and space for BodyKernel: vectors, rotations and moments of numbers or packs.
#pragma once

#include <type_traits>

#include "bricard/types.h"
#include "linear/simd/loose_vector.h"
#include "linear/simd/pack.h"

namespace bricard::graph {

template <class Real>
struct Vec2 {
  Real x, y;
  Real operator[](int k) const { return k == 0 ? x : y; }
  friend Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec2 operator*(const Real& k, const Vec2& a) { return {k * a.x, k * a.y}; }
  friend Real dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
};

/// A vector in the plane in one register.
using Pair = double __attribute__((vector_size(16)));
BRICARD_LOOSE_VECTOR(LoosePair, double, 16);
static_assert(alignof(LoosePair) == 8);
inline Pair pair(const double* p) { return *reinterpret_cast<const LoosePair*>(p); }
inline Pair pair(const Vec2<double>& v) { return pair(&v.x); }
inline void store(const Pair& v, double* p) { *reinterpret_cast<LoosePair*>(p) = v; }

template <class Real>
struct Vec3D {
  Real x, y, z;
  Real operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
  friend Vec3D operator+(const Vec3D& a, const Vec3D& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3D operator-(const Vec3D& a, const Vec3D& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3D operator*(const Real& k, const Vec3D& a) { return {k * a.x, k * a.y, k * a.z}; }
  friend Real dot(const Vec3D& a, const Vec3D& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vec3D cross(const Vec3D& a, const Vec3D& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

/// Rows of a 3 x 3 matrix.
template <class Real>
struct Mat3D {
  Vec3D<Real> r0, r1, r2;
  friend Vec3D<Real> operator*(const Mat3D& m, const Vec3D<Real>& v) {
    return {dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)};
  }
  /// transposed times v
  friend Vec3D<Real> turn_back(const Mat3D& m, const Vec3D<Real>& v) { return v.x * m.r0 + v.y * m.r1 + v.z * m.r2; }
};

/// What differs between the plane and space. `Vec`: places; `Ang`: rotations and moments.
template <int D, class Real>
struct Space;

template <class Real>
struct Space<2, Real> {
  static constexpr int positions = 3, velocities = 3, angular = 1;
  using Vec = Vec2<Real>;
  using Ang = Real;
  struct Frame {  // a body's axes
    Real c, s;
  };
  struct Inertia {};

  static Vec vec(const Vec3& v) { return {Real(v.x()), Real(v.y())}; }
  static Vec load(const Real* p) { return {p[0], p[1]}; }
  static void copy(const Real* from, Vec& to) {
    if constexpr (std::is_same_v<Real, double>) {
      graph::store(pair(from), &to.x);
    } else {
      to = load(from);
    }
  }
  static void store(const Vec& v, Real* p) { p[0] = v.x, p[1] = v.y; }
  static Ang load_angular(const Real* p) { return p[0]; }
  static void store_angular(const Ang& a, Real* p) { p[0] = a; }
  static Ang no_rotation() { return Real(0); }
  static Vec no_force() { return {Real(0), Real(0)}; }
  static Frame ground_frame() { return {Real(1), Real(0)}; }
  static Frame frame(const Real* p) {
    Frame f;
    sine_and_cosine(p[0], f.s, f.c);
    return f;
  }
  static Vec turned(const Frame& f, const Vec& l) { return {f.c * l.x - f.s * l.y, f.s * l.x + f.c * l.y}; }
  /// omega x s, and omega x (omega x s)
  static Vec rate(const Ang& w, const Vec& s) { return {-(w * s.y), w * s.x}; }
  static Vec bias(const Ang& w, const Vec& s) {
    const Real k = -(w * w);
    return {k * s.x, k * s.y};
  }
  static Ang moment(const Vec& s, const Vec& f) { return s.x * f.y - s.y * f.x; }
  static Real product(const Ang& a, const Ang& b) { return a * b; }
};

template <class Real>
struct Space<3, Real> {
  static constexpr int positions = 7, velocities = 6, angular = 3;
  using Vec = Vec3D<Real>;
  using Ang = Vec3D<Real>;
  using Frame = Mat3D<Real>;
  struct Inertia {
    Mat3D<Real> inertia, root;  // body axes; root root^T = inertia^-1
  };

  static Vec vec(const Vec3& v) { return {Real(v.x()), Real(v.y()), Real(v.z())}; }
  static Vec load(const Real* p) { return {p[0], p[1], p[2]}; }
  static void copy(const Real* from, Vec& to) { to = load(from); }
  static void store(const Vec& v, Real* p) { p[0] = v.x, p[1] = v.y, p[2] = v.z; }
  static Ang load_angular(const Real* p) { return load(p); }
  static void store_angular(const Ang& a, Real* p) { store(a, p); }
  static Ang no_rotation() { return {Real(0), Real(0), Real(0)}; }
  static Vec no_force() { return no_rotation(); }
  static Frame ground_frame() {
    const Real o(0), i(1);
    return {{i, o, o}, {o, i, o}, {o, o, i}};
  }
  /// Of the quaternion p/|p|.
  static Frame frame(const Real* p) {
    const Real w = p[0], x = p[1], y = p[2], z = p[3];
    const Real k = Real(2) / (w * w + x * x + y * y + z * z);
    const Real kx = k * x, ky = k * y, kz = k * z, i(1);
    const Real wx = kx * w, wy = ky * w, wz = kz * w, xx = kx * x, xy = kx * y, xz = kx * z, yy = ky * y, yz = ky * z,
               zz = kz * z;
    return {{i - yy - zz, xy - wz, xz + wy}, {xy + wz, i - xx - zz, yz - wx}, {xz - wy, yz + wx, i - xx - yy}};
  }
  static Vec turned(const Frame& f, const Vec& l) { return f * l; }
  static Vec rate(const Ang& w, const Vec& s) { return cross(w, s); }
  static Vec bias(const Ang& w, const Vec& s) { return dot(w, s) * w - dot(w, w) * s; }
  static Ang moment(const Vec& s, const Vec& f) { return cross(s, f); }
  static Real product(const Ang& a, const Ang& b) { return dot(a, b); }
};

}  // namespace bricard::graph
