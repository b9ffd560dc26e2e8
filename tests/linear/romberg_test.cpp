#include "linear/romberg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bricard {
namespace romberg_test {

TEST(Romberg, FindsDerivativesOfVeryDifferentFunctionsAtOnce) {
  Romberg romberg(5);
  const Vector derivative = romberg.differentiate(
      [](double s, VectorRef f) {
        f << std::sin(1 + s), std::tanh(s / 1e-3), 3 * s + 1000, std::exp(5 * s), s * s * s + 1e3 * s * s;
      },
      1);
  const double expected[] = {std::cos(1), 1000, 3, 5, 0}, tolerance[] = {1e-13, 1e-9, 1e-12, 1e-11, 1e-11};
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(derivative[k], expected[k], tolerance[k]) << k;
    EXPECT_LE(std::abs(derivative[k] - expected[k]), 10 * romberg.error()[k]) << k;  // the estimate is none too small
    EXPECT_LE(romberg.error()[k], 1e-6) << k;
  }
}

TEST(Romberg, LinearAndQuadraticFunctionsAreExactAndCheap) {
  Romberg romberg(2);
  int calls = 0;
  const Vector derivative = romberg.differentiate(
      [&](double s, VectorRef f) {
        ++calls;
        f << 7 - 0.375 * s, 1 + s * s;
      },
      64);
  EXPECT_EQ(derivative[0], -0.375);
  EXPECT_EQ(derivative[1], 0);
  EXPECT_LE(calls, 4);
}

TEST(Romberg, RoundingOfTermsThatCancelIsNoDerivative) {
  // (1 + s)^2 - 1 - 2 s - s^2, from steps that are no powers of two: rounding, and the shorter the step the steeper.
  for (int k = 0; k < 32; ++k) {
    Romberg romberg(1, Vector::Constant(1, 4.0));
    const Vector& derivative = romberg.differentiate(
        [](double s, VectorRef value) { value[0] = (1 + s) * (1 + s) - 1 - 2 * s - s * s; }, 0.5 / (1 + k / 32.0));
    EXPECT_LT(std::abs(derivative[0]), 1e-14) << k;
    EXPECT_LT(romberg.error()[0], 1e-13) << k;
  }
}

TEST(Romberg, PassesOverStepsOutsideTheDomain) {
  Romberg romberg(1);
  const Vector derivative = romberg.differentiate([](double s, VectorRef f) { f << std::sqrt(0.01 + s); }, 1);
  EXPECT_NEAR(derivative[0], 5, 1e-9);
  romberg.differentiate([](double, VectorRef f) { f << std::nan(""); }, 1);
  EXPECT_TRUE(std::isinf(romberg.error()[0]));
}

TEST(Romberg, PowersOfTwo) {
  EXPECT_EQ(power_of_two_below(5), 4);
  EXPECT_EQ(power_of_two_below(0.3), 0.25);
  EXPECT_EQ(power_of_two_below(0), 1);
}

}  // namespace romberg_test
}  // namespace bricard
