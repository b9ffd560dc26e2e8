// Examples and problems of Garcia de Jalon and Bayo, "Kinematic and Dynamic Simulation of Multibody Systems". Reference
// values: integrations of independent coordinates in extended precision.
#include <numbers>

#include "reference/reference.h"

namespace bricard::testing_support {
namespace reference_jalon_bayo_test {

// --- example 5.1: double pendulum ---

TEST(JalonBayoDoublePendulum, RodsRegular) {
  const SimulationResult result = run(shipped("double-pendulum"), accurate(10, 1));
  expect_table(result, read_table("double-pendulum"), {"upper.angle", "lower.angle"}, 1e-9);
  expect_table(result, read_table("double-pendulum"), {"upper.omega", "lower.omega"}, 1e-8);
  expect_table(result, read_table("double-pendulum"), {"energy.total"}, 1e-8);
}

TEST(JalonBayoDoublePendulum, RodsChaotic) {
  const auto model = shipped("double-pendulum", {{"theta1", "0"}, {"theta2", "0"}});
  const SimulationResult result = run(model, accurate(10, 1, 1e-12));
  // The reference is good to 1e-11 at 10 s; an error of the first steps grows by about 1e4 until then.
  const Table table = read_table("double-pendulum-horizontal");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double t = table.at(row, "time"), tolerance = 1e-10 * std::exp(t);
    for (const std::string column : {"upper.angle", "lower.angle"}) {
      expect_close(column, value_at(result, t, column), table.at(row, column), tolerance);
    }
  }
}

struct PointState {
  double t, a, b, rate_a, rate_b, lambda1, lambda2;  // multipliers of |r1|^2 - 1 and |r2 - r1|^2 - 1
};

void expect_points(const std::string& start, const std::vector<PointState>& states, double tolerance) {
  const std::string text = R"(
bricard: 1
dimension: planar
points: {A: [0, 0], B: [1, 0], C: [2, 0]}
bodies:
  upper: {mass: 1, inertia: 0, center: B}
  lower: {mass: 1, inertia: 0, center: C}
joints:
  A: {type: revolute, bodies: [ground, upper], at: A}
  B: {type: revolute, bodies: [upper, lower], at: B}
initial: {positions: {A: )" +
                           start + ", B: 0}}\n";
  const SimulationResult result = run(load_text(text, "points.yaml"), accurate(10, 1, 1e-12));
  for (const PointState& s : states) {
    const std::size_t at = row_at(result, s.t);
    expect_close("a", result.data.at(at, "upper.angle"), s.a, tolerance);
    expect_close("b", result.data.at(at, "lower.angle"), s.b, tolerance);
    expect_close("a'", result.data.at(at, "upper.omega"), s.rate_a, 10 * tolerance);
    expect_close("b'", result.data.at(at, "lower.omega"), s.rate_b, 10 * tolerance);
    // Each bar pulls its point with -lambda d|r|^2/dr.
    const Vec3 upper_pull(-2 * s.lambda1 * std::cos(s.a), -2 * s.lambda1 * std::sin(s.a), 0);
    const Vec3 lower_pull(-2 * s.lambda2 * std::cos(s.b), -2 * s.lambda2 * std::sin(s.b), 0);
    expect_close("A", (vector_at(result, at, "A.fx", "A.fy", "") - upper_pull).norm(), 0, 100 * tolerance);
    expect_close("B", (vector_at(result, at, "B.fx", "B.fy", "") - lower_pull).norm(), 0, 100 * tolerance);
  }
}

TEST(JalonBayoDoublePendulum, PointsRegular) {
  expect_points("-60 deg",
                {{1, -1.825347449667889195, -2.117079803554447371, -0.684575573367111136, -1.149456509002355924,
                  9.785758832773451, 5.016453478920594},
                 {5, -1.301403363351678520, -1.045797484460096374, 1.048191233620556959, 0.616566540769279029,
                  10.093566073900982, 4.977853083948556},
                 {10, -1.552875429869706443, -1.572481399333815155, 0.584157079316900865, 2.161505275305411040,
                  12.48047100845322, 7.407062451774401}},
                1e-10);
}

TEST(JalonBayoDoublePendulum, PointsFromTheHorizontal) {
  expect_points("0",
                {{1, -2.195884026601287226, -2.605381412474908941, -3.922279572887976558, -1.303099248696331331,
                  20.818039436294903, 9.972929848254502},
                 {5, -2.197983031861427201, -2.872111877004707978, 2.125408673842911266, 3.881888727265607218,
                  13.20241888257784, 8.924466745186225},
                 {10, -2.139270990810836675, -2.097190054727312535, 6.078384885761975188, -9.681360681708899581,
                  91.87416595415904, 69.32860232874569}},
                5e-9);
}

// --- problem 5/2: slider-crank with equal lengths ---

TEST(JalonBayoSliderCrank, PassesElevenSingularPositionsOnItsBranch) {
  const SimulationResult result = run(shipped("slider-crank"), accurate(5, 0.01));
  const Table table = read_table("slider-crank");
  expect_table(result, table, {"crank.angle", "slider.x"}, 1e-7);
  expect_table(result, table, {"crank.omega", "slider.vx"}, 2e-7);
  int crossings = 0;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double phi = result.data.at(row, "crank.angle"), x = result.data.at(row, "slider.x");
    // The other branch is x = 0: so near to it, an error e of the constraints moves the slider by e / x.
    expect_close("true branch", x, 2 * std::cos(phi), 1e-11 + 1e-12 / std::abs(x));
    expect_close("energy", result.data.at(row, "energy.total") - 3 * x, 70.079042544459, 1e-6);
    crossings += row > 0 && (x > 0) != (result.data.at(row - 1, "slider.x") > 0);
  }
  EXPECT_EQ(crossings, 11);
}

// --- problem 5/8: rolling coin ---

TEST(JalonBayoCoin, Rolls) {
  const SimulationResult result = run(shipped("rolling-coin"), accurate(10, 0.5));
  expect_counts(result.summary.structure, 6, 3, 3);
  EXPECT_EQ(result.summary.structure.velocity_constraints, 2);
  const Table table = read_table("rolling-coin");
  expect_table(result, table, {"coin.x", "coin.y", "coin.z"}, 5e-9);
  expect_table(result, table, {"energy.total"}, 1e-8);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    const double theta = table.at(row, "theta"), psi = table.at(row, "psi");
    const Vec3 heading(std::cos(psi), std::sin(psi), 0);
    const Vec3 axis(-std::sin(theta) * std::sin(psi), std::sin(theta) * std::cos(psi), std::cos(theta));
    const Vec3 omega = table.at(row, "omega_h") * heading + table.at(row, "omega_m") * axis.cross(heading) +
                       table.at(row, "omega_u") * axis;
    expect_close("axis", (quaternion_at(result, at, "coin") * Vec3::UnitZ() - axis).norm(), 0, 2e-9);
    expect_close("omega", (vector_at(result, at, "coin.wx", "coin.wy", "coin.wz") - omega).norm(), 0, 1e-8);
  }
}

