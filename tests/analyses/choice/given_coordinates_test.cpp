// Independent coordinates by hand: they are taken, kept and judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace given_coordinates_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

std::string refusal(const std::string& model, const Method& method) {
  try {
    show_equations(load(models + model + ".yaml"), method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GivenCoordinates, AreTheRowsOfB) {
  const EquationsResult r = show_equations(
      load(models + "double-pendulum.yaml"),
      {.coordinates = "reference-point", .formulation = "independent", .selection = "upper.angle, lower.angle"});
  ASSERT_TRUE(r.ok) << r.failure;
  const NamedMatrix* B = r.find("B");
  ASSERT_NE(B, nullptr);
  EXPECT_EQ(B->values.cwiseAbs().sum(), 2);
  for (std::size_t k = 0; k < B->columns.size(); ++k) {
    const bool chosen = B->columns[k] == "upper.omega" || B->columns[k] == "lower.omega";
    EXPECT_EQ(B->values.col(static_cast<Eigen::Index>(k)).norm(), chosen ? 1 : 0) << B->columns[k];
  }
}

TEST(GivenCoordinates, MayBeCombinations) {
  const Method method{.coordinates = "reference-point",
                      .formulation = "independent",
                      .selection = "upper.angle + lower.angle, 2*upper.angle - lower.angle"};
  const auto model = load(models + "double-pendulum.yaml");
  const EquationsResult r = show_equations(model, method);
  ASSERT_TRUE(r.ok) << r.failure;
  EXPECT_EQ(r.find("B")->values.cwiseAbs().sum(), 5);
  // The motion is that of any other choice.
  Method run = method, other = method;
  run.duration = other.duration = 0.5, run.tolerance = other.tolerance = 1e-9;
  other.selection = "gauss";
  const SimulationResult a = simulate(model, run), b = simulate(model, other);
  ASSERT_TRUE(a.ok()) << a.summary.failure;
  ASSERT_TRUE(b.ok()) << b.summary.failure;
  EXPECT_NEAR(a.data.at(a.data.rows.size() - 1, "lower.angle"), b.data.at(b.data.rows.size() - 1, "lower.angle"), 1e-6);
}

TEST(GivenCoordinates, ThatDoNotServeAreRefusedWithWhatWould) {
  const Method of_four_bar{.coordinates = "reference-point", .formulation = "independent"};
  Method method = of_four_bar;
  method.selection = "crank.angel,rocker.angle";
  EXPECT_NE(refusal("four-bar", method).find("'crank.angle'"), std::string::npos) << refusal("four-bar", method);
  method.selection = "crank.angle,rocker.angle";
  EXPECT_NE(refusal("four-bar", method).find("2 coordinates are given, but the mechanism has 1 degree of freedom"),
            std::string::npos)
      << refusal("four-bar", method);
  // At the top of its circle the crank's centre does not move up or down.
  method.selection = "pendulum.y";
  const std::string said = [&] {
    try {
      simulate(load(models + "pendulum.yaml", {.parameters = {{"theta0", "-90 deg"}}}), method);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  }();
  EXPECT_NE(said.find("can still move"), std::string::npos) << said;
  EXPECT_NE(said.find("Gauss elimination leaves pendulum."), std::string::npos) << said;
}

/// Two cranks and two couplers of length 1 [Jalon-Bayo figures 5.3, 5.4]: the couplers' rates for a unit rate of the first
/// crank, from e^(i psi1) psi1' + e^(i phi1) phi1' + e^(i phi4) phi4' = e^(i psi4) psi4'.
TEST(GivenCoordinates, OfFiveBarsServeUntilTheCouplersAreInLine) {
  const std::string file = BRICARD_SOURCE_DIR "/docs/course/five-bars.yaml";
  const Method method{
      .coordinates = "reference-point", .formulation = "independent", .selection = "crank1.angle, crank4.angle"};
  for (const char* psi1 : {"1.6", "1.8", "1.99"}) {
    SCOPED_TRACE(psi1);
    const auto model = load(file, {.parameters = {{"psi1", psi1}, {"psi4", "1.2"}}});
    const EquationsResult r = show_equations(model, method);
    ASSERT_TRUE(r.ok) << r.failure;
    const auto of = [&](const char* symbol, const std::string& name, Eigen::Index column) {
      const NamedMatrix* matrix = r.find(symbol);
      const auto row = std::find(matrix->rows.begin(), matrix->rows.end(), name) - matrix->rows.begin();
      return matrix->values(row, column);
    };
    // Angles of rods are those from their first end to their second: coupler4 from C to D.
    const double psi = of("q", "crank1.angle", 0), phi1 = of("q", "coupler1.angle", 0),
                 phi4 = of("q", "coupler4.angle", 0);
    const Eigen::Index first = of("R", "crank1.omega", 0) == 1 ? 0 : 1;
    const double rate1 = -std::sin(psi - phi4) / std::sin(phi1 - phi4),
                 rate4 = std::sin(psi - phi1) / std::sin(phi1 - phi4);
    EXPECT_NEAR(of("R", "coupler1.omega", first), rate1, 1e-9 * std::abs(rate1));
    EXPECT_NEAR(of("R", "coupler4.omega", first), rate4, 1e-9 * std::abs(rate4));
  }
  try {
    show_equations(load(file, {.parameters = {{"psi1", "2"}, {"psi4", "1.2"}}}), method);
    FAIL() << "taken";
  } catch (const InputError& error) {  // with both cranks held it is the couplers that still move
    EXPECT_NE(std::string(error.what()).find("coupler"), std::string::npos) << error.what();
  }
}

TEST(GivenCoordinates, AreKeptUntilTheyFail) {
  // x of a pendulum that swings through the lowest point serves until it stands horizontal, which it never does; y does
  // not serve at the lowest point.
  Method method{.coordinates = "reference-point", .formulation = "independent", .selection = "pendulum.x"};
  method.duration = 2, method.tolerance = 1e-9;
  const auto model = load(models + "pendulum.yaml");
  const SimulationResult x = simulate(model, method);
  ASSERT_TRUE(x.ok()) << x.summary.failure;
  Method other = method;
  other.selection = "gauss";
  EXPECT_NEAR(x.data.at(200, "pendulum.angle"), simulate(model, other).data.at(200, "pendulum.angle"), 1e-6);
  method.selection = "pendulum.y", method.rescue = "off";
  const SimulationResult y = simulate(model, method);
  EXPECT_FALSE(y.ok());
}

TEST(GivenCoordinates, ComeFromTheModelAsAList) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\nbodies:\n  bob: {mass: 1, inertia: 0.1, center: [1, 0]}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, bob], at: [0, 0]}\n"
      "simulation: {formulation: independent, coordinates: reference-point, selection: [bob.y], duration: 0.1}\n",
      "list.yaml");
  EXPECT_EQ(model->simulation.selection, "bob.y");
  EXPECT_TRUE(simulate(model).ok());
}

TEST(Partition, ChosenOnceFailsWhereRenewedPasses) {
  // A four-bar whose crank turns over: no coordinate of one body serves all around.
  Method method{.coordinates = "natural", .formulation = "independent"};
  method.duration = 10, method.rescue = "off", method.partition = "once";
  const auto model = load(models + "four-bar.yaml");
  const SimulationResult once = simulate(model, method);
  EXPECT_FALSE(once.ok());
  EXPECT_LT(once.summary.final[0], 10);
  method.partition = "renewed";
  const SimulationResult renewed = simulate(model, method);
  EXPECT_TRUE(renewed.ok()) << renewed.summary.failure;
}

}  // namespace given_coordinates_test
}  // namespace bricard
