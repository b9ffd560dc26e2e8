// The IFToMM benchmark problems A01, A02 and A04 (Gonzalez, Dopico, Lugris and Cuadrado, "A benchmarking system for MBS
// simulation software", 2006).
#include "reference/reference.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace iftomm_test {

// --- A01: simple pendulum ---

// A point mass: no inertia about its own centre.
SimulationResult simple_pendulum() {
  const auto model = shipped("pendulum", {{"L", "1"}, {"m", "1"}, {"I", "0"}, {"g", "9.81"}, {"theta0", "180 deg"}});
  return run(model, accurate(10, 0.5));
}

TEST(IftommA01, ClosedForm) {
  const SimulationResult result = simple_pendulum();
  expect_table(result, read_table("a01-analytic"), {"pendulum.x", "pendulum.y"}, 1e-9);
  expect_table(result, read_table("a01-analytic"), {"pendulum.vx", "pendulum.vy"}, 1e-8);
}

TEST(IftommA01, PublishedCurve) {
  // Printed with 6 decimals.
  expect_table(simple_pendulum(), read_table("a01-published"), {"pendulum.x", "pendulum.y"}, 5.1e-7);
}

TEST(IftommA01, EnergyMeetsTheAcceptanceCriterionAtTheDefaultTolerance) {
  const auto model = shipped("pendulum", {{"L", "1"}, {"m", "1"}, {"I", "0"}, {"g", "9.81"}, {"theta0", "180 deg"}});
  const SimulationResult result = run(model, accurate(10, 0.01, 1e-6));
  // IFToMM library of computational benchmark problems: energy error below 5e-5 J over 10 s.
  EXPECT_LT(result.summary.energy_drift, 5e-5);
}

// --- A02: N-four-bar mechanism ---

Method through_singular_positions(double duration, double output_step, double tolerance) {
  Method method = accurate(duration, output_step, tolerance);
  method.formulation = "lagrange-pseudoinverse";
  return method;
}

TEST(IftommA02, TwoWindows) {
  // Exact one-coordinate reduction, printed with 12 decimals.
  const SimulationResult result = run(shipped("n-four-bar"), through_singular_positions(20, 1, 1e-12));
  expect_table(result, read_table("a02-n2"), {"B0x", "B0y", "B0vx", "B0vy"}, 1e-7);
  expect_close("energy", result.data.at(0, "energy.total"), 1.5 + 34.335, 1e-12);
}

TEST(IftommA02, TwoWindowsAtItsOwnSettings) {
  const SimulationResult result = run(shipped("n-four-bar"), {});
  // B0 at 10 s by the exact reduction.
  expect_close("B0x", value_at(result, 10, "B0x"), 0.328458111540, 1e-6);
  expect_close("B0y", value_at(result, 10, "B0y"), 0.944518538179, 1e-6);
}

std::shared_ptr<const Model> forty_windows() { return generated("n-four-bar", 40); }

// Over the graph of the joints, and by recursion over a tree that closes 40 loops.
TEST(IftommA02, FortyWindows) {
  for (const bool tree : {false, true}) {
    Method method = accurate(20, 0.5, 1e-9);
    method.integrator = "dopri5";
    method.coordinates = tree ? "relative" : "reference-point";
    const SimulationResult result = run(forty_windows(), method);
    expect_counts(result.summary.structure, tree ? 81 : 243, tree ? 80 : 242, tree ? 80 : 242);
    const Table exact = read_table("a02-n40"), published = read_table("a02-n40-published");
    for (std::size_t row = 0; row < exact.rows(); ++row) {
      const double t = exact.at(row, "time");
      expect_close("B0x", value_at(result, t, "tip_x"), exact.at(row, "B0x"), 3e-6);
      expect_close("B0y", value_at(result, t, "tip_y"), exact.at(row, "B0y"), 3e-6);
      expect_close("rate", value_at(result, t, "upright0.omega"), -exact.at(row, "theta_rate"), 1e-5);
    }
    // The published curve is within 1.2e-6 of the exact one.
    for (std::size_t row = 0; row < published.rows(); ++row) {
      const double t = published.at(row, "time");
      expect_close("published x", value_at(result, t, "tip_x"), published.at(row, "B0x"), 2e-6);
      expect_close("published y", value_at(result, t, "tip_y"), published.at(row, "B0y"), 2e-6);
    }
  }
}

// --- A04: Bricard's mechanism ---

