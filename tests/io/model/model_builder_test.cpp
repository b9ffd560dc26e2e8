// Models made in code are those of the files, and are checked alike.
#include "bricard/model_builder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace {

std::shared_ptr<const Model> shipped(const std::string& name) {
  return load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml");
}

/// Runs of both agree to `error`, relative to each row; 0: the models have the same numbers.
void expect_same_run(const std::shared_ptr<const Model>& built, const std::string& name, double error = 0) {
  const std::shared_ptr<const Model> loaded = shipped(name);
  EXPECT_EQ(built->name, loaded->name);
  const SimulationResult a = simulate(built), b = simulate(loaded);
  ASSERT_TRUE(a.ok()) << a.summary.failure;
  EXPECT_EQ(a.data.columns, b.data.columns);
  ASSERT_EQ(a.data.rows.size(), b.data.rows.size());
  for (std::size_t row = 0; row < a.data.rows.size(); ++row)
    ASSERT_LE((a.data.rows[row] - b.data.rows[row]).lpNorm<Eigen::Infinity>(),
              error * b.data.rows[row].lpNorm<Eigen::Infinity>())
        << row;
}

std::vector<std::string> problems_of(const ModelBuilder& builder) {
  try {
    builder.build();
  } catch (const InputError& error) {
    std::vector<std::string> texts;
    for (const Diagnostic& diagnostic : error.diagnostics) texts.push_back(diagnostic.text());
    return texts;
  }
  return {};
}

TEST(ModelBuilder, SliderCrankOfNumbers) {
  const double phi = 60 * M_PI / 180;
  const Vec3 A(0, 0, 0), B(std::cos(phi), std::sin(phi), 0), C(2 * std::cos(phi), 0, 0);
  ModelBuilder m(Dimension::planar, "Slider-crank with equal lengths");
  m.gravity({0, -9.81});
  const BodyName crank = m.body("crank", rod(A, B, 1)), connecting = m.body("rod", rod(B, C, 1)),
                 slider = m.body("slider", {.mass = 1, .inertia = 0.01, .center = C});
  m.joint("A", "revolute", ground, crank, {.at = A});
  m.joint("B", "revolute", crank, connecting, {.at = B});
  m.joint("C", "revolute", connecting, slider, {.at = C});
  m.joint("guide", "prismatic", ground, slider, {.at = C, .axis = {1, 0}});
  m.force("push", {.body = slider, .at = C, .vector = {3, 0}});
  m.initial_rate("A", 5);
  m.simulation({.tolerance = 1e-8, .duration = 5, .output_step = 0.01});
  expect_same_run(m.build(), "slider-crank");
}

TEST(ModelBuilder, MotionSpringAndFrictionOfFormulas) {
  ModelBuilder m(Dimension::planar, "Block on a moving belt");
  m.parameter("V", 0.05);
  m.parameter("vs", 2e-4);
  m.point("W", {-1, 0});
  m.point("G", {0, 0});
  m.body("belt", {.mass = 5, .inertia = 1, .center = {0, -0.1}});
  m.body("block", {.mass = 1, .inertia = 0.01, .center = "G"});
  m.joint("rollers", "prismatic", ground, "belt", {.at = {0, -0.1}, .axis = {1, 0}});
  m.joint("contact", "prismatic", "belt", "block",
          {.at = "G",
           .axis = {1, 0},
           .friction = {.coulomb = 0.2, .at_rest = 0.3, .stribeck = "vs", .smoothing = "vs/40"}});
  m.motion("drive", {.joint = "rollers", .position = "V*t"});
  m.spring("spring", {.from = {ground, "W"}, .to = {"block", "G"}, .stiffness = 100});
  m.initial_rate("contact", 0);
  m.simulation({.tolerance = 1e-8, .duration = 5, .output_step = 0.005});
  expect_same_run(m.build(), "stick-slip");
}

