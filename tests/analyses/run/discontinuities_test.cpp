// Nothing is stepped over: late, short and sudden excitation, switching by time and by state, kinks of drives.
#include "analyses/run/discontinuities.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace discontinuities_test {

/// A point mass of 2 kg on a slider along x, without weight, at rest unless `velocity` says otherwise.
std::shared_ptr<const Model> mass_under(const std::string& force, double velocity = 0) {
  return load_text(fmt::format("bricard: 1\n"
                               "dimension: planar\n"
                               "gravity: [0, 0]\n"
                               "bodies: {{b: {{mass: 2, inertia: 0.1, center: [0, 0]}}}}\n"
                               "joints: {{s: {{type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}}}}\n"
                               "forces: {{f: {{type: force, body: b, vector: [\"{}\", 0]}}}}\n"
                               "initial: {{velocities: {{s: {}}}}}\n",
                               force, velocity),
                   "mass");
}

double final_value(const SimulationResult& result, const std::string& column) {
  return result.data.at(result.data.rows.size() - 1, column);
}

Method with(const std::string& integrator, double tolerance, double duration, double output_step = 0.1) {
  Method method;
  method.integrator = integrator;
  method.tolerance = tolerance;
  method.duration = duration, method.output_step = output_step;
  if (find_integrator_type(integrator)->fixed_step) method.step = 0.01;
  return method;
}

/// The velocity after 10 s with every integrator and tolerance.
void expect_velocity(const std::string& force, double velocity, double relative_error) {
  const auto model = mass_under(force);
  for (const IntegratorType& type : integrator_types()) {
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      if (type.fixed_step && tolerance < 1e-3) continue;  // it makes no difference
      SCOPED_TRACE(fmt::format("{} at {:.0e}: {}", type.name, tolerance, force.substr(0, 80)));
      const SimulationResult result = simulate(model, with(type.name, tolerance, 10));
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      const double allowed = std::max(50 * tolerance, type.order == 2 ? relative_error : 1e-8);
      EXPECT_NEAR(final_value(result, "s.rate"), velocity, allowed * std::abs(velocity));
    }
  }
}

TEST(Discontinuities, LateStepsOfAForceAreFoundByEveryIntegrator) {
  expect_velocity("step(t,5,0,5.05,100) - step(t,5.35,0,5.4,100)", 17.5, 1e-2);
}

TEST(Discontinuities, LateJumpsOfAForceAreFoundByEveryIntegrator) {
  expect_velocity("if(t > 5, if(t < 5.01, 100, 0), 0)", 0.5, 1e-6);
  expect_velocity("70*(t >= 3.3)*(t < 3.6)", 10.5, 1e-6);
}

TEST(Discontinuities, ANarrowSmoothPulseIsFoundByEveryIntegrator) {
  expect_velocity("1000*exp(-((t-5)/0.01)^2)", 1000 * 0.01 * std::sqrt(std::acos(-1)) / 2, 2e-2);
}

TEST(Discontinuities, PulsesAtRandomTimesAreAllFound) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> time(1, 99), width(0.01, 0.05);
  std::string force = "0";
  double impulse = 0;
  for (int k = 0; k < 200; ++k) {
    const double at = std::round(1000 * time(generator)) / 1000, length = std::round(1000 * width(generator)) / 1000;
    force += fmt::format(" + 10*(t > {:.3f})*(t < {:.3f})", at, at + length);
    impulse += 10 * length;
  }
  const auto model = mass_under(force);
  for (const char* integrator : {"dop853", "abm", "bdf"}) {
    const SimulationResult result = simulate(model, with(integrator, 1e-6, 100, 1));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(final_value(result, "s.rate"), impulse / 2, 1e-6 * impulse) << integrator;
  }
}

TEST(Discontinuities, PulsesTriggeredByAStateAreFound) {
  // Over a length of 0.02 m the force does the work of 2 J, whenever that is.
  const struct {
    const char* force;
    double work;
  } cases[] = {{"if(abs(x(b) - 3) < 0.01, 100, 0)", 2},
               {"100*(x(b) > 3)*(x(b) < 3.02)", 2},
               {"step(x(b), 3, 0, 3.01, 100)*step(x(b), 3.01, 1, 3.02, 0)", 1}};
  for (const auto& test : cases) {
    const auto model = mass_under(test.force, 1);
    for (const IntegratorType& type : integrator_types()) {
      SCOPED_TRACE(fmt::format("{}: {}", type.name, test.force));
      const SimulationResult result = simulate(model, with(type.name, 1e-9, 10, 1));
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      EXPECT_NEAR(final_value(result, "s.rate"), std::sqrt(1 + test.work),
                  type.fixed_step   ? 1e-2
                  : type.order == 2 ? 1e-3
                                    : 1e-5);  // two of its steps are as long as the pulse
    }
  }
}

