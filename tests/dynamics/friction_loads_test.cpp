// Loads of joints with friction in proportion to them, against solutions by hand.
#include "dynamics/friction_loads.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bricard {
namespace friction_loads_test {

FrictionLoads one_joint(const Vec3& free, const Vec3& per_load) {
  FrictionLoads loads(1);
  loads.free() = free;
  loads.per_load() = per_load;
  return loads;
}

TEST(FrictionLoadsTest, OfOneJoint) {
  FrictionLoads none = one_joint({3, 4, 0}, {0, 0, 0});
  ASSERT_TRUE(none.solve());
  EXPECT_NEAR(none.loads()[0], 5, 1e-14);
  // n = 1 + 0.9 n
  FrictionLoads raised = one_joint({1, 0, 0}, {0.9, 0, 0});
  ASSERT_TRUE(raised.solve());
  EXPECT_NEAR(raised.loads()[0], 10, 1e-12);
  // n = |1 - 3 n|: 1/4, which grows out of 1 with the friction, and 1/2, which does not. Repeated substitution
  // diverges.
  FrictionLoads relieved = one_joint({1, 0, 0}, {-3, 0, 0});
  ASSERT_TRUE(relieved.solve());
  EXPECT_NEAR(relieved.loads()[0], 0.25, 1e-14);
  // Across: n^2 = 1 + 0.64 n^2
  FrictionLoads across = one_joint({1, 0, 0}, {0, 0.8, 0});
  ASSERT_TRUE(across.solve());
  EXPECT_NEAR(across.loads()[0], 1 / 0.6, 1e-13);
}

TEST(FrictionLoadsTest, JamsWhereFrictionFeedsItself) {
  EXPECT_FALSE(one_joint({1, 0, 0}, {1, 0, 0}).solve());
  EXPECT_FALSE(one_joint({1, 0, 0}, {1.2, 0, 0}).solve());
  EXPECT_FALSE(one_joint({1, 0, 0}, {0, 1.01, 0}).solve());
  EXPECT_FALSE(one_joint({1, 0, 0}, {1e6, 0, 0}).solve());
}

TEST(FrictionLoadsTest, OfJointsThatLoadEachOther) {
  const auto pair = [](double c) {
    FrictionLoads loads(2);
    loads.free() << 1, 0, 0, 0, 2, 0;
    loads.per_load().setZero();
    loads.per_load()(0, 1) = c;  // n1 = 1 + c n2, n2 = 2 + c n1
    loads.per_load()(4, 0) = c;
    return loads;
  };
  FrictionLoads loads = pair(0.6);
  ASSERT_TRUE(loads.solve());
  EXPECT_NEAR(loads.loads()[0], (1 + 0.6 * 2) / (1 - 0.36), 1e-12);
  EXPECT_NEAR(loads.loads()[1], (2 + 0.6) / (1 - 0.36), 1e-12);
  FrictionLoads jammed = pair(1.1);
  EXPECT_FALSE(jammed.solve());
  EXPECT_EQ(jammed.jammed(), 1);
}

}  // namespace friction_loads_test
}  // namespace bricard
