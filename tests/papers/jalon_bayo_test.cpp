// Garcia de Jalon and Bayo, table 5.1: the numbers as printed, and ours against what a penalty must leave.
#include "papers/reproduction_checks.h"

namespace bricard {
namespace paper_list {
Paper jalon_bayo();
}
namespace reproduce_jalon_bayo_test {

using namespace testing_support;

TEST(ReproduceJalonBayo, Table51) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "table-5.1");
  expect_sound(item);
  const ReproducedTable &errors = item.tables[0], &times = item.tables[1];
  ASSERT_EQ(errors.rows.size(), 6u);
  EXPECT_EQ(value(errors, "1e1", "0: book"), 0.7e-1);
  EXPECT_EQ(value(errors, "1e1", "2: book"), 0.9e-3);
  EXPECT_EQ(value(errors, "1e3", "0: book"), 0.7e-3);
  EXPECT_EQ(value(errors, "1e3", "1: book"), 0.6e-5);
  EXPECT_EQ(value(errors, "1e5", "0: book"), 0.1e-4);
  EXPECT_EQ(value(errors, "1e11", "1: book"), 0.9e-5);
  EXPECT_EQ(value(errors, "1e11", "2: book"), 0.2e-4);
  EXPECT_EQ(value(times, "1e1", "0: book, s"), 10.5);
  EXPECT_EQ(value(times, "1e7", "1: book, s"), 13.3);
  EXPECT_EQ(value(times, "1e11", "2: book, s"), 21.9);

  // Without iterations the penalty alone carries the reactions: error proportional to 1/penalty until the integrator's
  // own error; one iteration removes it from 1e3 up.
  EXPECT_NEAR(value(errors, "1e1", "0: ours at 1e-06") / value(errors, "1e3", "0: ours at 1e-06"), 100, 15);
  for (const char* penalty : {"1e3", "1e5", "1e7", "1e9", "1e11"}) {
    for (const char* column : {"1: ours at 1e-06", "2: ours at 1e-06"})
      EXPECT_LT(value(errors, penalty, column), 3e-5) << penalty;
  }
  EXPECT_TRUE(claim(item, "considerably widens").confirmed) << claim(item, "considerably widens").measured;
  EXPECT_TRUE(claim(item, "1/penalty").confirmed) << claim(item, "1/penalty").measured;
  EXPECT_TRUE(claim(item, "need not be concerned").confirmed) << claim(item, "need not be concerned").measured;
}

TEST(ReproduceJalonBayo, PaperSettingsKeepToThePrintedTolerance) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "table-5.1", true);
  expect_sound(item);
  EXPECT_EQ(item.tables[0].header.size(), 7u);
  EXPECT_EQ(item.tables[0].header[2], "0: ours at 1e-04");
}

}  // namespace reproduce_jalon_bayo_test
}  // namespace bricard
