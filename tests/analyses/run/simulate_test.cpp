#include "bricard/simulate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bricard/load.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace simulate_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

TEST(Simulate, EveryCombinationWorksOrIsRefusedWithAReason) {
  for (const char* name : {"pendulum", "five-bar", "rolling-coin", "driven-slider-crank"}) {
    const auto model = load(models + name + ".yaml");
    for (const auto& formulation : formulation_types()) {
      for (const auto& stabilization : stabilization_types()) {
        for (const auto& integrator : integrator_types()) {
          Method method;
          method.formulation = formulation.name, method.stabilization = stabilization.name,
          method.integrator = integrator.name;
          method.tolerance = 1e-6, method.duration = 0.2, method.output_step = 0.1;
          if (integrator.fixed_step) method.step = 1e-3;
          try {
            const SimulationResult result = simulate(model, method);
            EXPECT_TRUE(result.ok()) << name << " " << formulation.name << " " << stabilization.name << " "
                                     << integrator.name << ": " << result.summary.failure;
            EXPECT_LT(result.summary.constraint_position_max, 1e-4);
          } catch (const InputError& error) {
            EXPECT_GT(std::string(error.what()).size(), 30u);
          }
        }
      }
    }
  }
}

TEST(Simulate, OutputsLieOnTheGridAndAtTheEnd) {
  Method method;
  method.duration = 0.35, method.output_step = 0.1;
  const SimulationResult result = simulate(load(models + "pendulum.yaml"), method);
  const double expected[] = {0, 0.1, 0.2, 0.3, 0.35};
  ASSERT_EQ(result.data.rows.size(), 5u);
  for (int k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(result.data.at(k, "time"), expected[k]);
  method.duration = 0.3;
  EXPECT_EQ(simulate(load(models + "pendulum.yaml"), method).data.rows.size(), 4u);
}

TEST(Simulate, OutputDoesNotForceTheStep) {
  Method coarse, fine;
  coarse.duration = fine.duration = 5;
  coarse.integrator = fine.integrator = "dopri5";
  coarse.output_step = 5, fine.output_step = 1e-3;
  const auto model = load(models + "four-bar.yaml");
  EXPECT_EQ(simulate(model, coarse).summary.steps, simulate(model, fine).summary.steps);
}

TEST(Simulate, AFailedRunKeepsWhatItHad) {
  // A spring law that is not a number from t = 1 on.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [1, 0]}}\n"
      "forces: {f: {type: force, body: a, vector: [\"sqrt(1 - t)\", 0]}}\nsimulation: {duration: 2, output_step: "
      "0.1}\n",
      "test");
  const SimulationResult result = simulate(model);
  EXPECT_FALSE(result.ok());
  EXPECT_GE(result.data.rows.size(), 9u);
  EXPECT_LE(result.data.rows.size(), 11u);
  EXPECT_NEAR(result.summary.time, 1, 0.05);
  EXPECT_NE(result.summary.failure.find("stopped at t = "), std::string::npos) << result.summary.failure;
  EXPECT_NE(result.summary.failure.find("force f is not a number"), std::string::npos) << result.summary.failure;
}

TEST(Simulate, SelfLockingFrictionIsReported) {
  // A bearing of mu r above two thirds of the lever, falling: n = |weight part + 1.5 mu r/l n| has no solution.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0]}\nbodies: {rod: {rod: [A, B], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, rod], at: A, friction: {coulomb: 0.5, radius: 5, smoothing: "
      "1e-6}}}\n"
      "initial: {velocities: {A: -1}}\nsimulation: {duration: 1}\n",
      "test");
  const SimulationResult result = simulate(model);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("friction"), std::string::npos) << result.summary.failure;
}