TEST(Discontinuities, TheInstantOfASwitchIsAsGoodAsTheIntegration) {
  // x = 5 t^2/2 until it passes 0.4 m, then without a force.
  const auto model = mass_under("if(x(b) < 0.4, 10, 0)");
  for (const char* integrator : {"dopri5", "dop853", "abm", "bdf", "ida"}) {
    const SimulationResult result = simulate(model, with(integrator, 1e-10, 2));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    const double t = 0.4, v = 2;
    EXPECT_NEAR(final_value(result, "s.rate"), v, 1e-8) << integrator;
    EXPECT_NEAR(final_value(result, "s.position"), 0.4 + v * (2 - t), 1e-8) << integrator;
  }
}

// A driven slider with a mass on a spring; the drive moves between 5 s and 5.2 s only.
TEST(Discontinuities, LateDrivesMoveWhatHangsOnThem) {
  const auto model = load_text(
      "bricard: 1\n"
      "dimension: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {b: {mass: 1, inertia: 1, center: [0, 0]}, m: {mass: 1, inertia: 1, center: [1, 0]}}\n"
      "joints:\n"
      "  h: {type: prismatic, bodies: [ground, m], at: [1, 0], axis: [1, 0]}\n"
      "  g: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}\n"
      "motions: {d: {joint: g, position: \"0.1*step(t, 5, 0, 5.1, 1)*step(t, 5.1, 1, 5.2, 0)\"}}\n"
      "forces: {s: {type: spring, between: [[b, [0, 0]], [m, [1, 0]]], stiffness: 100}}\n",
      "late drive");
  const auto drive = [](double t) {
    const auto step = [](double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s * s * (3 - 2 * s); };
    return 0.1 * step((t - 5) / 0.1) * (1 - step((t - 5.1) / 0.1));
  };
  double x = 0, v = 0, t = 5;
  constexpr double h = 1e-5;
  for (int k = 0; k < 60000; ++k, t += h) {  // to 5.6 s, by the midpoint rule
    const double a = 100 * (drive(t) - x), middle = x + h / 2 * v;
    const double a2 = 100 * (drive(t + h / 2) - middle), v2 = v + h / 2 * a;
    x += h * v2, v += h * a2;
  }
  for (const IntegratorType& type : integrator_types()) {
    SCOPED_TRACE(type.name);
    const SimulationResult result = simulate(model, with(type.name, 1e-7, 5.6));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(final_value(result, "h.position"), x, type.order == 2 ? 1e-3 : 1e-5);
  }
}

/// A pendulum on a cart that turns round suddenly: velocity -1 until 0.5 s, then 1.
std::shared_ptr<const Model> pendulum_on_cart(const std::string& law) {
  return load_text(
      "bricard: 1\n"
      "dimension: planar\n"
      "bodies: {s: {mass: 0.7, inertia: 0.02, center: [0, 0]}, b: {mass: 1.5, inertia: 0.2, center: [0, -0.8]}}\n"
      "joints:\n"
      "  g: {type: prismatic, bodies: [ground, s], at: [0, 0], axis: [1, 0]}\n"
      "  A: {type: revolute, bodies: [s, b], at: [0, 0]}\n"
      "motions: {d: {joint: g, position: \"" +
          law +
          "\"}}\n"
          "initial: {positions: {A: 0.2}, velocities: {A: 0}}\n",
      "cart");
}

