// Singular positions under `auto`: the exact motion or a message, whatever step happens to end near them.
#include "analyses/run/crossing.h"

#include <numbers>

#include "reference/reference.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace crossing_test {

std::shared_ptr<const Model> n_four_bar(int loops) { return generated("n-four-bar", loops); }

/// Angle of the uprights by the exact reduction, theta from the vertical, theta(0) = 0, theta'(0) = 1.
///   theta'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin(theta)                            [IFToMM benchmark A02]
double upright_angle(int loops, double duration) {
  const double a = 9.81 * ((loops + 1) / 2.0 + loops) / ((loops + 1) / 3.0 + loops);
  const auto rate = [a](double theta) { return a * std::sin(theta); };
  constexpr double h = 1e-4;
  double theta = 0, omega = 1;
  for (int step = 0; step < static_cast<int>(std::lround(duration / h)); ++step) {
    const double k1 = rate(theta), k2 = rate(theta + h / 2 * omega), k3 = rate(theta + h / 2 * (omega + h / 2 * k1)),
                 k4 = rate(theta + h * (omega + h / 2 * k2));
    theta += h * omega + h * h / 6 * (k1 + k2 + k3);
    omega += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return std::numbers::pi / 2 - theta;
}

struct Case {
  const char* name;
  std::shared_ptr<const Model> model;
  double duration;
  const char* column;
  double exact;
};

std::vector<Case> cases() {
  return {{"slider-crank", shipped("slider-crank"), 5, "crank.angle", 33.14581008471987},
          {"five-bar B", shipped("five-bar", {{"theta0", "30 deg"}}), 20, "link1.angle", -1.138806343268},
          {"N = 2", n_four_bar(2), 10, "upright0.angle", upright_angle(2, 10)},
          {"N = 5", n_four_bar(5), 10, "upright0.angle", upright_angle(5, 10)}};
}

void expect_exact_or_a_message(const Case& test, Method method) {
  SCOPED_TRACE(test.name + std::string(" at ") + std::to_string(std::log10(method.tolerance)));
  method.duration = test.duration;
  method.output_step = test.duration / 50;
  const SimulationResult result = simulate(test.model, method);
  if (!result.ok()) {
    EXPECT_NE(result.summary.failure.find("singular"), std::string::npos) << result.summary.failure;
    return;
  }
  EXPECT_NEAR(result.data.at(50, test.column), test.exact, std::max(2e4 * method.tolerance, 1e-6));
  EXPECT_LT(result.summary.energy_drift, 2000 * method.tolerance * result.summary.energy_scale);
}

TEST(Crossing, TheReductionIsThePublishedOne) {
  // tests/data/a02-n2.csv prints theta with 12 decimals.
  EXPECT_NEAR(upright_angle(2, 10), std::numbers::pi / 2 - 31.750597186985, 1e-11);
}

TEST(Crossing, AutoIsExactOrSaysThatItIsNotAtManyTolerances) {
  for (const Case& test : cases()) {
    for (double exponent = -10; exponent <= -6; exponent += 0.5) {
      expect_exact_or_a_message(test, {.tolerance = std::pow(10, exponent)});
    }
  }
}

TEST(Crossing, AutoGetsThrough) {
  for (const Case& test : cases()) {
    for (const double tolerance : {1e-6, 1e-9}) {
      const SimulationResult result = run(test.model, accurate(test.duration, test.duration, tolerance));
      expect_close(test.name, value_at(result, test.duration, test.column), test.exact, 1e4 * tolerance);
    }
  }
}

TEST(Crossing, EveryAdaptiveIntegratorAndRelativeCoordinates) {
  for (const Case& test : cases()) {
    for (const char* integrator : {"abm", "adams", "bdf", "verner6", "dop853"})
      expect_exact_or_a_message(test, {.integrator = integrator, .tolerance = 1e-8});
    for (const double tolerance : {1e-7, 1e-9})
      expect_exact_or_a_message(test, {.formulation = "recursive", .tolerance = tolerance});
  }
}

TEST(Crossing, TolerancesBelowTheErrorsNearASingularPosition) {
  // The long steps of dop853 pass over it; the shorter ones of verner6 do not. Rounding decides how far help goes.
  const auto model = n_four_bar(40);
  const double exact = upright_angle(40, 3);
  for (const double tolerance : {2e-11, 1e-11, 5e-12}) {
    SCOPED_TRACE(tolerance);
    Method method = accurate(3, 3, tolerance);
    method.integrator = "verner6";
    const SimulationResult result = simulate(model, method);
    ASSERT_FALSE(result.summary.rescues.empty());
    EXPECT_NE(result.summary.rescues.back().what.find("singular position"), std::string::npos)
        << result.summary.rescues.back().what;
    if (result.ok()) {
      expect_close("upright", value_at(result, 3, "upright0.angle"), exact, 1e-7);
    } else {
      EXPECT_NE(result.summary.failure.find("singular position"), std::string::npos) << result.summary.failure;
    }
  }
}

// A parallelogram that lies flat moves as a parallelogram or as its opposite: a start where more rows depend on others
// than beside it. Those that compute over the graph or the tree start with care.
TEST(Crossing, StartsInASingularPositionOverTheGraphAndTheTree) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
      "bodies:\n"
      "  crank: {mass: 1, inertia: 0.1, center: [0.5, 0]}\n"
      "  coupler: {mass: 2, inertia: 0.7, center: [2, 0]}\n"
      "  rocker: {mass: 1, inertia: 0.1, center: [2.5, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [crank, coupler], at: [1, 0]}\n"
      "  C: {type: revolute, bodies: [coupler, rocker], at: [3, 0]}\n"
      "  D: {type: revolute, bodies: [rocker, ground], at: [2, 0]}\n"
      "initial: {velocities: {A: 1, D: -1}}\n",
      "flat");
  Method method = accurate(0.2, 0.2, 1e-8);
  method.coordinates = "reference-point", method.formulation = "nullspace-svd";
  const SimulationResult dense = run(model, method);
  method.formulation = "lagrange-proximal";
  const SimulationResult graph = run(model, method);
  method.coordinates = "relative", method.formulation = "recursive";
  const SimulationResult tree = run(model, method);
  for (const char* column : {"crank.angle", "coupler.angle", "rocker.angle", "rocker.omega"}) {
    expect_close(column, value_at(graph, 0.2, column), value_at(dense, 0.2, column), 1e-5);
    expect_close(column, value_at(tree, 0.2, column), value_at(dense, 0.2, column), 1e-5);
  }
  EXPECT_GT(std::abs(value_at(dense, 0.2, "crank.angle")), 0.01);
}

