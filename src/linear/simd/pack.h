// Four numbers that are worked on alike, one from each of four runs: the lanes of a vector register.
#pragma once

#include <algorithm>
#include <cmath>

#include "linear/simd/loose_vector.h"

namespace bricard {

struct Pack {
  static constexpr int lanes = 4;
  // Numbers of Eigen's vectors are viewed as packs: those are aligned to less than a register.
  BRICARD_LOOSE_VECTOR(Register, double, 8 * lanes);
  BRICARD_LOOSE_VECTOR(Bits, long long, 8 * lanes);
  Register value;

  Pack() = default;
  Pack(double x) : value{x, x, x, x} {}  // NOLINT(google-explicit-constructor): numbers mix with packs
  // Of our own, so that packs are passed in memory: by value it would depend on the processor a caller is compiled for.
  Pack(const Pack& b) : value(b.value) {}  // NOLINT(modernize-use-equals-default)
  Pack& operator=(const Pack& b) {         // NOLINT(modernize-use-equals-default)
    value = b.value;
    return *this;
  }
  double& operator[](int lane) { return reinterpret_cast<double*>(&value)[lane]; }
  double operator[](int lane) const { return reinterpret_cast<const double*>(&value)[lane]; }

  Pack& operator+=(const Pack& b) { return value += b.value, *this; }
  Pack& operator-=(const Pack& b) { return value -= b.value, *this; }
  Pack& operator*=(const Pack& b) { return value *= b.value, *this; }
  Pack& operator/=(const Pack& b) { return value /= b.value, *this; }
  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a) += b; }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a) -= b; }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a) *= b; }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a) /= b; }
  friend Pack operator-(const Pack& a) {
    Pack result;
    result.value = -a.value;
    return result;
  }
};

inline Pack sqrt(const Pack& a) {
  Pack root;
#ifdef __SSE2__
  BRICARD_LOOSE_VECTOR(Half, double, 16);
  static_assert(alignof(Pack::Register) == 8 && alignof(Half) == 8);
  const Half *from = reinterpret_cast<const Half*>(&a.value), low = __builtin_ia32_sqrtpd(from[0]),
             high = __builtin_ia32_sqrtpd(from[1]);
  root.value = Pack::Register{low[0], low[1], high[0], high[1]};
#else
  for (int k = 0; k < Pack::lanes; ++k) root[k] = std::sqrt(a[k]);
#endif
  return root;
}

inline Pack absolute(const Pack& a) {
  Pack result;
  result.value = a.value < 0 ? -a.value : a.value;
  return result;
}
/// Lane by lane; `b` where `a` is not a number.
inline Pack larger(const Pack& a, const Pack& b) {
  Pack result;
  result.value = a.value > b.value ? a.value : b.value;
  return result;
}
/// Lane by lane: zero where |a| <= bound.
inline Pack zero_where_small(const Pack& a, const Pack& bound) {
  Pack result;
  // NOLINTNEXTLINE(misc-redundant-expression): zero, but not of what is no number
  result.value = ((a.value <= bound.value) & (-a.value <= bound.value)) ? a.value - a.value : a.value;
  return result;
}
inline double largest_lane(const Pack& a) { return std::max({a[0], a[1], a[2], a[3]}); }

// x = k pi/2 + r, |r| <= pi/4, with pi/2 in three parts of which two have room for k in a product; then the polynomials
// of fdlibm, s_sin.c and k_cos.c. Absolute errors are of the size of one rounding.
inline void sine_and_cosine(const Pack& angle, Pack& sine, Pack& cosine) {
  using Register = Pack::Register;
  using Bits = Pack::Bits;
  constexpr double largest = 1e5;
  if (!(largest_lane(absolute(angle)) < largest)) {
    for (int k = 0; k < Pack::lanes; ++k) sine[k] = std::sin(angle[k]), cosine[k] = std::cos(angle[k]);
    return;
  }
  constexpr double per_quarter = 6.36619772367581382433e-01, to_whole = 6755399441055744.0;  // 1.5 2^52
  const Register shifted = angle.value * per_quarter + to_whole;
  const Register k = shifted - to_whole;
  const Bits quarter = (Bits)shifted;
  const Register r = ((angle.value - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) -
                     k * 2.02226624879595063154e-21;
  const Register z = r * r;
  const Register s = r + r * z *
                             (-1.66666666666666324348e-01 +
                              z * (8.33333333332248946124e-03 +
                                   z * (-1.98412698298579493134e-04 +
                                        z * (2.75573137070700676789e-06 +
                                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const Register tail = z * (4.16666666666666019037e-02 +
                             z * (-1.38888888888741095749e-03 +
                                  z * (2.48015872894767294178e-05 +
                                       z * (-2.75573143513906633035e-07 +
                                            z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const Register half = 0.5 * z, w = 1.0 - half;
  const Register c = w + (((1.0 - w) - half) + z * tail);
  const Bits odd = -(quarter & 1);
  const Bits sine_bits = (odd & (Bits)c) | (~odd & (Bits)s), cosine_bits = (odd & (Bits)s) | (~odd & (Bits)c);
  sine.value = (Register)(sine_bits ^ ((quarter & 2) << 62));
  cosine.value = (Register)(cosine_bits ^ (((quarter + 1) & 2) << 62));
}
inline void sine_and_cosine(double angle, double& sine, double& cosine) {
  sine = std::sin(angle), cosine = std::cos(angle);
}

/// 1 / sqrt(pivot), or 0 and one more missing where the pivot is not above the least.
inline Pack inverse_roots(const Pack& pivot, const Pack& least, int& missing) {
  const Pack::Bits large = pivot.value > least.value;
  Pack inverse = Pack(1) / sqrt(pivot);
  inverse.value = (Pack::Register)((Pack::Bits)inverse.value & large);
  missing += static_cast<int>(Pack::lanes + (large[0] + large[1] + large[2] + large[3]));
  return inverse;
}

}  // namespace bricard