/// (I + m l^2) a'' + m l cos(a) s'' + m g l sin(a) = 0, with s' jumping by 2 at 0.5 s.
double angle_after_kink() {
  const double m = 1.5, l = 0.8, J = 0.2 + m * l * l, g = 9.81;
  const auto rate = [&](double a) { return -m * g * l * std::sin(a) / J; };
  double a = 0.2, w = 0;
  constexpr double h = 1e-4;
  for (int step = 0; step < 10000; ++step) {
    if (step == 5000) w -= m * l * std::cos(a) * 2 / J;
    const double k1 = rate(a), k2 = rate(a + h / 2 * w), k3 = rate(a + h / 2 * (w + h / 2 * k1)),
                 k4 = rate(a + h * (w + h / 2 * k2));
    a += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return a;
}

TEST(Discontinuities, AKinkOfADriveGivesTheImpulseOfTheWholeMechanism) {
  const auto model = pendulum_on_cart("abs(t - 0.5)");
  const double exact = angle_after_kink();
  const auto expect = [&](Method method) {
    method.duration = 1, method.output_step = 0.05, method.tolerance = 1e-9;
    const SimulationResult result = simulate(model, method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(final_value(result, "A.angle"), exact, 1e-6);
    EXPECT_LT(result.summary.energy_drift, 1e-5 * result.summary.energy_scale);
  };
  for (const FormulationType& type : formulation_types()) {
    SCOPED_TRACE(type.name);
    Method method;
    method.formulation = type.name;
    if (type.traits.tree_only) method.coordinates = "relative";
    if (std::string(type.name).starts_with("penalty") || std::string(type.name).starts_with("augmented") ||
        std::string(type.name) == "canonical-augmented")
      continue;  // not exact
    expect(method);
  }
  for (const char* coordinates : {"reference-point", "relative", "natural"}) {
    SCOPED_TRACE(coordinates);
    Method method;
    method.coordinates = coordinates;
    expect(method);
  }
}

TEST(Discontinuities, DaeIntegratorsTakeTheImpulseToo) {
  const auto model = pendulum_on_cart("abs(t - 0.5)");
  for (const char* integrator : {"hht", "ida", "alf3"}) {
    SCOPED_TRACE(integrator);
    Method method = with(integrator, 1e-8, 1, 0.05);
    if (find_integrator_type(integrator)->fixed_step) method.step = 1e-3;
    const SimulationResult result = simulate(model, method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(final_value(result, "A.angle"), angle_after_kink(), 1e-4);
  }
}

TEST(Discontinuities, AJumpOfADriveStopsTheRunThere) {
  const auto model = pendulum_on_cart("if(t < 0.5, 0, 0.1)");
  for (const char* formulation : {"auto", "independent", "lagrange"}) {
    Method method = with("dopri5", 1e-6, 1, 0.05);
    method.formulation = formulation;
    const SimulationResult result = simulate(model, method);
    EXPECT_FALSE(result.ok());
    EXPECT_DOUBLE_EQ(result.summary.time, 0.5);
    EXPECT_NE(result.summary.failure.find("motion d jumps by 0.1"), std::string::npos) << result.summary.failure;
  }
}

TEST(Discontinuities, AConstraintWhoseBranchesDisagreeStopsTheRunThere) {
  const auto model = load_text(
      "bricard: 1\n"
      "dimension: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 1, center: [0, 0]}, b: {mass: 1, inertia: 1, center: [0, 1]}}\n"
      "joints:\n"
      "  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
      "  B: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [1, 0]}\n"
      "  tie: {type: constraint, expression: \"x(b) - if(x(a) < 1, 0.5*x(a), 0.25 + 0.5*x(a))\"}\n"
      "initial: {velocities: {A: 1}}\n",
      "disagreeing");
  Method method = with("dop853", 1e-6, 3, 0.1);
  const SimulationResult result = simulate(model, method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("constraint tie jumps by 0.25"), std::string::npos) << result.summary.failure;
  EXPECT_NEAR(result.summary.time, 1, 1e-6);
}

TEST(Discontinuities, AKinkOfAConstraintIsAnImpulse) {
  // b follows a with half its speed, from x(a) = 1 on with twice: m (va- + vb-/2 ..) by M dv + P^T L = 0.
  const auto model = load_text(
      "bricard: 1\n"
      "dimension: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 1, center: [0, 0]}, b: {mass: 3, inertia: 1, center: [0, 1]}}\n"
      "joints:\n"
      "  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
      "  B: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [1, 0]}\n"
      "  tie: {type: constraint, expression: \"x(b) - if(x(a) < 1, 0.5*x(a), 0.5 + 2*(x(a) - 1))\"}\n"
      "initial: {velocities: {A: 1}}\n",
      "kinked");
  // With the new rows n = (-2, 1): dv = -M^-1 n (n.v-)/(n.M^-1 n), n.v- = -2 + 0.5.
  const double L = (-2 + 0.5) / (4.0 / 1 + 1.0 / 3), va = 1 + 2 * L, vb = 0.5 - L / 3;
  for (const char* formulation : {"lagrange", "independent"}) {
    Method method = with("dopri5", 1e-9, 2, 0.1);
    method.formulation = formulation;
    const SimulationResult result = simulate(model, method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_NEAR(final_value(result, "A.rate"), va, 1e-7) << formulation;
    EXPECT_NEAR(final_value(result, "B.rate"), vb, 1e-7) << formulation;
  }
}

TEST(Discontinuities, ASwitchThatChattersEndsTheRunWithItsText) {
  const auto model = mass_under("-3*sign(vx(b)) + 1", 1);
  const SimulationResult result = simulate(model, with("dopri5", 1e-6, 10));
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("-3*sign(vx(b)) + 1"), std::string::npos) << result.summary.failure;
  EXPECT_NE(result.summary.failure.find("force f"), std::string::npos);
  EXPECT_NE(result.summary.failure.find("friction:"), std::string::npos);
  EXPECT_NEAR(result.summary.time, 1.0, 0.2);  // (3 - 1)/2 = 1 m/s^2 from 1 m/s to rest
}

TEST(Discontinuities, ASpeedOfARotorThatJumpsStopsTheRun) {
  const auto model = load_text(
      "bricard: 1\n"
      "dimension: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {b: {mass: 2, inertia: 0.1, center: [0, 0]}}\n"
      "joints: {s: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
      "forces: {wheel: {type: rotor, body: b, inertia: 0.01, speed: \"if(t < 0.5, 10, 20)\"}}\n",
      "rotor");
  const SimulationResult result = simulate(model, with("dopri5", 1e-6, 1));
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("wheel jumps from 10 to 20"), std::string::npos) << result.summary.failure;
}

TEST(Discontinuities, TheBudgetOfEventsEndsTheRun) {
  Method method = with("dopri5", 1e-6, 10);
  method.max_events = 5;
  const SimulationResult result = simulate(mass_under("sign(sin(20*t))"), method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("more than 5 events"), std::string::npos) << result.summary.failure;
}

TEST(Discontinuities, KinkedLawsOfSpringsKeepTheEnergy) {
  for (const char* law : {"-400*max(x - 0.13, 0) - 300*min(x + 0.07, 0)", "if(x > 0.0371, -50, 0)", "-200*x*abs(x)",
                          "-100*step(x, 0.02, 0, 0.09, 1)"}) {
    const auto model = load_text(
        fmt::format(
            "bricard: 1\n"
            "dimension: planar\n"
            "gravity: [0, 0]\n"
            "bodies: {{b: {{mass: 2, inertia: 0.1, center: [1, 0]}}}}\n"
            "joints: {{s: {{type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}}}}\n"
            "forces: {{f: {{type: spring, between: [[ground, [0, 0]], [b, [1, 0]]], free_length: 1, law: \"{}\"}}}}\n"
            "initial: {{velocities: {{s: 1}}}}\n",
            law),
        "kinked spring");
    SCOPED_TRACE(law);
    const SimulationResult result = simulate(model, with("dop853", 1e-10, 2, 0.01));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_LT(result.summary.energy_drift, 1e-8 * result.summary.energy_scale);
  }
}

TEST(Discontinuities, RowsAtTheTimeOfAJumpHaveTheValuesAfterIt) {
  const auto model = mass_under("if(t < 0.5, 0, 10)");
  const SimulationResult result = simulate(model, with("dopri5", 1e-8, 1, 0.1));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.data.rows.size(), 11U);
  EXPECT_DOUBLE_EQ(result.data.at(5, "time"), 0.5);
  EXPECT_NEAR(final_value(result, "s.rate"), 2.5, 1e-9);
}

TEST(Discontinuities, AStepWhoseAbscissaeFallIsTheSameRamp) {
  const SimulationResult falling = simulate(mass_under("step(t, 1, 1, 0, 0)"), with("dopri5", 1e-9, 1));
  const SimulationResult rising = simulate(mass_under("step(t, 0, 0, 1, 1)"), with("dopri5", 1e-9, 1));
  EXPECT_NEAR(final_value(falling, "s.rate"), 0.25, 1e-9);  // half a second times 1 N over 2 kg
  EXPECT_NEAR(final_value(falling, "s.rate"), final_value(rising, "s.rate"), 1e-14);
}

}  // namespace discontinuities_test
}  // namespace bricard::testing_support
