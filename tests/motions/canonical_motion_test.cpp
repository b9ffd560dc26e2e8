// The canonical motions: rates of momenta without differences, their states, the basic form of the augmented one, and
// the canonical equations through IDA.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analyses/assembly/assembly.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "integrators/integrator.h"
#include "motions/create_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace canonical_motion_test {

std::shared_ptr<const Model> shipped(const std::string& name) {
  return load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml");
}
std::shared_ptr<const Model> two_bars() { return load(BRICARD_SOURCE_DIR "/tests/motions/two-bars.yaml"); }

// Angles at 1 s of two bars on a moved pivot, by a program of its own in each of three coordinate sets.
constexpr double first_angle = 0.10119069, second_angle = -0.86890608;

double error_of_two_bars(const SimulationResult& result) {
  const auto from_below = [&](const char* column) {
    return std::remainder(result.data.at(static_cast<int>(result.data.rows.size()) - 1, column) + std::numbers::pi / 2,
                          2 * std::numbers::pi);
  };
  return std::hypot(from_below("first.angle") - first_angle, from_below("second.angle") - second_angle);
}

TEST(CanonicalMotion, MovesTwoBarsAsPublishedInThreeCoordinateSets) {
  for (const char* coordinates : {"reference-point", "natural", "relative"}) {
    for (const char* formulation :
         {"canonical-lagrange", "canonical-independent", "canonical-reduced", "canonical-augmented"}) {
      const SimulationResult result = simulate(two_bars(), {.coordinates = coordinates,
                                                            .formulation = formulation,
                                                            .tolerance = 1e-11,
                                                            .duration = 1,
                                                            .output_step = 1});
      ASSERT_TRUE(result.ok()) << coordinates << " " << formulation << ": " << result.summary.failure;
      EXPECT_LT(error_of_two_bars(result), 2e-8) << coordinates << " " << formulation;
    }
  }
}

struct Set {
  const char *model, *coordinates;
};

// Quasi-velocities and every kind of rows: the motion of the accelerations.
TEST(CanonicalMotion, MovesInEveryCoordinateSetAsAccelerationsDo) {
  for (const auto& [name, coordinates] : {Set{"mcpherson", "reference-point"},
                                          {"mcpherson", "euler-zxz"},
                                          {"mcpherson", "euler-parameters"},
                                          {"mcpherson", "natural"},
                                          {"mcpherson", "relative"},
                                          {"bennett", "reference-point"},
                                          {"bennett", "natural"},
                                          {"rolling-coin", "reference-point"},
                                          {"rolling-coin", "euler-parameters"},
                                          {"exudyn-joints", "reference-point"},
                                          {"spinning-top", "relative"},
                                          {"satellite", "reference-point"}}) {
    const auto model = shipped(name);
    Method method = {.coordinates = coordinates,
                     .formulation = "nullspace-svd",
                     .tolerance = 1e-10,
                     .duration = 0.2,
                     .output_step = 0.2};
    const SimulationResult expected = simulate(model, method);
    ASSERT_TRUE(expected.ok()) << expected.summary.failure;
    for (const char* formulation : {"canonical-lagrange", "canonical-independent", "canonical-augmented"}) {
      method.formulation = formulation;
      const SimulationResult result = simulate(model, method);
      ASSERT_TRUE(result.ok()) << name << " " << coordinates << " " << formulation << ": " << result.summary.failure;
      for (std::size_t k = 0; k < expected.summary.columns.size(); ++k) {
        const std::string& column = expected.summary.columns[k];
        const auto dot = column.rfind('.');
        const std::string quantity = dot == std::string::npos ? "" : column.substr(dot + 1);
        if (quantity != "x" && quantity != "y" && quantity != "z" && quantity != "vx" && quantity != "omega") continue;
        const double value = expected.data.rows[1][static_cast<int>(k)];
        EXPECT_NEAR(result.data.rows[1][static_cast<int>(k)], value, 1e-6 * (1 + std::abs(value)))
            << name << " " << coordinates << " " << formulation << " " << column;
      }
    }
  }
}

