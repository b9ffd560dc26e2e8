// Columns of the diagnostics along runs: Blajer's published curve of the four-bar, closed forms of singular values, and
// the times at which singular positions are passed.
#include "analyses/run/run_diagnostics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analyses/run/singular_passages.h"
#include "reference/reference.h"

namespace bricard {
namespace run_diagnostics_test {

using testing_support::read_table;
using testing_support::run;
using testing_support::shipped;

Method with_diagnostics(double duration, double output_step) {
  Method method;
  method.duration = duration, method.output_step = output_step, method.diagnostics = true;
  return method;
}

bool has_column(const SimulationResult& result, const std::string& name) {
  const auto& columns = result.data.columns;
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::string message_with(const SimulationResult& result, const std::string& part) {
  for (const std::string& message : result.summary.messages) {
    if (message.find(part) != std::string::npos) return message;
  }
  return {};
}

// The table starts the mechanism at each angle of the crank; alpha1, alpha2, alpha3 are its tree's joint coordinates.
TEST(RunDiagnosticsTest, ProjectiveColumnsAreBlajersCurve) {
  const testing_support::Table table = read_table("four-bar-criterion");
  Method method = with_diagnostics(1e-3, 1e-3);
  method.coordinates = "relative";
  int compared = 0;
  for (std::size_t row = 0; row < table.rows(); row += 3) {
    const auto cut = load_text(
        [&] {
          std::ifstream file(BRICARD_SOURCE_DIR "/models/four-bar.yaml");
          std::string text((std::istreambuf_iterator<char>(file)), {});
          const std::string joint = "O4: {type: revolute, bodies: [ground, rocker], at: O4";
          return text.replace(text.find(joint), joint.size(), joint + ", cut: true");
        }(),
        "four-bar", {.parameters = {{"alpha1", table.text(row, "alpha1")}}});
    const SimulationResult result = run(cut, method);
    EXPECT_NEAR(result.data.at(0, "projective.O1"), table.at(row, "cos2_a1"), 1e-10);
    EXPECT_NEAR(result.data.at(0, "projective.O2"), table.at(row, "cos2_a2"), 1e-10);
    EXPECT_NEAR(result.data.at(0, "projective.O3"), table.at(row, "cos2_a3"), 1e-10);
    EXPECT_EQ(result.data.at(0, "constraint.rank"), 2);
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

// Along a run in free bodies: with one degree of freedom and V the bodies' velocities per unit of the crank's rate,
// cos^2 = (V^T g)^2 / ((V^T M V) (g^T M^-1 g)), where V^T M V = 2 * kinetic energy / rate^2 and V^T g = rate ratio.
TEST(RunDiagnosticsTest, ProjectiveColumnsFollowFromTheRatesAlongARun) {
  const SimulationResult result = run(shipped("four-bar"), with_diagnostics(1, 0.05));
  const double inertia[] = {0.8 * 0.8 * 0.8 / 12, 1.8 * 1.8 * 1.8 / 12, 1.5 * 1.5 * 1.5 / 12};
  const double inverse[] = {1 / inertia[0], 1 / inertia[0] + 1 / inertia[1], 1 / inertia[1] + 1 / inertia[2],
                            1 / inertia[2]};
  const char* const joints[] = {"O1", "O2", "O3", "O4"};
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double twice_kinetic = 2 * result.data.at(row, "energy.kinetic");
    for (int k = 0; k < 4; ++k) {
      const double rate = result.data.at(row, std::string(joints[k]) + ".rate");
      EXPECT_NEAR(result.data.at(row, std::string("projective.") + joints[k]),
                  rate * rate / (twice_kinetic * inverse[k]), 1e-9);
    }
  }
}

TEST(RunDiagnosticsTest, SingularMassesAndFreeBodiesHaveValuesToo) {
  // One thin rod in space on a hinge across it: alone, it has the one coordinate, which describes all of its motion.
  const auto rod = load_text(
      "bricard: 1\nbodies: {rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n",
      "rod");
  Method of_bodies = with_diagnostics(0.1, 0.1);
  of_bodies.coordinates = "reference-point";
  const SimulationResult thin = run(rod, of_bodies);
  EXPECT_TRUE(thin.summary.structure.mass_is_singular);
  EXPECT_EQ(thin.data.at(0, "constraint.rank"), 5);
  // g = (0, w_y): g^T M^-1 g = 1/J, V^T M V = J + m/4 with J = 1/12: cos^2 = (1/12)/(1/3).
  EXPECT_NEAR(thin.data.at(1, "projective.A"), 0.25, 1e-4);
  EXPECT_GT(thin.data.at(0, "singularity"), 1e-2);
  const SimulationResult top = run(shipped("free-top"), with_diagnostics(0.1, 0.1));
  EXPECT_EQ(top.data.at(0, "constraint.rank"), 0);
  EXPECT_EQ(top.data.at(0, "singularity"), 1);
}

// Slider-crank with equal lengths: the position is singular whenever the crank is vertical, and only then.
TEST(RunDiagnosticsTest, SingularityFallsToZeroWhereTheCrankIsVertical) {
  Method method = with_diagnostics(0.5, 0.002);
  const SimulationResult result = run(shipped("slider-crank"), method);
  double least = 1;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double distance = std::abs(std::cos(result.data.at(row, "crank.angle")));
    const double value = result.data.at(row, "singularity");
    EXPECT_EQ(result.data.at(row, "constraint.rank"), 8);
    // In proportion to the distance: no jump where the rank nearly falls.
    if (distance < 0.1) {
      EXPECT_GT(value, 0.05 * distance);
      EXPECT_LT(value, 0.5 * distance);
    }
    least = std::min(least, value);
  }
  EXPECT_LT(least, 2e-3);
}

TEST(RunDiagnosticsTest, PassagesOfTheSliderCrankAreFoundAtTheirTimes) {
  const auto model = shipped("slider-crank");
  for (const char* integrator : {"dopri5", "adams"}) {
    Method method = with_diagnostics(5, 0.01);
    method.integrator = integrator;
    const SimulationResult result = run(model, method);
    const std::string message = message_with(result, "singular positions were passed");
    EXPECT_NE(message.find("11 singular positions"), std::string::npos) << integrator << ": " << message;
    // The model file's times, from the closed form of the crank's rate.
    for (const double expected : {0.116333, 0.612298, 1.085585, 1.581550, 2.054837}) {
      double nearest = 1;
      for (std::size_t at = message.find("t = ") + 4; at < message.find(" s and");) {
        std::size_t used = 0;
        nearest = std::min(nearest, std::abs(std::stod(message.substr(at), &used) - expected));
        at += used + 2;
      }
      EXPECT_LT(nearest, 1e-4) << integrator << ": " << message;
    }
    EXPECT_NE(message.find("6 later times"), std::string::npos) << message;
  }
}

TEST(RunDiagnosticsTest, OrdinaryRunsHaveNoPassages) {
  for (const char* name : {"four-bar", "mcpherson", "pendulum", "stewart"}) {
    const SimulationResult result = run(shipped(name), with_diagnostics(1, 0.1));
    EXPECT_EQ(message_with(result, "singular position"), "") << name;
    EXPECT_EQ(message_with(result, "rank of the constraints changes"), "") << name;
    EXPECT_GT(result.data.at(5, "singularity"), 1e-3) << name;
  }
}

// A slider-crank with a rod of 1 + e comes near its singular position without reaching it: with the crank upright its
// slider is at sqrt(2 e + e^2), and that distance measures how near it is: the singularity is 0.072 of it, as at the
// start.
TEST(RunDiagnosticsTest, NearMissesAreToldWithTheirDepth) {
  const auto slider_crank = [](double e) {
    const double x = 0.5, y = std::sqrt(0.75), end = x + std::sqrt((1 + e) * (1 + e) - y * y);
    const std::string B = fmt::format("[{}, {}]", x, y), C = fmt::format("[{}, 0]", end);
    return load_text(
        "bricard: 1\ndimension: planar\nbodies:\n  crank: {rod: [[0, 0], " + B + "], mass: 1}\n  rod: {rod: [" + B +
            ", " + C + "], mass: 1}\n  slider: {mass: 1, inertia: 0.01, center: " + C +
            "}\njoints:\n  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n  B: {type: revolute, "
            "bodies: [crank, rod], at: " +
            B + "}\n  C: {type: revolute, bodies: [rod, slider], at: " + C +
            "}\n  guide: {type: prismatic, bodies: [ground, slider], at: " + C +
            ", axis: [1, 0]}\ninitial: {velocities: {A: 5}}\n",
        "near miss");
  };
  const double e = 2e-5, depth = 0.072 * std::sqrt(2 * e);
  Method method = with_diagnostics(0.3, 0.01);
  method.tolerance = 1e-8, method.integrator = "dopri5";
  const SimulationResult near = run(slider_crank(e), method);
  const std::string message = message_with(near, "1 singular position was passed or nearly so");
  ASSERT_FALSE(message.empty());
  EXPECT_NEAR(std::stod(message.substr(message.find("down to ") + 8)), depth, 0.1 * depth);
  EXPECT_NEAR(std::stod(message.substr(message.find("t = ") + 4)), 0.116, 5e-3) << message;
  EXPECT_EQ(message_with(run(slider_crank(1e-3), method), "singular position"), "");
}

TEST(RunDiagnosticsTest, AreOffByDefaultAndCollisionsAreRefused) {
  Method method;
  method.duration = 0.01;
  EXPECT_FALSE(has_column(run(shipped("four-bar"), method), "singularity"));
  EXPECT_TRUE(is_diagnostic_column("constraint.rank"));
  EXPECT_TRUE(is_diagnostic_column("singularity"));
  EXPECT_TRUE(is_diagnostic_column("projective.*"));
  EXPECT_FALSE(is_diagnostic_column("constraint.position"));
  const auto clash = load_text(
      "bricard: 1\ndimension: planar\nbodies: {b: {mass: 1, inertia: 1, center: [0, 0]}}\n"
      "simulation: {duration: 0.1, diagnostics: true}\noutputs: {singularity: x(b)}\n",
      "clash");
  EXPECT_THROW(simulate(clash), InputError);
}

// Trees of more than 300 coordinates have no mass matrix, only its inverse.
TEST(RunDiagnosticsTest, LargeTreesHaveTheColumnsOfSmallOnes) {
  Method method = with_diagnostics(1e-3, 1e-3);
  method.coordinates = "relative";
  const SimulationResult open = run(testing_support::generated("spatial-chain", 310), method);
  for (int k = 0; k < 310; ++k)  // nothing but its own inertia holds a joint of an open chain
    EXPECT_NEAR(open.data.at(0, fmt::format("projective.J{}", k)), 1, 1e-9) << k;
  // Far from the ends it makes no difference how long the chain is: the joint next to where the loop was cut.
  const auto smallest = [&](int links) {
    const SimulationResult closed = run(testing_support::generated("closed-chain", links), method);
    EXPECT_EQ(closed.data.at(0, "constraint.rank"), 5);
    double value = 1;
    for (std::size_t k = 0; k < closed.data.columns.size(); ++k) {
      if (closed.data.columns[k].starts_with("projective."))
        value = std::min(value, closed.data.rows[0][static_cast<int>(k)]);
    }
    return value;
  };
  const double of_small = smallest(280), of_large = smallest(400);
  EXPECT_GT(of_small, 0.01);
  EXPECT_NEAR(of_large, of_small, 1e-3 * of_small);
}

}  // namespace run_diagnostics_test
}  // namespace bricard
