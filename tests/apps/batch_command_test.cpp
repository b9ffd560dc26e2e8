// `batch` as users call it.
#include "support/command_fixture.h"

#include <algorithm>
#include <vector>

namespace batch_command_test {

using namespace bricard::testing_support;

class BatchCommand : public CommandFixture {
 protected:
  /// A mass that slides at the speed w, so that x = w t.
  std::string slider(const std::string& rest) const {
    const std::string file = folder_ / "slider.yaml";
    std::ofstream(file) << "bricard: 1\ndimension: planar\ngravity: [0, 0]\nparameters: {w: 1, m: 2}\n"
                           "bodies: {b: {center: [0, 0], mass: m, inertia: 1}}\n"
                           "joints: {rail: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}}\n"
                           "initial: {velocities: {rail: w}}\n"
                        << rest;
    return file;
  }
  /// Cells of the table, row by row, without the names.
  std::vector<std::vector<std::string>> rows(const std::string& arguments) const {
    const std::string csv = folder_ / "batch.csv";
    std::filesystem::remove(csv);
    const Outcome outcome = run("batch " + arguments + " --output " + csv);
    std::vector<std::vector<std::string>> table;
    std::ifstream stream(csv);
    for (std::string line; std::getline(stream, line);) {
      table.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) table.back().push_back(cell);
    }
    EXPECT_FALSE(table.empty()) << outcome.out << outcome.error;
    if (!table.empty()) table.erase(table.begin());
    return table;
  }
};

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

// Keys of `simulation:` that depend on what is swept; without forces the runs share lanes where they may.
TEST_F(BatchCommand, EachRunHasItsOwnDuration) {
  for (const std::string force : {"", "forces: {f: {type: force, body: b, at: [0, 0], vector: [0, 0]}}\n"}) {
    const std::string file = slider("simulation: {duration: 2*w, tolerance: 1e-9/w}\n" + force);
    for (const std::string options : {"", " --no-lanes"}) {
      const auto table = rows(file + " --sweep w=0.5:2:4 --columns b.x" + options);
      ASSERT_EQ(table.size(), 4U);
      for (const auto& row : table) {
        const double w = std::stod(row.at(0));
        EXPECT_EQ(row.at(1), "ok");
        EXPECT_NEAR(std::stod(row.at(2)), 2 * w, 1e-12);
        EXPECT_NEAR(std::stod(row.at(3)), 2 * w * w, 1e-9);
      }
    }
  }
}

// The force is not a number from 0.5 s on, if w > 1.5.
TEST_F(BatchCommand, AFailedRunKeepsTheStateThatItReached) {
  const std::string file = slider(
      "forces: {f: {type: force, body: b, at: [0, 0], vector: ['if(w > 1.5, 0*sqrt(0.5 - t), 0)', 0]}}\n"
      "simulation: {duration: 1, step: 0.01}\n");
  const auto table = rows(file + " --sweep w=1:2:2 --columns b.x");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].at(1), "ok");
  EXPECT_NEAR(std::stod(table[0].at(3)), 1, 1e-9);
  EXPECT_EQ(table[1].at(1), "failed");
  const double time = std::stod(table[1].at(2));
  EXPECT_GT(time, 0.4);
  EXPECT_LE(time, 0.5 + 1e-9);
  EXPECT_NEAR(std::stod(table[1].at(3)), 2 * time, 1e-9);
  // The same of a single run.
  const Outcome one = run("run " + file + " --set w=2 --json");
  EXPECT_EQ(one.code, 1);
  EXPECT_TRUE(contains(one.out, "\"final\": {\n    \"time\": 0.4")) << one.out;
}

TEST_F(BatchCommand, APointWithoutAModelKeepsItsParameters) {
  const std::string file = slider("simulation: {duration: 1}\n");
  const auto table = rows(file + " --sweep m=-1:1:3 --sweep w='1:2*1.5:2' --columns b.x");
  ASSERT_EQ(table.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(std::stod(table[k].at(0)), static_cast<double>(k / 2) - 1);
    EXPECT_EQ(std::stod(table[k].at(1)), k % 2 == 0 ? 1 : 3);
    EXPECT_EQ(table[k].at(2), k < 4 ? "failed" : "ok") << k;
  }
}

TEST_F(BatchCommand, RefusesBadSweeps) {
  EXPECT_EQ(run("batch " + models + "four-bar.yaml").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l2=1:2").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l9=1:2:3").code, 2);
  EXPECT_EQ(run("batch " + models + "four-bar.yaml --sweep l2=1.8 --columns beta --duration 0.1").code, 2);
}

}  // namespace batch_command_test
