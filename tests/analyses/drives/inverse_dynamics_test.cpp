// Efforts for given motions: against textbook torques, against the actuators that made the motion, and where they have
// to be refused.
#include "bricard/inverse_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bricard/kinematics.h"
#include "bricard/load.h"
#include "io/results/csv_reader.h"

namespace bricard {
namespace inverse_dynamics_test {

constexpr double pi = std::numbers::pi;
const std::string models = BRICARD_SOURCE_DIR "/models/";

/// Some columns of results as a table.
MotionTable columns_of(const MemorySink& data, const std::vector<std::string>& names) {
  MotionTable table;
  table.columns = names;
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    Vector values(static_cast<int>(names.size()));
    for (std::size_t k = 0; k < names.size(); ++k) values[static_cast<int>(k)] = data.at(row, names[k]);
    table.rows.push_back(values);
  }
  return table;
}

// --- the robot arm, with torques as in textbooks ---

struct Arm {
  double l1 = 0.5, l2 = 0.4, m1 = 4, m2 = 2, g = 9.81;
  double q1, q2, w1, w2, a1, a2;
  double elbow() const {
    const double r2 = l2 / 2, I2 = m2 * l2 * l2 / 12;
    return (I2 + m2 * r2 * r2) * (a1 + a2) + m2 * l1 * r2 * (a1 * std::cos(q2) + w1 * w1 * std::sin(q2)) +
           m2 * g * r2 * std::cos(q1 + q2);
  }
  double shoulder() const {
    const double r1 = l1 / 2, r2 = l2 / 2, I1 = m1 * l1 * l1 / 12;
    return elbow() + (I1 + m1 * r1 * r1 + m2 * l1 * l1) * a1 +
           m2 * l1 * r2 * ((a1 + a2) * std::cos(q2) - (w1 + w2) * (w1 + w2) * std::sin(q2)) +
           (m1 * r1 + m2 * l1) * g * std::cos(q1);
  }
};

/// A trajectory that no law of the model knows.
Arm arm_at(double t) {
  Arm arm{};
  arm.q1 = pi / 9 + 0.8 * std::sin(2 * t), arm.w1 = 1.6 * std::cos(2 * t), arm.a1 = -3.2 * std::sin(2 * t);
  arm.q2 = pi / 6 + 0.5 * (1 - std::cos(3 * t)), arm.w2 = 1.5 * std::sin(3 * t), arm.a2 = 4.5 * std::cos(3 * t);
  return arm;
}

MotionTable arm_motion(int samples, bool rates) {
  std::string text = rates ? "time,A.angle,A.rate,B.angle,B.rate\n" : "time,A.angle,B.angle\n";
  char line[256];
  for (int k = 0; k <= samples; ++k) {
    const double t = 2.0 * k / samples;
    const Arm arm = arm_at(t);
    if (rates) {
      std::snprintf(line, sizeof line, "%.17g,%.17g,%.17g,%.17g,%.17g\n", t, arm.q1 - pi / 9, arm.w1, arm.q2 - pi / 6,
                    arm.w2);
    } else {
      std::snprintf(line, sizeof line, "%.17g,%.17g,%.17g\n", t, arm.q1 - pi / 9, arm.q2 - pi / 6);
    }
    text += line;
  }
  return read_motion_text(text, "arm.csv");
}

double largest_torque_error(int samples, bool rates) {
  Method method;
  method.output_step = 0.0125;  // between the samples too
  const InverseResult result =
      inverse_dynamics(load(models + "planar-2r-robot.yaml"), method, {.motion = arm_motion(samples, rates)});
  EXPECT_TRUE(result.ok()) << result.summary.failure;
  double worst = 0;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const Arm arm = arm_at(result.data.at(k, "time"));
    worst = std::max(worst, std::abs(result.data.at(k, "A.effort") - arm.shoulder()));
    worst = std::max(worst, std::abs(result.data.at(k, "B.effort") - arm.elbow()));
  }
  return worst;
}