TEST(IftommA04, StructureAndStart) {
  const Start start = start_of(shipped("bricard"));
  expect_counts(start.structure, 30, 30, 29);
  EXPECT_TRUE(start.structure.mass_is_singular);  // thin rods
  // All joints start with +-g/5 about their axes: y, then added z, x, y, z; the last joint holds rod5 about x.
  const Vec3 rod1 = start.angular("rod1"), rod2 = start.angular("rod2"), rod5 = start.angular("rod5");
  expect_close("P1", std::abs(rod1.y()), 9.81 / 5, 1e-11);
  expect_close("P2", (rod2 - rod1).norm(), 9.81 / 5, 1e-11);
  expect_close("P2 axis", std::abs((rod2 - rod1).z()), 9.81 / 5, 1e-11);
  expect_close("P3", std::abs((start.angular("rod3") - rod2).x()), 9.81 / 5, 1e-11);
  expect_close("P4", std::abs((start.angular("rod4") - start.angular("rod3")).y()), 9.81 / 5, 1e-11);
  expect_close("P5", std::abs((rod5 - start.angular("rod4")).z()), 9.81 / 5, 1e-11);
  expect_close("P6", std::abs(rod5.x()), 9.81 / 5, 1e-11);
}

TEST(IftommA04, ThinRods) {
  const SimulationResult result = run(shipped("bricard"), accurate(10, 0.1));
  expect_table(result, read_table("a04-thin-rods"), {"P3x", "P3y", "P3z"}, 1e-9);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    expect_close("energy", result.data.at(row, "energy.total"), -29.43, 1e-7);
  }
  // Printed with 6 decimals, of which the last one at t = 2.2 is off by 5.4e-7.
  const Table published = read_table("a04-published");
  for (std::size_t row = 0; row < published.rows(); ++row) {
    for (const std::string column : {"P3x", "P3y", "P3z"}) {
      const double value = value_at(result, published.at(row, "time"), column);
      expect_close("published " + column, value, published.at(row, column), 5.5e-7);
    }
  }
}

TEST(IftommA04, Bricks) {
  // The rods as bricks of 1 m x 0.1 m x 0.1 m, as OpenSim and Exudyn have them; own converged values.
  const std::string text = R"(
bricard: 1
gravity: [0, -9.81, 0]
parameters: {w: 0.1}
points: {P1: [0, 0, 0], P2: [1, 0, 0], P3: [1, -1, 0], P4: [1, -1, 1], P5: [0, -1, 1], P6: [0, 0, 1]}
bodies:
  rod1: {mass: 1, center: [0.5, 0, 0], shape: {box: {size: [1, w, w]}}}
  rod2: {mass: 1, center: [1, -0.5, 0], shape: {box: {size: [w, 1, w]}}}
  rod3: {mass: 1, center: [1, -1, 0.5], shape: {box: {size: [w, w, 1]}}}
  rod4: {mass: 1, center: [0.5, -1, 1], shape: {box: {size: [1, w, w]}}}
  rod5: {mass: 1, center: [0, -0.5, 1], shape: {box: {size: [w, 1, w]}}}
joints:
  P1: {type: revolute, bodies: [ground, rod1], at: P1, axis: [0, 1, 0]}
  P2: {type: revolute, bodies: [rod1, rod2], at: P2, axis: [0, 0, 1]}
  P3: {type: revolute, bodies: [rod2, rod3], at: P3, axis: [1, 0, 0]}
  P4: {type: revolute, bodies: [rod3, rod4], at: P4, axis: [0, 1, 0]}
  P5: {type: revolute, bodies: [rod4, rod5], at: P5, axis: [0, 0, 1]}
  P6: {type: revolute, bodies: [rod5, ground], at: P6, axis: [1, 0, 0]}
outputs: {P3x: x(P3), P3y: y(P3), P3z: z(P3)}
)";
  const SimulationResult result = run(load_text(text, "bricks.yaml"), accurate(10, 1, 1e-10));
  const Vec3 at1 = vector_at(result, row_at(result, 1), "P3x", "P3y", "P3z");
  const Vec3 at10 = vector_at(result, row_at(result, 10), "P3x", "P3y", "P3z");
  expect_close("P3(1 s)", (at1 - Vec3(0.2744813193, -0.8867079387, -0.4623300027)).norm(), 0, 1e-9);
  expect_close("P3(10 s)", (at10 - Vec3(0.9997309873, -0.9999999638, -0.0002689765)).norm(), 0, 1e-9);
}

}  // namespace iftomm_test
}  // namespace bricard::testing_support