TEST(Simulate, CoulombFrictionDependsOnTheReaction) {
  // A disc spinning about its fixed centre: N = m g, so it slows down by mu r m g / I until it stops.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0], friction: {coulomb: 0.3, radius: 0.1, "
      "smoothing: 1e-4}}}\n"
      "initial: {velocities: {A: 10}}\nsimulation: {duration: 2, output_step: 1, tolerance: 1e-9}\n",
      "test");
  const SimulationResult result = simulate(model);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NEAR(result.data.at(2, "A.rate"), 10 - 2 * 0.3 * 0.1 * 2 * 9.81 / 0.5, 1e-8);
  EXPECT_NEAR(result.data.at(1, "A.friction"), -0.3 * 0.1 * 2 * 9.81, 1e-9);
}

TEST(Simulate, DahlFrictionSaturatesAtItsLimit) {
  // Constant torque above the limit: after the bristles are deflected, acceleration is (T - limit) / I.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0], friction: {dahl: {stiffness: 1000, limit: "
      "0.4}}}}\n"
      "forces: {t: {type: torque, body: disc, value: 1}}\nsimulation: {duration: 3, output_step: 1, tolerance: 1e-9}\n",
      "test");
  const SimulationResult result = simulate(model);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NEAR(result.data.at(3, "A.rate") - result.data.at(2, "A.rate"), (1 - 0.4) / 0.5, 1e-7);
  EXPECT_NEAR(result.data.at(3, "A.friction"), -0.4, 1e-7);
  EXPECT_LT(result.summary.energy_drift, 1e-6 * result.summary.energy_scale);
}

TEST(Simulate, ViscousFrictionDecaysExponentially) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0], friction: {viscous: 0.25}}}\n"
      "initial: {velocities: {A: 3}}\nsimulation: {duration: 2, output_step: 1, tolerance: 1e-10}\n",
      "test");
  const SimulationResult result = simulate(model);
  EXPECT_NEAR(result.data.at(2, "A.rate"), 3 * std::exp(-1), 1e-9);
}

TEST(Simulate, BaumgarteAndNoneDriftAsExpected) {
  // Without stabilisation the constraints of the five-bar drift; Baumgarte bounds it; projection removes it.
  double drift[3];
  int k = 0;
  for (const char* stabilization : {"none", "baumgarte", "projection"}) {
    Method method;
    method.stabilization = stabilization, method.duration = 5, method.tolerance = 1e-6, method.output_step = 0.1;
    const SimulationResult result = simulate(load(models + "four-bar.yaml"), method);
    ASSERT_TRUE(result.ok()) << stabilization << ": " << result.summary.failure;
    drift[k++] = result.summary.constraint_position_max;
  }
  EXPECT_GT(drift[0], 3 * drift[1]);
  EXPECT_GT(drift[1], 1e3 * drift[2]);
  EXPECT_LT(drift[2], 1e-12);
}

TEST(Simulate, SingularPositionsArePassedOrReported) {
  // Tolerances and integrators at which a step meets the singular position closely; the branch must be kept.
  const auto model = load(models + "slider-crank.yaml");
  for (const char* integrator : {"dopri5", "verner6", "adams"}) {
    for (double tolerance : {1e-6, 1e-9, 1e-11}) {
      Method method;
      method.integrator = integrator, method.tolerance = tolerance, method.duration = 5, method.output_step = 5;
      const SimulationResult result = simulate(model, method);
      ASSERT_TRUE(result.ok()) << integrator << " " << tolerance << ": " << result.summary.failure;
      // Independent coordinates, extended precision.
      EXPECT_NEAR(result.data.at(1, "crank.angle"), 33.14581008471987, 1e4 * tolerance)
          << integrator << " " << tolerance;
    }
  }
}

TEST(Simulate, EnergyBalanceIncludesDrivesAndDampers) {
  for (const char* name : {"driven-slider-crank", "modelica-four-bar", "controlled-double-rod", "follower-force",
                           "sundials-slider-crank"}) {
    Method method;
    method.tolerance = 1e-9;
    const SimulationResult result = simulate(load(models + name + ".yaml"), method);
    ASSERT_TRUE(result.ok()) << name;
    EXPECT_LT(result.summary.energy_drift, 1e-5 * std::max(1.0, result.summary.energy_scale)) << name;
  }
}

}  // namespace simulate_test
}  // namespace bricard