TEST(InverseDynamicsTest, RobotArmNeedsTheTextbookTorques) {
  const double torque = arm_at(0.3).shoulder();
  EXPECT_GT(std::abs(torque), 5);
  EXPECT_LT(largest_torque_error(160, true), 1e-6);
  EXPECT_LT(largest_torque_error(160, false), 1e-4);
}

TEST(InverseDynamicsTest, TheErrorIsOfFourthOrderInTheSampling) {
  EXPECT_GT(largest_torque_error(20, true) / largest_torque_error(40, true), 12);
  EXPECT_GT(largest_torque_error(20, false) / largest_torque_error(40, false), 10);
}

TEST(InverseDynamicsTest, PowerIsTheRateOfTheEnergy) {
  const InverseResult result =
      inverse_dynamics(load(models + "planar-2r-robot.yaml"), {}, {.motion = arm_motion(400, true)});
  ASSERT_TRUE(result.ok());
  for (std::size_t k = 1; k + 1 < result.data.rows.size(); k += 7) {
    const double rate = (result.data.at(k + 1, "energy.total") - result.data.at(k - 1, "energy.total")) / 0.01;
    EXPECT_NEAR(result.data.at(k, "A.power") + result.data.at(k, "B.power"), rate, 5e-3);
  }
}

TEST(InverseDynamicsTest, LawsOfTheModelNeedNoTable) {
  // The model's own drives: the same torques as by kinematics, and those of the model file.
  const auto model = load(models + "planar-2r-robot.yaml");
  const InverseResult result = inverse_dynamics(model);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  const KinematicsResult driven = kinematics(model);
  ASSERT_EQ(result.data.rows.size(), driven.data.rows.size());
  for (std::size_t k = 0; k < driven.data.rows.size(); ++k) {
    EXPECT_NEAR(result.data.at(k, "A.effort"), driven.data.at(k, "shoulder.effort"), 1e-4);
    EXPECT_NEAR(result.data.at(k, "B.effort"), driven.data.at(k, "elbow.effort"), 1e-4);
  }
  EXPECT_NEAR(driven.data.at(0, "shoulder.effort"), 20.959067800, 1e-8);
  EXPECT_NEAR(driven.data.at(20, "shoulder.effort"), 30.296758142, 1e-8);
  EXPECT_NEAR(driven.data.at(20, "elbow.effort"), 4.494411832, 1e-8);
  EXPECT_NEAR(driven.data.at(80, "elbow.effort"), 3.398283684, 1e-8);
}

// --- round trips ---

TEST(InverseDynamicsTest, GivesBackTheActuatorsThatMadeTheMotion) {
  // A constant torque on a spatial mechanism with a redundant equation.
  Method method;
  method.tolerance = 1e-11, method.duration = 0.3, method.output_step = 0.002;
  const auto model = load(models + "screw-press.yaml");
  const SimulationResult run = simulate(model, method);
  ASSERT_TRUE(run.ok());
  const InverseResult result =
      inverse_dynamics(model, {}, {.motion = columns_of(run.data, {"time", "bearing.angle", "bearing.rate"})});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_EQ(result.summary.actuated, std::vector<std::string>{"bearing.angle"});
  for (std::size_t k = 0; k < result.data.rows.size(); ++k)
    EXPECT_NEAR(result.data.at(k, "bearing.effort"), 3, 1e-5) << k;
}

std::shared_ptr<const Model> controlled(const std::string& elbow) {
  return load_text(R"(
bricard: 1
dimension: planar
bodies:
  one: {rod: [[0, 0], [1, 0]], mass: 2}
  two: {rod: [[1, 0], [1.8, 0]], mass: 1}
joints:
  A: {type: revolute, bodies: [ground, one], at: [0, 0], friction: {coulomb: 0.2, radius: 0.05, smoothing: 0.5}}
  B: {type: revolute, bodies: [one, two], at: [1, 0]}
forces:
  first: {type: actuator, joint: A, value: 20 - 15*angle(A) - 4*rate(A)}
)" + elbow,
                   "controlled.yaml");
}

