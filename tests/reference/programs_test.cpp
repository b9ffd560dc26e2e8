// Test problems of other programs: the Test Set for IVP Solvers, SUNDIALS, the Modelica Standard Library, and Exudyn.
// Published results carry the error of the program that made them; the converged ones are own solutions of independent
// equations, printed to their last correct digit.
#include "reference/reference.h"

namespace bricard::testing_support {
namespace programs_test {

// --- Test Set for IVP Solvers: car axis ---

TEST(IvpTestSet, CarAxis) {
  const SimulationResult result = run(shipped("car-axis"), accurate(3, 0.5));
  const Table table = read_table("car-axis");
  expect_table(result, table, {"left.x", "left.y", "right.x", "right.y"}, 1e-10);
  expect_table(result, table, {"left.vx", "left.vy", "right.vx", "right.vy"}, 5e-9);
  // Its equations are scaled by eps^2 = 1e-4: lambda1 for xl xb + yl yb = 0, lambda2 for |l - r|^2 = 1.
  const std::size_t end = row_at(result, 3);
  expect_close("lambda1", 1e-4 * result.data.at(end, "perpendicular.effort"), table.at(0, "multiplier1"), 2e-11);
  const Vec3 bar = vector_at(result, end, "right.x", "right.y", "") - vector_at(result, end, "left.x", "left.y", "");
  const Vec3 push = vector_at(result, end, "bar.fx", "bar.fy", "");  // on the right mass: 2 lambda2 (r - l)/eps^2
  expect_close("lambda2", 1e-4 * push.dot(bar) / 2, table.at(0, "multiplier2"), 2e-11);
}

TEST(IvpTestSet, CarAxisByBdf) {
  Method method = accurate(3, 0.5, 1e-9);
  method.integrator = "bdf";
  expect_table(run(shipped("car-axis"), method), read_table("car-axis"), {"left.x", "left.y", "right.x", "right.y"},
               1e-6);
}

// --- SUNDIALS: idaSlCrank_dns ---

TEST(Sundials, SliderCrank) {
  const SimulationResult result = run(shipped("sundials-slider-crank"), accurate(10, 0.5, 1e-12));
  const std::vector<std::string> places = {"crank.angle", "rod.x", "rod.angle"};
  const Table converged = read_table("sundials-slider-crank"), printed = read_table("sundials-slider-crank-printed");
  expect_table(result, converged, places, 1e-10);  // printed with 12 digits
  expect_table(result, converged, {"crank.omega", "rod.vx", "rod.omega"}, 1e-9);
  for (std::size_t row = 0; row < printed.rows(); ++row) {
    for (const std::string& column : places) {
      // 5 digits are printed.
      expect_close("printed " + column, value_at(result, printed.at(row, "time"), column), printed.at(row, column),
                   5.1e-5);
    }
  }
}

TEST(Sundials, SliderCrankIntegralOfTheKineticEnergy) {
  // The quantity G of idasSlCrank: printed 3.33661607 (at a tolerance of 1e-6), converged 3.33660680.
  const SimulationResult result = run(shipped("sundials-slider-crank"), accurate(10, 0.01));
  const double kinetic =
      integral([&](double t) { return result.data.rows[std::lround(t / 0.01)][result.data.index("energy.kinetic")]; },
               0, 10, 1000);
  expect_close("G", kinetic, 3.33660680, 1e-8);
  expect_close("printed G", kinetic, 3.33661607, 1e-5);
}

// --- Modelica Standard Library (reference results of the Modelica Association: DASSL, tolerance 1e-6) ---

void expect_published(const SimulationResult& result, const Table& published, const std::vector<std::string>& columns,
                      double tolerance) {
  for (std::size_t row = 0; row < published.rows(); ++row) {
    for (const std::string& column : columns) {
      expect_close("published " + column, value_at(result, published.at(row, "time"), column),
                   published.at(row, column), tolerance);
    }
  }
}

TEST(Modelica, PlanarFourBar) {
  const SimulationResult result = run(shipped("modelica-four-bar"), accurate(5, 0.05));
  expect_table(result, read_table("modelica-four-bar"), {"crank.angle"}, 1e-8);
  expect_table(result, read_table("modelica-four-bar"), {"crank.omega"}, 1e-7);
  expect_published(result, read_table("modelica-four-bar-published"), {"crank.angle"}, 5e-4);
  expect_published(result, read_table("modelica-four-bar-published"), {"crank.omega"}, 3e-3);
}

TEST(Modelica, DoublePendulum) {
  const SimulationResult result = run(shipped("modelica-double-pendulum"), accurate(3, 0.05, 1e-12));
  expect_table(result, read_table("modelica-double-pendulum"), {"A.angle", "B.angle"}, 1e-9);
  expect_table(result, read_table("modelica-double-pendulum"), {"A.rate", "B.rate"}, 2e-8);
  expect_published(result, read_table("modelica-double-pendulum-published"), {"A.angle", "B.angle"}, 1e-4);
  expect_published(result, read_table("modelica-double-pendulum-published"), {"A.rate", "B.rate"}, 5e-4);
}

// --- Exudyn, TestModels ---

TEST(Exudyn, RigidBodyCenterOfMass) {
  // rigidBodyCOMtest. No rigid body has its tensor of inertia, but the equations of motion have a solution.
  const auto model = shipped("exudyn-com");
  EXPECT_EQ(model->warnings.size(), 2u);
  const SimulationResult result = run(model, accurate(1, 0.1));
  const std::size_t end = row_at(result, 1);
  expect_close("measure", result.data.at(end, "measure"), 3.409434836, 1e-9);
  expect_close("printed measure", result.data.at(end, "measure"), 3.409431468, 5e-6);  // a step of 0.01
  const Vec3 body2(-0.76493121, -0.34329108, -0.12734503);
  expect_close("body2", (center_at(result, end, "body2") - body2).norm(), 0, 1e-8);
}

TEST(Exudyn, RigidBodyCenterOfMassWithHalfTheProducts) {
  // A possible tensor; own integration of the four independent velocities.
  const SimulationResult result = run(shipped("exudyn-com", {{"products", "0.5"}}), accurate(1, 0.1));
  const std::size_t end = row_at(result, 1);
  expect_close("measure", result.data.at(end, "measure"), 3.357618332930, 1e-9);
  const Vec3 body2(-0.742430030864, -0.334623548668, -0.094079178348);
  expect_close("body2", (center_at(result, end, "body2") - body2).norm(), 0, 1e-9);
}

TEST(Exudyn, RevoluteAndPrismaticJoints) {
  // revoluteJointPrismaticJointTest: sum of the displacement's and the Tait-Bryan angles' absolute values.
  const SimulationResult result = run(shipped("exudyn-joints"), accurate(0.25, 0.05));
  const std::size_t end = row_at(result, 0.25);
  const Vec3 u = vector_at(result, end, "ux", "uy", "uz");
  expect_close("u", (u - Vec3(-0.09173976, -0.34905039, 0.16379029)).norm(), 0, 1e-8);
  const Mat3 R = quaternion_at(result, end, "brick5").toRotationMatrix();  // Rx(a) Ry(b) Rz(c)
  const double a = std::atan2(-R(1, 2), R(2, 2)), b = std::asin(R(0, 2)), c = std::atan2(-R(0, 1), R(0, 0));
  const double measure = u.lpNorm<1>() + std::abs(a) + std::abs(b) + std::abs(c);
  expect_close("measure", measure, 1.253888262, 1e-9);
  expect_close("printed measure", measure, 1.253880680, 1e-5);  // a step of 0.001
}

TEST(Exudyn, RollingCoin) {
  const SimulationResult result = run(shipped("exudyn-coin"), accurate(0.5, 0.1, 1e-12));
  const std::size_t end = row_at(result, 0.5);
  const Vec3 center = center_at(result, end, "coin"), axis = quaternion_at(result, end, "coin") * Vec3::UnitX();
  const Vec3 contact = center - 0.01 * (Vec3::UnitZ() - axis.z() * axis).normalized();
  expect_close("contact x", contact.x(), 0.00200494702, 1e-11);
  expect_close("printed contact x", contact.x(), 0.0020040999, 1e-6);  // a step of 5e-4
  expect_close("contact y", contact.y(), 0.00259692310, 1e-11);
  expect_close("contact z", contact.z(), 0, 1e-12);
  expect_close("z", center.z(), 0.00976087384, 1e-11);
  const Vec3 force = vector_at(result, end, "table.fx", "table.fy", "table.fz");
  expect_close("fx", force.x(), -0.80781, 6e-6);
  expect_close("fy", force.y(), -0.63491, 6e-6);
  expect_close("fz", force.z(), 9.83552, 6e-6);
}

TEST(Exudyn, PlanarSliderCrank) {
  const SimulationResult result = run(shipped("exudyn-slider-crank"), accurate(3, 0.001, 1e-12));
  expect_table(result, read_table("exudyn-slider-crank"), {"crank.angle"}, 2e-8);
  expect_close("omega", value_at(result, 3, "crank.omega"), 101.3656451122, 1e-6);
  // The published run (MATLAB's ode45, tolerance 1e-6) has times of its own: Hermite interpolation between outputs.
  // It is ahead of the solution by 4.5e-3 rad at the end, after 19 turns.
  const Table published = read_table("exudyn-slider-crank-published");
  for (std::size_t row = 0; row < published.rows(); ++row) {
    const double t = published.at(row, "time");
    const auto k = static_cast<std::size_t>(t / 0.001);
    const double h = 0.001, s = t / h - static_cast<double>(k);
    const auto column = [&](std::size_t at, const char* name) { return result.data.at(at, name); };
    const double angle = (1 + 2 * s) * (1 - s) * (1 - s) * column(k, "crank.angle") +
                         s * s * (3 - 2 * s) * column(k + 1, "crank.angle") +
                         h * s * (1 - s) * (1 - s) * column(k, "crank.omega") -
                         h * s * s * (1 - s) * column(k + 1, "crank.omega");
    expect_close("published angle", angle, published.at(row, "crank.angle"), 5e-3);
  }
}

}  // namespace programs_test
}  // namespace bricard::testing_support
