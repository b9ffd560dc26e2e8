#include "bricard/stepper.h"

#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/model_builder.h"

namespace bricard {
namespace {

std::shared_ptr<const Model> shipped(const std::string& name) {
  return load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml");
}

TEST(Stepper, StepsAreThoseOfSimulate) {
  for (const char* name : {"four-bar", "stick-slip", "slider-crank", "spinning-top", "driven-four-bar"}) {
    const auto model = shipped(name);
    Stepper run(model, {.duration = 1});
    double before = run.time();
    EXPECT_EQ(before, 0);
    long steps = 0;
    while (run.step()) ++steps;
    EXPECT_GT(steps, 3) << name;
    EXPECT_EQ(run.time(), 1);
    const Summary stepped = run.finish(), whole = simulate(model, {.duration = 1}).summary;
    EXPECT_TRUE(stepped.ok()) << stepped.failure;
    EXPECT_EQ(stepped.steps, whole.steps) << name;
    EXPECT_EQ(stepped.columns, whole.columns);
    EXPECT_EQ(stepped.final, whole.final) << name;
  }
}

TEST(Stepper, AdvancesToGivenTimes) {
  const auto model = shipped("four-bar");
  const SimulationResult whole = simulate(model, {.tolerance = 1e-10, .duration = 1, .output_step = 0.25});
  Stepper run(model, {.tolerance = 1e-10, .duration = 1});
  for (std::size_t k = 0; k < whole.data.rows.size(); ++k) {
    ASSERT_TRUE(run.advance(0.25 * static_cast<double>(k)));
    EXPECT_EQ(run.time(), 0.25 * static_cast<double>(k));
    const Vector row = run.row();
    EXPECT_EQ(row[0], run.time());
    for (const Body& body : model->bodies) {
      const int x = run.index(body.name + ".x");
      EXPECT_NEAR(row[x], whole.data.rows[k][x], 1e-7);
    }
  }
  EXPECT_TRUE(run.done());
  EXPECT_FALSE(run.advance(2));
  EXPECT_TRUE(run.finish().ok());
}

TEST(Stepper, EndedEarlyIsAnInterruptedRun) {
  Stepper run(shipped("four-bar"), {.duration = 1});
  ASSERT_TRUE(run.advance(0.3));
  const Summary summary = run.finish();
  EXPECT_FALSE(summary.ok());
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.time, 0.3);
  EXPECT_EQ(summary.final[0], 0.3);
}

class RestoredRun : public testing::TestWithParam<Method> {};

/// Two branches from one state are the same to the last bit, and near the run that never went back.
TEST_P(RestoredRun, GoesOnBitForBit) {
  for (const char* name : {"four-bar", "stick-slip", "spinning-top"}) {
    SCOPED_TRACE(name);
    const auto model = shipped(name);
    Method method = GetParam();
    method.duration = 1;
    const auto fits = [&] {
      try {
        return Stepper(model, method).time() == 0;
      } catch (const InputError&) {
        return false;
      }
    };
    if (!fits()) continue;
    Stepper run(model, method);
    ASSERT_TRUE(run.advance(0.6));
    const auto state = run.state();
    const auto ending = [&](Stepper& of) {
      of.restore(state);
      EXPECT_EQ(of.time(), 0.6);
      EXPECT_EQ(of.state(), state);
      std::vector<Vector> rows = {of.row()};
      while (of.step()) rows.push_back(of.row());
      EXPECT_EQ(of.time(), 1);
      return rows;
    };
    const std::vector<Vector> first = ending(run), again = ending(run);
    Stepper other(model, method);
    EXPECT_EQ(first, again);
    EXPECT_EQ(first, ending(other));
    const Summary straight = simulate(model, method).summary;
    ASSERT_EQ(first.back().size(), straight.final.size());
    for (int k = 0; k < straight.final.size(); ++k) {
      const std::string& column = straight.columns[k];
      const bool position = column.ends_with(".x") || column.ends_with(".y") || column.ends_with(".angle");
      EXPECT_TRUE(!position || std::abs(first.back()[k] - straight.final[k]) < 1e-4) << column;
    }
    const Summary ended = other.finish();
    EXPECT_TRUE(ended.ok()) << ended.failure;
    EXPECT_GT(ended.steps, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RestoredRun,
                         testing::Values(Method{.tolerance = 1e-9},
                                         Method{.coordinates = "reference-point", .formulation = "lagrange-block"},
                                         Method{.coordinates = "natural", .tolerance = 1e-9},
                                         Method{.coordinates = "relative", .tolerance = 1e-9},
                                         Method{.formulation = "independent", .tolerance = 1e-9},
                                         Method{.integrator = "rk4", .step = 1e-3},
                                         Method{.integrator = "bdf", .tolerance = 1e-8}));

TEST(Stepper, RestoredAnglesKeepTheirTurns) {
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = 1, .inertia = 1, .center = {0, 0}});
  m.joint("A", "revolute", ground, "a", {.at = {0, 0}});
  m.initial_rate("A", 100);
  for (const char* coordinates : {"reference-point", "relative", "natural"}) {
    Stepper run(m.build(), {.coordinates = coordinates, .tolerance = 1e-10, .duration = 2});
    ASSERT_TRUE(run.advance(1));
    const int angle = run.index("A.angle");
    EXPECT_NEAR(run.row()[angle], 100, 1e-6);
    const auto state = run.state();
    ASSERT_TRUE(run.advance(2));
    EXPECT_NEAR(run.row()[angle], 200, 1e-6) << coordinates;
    run.restore(state);
    EXPECT_NEAR(run.row()[angle], 100, 1e-6) << coordinates;
    ASSERT_TRUE(run.advance(2));
    EXPECT_NEAR(run.row()[angle], 200, 1e-6) << coordinates;
  }
}

TEST(Stepper, TinyMechanismsAreInSiUnits) {
  ModelBuilder m(Dimension::planar);
  m.gravity({0, 0});
  m.body("a", {.mass = 1e-6, .inertia = 1e-16, .center = {1e-5, 0}});
  m.joint("A", "revolute", ground, "a", {.at = {0, 0}});
  m.initial_rate("A", 2);
  Stepper run(m.build(), {.tolerance = 1e-10, .duration = 1});
  ASSERT_TRUE(run.advance(0.5));
  EXPECT_EQ(run.time(), 0.5);
  EXPECT_NEAR(run.row()[run.index("A.angle")], 1, 1e-8);
  EXPECT_NEAR(run.row()[run.index("a.x")], 1e-5 * std::cos(1), 1e-12);
}

TEST(Stepper, RefusesWhatSimulateRefuses) {
  EXPECT_THROW(Stepper(shipped("four-bar"), {.integrator = "dopri"}), InputError);
}

}  // namespace
}  // namespace bricard