TEST(InverseDynamicsTest, RecoversFeedbackAndKnowsFriction) {
  const auto model = controlled("  second: {type: actuator, joint: B, value: \"5*cos(3*t) - rate(B)\"}\n");
  Method method;
  method.tolerance = 1e-11, method.duration = 1, method.output_step = 0.0025;
  const SimulationResult run = simulate(model, method);
  ASSERT_TRUE(run.ok());
  const InverseResult result =
      inverse_dynamics(model, {}, {.motion = columns_of(run.data, {"time", "A.angle", "A.rate", "B.angle", "B.rate"})});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const double first = 20 - 15 * run.data.at(k, "A.angle") - 4 * run.data.at(k, "A.rate");
    EXPECT_NEAR(result.data.at(k, "A.effort"), first, 1e-5);
    EXPECT_NEAR(result.data.at(k, "B.effort"), 5 * std::cos(3 * run.data.at(k, "time")) - run.data.at(k, "B.rate"),
                1e-5);
    for (const char* column : {"A.fx", "A.fy", "B.fx", "B.fy", "A.friction"})
      EXPECT_NEAR(result.data.at(k, column), run.data.at(k, column), 1e-4) << column;
  }
}

TEST(InverseDynamicsTest, APassiveMotionNeedsNoEfforts) {
  for (const auto& [name, joint] : {std::pair{"four-bar", "O1"}, {"bennett", "P1"}}) {
    SCOPED_TRACE(name);
    Method method;
    method.duration = 0.2, method.output_step = 0.002;
    const InverseResult result = inverse_dynamics(load(models + name + ".yaml"), method, {.actuate = {joint}});
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_EQ(result.summary.actuated.size(), 1u);
    const ColumnRange& effort = result.summary.efforts.ranges().front();
    EXPECT_LT(std::max(-effort.least, effort.most), 3e-4);  // of torques of tens of N m
  }
}

TEST(InverseDynamicsTest, BodiesMayGiveTheMotion) {
  // A free body in space: no joint coordinate at all; and a rod seen only by places and quaternions.
  const auto model = load(models + "bennett.yaml");
  Method method;
  method.tolerance = 1e-11, method.duration = 0.2, method.output_step = 0.002;
  const SimulationResult run = simulate(model, method);
  std::vector<std::string> columns = {"time"};
  for (const char* name : {".qw", ".qx", ".qy", ".qz", ".wx", ".wy", ".wz"})
    columns.push_back(std::string("link2") + name);
  const InverseResult result =
      inverse_dynamics(model, {}, {.motion = columns_of(run.data, columns), .actuate = {"P1"}});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    EXPECT_NEAR(result.data.at(k, "P1.angle"), run.data.at(k, "P1.angle"), 1e-8);
    EXPECT_NEAR(result.data.at(k, "P1.effort"), 0, 1e-4);
  }
}

// --- too many, too few ---

std::shared_ptr<const Model> two_motors() { return load(models + "driven-four-bar.yaml"); }

TEST(InverseDynamicsTest, TwoMotorsOnOneFreedomShareByLeastNorm) {
  const auto model = two_motors();
  const KinematicsResult driven = kinematics(model);
  const MotionTable motion = columns_of(driven.data, {"time", "A.angle", "A.rate"});
  const InverseResult one = inverse_dynamics(model, {}, {.motion = motion, .actuate = {"A"}});
  const InverseResult two = inverse_dynamics(model, {}, {.motion = motion, .actuate = {"A", "D"}});
  const InverseResult weighted =
      inverse_dynamics(model, {}, {.motion = motion, .actuate = {"A", "D"}, .weights = {{"D", 3}}});
  ASSERT_TRUE(one.ok() && two.ok() && weighted.ok()) << two.summary.failure;
  EXPECT_FALSE(two.summary.efforts_are_unique);
  EXPECT_NE(two.summary.messages.back().find("least norm"), std::string::npos);
  for (std::size_t k = 0; k < two.data.rows.size(); ++k) {
    const double needed = driven.data.at(k, "drive.effort");
    EXPECT_NEAR(one.data.at(k, "A.effort"), needed, 1e-5);
    // tauA + ratio tauD = needed, so by the pseudo-inverse of the row [1, ratio].
    const double ratio = driven.data.at(k, "D.rate") / driven.data.at(k, "A.rate");
    EXPECT_NEAR(two.data.at(k, "A.effort"), needed / (1 + ratio * ratio), 1e-5);
    EXPECT_NEAR(two.data.at(k, "D.effort"), needed * ratio / (1 + ratio * ratio), 1e-5);
    const double light = ratio / 9;
    EXPECT_NEAR(weighted.data.at(k, "D.effort"), needed * light / (1 + ratio * light), 1e-5);
  }
}

