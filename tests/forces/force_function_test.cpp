// Forces by functions of the program: they see what results say of the body, in SI units whatever the size of the
// mechanism.
#include <bricard/bricard.h>
#include <bricard/testing.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace bricard {
namespace force_function_test {

/// As formulas can say it, and as a function.
std::shared_ptr<const Model> rods(Dimension dimension, bool by_function) {
  const bool planar = dimension == Dimension::planar;
  ModelBuilder m(dimension);
  m.gravity(planar ? ModelValue{0, 0} : ModelValue{0, 0, 0});
  m.body("a", {.mass = 2,
               .inertia = planar ? ModelValue(0.3) : ModelValue{0.3, 0.2, 0.25},
               .center = planar ? ModelValue{0.1, -0.2} : ModelValue{0.1, -0.2, 0.3}});
  m.body("b", {.mass = 1,
               .inertia = planar ? ModelValue(0.2) : ModelValue{0.2, 0.3, 0.2},
               .center = planar ? ModelValue{0.8, 0.5} : ModelValue{0.8, 0.5, 0.1}});
  m.joint("J", "revolute", "a", "b",
          planar ? JointOptions{.at = {0.3, 0.2}} : JointOptions{.at = {0.3, 0.2, 0}, .axis = {1, 2, 3}});
  const ModelValue at = planar ? ModelValue{0.9, 0.4} : ModelValue{0.9, 0.4, 0.2};
  if (by_function) {
    m.force(
        "f", "b",
        [](double t, const BodyState& b) {
          return Vec3(-3 * b.velocity.x() + t, b.center.x() * b.omega.z(), b.velocity.z() - b.center.z());
        },
        at);
  } else {
    ModelValue vector = {"-3*vx(b) + t", "x(b)*wz(b)"};
    if (!planar) vector = {"-3*vx(b) + t", "x(b)*wz(b)", "vz(b) - z(b)"};
    m.force("f", {.body = "b", .at = at, .vector = vector});
  }
  return m.build();
}

TEST(ForceFunction, KeepsTheContractOfForces) {
  for (const Dimension dimension : {Dimension::planar, Dimension::spatial})
    contracts::expect_force_contract(rods(dimension, true));
}

TEST(ForceFunction, SeesTheBodyInEveryCoordinateSet) {
  for (const Dimension dimension : {Dimension::planar, Dimension::spatial}) {
    for (const CoordinatesType& set : coordinates_types()) {
      if (!(dimension == Dimension::planar ? set.planar : set.spatial)) continue;
      SCOPED_TRACE(set.name);
      contracts::ForceSituation function(rods(dimension, true), set), formula(rods(dimension, false), set);
      EXPECT_GT(formula.loads().norm(), 0.1);
      EXPECT_LT((function.eq.Q - formula.eq.Q).norm(), 1e-13 * formula.eq.Q.norm());
    }
  }
}

/// Orientation, and in the plane the angle over full turns: a wheel wound up by its own turns.
TEST(ForceFunction, SeesTheOrientationOverFullTurns) {
  ModelBuilder m(Dimension::planar);
  m.gravity({0, 0});
  m.body("wheel", {.mass = 1, .inertia = 0.5, .center = {0, 0}, .angle = 0.3});
  m.joint("axle", "revolute", ground, "wheel", {.at = {0, 0}});
  // A couple of -2 (angle - 0.3): a force across the spoke, at its end.
  m.force("coil", "wheel",
          [](double, const BodyState& body) -> Vec3 {
            return -2 * (body.angle - 0.3) * (body.orientation * Vec3(-std::sin(-0.3), std::cos(-0.3), 0));
          },
          {1, 0});
  m.initial_rate("axle", 30);
  const SimulationResult run = simulate(m.build(), {.tolerance = 1e-10, .duration = 2, .output_step = 0.1});
  ASSERT_TRUE(run.ok()) << run.summary.failure;
  for (std::size_t row = 0; row < run.data.rows.size(); ++row)  // J a'' = -2 a: 15 sin(2 t), 2.4 turns
    EXPECT_NEAR(run.data.at(row, "axle.angle"), 15 * std::sin(2 * run.data.at(row, "time")), 1e-6);
}

/// Kilometres or micrometres: the function has a drag in kg/m.
TEST(ForceFunction, IsInSiUnitsInAnySize) {
  for (const double size : {1e-6, 1.0, 1e5}) {
    ModelBuilder m(Dimension::spatial);
    m.gravity({0, 0, 0});
    const double mass = 1e-3 * size, c = 0.5 * mass / size, inertia = mass * size * size;
    m.body("ball", {.mass = mass, .inertia = {inertia, inertia, inertia}, .center = {size, 0, 0}});
    m.force("drag", "ball", [c](double, const BodyState& b) -> Vec3 { return -c * b.velocity.norm() * b.velocity; });
    m.initial_velocity("ball", {.linear = {0, 3 * size, 0}});
    const SimulationResult run = simulate(m.build(), {.tolerance = 1e-10, .duration = 2, .output_step = 0.5});
    ASSERT_TRUE(run.ok()) << run.summary.failure;
    for (std::size_t row = 0; row < run.data.rows.size(); ++row) {  // v = v0/(1 + c v0 t/m)
      const double v = 3 / (1 + 1.5 * run.data.at(row, "time"));
      EXPECT_NEAR(run.data.at(row, "ball.vy") / size, v, 1e-7) << size;
    }
  }
}

TEST(ForceFunction, IsCheckedAsAllForces) {
  const auto problem = [](const BodyName& body, const ForceFunction& function) -> std::string {
    ModelBuilder m(Dimension::planar);
    m.body("ball", {.mass = 1, .inertia = 1, .center = {0, 0}});
    m.force("f", body, function);
    try {
      m.build();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const ForceFunction none = [](double, const BodyState&) -> Vec3 { return Vec3::Zero(); };
  EXPECT_EQ(problem("ball", none), "");
  EXPECT_NE(problem("bll", none).find("'ball'"), std::string::npos);
  EXPECT_NE(problem(ground, none), "");
  EXPECT_NE(problem("ball", {}).find("forces.f"), std::string::npos);
}

TEST(ForceFunction, ThatThrowsOrHasNoValueEndsTheRunWithTheReason) {
  const auto failure = [](const ForceFunction& function) {
    ModelBuilder m(Dimension::planar);
    m.body("ball", {.mass = 1, .inertia = 1, .center = {0, 0}});
    m.force("f", "ball", function);
    const SimulationResult run = simulate(m.build(), {.duration = 1});
    EXPECT_FALSE(run.ok());
    return run.summary.failure;
  };
  const std::string thrown = failure([](double t, const BodyState&) -> Vec3 {
    if (t > 0.5) throw std::runtime_error("the table ends here");
    return Vec3::Zero();
  });
  EXPECT_NE(thrown.find("the table ends here"), std::string::npos) << thrown;
  const std::string infinite =
      failure([](double t, const BodyState&) -> Vec3 { return Vec3(t > 0.5 ? std::nan("") : 0, 0, 0); });
  EXPECT_NE(infinite.find("f"), std::string::npos) << infinite;
}

}  // namespace force_function_test
}  // namespace bricard
