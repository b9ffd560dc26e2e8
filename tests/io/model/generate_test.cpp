// Families of mechanisms of any size.

#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard {
namespace generate_test {

using testing_support::generate;

TEST(Generate, AClosedChainHasFiveFreedomsLessThanLinksAndNoRedundantEquation) {
  for (const int links : {6, 8, 9, 40}) {
    const auto model = load_text(generate("closed-chain", links), "chain");
    const SimulationResult result = simulate(model, {.coordinates = "reference-point", .duration = 0.01});
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    // Gruebler: 6 freedoms a bar, 5 equations a hinge, one hinge more than bars.
    EXPECT_EQ(result.summary.structure.degrees_of_freedom, 6 * links - 5 * (links + 1)) << links;
    EXPECT_EQ(result.summary.structure.rank, 5 * (links + 1)) << links;
  }
  EXPECT_THROW(generate("closed-chain", 5), InputError);
}

TEST(Generate, AClosedChainMovesInSpaceAsAnotherProgramHasIt) {
  const auto model = load_text(generate("closed-chain", 8), "chain");
  const SimulationResult result = simulate(model, {.tolerance = 1e-10, .duration = 0.5});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  const std::size_t last = result.data.rows.size() - 1;
  // Simbody 3.7, Runge-Kutta-Merson, accuracy 1e-12.
  EXPECT_NEAR(result.data.at(last, "middle_x"), 0.320000000000, 1e-8);
  EXPECT_NEAR(result.data.at(last, "middle_y"), 0.030073623118, 1e-8);
  EXPECT_NEAR(result.data.at(last, "middle_z"), -0.171962551919, 1e-8);
}

}  // namespace generate_test
}  // namespace bricard
