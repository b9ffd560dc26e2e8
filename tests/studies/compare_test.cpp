#include "bricard/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bricard/load.h"
#include "io/report/compare_tables.h"
#include "support/models.h"

namespace bricard {
namespace compare_test {

using testing_support::shipped;

const ComparedRun& run_named(const Comparison& comparison, const std::string& name) {
  for (const ComparedRun& run : comparison.runs) {
    if (run.name == name) return run;
  }
  throw std::out_of_range(name);
}

TEST(Compare, OverconstrainedStrutByEveryFormulationNamesEachRefusal) {
  CompareOptions options;
  options.common.duration = 0.2;
  options.common.output_step = 0.05;
  options.common.tolerance = 1e-6;
  options.repeats = 0;
  const Comparison comparison = compare(shipped("mcpherson-overconstrained"), options);
  EXPECT_GE(comparison.runs.size(), 60U);
  int completed = 0;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.ran()) {
      EXPECT_GT(run.refusal.size(), 20U) << run.name;
      continue;
    }
    EXPECT_TRUE(run.completed()) << run.name << ": " << run.summary.failure;
    ++completed;
    EXPECT_GT(run.summary.evaluations, 0);
    EXPECT_EQ(run.times.size(), 5U) << run.name;
    // Penalty has an error of its own; everything else is within the tolerance's reach.
    EXPECT_LT(run.error, run.asked.formulation == "penalty" ? 1e-3 : 1e-4) << run.name;
  }
  EXPECT_GT(completed, 40);
  // Redundant rows: plain lagrange has no unique multipliers.
  EXPECT_NE(run_named(comparison, "lagrange none").refusal.find("lagrange"), std::string::npos);
  EXPECT_NE(run_named(comparison, "lagrange-block projection").refusal.find("lagrange-block"), std::string::npos);
  EXPECT_TRUE(run_named(comparison, "nullspace-svd projection").completed());
}

TEST(Compare, TighterTolerancesHaveSmallerErrorsAndCostMore) {
  CompareOptions options;
  options.formulations = {"lagrange", "nullspace-qr"};
  options.stabilizations = {"projection"};
  options.integrators = {"dopri5"};
  options.tolerances = {1e-4, 1e-6, 1e-8};
  options.common.duration = 2;
  options.repeats = 1;
  const Comparison comparison = compare(shipped("four-bar"), options);
  ASSERT_EQ(comparison.runs.size(), 6U);
  for (const std::string formulation : {"lagrange", "nullspace-qr"}) {
    const ComparedRun &loose = run_named(comparison, formulation + " 0.0001"),
                      &middle = run_named(comparison, formulation + " 1e-06"),
                      &tight = run_named(comparison, formulation + " 1e-08");
    EXPECT_GT(loose.error, 3 * middle.error);
    EXPECT_GT(middle.error, 3 * tight.error);
    EXPECT_LT(loose.summary.evaluations, tight.summary.evaluations);
    EXPECT_GT(loose.cpu_seconds, 0);
  }
  EXPECT_EQ(comparison.ranking().size(), 6U);
  EXPECT_FALSE(comparison.verdict().empty());
}

TEST(Compare, CountsNewtonIterationsAndSwitches) {
  CompareOptions options;
  options.formulations = {"lagrange", "independent"};
  options.stabilizations = {"auto"};
  options.integrators = {"dopri5", "bdf"};
  options.common.duration = 3;
  options.common.tolerance = 1e-5;
  options.repeats = 0;
  const Comparison comparison = compare(shipped("four-bar"), options);
  EXPECT_EQ(run_named(comparison, "lagrange dopri5").summary.newton_iterations, 0);
  EXPECT_GT(run_named(comparison, "lagrange bdf").summary.newton_iterations,
            run_named(comparison, "lagrange bdf").summary.steps);
  EXPECT_EQ(run_named(comparison, "lagrange dopri5").summary.renewals, 0);
}

TEST(Compare, VariesPseudoinversesOnlyWhereTheyAreUsed) {
  CompareOptions options;
  options.formulations = {"lagrange-pseudoinverse", "nullspace-svd"};
  options.pseudoinverses = {"svd", "greville"};
  options.stabilizations = {"projection"};
  options.common.duration = 0.1;
  options.repeats = 0;
  const Comparison comparison = compare(shipped("five-bar"), options);
  ASSERT_EQ(comparison.runs.size(), 3U);
  EXPECT_EQ(comparison.runs[0].name, "lagrange-pseudoinverse svd");
  EXPECT_EQ(comparison.runs[1].name, "lagrange-pseudoinverse greville");
  EXPECT_EQ(comparison.runs[2].name, "nullspace-svd");
}

