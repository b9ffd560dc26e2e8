// Park and Haug's hybrid of no stabilisation, feedback and partitioning, and feedback with partitioning behind it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard {
namespace hybrid_test {

using testing_support::shipped;

Method by(const std::string& stabilization, double duration, double step) {
  Method method;
  method.formulation = "lagrange", method.dynamics = "whole", method.rescue = "off";
  method.integrator = "rk4", method.step = step;
  method.stabilization = stabilization;
  method.duration = duration, method.output_step = step;
  return method;
}

std::string report(const SimulationResult& result) {
  return result.summary.messages.empty() ? "" : result.summary.messages.back();
}

TEST(Hybrid, FeedsBackWhereErrorsExceedTheBound) {
  // Four-bar linkage, rk4 with 0.005 s: without feedback |Phi| reaches 4e-4 in 5 s and 1.6e-3 in 10 s.
  Method method = by("hybrid", 10, 0.005);
  method.coordinates = "natural";
  method.hybrid_bound = 1e-4;
  const SimulationResult result = simulate(shipped("four-bar"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_TRUE(report(result).starts_with("4 changes")) << report(result);
  EXPECT_NEAR(result.summary.constraint_position_max / 1e-4, 1, 0.1);
  // A bound that is never reached: the motion of no stabilisation, digit for digit.
  method.hybrid_bound = 1;
  const SimulationResult bounded = simulate(shipped("four-bar"), method);
  method.stabilization = "none";
  const SimulationResult none = simulate(shipped("four-bar"), method);
  EXPECT_EQ(bounded.data.at(2000, "alpha"), none.data.at(2000, "alpha"));
}

// Slider-crank with equal lengths 1 and three masses of 1 kg, crank at 0.9 rad with 4 rad/s. It is singular where both
// links are upright.
SimulationResult slider_crank(const Method& method) {
  return simulate(load_text("bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
                            "parameters: {phi0: 0.9}\n"
                            "points: {A: [0, 0], B: [cos(phi0), sin(phi0)], C: [2*cos(phi0), 0]}\n"
                            "bodies:\n"
                            "  crank: {rod: [A, B], mass: 1}\n"
                            "  rod: {rod: [B, C], mass: 1}\n"
                            "  slider: {mass: 1, inertia: 0.01, center: C}\n"
                            "joints:\n"
                            "  A: {type: revolute, bodies: [ground, crank], at: A}\n"
                            "  B: {type: revolute, bodies: [crank, rod], at: B}\n"
                            "  C: {type: revolute, bodies: [rod, slider], at: C}\n"
                            "  guide: {type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n"
                            "initial: {velocities: {A: 4}}\n",
                            "slider-crank"),
                  method);
}

TEST(Hybrid, PassesSingularPositionsByPartitioning) {
  Method method = by("hybrid", 10, 1e-3);
  method.coordinates = "natural";
  const SimulationResult result = slider_crank(method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_TRUE(report(result).ends_with("which was taken 16 times")) << report(result);
  EXPECT_LT(result.summary.energy_drift, 3e-5);
  // Without partitioning the energy is lost at the fourth, or, as rounding has it, some of it at all of them.
  method.stabilization = "none";
  const SimulationResult none = slider_crank(method);
  if (none.ok()) {
    EXPECT_GT(none.summary.energy_drift, 10 * result.summary.energy_drift);
  } else {
    EXPECT_NEAR(none.summary.time, 2.08, 0.01);
  }
}

TEST(Hybrid, PartitionsWhereFeedbackFails) {
  // Gains so small that errors go on growing: 10 / alpha is not waited for where they exceed ten times the bound.
  Method method = by("hybrid", 10, 0.005);
  method.coordinates = "natural";
  method.hybrid_bound = 1e-5;
  method.alpha = method.beta = 1e-3;
  const SimulationResult result = simulate(shipped("four-bar"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_EQ(report(result).find("taken 0 times"), std::string::npos) << report(result);
  EXPECT_LT(result.summary.constraint_position_max, 1.1e-4);
  EXPECT_GT(result.summary.constraint_position_max, 1e-5);
}

}  // namespace hybrid_test
}  // namespace bricard
