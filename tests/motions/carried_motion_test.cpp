// Changes of independent coordinates that restart nothing [Blajer-Schiehlen-Schirm, section 6], and how often they come.
// Numbers of changes and which way of changing costs least: an independent program (CVODE over closing conditions).
#include <gtest/gtest.h>

#include <cmath>

#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace carried_motion_test {

constexpr double alpha1_at_end = 79.340798253554;

/// The four-bar linkage cut in O4, as in the paper: coordinates alpha1, alpha2, alpha3.
std::shared_ptr<const Model> linkage() {
  auto model = std::make_shared<Model>(*shipped("four-bar"));
  for (Joint& joint : model->joints) joint.cut = joint.name == "O4";
  return model;
}

Method of(const std::string& selection, double hysteresis, bool carries, const std::string& integrator = "adams") {
  Method method{.coordinates = "relative", .formulation = "independent", .integrator = integrator};
  method.selection = selection;
  if (hysteresis > 0) method.hysteresis = hysteresis;
  method.carry_history = carries;
  method.tolerance = 1e-8, method.duration = 10, method.output_step = 1;
  return method;
}

SimulationResult run(const Method& method) {
  SimulationResult result = simulate(linkage(), method);
  EXPECT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_TRUE(result.summary.rescues.empty());
  return result;
}

double error(const SimulationResult& result) { return std::abs(result.data.at(10, "alpha") - alpha1_at_end); }

TEST(CarriedMotion, ChangesAsOftenAsTheHysteresisSays) {
  const struct {
    double hysteresis;
    long changes;
  } expected[] = {{1, 50}, {0.9, 25}, {0.8, 0}};
  for (const auto& [hysteresis, changes] : expected) {
    for (const bool carries : {true, false}) {
      const SimulationResult result = run(of("projective", hysteresis, carries));
      EXPECT_EQ(result.summary.renewals, changes) << hysteresis << " " << carries;
      EXPECT_EQ(result.summary.restarts, carries ? 0 : changes) << hysteresis;
      EXPECT_LT(error(result), 2e-4) << hysteresis;
    }
  }
}

TEST(CarriedMotion, CostsLessThanRestartsAndKeepsTheSteps) {
  for (const char* integrator : {"adams", "abm"}) {
    SCOPED_TRACE(integrator);
    const SimulationResult carried = run(of("projective", 1, true, integrator)),
                           restarted = run(of("projective", 1, false, integrator)),
                           alone = run(of("O1.angle", 0, true, integrator));
    EXPECT_EQ(carried.summary.renewals, 50);
    EXPECT_EQ(carried.summary.restarts, 0);
    const auto evaluations = [](const SimulationResult& of) { return static_cast<double>(of.summary.evaluations); };
    EXPECT_LT(evaluations(carried), 0.8 * evaluations(restarted));
    // Fifty changes cost nothing beside one coordinate for all, in the same state.
    EXPECT_LT(evaluations(carried), 1.05 * evaluations(alone));
    EXPECT_LT(error(carried), 2e-4);
  }
}

TEST(CarriedMotion, CostsAdamsBashforthLessThanNoChanges) {
  const SimulationResult carried = run(of("projective", 1, true, "abm")), alone = run(of("O1.angle", 0, false, "abm"));
  EXPECT_LT(carried.summary.evaluations, alone.summary.evaluations);
}

TEST(CarriedMotion, HoldsTheConstraintsAtEveryRow) {
  for (const char* integrator : {"adams", "abm", "dopri5"}) {
    const SimulationResult result = run(of("projective", 1, true, integrator));
    EXPECT_LT(result.summary.constraint_position_max, 1e-12) << integrator;
    EXPECT_LT(result.summary.constraint_velocity_max, 1e-11) << integrator;
  }
}

TEST(CarriedMotion, IsTheSameMotionByEverySelection) {
  for (const char* selection : {"gauss", "qr", "svd", "qr-basis", "svd-coordinates"}) {
    const SimulationResult result = run(of(selection, 0.5, true));
    EXPECT_LT(error(result), 2e-4) << selection;
    EXPECT_EQ(result.summary.restarts, 0) << selection;
  }
  // In space, with friction states and work: the energy balance is that of every other motion.
  Method method{.coordinates = "euler-zxz", .formulation = "independent", .integrator = "abm"};
  method.carry_history = true, method.selection = "projective", method.hysteresis = 1;
  method.tolerance = 1e-9, method.duration = 2;
  const SimulationResult result = simulate(shipped("screw-press"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_LT(result.summary.energy_drift, 1e-5 * result.summary.energy_scale);
}

TEST(CarriedMotion, IsRefusedWhereThereIsNothingToCarry) {
  const auto refusal = [](Method method) -> std::string {
    method.duration = 0.1;
    try {
      simulate(linkage(), method);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Method method{.coordinates = "relative", .formulation = "lagrange"};
  method.carry_history = true;
  EXPECT_NE(refusal(method).find("for formulation 'independent'"), std::string::npos);
  method = of("O1.angle", 0.9, false);
  EXPECT_NE(refusal(method).find("a selection by names keeps"), std::string::npos);
  method = of("projective", 0.9, false);
  method.partition = "once";
  EXPECT_NE(refusal(method).find("partition 'once' keeps"), std::string::npos);
}

}  // namespace carried_motion_test
}  // namespace bricard::testing_support
