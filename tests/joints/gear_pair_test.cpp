// Gear pairs: fundamental circuits, speeds by Willis, torque balances, and whole runs against closed forms.
#include <gtest/gtest.h>

#include <set>

#include "joints/fundamental_circuits.h"
#include "reference/reference.h"
#include "support/rotary_drive.h"

namespace bricard {
namespace gear_pair_test {

using testing_support::RotaryDrive;
using namespace testing_support;

/// "g2 g3 ground -2 a b"
std::vector<std::string> described(const Model& model, const std::vector<FundamentalCircuit>& circuits) {
  std::vector<std::string> rows;
  for (const FundamentalCircuit& c : circuits) {
    std::ostringstream row;
    row << model.joints[c.joint].name << " " << model.body_name(c.gear_i) << " " << model.body_name(c.gear_j) << " "
        << model.body_name(c.carrier) << " " << c.ratio << " " << c.level_i << " " << c.level_j;
    rows.push_back(row.str());
  }
  return rows;
}

// --- fundamental circuits ---

TEST(FundamentalCircuits, TableOfTheRotaryDrive) {
  // Table 1 of the paper: transfer vertices 1 (the ground), 3, 3. It gives the levels without order, and "a, c" for #3:
  // a slip, for 6 is coaxial with the carrier 3, on b as 4 is; axis a is that of gear 2 alone.
  const auto model = shipped("rotary-drive");
  const std::vector<std::string> expected = {"mesh1 gear2 gear3 ground -2 a b", "mesh2 planet5 gear4 gear3 0.4 c b",
                                             "mesh3 planet5 gear6 gear3 2.5 c b"};
  EXPECT_EQ(described(*model, fundamental_circuits(*model)), expected);
  EXPECT_EQ(circuits_table(*model),
            "circuit  gear i   gear j  transfer vertex  ratio  levels\n"
            "mesh1    gear2    gear3   ground           -2     a, b\n"
            "mesh2    planet5  gear4   gear3            0.4    c, b\n"
            "mesh3    planet5  gear6   gear3            2.5    c, b\n");
  EXPECT_EQ(circuits_table(*shipped("geared-pair")), "");
}

TEST(FundamentalCircuits, DoNotDependOnOrderUnitsOrDimension) {
  for (unsigned order = 0; order < 20; ++order) {
    for (double unit : {1e-3, 1.0, 1e3}) {
      RotaryDrive drive;
      drive.unit = unit, drive.spatial = order % 2 == 1, drive.shafts = order % 3 == 2;
      const auto model = load_text(drive.text(order), "drive");
      std::map<std::string, FundamentalCircuit> found;
      for (const FundamentalCircuit& c : fundamental_circuits(*model)) found[model->joints[c.joint].name] = c;
      const FundamentalCircuit &one = found.at("mesh1"), &two = found.at("mesh2"), &three = found.at("mesh3");
      const std::set<std::string> carriers = {"g3", "sg3"};  // one vertex, if they are fixed to each other
      EXPECT_EQ(one.carrier, ground);
      EXPECT_TRUE(carriers.contains(model->body_name(two.carrier)));
      EXPECT_TRUE(carriers.contains(model->body_name(three.carrier)));
      EXPECT_EQ(two.level_i, three.level_i);
      EXPECT_EQ(two.level_j, three.level_j);
      EXPECT_EQ(one.level_j, two.level_j);
      EXPECT_EQ((std::set<std::string>{one.level_i, one.level_j, two.level_i}), (std::set<std::string>{"a", "b", "c"}));
      EXPECT_TRUE(one.parallel && two.parallel && three.parallel);
    }
  }
}

TEST(FundamentalCircuits, LinesThatCoincideByChanceAreNotOneLevel) {
  // Planets of two stages, drawn at one place, on carriers that turn at different speeds.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies:\n"
      "  s1: {mass: 1, inertia: 1, center: [0, 0]}\n  c1: {mass: 1, inertia: 1, center: [0, 0]}\n"
      "  p1: {mass: 1, inertia: 1, center: [1, 0]}\n  c2: {mass: 1, inertia: 1, center: [0, 0]}\n"
      "  p2: {mass: 1, inertia: 1, center: [1, 0]}\n"
      "joints:\n  S1: {type: revolute, bodies: [ground, s1], at: [0, 0]}\n"
      "  C1: {type: revolute, bodies: [ground, c1], at: [0, 0]}\n  P1: {type: revolute, bodies: [c1, p1], at: [1, 0]}\n"
      "  C2: {type: revolute, bodies: [c1, c2], at: [0, 0]}\n  P2: {type: revolute, bodies: [c2, p2], at: [1, 0]}\n"
      "  a: {type: gear_pair, bodies: [s1, p1], teeth: [20, 20]}\n"
      "  b: {type: gear_pair, bodies: [p1, ground], teeth: [20, 60], internal: true}\n"
      "  c: {type: gear_pair, bodies: [c1, p2], teeth: [20, 20]}\n"
      "  d: {type: gear_pair, bodies: [p2, ground], teeth: [20, 60], internal: true}\n",
      "stages");
  const std::vector<std::string> expected = {"a s1 p1 c1 -1 a b", "b p1 ground c1 3 b a", "c c1 p2 c2 -1 a c",
                                             "d p2 ground c2 3 c a"};
  EXPECT_EQ(described(*model, fundamental_circuits(*model)), expected);
  // Each stage has 1 + 60/20 = 4.
  const Start start = start_of(model);
  EXPECT_EQ(start.structure.degrees_of_freedom, 1);
}

TEST(FundamentalCircuits, BevelGearsCountFromTheApex) {
  const auto circuits = fundamental_circuits(*shipped("car-differential"));
  ASSERT_EQ(circuits.size(), 5u);
  EXPECT_FALSE(circuits[0].parallel);
  EXPECT_EQ(circuits[0].axis_i, -Vec3::UnitX());  // the pinion is on the side of -x, the crown wheel on that of +y
  EXPECT_EQ(circuits[0].axis_j, Vec3::UnitY());
  EXPECT_EQ(circuits[2].axis_i, Vec3::UnitX());  // first spider, right wheel
  EXPECT_EQ(circuits[2].axis_j, -Vec3::UnitY());
  EXPECT_EQ(circuits[4].axis_i, -Vec3::UnitX());
}

// --- speeds and torques ---

TEST(GearPair, PlanetsShareTheLoadOfAPlanetaryGear) {
  // 5 bodies have 15 coordinates, 5 revolute joints remove 10. Of the 5 speeds left, sun and ring mesh with the first
  // planet in 2 independent equations, and each further planet adds one speed with 2 equations, of which one only says
  // again how sun and carrier are coupled: 6 equations of rank 4, 16 in all of rank 14.
  const auto model = shipped("planetary-gear");
  const Start start = start_of(model);
  expect_counts(start.structure, 15, 16, 14);
  for (const RedundantRow& row : start.structure.redundant) EXPECT_EQ(row.equation, "ratio");
  for (const char* pair : {"sun1", "sun2", "sun3", "ring1", "ring2", "ring3"})
    EXPECT_FALSE(start.unique(pair, "effort"));

  const SimulationResult result = run(model, accurate(2, 0.5));
  const double sun = 50, carrier = sun / 3, planet = -sun;  // accelerations
  const double Ic = 0.00945 + 3 * 0.5 * 0.09 * 0.09;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const auto value = [&](const std::string& column) { return result.data.at(row, column); };
    const double t = value("time");
    expect_close("sun", value("sun.angle"), sun * t * t / 2, 1e-8);
    expect_close("carrier", value("carrier.angle"), carrier * t * t / 2, 1e-8);
    expect_close("rate", value("output.rate"), carrier * t, 1e-8);
    double of_sun = 0, of_ring = 0;
    for (const char* k : {"1", "2", "3"}) {
      expect_close("planet", value(std::string("planet") + k + ".angle"), planet * t * t / 2, 1e-8);
      const double sun_effort = value(std::string("sun") + k + ".effort");
      const double ring_effort = value(std::string("ring") + k + ".effort");
      // The effort e is the torque on gear i: -ratio e on gear j, (ratio - 1) e on the carrier.
      expect_close("torques on a planet", 0.5 * sun_effort + ring_effort, 0.0002 * planet, 1e-12);
      of_sun += sun_effort, of_ring += ring_effort;
    }
    expect_close("torques on the sun", 0.6 + of_sun, 0.001 * sun, 1e-12);
    expect_close("torques on the carrier", -1.2 - 1.5 * of_sun + 3 * of_ring, Ic * carrier, 1e-12);
  }
}

