#include "bricard/result_rows.h"

#include <gtest/gtest.h>

#include "bricard/bricard.h"

namespace bricard {
namespace {

std::shared_ptr<const Model> four_bar() { return load(BRICARD_SOURCE_DIR "/models/four-bar.yaml"); }

TEST(ResultRows, RowsAndColumnsAreTheSameNumbers) {
  ResultRows rows;
  std::vector<Vector> kept;
  for (int k = 0; k < 100; ++k) {
    kept.push_back(Vector::LinSpaced(7, k, 10 * k));
    rows.push_back(kept.back());
    ASSERT_EQ(rows.back(), kept.back());
  }
  ASSERT_EQ(rows.size(), kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_EQ(rows[k], kept[k]);
  for (int c = 0; c < 7; ++c) {
    const ResultRows::Column column = rows.column(c);
    ASSERT_EQ(column.size(), 100);
    EXPECT_EQ(column.innerStride(), 1);
    for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_EQ(column.data()[k], kept[k][c]);
  }
  EXPECT_EQ(std::vector<Vector>(rows), kept);
  EXPECT_TRUE(rows == ResultRows(kept));
  kept[50][3] += 1;
  EXPECT_FALSE(rows == ResultRows(kept));
  EXPECT_THROW(rows.at(100), std::out_of_range);
}

TEST(ResultRows, CopiesStandAlone) {
  ResultRows rows = {Vector::Zero(2)};
  const ResultRows copy = rows;
  for (int k = 0; k < 50; ++k) rows.push_back(Vector::Ones(2));
  EXPECT_EQ(copy.size(), 1u);
  EXPECT_EQ(copy.column(1).size(), 1);
  EXPECT_EQ(copy[0], Vector::Zero(2));
}

TEST(ResultRows, ColumnsOfARunByName) {
  const SimulationResult result = simulate(four_bar(), {.duration = 0.5});
  const ResultRows::Column time = result.data.column("time");
  ASSERT_EQ(static_cast<std::size_t>(time.size()), result.data.rows.size());
  EXPECT_EQ(time[time.size() - 1], 0.5);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row)
    EXPECT_EQ(result.data.column("energy.total")[static_cast<Eigen::Index>(row)], result.data.at(row, "energy.total"));
}

TEST(ResultRows, UnknownColumnNamesTheNearest) {
  const SimulationResult result = simulate(four_bar(), {.duration = 0.1});
  try {
    result.data.column("energy.totl");
    FAIL() << "accepted";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "no column 'energy.totl'; did you mean 'energy.total'?");
  }
}

// What a user asks of a model before a run is what the run does.

TEST(AtStart, IsThatOfTheRun) {
  const auto model = four_bar();
  const Summary run = simulate(model, {.duration = 0.1}).summary;
  const ChosenMethod chosen = choose_method(model, {.duration = 0.1});
  EXPECT_EQ(chosen.reason, run.chosen.reason);
  EXPECT_EQ(chosen.method.coordinates, run.chosen.method.coordinates);
  EXPECT_EQ(chosen.method.output_step, run.chosen.method.output_step);
  const Structure structure = analyze_structure(model, chosen.method.coordinates);
  EXPECT_EQ(structure.degrees_of_freedom, run.structure.degrees_of_freedom);
  EXPECT_EQ(structure.constraints, run.structure.constraints);
  EXPECT_EQ(analyze_structure(model, "natural").degrees_of_freedom, run.structure.degrees_of_freedom);
  EXPECT_THROW(analyze_structure(model, "naturl"), InputError);
}

TEST(AtStart, AssemblyOfATinyMechanismIsInMetres) {
  const auto size = [](double L) {
    ModelBuilder m(Dimension::planar);
    m.gravity({0, 0});
    m.body("a", {.mass = 1, .inertia = L * L, .center = {L, 0}});
    m.joint("A", "revolute", ground, "a", {.at = {0, 0}});
    m.initial_position("A", 0.5);
    m.initial_rate("A", 2);
    return assemble(m.build(), "reference-point");
  };
  const Assembly tiny = size(1e-6), usual = size(1);
  ASSERT_TRUE(tiny.ok && usual.ok);
  EXPECT_NEAR(tiny.q[0], 1e-6 * usual.q[0], 1e-18);
  EXPECT_NEAR(tiny.v[1], 1e-6 * usual.v[1], 1e-18);
  EXPECT_NEAR(tiny.q[2], usual.q[2], 1e-12);
}

TEST(AtStart, LinearizationIsThatOfTheModes) {
  const auto model = load(BRICARD_SOURCE_DIR "/models/spring-platform.yaml");
  const Linearization linear = linearize(model);
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_EQ(linear.A, find_modes(model).linear.A);
}

}  // namespace
}  // namespace bricard