TEST(Compare, UnknownNamesAreRefusedWithTheNearest) {
  CompareOptions options;
  options.formulations = {"lagrang"};
  try {
    compare(shipped("pendulum"), options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lagrange"), std::string::npos);
  }
}

// Two rows that differ by a known displacement and a known rotation.
TEST(Compare, ErrorIsTheLargestDifferenceOfPlaces) {
  const auto planar = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [-3, -4], B: [3, 4]}\n"
      "bodies: {b: {mass: 1, inertia: 1, center: A}, c: {mass: 1, inertia: 1, center: B}}\n",
      "test");
  ASSERT_NEAR(planar->characteristic_length(), 5, 1e-12);
  MemorySink a, b;
  a.columns = b.columns = {"time", "b.x", "b.y", "b.angle", "c.x", "c.y", "c.angle"};
  a.rows = {(Vector(7) << 0, 0, 0, 0, 0, 0, 0).finished(), (Vector(7) << 1, 0, 0, 0, 0, 0, 0).finished()};
  b.rows = {(Vector(7) << 0, 0, 0, 0, 0, 0, 0).finished(), (Vector(7) << 1, 0.3, 0.4, 0, 0, 0, 0.05).finished()};
  EXPECT_NEAR(motion_error(*planar, a, b), 0.1, 1e-12);
  b.rows = {(Vector(7) << 0, 0, 0, 0, 0, 0, 0).finished(), (Vector(7) << 1, 0.3, 0.4, 0, 0, 0, 0.2).finished()};
  EXPECT_NEAR(motion_error(*planar, a, b), 0.2, 1e-12);
}

// An orientation off by 0.2 rad about z, once with the quaternion's sign changed; times that do not meet; a gap.
TEST(Compare, ErrorOfSpatialOrientationsAndOfMissingNumbers) {
  const auto spatial = load_text("bricard: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}\n", "test");
  MemorySink a, b;
  a.columns = b.columns = {"time", "b.x", "b.y", "b.z", "b.qw", "b.qx", "b.qy", "b.qz"};
  a.rows = {(Vector(8) << 1, 0, 0, 0, 1, 0, 0, 0).finished()};
  const auto turned = [](double time, double y) {
    return (Vector(8) << time, 0, y, 0, -std::cos(0.1), 0, 0, -std::sin(0.1)).finished();
  };
  b.rows = {turned(1, 0)};
  EXPECT_NEAR(motion_error(*spatial, a, b), 0.2, 1e-12);
  b.rows = {turned(1.0003, 0)};
  EXPECT_TRUE(std::isinf(motion_error(*spatial, a, b)));
  b.rows = {turned(1, std::nan(""))};
  EXPECT_TRUE(std::isinf(motion_error(*spatial, a, b)));
}

TEST(Compare, AReferenceWithoutABodyIsRefused) {
  MemorySink reference;
  reference.columns = {"time", "energy.total"};
  CompareOptions options;
  options.reference = &reference;
  options.threads = 4;
  EXPECT_THROW(compare(shipped("pendulum"), options), InputError);
  options.reference = nullptr;
  options.tolerances = {0};
  EXPECT_THROW(compare(shipped("pendulum"), options), InputError);
}

TEST(Compare, RanksCheapRunsOfOrdinaryAccuracyFirst) {
  Comparison comparison;
  const auto add = [&](const char* name, double error, double seconds) {
    ComparedRun run;
    run.name = name, run.error = error, run.cpu_seconds = seconds, run.summary.completed = true;
    comparison.runs.push_back(run);
  };
  add("dear", 1e-6, 3), add("cheap", 2e-6, 1), add("wrong", 1e-2, 0.1), add("middle", 1e-6, 2);
  std::string order;
  for (const ComparedRun* run : comparison.ranking()) order += run->name + " ";
  EXPECT_EQ(order, "cheap middle dear wrong ");
}

TEST(Compare, TablesHaveARowForEveryCombination) {
  CompareOptions options;
  options.formulations = {"lagrange", "nullspace-svd"};
  options.stabilizations = {"projection"};
  options.common.duration = 0.1;
  options.repeats = 0;
  const auto model = shipped("five-bar");
  const Comparison comparison = compare(model, options);
  const std::string csv = comparison_csv(comparison), text = comparison_text(comparison),
                    json = comparison_json(comparison);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  const std::string header = csv.substr(0, csv.find('\n')),
                    completed_row = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(completed_row.begin(), completed_row.end(), ','));
  std::size_t line = csv.find('\n') + 1;
  const std::string second = csv.substr(line, csv.find('\n', line) - line);
  EXPECT_NE(second.find("refused"), std::string::npos);
  EXPECT_NE(text.find("refused: "), std::string::npos);
  EXPECT_NE(json.find("\"status\": \"refused\""), std::string::npos);
  const ReportData report = comparison_report(model, comparison, "bricard compare");
  EXPECT_EQ(report.tables[0].rows.size(), 2U);
  EXPECT_EQ(report.plots.size(), 4U);
}

}  // namespace compare_test
}  // namespace bricard