TEST(GearPair, WillisForAnyTeethAndStanding) {
  // (w_sun - w_c)/(w_ring - w_c) = -Zr/Zs with ring, sun or carrier held.
  for (const char* held : {"sun", "ring", "carrier"}) {
    for (double Zs : {20.0, 33.0, 57.0}) {
      const double Zp = 18, Zr = Zs + 2 * Zp, radius = (Zs + Zp) / 2;
      std::ostringstream text;
      text << "bricard: 1\ndimension: planar\ngravity: [0, 0]\nparameters: {Zs: " << Zs << ", Zp: " << Zp
           << ", Zr: " << Zr << "}\nbodies:\n"
           << "  sun: {mass: 1, inertia: 1, center: [0, 0]}\n  ring: {mass: 1, inertia: 3, center: [0, 0]}\n"
           << "  carrier: {mass: 1, inertia: 2, center: [0, 0]}\n  planet: {mass: 0.01, inertia: 0.5, center: ["
           << radius << ", 0]}\njoints:\n"
           << "  S: {type: revolute, bodies: [ground, sun], at: [0, 0]}\n"
           << "  R: {type: revolute, bodies: [ground, ring], at: [0, 0]}\n"
           << "  C: {type: revolute, bodies: [ground, carrier], at: [0, 0]}\n"
           << "  P: {type: revolute, bodies: [carrier, planet], at: [" << radius << ", 0]}\n"
           << "  m1: {type: gear_pair, bodies: [sun, planet], teeth: [Zs, Zp]}\n"
           << "  m2: {type: gear_pair, bodies: [ring, planet], teeth: [Zr, Zp], internal: true, carrier: carrier}\n"
           << "  hold: {type: fixed, bodies: [ground, " << held << "], at: [0, 0]}\n"
           << "initial: {velocities: {P: 1}}\n";
      const auto model = load_text(text.str(), "willis");
      const Assembly assembly = assemble(model, *find_coordinates_type("reference-point"));
      ASSERT_TRUE(assembly.ok) << assembly.message;
      const double sun = assembly.v[2], ring = assembly.v[5], carrier = assembly.v[8], planet = assembly.v[11];
      EXPECT_NEAR((sun - carrier) * Zs, -(ring - carrier) * Zr, 1e-11) << held;
      EXPECT_NEAR(planet - carrier, 1, 1e-12) << held;
      EXPECT_NEAR((ring - carrier) * Zr, Zp, 1e-11) << held;
      EXPECT_NEAR(std::string(held) == "sun" ? sun : std::string(held) == "ring" ? ring : carrier, 0, 1e-14) << held;
    }
  }
}