TEST(ModelBuilder, RollingCoinWithItsStart) {
  const double r = 0.5, theta = 1.4, s = std::sin(theta), c = std::cos(theta);
  ModelBuilder m(Dimension::spatial, "Rolling coin");
  m.body("coin", {.mass = 1,
                  .inertia = {r * r / 4, r * r / 4, r * r / 2},
                  .center = {0, 0, r * s},
                  .orientation = Quaternion(Eigen::AngleAxisd(-theta, Vec3::UnitX()))});
  m.joint("table", "rolling", ground, "coin",
          {.axis = {0, s, c}, .radius = r, .surface = {.at = {0, r * c, 0}, .direction = Vec3::UnitZ()}});
  m.initial_velocity("coin", {.linear = {r * 6, 0, 0}, .angular = {0, -0.5 * c + 6 * s, 0.5 * s + 6 * c}});
  m.simulation({.tolerance = 1e-9, .duration = 2, .output_step = 0.01});
  auto model = m.build();
  const SimulationResult a = simulate(model), b = simulate(shipped("rolling-coin"), {.duration = 2});
  ASSERT_TRUE(a.ok());
  ASSERT_EQ(a.data.rows.size(), b.data.rows.size());
  EXPECT_LT((a.data.rows.back() - b.data.rows.back()).lpNorm<Eigen::Infinity>(), 1e-7);
}

TEST(ModelBuilder, BushingsGearsActuatorsRotorsAndOutputs) {
  ModelBuilder platform(Dimension::spatial, "Platform on rubber mounts");
  platform.body("platform", {.mass = 120,
                             .inertia = {6, 11, 14},
                             .center = {0, 0, 0.2},
                             .geometry = {{.kind = "box", .center = {0, 0, 0.2}, .size = {1.2, 0.9, 0.4}}}});
  int k = 0;
  for (const double x : {0.5, -0.5}) {
    for (const double y : {0.35, -0.35}) {
      const std::string number = std::to_string(++k);
      platform.point("M" + number, {x, y, 0});  // points count for the size of a model
      platform.bushing(
          "mount" + number, ground, "platform",
          {.at = "M" + number, .stiffness = {20e3, 15e3, 50e3, 0, 0, 0}, .damping = {40, 30, 100, 0, 0, 0}});
    }
  }
  platform.simulation({.tolerance = 1e-9, .duration = 2, .output_step = 0.01});
  expect_same_run(platform.build(), "spring-platform");

  ModelBuilder satellite(Dimension::spatial, "Satellite with a rotor");
  satellite.gravity({0, 0, 0});
  satellite.body("satellite", {.mass = 10, .inertia = {4, 5, 6}, .center = {0, 0, 0}});
  satellite.rotor("rotor", {.body = "satellite", .axis = {0.6, 0, 0.8}, .inertia = 0.02, .speed = 300});
  satellite.initial_velocity("satellite", {.linear = {0, 0, 0}, .angular = {0.1, 0.5, -0.2}});
  satellite.simulation({.tolerance = 1e-9, .duration = 20, .output_step = 0.02});
  expect_same_run(satellite.build(), "satellite");

  const std::string torque =
      "188.852*angle(A) + 63.063*(angle(A) + angle(B)) + 65.234*rate(A) + 27.195*(rate(A) + rate(B))";
  ModelBuilder rods(Dimension::planar, "Controlled double rod");
  rods.body("lower", rod({0, 0}, {0, 1}, 1));
  rods.body("upper", rod({0, 1}, {0, 2}, 1));
  rods.joint("A", "revolute", ground, "lower", {.at = {0, 0}});
  rods.joint("B", "revolute", "lower", "upper", {.at = {0, 1}});
  rods.actuator("motor", {.joint = "B", .value = torque});
  rods.initial_position("A", 0.05);
  rods.initial_position("B", -0.1, "angle");
  rods.output("psi1", "angle(A)");
  rods.output("psi2", "angle(A) + angle(B)");
  rods.output("torque", torque);
  rods.simulation({.tolerance = 1e-9, .duration = 5, .output_step = 0.01});
  expect_same_run(rods.build(), "controlled-double-rod", 1e-7);
}

