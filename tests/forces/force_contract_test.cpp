// Forces against their contract (testing/force_contract.h), and closed forms for each type.
#include <bricard/testing.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace force_contract_test {

const std::string planar_bodies = contracts::bodies_of_force(true), spatial_bodies = contracts::bodies_of_force(false);

struct Situation : contracts::ForceSituation {
  Situation(const std::string& bodies, const std::string& force, const std::string& coordinates = "reference-point")
      : ForceSituation(load_text(bodies + "forces: {f: " + force + "}\n", "test"),
                       *find_coordinates_type(coordinates)) {}
};

// --- the contract ---

struct Example {
  const char *name, *type;
  contracts::ForceExample of;
};
const Example examples[] = {
    {"force", "force", {"body: b, at: [0.9, 0.9], vector: [\"3*t\", -2]", "body: b, vector: [\"3*vx(a)\", -2, 1]"}},
    {"follower",
     "force",
     {"body: a, at: [0.5, 0.1], vector: [\"x(b)*t\", \"2*rate(J)\"], frame: body",
      "body: a, at: [0.5, 0.1, 0.3], vector: [\"z(b)\", \"2*rate(J)\", 3], frame: body"}},
    {"torque", "torque", {"body: a, value: \"2 + t*angle(J)\"", "body: b, value: [\"wz(a)\", 2, 3], frame: body"}},
    {"spring",
     "spring",
     {"between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30, free_length: 0.4",
      "between: [[a, [0.5, 0, 1]], [b, [0.2, 0.9, -1]]], stiffness: 30, free_length: 0.4", true}},
    {"spring_to_ground",
     "spring",
     {"between: [[ground, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30",
      "between: [[ground, [0.5, 0, 0]], [b, [0.2, 0.9, 1]]], stiffness: 30", true}},
    {"spring_law",
     "spring",
     {"between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], free_length: 0.3, law: \"-50*x - 10*abs(x)*x\"", {}, true}},
    {"damper",
     "spring",
     {"between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30, damping: 4",
      "between: [[a, [0.5, 0, 1]], [b, [0.2, 0.9, -1]]], stiffness: 0, damping: 7"}},
    {"law_of_signals",
     "spring",
     {"between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], free_length: 0.3, law: \"-50*x - 2*v*x + angle(J)*rate(J) + t\""}},
    {"coil",
     "rotational_spring",
     {"joint: J, stiffness: 3, free_angle: 0.2", "joint: J, stiffness: 3, free_angle: 0.2", true}},
    {"coil_law", "rotational_spring", {"joint: J, law: \"-2*x^3\"", {}, true}},
    {"coil_second_angle", "rotational_spring", {{}, "joint: U, coordinate: angle2, stiffness: 3", true}},
    {"coil_damper", "rotational_spring", {"joint: J, damping: 2", "joint: J, damping: 2"}},
    {"actuator",
     "actuator",
     {"joint: J, value: \"-20*angle(J)^2 - 3*rate(J) + x(a)*vy(b)\"", "joint: J, value: \"-20*angle(J) - wx(b)\""}},
    {"bushing",
     "bushing",
     {"bodies: [a, b], at: [0.5, 0.1], stiffness: [30, 20, 5]",
      "bodies: [a, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3]", true}},
    {"bushing_to_ground",
     "bushing",
     {{}, "bodies: [ground, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3]", true}},
    {"bushing_damper",
     "bushing",
     {"bodies: [a, b], at: [0.5, 0.1], stiffness: [30, 20, 5], damping: [1, 2, 3]",
      "bodies: [a, b], at: [0.5, 0.1, 0.2], stiffness: [0, 0, 0, 0, 0, 0], damping: [3, 2, 1, 0.5, 0.4, 0.3]"}},
    {"rotor",
     "rotor",
     {"body: b, inertia: 0.02, speed: 100*t^2", "body: a, axis: [1, 2, -2], inertia: 0.02, speed: 30*t + 5"}},
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

class ForceContract : public ::testing::TestWithParam<Example> {};

TEST_P(ForceContract, Holds) { EXPECT_FORCE_CONTRACT(GetParam().type, GetParam().of); }
INSTANTIATE_TEST_SUITE_P(Every, ForceContract, ::testing::ValuesIn(examples),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ForceContractTest, HasAnExampleOfEveryType) {
  for (const ForceType& type : force_types()) {
    const auto of_type = [&](const Example& example) { return std::string(type.name) == example.type; };
    EXPECT_TRUE(std::any_of(std::begin(examples), std::end(examples), of_type)) << type.name;
  }
}

/// Derivatives of all of them are known.
TEST_P(ForceContract, DerivativesAreKnown) {
  for (const bool planar : {true, false}) {
    const auto& keys = planar ? GetParam().of.planar : GetParam().of.spatial;
    if (!keys) continue;
    const Situation s(planar ? planar_bodies : spatial_bodies, fmt::format("{{type: {}, {}}}", GetParam().type, *keys));
    EXPECT_TRUE(Tangent(s.system).exact());
  }
}

TEST(DissipativeForce, TakesPower) {
  for (const Example& example : examples) {
    if (!std::string(example.name).ends_with("damper")) continue;
    Situation s(spatial_bodies, fmt::format("{{type: {}, {}}}", example.type, *example.of.spatial));
    EXPECT_LT(s.system.nonconservative_power(s.eq, Vector::Zero(s.system.row_count())), -1e-3) << example.name;
  }
}

// --- closed forms ---

TEST(AppliedForceTest, WorldAndFollowerForcesHaveTheirGeneralisedForces) {
  // Force at r has (F, (r - c) x F).
  Situation world(planar_bodies, "{type: force, body: b, at: [0.9, 0.9], vector: [\"3*t\", -2]}");
  const Vec3 F(3 * 0.7, -2, 0);
  const Mat3 A = world.system.coordinates().frame(1), A0 = Eigen::AngleAxisd(-0.4, Vec3::UnitZ()).toRotationMatrix();
  const Vec3 lever = A * A0.transpose() * Vec3(0.1, 0.4, 0);
  EXPECT_NEAR(world.eq.Q[3], F.x(), 1e-14);
  EXPECT_NEAR(world.eq.Q[4], F.y(), 1e-14);
  EXPECT_NEAR(world.eq.Q[5], lever.cross(F).z(), 1e-14);

  Situation follower(planar_bodies, "{type: force, body: b, at: [0.9, 0.9], vector: [3, -2], frame: body}");
  const Vec3 turned = A * Vec3(3, -2, 0);
  EXPECT_NEAR(follower.eq.Q[3], turned.x(), 1e-14);
  EXPECT_NEAR(follower.eq.Q[4], turned.y(), 1e-14);
  EXPECT_NEAR(follower.eq.Q[5], lever.cross(turned).z(), 1e-14);
}

TEST(AppliedTorqueTest, ActsOnTheRotationOnly) {
  Situation s(planar_bodies, "{type: torque, body: a, value: \"2 + t\"}");
  EXPECT_NEAR(s.eq.Q[2], 2.7, 1e-14);
  EXPECT_EQ(s.eq.Q[0], 0);
  EXPECT_EQ(s.eq.Q[5], 0);
}

TEST(ActuatorTest, ActsOppositelyOnBothBodiesAndSeesSignals) {
  Situation s(planar_bodies, "{type: actuator, joint: J, value: \"-20*angle(J) - 3*rate(J)\"}");
  // Planar: angle(J) is the difference of the bodies' rotations since the reference.
  const double angle = (s.q[5] + 0.4) - (s.q[2] - 0.3), rate = s.v[5] - s.v[2];
  EXPECT_NEAR(s.eq.Q[5], -20 * angle - 3 * rate, 1e-12);
  EXPECT_NEAR(s.eq.Q[2], 20 * angle + 3 * rate, 1e-12);
}

TEST(SpringTest, OfZeroLengthHasNoForceAndIsFinite) {
  Situation s("bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1, center: [0, 0]}}\n",
              "{type: spring, between: [[ground, [0, 0]], [a, [0, 0]]], stiffness: 5, damping: 1, free_length: 0}");
  s.q.setZero();
  s.evaluate(s.q, s.v);
  EXPECT_EQ(s.eq.Q.norm(), 0);
  s.q << 0.3, 0.4, 0;
  const Vector force = s.force_at_rest(s.q);
  EXPECT_NEAR(force[0], -1.5, 1e-14);
  EXPECT_NEAR(force[1], -2.0, 1e-14);
}

TEST(BushingTest, SmallDeformationsAreSixSprings) {
  Situation s("bricard: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}\n",
              "{type: bushing, bodies: [ground, a], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 6], damping: [0, 0, 0, "
              "0, 0, 0]}");
  s.system.coordinates().reference(s.q);
  Vector small(6);
  small << 1e-6, 2e-6, 3e-6, 1e-6, 2e-6, 3e-6;
  s.system.coordinates().advance(s.q, small);
  const Vector force = s.force_at_rest(s.q);
  const double expected[] = {-1e-6, -4e-6, -9e-6, -4e-6, -10e-6, -18e-6};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(force[k], expected[k], 1e-10);
}

// --- rotor: T = -omega x (J Omega u) - J Omega' u ---

// Power of the force on the body at its own velocity, and its generalised forces by virtual power in any coordinates.
void expect_rotor_moment(const std::string& speed, double Omega, double Omega_rate) {
  for (const char* set : {"reference-point", "euler-zxz", "euler-parameters"}) {
    SCOPED_TRACE(speed + " in " + set);
    const double J = 0.02;
    Situation s(spatial_bodies, "{type: rotor, body: a, axis: [1, 2, -2], inertia: 0.02, speed: " + speed + "}", set);
    Situation without(spatial_bodies, "{type: torque, body: a, value: [0, 0, 0]}", set);
    without.evaluate(s.q, s.v);
    const Vector force = s.eq.Q - without.eq.Q;
    const Mat3 turned = s.system.coordinates().frame(0) * s.model->bodies[0].orientation.toRotationMatrix().transpose();
    const Vec3 u = turned * Vec3(1, 2, -2) / 3, omega = s.system.angular_velocity(0);
    const Vec3 moment = -J * (Omega * omega.cross(u) + Omega_rate * u);
    EXPECT_GT(moment.norm(), 0.1);
    EXPECT_NEAR(s.system.nonconservative_power(s.eq, Vector::Zero(s.system.row_count())),
                -J * Omega_rate * u.dot(omega), 1e-12);
    for (int k = 0; k < s.v.size(); ++k) {
      s.evaluate(s.q, Vector::Unit(s.v.size(), k));
      EXPECT_NEAR(force[k], moment.dot(s.system.angular_velocity(0)), 1e-11) << "coordinate " << k;
    }
  }
}

TEST(RotorTest, AtConstantSpeedTheMomentIsGyroscopicAndDoesNoWork) { expect_rotor_moment("300", 300, 0); }

TEST(RotorTest, AChangeOfSpeedReactsOnTheBody) { expect_rotor_moment("100*t^2", 49, 140); }

TEST(RotorTest, IsAReactionWheelInThePlane) {
  Situation s(planar_bodies, "{type: rotor, body: b, inertia: 0.02, speed: 100*t^2}");
  EXPECT_NEAR(s.eq.Q[5], -0.02 * 140, 1e-13);
  EXPECT_EQ(s.eq.Q.head(5).norm(), 0);
}

// A bushing that is wound up further than half a turn pulls back by all of it: in the plane, and about an axis in
// space.
TEST(BushingTest, GoesOnBeyondHalfATurn) {
  const struct {
    const char *text, *angle;
  } cases[] = {
      {"bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {b: {mass: 1, inertia: 0.5, center: [0, 0]}}\n"
       "joints: {J: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
       "forces: {B: {type: bushing, bodies: [ground, b], at: [0, 0], stiffness: [0, 0, 2], damping: [0, 0, 0]}}\n"
       "initial: {velocities: {J: 9}}\n",
       "J.angle"},
      {"bricard: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [0.5, 0.5, 0.5], center: [0, 0, 0]}}\n"
       "joints: {J: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0.6, 0, 0.8]}}\n"
       "forces: {B: {type: bushing, bodies: [ground, b], at: [0, 0, 0], stiffness: [0, 0, 0, 2, 2, 2], damping: "
       "[0, 0, 0, 0, 0, 0]}}\ninitial: {velocities: {J: 9}}\n",
       "J.angle"}};
  for (const auto& c : cases) {
    Method method;
    method.duration = 2, method.output_step = 0.1, method.tolerance = 1e-10;
    const SimulationResult result = simulate(load_text(c.text, "wound up"), method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    // J a'' = -C a: a = 9/w sin(w t) with w = 2, up to 4.5 rad.
    for (std::size_t row = 0; row < result.data.rows.size(); ++row)
      EXPECT_NEAR(result.data.at(row, c.angle), 4.5 * std::sin(2 * result.data.at(row, "time")), 1e-7);
    EXPECT_LT(result.summary.energy_drift, 1e-7);
  }
}

}  // namespace force_contract_test
}  // namespace bricard