// --- runs ---

TEST(GearPair, PlanetsInertiaOnTheCarrier) {
  // Constant torques give constant accelerations: M (w2', w4') = (T1 - a Tr, T2 - b Tr), m5 delta^2 in M.
  for (unsigned seed : {1u, 2u, 3u}) {
    RotaryDrive drive = RotaryDrive::random(seed);
    drive.Kd1 = drive.Kd2 = drive.Kr = 0;
    drive.spatial = seed == 3;
    const Eigen::Vector2d w =
        drive.M().inverse() * Eigen::Vector2d(drive.T1 - drive.a() * drive.Tr, drive.T2 - drive.b() * drive.Tr);
    const Eigen::VectorXd accelerations = drive.V() * w;
    const Start start = start_of(load_text(drive.text(), "drive"));
    const char* const names[] = {"g2", "g3", "g4", "g5", "g6"};
    for (int k = 0; k < 5; ++k) {
      const double found = drive.spatial ? start.angular(names[k]).z() : start.planar(names[k]).z();
      EXPECT_NEAR(found, accelerations[k], 1e-11 * accelerations.cwiseAbs().maxCoeff()) << names[k];
    }
  }
}

TEST(GearPair, RatiosHoldOverManyTurns) {
  for (const char* coordinates : {"reference-point", "natural", "relative"}) {
    Method method = accurate(3, 0.5, 1e-9);
    method.coordinates = coordinates;
    const SimulationResult drive = run(shipped("rotary-drive"), method);
    const std::size_t last = drive.data.rows.size() - 1;
    const double a2 = drive.data.at(last, "gear2.angle"), a3 = drive.data.at(last, "gear3.angle"),
                 a4 = drive.data.at(last, "gear4.angle"), a5 = drive.data.at(last, "planet5.angle"),
                 a6 = drive.data.at(last, "gear6.angle");
    EXPECT_GT(a2, 299) << coordinates;
    EXPECT_NEAR(a2, -2 * a3, 1e-9) << coordinates;
    EXPECT_NEAR(a5 - a3, 0.4 * (a4 - a3), 1e-9) << coordinates;
    EXPECT_NEAR(a5 - a3, 2.5 * (a6 - a3), 1e-9) << coordinates;
  }
}

TEST(GearPair, DisturbedDriveReturnsWithItsModes) {
  // w(t) - w0 = exp(-M^-1 K t) (kick, 0)
  const double kick = 2;
  const SimulationResult result = run(shipped("rotary-drive", {{"kick", "2"}}), accurate(0.5, 0.05));
  const RotaryDrive drive;
  const Eigen::Matrix2d A = -drive.M().inverse() * drive.K();
  const Eigen::EigenSolver<Eigen::Matrix2d> modes(A);
  const Eigen::Vector2cd weights = modes.eigenvectors().inverse() * Eigen::Vector2cd(kick, 0);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    const Eigen::Vector2d dw =
        (modes.eigenvectors() * ((modes.eigenvalues() * t).array().exp() * weights.array()).matrix()).real();
    expect_close("w2", result.data.at(row, "bearing2.rate"), 100 + dw[0], 1e-8);
    expect_close("w4", result.data.at(row, "bearing4.rate"), -50 + dw[1], 1e-8);
    expect_close("w6", result.data.at(row, "bearing6.rate"), -50 - 0.42 * dw[0] + 0.16 * dw[1], 1e-8);
  }
}

