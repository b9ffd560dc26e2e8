// The reduction of gear trains against the closed forms of Pennestri and Valentini, section 6.1, and whole-model
// checks.
#include "bricard/gear_train.h"

#include <gtest/gtest.h>

#include "analyses/assembly/assembly.h"
#include "analyses/linear/linearization.h"
#include "bricard/input_error.h"
#include "reference/reference.h"
#include "support/rotary_drive.h"

namespace bricard {
namespace gear_train_test {

using testing_support::RotaryDrive;
using testing_support::shipped;
using testing_support::start_of;

const char* const null_spaces[] = {"",
                                   "nullspace-partitioning",
                                   "nullspace-qr",
                                   "nullspace-putd",
                                   "nullspace-svd",
                                   "nullspace-eigen",
                                   "nullspace-schur"};

void expect_equal(const std::string& what, const Matrix& found, const Matrix& expected, double tolerance = 1e-12) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * std::max(1.0, expected.cwiseAbs().maxCoeff()))
      << what << "\n"
      << found << "\nexpected\n"
      << expected;
}

TEST(GearTrain, RotaryDriveOfThePaper) {
  Matrix Psi(3, 5), V(5, 2), M(2, 2), K(2, 2);
  Psi << 1, 2, 0, 0, 0, 0, -0.6, -0.4, 1, 0, 0, 1.5, 0, 1, -2.5;
  V << 1, 0, -0.5, 0, 0, 1, -0.3, 0.4, -0.42, 0.16;
  M << 0.16918, -0.00384, -0.00384, 0.03192;
  K << 1.65876, -0.06048, -0.06048, 0.82304;
  const auto model = shipped("rotary-drive");
  for (const char* method : null_spaces) {
    SCOPED_TRACE(method);
    const GearTrain train = reduce_gear_train(model, {.null_space = method});
    EXPECT_EQ(train.independent, (std::vector<std::string>{"gear2", "gear4"}));
    EXPECT_EQ(train.redundant, 0);
    expect_equal("Psi", train.Psi, Psi);
    expect_equal("V", train.V, V);
    expect_equal("M", train.M, M);
    expect_equal("K", train.K, K);
    ASSERT_EQ(train.lambda.size(), 2);
    EXPECT_NEAR(train.lambda[0].real(), -9.79865517517738, 1e-12);
    EXPECT_NEAR(train.lambda[1].real(), -25.80170728090824, 1e-12);
    EXPECT_EQ(train.lambda[0].imag(), 0);
    EXPECT_EQ(train.stability, Stability::stable);
    EXPECT_TRUE(train.steady);
    expect_equal("speeds", train.omega, (Vector(5) << 100, -50, -50, -50, -50).finished());
    EXPECT_TRUE(train.messages.empty()) << train.messages.front();
  }
}

TEST(GearTrain, ClosedFormsForRandomNumbers) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RotaryDrive drive = RotaryDrive::random(seed);
    drive.spatial = seed % 3 == 0;
    const auto model = load_text(drive.text(seed), "drive");
    const GearTrain train = reduce_gear_train(
        model, {.independent = {"g2", "g4"}, .null_space = null_spaces[seed % 7], .speeds = {drive.w2, drive.w4}});
    SCOPED_TRACE(drive.text(seed));
    Matrix V(5, 2);
    for (int k = 0; k < 5; ++k) V.row(k) = drive.V().row(train.bodies[k][1] - '2');
    expect_equal("V", train.V, V);
    expect_equal("M", train.M, drive.M());
    expect_equal("K", train.K, drive.K());
    expect_equal("speeds", train.omega, V * Eigen::Vector2d(drive.w2, drive.w4));
    // At the curves' own speeds they give their constants.
    expect_equal("imbalance", train.imbalance,
                 Eigen::Vector2d(drive.T1 - drive.a() * drive.Tr, drive.T2 - drive.b() * drive.Tr));
    // lambda^2 det M + lambda (M11 K22 + M22 K11 - 2 M12 K12) + det K = 0
    const Eigen::Matrix2d M = drive.M(), K = drive.K();
    const double b = M(0, 0) * K(1, 1) + M(1, 1) * K(0, 0) - 2 * M(0, 1) * K(0, 1);
    const double root = std::sqrt(b * b - 4 * M.determinant() * K.determinant());  // real: both are symmetric
    const double slow = (-b + root) / (2 * M.determinant()), fast = (-b - root) / (2 * M.determinant());
    EXPECT_NEAR(train.lambda[0].real(), slow, 1e-10 * std::abs(fast) + 1e-10 * std::abs(slow));
    EXPECT_NEAR(train.lambda[1].real(), fast, 1e-10 * std::abs(fast) + 1e-10 * std::abs(slow));
    EXPECT_EQ(train.stability, slow < 0 ? Stability::stable : Stability::unstable);
  }
}