TEST(InverseDynamicsTest, TooFewActuatorsAreRefusedWithWhatIsMissing) {
  const InverseResult result =
      inverse_dynamics(load(models + "planar-2r-robot.yaml"), {}, {.motion = arm_motion(100, true), .actuate = {"A"}});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("efforts that these actuators cannot give"), std::string::npos);
  EXPECT_NE(result.summary.failure.find("1 actuated coordinate for 2 degrees of freedom"), std::string::npos)
      << result.summary.failure;
  EXPECT_NE(result.summary.failure.find("N m on B.angle"), std::string::npos) << result.summary.failure;
  EXPECT_EQ(result.data.rows.size(), 101u);  // kept all the same

  // The same arm with a motor on the shoulder only, moving as it does by itself: one actuator is enough.
  const auto model = controlled("");
  Method method;
  method.duration = 0.5, method.output_step = 0.0025;
  const InverseResult possible = inverse_dynamics(model, method, {.actuate = {"A"}});
  EXPECT_TRUE(possible.ok()) << possible.summary.failure;
  EXPECT_LT(possible.summary.residual, 1e-5);
}

TEST(InverseDynamicsTest, AnIncompleteMotionIsRefused) {
  const InverseResult result =
      inverse_dynamics(load(models + "double-pendulum.yaml"), {},
                       {.motion = read_motion_text("time,A.angle\n0,0\n1,0.5\n2,1\n", "half.csv")});
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.summary.failure,
            "half.csv does not determine 1 degree of freedom of the mechanism: add column B.angle.");
}

TEST(InverseDynamicsTest, AMotionThatViolatesTheConstraintsIsSaid) {
  const auto model = two_motors();
  const KinematicsResult driven = kinematics(model);
  MotionTable motion = columns_of(driven.data, {"time", "A.angle", "D.angle"});
  for (Vector& row : motion.rows) row[2] += 0.02;
  const InverseResult result = inverse_dynamics(model, {}, {.motion = motion, .actuate = {"A"}});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_GT(result.summary.angle_correction.size, 0.005);
  EXPECT_LT(result.summary.angle_correction.size, 0.0201);
  EXPECT_NE(result.summary.messages.back().find("violates the constraints"), std::string::npos);
  for (const Vector& row : result.data.rows) EXPECT_LT(row[result.data.index("constraint.position")], 1e-10);
}