TEST(GearPair, DifferentialOfACar) {
  // 6 bodies have 36 coordinates, 6 revolute joints remove 30. Of the 6 speeds, pinion and crown wheel have 1 equation;
  // the 4 meshes of spiders and side gears say that left + right = 2 carrier, twice, and how fast each spider spins.
  const auto model = shipped("car-differential");
  expect_counts(start_of(model).structure, 36, 35, 34);
  const double S = 20, D = 12.5;
  for (const auto& [coordinates, tolerance] : {std::pair("reference-point", 1e-8), std::pair("relative", 1e-11)}) {
    Method method = accurate(2, 0.5, tolerance);
    method.coordinates = coordinates;
    const double accuracy = 1e3 * tolerance;
    const SimulationResult result = run(model, method);
    for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
      const auto value = [&](const std::string& column) { return result.data.at(row, column); };
      const double t = value("time");
      expect_close("carrier", value("carrier.rate"), S * t, accuracy);
      expect_close("left", value("left.rate"), (S + D) * t, accuracy);
      expect_close("right", value("right.rate"), (S - D) * t, accuracy);
      expect_close("mean", value("left.angle") + value("right.angle") - 2 * value("carrier.angle"), 0, 1e-9);
      expect_close("pinion", value("pinion.angle") - 4 * value("carrier.angle"), 0, 1e-9);
      // The first spider from its apex: w = -1.6 (left - carrier); the other one the opposite way about the same axis.
      expect_close("spider", value("pin1.angle"), -1.6 * D * t * t / 2, accuracy);
      expect_close("other spider", value("pin2.angle"), 1.6 * D * t * t / 2, accuracy);
    }
    // Halves of the engine's torque: each side gear gets as much as the other, up to the spiders' inertia.
    const std::size_t last = result.data.rows.size() - 1;
    const auto on_side = [&](const std::string& one, const std::string& two) {
      return 1.6 * (result.data.at(last, one + ".effort") + result.data.at(last, two + ".effort"));
    };
    // About axes from the apex: +y on the left, -y on the right.
    const double left = on_side("left1", "left2"), right = -on_side("right1", "right2");
    expect_close("left wheel", left, 0.4 * (S + D), 1e-9);
    expect_close("right wheel", right, 0.4 * (S - D) + 10.256, 1e-9);
    expect_close("spiders", right - left, 2 * 1.6 * 1.6 * 0.004 * D, 1e-9);
  }
}

TEST(GearPair, RatioOfBevelGearsIsAboutTheJointsAxes) {
  // With `ratio` the user says how the joints' angles are coupled, with teeth the place of the gears does.
  const auto speeds = [](const std::string& mesh, double x, const std::string& axis) {
    std::ostringstream text;
    text << "bricard: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], center: [" << x
         << ", 0, 0]}\n  b: {mass: 1, inertia: [1, 1, 1], center: [0, 1, 0]}\njoints:\n"
         << "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: " << axis << "}\n"
         << "  B: {type: revolute, bodies: [b, ground], at: [0, 3, 0], axis: [0, 1, 0]}\n"
         << "  G: {type: gear_pair, bodies: [a, b], " << mesh
         << "}\ninitial: {velocities: {b: {angular: [0, 1, 0]}}}\n";
    const auto model = load_text(text.str(), "bevel");
    const Assembly assembly = assemble(model, *find_coordinates_type("reference-point"));
    EXPECT_TRUE(assembly.ok) << assembly.message;
    EXPECT_NEAR(assembly.v[10], 1, 1e-12);
    return assembly.v[3];  // of a about x
  };
  EXPECT_NEAR(speeds("ratio: 3", 1, "[1, 0, 0]"), 3, 1e-12);
  EXPECT_NEAR(speeds("ratio: 3", 1, "[-1, 0, 0]"), -3, 1e-12);
  for (const char* axis : {"[1, 0, 0]", "[-1, 0, 0]"}) {
    // Both from the apex: the teeth at (1, 1, 0) have the velocity w_a x r = -w_b x r along z: w_a = -(Zb/Za) w_b.
    EXPECT_NEAR(speeds("teeth: [10, 30]", 1, axis), -3, 1e-12);
    EXPECT_NEAR(speeds("teeth: [10, 30]", -1, axis), 3, 1e-12);
  }
}

}  // namespace gear_pair_test
}  // namespace bricard