TEST(GearTrain, OtherIndependentSpeeds) {
  // The same motion in other speeds: eigenvalues stay, M and K change with the speeds.
  const auto model = shipped("rotary-drive");
  const GearTrain of_inputs = reduce_gear_train(model);
  for (const std::vector<std::string>& independent : std::vector<std::vector<std::string>>{
           {"gear6", "gear3"}, {"planet5", "gear4"}, {"pin5", "bearing6"}, {"bearing4", "gear2"}}) {
    for (const char* method : null_spaces) {
      const GearTrain train = reduce_gear_train(model, {.independent = independent, .null_space = method});
      EXPECT_EQ(train.independent, independent);
      EXPECT_NEAR(train.lambda[0].real(), -9.79865517517738, 1e-11);
      EXPECT_NEAR(train.lambda[1].real(), -25.80170728090824, 1e-11);
      // T w of both: omega = V w
      const Matrix change = of_inputs.V.completeOrthogonalDecomposition().solve(train.V);
      expect_equal("M", train.M, change.transpose() * of_inputs.M * change);
      expect_equal("K", train.K, change.transpose() * of_inputs.K * change);
    }
  }
}

TEST(GearTrain, UnstableCurvesAndUnbalancedTorques) {
  // K11 K22 = K12^2 at Kd1 = a^2 Kr - (a b Kr)^2/K22
  const double a = -0.42, b = 0.16, Kr = 0.9, critical = a * a * Kr - std::pow(a * b * Kr, 2) / (0.8 + b * b * Kr);
  const auto stability = [](double Kd1) {
    return reduce_gear_train(shipped("rotary-drive", {{"Kd1", std::to_string(Kd1)}})).stability;
  };
  EXPECT_EQ(stability(critical - 1e-3), Stability::stable);
  EXPECT_EQ(stability(critical + 1e-3), Stability::unstable);
  const auto kicked = reduce_gear_train(shipped("rotary-drive", {{"kick", "1"}}));
  EXPECT_FALSE(kicked.steady);
  EXPECT_NEAR(kicked.imbalance[0], -1.65876, 1e-12);  // -K (1, 0)
  EXPECT_NEAR(kicked.imbalance[1], 0.06048, 1e-12);
  const auto free = reduce_gear_train(shipped("rotary-drive", {{"Kd1", "0"}, {"Kd2", "0"}, {"Kr", "0"}}));
  EXPECT_EQ(free.stability, Stability::neutral);
}

TEST(GearTrain, CurvedSpeedTorqueCurvesHaveExactSlopes) {
  // T = 40/w + 0.01 w^2 at w2 = 100: -40/w^2 + 0.02 w
  RotaryDrive drive;
  drive.start2 = 100, drive.start4 = -50;
  std::string text = drive.text();
  text += "outputs: {w: wz(g2)}\n";
  const std::size_t at = text.find("  motor1:");
  text.replace(at, text.find('\n', at) - at, "  motor1: {type: torque, body: g2, value: 40/wz(g2) + 0.01*rate(Bg2)^2}");
  const GearTrain train = reduce_gear_train(load_text(text, "curved"));
  EXPECT_NEAR(train.K(0, 0), 40.0 / 1e4 - 2 + 0.42 * 0.42 * 0.9, 1e-13);
  EXPECT_NEAR(train.torque[0], 0.4 + 100, 1e-11);
}

TEST(GearTrain, BearingsWithViscousFrictionAndDampers) {
  RotaryDrive drive;
  std::string text = drive.text();
  const std::size_t at = text.find("  Bg5:");
  text.replace(text.find('}', at), 1, ", friction: {viscous: 0.3}}");
  text += "outputs: {w: wz(g2)}\n";
  const std::size_t force = text.find("forces:\n") + 8;
  text.insert(force, "  damper: {type: rotational_spring, joint: Bg3, damping: 0.7}\n");
  const GearTrain train = reduce_gear_train(load_text(text, "damped"), {.independent = {"g2", "g4"}});
  const Eigen::RowVector2d planet = drive.V().row(3) - drive.V().row(1), carrier = drive.V().row(1);
  expect_equal("K", train.K, drive.K() + 0.3 * planet.transpose() * planet + 0.7 * carrier.transpose() * carrier);
  EXPECT_TRUE(train.messages.empty());
}

TEST(GearTrain, RedundantPlanets) {
  const auto model = shipped("planetary-gear");
  for (const char* method : null_spaces) {
    SCOPED_TRACE(method);
    const GearTrain train = reduce_gear_train(model, {.null_space = method});
    EXPECT_EQ(train.redundant, 2);
    EXPECT_EQ(train.independent, (std::vector<std::string>{"sun"}));
    expect_equal("V", train.V, (Vector(5) << 1, 1.0 / 3, -1, -1, -1).finished());
    EXPECT_NEAR(train.M(0, 0), 0.004, 1e-15);
    EXPECT_NEAR(train.imbalance[0], 0.6 - 1.2 / 3, 1e-14);
    EXPECT_EQ(train.stability, Stability::neutral);
    EXPECT_FALSE(train.steady);
  }
}