// --- problem 5/9: satellite with a rotor ---

SimulationResult expect_satellite(const std::shared_ptr<const Model>& model, double tolerance) {
  const SimulationResult result = run(model, accurate(20, 1));
  const Table table = read_table("satellite");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    const Vec3 omega(table.at(row, "wx_body"), table.at(row, "wy_body"), table.at(row, "wz_body"));
    const Quaternion p(table.at(row, "satellite.qw"), table.at(row, "satellite.qx"), table.at(row, "satellite.qy"),
                       table.at(row, "satellite.qz"));
    const Quaternion turn = quaternion_at(result, at, "satellite");
    const Vec3 world_omega = vector_at(result, at, "satellite.wx", "satellite.wy", "satellite.wz");
    expect_close("omega", (turn.conjugate() * world_omega - omega).norm(), 0, tolerance);
    expect_close("attitude", (turn.toRotationMatrix() - p.toRotationMatrix()).norm(), 0, tolerance);
  }
  return result;
}

TEST(JalonBayoSatellite, RotorAsGyroscopicMoment) {
  const SimulationResult result = expect_satellite(shipped("satellite"), 5e-9);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    expect_close("energy", result.data.at(row, "energy.total"), 0.765, 1e-9);
  }
}

TEST(JalonBayoSatellite, RotorAsABody) {
  // A disc of axial inertia 0.02, transverse 0.01, on a driven axle; (4, 5, 6) includes it.
  expect_satellite(load_text(R"(
bricard: 1
gravity: [0, 0, 0]
parameters: {ax: 0.6, az: 0.8, J: 0.01}
points: {G: [0, 0, 0]}
bodies:
  satellite:
    mass: 9
    inertia: [4 - J - J*ax^2, 5 - J, 6 - J - J*az^2, 0, -J*ax*az, 0]
    center: G
  rotor: {mass: 1, inertia: [J, J, 2*J], center: G, orientation: {x: [az, 0, -ax], z: [ax, 0, az]}}
joints:
  axle: {type: revolute, bodies: [satellite, rotor], at: G, axis: [ax, 0, az]}
motions:
  drive: {joint: axle, position: 300*t}
initial: {velocities: {satellite: {linear: [0, 0, 0], angular: [0.1, 0.5, -0.2]}}}
)",
                             "satellite.yaml"),
                   2e-8);
}

// --- problem 5/10: two rods kept upright by a controller ---

TEST(JalonBayoDoubleRod, Controlled) {
  const SimulationResult result = run(shipped("controlled-double-rod"), accurate(10, 0.5));
  const Table table = read_table("controlled-double-rod");
  expect_table(result, table, {"psi1", "psi2"}, 1e-10);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    const double rate1 = result.data.at(at, "A.rate");
    expect_close("psi1'", rate1, table.at(row, "psi1_rate"), 1e-8);
    expect_close("psi2'", rate1 + result.data.at(at, "B.rate"), table.at(row, "psi2_rate"), 1e-8);
    expect_close("torque", result.data.at(at, "torque"), table.at(row, "torque"), 1e-8);
  }
}

}  // namespace reference_jalon_bayo_test
}  // namespace bricard::testing_support
