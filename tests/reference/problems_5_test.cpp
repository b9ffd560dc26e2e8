// The problems of chapter 5 of Garcia de Jalon and Bayo, "Kinematic and Dynamic Simulation of Multibody Systems", each
// by the formulations and in the coordinates that it asks for. References: equations of motion in one coordinate,
// derived here, and the tables of tests/data.
#include <numbers>

#include "reference/reference.h"
#include "support/reduced_motion.h"

namespace bricard::testing_support {
namespace problems_5_test {

constexpr double pi = std::numbers::pi, g = 9.81;

struct Way {
  std::string formulation, coordinates;
  double tolerance;  // of the comparison
  std::string stabilization = {};
};

/// Runs a model in each of the ways and compares; a way that is refused or fails does not keep the others from running.
void each(const std::shared_ptr<const Model>& model, double duration, double output_step, const std::vector<Way>& ways,
          const std::function<void(const SimulationResult&, double tolerance)>& compare) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.formulation + " in " + way.coordinates + " " + way.stabilization);
    Method method = accurate(duration, output_step, 1e-11);
    method.formulation = way.formulation;
    method.coordinates = way.coordinates;
    method.stabilization = way.stabilization;
    try {
      const SimulationResult result = run(model, method);
      EXPECT_EQ(result.summary.chosen.method.formulation, way.formulation);
      EXPECT_EQ(result.summary.chosen.method.coordinates, way.coordinates);
      if (result.ok()) compare(result, way.tolerance);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// --- slider-crank: crank 1 m, 1 kg; rod 2 m, 2 kg; slider 1 kg ---

struct SliderCrank {
  Taylor x1, y1, x2;  // the book's q as functions of the crank's angle
  explicit SliderCrank(const Taylor& phi) : x1(cos(phi)), y1(sin(phi)), x2(x1 + sqrt(constant(4) - y1 * y1)) {}
  std::vector<ReducedBody> bodies(double slider_mass) const {
    const Taylor zero = constant(0);
    return {reduced_rod(1, zero, zero, x1, y1), reduced_rod(2, x1, y1, x2, zero), {slider_mass, 0, x2, zero, zero}};
  }
};

const std::vector<double> half_seconds = {0.5, 1, 1.5, 2, 2.5, 3};

/// Crank and slider (or the rod's end) at every half second.
std::function<void(const SimulationResult&, double)> slider_crank(double slider_mass) {
  const auto states = reduced_motion([&](const Taylor& phi) { return SliderCrank(phi).bodies(slider_mass); },
                                     {pi / 3, 0}, half_seconds);
  const bool slider = slider_mass > 0;
  return [=](const SimulationResult& result, double tolerance) {
    for (std::size_t k = 0; k < states.size(); ++k) {
      const double t = half_seconds[k], phi = states[k][0], rate = states[k][1];
      const SliderCrank exact(variable(phi));
      expect_close("angle", value_at(result, t, "crank.angle"), phi, tolerance);
      expect_close("omega", value_at(result, t, "crank.omega"), rate, 10 * tolerance);
      const double x = slider ? exact.x2.value : (exact.x1.value + exact.x2.value) / 2;
      const double v = (slider ? exact.x2.first : (exact.x1.first + exact.x2.first) / 2) * rate;
      expect_close("x", value_at(result, t, slider ? "slider.x" : "rod.x"), x, tolerance);
      expect_close("v", value_at(result, t, slider ? "slider.vx" : "rod.vx"), v, 10 * tolerance);
    }
    const double start = result.data.at(0, "energy.total");
    expect_close("energy", value_at(result, 3, "energy.total"), start, 100 * tolerance);
  };
}

TEST(Problem5, P1SliderCrankByMultipliersAndByPenalty) {
  each(shipped("slider-crank-long-rod"), 3, 0.5,
       {{"lagrange", "reference-point", 1e-8},
        {"lagrange", "natural", 1e-8},
        {"penalty", "reference-point", 2e-6},
        {"penalty", "natural", 2e-6},
        {"augmented-lagrangian", "reference-point", 1e-8},
        {"augmented-lagrangian", "natural", 1e-8}},
       slider_crank(1));
}

TEST(Problem5, P2SliderCrankByTheMatrixR) {
  each(shipped("slider-crank-long-rod"), 3, 0.5,
       {{"projection-r", "natural", 1e-8},
        {"projection-r", "reference-point", 1e-8},
        {"independent", "natural", 1e-8},
        {"independent", "reference-point", 1e-8},
        {"independent-extended", "natural", 1e-8}},
       slider_crank(1));
}

TEST(Problem5, P2EqualLengthsPassTheSingularPosition) {
  // "discuss the regularization": R is recomputed with rank-revealing decompositions, and the state projected.
  const Table table = read_table("slider-crank");
  each(shipped("slider-crank"), 5, 0.1, {{"projection-r", "reference-point", 1e-6, "projection"}},
       [&](const SimulationResult& result, double tolerance) {
         expect_table(result, table, {"crank.angle", "slider.x"}, tolerance);
       });
}

TEST(Problem5, P3SliderCrankByCanonicalIndependentCoordinates) {
  each(shipped("slider-crank-long-rod"), 3, 0.5,
       // A change of the independent coordinates on the way costs a digit in natural ones (3.5e-8, falling with the
       // tolerance of the run).
       {{"canonical-independent", "natural", 1e-7}, {"canonical-independent", "reference-point", 1e-8}},
       slider_crank(1));
}

// --- 5/4: (m L^2/3) z'' = (m L/2) (x1'' sin(z) - g cos(z)), x1 imposed ---

std::function<void(const SimulationResult&, double)> moving_pivot() {
  const double X = 0.2, Omega = 5;
  const auto rate = [=](double t, const Eigen::VectorXd& z) -> Eigen::VectorXd {
    const double push = -X * Omega * Omega * std::sin(Omega * t);
    return Eigen::Vector2d(z[1], 1.5 * (push * std::sin(z[0]) - g * std::cos(z[0])));
  };
  std::vector<Eigen::VectorXd> states = {Eigen::Vector2d(-pi / 2, 0)};
  for (int k = 0; k < 10; ++k) states.push_back(runge_kutta(rate, 0.5 * k, states.back(), 0.5 * (k + 1)));
  return [=](const SimulationResult& result, double tolerance) {
    for (int k = 0; k <= 10; ++k) {
      const double t = 0.5 * k, z = states[k][0], w = states[k][1], acceleration = rate(t, states[k])[1];
      expect_close("x1", value_at(result, t, "slider.x"), X * std::sin(Omega * t), tolerance);
      expect_close("z", value_at(result, t, "rod.angle"), z, tolerance);
      expect_close("z'", value_at(result, t, "rod.omega"), w, 10 * tolerance);
      // The drive pushes slider (1 kg) and rod (2 kg): both masses times the acceleration of their centres.
      const double slider = -X * Omega * Omega * std::sin(Omega * t);
      const double rod = slider - (acceleration * std::sin(z) + w * w * std::cos(z)) / 2;
      expect_close("drive", value_at(result, t, "drive.effort"), slider + 2 * rod, 1000 * tolerance);
    }
  };
}

TEST(Problem5, P4ImposedCoordinate) {
  each(shipped("moving-pivot"), 5, 0.5,
       {{"lagrange", "reference-point", 1e-8},
        {"lagrange", "natural", 1e-8},
        {"lagrange", "relative", 1e-8},
        {"independent", "reference-point", 1e-8},
        {"independent", "natural", 1e-8},
        {"independent", "relative", 1e-8}},
       moving_pivot());
}

TEST(Problem5, P5CanonicalWithPenalty) {
  each(shipped("slider-crank-long-rod"), 3, 0.5,
       {{"canonical-augmented", "natural", 1e-7},
        {"canonical-augmented", "reference-point", 1e-7},
        {"canonical-lagrange", "natural", 1e-8},
        {"canonical-lagrange", "reference-point", 1e-8}},
       slider_crank(1));
  each(shipped("moving-pivot"), 5, 0.5,
       {{"canonical-augmented", "reference-point", 1e-7}, {"canonical-lagrange", "reference-point", 1e-8}},
       moving_pivot());
}

// --- 5/6: four-bar linkage A 1 2 B with lengths 1, 2.5, 2 and A B = 3, 1 kg/m ---

std::vector<ReducedBody> four_bar(const Taylor& phi) {
  const Taylor zero = constant(0), d = constant(3), x1 = cos(phi), y1 = sin(phi);
  const Taylor dx = d - x1, dy = zero - y1, e2 = dx * dx + dy * dy;
  // 2 is s e + h e_perpendicular away from 1, e = (dx, dy): |2 - 1| = 2.5, |2 - B| = 2
  const Taylor s = 0.5 * (constant(1) + (2.5 * 2.5 - 2.0 * 2.0) * inverse(e2));
  const Taylor h = sqrt(2.5 * 2.5 * inverse(e2) - s * s);
  const Taylor x2 = x1 + s * dx - h * dy, y2 = y1 + s * dy + h * dx;
  return {reduced_rod(1, zero, zero, x1, y1), reduced_rod(2.5, x1, y1, x2, y2), reduced_rod(2, d, zero, x2, y2)};
}

TEST(Problem5, P6LoopOpenedAtAJoint) {
  const std::vector<double> times = {0.5, 1, 1.5, 2};
  const auto states = reduced_motion(four_bar, {pi / 2, 4}, times);
  each(shipped("cut-four-bar"), 2, 0.5,
       {{"lagrange", "relative", 1e-8, "baumgarte"},
        {"lagrange", "relative", 1e-8, "projection"},
        {"lagrange", "reference-point", 1e-8}},
       [&](const SimulationResult& result, double tolerance) {
         // Two open chains A-1-2 and B-2: three joint angles, two equations of the cut joint.
         if (result.summary.chosen.method.coordinates == "relative") expect_counts(result.summary.structure, 3, 2, 2);
         for (std::size_t k = 0; k < times.size(); ++k) {
           const std::vector<ReducedBody> bodies = four_bar(variable(states[k][0]));
           expect_close("angle", value_at(result, times[k], "crank.angle"), states[k][0], tolerance);
           expect_close("omega", value_at(result, times[k], "crank.omega"), states[k][1], 10 * tolerance);
           expect_close("coupler", value_at(result, times[k], "coupler.x"), bodies[1].x.value, tolerance);
           expect_close("rocker", value_at(result, times[k], "rocker.y"), bodies[2].y.value, tolerance);
         }
       });
}

TEST(Problem5, P7VelocityTransformationWithPenaltyForTheClosure) {
  const auto compare = slider_crank(0);
  each(shipped("two-rods-on-a-line"), 3, 0.5,
       {{"penalty", "relative", 1e-7},
        {"augmented-lagrangian", "relative", 1e-8},
        {"lagrange", "relative", 1e-8},
        {"lagrange", "reference-point", 1e-8}},
       [&](const SimulationResult& result, double tolerance) {
         // z1, z2 and the one equation y2 = 0
         if (result.summary.chosen.method.coordinates == "relative") expect_counts(result.summary.structure, 2, 1, 1);
         compare(result, tolerance);
       });
}

TEST(Problem5, P8CoinInNaturalCoordinates) {
  const Table table = read_table("rolling-coin");
  each(shipped("rolling-coin"), 5, 0.5,
       {{"lagrange", "natural", 1e-8},
        {"augmented-lagrangian", "natural", 1e-8},
        {"augmented-lagrangian", "reference-point", 1e-7},
        {"penalty", "natural", 1e-6},
        {"lagrange", "reference-point", 1e-7}},
       [&](const SimulationResult& result, double tolerance) {
         for (std::size_t row = 0; row < table.rows() && table.at(row, "time") <= 5; ++row) {
           const double t = table.at(row, "time");
           for (const std::string column : {"coin.x", "coin.y", "coin.z"}) {
             expect_close(column, value_at(result, t, column), table.at(row, column), tolerance);
           }
           expect_close("energy", value_at(result, t, "energy.total"), table.at(row, "energy.total"), 10 * tolerance);
         }
       });
}

TEST(Problem5, P9SatelliteInNaturalCoordinates) {
  const Table table = read_table("satellite");
  each(shipped("satellite"), 5, 1,
       {{"lagrange", "natural", 1e-7}, {"penalty", "natural", 1e-6}, {"lagrange", "reference-point", 1e-7}},
       [&](const SimulationResult& result, double tolerance) {
         for (std::size_t row = 0; row < table.rows() && table.at(row, "time") <= 5; ++row) {
           const std::size_t at = row_at(result, table.at(row, "time"));
           const Vec3 omega(table.at(row, "wx_body"), table.at(row, "wy_body"), table.at(row, "wz_body"));
           const Quaternion turn = quaternion_at(result, at, "satellite");
           const Vec3 world = vector_at(result, at, "satellite.wx", "satellite.wy", "satellite.wz");
           expect_close("omega", (turn.conjugate() * world - omega).norm(), 0, tolerance);
         }
       });
}

TEST(Problem5, P10ControlledRodsInTheirAngles) {
  const Table table = read_table("controlled-double-rod");
  each(shipped("controlled-double-rod"), 10, 0.5,
       {{"lagrange", "relative", 1e-8}, {"independent", "relative", 1e-8}, {"independent", "reference-point", 1e-8}},
       [&](const SimulationResult& result, double tolerance) {
         // Without constraints: the joint angles are independent.
         if (result.summary.chosen.method.coordinates == "relative") expect_counts(result.summary.structure, 2, 0, 0);
         expect_table(result, table, {"psi1", "psi2"}, tolerance);
         expect_table(result, table, {"torque"}, 1000 * tolerance);
       });
}

}  // namespace problems_5_test
}  // namespace bricard::testing_support