TEST(GearTrain, ShaftsFixedToTheirGears) {
  RotaryDrive drive;
  drive.shafts = true;
  for (bool spatial : {false, true}) {
    drive.spatial = spatial;
    const GearTrain train = reduce_gear_train(load_text(drive.text(4), "shafts"), {.independent = {"sg2", "g4"}});
    expect_equal("M", train.M, drive.M());
    expect_equal("K", train.K, drive.K());
  }
}

TEST(GearTrain, AgreesWithTheAccelerationsOfTheWholeModel) {
  for (unsigned seed = 40; seed < 44; ++seed) {
    RotaryDrive drive = RotaryDrive::random(seed);
    drive.start2 = drive.w2 + 3, drive.start4 = drive.w4 - 2;
    const auto model = load_text(drive.text(), "drive");
    const GearTrain train = reduce_gear_train(model, {.independent = {"g2", "g4"}});
    const Vector w = train.M.ldlt().solve(train.imbalance);
    const auto start = start_of(model);
    EXPECT_NEAR(start.planar("g2").z(), w[0], 1e-10 * w.norm());
    EXPECT_NEAR(start.planar("g4").z(), w[1], 1e-10 * w.norm());
  }
}

TEST(GearTrain, AgreesWithTheLinearisedModel) {
  // The whole model with all its coordinates, linearised by differences: C is the paper's K, nothing is restored.
  const auto model = shipped("rotary-drive");
  const CoordinatesType& type = *find_coordinates_type("reference-point");
  const Assembly start = assemble(model, type);
  System system(model, type);
  start_at(system, start);
  const Linearization linear = linearize(system, 0, start.q, start.v, {.independent = {"bearing2", "bearing4"}});
  ASSERT_TRUE(linear.ok) << linear.failure;
  const GearTrain train = reduce_gear_train(model, {.independent = {"bearing2", "bearing4"}});
  expect_equal("M", linear.M, train.M, 1e-10);
  expect_equal("C", linear.C, train.K, 1e-8);
  expect_equal("K", linear.K, Matrix::Zero(2, 2), 1e-8);
}

std::string refusal(const std::shared_ptr<const Model>& model, const GearTrainOptions& options = {}) {
  try {
    reduce_gear_train(model, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GearTrain, Refusals) {
  const auto drive = shipped("rotary-drive");
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusal(shipped("pendulum")), "no gear_pair");
  contains(refusal(shipped("car-differential")), "parallel axes");
  contains(refusal(drive, {.independent = {"gear2"}}), "has 2 independent speeds, not 1 (gear2)");
  contains(refusal(drive, {.independent = {"gear2", "gear3"}}), "'gear3' follows from the others");
  contains(refusal(drive, {.independent = {"gear2", "gear9"}}), "'gear9' is no body");
  contains(refusal(drive, {.independent = {"gear2", "mesh1"}}), "'mesh1' is no body");
  contains(refusal(drive, {.null_space = "lagrange"}), "'lagrange' is no null-space method");
  contains(refusal(drive, {.speeds = {1}}), "1 speeds were given for 2");
  RotaryDrive driven;
  driven.start2 = 3;
  const auto held = load_text(driven.text() + "motions: {m: {joint: Bg2, position: 3*t}}\n", "held");
  contains(refusal(held), "but the whole model has 1 degrees of freedom");
}

TEST(GearTrain, SaysWhatIsLeftOut) {
  std::string text = RotaryDrive().text();
  text.replace(text.find("gravity: [0, 0]"), 15, "gravity: [0, -9.81]");
  const std::size_t force = text.find("forces:\n") + 8;
  text.insert(force,
              "  wind: {type: force, body: g5, vector: [1, 0]}\n"
              "  coil: {type: actuator, joint: Bg3, value: -3*angle(Bg3)}\n");
  const GearTrain train = reduce_gear_train(load_text(text, "more"), {.independent = {"g2", "g4"}});
  ASSERT_EQ(train.messages.size(), 3u);
  EXPECT_NE(train.messages[0].find("weight of the planets"), std::string::npos);
  EXPECT_NE(train.messages[1].find("wind"), std::string::npos);
  EXPECT_NE(train.messages[2].find("coil on positions"), std::string::npos);
  const std::string report = gear_train_text(*shipped("rotary-drive"), reduce_gear_train(shipped("rotary-drive")));
  EXPECT_NE(report.find("-9.798655175, -25.80170728"), std::string::npos) << report;
  EXPECT_NE(report.find("stable, torques balanced"), std::string::npos) << report;
  EXPECT_EQ(gear_train_text(shipped("rotary-drive")), report);
  EXPECT_EQ(gear_train_text(shipped("pendulum")), "");
  EXPECT_NE(gear_train_text(shipped("car-differential")).find("not reduced to speeds: joint carrier"),
            std::string::npos)
      << gear_train_text(shipped("car-differential"));
}

}  // namespace gear_train_test
}  // namespace bricard
