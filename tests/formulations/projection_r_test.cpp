// `projection-r` with the R of the partition [Jalon-Bayo Algorithm 5-2]: the accelerations and multipliers of any other
// formulation, with a choice of columns that is kept.
#include <gtest/gtest.h>

#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace projection_r_test {

Method of(const std::string& coordinates, const std::string& basis) {
  Method method{.coordinates = coordinates, .formulation = "projection-r"};
  method.projection_basis = basis;
  return method;
}

TEST(ProjectionR, OfThePartitionGivesTheSameAccelerations) {
  for (const char* name :
       {"four-bar", "five-bar", "slider-crank-long-rod", "bennett", "knife-edge", "double-pendulum"}) {
    SCOPED_TRACE(name);
    const EquationsResult by_qr = show_equations(shipped(name), of("reference-point", "qr")),
                          by_partition = show_equations(shipped(name), of("reference-point", "partition"));
    ASSERT_TRUE(by_qr.ok && by_partition.ok) << by_qr.failure << by_partition.failure;
    for (const char* what : {"v'", "lambda"}) {
      const NamedMatrix *a = by_qr.find(what), *b = by_partition.find(what);
      ASSERT_TRUE(a && b) << what;
      EXPECT_LT((a->values - b->values).norm(), 1e-9 * (1 + a->values.norm())) << what;
    }
    // R = [-P_d^-1 P_i; I]: a row of the identity for each independent coordinate; P R = 0.
    const Matrix R = by_partition.find("R")->values, P = by_partition.find("P")->values;
    EXPECT_LT((P * R).norm(), 1e-10 * P.norm() * R.norm());
    int identity = 0;
    for (Eigen::Index row = 0; row < R.rows(); ++row) {
      for (Eigen::Index k = 0; k < R.cols(); ++k)
        identity += (R.row(row) - Matrix::Identity(R.cols(), R.cols()).row(k)).norm() < 1e-12;
    }
    EXPECT_GE(identity, R.cols());
  }
}

TEST(ProjectionR, TakesTheCoordinatesThatAreGiven) {
  // Problem 5/2: z1 = x2, that of the slider, in natural coordinates x1, y1, x2, y2.
  Method method = of("natural", "partition");
  const auto model = shipped("slider-crank-long-rod");
  const EquationsResult chosen = show_equations(model, method);
  ASSERT_TRUE(chosen.ok) << chosen.failure;
  const std::string x2 = chosen.find("P")->columns[2];
  method.selection = x2.substr(0, x2.size() - (x2.back() == '\''));
  const EquationsResult given = show_equations(model, method);
  ASSERT_TRUE(given.ok) << given.failure;
  ASSERT_EQ(given.find("R")->values.cols(), 1);
  EXPECT_NEAR(given.find("R")->values(2, 0), 1, 1e-12);
  EXPECT_LT((given.find("v'")->values - chosen.find("v'")->values).norm(), 1e-10);
}

TEST(ProjectionR, KeepsItsChoiceWhileItsPivotsServe) {
  Method method = of("natural", "partition");
  method.duration = 10, method.output_step = 1, method.tolerance = 1e-9, method.integrator = "dop853";
  const SimulationResult result = simulate(shipped("four-bar"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NEAR(result.data.at(10, "alpha"), 79.340798253554, 1e-5);
  // "R by independent coordinates, chosen N times": in 12.6 turns some choices, and far fewer than evaluations.
  std::string said;
  for (const std::string& message : result.summary.messages) {
    if (message.find("R by independent coordinates, chosen ") != std::string::npos) said = message;
  }
  ASSERT_FALSE(said.empty());
  const long choices = std::stol(said.substr(said.find("chosen ") + 7));
  EXPECT_GT(choices, 12);
  EXPECT_LT(choices, 200);
  EXPECT_GT(result.summary.evaluations, 20 * choices);
}

TEST(ProjectionR, PassesSingularPositions) {
  Method method = of("reference-point", "partition");
  method.duration = 1, method.output_step = 0.1, method.tolerance = 1e-9;
  const SimulationResult result = simulate(shipped("slider-crank"), method);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NEAR(result.data.at(10, "crank.angle"), 7.478214066418, 1e-5);
}

TEST(ProjectionR, TheBasisIsRefusedElsewhere) {
  Method method{.formulation = "lagrange"};
  method.projection_basis = "partition", method.duration = 0.1;
  EXPECT_THROW(simulate(shipped("pendulum"), method), InputError);
}

}  // namespace projection_r_test
}  // namespace bricard::testing_support
