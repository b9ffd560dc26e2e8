#include "analyses/assembly/assembly.h"

#include <gtest/gtest.h>

#include <numbers>

#include "analyses/structure/structure.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "coordinates/coordinates.h"
#include "system/system.h"

namespace bricard {
namespace assembly_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

Assembly assemble_text(const std::string& text, const std::string& coordinates = "reference-point") {
  return assemble(load_text("bricard: 1\n" + text, "test"), *find_coordinates_type(coordinates));
}

// Unit crank at (0,0), rocker at (2,0), coupler between their tops: a parallelogram of sides 1 and 2.
std::string parallelogram(const std::string& rest, const std::string& tip = "[2, 1]") {
  return "dimension: planar\npoints: {A: [0, 0], B: [0, 1], C: " + tip +
         ", D: [2, 0]}\n"
         "bodies: {crank: {rod: [A, B], mass: 1}, coupler: {rod: [B, C], mass: 2}, rocker: {rod: [D, C], mass: 1}}\n"
         "joints:\n  A: {type: revolute, bodies: [ground, crank], at: A}\n  B: {type: revolute, bodies: [crank, "
         "coupler], at: B}\n"
         "  C: {type: revolute, bodies: [coupler, rocker], at: C}\n  D: {type: revolute, bodies: [ground, rocker], at: "
         "D}\n" +
         rest;
}

TEST(Assembly, LeavesAnAssembledModelExactlyAsItIs) {
  for (const CoordinatesType& type : coordinates_types()) {
    for (const char* name : {"mcpherson-overconstrained", "sarrus", "five-bar"}) {
      const auto model = load(models + name + ".yaml");
      if (model->planar() && !type.planar) continue;
      const Assembly assembly = assemble(model, type);
      ASSERT_TRUE(assembly.ok) << assembly.message;
      Vector reference(assembly.q.size());
      type.create(*model)->reference(reference);
      if (type.absorbs_joints) {
        EXPECT_LT((assembly.q - reference).norm(), 1e-14) << name << " in " << type.name;
        continue;  // the bodies are assembled, and their places taken
      }
      EXPECT_EQ(assembly.q, reference) << name << " in " << type.name;
      EXPECT_TRUE(assembly.moved.empty());
      EXPECT_EQ(assembly.v.norm(), 0);
    }
  }
}

TEST(Assembly, FollowsTheBranchToAGivenAngle) {
  // 120 degrees of the crank: the coupler of a parallelogram keeps its direction.
  const Assembly assembly = assemble_text(parallelogram("initial: {positions: {A: -120 deg}}\n"));
  ASSERT_TRUE(assembly.ok) << assembly.message;
  EXPECT_NEAR(assembly.q[5], 0, 1e-12);                                           // coupler's angle
  EXPECT_NEAR(assembly.q[3], 1 + std::sin(120 * std::numbers::pi / 180), 1e-12);  // coupler's centre
  EXPECT_NEAR(assembly.q[4], std::cos(120 * std::numbers::pi / 180), 1e-12);
  EXPECT_EQ(assembly.moved.size(), 3u);
  EXPECT_NEAR(assembly.moved[0].angle, 120 * std::numbers::pi / 180, 1e-9);
}

TEST(Assembly, CountsTurnsOfInitialAngles) {
  const auto model = load_text(
      "bricard: 1\n" + parallelogram("initial: {positions: {A: 400 deg}}\nsimulation: {duration: 0.1}\n"), "test");
  const SimulationResult result = simulate(model);
  EXPECT_NEAR(result.data.at(0, "A.angle"), 400 * std::numbers::pi / 180, 1e-9);
  EXPECT_NEAR(result.data.at(0, "crank.angle"), 490 * std::numbers::pi / 180, 1e-9);
}

TEST(Assembly, ClosesASlightlyOpenModelByTheShortestWay) {
  // The rods fit their own end points, which are 1e-3 off at C for one of them.
  const Assembly assembly = assemble_text(parallelogram("", "[2.001, 1.002]"));
  ASSERT_TRUE(assembly.ok) << assembly.message;
  EXPECT_TRUE(assembly.moved.empty());
  const Assembly open = assemble_text(
      "dimension: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1, center: [0, 0]}, b: {mass: 3, inertia: 1, "
      "center: [1.2, 0]}}\n"
      "joints: {d: {type: distance, bodies: [a, b], at: [[0, 0], [1.2, 0]], length: 1}}\n");
  ASSERT_TRUE(open.ok) << open.message;
  // Mass-weighted: the light body moves three times as far as the heavy one.
  EXPECT_NEAR(open.q[0], 0.15, 1e-4);
  EXPECT_NEAR(open.q[3], 1.15, 1e-4);
  EXPECT_NEAR(open.q[3] - open.q[0], 1, 1e-12);
}

TEST(Assembly, TakesTheNearestOfManySolutions) {
  // A point on the line y = 0.5 under a free body at the origin: straight up, no sideways motion.
  const Assembly assembly = assemble_text(
      "dimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [0, 0]}}\njoints: {c: {type: constraint, "
      "expression: \"y(a) - 0.5 - 0.1*x(a)^2\"}}\n");
  ASSERT_TRUE(assembly.ok) << assembly.message;
  EXPECT_NEAR(assembly.q[0], 0, 1e-9);
  EXPECT_NEAR(assembly.q[1], 0.5, 1e-12);
}

TEST(Assembly, LeavesASingularReference) {
  // A stretched chain of two rods whose ends shall be 1.9 m apart: to first order nothing changes their distance of 2
  // m.
  const Assembly assembly = assemble_text(
      "dimension: planar\npoints: {A: [0, 0], B: [1, 0], C: [2, 0]}\nbodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, "
      "C], mass: 1}}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, a], at: A}\n  B: {type: revolute, bodies: [a, b], at: B}\n"
      "  d: {type: distance, bodies: [ground, b], at: [A, C], length: 1.9}\n");
  ASSERT_TRUE(assembly.ok) << assembly.message;
  // Isosceles triangle with sides 1, 1, 1.9: the rods enclose an angle of 2 asin(0.95).
  EXPECT_NEAR(std::abs(assembly.q[2] - assembly.q[5]), std::numbers::pi - 2 * std::asin(0.95), 1e-9);
}

TEST(Assembly, NamesTheJointThatStaysOpenAndByHowMuch) {
  const Assembly assembly = assemble_text(
      "dimension: planar\npoints: {A: [0, 0], B: [1, 0]}\nbodies: {rod: {rod: [A, B], mass: 1}}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, rod], at: A}\n  far: {type: distance, bodies: [ground, rod], "
      "at: [[3, 0], B], length: 0.5}\n");
  EXPECT_FALSE(assembly.ok);
  ASSERT_FALSE(assembly.open.empty());
  EXPECT_NE(assembly.message.find("far stays open by"), std::string::npos) << assembly.message;
  // The rod reaches to (1, 0) at best: 2 m from the other end instead of 0.5 m, shared between both joints by least
  // squares.
  double total = 0;
  for (const OpenConstraint& open : assembly.open) total += open.error;
  EXPECT_NEAR(total, 1.5, 0.01) << assembly.message;
}

TEST(Assembly, VelocitiesFollowFromOneGivenRate) {
  const Assembly assembly = assemble_text(parallelogram("initial: {velocities: {A: -2}}\n"));
  ASSERT_TRUE(assembly.ok) << assembly.message;
  EXPECT_NEAR(assembly.v[3], 2, 1e-12);  // the coupler moves with the top of the crank
  EXPECT_NEAR(assembly.v[5], 0, 1e-12);
  EXPECT_NEAR(assembly.v[8], -2, 1e-12);  // the rocker turns alike
}

TEST(Assembly, ContradictingVelocitiesAreNamed) {
  const Assembly assembly = assemble_text(parallelogram("initial: {velocities: {A: -2, D: 1}}\n"));
  EXPECT_FALSE(assembly.ok);
  EXPECT_NE(assembly.message.find("initial.velocities."), std::string::npos) << assembly.message;
}

TEST(Assembly, DrivesSetPositionsAndVelocities) {
  const Assembly assembly = assemble_text(parallelogram("motions: {spin: {joint: A, position: 0.3 + 2*t}}\n"));
  ASSERT_TRUE(assembly.ok) << assembly.message;
  EXPECT_NEAR(assembly.q[2], std::numbers::pi / 2 + 0.3, 1e-12);
  EXPECT_NEAR(assembly.v[2], 2, 1e-12);
}

TEST(Assembly, SpatialPlacementsAndRatesInEveryCoordinateSet) {
  for (const char* coordinates : {"reference-point", "euler-zxz", "euler-parameters"}) {
    const auto model = load_text(
        "bricard: 1\nbodies: {b: {mass: 1, inertia: [1, 2, 2.5], center: [0, 0, 0]}}\n"
        "initial:\n  positions: {b: {center: [1, 2, 3], orientation: {euler_zxz: [0.4, 1, -2]}}}\n"
        "  velocities: {b: {linear: [0.1, 0.2, 0.3], angular: [1, -2, 3]}}\nsimulation: {duration: 0.01}\n",
        "test");
    Method method;
    method.coordinates = coordinates;
    const SimulationResult result = simulate(model, method);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    const double expected[] = {1, 2, 3};
    const char* const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(result.data.at(0, std::string("b.") + axes[k]), expected[k], 1e-12) << coordinates;
    EXPECT_NEAR(result.data.at(0, "b.vy"), 0.2, 1e-12);
    EXPECT_NEAR(result.data.at(0, "b.wx"), 1, 1e-12);
    EXPECT_NEAR(result.data.at(0, "b.wy"), -2, 1e-12);
    EXPECT_NEAR(result.data.at(0, "b.wz"), 3, 1e-12);
    const Quaternion p = Eigen::AngleAxisd(0.4, Vec3::UnitZ()) * Eigen::AngleAxisd(1, Vec3::UnitX()) *
                         Eigen::AngleAxisd(-2, Vec3::UnitZ());
    EXPECT_NEAR(std::abs(p.w() * result.data.at(0, "b.qw") + p.x() * result.data.at(0, "b.qx") +
                         p.y() * result.data.at(0, "b.qy") + p.z() * result.data.at(0, "b.qz")),
                1, 1e-12);
  }
}

TEST(Assembly, LargeModelsUseTheSparsePath) {
  // 201 bodies: 603 coordinates, more than the dense decomposition takes; one rate determines all.
  std::string text = "dimension: planar\nbodies:\n";
  for (int k = 0; k <= 200; ++k)
    text += "  b" + std::to_string(k) + ": {rod: [[" + std::to_string(k) + ", 0], [" + std::to_string(k) +
            ", 1]], mass: 1}\n";
  text += "joints:\n";
  for (int k = 0; k <= 200; ++k)
    text += "  A" + std::to_string(k) + ": {type: revolute, bodies: [ground, b" + std::to_string(k) + "], at: [" +
            std::to_string(k) + ", 0]}\n";
  for (int k = 0; k < 200; ++k)
    text += "  g" + std::to_string(k) + ": {type: gear, joints: [A" + std::to_string(k) + ", A" +
            std::to_string(k + 1) + "], ratio: -1}\n";
  const auto model = load_text(
      "bricard: 1\n" + text +
          "  extra: {type: gear, joints: [A0, A2], ratio: 1}\ninitial: {positions: {A0: 0.25}, velocities: {A0: -1}}\n",
      "test");
  const Assembly assembly = assemble(model, *find_coordinates_type("reference-point"));
  ASSERT_TRUE(assembly.ok) << assembly.message;
  for (int k = 0; k <= 200; ++k) {
    const double sign = k % 2 == 0 ? 1 : -1;
    EXPECT_NEAR(assembly.q[3 * k + 2], std::numbers::pi / 2 + sign * 0.25, 1e-9);
    EXPECT_NEAR(assembly.v[3 * k + 2], -sign, 1e-9);
  }
  System system(model, *find_coordinates_type("reference-point"));
  start_at(system, assembly);
  const Structure structure = analyze_structure(system, assembly.q, assembly.v);
  EXPECT_EQ(structure.constraints, 603);
  EXPECT_EQ(structure.rank, 602);
  EXPECT_EQ(structure.degrees_of_freedom, 1);
  ASSERT_EQ(structure.redundant.size(), 1u);
  // The redundant gear shares its load with the two that it bridges, and with nothing else.
  for (const auto& [joint, components] : structure.reactions) {
    const bool shares = joint == "extra" || joint == "g0" || joint == "g1";
    if (components.front().first == "effort") {
      EXPECT_EQ(components.front().second, !shares) << joint;
    }
  }
}

}  // namespace assembly_test
}  // namespace bricard
