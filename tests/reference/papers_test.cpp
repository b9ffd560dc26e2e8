// The examples of Pennestri and Valentini, of de Falco, Pennestri and Vita, of Blajer, Schiehlen and Schirm, and of
// Pekal and Fraczek. Reference values: closed forms, or integrations of the independent coordinates in extended
// precision.
#include <numbers>

#include "reference/reference.h"

namespace bricard::testing_support {
namespace papers_test {

// --- Pennestri and Valentini, "Coordinate reduction strategies in multibody dynamics: a review", section 8 ---

TEST(PennestriValentini, Pendulum) {
  const SimulationResult result = run(shipped("pendulum"), accurate(100, 0.1));
  const Table closed_form = read_table("pendulum");
  ASSERT_GE(closed_form.rows(), 8u);
  for (std::size_t row = 0; row < closed_form.rows(); ++row) {
    const double t = closed_form.at(row, "time");
    const std::size_t at = row_at(result, t);
    const double growth = std::max(1.0, t / 10);  // the phase error grows with time
    for (const std::string column : {"pendulum.x", "pendulum.y", "pendulum.angle"}) {
      expect_close(column, result.data.at(at, column), closed_form.at(row, column), 1e-9 * growth);
    }
    for (const std::string column : {"pendulum.vx", "pendulum.vy", "pendulum.omega"}) {
      expect_close(column, result.data.at(at, column), closed_form.at(row, column), 1e-8 * growth);
    }
    for (const std::string column : {"A.fx", "A.fy"}) {
      expect_close(column, result.data.at(at, column), closed_form.at(row, column), 5e-7 * growth);
    }
    expect_close("energy", result.data.at(at, "energy.total"), closed_form.at(row, "energy.total"), 5e-7 * growth);
  }
}

TEST(PennestriValentini, PendulumAccelerations) {
  // theta'' = -(m g L/J) cos(theta), J = I + m L^2 = 2.6, from rest at -45 deg.
  const Start start = start_of(shipped("pendulum"));
  const double s = std::numbers::sqrt2 / 2, angular = -10 * 9.8 * 0.5 / 2.6 * s;
  expect_close("theta''", start.planar("pendulum").z(), angular, 1e-12);
  expect_close("x''", start.planar("pendulum").x(), 0.5 * s * angular, 1e-12);
  expect_close("y''", start.planar("pendulum").y(), 0.5 * s * angular, 1e-12);
}

// --- de Falco, Pennestri and Vita, "The Udwadia-Kalaba formulation", section 6 ---

// Singular positions cost accuracy: the rank decision leaves out what is nearly a constraint.
void expect_five_bar(const std::string& table, const std::string& theta0, double tolerance) {
  const auto model = shipped("five-bar", {{"theta0", theta0}});
  const Start start = start_of(model);
  expect_counts(start.structure, 12, 12, 11);
  const SimulationResult result = run(model, accurate(20, 0.25));
  const Table closed_form = read_table(table);
  expect_close("theta''", start.planar("link1").z(), closed_form.at(0, "angular_acceleration"), 1e-10);
  for (std::size_t row = 0; row < closed_form.rows(); ++row) {
    const std::size_t at = row_at(result, closed_form.at(row, "time"));
    const double theta = closed_form.at(row, "link1.angle");
    expect_close("angle", result.data.at(at, "link1.angle"), theta, tolerance);
    expect_close("omega", result.data.at(at, "link1.omega"), closed_form.at(row, "link1.omega"), 10 * tolerance);
    expect_close("energy", result.data.at(at, "energy.total"), closed_form.at(row, "energy.total"), 10 * tolerance);
    const Vec3 across(-std::sin(theta), std::cos(theta), 0), along(std::cos(theta), std::sin(theta), 0);
    double ground_along = 0, tip_along = 0;
    for (const std::string k : {"1", "2", "3"}) {
      const Vec3 ground_pin = vector_at(result, at, "A" + k + ".fx", "A" + k + ".fy", "");
      const Vec3 tip = -vector_at(result, at, "B" + k + ".fx", "B" + k + ".fy", "");  // on the link
      expect_close("ground across", across.dot(ground_pin), closed_form.at(row, "ground_force_across"), 50 * tolerance);
      expect_close("tip across", across.dot(tip), closed_form.at(row, "tip_force_across"), 50 * tolerance);
      ground_along += along.dot(ground_pin);
      tip_along += along.dot(tip);
    }
    expect_close("ground along", ground_along, closed_form.at(row, "ground_force_along_sum"), 100 * tolerance);
    expect_close("tip along", tip_along, closed_form.at(row, "tip_force_along_sum"), 100 * tolerance);
  }
}

TEST(DeFalco, FiveBarBelowItsPins) { expect_five_bar("five-bar-a", "-30 deg", 1e-9); }

TEST(DeFalco, FiveBarThroughSingularPositions) { expect_five_bar("five-bar-b", "30 deg", 2e-8); }

// --- Blajer, Schiehlen and Schirm, "A projective criterion to the coordinate partitioning method" ---

TEST(Blajer, FourBar) {
  const SimulationResult result = run(shipped("four-bar"), accurate(10, 0.5));
  const Table table = read_table("four-bar");
  const double half_turn = std::numbers::pi;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    expect_close("alpha1", result.data.at(at, "alpha"), table.at(row, "alpha"), 2e-8);
    // Relative angles count clockwise; the model's rocker points from O3 to O4 as the paper's does.
    const double alpha2 = result.data.at(at, "crank.angle") - result.data.at(at, "coupler.angle");
    const double alpha3 = result.data.at(at, "coupler.angle") - result.data.at(at, "rocker.angle");
    expect_close("alpha2", std::remainder(alpha2 - table.at(row, "alpha2"), 2 * half_turn), 0, 2e-8);
    expect_close("alpha3", std::remainder(alpha3 - table.at(row, "alpha3"), 2 * half_turn), 0, 2e-8);
    expect_close("alpha1'", -result.data.at(at, "crank.omega"), table.at(row, "alpha_rate"), 2e-7);
    expect_close("alpha2'", result.data.at(at, "crank.omega") - result.data.at(at, "coupler.omega"),
                 table.at(row, "alpha2_rate"), 2e-7);
    expect_close("alpha3'", result.data.at(at, "coupler.omega") - result.data.at(at, "rocker.omega"),
                 table.at(row, "alpha3_rate"), 2e-7);
    expect_close("energy", result.data.at(at, "energy.total"), table.at(row, "energy.total"), 1e-6);
    expect_close("O4.fx", result.data.at(at, "O4.fx"), table.at(row, "O4.fx"), 5e-6);
    expect_close("O4.fy", result.data.at(at, "O4.fy"), table.at(row, "O4.fy"), 5e-6);
  }
}

// --- Pekal and Fraczek, "Comparison of selected formulations for multibody system dynamics with redundant constraints"
// ---

struct Strut {
  const char* model;
  const char* coordinates;
  int unknowns, constraints, rank;  // as the paper counts them
};
void PrintTo(const Strut& strut, std::ostream* out) { *out << strut.model << " in " << strut.coordinates; }

class McPherson : public ::testing::TestWithParam<Strut> {};

TEST_P(McPherson, CountsOfThePaper) {
  const Start start = start_of(shipped(GetParam().model), GetParam().coordinates);
  expect_counts(start.structure, GetParam().unknowns, GetParam().constraints, GetParam().rank);
}

TEST_P(McPherson, Motion) {
  Method method = accurate(10, 1);
  method.coordinates = GetParam().coordinates;
  const SimulationResult result = run(shipped(GetParam().model), method);
  const Table table = read_table("mcpherson");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    const std::string body = table.text(row, "body");
    for (const std::string column : {"x", "y", "z"}) {
      expect_close("position", result.data.at(at, body + "." + column), table.at(row, column), 1e-8);
    }
    for (const std::string column : {"vx", "vy", "vz", "wx", "wy", "wz"}) {
      expect_close("velocity", result.data.at(at, body + "." + column), table.at(row, column), 1e-7);
    }
    const Mat3 turn = quaternion_at(result, at, body).toRotationMatrix();  // every body starts in world axes
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const std::string name = "R" + std::to_string(i + 1) + std::to_string(j + 1);
        expect_close("rotation", turn(i, j), table.at(row, name), 2e-8);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, McPherson,
                         ::testing::Values(Strut{"mcpherson", "reference-point", 30, 26, 26},
                                           Strut{"mcpherson-overconstrained", "reference-point", 30, 31, 26},
                                           Strut{"mcpherson", "euler-zxz", 30, 26, 26},
                                           Strut{"mcpherson-overconstrained", "euler-zxz", 30, 31, 26},
                                           Strut{"mcpherson", "euler-parameters", 35, 31, 31},
                                           Strut{"mcpherson-overconstrained", "euler-parameters", 35, 36, 31}));

TEST(McPhersonStart, Accelerations) {
  const Table table = read_table("mcpherson-start");
  for (const std::string model : {"mcpherson", "mcpherson-overconstrained"}) {
    const Start start = start_of(shipped(model));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::string& body = table.text(row, "body");
      const Vec3 linear(table.at(row, "ax"), table.at(row, "ay"), table.at(row, "az"));
      const Vec3 angular(table.at(row, "wdx"), table.at(row, "wdy"), table.at(row, "wdz"));
      expect_close(body + " a", (start.linear(body) - linear).norm(), 0, 1e-12);
      expect_close(body + " w'", (start.angular(body) - angular).norm(), 0, 1e-12);
    }
  }
}

TEST(McPhersonStart, OnlyTheTwoHingesHaveReactionsThatAreNotUnique) {
  const Start start = start_of(shipped("mcpherson-overconstrained"));
  for (const auto& [joint, components] : start.structure.reactions) {
    const bool hinge = joint.starts_with("hinge");
    for (const auto& [component, unique] : components) {
      // A hinge about x has no moment mx to share.
      EXPECT_EQ(unique, !hinge || component == "mx") << joint << "." << component;
    }
  }
}

}  // namespace papers_test
}  // namespace bricard::testing_support
