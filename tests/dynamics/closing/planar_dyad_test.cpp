// Dyads against random loops that close by construction.
#include "dynamics/closing/planar_dyad.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace bricard {
namespace planar_dyad_test {

using Complex = std::complex<double>;

TEST(PlanarDyad, ClosesEveryOrderOfJointsAsItWasMade) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> angle(-3, 3), number(-1, 1);
  for (int order = 0; order < 7; ++order) {  // the eighth, three slides, cannot close
    for (int trial = 0; trial < 200; ++trial) {
      PlanarDyad dyad;
      std::array<double, 3> x{}, theta{};
      for (int k = 0; k < 3; ++k) {
        dyad.slides[k] = (order >> k & 1) != 0;
        x[k] = dyad.slides[k] ? number(random) : angle(random);
        dyad.L[k] = {number(random), number(random)};
        dyad.beta[k] = angle(random);
      }
      for (int k = 1; k < 3; ++k) theta[k] = theta[k - 1] + dyad.beta[k - 1] + (dyad.slides[k] ? 0 : x[k]);
      // The last link and the last turn close the loop.
      Complex sum = 0;
      double turn = 0;
      for (int k = 0; k < 3; ++k) {
        sum += ((dyad.slides[k] ? x[k] : 0) + (k < 2 ? dyad.L[k] : 0)) * std::polar(1.0, theta[k]);
        turn += (dyad.slides[k] ? 0 : x[k]) + (k < 2 ? dyad.beta[k] : 0);
      }
      dyad.L[2] = -sum * std::polar(1.0, -theta[2]);
      dyad.beta[2] = -turn;
      double nearest = INFINITY;
      for (const double branch : {1.0, -1.0}) {
        std::array<double, 3> found{};
        ASSERT_TRUE(dyad.solve(branch, found)) << order;
        double error = 0;
        for (int k = 0; k < 3; ++k) {
          const double difference = found[k] - x[k];
          error =
              std::max(error, std::abs(dyad.slides[k] ? difference : std::remainder(difference, 2 * std::numbers::pi)));
        }
        nearest = std::min(nearest, error);
      }
      EXPECT_LT(nearest, 1e-9) << order;  // near dead points a position is known to the root of rounding
    }
  }
}

TEST(PlanarDyad, RefusesLinksThatCannotMeet) {
  std::array<double, 3> x{};
  EXPECT_FALSE((PlanarDyad{{false, false, false}, {1, 1, 2.1}, {0, 0, 0}}.solve(1, x)));
  EXPECT_TRUE((PlanarDyad{{false, false, false}, {1, 1, 1.9}, {0, 0, 0}}.solve(1, x)));
  // The pin is farther from the slot than its crank is long.
  EXPECT_FALSE((PlanarDyad{{false, false, true}, {1, 0, Complex(0, 1.1)}, {0, 0, 0}}.solve(1, x)));
  EXPECT_FALSE((PlanarDyad{{true, true, true}, {1, 1, 1}, {0, 0, 0}}.solve(1, x)));
}

}  // namespace planar_dyad_test
}  // namespace bricard
