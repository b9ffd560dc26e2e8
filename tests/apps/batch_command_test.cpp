// `batch` as users call it.
#include "support/command_fixture.h"

#include <algorithm>

namespace batch_command_test {

using namespace bricard::testing_support;

class BatchCommand : public CommandFixture {};

TEST_F(BatchCommand, WritesOneRowARun) {
  const std::string csv = folder_ / "batch.csv";
  const Outcome outcome = run("batch " + models + "four-bar.yaml --sweep l2=1.8:1.9:5 --duration 1 --columns alpha " +
                              "--threads 2 --output " + csv);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "5 (0 failed)")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "alpha: ")) << outcome.out;
  const std::string table = read(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  EXPECT_TRUE(table.starts_with("l2,status,time,alpha\n")) << table;
  // The published angle of this model, which is the first of the sweep, at 1 s.
  EXPECT_TRUE(contains(table, "\n1.8,ok,1,8.09457")) << table;
}

TEST_F(BatchCommand, AFailedRunIsARow) {
  const Outcome outcome =
      run("batch " + models + "four-bar.yaml --sweep l2=1.8:9:2 --duration 0.1 --columns alpha --json");
  EXPECT_EQ(outcome.code, 1) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "\"failed\": 1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\"alpha\"")) << outcome.out;
}

TEST_F(BatchCommand, RefusesBadSweeps) {
  EXPECT_EQ(run("batch " + models + "four-bar.yaml").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l2=1:2").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l9=1:2:3").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l2=1.8 --columns beta --duration 0.1").code, 2);
}

}  // namespace batch_command_test
