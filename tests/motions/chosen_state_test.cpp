// The state as a choice of its own: every formulation that solves for v' also moves independent coordinates alone (z,
// z'), or all positions and independent velocities (q, z'), through whatever the mechanism has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyses/structure/structure.h"
#include "bricard/equations.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "motions/create_motion.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/started.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace chosen_state_test {

using testing_support::shipped;

const char* const states[] = {"independent", "extended"};

Method by(const std::string& formulation, const std::string& state, double duration) {
  Method method;
  method.formulation = formulation, method.state = state;
  method.duration = method.output_step = duration;
  method.tolerance = 1e-10;
  return method;
}

/// Those whose trait says so: what solves for all accelerations by matrices.
std::vector<const FormulationType*> formulations_that_serve(bool redundant_rows) {
  std::vector<const FormulationType*> types;
  for (const FormulationType& type : formulation_types()) {
    if (type.create && type.state == State::full && (type.traits.redundant_rows || !redundant_rows))
      types.push_back(&type);
  }
  return types;
}

std::string refusal(const std::string& model, const Method& method) {
  try {
    simulate(shipped(model), method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& model, const Method& method, const std::string& words) {
  const std::string text = refusal(model, method);
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(ChosenState, EveryFormulationThatSolvesForAccelerationsServes) {
  const auto types = formulations_that_serve(false);
  ASSERT_GE(types.size(), 15U);
  for (const FormulationType* type : types) {
    for (const char* state : states) {
      SCOPED_TRACE(std::string(type->name) + " " + state);
      const SimulationResult result = simulate(shipped("four-bar"), by(type->name, state, 5));
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      // tests/data/four-bar.csv; penalty methods err by about 1/a.
      EXPECT_NEAR(result.data.at(1, "alpha"), 39.59787305561958, type->traits.accuracy > 0 ? 1e-3 : 2e-6);
      EXPECT_LT(result.summary.constraint_position_max, 1e-11);
      EXPECT_LT(result.summary.constraint_velocity_max, 1e-10);
      EXPECT_EQ(result.summary.chosen.method.state, state);
      EXPECT_EQ(result.summary.chosen.method.dynamics, "whole");
      EXPECT_TRUE(result.summary.rescues.empty());
    }
  }
}

TEST(ChosenState, HasItsSize) {
  testing_support::Started start(shipped("four-bar"));
  System& system = start.system;
  const int n = system.velocity_size(), freedoms = 1;
  const std::pair<State, int> sizes[] = {
      {State::full, 2 * n + 1}, {State::independent, 2 * freedoms + 1}, {State::extended, n + freedoms + 1}};
  for (const auto& [state, size] : sizes) {
    const auto motion = create_motion({.system = system,
                                       .formulation = *find_formulation_type("lagrange"),
                                       .options = {.typical_inertia = typical_inertia(system)},
                                       .stabilization = find_stabilization_type("none")->create(system, {}),
                                       .q = start.assembly.q,
                                       .v = start.assembly.v,
                                       .state = state});
    EXPECT_EQ(motion->size(), size);
  }
}

TEST(ChosenState, RedundantRowsOfTheFiveBar) {
  const SimulationResult own = simulate(shipped("five-bar"), by("nullspace-svd", "full", 4));
  for (const FormulationType* type : formulations_that_serve(true)) {
    for (const char* state : states) {
      SCOPED_TRACE(std::string(type->name) + " " + state);
      Method method = by(type->name, state, 4);
      method.rescue = "off";
      const SimulationResult result = simulate(shipped("five-bar"), method);
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      EXPECT_NEAR(result.data.at(1, "link1.angle"), own.data.at(1, "link1.angle"),
                  type->traits.accuracy > 0 ? 1e-4 : 1e-7);
      EXPECT_LT(result.summary.constraint_position_max, 1e-11);  // of all rows, those left out of a partition too
    }
  }
}

TEST(ChosenState, SpatialDrivenAndNonHolonomicRows) {
  const auto compare = [](const char* model, const char* coordinate, const char* formulation, const char* state,
                          double tolerance) {
    SCOPED_TRACE(std::string(model) + " " + formulation + " " + state);
    Method method;
    method.duration = method.output_step = 1, method.tolerance = 1e-10;
    const SimulationResult reference = simulate(shipped(model), method);
    method.formulation = formulation, method.state = state;
    const SimulationResult result = simulate(shipped(model), method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(result.data.at(1, coordinate), reference.data.at(1, coordinate), tolerance);
  };
  for (const char* state : states) {
    for (const char* formulation : {"lagrange", "udwadia-kalaba", "least-squares-2"}) {
      compare("mcpherson", "rack.y", formulation, state, 1e-8);
      compare("driven-slider-crank", "slider.x", formulation, state, 1e-8);
    }
    compare("mcpherson-overconstrained", "rack.y", "least-squares-1", state, 1e-8);
  }
  for (const char* model : {"rolling-coin", "knife-edge"})
    compare(model, std::string(model) == "knife-edge" ? "sleigh.x" : "coin.x", "nullspace-qr", "extended", 1e-7);
}

TEST(ChosenState, FrictionThatDependsOnLoads) {
  // The slider's Coulomb friction takes its load from the multipliers of the formulation.
  for (const char* formulation : {"lagrange", "udwadia-phohomsiri"}) {
    Method method = by(formulation, "full", 0.5);
    method.stabilization = "projection", method.integrator = "dopri5";
    const SimulationResult full = simulate(shipped("friction-incline"), method);
    for (const char* state : states) {
      method = by(formulation, state, 0.5);
      method.integrator = "dopri5";
      const SimulationResult result = simulate(shipped("friction-incline"), method);
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      for (const std::string& name : full.data.columns) {
        if (name.starts_with("constraint.")) continue;
        EXPECT_NEAR(result.data.at(1, name), full.data.at(1, name), 1e-8) << formulation << " " << state << " " << name;
      }
    }
  }
}

// Four-bar linkage in natural coordinates, rk4 with 0.005 s. Velocities that satisfy the constraints let |Phi| grow
// linearly, velocities that drift let it grow quadratically. Expected at 5, 10, 20 s from a program of its own, with
// rows (|d|^2 - L^2)/2: full 4.3e-4, 1.6e-3, 6.5e-3; extended 8.9e-7, 1.8e-6, 3.4e-6; every 50 steps 1.6e-7.
class DriftOfExtendedState : public ::testing::Test {
 protected:
  static SimulationResult run(const char* state) {
    Method method = by("lagrange", state, 20);
    return run(method);
  }
  static SimulationResult run(Method method) {
    method.coordinates = "natural", method.stabilization = "none", method.dynamics = "whole", method.rescue = "off";
    method.integrator = "rk4", method.step = 0.005, method.output_step = 0.005;
    return simulate(shipped("four-bar"), method);
  }
  static double drift(const SimulationResult& result, double t) {
    return result.data.at(static_cast<std::size_t>(std::lround(t / 0.005)), "constraint.position");
  }
};

TEST_F(DriftOfExtendedState, IsLinearWithoutNewtonRaphsonAndQuadraticInAllVelocities) {
  const SimulationResult full = run("full");
  Method never = by("lagrange", "extended", 20);
  never.correction_interval = 0;
  const SimulationResult extended = run(never);
  ASSERT_TRUE(full.ok() && extended.ok());
  const double times[] = {5, 10, 20}, of_full[] = {4.3e-4, 1.6e-3, 6.5e-3}, of_extended[] = {8.9e-7, 1.8e-6, 3.4e-6};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(drift(full, times[k]) / of_full[k], 1, 0.2);
    EXPECT_NEAR(std::log2(drift(extended, times[k]) / of_extended[k]), 0, 1);  // it depends on the choice of z
  }
  EXPECT_NEAR(std::log2(drift(full, 20) / drift(full, 5)), 4, 0.2);
  EXPECT_NEAR(std::log2(drift(extended, 20) / drift(extended, 5)), 2, 0.2);
  EXPECT_LT(extended.summary.constraint_velocity_max, 1e-13);
}

TEST_F(DriftOfExtendedState, EndsWhereThePositionsArePutBack) {
  Method method = by("lagrange", "extended", 20);
  const SimulationResult always = run(method);
  EXPECT_LT(always.summary.constraint_position_max, 1e-12);
  method.correction_interval = 50;
  const SimulationResult sometimes = run(method);
  EXPECT_NEAR(std::log2(sometimes.summary.constraint_position_max / 1.6e-7), 0, 1);
  for (int step = 0; step <= 4000; step += 50) EXPECT_LT(drift(sometimes, 0.005 * step), 1e-12) << step;
  EXPECT_GT(drift(sometimes, 0.005 * 49), 1e-9);
  method.correction_interval = 1, method.correction_bound = 1e-8;
  const SimulationResult bounded = run(method);
  EXPECT_LT(bounded.summary.constraint_position_max, 1e-8);
  EXPECT_GT(bounded.summary.constraint_position_max, 5e-9);
}

TEST(ChosenState, OfIndependentExtendedItselfTakesTheSameIntervals) {
  Method method;
  method.formulation = "independent-extended", method.correction_interval = 0;
  method.duration = 5, method.output_step = 0.1, method.tolerance = 1e-6, method.integrator = "dopri5";
  const SimulationResult never = simulate(shipped("four-bar"), method);
  ASSERT_TRUE(never.ok());
  EXPECT_GT(never.summary.constraint_position_max, 1e-7);
  method.correction_interval = 1;
  EXPECT_LT(simulate(shipped("four-bar"), method).summary.constraint_position_max, 1e-12);
}

TEST(ChosenState, DependentPositionsAreFoundToTheirToleranceAndNoFurther) {
  for (const char* formulation : {"lagrange", "independent"}) {
    Method method = by(formulation, "independent", 5);
    method.output_step = 0.01, method.tolerance = 1e-6;
    for (const double tolerance : {1e-5, 1e-9}) {
      method.position_tolerance = tolerance;
      const SimulationResult result = simulate(shipped("four-bar"), method);
      ASSERT_TRUE(result.ok());
      EXPECT_LT(result.summary.constraint_position_max, tolerance) << formulation;
      EXPECT_GT(result.summary.constraint_position_max, 1e-2 * tolerance) << formulation;
    }
  }
}

TEST(ChosenState, OnePartitionEndsWhereItsPivotsDo) {
  // z = O2.x: the crank's end turns back where alpha1 = pi/2, at 0.1618 s.
  Method method = by("lagrange", "independent", 1);
  method.coordinates = "natural", method.partition = "once", method.rescue = "off", method.tolerance = 1e-6;
  const SimulationResult kept = simulate(shipped("four-bar"), method);
  EXPECT_FALSE(kept.ok());
  EXPECT_NEAR(kept.summary.time, 0.1618, 2e-4);
  EXPECT_NE(kept.summary.messages.back().find("their pivots fell to"), std::string::npos);
  method.partition = "renewed";
  EXPECT_TRUE(simulate(shipped("four-bar"), method).ok());
}

TEST(ChosenState, CombinationsServeAsIndependentCoordinates) {
  for (const char* state : states) {
    for (const char* selection : {"crank.angle + 0.1*rocker.angle", "qr-basis", "svd"}) {
      Method method = by("nullspace-svd", state, 1);
      method.selection = selection;
      const SimulationResult result = simulate(shipped("four-bar"), method);
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      EXPECT_NEAR(result.data.at(1, "alpha"), 8.094574569023, 1e-7) << state << " " << selection;
    }
  }
}

TEST(ChosenState, MisfitsAreRefusedWithTheReason) {
  expect_refused("four-bar", by("canonical-lagrange", "independent", 1), "'momenta'");
  expect_refused("four-bar", by("independent", "full", 1), "its algebra is that of the state 'independent'");
  expect_refused("four-bar", by("recursive", "extended", 1), "without matrices");
  expect_refused("rolling-coin", by("", "independent", 1), "no slip");
  expect_refused("five-bar", by("lagrange", "independent", 1), "implied by the others");
  expect_refused("four-bar", by("lagrange", "independant", 1), "'independent'");
  Method method = by("lagrange", "independent", 1);
  method.coordinates = "reference-point";
  expect_refused("mcpherson", method, "euler-zxz");
  method = by("lagrange", "extended", 1);
  for (const char* stabilization : {"projection", "baumgarte"}) {
    method.stabilization = stabilization;
    expect_refused("four-bar", method, "by itself");
  }
  method = by("lagrange", "extended", 1);
  method.dynamics = "bodies";
  expect_refused("four-bar", method, "takes matrices");
  method = by("lagrange", "extended", 1);
  method.integrator = "hht", method.step = 0.01;
  expect_refused("four-bar", method, "state must be 'full'");
}

TEST(ChosenState, IsNamedWhereTheEquationsAreShown) {
  const EquationsResult shown = show_equations(shipped("four-bar"), by("udwadia-kalaba", "independent", 1));
  ASSERT_TRUE(shown.ok) << shown.failure;
  EXPECT_EQ(shown.formulation, "udwadia-kalaba, state independent");
  for (const char* symbol : {"B", "[P; B]", "D+", "z''"}) EXPECT_NE(shown.find(symbol), nullptr) << symbol;
  const NamedMatrix &B = *shown.find("B"), &zddot = *shown.find("z''"), &vdot = *shown.find("v'");
  EXPECT_LT((B.values * vdot.values - zddot.values).norm(), 1e-14 * (1 + vdot.values.norm()));
}

TEST(ChosenState, EvaluatingDoesNotAllocate) {
  for (const char* name : {"four-bar", "five-bar", "car-axis"}) {
    testing_support::Started start(shipped(name));
    System& system = start.system;
    for (const State state : {State::independent, State::extended}) {
      const auto motion = create_motion({.system = system,
                                         .formulation = *find_formulation_type("nullspace-svd"),
                                         .options = {.typical_inertia = typical_inertia(system)},
                                         .stabilization = find_stabilization_type("none")->create(system, {}),
                                         .q = start.assembly.q,
                                         .v = start.assembly.v,
                                         .state = state});
      Vector x(motion->size()), xdot(motion->size());
      motion->pack(0, start.assembly.q, start.assembly.v, x);
      ASSERT_EQ(motion->derivative(0, x, xdot), Status::ok) << motion->failure();
      x[0] += 1e-3;  // Newton-Raphson has something to do
      const ConstVector at = x;
      const VectorRef rate = xdot;
      const AllocationCounter counter;
      for (int k = 0; k < 5; ++k) motion->derivative(0, at, rate);
      EXPECT_EQ(counter.count(), 0) << name;
    }
  }
}

}  // namespace chosen_state_test
}  // namespace bricard
