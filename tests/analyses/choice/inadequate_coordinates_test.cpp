// Figures 5.1 to 5.4 of Jalon-Bayo: sets of independent coordinates that serve at one position of a mechanism and not at
// another, judged by [P; B], refused where they do not serve, and changed on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace inadequate_coordinates_test {

std::string refusal(const std::shared_ptr<const Model>& model, const Method& method) {
  try {
    show_equations(model, method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Singular values of [P; B], P and B of the equations at the start, for the velocities with these numbers.
Vector singular_values(const std::shared_ptr<const Model>& model, const std::string& coordinates,
                       const std::vector<std::string>& chosen, Matrix* right = nullptr) {
  const EquationsResult r = show_equations(model, {.coordinates = coordinates, .formulation = "nullspace-svd"});
  EXPECT_TRUE(r.ok) << r.failure;
  const NamedMatrix& P = *r.find("P");
  Matrix stacked = Matrix::Zero(P.values.rows() + static_cast<Eigen::Index>(chosen.size()), P.values.cols());
  stacked.topRows(P.values.rows()) = P.values;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto column = std::find(P.columns.begin(), P.columns.end(), chosen[k]) - P.columns.begin();
    EXPECT_LT(column, P.values.cols()) << chosen[k];
    stacked(P.values.rows() + static_cast<Eigen::Index>(k), column) = 1;
  }
  const Eigen::JacobiSVD<Matrix> svd(stacked, Eigen::ComputeFullV);
  if (right) *right = svd.matrixV();
  return svd.singularValues();
}

// --- figures 5.1 and 5.2: x1 of a four-bar, point 1 at the end of the crank ---

TEST(InadequateCoordinates, FourBarOfFigures51And52) {
  // alpha1 from the y axis: at 0 the crank stands up and its end moves along x, at pi/2 it lies down.
  const auto up = shipped("four-bar", {{"alpha1", "0"}}), down = shipped("four-bar", {{"alpha1", "90 deg"}});
  const EquationsResult r = show_equations(up, {.coordinates = "natural", .formulation = "nullspace-svd"});
  ASSERT_TRUE(r.ok) << r.failure;
  const std::string x1 = r.find("P")->columns[0], y1 = r.find("P")->columns[1];
  EXPECT_GT(singular_values(up, "natural", {x1}).minCoeff(), 0.1);
  EXPECT_LT(singular_values(up, "natural", {y1}).minCoeff(), 1e-14);
  EXPECT_LT(singular_values(down, "natural", {x1}).minCoeff(), 1e-14);
  EXPECT_GT(singular_values(down, "natural", {y1}).minCoeff(), 0.1);

  const auto name = [](const std::string& velocity) { return velocity.substr(0, velocity.size() - 1); };
  Method method{.coordinates = "natural", .formulation = "independent"};
  method.selection = name(x1);
  EXPECT_EQ(refusal(up, method), "");
  // "this coordinate is not adequate, since in no way does it determine the velocity of point 2"
  EXPECT_NE(refusal(down, method).find("can still move"), std::string::npos) << refusal(down, method);
  method.selection = name(y1);
  EXPECT_EQ(refusal(down, method), "");
  EXPECT_NE(refusal(up, method).find("can still move"), std::string::npos) << refusal(up, method);
}

TEST(InadequateCoordinates, ACoordinateThatIsKeptEndsTheRunWhereItGoesBad) {
  Method method{.coordinates = "natural", .formulation = "independent", .integrator = "dopri5"};
  const auto model = shipped("four-bar");
  const std::string x1 =
      show_equations(model, {.coordinates = "natural", .formulation = "nullspace-svd"}).find("P")->columns[0];
  method.selection = x1.substr(0, x1.size() - 1);
  method.rescue = "off", method.duration = 1;
  const SimulationResult kept = simulate(model, method);
  EXPECT_FALSE(kept.ok());
  EXPECT_NEAR(kept.summary.time, 0.1618, 0.01);  // alpha1 = pi/2
  method.selection = "svd-coordinates";          // begins with x1 as well
  const SimulationResult changed = simulate(model, method);
  ASSERT_TRUE(changed.ok()) << changed.summary.failure;
  EXPECT_NEAR(changed.data.at(changed.data.rows.size() - 1, "alpha"), 8.094574569023, 1e-4);
}

// --- figures 5.3 and 5.4: both crank angles of a five-bar ---

TEST(InadequateCoordinates, FiveBarOfFigures53And54) {
  const auto adequate = shipped("two-crank-five-bar"), aligned = shipped("two-crank-five-bar", {{"stretch", "1"}});
  const std::vector<std::string> cranks = {"crank1.omega", "crank2.omega"};
  EXPECT_GT(singular_values(adequate, "reference-point", cranks).minCoeff(), 0.1);
  Matrix right;
  EXPECT_LT(singular_values(aligned, "reference-point", cranks, &right).minCoeff(), 1e-15);
  // What can still move, the cranks held: the couplers, both about their outer ends, that is the middle joint.
  const EquationsResult r = show_equations(aligned, {.coordinates = "reference-point", .formulation = "nullspace-svd"});
  const auto motion = [&](const std::string& velocity) {
    const auto& names = r.find("P")->columns;
    return right(std::find(names.begin(), names.end(), velocity) - names.begin(), right.cols() - 1);
  };
  for (const char* crank : {"crank1", "crank2"}) {
    for (const char* of : {".vx", ".vy", ".omega"})
      EXPECT_NEAR(motion(std::string(crank) + of), 0, 1e-12) << crank << of;
  }
  EXPECT_GT(std::abs(motion("coupler1.omega")), 0.1);
  EXPECT_NEAR(motion("coupler1.omega"), -motion("coupler2.omega"), 1e-12);

  Method method{.coordinates = "reference-point", .formulation = "independent"};
  method.selection = "crank1.angle,crank2.angle";
  EXPECT_EQ(refusal(adequate, method), "");
  const std::string said = refusal(aligned, method);
  EXPECT_NE(said.find("coupler"), std::string::npos) << said;
  EXPECT_NE(said.find("can still move"), std::string::npos) << said;
}

TEST(InadequateCoordinates, FiveBarMovesAsItDoesInNaturalCoordinatesOfAnotherProgram) {
  // A program of its own: points 1, 2, 3, (5.10) solved by Gauss elimination, RK4 with h = 1e-3 and 5e-4, extrapolated.
  Method method{.coordinates = "reference-point", .formulation = "independent"};
  method.tolerance = 1e-10, method.output_step = 0.5;
  for (const char* selection : {"gauss", "svd-coordinates", "qr-basis", "projective"}) {
    method.selection = selection, method.duration = 1;
    const SimulationResult run = simulate(shipped("two-crank-five-bar"), method);
    ASSERT_TRUE(run.ok()) << selection << ": " << run.summary.failure;
    EXPECT_NEAR(run.data.at(0, "energy.total"), 32.980672197220784, 1e-10);
    EXPECT_NEAR(run.data.at(1, "psi1"), 1.7534137050, 1e-8) << selection;
    EXPECT_NEAR(run.data.at(1, "psi2"), 1.5412374391, 1e-8) << selection;
    EXPECT_NEAR(run.data.at(2, "psi1"), -1.7234923631, 2e-7) << selection;
    EXPECT_NEAR(run.data.at(2, "psi2"), 2.3629496312, 2e-7) << selection;
  }
}

// --- bases ---

TEST(InadequateCoordinates, BasesAreTheNullSpaceAndCoordinatesThoseThatShowMostOfIt) {
  // alpha1 = 0.3, natural: the null space is (0.7466, -0.2309, 0.6220, 0.0494).
  const auto model = shipped("four-bar");
  const auto chosen = [&](const char* selection) {
    Method method{.coordinates = "natural", .formulation = "independent"};
    method.selection = selection;
    const EquationsResult r = show_equations(model, method);
    EXPECT_TRUE(r.ok) << r.failure;
    return Vector(r.find("B")->values.row(0).transpose());
  };
  EXPECT_NEAR(chosen("svd-coordinates")[0], 1, 1e-12);
  for (const char* selection : {"svd", "qr-basis"}) {
    Vector B = chosen(selection).normalized();
    B *= B[0] > 0 ? 1 : -1;
    const double expected[] = {0.7466, -0.2309, 0.6220, 0.0494};
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(B[k], expected[k], 5e-5) << selection;
  }
}

TEST(InadequateCoordinates, QrBasisIsRenewedWhereTheNullSpaceHasTurned) {
  // Another program: 39 changes in 5 s, with the limit 0.2 it makes 29.
  Method method{.coordinates = "natural", .formulation = "independent", .integrator = "dopri5"};
  method.tolerance = 1e-8, method.duration = 5, method.output_step = 5, method.selection = "qr-basis";
  const auto changes = [&](double limit) {
    method.hysteresis = limit;
    const SimulationResult result = simulate(shipped("four-bar"), method);
    EXPECT_TRUE(result.ok()) << limit << ": " << result.summary.failure;
    EXPECT_NEAR(result.data.at(1, "alpha"), 39.597873055620, 1e-3) << limit;
    return result.summary.renewals;
  };
  EXPECT_NEAR(static_cast<double>(changes(0.5)), 39, 2);
  EXPECT_NEAR(static_cast<double>(changes(0.2)), 29, 2);
}

}  // namespace inadequate_coordinates_test
}  // namespace bricard::testing_support
