// Contract of the forces: generalised forces are minus the derivative of the potential where there is one, the power of
// the rest is what nonconservative_power() says, and closed forms for each type.
#include <gtest/gtest.h>

#include <random>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "support/differentiate.h"
#include "system/system.h"

namespace bricard {
namespace force_contract_test {

using testing_support::differentiate;

const char* const planar_bodies =
    "bricard: 1\ndimension: planar\ngravity: [0, 0]\n"
    "bodies:\n  a: {mass: 2, inertia: 0.3, center: [0.1, -0.2], angle: 0.3}\n  b: {mass: 1, inertia: 0.2, center: "
    "[0.8, 0.5], angle: -0.4}\n"
    "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2]}, S: {type: point_on_line, bodies: [a, b], at: [0.3, "
    "0.2], axis: [1, 2]}}\n";
const char* const spatial_bodies =
    "bricard: 1\ngravity: [0, 0, 0]\nbodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.1, -0.2, 0.3], orientation: {euler_zxz: "
    "[0.3, 0.8, -0.2]}}\n"
    "  b: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [0.8, 0.5, 0.1], orientation: {euler_zxz: [-0.5, 1.2, 0.7]}}\n"
    "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0], axis: [1, 2, 3]}, "
    "U: {type: universal, bodies: [a, b], at: [0.3, 0.2, 0], axes: [[1, 1, 0], [1, -1, 1]]}}\n";

/// A system off its joints, at a random state: forces must be right anywhere.
struct Situation {
  Situation(const std::string& bodies, const std::string& force, const std::string& coordinates = "reference-point")
      : model(load_text(bodies + "forces: {f: " + force + "}\n", "test")),
        system(model, *find_coordinates_type(coordinates)) {
    eq = system.empty_equations();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    q.resize(system.position_size());
    v.resize(system.velocity_size());
    Vector away(v.size());
    for (int k = 0; k < v.size(); ++k) away[k] = 0.3 * number(random), v[k] = number(random);
    system.coordinates().reference(q);
    system.coordinates().advance(q, away);
    // On the coordinates' own rows, though: a bushing between bodies that stretch means nothing.
    for (int iteration = 0; iteration < 20 && system.coordinates().own_rows() > 0; ++iteration) {
      evaluate(q, v);
      system.coordinates().advance(q, -normal(eq.Phi.tail(system.coordinates().own_rows())));
    }
    evaluate(q, v);
    v = tangent(v);
    evaluate(q, v);
  }
  /// The shortest displacement that changes the own rows by so much.
  Vector normal(const Vector& change) {
    const Matrix own = Matrix(eq.P).bottomRows(system.coordinates().own_rows());
    return own.completeOrthogonalDecomposition().solve(change);
  }
  /// What the own rows leave of a displacement.
  Vector tangent(const Vector& displacement) {
    const int rows = system.coordinates().own_rows();
    return rows == 0 ? displacement : Vector(displacement - normal(Matrix(eq.P).bottomRows(rows) * displacement));
  }
  void evaluate(const Vector& at, const Vector& velocity) {
    system.evaluate(0.7, at, velocity, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  }
  Vector force_at_rest(const Vector& at) {
    evaluate(at, Vector::Zero(v.size()));
    return eq.Q;
  }
  std::shared_ptr<const Model> model;
  System system;
  Equations eq;
  Vector q, v;
};

struct Conservative {
  const char* name;
  bool planar;
  const char* force;
};
const Conservative conservative[] = {
    {"spring_planar", true,
     "{type: spring, between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30, free_length: 0.4}"},
    {"spring_to_ground", true, "{type: spring, between: [[ground, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30}"},
    {"spring_law", true,
     "{type: spring, between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], free_length: 0.3, law: \"-50*x - 10*abs(x)*x\"}"},
    {"coil_planar", true, "{type: rotational_spring, joint: J, stiffness: 3, free_angle: 0.2}"},
    {"coil_law", true, "{type: rotational_spring, joint: J, law: \"-2*x^3\"}"},
    {"bushing_planar", true,
     "{type: bushing, bodies: [a, b], at: [0.5, 0.1], stiffness: [30, 20, 5], damping: [0, 0, 0]}"},
    {"spring_spatial", false,
     "{type: spring, between: [[a, [0.5, 0, 1]], [b, [0.2, 0.9, -1]]], stiffness: 30, free_length: 0.4}"},
    {"coil_spatial", false, "{type: rotational_spring, joint: J, stiffness: 3, free_angle: 0.2}"},
    {"coil_second_angle", false, "{type: rotational_spring, joint: U, coordinate: angle2, stiffness: 3}"},
    {"bushing_spatial", false,
     "{type: bushing, bodies: [a, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3], damping: [0, 0, 0, 0, 0, "
     "0]}"},
    {"bushing_to_ground", false,
     "{type: bushing, bodies: [ground, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3], damping: [0, 0, 0, "
     "0, 0, 0]}"},
};
void PrintTo(const Conservative& c, std::ostream* out) { *out << c.name; }

class ConservativeForce : public ::testing::TestWithParam<Conservative> {};

TEST_P(ConservativeForce, IsMinusTheGradientOfItsPotential) {
  for (const CoordinatesType& set : coordinates_types()) {
    if (GetParam().planar && !set.planar) continue;
    Situation s(GetParam().planar ? planar_bodies : spatial_bodies, GetParam().force, set.name);
    const Vector force = s.force_at_rest(s.q);
    if (!set.absorbs_joints) {  // there J and U together may lock a to b
      EXPECT_GT(force.norm(), 0.01);
    }
    for (int k = 0; k < s.v.size(); ++k) {
      s.evaluate(s.q, s.v);
      const Vector direction = s.tangent(Vector::Unit(s.v.size(), k));
      const double slope = differentiate([&](double step) {
        Vector at = s.q;
        s.system.coordinates().advance(at, step * direction);
        s.evaluate(at, s.v);
        return Vector::Constant(1, s.system.potential_energy(0.7));
      })[0];
      EXPECT_NEAR(force.dot(direction), -slope, 1e-8 * std::max(1.0, force.norm())) << set.name << " coordinate " << k;
    }
    s.evaluate(s.q, s.v);
    EXPECT_NEAR(s.system.nonconservative_power(s.eq, Vector::Zero(s.system.row_count())), 0, 1e-10) << set.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Every, ConservativeForce, ::testing::ValuesIn(conservative),
                         [](const auto& test) { return std::string(test.param.name); });

// Dampers take power quadratic in the rates; with Q from the same loads, power = Q . v.
TEST(DissipativeForce, PowerIsThatOfTheGeneralisedForces) {
  for (const char* force :
       {"{type: spring, between: [[a, [0.5, 0, 1]], [b, [0.2, 0.9, -1]]], stiffness: 0, damping: 7}",
        "{type: rotational_spring, joint: J, damping: 2}",
        "{type: bushing, bodies: [a, b], at: [0.5, 0.1, 0.2], stiffness: [0, 0, 0, 0, 0, 0], damping: [3, 2, 1, 0.5, "
        "0.4, 0.3]}"}) {
    Situation s(spatial_bodies, force);
    Vector Q = s.eq.Q;  // take the gyroscopic terms out: they are those of the same state without the force
    Situation without(spatial_bodies, "{type: torque, body: a, value: [0, 0, 0]}");
    without.evaluate(s.q, s.v);
    const double power = s.system.nonconservative_power(s.eq, Vector::Zero(s.system.row_count()));
    EXPECT_LT(power, -1e-3) << force;
    EXPECT_NEAR(power, (Q - without.eq.Q).dot(s.v), 1e-10 * std::abs(power)) << force;
  }
}

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
