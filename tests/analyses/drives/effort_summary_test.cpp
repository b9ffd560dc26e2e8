// What a table of efforts calls the largest and the smallest.
#include "bricard/effort_summary.h"

#include <gtest/gtest.h>

#include "bricard/model.h"

namespace bricard::effort_summary_test {

TEST(EffortSummary, OfValuesThatAreEqualButForRoundingTheFirstIsNamed) {
  EffortSummary efforts(Model(), {"time", "motor.power"}, {"motor.power"});
  for (const auto& [time, power] : {std::pair(0.0, 0.0), {0.1, -13.0}, {0.2, -13.0 - 2e-15}, {0.3, 7e-17}})
    efforts.add(Vector{{time, power}});
  EXPECT_EQ(efforts.ranges()[0].most, 0);
  EXPECT_EQ(efforts.ranges()[0].most_time, 0);
  EXPECT_EQ(efforts.ranges()[0].least_time, 0.1);
  efforts.add(Vector{{0.4, 1e-9}});
  EXPECT_EQ(efforts.ranges()[0].most_time, 0.4);
}

}  // namespace bricard::effort_summary_test