// Rounding errors over the smallest step near a singular position exceed 1e-13: it is passed with a larger tolerance,
// after which the one that was asked for holds again, and the run says so.
TEST(Crossing, EasesTheToleranceWhereRoundingExceedsIt) {
  Method method = accurate(10, 10, 1e-13);
  method.formulation = "lagrange", method.stabilization = "projection";
  const SimulationResult result = run(n_four_bar(5), method);
  const auto& rescues = result.summary.rescues;
  EXPECT_TRUE(std::any_of(rescues.begin(), rescues.end(), [](const Rescue& rescue) {
    return rescue.what.find("passed with a tolerance of 1e-1") != std::string::npos;
  }));
  expect_close("upright", value_at(result, 10, "upright0.angle"), upright_angle(5, 10), 1e-7);
}

TEST(Crossing, SeesThatAPositionIsNear) {
  const CoordinatesType& type = *find_coordinates_type("reference-point");
  const auto assembled = [&](const char* theta0) { return assemble(shipped("five-bar", {{"theta0", theta0}}), type); };
  const Assembly start = assembled("-30 deg"), further = assembled("-5 deg"), beside = assembled("-0.1 deg");
  System system(shipped("five-bar"), type);
  Crossing crossing(system, start.q, start.v);
  EXPECT_FALSE(crossing.is_near(0, start.q, start.v));
  EXPECT_FALSE(crossing.is_near(0, further.q, further.v));
  EXPECT_TRUE(crossing.is_near(0, beside.q, beside.v));
}

// Tolerances so rough that the motion explodes: another motion or integrator may have taken over, and cannot go on.
TEST(Crossing, MotionsThatExplodeStopWithAMessage) {
  int stopped = 0;
  for (const int links : {10, 16}) {
    const auto chain = generated("closed-chain", links);
    for (const char* integrator : {"dopri5", "verner6", "dop853", "abm"}) {
      for (const double tolerance : {3.0, 1.0, 0.3}) {
        SCOPED_TRACE(integrator + std::string(" with ") + std::to_string(tolerance));
        Method method;
        method.integrator = integrator;
        method.tolerance = tolerance;
        method.duration = 2;
        const SimulationResult result = simulate(chain, method);
        if (result.ok()) continue;
        ++stopped;
        EXPECT_NE(result.summary.failure.find("stopped at t = "), std::string::npos) << result.summary.failure;
        EXPECT_GT(result.data.rows.size(), 1U);
      }
    }
  }
  EXPECT_GT(stopped, 2);  // otherwise this tests nothing
}

TEST(Crossing, ComesAgainFromFurtherBackEachTime) {
  System system(shipped("pendulum"), *find_coordinates_type("reference-point"));
  const Assembly assembly = assemble(shipped("pendulum"), *find_coordinates_type("reference-point"));
  Crossing crossing(system, assembly.q, assembly.v);
  for (int k = 0; k < 20; ++k) crossing.keep(Vector(), {{}, 0.1 * k, 0.1, 0, 0}, false);
  EXPECT_TRUE(crossing.is_collapsed(9e-4));
  EXPECT_FALSE(crossing.is_collapsed(2e-3));
  crossing.keep(Vector(), {{}, 2, 1e-3, 0, 0}, true);  // short and near: no place to come again from
  EXPECT_DOUBLE_EQ(crossing.next_attempt(2.0)->time, 1.9);
  const double first = crossing.first_step();
  EXPECT_DOUBLE_EQ(crossing.next_attempt(2.0)->time, 1.8);
  EXPECT_NE(crossing.first_step(), first);
  EXPECT_DOUBLE_EQ(crossing.next_attempt(2.0)->time, 1.5);
  EXPECT_DOUBLE_EQ(crossing.next_attempt(2.0)->time, 0.8);
  EXPECT_DOUBLE_EQ(crossing.next_attempt(2.0)->time, 0.0);
  EXPECT_EQ(crossing.next_attempt(2.0), nullptr);
}

}  // namespace crossing_test
}  // namespace bricard::testing_support
