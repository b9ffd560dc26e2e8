// Rows and reactions that nobody reads are not computed, and what a summary says stays true.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyses/run/no_sink.h"
#include "analyses/run/recorder.h"
#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace wanted_rows_test {

std::shared_ptr<const Model> shipped(const std::string& name) {
  return load(std::string(BRICARD_SOURCE_DIR) + "/models/" + name + ".yaml");
}

/// Wants time and energies.
class EnergySink : public MemorySink {
 public:
  bool wants_column(int column) const override {
    return column == 0 || columns[static_cast<std::size_t>(column)].starts_with("energy.");
  }
};

TEST(WantedRows, TheLastRowIsCompleteWhateverIsWanted) {
  for (const char* const name : {"five-bar", "bricard", "mcpherson", "driven-slider-crank", "hanging-chain"}) {
    const auto model = shipped(name);
    Method method;
    method.duration = 0.5, method.output_step = 0.01;
    MemorySink all;
    EnergySink some;
    NoSink none;
    const Summary with = simulate(model, method, all), partly = simulate(model, method, some),
                  without = simulate(model, method, none);
    ASSERT_TRUE(with.ok() && partly.ok() && without.ok()) << name;
    ASSERT_EQ(with.final.size(), without.final.size()) << name;
    EXPECT_EQ(with.columns, without.columns);
    for (int k = 0; k < with.final.size(); ++k) {
      EXPECT_EQ(with.final[k], partly.final[k]) << name << " " << with.columns[k];
      EXPECT_EQ(with.final[k], without.final[k]) << name << " " << with.columns[k];
    }
    EXPECT_EQ(with.steps, without.steps) << name;
    EXPECT_EQ(with.energy_drift, without.energy_drift) << name;
    // Of the same size, at other instants.
    EXPECT_LT(without.constraint_position_max, 10 * with.constraint_position_max + 1e-12) << name;
    EXPECT_NEAR(without.energy_scale, with.energy_scale, 0.1 * with.energy_scale) << name;
    // A row that is read costs an evaluation, and interpolating to it may cost more; one that is not read costs at most
    // one for each step.
    EXPECT_LE(without.evaluations - without.outputs, with.evaluations - with.outputs) << name;
    EXPECT_LE(without.outputs, std::min(with.outputs, without.steps + 2)) << name;
  }
}

TEST(WantedRows, ReactionsThatNobodyReadsAreLeftOut) {
  const auto model = shipped("five-bar");
  Method method;
  method.duration = 0.5;
  EnergySink some;
  MemorySink all;
  ASSERT_TRUE(simulate(model, method, some).ok());
  ASSERT_TRUE(simulate(model, method, all).ok());
  ASSERT_EQ(some.rows.size(), all.rows.size());
  const int force = all.index("A1.fy");
  for (std::size_t k = 0; k < all.rows.size(); ++k) {
    EXPECT_EQ(some.at(k, "energy.total"), all.at(k, "energy.total"));
    EXPECT_NE(all.rows[k][force], 0);
    EXPECT_EQ(some.rows[k][force], k + 1 < all.rows.size() ? 0 : all.rows[k][force]);
  }
}

// Stopped from outside between two rows: the state reached is there, complete, and is no row.
TEST(WantedRows, AnInterruptedRunSaysWhereItIs) {
  const auto model = shipped("pendulum");
  Method method;
  method.duration = 10, method.output_step = 0.3;
  for (const bool rows : {true, false}) {
    MemorySink memory;
    NoSink none;
    int asked = 0;
    SimulationOptions options;
    options.interrupted = [&] { return ++asked == 20; };
    const Summary s = simulate(model, method, rows ? static_cast<Sink&>(memory) : none, options);
    EXPECT_FALSE(s.ok());
    EXPECT_TRUE(s.interrupted);
    EXPECT_EQ(s.steps, 20);
    EXPECT_GT(s.time, 0);
    EXPECT_LT(s.time, 10);
    EXPECT_EQ(s.final[0], s.time);
    EXPECT_EQ(s.failure, fmt::format("The run was interrupted at t = {:.9g} s.", s.time));
    const auto column = [&](const char* name) {
      return s.final[static_cast<int>(std::find(s.columns.begin(), s.columns.end(), name) - s.columns.begin())];
    };
    // The hinge carries what accelerates the rod: not zero, and consistent with its energy.
    EXPECT_NE(column("A.fy"), 0);
    EXPECT_NEAR(column("energy.total"), column("energy.kinetic") + column("energy.potential"), 1e-12);
    if (rows) {
      ASSERT_FALSE(memory.rows.empty());
      EXPECT_LE(memory.rows.back()[0], s.time);
      EXPECT_NEAR(std::remainder(memory.rows.back()[0], 0.3), 0, 1e-12);
    }
  }
}

}  // namespace wanted_rows_test
}  // namespace bricard