// A driven mechanism does its work through multipliers, friction through loads: both need lambda in between.
TEST(CanonicalMotion, KeepsItsEnergyBalance) {
  for (const char* name : {"driven-slider-crank", "friction-incline", "four-bar"}) {
    for (const char* formulation : {"canonical-lagrange", "canonical-reduced", "canonical-augmented"}) {
      const SimulationResult result =
          simulate(shipped(name), {.formulation = formulation, .tolerance = 1e-9, .duration = 0.5, .output_step = 0.1});
      ASSERT_TRUE(result.ok()) << name << " " << formulation << ": " << result.summary.failure;
      EXPECT_LT(result.summary.energy_drift, 1e-6 * result.summary.energy_scale) << name << " " << formulation;
    }
  }
}

// The crank turns: one coordinate does not serve to the end, and y has to change with R.
TEST(CanonicalReduced, ChangesItsCoordinates) {
  Method method = {.coordinates = "natural", .tolerance = 1e-11, .duration = 10, .output_step = 10};
  method.formulation = "canonical-reduced";
  const SimulationResult result = simulate(shipped("four-bar"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_GT(result.summary.renewals, 0);
  constexpr double start = 0.3, after_10_seconds = 79.340798253554;  // of the crank, by its equation alone
  const double turned = std::abs(result.data.at(1, "crank.angle") - result.data.at(0, "crank.angle"));
  EXPECT_NEAR(turned, after_10_seconds - start, 1e-5);
}

// --- the basic form ---

SimulationResult basic_four_bar(const char* form, double penalty) {
  return simulate(shipped("four-bar"), {.coordinates = "natural",
                                        .formulation = "canonical-augmented",
                                        .stabilization = "none",
                                        .integrator = "dopri5",
                                        .penalty_kind = "absolute",
                                        .canonical_form = form,
                                        .tolerance = 1e-7,
                                        .penalty = penalty,
                                        .omega = 10,
                                        .mu = 1,
                                        .iterations = 0,
                                        .duration = 1,
                                        .output_step = 1});
}

// Springs and dampers in p' are as stiff as the penalty; integrated into p they are not.
TEST(CanonicalBasic, IsAsStiffAsItsPenaltyAndTheModifiedFormIsNot) {
  const auto cost = [](const char* form, double penalty) {
    const SimulationResult result = basic_four_bar(form, penalty);
    EXPECT_TRUE(result.ok()) << result.summary.failure;
    return static_cast<double>(result.summary.evaluations);
  };
  const double basic3 = cost("basic", 1e3), basic5 = cost("basic", 1e5), basic7 = cost("basic", 1e7);
  EXPECT_GT(basic5, 1.5 * basic3);
  EXPECT_GT(basic7, 2 * basic5);
  const double modified3 = cost("modified", 1e3), modified7 = cost("modified", 1e7);
  EXPECT_LT(modified7, 1.5 * modified3);
  EXPECT_GT(basic7, 5 * modified7);
}

/// |Phi| at the start and after 1 s, of a four-bar that starts off its constraints.
std::pair<double, double> errors_of_positions(const char* form, int iterations) {
  const auto model = shipped("four-bar");
  const CoordinatesType& type = *find_coordinates_type("natural");
  const Assembly assembly = assemble(model, type);
  System system(model, type);
  Equations eq = system.empty_equations();
  const Vector states = Vector::Zero(system.state_size());
  Vector q = assembly.q;
  q[0] += 1e-4;
  system.evaluate(0, q, assembly.v, states, Upto::velocities, eq);
  const double at_start = eq.Phi.norm();
  FormulationOptions options = {.penalty = 1e5,
                                .penalty_is_relative = false,
                                .omega = 10,
                                .mu = 1,
                                .iterations = iterations,
                                .iteration_tolerance = 0,
                                .canonical_form = form,
                                .typical_inertia = typical_inertia(system)};
  const auto motion = create_motion({.system = system,
                                     .formulation = *find_formulation_type("canonical-augmented"),
                                     .options = options,
                                     .stabilization = find_stabilization_type("none")->create(system, {}),
                                     .q = q,
                                     .v = assembly.v});
  Vector x(motion->size()), v(system.velocity_size());
  motion->pack(0, q, assembly.v, x);
  const auto integrator = find_integrator_type("dop853")->create({.tolerance = 1e-10});
  EXPECT_EQ(integrator->start(*motion, 0, x), Status::ok);
  while (integrator->time() < 1) {
    if (integrator->step(1) != Status::ok) {
      ADD_FAILURE() << integrator->failure();
      break;
    }
  }
  EXPECT_EQ(motion->unpack(1, integrator->state(), q, v), Status::ok);
  system.evaluate(1, q, v, states, Upto::velocities, eq);
  return {at_start, eq.Phi.norm()};
}

// Iterated, the basic form holds Phi' = 0 and takes the springs up in sigma: Phi stays as it is. The modified form pulls
// it back, and without iterations both leave what a spring leaves, lambda/(a Omega^2).
TEST(CanonicalBasic, NoLongerPullsPositionsBackOnceItIterates) {
  for (const int iterations : {1, 4}) {
    const auto [before, basic] = errors_of_positions("basic", iterations);
    EXPECT_NEAR(basic, before, 0.02 * before) << iterations;
    EXPECT_LT(errors_of_positions("modified", iterations).second, 2e-3 * before) << iterations;
  }
  const auto [before, basic] = errors_of_positions("basic", 0);
  const double modified = errors_of_positions("modified", 0).second;
  EXPECT_LT(basic, 0.5 * before);
  EXPECT_NEAR(basic, modified, 0.1 * modified);
}

TEST(CanonicalBasic, IsRefusedWhereThereIsNoSuchForm) {
  EXPECT_THROW(simulate(shipped("four-bar"), {.formulation = "canonical-lagrange", .canonical_form = "basic"}),
               InputError);
  EXPECT_THROW(simulate(shipped("four-bar"), {.formulation = "canonical-augmented", .canonical_form = "positions"}),
               InputError);
}

// --- through IDA ---

SimulationResult ida(const char* form, double tolerance, double max_steps = unset) {
  return simulate(two_bars(), {.coordinates = "natural",
                               .integrator = "ida",
                               .canonical_form = form,
                               .tolerance = tolerance,
                               .duration = 1,
                               .output_step = 1,
                               .max_steps = max_steps});
}

TEST(IdaCanonical, IsOfIndexTwoByPositionsAndByVelocities) {
  for (const char* form : {"positions", "velocities"}) {
    const SimulationResult coarse = ida(form, 1e-5), fine = ida(form, 1e-8);
    ASSERT_TRUE(coarse.ok()) << form << ": " << coarse.summary.failure;
    ASSERT_TRUE(fine.ok()) << form << ": " << fine.summary.failure;
    EXPECT_LT(error_of_two_bars(coarse), 1e-3) << form;
    EXPECT_LT(error_of_two_bars(fine), 1e-5) << form;
    EXPECT_LT(error_of_two_bars(fine), 0.1 * error_of_two_bars(coarse)) << form;
    EXPECT_LT(coarse.summary.steps, 600) << form;
    EXPECT_LT(fine.summary.steps, 3000) << form;
  }
  // Positions are held to the tolerance, velocities let them drift.
  EXPECT_LT(ida("positions", 1e-7).summary.constraint_position_max, 2e-6);
  EXPECT_GT(ida("velocities", 1e-7).summary.constraint_position_max,
            3 * ida("positions", 1e-7).summary.constraint_position_max);
}

// The book's combination is of index three: it takes orders more steps, or none serves.
TEST(IdaCanonical, IsOfIndexThreeAsPrinted) {
  const SimulationResult printed = ida("index-3", 1e-7, 10000);
  EXPECT_FALSE(printed.ok() && printed.summary.steps < 5000) << printed.summary.steps;
}

TEST(IdaCanonical, RefusesQuasiVelocitiesAndLoadDependentFriction) {
  const auto by_positions = [](const char* name, const char* integrator) {
    simulate(shipped(name),
             {.coordinates = "reference-point", .integrator = integrator, .canonical_form = "positions"});
  };
  EXPECT_THROW(by_positions("bennett", "ida"), InputError);
  EXPECT_THROW(by_positions("friction-incline", "ida"), InputError);
  EXPECT_THROW(by_positions("four-bar", "bdf"), InputError);
}

}  // namespace canonical_motion_test
}  // namespace bricard