TEST(InverseDynamicsTest, BadTablesAreRefused) {
  const auto model = load(models + "planar-2r-robot.yaml");
  const auto message = [&](const std::string& text) -> std::string {
    try {
      inverse_dynamics(model, {}, {.motion = read_motion_text(text, "m.csv")});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("A.angle,B.angle\n0,0\n").find("no column 'time'"), std::string::npos);
  EXPECT_NE(message("time,A.angel,B.angle\n0,0,0\n").find("did you mean 'A.angle'"), std::string::npos);
  EXPECT_NE(message("time,A.angle,B.angle\n0,0,0\n0,0,0\n").find("do not ascend"), std::string::npos);
  EXPECT_NE(message("time,A.angle,B.angle\n0,0\n").find("m.csv:2"), std::string::npos);
  EXPECT_NE(message("time,A.angle,B.angle\n0,x,0\n").find("'x' in column A.angle is not a number"), std::string::npos);
  EXPECT_NE(message("time,A.rate\n0,0\n").find("needs column 'A.angle'"), std::string::npos);
  EXPECT_NE(message("time\n0\n").find("no column gives"), std::string::npos);
  EXPECT_THROW(inverse_dynamics(model, {}, {.motion = arm_motion(10, true), .actuate = {"C"}}), InputError);
}

TEST(InverseDynamicsTest, StartsWhereTheTableDoes) {
  // Far from the reference, several turns on, at a time that is not zero.
  std::string text = "time,A.angle,B.angle\n";
  for (int k = 0; k <= 40; ++k)
    text += std::to_string(5 + 0.025 * k) + "," + std::to_string(7.5) + "," + std::to_string(-2.25) + "\n";
  const InverseResult result =
      inverse_dynamics(load(models + "planar-2r-robot.yaml"), {}, {.motion = read_motion_text(text, "held.csv")});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  Arm arm{};
  arm.q1 = 7.5 + pi / 9, arm.q2 = -2.25 + pi / 6;
  EXPECT_NEAR(result.data.at(20, "A.angle"), 7.5, 1e-10);
  EXPECT_NEAR(result.data.at(20, "A.effort"), arm.shoulder(), 1e-8);
  EXPECT_NEAR(result.data.at(20, "B.effort"), arm.elbow(), 1e-8);
  EXPECT_EQ(result.data.at(0, "time"), 5);
}

// An arc tangent gives angles of one turn: the torque is that of the angle that goes on, J w' + m g r cos(a).
TEST(InverseDynamicsTest, AnglesThatJumpByATurnGoOn) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {arm: {mass: 3, inertia: 0.2, center: [0.4, 0]}}\n"
      "joints: {H: {type: revolute, bodies: [ground, arm], at: [0, 0]}}\n",
      "arm");
  for (const char* column : {"H.angle", "arm.angle"}) {
    for (const double least : {-pi, 0.0}) {  // of the turn
      InverseOptions options;
      options.actuate = {"H"};
      options.motion = MotionTable{{"time", column}, {}, "measured.csv"};
      for (int k = 0; k <= 300; ++k) {
        const double t = 0.01 * k, angle = 1 - 4 * t - 0.5 * t * t;
        options.motion->rows.push_back(Eigen::Vector2d(t, angle - 2 * pi * std::floor((angle - least) / (2 * pi))));
      }
      const InverseResult result = inverse_dynamics(model, {}, options);
      ASSERT_TRUE(result.summary.completed) << result.summary.failure;
      for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
        const double t = result.data.at(row, "time"), angle = 1 - 4 * t - 0.5 * t * t;
        EXPECT_NEAR(result.data.at(row, "H.effort"), -(0.2 + 3 * 0.16) + 3 * 9.81 * 0.4 * std::cos(angle), 1e-5);
      }
      ASSERT_EQ(result.summary.messages.size(), 1u);
      EXPECT_NE(result.summary.messages[0].find(std::string(column) + "' jumps by a full turn"), std::string::npos)
          << result.summary.messages[0];
    }
  }
}

TEST(InverseDynamicsTest, AnglesOverMoreThanATurnAreTakenAsTheyAre) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {arm: {mass: 3, inertia: 0.2, center: [0.4, 0]}}\n"
      "joints: {H: {type: revolute, bodies: [ground, arm], at: [0, 0]}}\n",
      "arm");
  InverseOptions options;
  options.actuate = {"H"};
  options.motion = MotionTable{{"time", "H.angle", "H.rate"}, {}, "measured.csv"};
  for (int k = 0; k <= 20; ++k) options.motion->rows.push_back(Eigen::Vector3d(0.1 * k, 4.0 * k, 40));
  const InverseResult result = inverse_dynamics(model, {}, options);
  EXPECT_TRUE(result.summary.messages.empty());
}

}  // namespace inverse_dynamics_test
}  // namespace bricard