TEST(ModelBuilder, GearPairsAndConstraints) {
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = 1, .center = {0, 0}, .shape = {.kind = "disc", .radius = 0.1}});
  m.body("b", {.mass = 1, .center = {0.3, 0}, .shape = {.kind = "disc", .radius = 0.2}});
  m.joint("A", "revolute", ground, "a", {.at = {0, 0}});
  m.joint("B", "revolute", ground, "b", {.at = {0.3, 0}});
  m.joint("mesh", "gear_pair", "a", "b", {.teeth = {10, 20}});
  m.torque("drive", {.body = "a", .value = 1});
  m.simulation({.tolerance = 1e-10, .duration = 1});
  const SimulationResult paired = simulate(m.build());
  EXPECT_NEAR(paired.data.rows.back()[paired.data.index("A.rate")],
              -2 * paired.data.rows.back()[paired.data.index("B.rate")], 1e-8);

  ModelBuilder equation(Dimension::planar);
  equation.body("a", {.mass = 1, .inertia = 1, .center = {0, 0}});
  equation.body("b", {.mass = 1, .inertia = 1, .center = {1, 0}});
  equation.joint("A", "revolute", ground, "a", {.at = {0, 0}});
  equation.joint("B", "revolute", ground, "b", {.at = {1, 0}});
  equation.joint("together", "constraint", {.expression = "angle(A) - 3*angle(B)"});
  equation.initial_rate("A", 3);
  equation.simulation({.duration = 1});
  const SimulationResult coupled = simulate(equation.build());
  EXPECT_NEAR(coupled.summary.final[coupled.data.index("B.rate")], 1, 1e-8);
}

TEST(ModelBuilder, ListsEveryProblemWithTheNearestName) {
  ModelBuilder m(Dimension::planar);
  m.body("crank", {.mass = -1, .inertia = 1, .center = {0, 0}});
  m.body("crank", {.mass = 1, .inertia = 1, .center = {0, 0}});
  m.joint("A", "revolut", ground, "crank", {.at = {0, 0}});
  m.joint("B", "prismatic", ground, "crnak", {.at = {0, 0}});
  m.joint("C", "prismatic", 7, "crank", {.at = Vec3(0, 0, 1), .axis = {1, 0}, .pitch = 2});
  m.actuator("motor", {.joint = "B", .value = "2*rat(B)"});
  m.initial_rate("D", 1);
  m.simulation({.tolerance = -1});
  const std::vector<std::string> expected = {
      "bodies.crank: the name 'crank' is given twice",
      "bodies.crank.mass: must not be negative, but is -1",
      "joints.A.type: unknown joint type 'revolut'; did you mean 'revolute'?",
      "joints.B.bodies[1]: unknown body 'crnak'; did you mean 'crank'?",
      "joints.B: a planar joint of type prismatic needs the key 'axis'",
      "joints.C.pitch: 'pitch' is not a key of a planar joint of type prismatic",
      "joints.C.bodies[0]: unknown body '7'",
      "joints.C.at: expected a list of 2 numbers (the model is planar), found a list of 3",
      "forces.motor.value: unknown function 'rat'; did you mean 'rate'?",
      "initial.velocities.D: unknown joint or body 'D'",
      "simulation.tolerance: must be positive, but is -1",
  };
  const std::vector<std::string> found = problems_of(m);
  for (const std::string& wanted : expected) {
    EXPECT_TRUE(
        std::any_of(found.begin(), found.end(), [&](const std::string& text) { return text.starts_with(wanted); }))
        << wanted << " is not among\n"
        << testing::PrintToString(found);
  }
  EXPECT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
}

TEST(ModelBuilder, NumbersKeepEveryDigit) {
  const double mass = 0.1 + 0.2, tiny = 4.9e-324;
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = mass, .inertia = tiny, .center = {1.0 / 3, -1e300}});
  const auto model = m.build();
  EXPECT_EQ(model->bodies[0].mass, mass);
  EXPECT_EQ(model->bodies[0].inertia(2, 2), tiny);
  EXPECT_EQ(model->bodies[0].center, Vec3(1.0 / 3, -1e300, 0));
}

TEST(ModelBuilder, BuildsAgainAfterMoreWasAdded) {
  ModelBuilder m(Dimension::planar);
  EXPECT_EQ(problems_of(m), std::vector<std::string>{"a model needs at least one body under 'bodies'"});
  m.body("a", {.mass = 1, .inertia = 1, .center = {0, 0}});
  EXPECT_EQ(m.build()->bodies.size(), 1u);
  m.body("b", {.mass = 1, .inertia = 1, .center = {0, 0}});
  EXPECT_EQ(m.build()->bodies.size(), 2u);
}

}  // namespace
}  // namespace bricard
