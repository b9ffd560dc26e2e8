// Every element of the model format, with values computed by hand.
#include "bricard/load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace bricard {
namespace load_test {

constexpr double pi = std::numbers::pi;

std::shared_ptr<const Model> spatial(const std::string& text) { return load_text("bricard: 1\n" + text, "test.yaml"); }
std::shared_ptr<const Model> planar(const std::string& text) {
  return load_text("bricard: 1\ndimension: planar\n" + text, "test.yaml");
}

// Two bodies for models that are about something else.
const std::string spatial_bodies =
    "points: {A: [1, 2, 3], B: [4, 6, 3], C: [0, 0, 1]}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], center: [0, 2, 0]}\n";
const std::string planar_bodies =
    "points: {A: [1, 2], B: [4, 6], C: [0, 1]}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 1, center: [1, 0]}\n"
    "  b: {mass: 1, inertia: 1, center: [0, 2]}\n";

void expect_near(const Vec3& value, const Vec3& expected, double tolerance = 1e-14) {
  EXPECT_NEAR((value - expected).norm(), 0, tolerance)
      << "is " << value.transpose() << ", not " << expected.transpose();
}
void expect_near(const Mat3& value, const Mat3& expected, double tolerance = 1e-14) {
  EXPECT_NEAR((value - expected).norm(), 0, tolerance) << "is\n" << value << "\nnot\n" << expected;
}
Mat3 diagonal(double xx, double yy, double zz) { return Vec3(xx, yy, zz).asDiagonal(); }

Body spatial_body(const std::string& fields) { return spatial("bodies: {b: {" + fields + "}}\n")->bodies.at(0); }
Body planar_body(const std::string& fields) { return planar("bodies: {b: {" + fields + "}}\n")->bodies.at(0); }

// --- the file as a whole ---

TEST(Load, TopLevelDefaults) {
  const auto model =
      load_text("bricard: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}\n", "folder/top.yaml");
  EXPECT_EQ(model->dimension, Dimension::spatial);
  EXPECT_EQ(model->gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(model->name, "top");
  EXPECT_EQ(model->description, "");
  EXPECT_EQ(model->file, "folder/top.yaml");
  EXPECT_TRUE(model->text.starts_with("bricard: 1\n"));
  EXPECT_TRUE(std::isnan(model->simulation.duration));
  EXPECT_EQ(planar(planar_bodies)->gravity, Vec3(0, -9.81, 0));
}

TEST(Load, TopLevelValues) {
  const auto model = planar(
      "name: Four-bar\ndescription: >\n  Two\n  lines.\ngravity: [0, -g/6]\nparameters: {g: 9.6}\n" + planar_bodies);
  EXPECT_EQ(model->name, "Four-bar");
  EXPECT_EQ(model->description, "Two lines.\n");
  expect_near(model->gravity, {0, -1.6, 0});
}

TEST(Load, ReadsFileWithByteOrderMarkAndWindowsLines) {
  const std::string file = ::testing::TempDir() + "bricard_load_test.yaml";
  std::ofstream(file, std::ios::binary)
      << "\xEF\xBB\xBF"
         "bricard: 1\r\nname: Größe\r\nbodies:\r\n  b: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}\r\n";
  const auto model = load(file);
  EXPECT_EQ(model->name, "Größe");
  EXPECT_EQ(model->bodies.size(), 1u);
  std::remove(file.c_str());
}

TEST(Load, AnchorsAndAliases) {
  const auto model = spatial("bodies:\n  a: &wheel {mass: 2, inertia: [1, 1, 1], center: [0, 0, 0]}\n  b: *wheel\n");
  EXPECT_EQ(model->bodies.at(1).name, "b");
  EXPECT_EQ(model->bodies.at(1).mass, 2);
}

TEST(Load, NestedExpressionsAreFine) {
  EXPECT_NO_THROW(
      spatial("parameters: {p: " + std::string(50, '(') + "1" + std::string(50, ')') + "}\n" + spatial_bodies));
}

// --- parameters and points ---

TEST(Load, ParametersUseEarlierOnes) {
  const auto model = planar("parameters: {L: 2, m: 3*L, J: m*L^2/12, a: 30 deg}\n" + planar_bodies);
  ASSERT_EQ(model->parameters.size(), 4u);
  EXPECT_EQ(model->parameters[1], (std::pair<std::string, double>("m", 6)));
  EXPECT_DOUBLE_EQ(model->parameters[2].second, 2);
  EXPECT_DOUBLE_EQ(model->parameters[3].second, pi / 6);
}

TEST(Load, ParametersAreOverridden) {
  const std::string text = "bricard: 1\ndimension: planar\nparameters: {L: 2, m: 3*L, n: m}\n" + planar_bodies;
  const auto model = load_text(text, "test.yaml", {{{"L", "1/2"}, {"n", "2*m + L"}}});
  EXPECT_DOUBLE_EQ(model->parameters[0].second, 0.5);
  EXPECT_DOUBLE_EQ(model->parameters[1].second, 1.5);
  EXPECT_DOUBLE_EQ(model->parameters[2].second, 3.5);
}

TEST(Load, Points) {
  const auto model = spatial(
      "parameters: {L: 2}\npoints: {P: [L, 1/4, -L^2]}\nbodies: {b: {mass: 0, inertia: [0, 0, 0], center: P}}\n");
  EXPECT_EQ(model->points.at(0).first, "P");
  EXPECT_EQ(model->points.at(0).second, Vec3(2, 0.25, -4));
  EXPECT_EQ(model->bodies.at(0).center, Vec3(2, 0.25, -4));
}

// --- bodies ---

TEST(LoadBodies, PlanarRod) {
  const Body body = planar_body("rod: [[1, 1], [4, 5]], mass: 12");
  EXPECT_EQ(body.center, Vec3(2.5, 3, 0));
  EXPECT_DOUBLE_EQ(body.angle, std::atan2(4, 3));
  expect_near(body.inertia, diagonal(0, 0, 25));
  expect_near(body.orientation * Vec3::UnitX(), {0.6, 0.8, 0});
  ASSERT_EQ(body.geometry.size(), 1u);
  EXPECT_EQ(body.geometry[0].shape, "line");
  expect_near(body.geometry[0].points.at(1), {2.5, 0, 0});
}

TEST(LoadBodies, SpatialRods) {
  const Body thin = spatial_body("rod: [[0, 0, 0], [0, 0, 2]], mass: 3");
  expect_near(thin.inertia, diagonal(0, 1, 1));
  expect_near(thin.orientation * Vec3::UnitX(), Vec3::UnitZ());
  const Body thick = spatial_body("rod: [[0, 0, 0], [2, 2, 1]], mass: 12, radius: 0.5");
  expect_near(thick.inertia, diagonal(1.5, 12 * (0.0625 + 0.75), 12 * (0.0625 + 0.75)));
  expect_near(thick.orientation * Vec3::UnitX(), Vec3(2, 2, 1) / 3);
  expect_near(thick.center, {1, 1, 0.5});
  EXPECT_EQ(thick.geometry.at(0).shape, "cylinder");
  EXPECT_EQ(thick.geometry.at(0).size.x(), 0.5);
  const Body dense = spatial_body("rod: [[0, 0, 0], [0, 3, 0]], radius: 0.1, density: 1000");
  EXPECT_NEAR(dense.mass, 30 * pi, 1e-12);
  EXPECT_DOUBLE_EQ(spatial_body("rod: [[0, 0, 0], [0, 3, 0]], density: 2").mass, 6);
}

TEST(LoadBodies, PlainBodies) {
  const Body plate = planar_body("mass: 2, inertia: 0.4, center: [1, 2], angle: 450 deg");
  EXPECT_EQ(plate.mass, 2);
  expect_near(plate.inertia, diagonal(0, 0, 0.4));
  EXPECT_DOUBLE_EQ(plate.angle, 2.5 * pi);  // not wrapped
  expect_near(plate.orientation * Vec3::UnitX(), {0, 1, 0});
  const Body block = spatial_body("mass: 1, inertia: [3, 4, 5, 0.1, -0.2, 0.3], center: [0, 0, 1]");
  Mat3 inertia;
  inertia << 3, 0.1, -0.2, 0.1, 4, 0.3, -0.2, 0.3, 5;
  EXPECT_EQ(block.inertia, inertia);
  EXPECT_TRUE(block.geometry.empty());
  EXPECT_EQ(planar_body("mass: 0, inertia: 0, center: [0, 0]").mass, 0);
}

TEST(LoadBodies, Orientations) {
  const auto turned = [](const std::string& orientation) {
    return spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {" + orientation + "}")
        .orientation;
  };
  // Rz(90 deg) Rx(90 deg) Rz(90 deg): x goes to z, then x to y to z.
  expect_near(turned("euler_zxz: [90 deg, 90 deg, 90 deg]") * Vec3::UnitX(), {0, 0, 1});
  expect_near(turned("euler_zxz: [90 deg, 90 deg, 90 deg]") * Vec3::UnitZ(), {1, 0, 0});
  expect_near(turned("quaternion: [2, 0, 0, 2]") * Vec3::UnitX(), {0, 1, 0});
  expect_near(turned("quaternion: [1e-200, 0, 0, 1e-200]") * Vec3::UnitX(), {0, 1, 0});
  const Quaternion axes = turned("x: [0, 2, 0], z: [3, 0, 0]");
  expect_near(axes * Vec3::UnitX(), {0, 1, 0});
  expect_near(axes * Vec3::UnitY(), {0, 0, 1});
  expect_near(axes * Vec3::UnitZ(), {1, 0, 0});
}

TEST(LoadBodies, SpatialShapes) {
  const auto shaped = [](const std::string& shape) {
    return spatial_body("mass: 6, center: [0, 0, 0], shape: {" + shape + "}");
  };
  expect_near(shaped("rod: {length: 2}").inertia, diagonal(0, 2, 2));
  expect_near(shaped("rod: {length: 2, axis: [0, 0, 5]}").inertia, diagonal(2, 2, 0));
  expect_near(shaped("rod: {length: 2, radius: 1}").inertia, diagonal(3, 3.5, 3.5));
  expect_near(shaped("box: {size: [1, 2, 3]}").inertia, diagonal(6.5, 5, 2.5));
  expect_near(shaped("cylinder: {radius: 1, length: 2}").inertia, diagonal(3.5, 3.5, 3));
  expect_near(shaped("disc: {radius: 2, axis: [0, 1, 0]}").inertia, diagonal(6, 12, 6));
  expect_near(shaped("disc: {radius: 2, thickness: 1}").inertia, diagonal(6.5, 6.5, 12));
  expect_near(shaped("sphere: {radius: 0.5}").inertia, 0.6 * Mat3::Identity());
}

TEST(LoadBodies, ShapeAxesAreGivenInTheWorld) {
  const Body body = spatial_body(
      "mass: 6, center: [0, 0, 0], orientation: {x: [0, 1, 0], z: [0, 0, 1]}, shape: {disc: {radius: 2, axis: [0, 1, "
      "0]}}");
  expect_near(body.inertia, diagonal(12, 6, 6));  // the world's y is the body's x
  EXPECT_EQ(body.geometry.at(0).shape, "cylinder");
  expect_near((body.geometry[0].points.at(1) - body.geometry[0].points.at(0)).normalized(), Vec3::UnitX());
}

TEST(LoadBodies, PlanarShapes) {
  const auto shaped = [](const std::string& shape) {
    return planar_body("mass: 6, center: [0, 0], shape: {" + shape + "}").inertia;
  };
  expect_near(shaped("rod: {length: 2, axis: [0, 1]}"), diagonal(0, 0, 2));
  expect_near(shaped("box: {size: [1, 2]}"), diagonal(0, 0, 2.5));
  expect_near(shaped("box: {size: [1, 2, 7]}"), diagonal(0, 0, 2.5));
  expect_near(shaped("disc: {radius: 2}"), diagonal(0, 0, 12));
  expect_near(shaped("cylinder: {radius: 2, length: 9}"), diagonal(0, 0, 12));
  expect_near(shaped("sphere: {radius: 0.5}"), diagonal(0, 0, 0.6));
}

TEST(LoadBodies, Densities) {
  const auto mass = [](const std::string& shape) {
    return spatial_body("density: 10, center: [0, 0, 0], shape: {" + shape + "}").mass;
  };
  EXPECT_DOUBLE_EQ(mass("rod: {length: 2}"), 20);
  EXPECT_DOUBLE_EQ(mass("rod: {length: 2, radius: 1}"), 20 * pi);
  EXPECT_DOUBLE_EQ(mass("box: {size: [1, 2, 3]}"), 60);
  EXPECT_DOUBLE_EQ(mass("cylinder: {radius: 1, length: 2}"), 20 * pi);
  EXPECT_DOUBLE_EQ(mass("disc: {radius: 2}"), 40 * pi);
  EXPECT_DOUBLE_EQ(mass("disc: {radius: 2, thickness: 0.5}"), 20 * pi);
  EXPECT_DOUBLE_EQ(mass("sphere: {radius: 3}"), 360 * pi);
  EXPECT_DOUBLE_EQ(planar_body("density: 10, center: [0, 0], shape: {box: {size: [1, 2]}}").mass, 20);
  EXPECT_DOUBLE_EQ(planar_body("density: 10, center: [0, 0], shape: {box: {size: [1, 2, 3]}}").mass, 60);
  EXPECT_DOUBLE_EQ(planar_body("density: 10, rod: [[0, 0], [3, 4]]").mass, 50);
}

TEST(LoadBodies, Geometry) {
  const auto model = load_text(
      "bricard: 1\npoints: {P: [1, 1, 0]}\nbodies:\n  b:\n    mass: 1\n    inertia: [1, 1, 1]\n    center: [1, 0, 0]\n"
      "    orientation: {x: [0, 1, 0], z: [0, 0, 1]}\n    geometry:\n"
      "      - box: {center: P, size: [1, 2, 3]}\n      - sphere: {radius: 0.1}\n"
      "      - cylinder: {from: P, to: [1, 3, 0], radius: 0.2}\n      - line: [P, [2, 0, 0]]\n"
      "      - polygon: [P, [2, 0, 0], [1, 0, 0]]\n      - stl: part.stl\n      - stl: {file: part.stl, scale: "
      "0.001}\n",
      "models/m.yaml");
  const std::vector<Geometry>& solids = model->bodies.at(0).geometry;
  ASSERT_EQ(solids.size(), 7u);
  EXPECT_EQ(solids[0].shape, "box");
  expect_near(solids[0].points.at(0), {1, 0, 0});  // one along the world's y, which is the body's x
  EXPECT_EQ(solids[0].size, Vec3(1, 2, 3));
  expect_near(solids[1].points.at(0), {0, 0, 0});
  EXPECT_EQ(solids[1].size.x(), 0.1);
  expect_near(solids[2].points.at(1), {3, 0, 0});
  expect_near(solids[3].points.at(1), {0, -1, 0});
  EXPECT_EQ(solids[4].points.size(), 3u);
  EXPECT_EQ(solids[5].file, "models/part.stl");
  EXPECT_EQ(solids[6].size.x(), 0.001);
}

// --- joints ---

Joint spatial_joint(const std::string& fields) {
  return spatial(spatial_bodies + "joints: {J: {" + fields + "}}\n")->joints.at(0);
}
Joint planar_joint(const std::string& fields) {
  return planar(planar_bodies + "joints: {J: {" + fields + "}}\n")->joints.at(0);
}

TEST(LoadJoints, SpatialTypesWithPlaceAndAxis) {
  for (const std::string type :
       {"revolute", "prismatic", "cylindrical", "planar", "point_on_line", "point_on_plane", "knife_edge"}) {
    const Joint joint = spatial_joint("type: " + type + ", bodies: [a, b], at: A, axis: [3, 0, 4]");
    EXPECT_EQ(joint.type, type);
    EXPECT_EQ(joint.i, 0);
    EXPECT_EQ(joint.j, 1);
    EXPECT_EQ(joint.at_i, Vec3(1, 2, 3));
    EXPECT_EQ(joint.at_j, Vec3(1, 2, 3));
    expect_near(joint.axis_i, {0.6, 0, 0.8});
    expect_near(joint.axis_j, {0.6, 0, 0.8});
  }
}

TEST(LoadJoints, OtherSpatialTypes) {
  EXPECT_EQ(spatial_joint("type: fixed, bodies: [a, ground], at: [7, 8, 9]").at_j, Vec3(7, 8, 9));
  EXPECT_EQ(spatial_joint("type: spherical, bodies: [ground, a], at: A").i, ground);
  const Joint universal = spatial_joint("type: universal, bodies: [a, b], at: A, axes: [[0, 2, 0], [0, 0, -1]]");
  EXPECT_EQ(universal.axis_i, Vec3(0, 1, 0));
  EXPECT_EQ(universal.axis_j, Vec3(0, 0, -1));
  EXPECT_EQ(spatial_joint("type: screw, bodies: [a, b], at: A, axis: [1, 0, 0], pitch: 1/50").pitch, 0.02);
  EXPECT_EQ(spatial_joint("type: parallel_axes, bodies: [a, b], axis: [0, 1, 0]").axis_j, Vec3(0, 1, 0));
  EXPECT_EQ(spatial_joint("type: perpendicular_axes, bodies: [a, b], axes: [[0, 1, 0], [1, 0, 0]]").axis_j,
            Vec3(1, 0, 0));
  const Joint orientation = spatial_joint("type: orientation, bodies: [a, b]");
  EXPECT_EQ(orientation.at_i, Vec3(0, 2, 0));  // the centre of mass of b
}

TEST(LoadJoints, PlanarTypes) {
  EXPECT_EQ(planar_joint("type: revolute, bodies: [a, b], at: A").axis_j, Vec3(0, 0, 1));
  expect_near(planar_joint("type: prismatic, bodies: [a, b], at: A, axis: [3, 4]").axis_i, {0.6, 0.8, 0});
  expect_near(planar_joint("type: point_on_line, bodies: [a, b], at: A, axis: [3, 4]").axis_i, {0.6, 0.8, 0});
  expect_near(planar_joint("type: knife_edge, bodies: [ground, b], at: A, axis: [0, 4]").axis_j, {0, 1, 0});
  EXPECT_EQ(planar_joint("type: fixed, bodies: [a, b], at: A").at_i, Vec3(1, 2, 0));
}

TEST(LoadJoints, Distance) {
  const Joint by_default = planar_joint("type: distance, bodies: [a, b], at: [A, B]");
  EXPECT_EQ(by_default.at_i, Vec3(1, 2, 0));
  EXPECT_EQ(by_default.at_j, Vec3(4, 6, 0));
  EXPECT_DOUBLE_EQ(by_default.length, 5);
  EXPECT_DOUBLE_EQ(spatial_joint("type: distance, bodies: [a, b], at: [A, [0, 0, 0]], length: 7").length, 7);
}

TEST(LoadJoints, Rolling) {
  const Joint disc =
      planar_joint("type: rolling, bodies: [ground, b], radius: 2, line: {at: [1, 0], direction: [-2, 0]}");
  EXPECT_EQ(disc.at_j, Vec3(0, 2, 0));
  EXPECT_EQ(disc.radius, 2);
  EXPECT_EQ(disc.surface_at, Vec3(1, 0, 0));
  EXPECT_EQ(disc.surface_direction, Vec3(-1, 0, 0));
  const Joint coin = spatial_joint(
      "type: rolling, bodies: [ground, b], at: C, axis: [0, 1, 0], radius: 1, plane: {at: [0, 0, 0], normal: [0, 0, "
      "2]}");
  EXPECT_EQ(coin.at_j, Vec3(0, 0, 1));
  EXPECT_EQ(coin.axis_j, Vec3(0, 1, 0));
  EXPECT_EQ(coin.surface_direction, Vec3(0, 0, 1));
}

TEST(LoadJoints, GearOfLaterJoints) {
  const auto model = planar(planar_bodies +
                            "joints:\n  G: {type: gear, joints: [R, P], ratio: -1/3}\n"
                            "  R: {type: revolute, bodies: [ground, a], at: A}\n"
                            "  P: {type: prismatic, bodies: [ground, b], at: B, axis: [1, 0]}\n");
  EXPECT_EQ(model->joints.at(0).joint_a, 1);
  EXPECT_EQ(model->joints.at(0).joint_b, 2);
  EXPECT_DOUBLE_EQ(model->joints.at(0).ratio, -1.0 / 3);
}

TEST(LoadJoints, ConstraintExpressions) {
  const Joint one = planar_joint("type: constraint, expression: x(a) - 0.1*sin(t)");
  ASSERT_EQ(one.expressions.size(), 1u);
  ASSERT_EQ(one.expressions[0].signals().size(), 1u);
  EXPECT_EQ(one.expressions[0].signals()[0].quantity, Quantity::x);
  EXPECT_EQ(one.expressions[0].signals()[0].target, 0);
  EXPECT_EQ(one.expressions[0].signals()[0].place, Vec3(1, 0, 0));
  const Joint two = spatial_joint("type: constraint, expression: ['vz(b) - wx(a)', 'distance(A, b.B) - 1']");
  ASSERT_EQ(two.expressions.size(), 2u);
  EXPECT_TRUE(two.expressions[0].uses_velocity());
  EXPECT_EQ(two.expressions[1].signals().at(0).target, ground);
  EXPECT_EQ(two.expressions[1].signals().at(0).other_target, 1);
  EXPECT_EQ(two.expressions[1].signals().at(0).other_place, Vec3(4, 6, 3));
}

TEST(LoadJoints, Friction) {
  const auto friction = [](const std::string& text) {
    return planar_joint("type: revolute, bodies: [a, b], at: A, friction: {" + text + "}").friction;
  };
  const Friction coulomb = friction("coulomb: 0.3, radius: 0.02, smoothing: 0.01, viscous: 0.5");
  EXPECT_EQ(coulomb.law, Friction::Law::coulomb);
  EXPECT_EQ(coulomb.coulomb, 0.3);
  EXPECT_EQ(coulomb.radius, 0.02);
  EXPECT_EQ(coulomb.smoothing, 0.01);
  EXPECT_EQ(coulomb.viscous, 0.5);
  EXPECT_EQ(friction("coulomb: 0.3, radius: 0.02").smoothing, 1e-3);
  EXPECT_EQ(friction("viscous: 0.5").law, Friction::Law::viscous);
  const Friction limit = friction("dahl: {stiffness: 1000, limit: 3}");
  EXPECT_EQ(limit.law, Friction::Law::dahl);
  EXPECT_EQ(limit.stiffness, 1000);
  EXPECT_EQ(limit.limit, 3);
  EXPECT_EQ(friction("dahl: {stiffness: 1000, coulomb: 0.2, radius: 0.1}").radius, 0.1);
  EXPECT_EQ(
      planar_joint("type: prismatic, bodies: [a, b], at: A, axis: [1, 0], friction: {coulomb: 0.1}").friction.coulomb,
      0.1);
  EXPECT_EQ(planar_joint("type: revolute, bodies: [a, b], at: A").friction.law, Friction::Law::none);
}

// --- signals ---

TEST(LoadSignals, PointsBelongToTheFirstBodyThatUsesThem) {
  const auto model = spatial(
      "points: {A: [0, 0, 0], B: [1, 0, 0], C: [2, 0, 0], D: [3, 0, 0], E: [4, 0, 0], F: [5, 0, 0]}\n"
      "bodies:\n  one: {rod: [A, B], mass: 1}\n  two: {rod: [B, C], mass: 1}\n  D: {mass: 1, inertia: [1, 1, 1], "
      "center: [9, 9, 9]}\n"
      "joints: {S: {type: spherical, bodies: [two, ground], at: E}}\n"
      "outputs: {b: x(B), c: vy(C), own: x(two.B), body: x(D), e: z(E), nobody: x(F), w: wz(C)}\n");
  const auto signal = [&](int k) { return model->outputs.at(k).second.signals().at(0); };
  EXPECT_EQ(signal(0).target, 0);
  EXPECT_EQ(signal(0).place, Vec3(1, 0, 0));
  EXPECT_EQ(signal(1).target, 1);
  EXPECT_EQ(signal(1).quantity, Quantity::vy);
  EXPECT_EQ(signal(2).target, 1);
  EXPECT_EQ(signal(3).target, 2);
  EXPECT_EQ(signal(3).place, Vec3(9, 9, 9));
  EXPECT_EQ(signal(4).target, 1);
  EXPECT_EQ(signal(5).target, ground);
  EXPECT_EQ(signal(6).target, 1);
}

TEST(LoadSignals, JointCoordinates) {
  const auto model = spatial(spatial_bodies +
                             "joints:\n  C: {type: cylindrical, bodies: [ground, a], at: A, axis: [0, 0, 1]}\n"
                             "  U-1: {type: universal, bodies: [a, b], at: A, axes: [[1, 0, 0], [0, 1, 0]]}\n"
                             "outputs: {o: position(C) + angle(C) + rate(C) + rate2(C) + angle(U-1) + angle2(U-1)}\n");
  const std::vector<Signal>& signals = model->outputs.at(0).second.signals();
  ASSERT_EQ(signals.size(), 6u);
  EXPECT_EQ(signals[3].quantity, Quantity::rate2);
  EXPECT_EQ(signals[5].quantity, Quantity::angle2);
  EXPECT_EQ(signals[5].target, 1);
}

// --- motions and forces ---

TEST(LoadMotions, OfJointsAndBodies) {
  const auto model = spatial(
      spatial_bodies +
      "joints: {C: {type: cylindrical, bodies: [ground, a], at: A, axis: [0, 0, 1]}}\n"
      "motions:\n  slide: {joint: C, position: 0.1*t}\n  spin: {joint: C, coordinate: angle, position: 2*pi*t}\n"
      "  shake: {body: b, at: B, direction: [0, 0, -2], position: 0.1*sin(t)}\n"
      "  hold: {body: b, direction: [1, 0, 0], position: 0}\n");
  ASSERT_EQ(model->motions.size(), 4u);
  EXPECT_EQ(model->motions[0].joint, 0);
  EXPECT_EQ(model->motions[0].coordinate, 0);
  EXPECT_EQ(model->motions[1].coordinate, 1);
  EXPECT_DOUBLE_EQ(model->motions[1].position.value(0.5), pi);
  EXPECT_EQ(model->motions[2].joint, -1);
  EXPECT_EQ(model->motions[2].point.body, 1);
  EXPECT_EQ(model->motions[2].point.place, Vec3(4, 6, 3));
  EXPECT_EQ(model->motions[2].direction, Vec3(0, 0, -1));
  EXPECT_EQ(model->motions[3].point.place, Vec3(0, 2, 0));
}

template <class Law>
Law planar_force(const std::string& fields) {
  return std::get<Law>(planar(planar_bodies +
                              "joints: {J: {type: revolute, bodies: [ground, a], at: A}}\nforces: {f: {" + fields +
                              "}}\n")
                           ->forces.at(0)
                           .law);
}

template <class Law>
Law spatial_force(const std::string& fields) {
  return std::get<Law>(
      spatial(spatial_bodies +
              "joints: {C: {type: cylindrical, bodies: [ground, a], at: A, axis: [0, 0, 1]}}\nforces: {f: {" + fields +
              "}}\n")
          ->forces.at(0)
          .law);
}

TEST(LoadForces, Force) {
  const auto push = spatial_force<AppliedForce>("type: force, body: b, at: A, vector: [0, 2*t, 38]");
  EXPECT_EQ(push.at.body, 1);
  EXPECT_EQ(push.at.place, Vec3(1, 2, 3));
  EXPECT_FALSE(push.in_body_frame);
  EXPECT_DOUBLE_EQ(push.vector[1].value(3), 6);
  EXPECT_DOUBLE_EQ(push.vector[2].value(3), 38);
  const auto follower = planar_force<AppliedForce>("type: force, body: b, vector: [1, -3*vx(b)], frame: body");
  EXPECT_TRUE(follower.in_body_frame);
  EXPECT_EQ(follower.at.place, Vec3(0, 2, 0));
  EXPECT_TRUE(follower.vector[1].uses_velocity());
  EXPECT_EQ(follower.vector[2].value(0), 0);
}

TEST(LoadForces, Torque) {
  EXPECT_EQ(planar_force<AppliedTorque>("type: torque, body: a, value: 1.5").vector[2].value(0), 1.5);
  EXPECT_EQ(spatial_force<AppliedTorque>("type: torque, body: a, value: [1, 2, 3], frame: world").vector[1].value(0),
            2);
}

TEST(LoadForces, Spring) {
  const auto spring = planar_force<Spring>(
      "type: spring, between: [[ground, C], [b, [3, 5]]], stiffness: 120, free_length: 0.5, damping: 2");
  EXPECT_EQ(spring.from.body, ground);
  EXPECT_EQ(spring.to.body, 1);
  EXPECT_EQ(spring.stiffness, 120);
  EXPECT_EQ(spring.damping, 2);
  EXPECT_EQ(spring.free_length, 0.5);
  EXPECT_FALSE(spring.law.has_value());
  EXPECT_DOUBLE_EQ(planar_force<Spring>("type: spring, between: [[a, C], [b, [3, 5]]], stiffness: 1").free_length, 5);
  const auto bumper = planar_force<Spring>(
      "type: spring, between: [[ground, C], [b, A]], free_length: 2, law: '-50*x - 10*abs(x)*x - 5*v + 0*x(b)'");
  ASSERT_TRUE(bumper.law.has_value());
  ASSERT_EQ(bumper.law->signals().size(), 3u);
  EXPECT_EQ(bumper.law->signals()[0].quantity, Quantity::variable);
  EXPECT_EQ(bumper.law->signals()[1].target, 1);
  const double values[] = {2, 3, 100};
  EXPECT_DOUBLE_EQ(bumper.law->value(0, values), -155);
}

TEST(LoadForces, RotationalSpringAndActuator) {
  const auto coil = planar_force<RotationalSpring>(
      "type: rotational_spring, joint: J, stiffness: 10, free_angle: 90 deg, damping: 0.1");
  EXPECT_EQ(coil.joint, 0);
  EXPECT_DOUBLE_EQ(coil.free_angle, pi / 2);
  EXPECT_EQ(coil.damping, 0.1);
  EXPECT_EQ(spatial_force<RotationalSpring>("type: rotational_spring, joint: C, stiffness: 10").coordinate, 1);
  EXPECT_EQ(
      spatial_force<RotationalSpring>("type: rotational_spring, joint: C, coordinate: position, law: -x^3").coordinate,
      0);
  const auto motor = planar_force<Actuator>("type: actuator, joint: J, value: '-20*angle(J) - 3*rate(J)'");
  EXPECT_EQ(motor.value.signals().size(), 2u);
  EXPECT_EQ(spatial_force<Actuator>("type: actuator, joint: C, value: 1").coordinate, 0);
  EXPECT_EQ(spatial_force<Actuator>("type: actuator, joint: C, coordinate: angle, value: 1").coordinate, 1);
}

TEST(LoadForces, Bushing) {
  const auto bushing = spatial_force<Bushing>(
      "type: bushing, bodies: [a, b], at: A, stiffness: [1, 2, 3, 4, 5, 6], damping: [0, 0, 0, 0, 0, 7]");
  EXPECT_EQ(bushing.at, Vec3(1, 2, 3));
  EXPECT_EQ(bushing.stiffness[4], 5);
  EXPECT_EQ(bushing.damping[5], 7);
  const auto flat = planar_force<Bushing>("type: bushing, bodies: [a, b], at: A, stiffness: [1, 2, 3]");
  EXPECT_EQ(flat.stiffness, (std::array<double, 6>{1, 2, 0, 0, 0, 3}));
  EXPECT_EQ(flat.damping, (std::array<double, 6>{}));
}

TEST(LoadForces, Rotor) {
  const auto rotor = spatial_force<Rotor>("type: rotor, body: b, axis: [0, 3, 4], inertia: 0.02, speed: 300*t");
  EXPECT_EQ(rotor.body, 1);
  expect_near(rotor.axis, {0, 0.6, 0.8});
  EXPECT_EQ(rotor.inertia, 0.02);
  EXPECT_EQ(rotor.speed.jet(2).value, 600);
  EXPECT_EQ(rotor.speed.jet(2).rate, 300);
  EXPECT_EQ(planar_force<Rotor>("type: rotor, body: a, inertia: 1, speed: 5").axis, Vec3(0, 0, 1));
}

// --- start, run, outputs ---

TEST(LoadInitial, JointsAndBodies) {
  const auto model = spatial(spatial_bodies +
                             "joints: {C: {type: cylindrical, bodies: [ground, a], at: A, axis: [0, 0, 1]}}\n"
                             "initial:\n  positions: {C: {angle: 30 deg, position: 0.1}, b: {center: B, orientation: "
                             "{quaternion: [1, 0, 0, 1]}}}\n"
                             "  velocities: {C: -1, b: {linear: [1, 2, 3], angular: [4, 5, 6]}}\n");
  const Initial& initial = model->initial;
  ASSERT_EQ(initial.joint_positions.size(), 2u);
  EXPECT_EQ(initial.joint_positions[0].coordinate, 0);
  EXPECT_EQ(initial.joint_positions[0].value, 0.1);
  EXPECT_EQ(initial.joint_positions[1].coordinate, 1);
  EXPECT_DOUBLE_EQ(initial.joint_positions[1].value, pi / 6);
  ASSERT_EQ(initial.joint_rates.size(), 1u);
  EXPECT_EQ(initial.joint_rates[0].value, -1);
  EXPECT_EQ(initial.placements.at(0).body, 1);
  EXPECT_EQ(initial.placements.at(0).center, Vec3(4, 6, 3));
  expect_near(*initial.placements.at(0).orientation * Vec3::UnitX(), {0, 1, 0});
  EXPECT_EQ(initial.twists.at(0).linear, Vec3(1, 2, 3));
  EXPECT_EQ(initial.twists.at(0).angular, Vec3(4, 5, 6));
}

TEST(LoadInitial, PlanarBodyAndSharedName) {
  const auto model = planar(planar_bodies +
                            "joints: {a: {type: prismatic, bodies: [ground, a], at: A, axis: [1, 0]}}\n"
                            "initial: {positions: {a: {angle: 1}}, velocities: {a: 2, b: {angular: 3}}}\n");
  EXPECT_EQ(model->initial.placements.at(0).angle, 1);
  EXPECT_FALSE(model->initial.placements.at(0).center.has_value());
  EXPECT_EQ(model->initial.joint_rates.at(0).joint, 0);
  EXPECT_EQ(model->initial.twists.at(0).angular, Vec3(0, 0, 3));
  EXPECT_FALSE(model->initial.twists.at(0).linear.has_value());
}

TEST(LoadSimulation, AllKeys) {
  const auto model = planar(
      planar_bodies +
      "simulation: {duration: 10, output_step: 1/100, coordinates: natural, formulation: penalty, pseudoinverse: svd,\n"
      "  stabilization: baumgarte, integrator: rk4, tolerance: 1e-6, step: 1e-3, alpha: 5, beta: 6, threshold: "
      "1e-12}\n");
  const Method& method = model->simulation;
  EXPECT_EQ(method.duration, 10);
  EXPECT_EQ(method.output_step, 0.01);
  EXPECT_EQ(method.coordinates, "natural");
  EXPECT_EQ(method.formulation, "penalty");
  EXPECT_EQ(method.pseudoinverse, "svd");
  EXPECT_EQ(method.stabilization, "baumgarte");
  EXPECT_EQ(method.integrator, "rk4");
  EXPECT_EQ(method.tolerance, 1e-6);
  EXPECT_EQ(method.step, 1e-3);
  EXPECT_EQ(method.alpha, 5);
  EXPECT_EQ(method.beta, 6);
  EXPECT_EQ(method.threshold, 1e-12);
}

TEST(LoadSimulation, Outputs) {
  const auto model = planar(planar_bodies + "outputs: {tip: x(b) + 0.5*cos(t), two: 2}\n");
  EXPECT_EQ(model->outputs.at(0).first, "tip");
  EXPECT_TRUE(model->outputs.at(0).second.uses_time());
  EXPECT_EQ(model->outputs.at(1).second.value(0), 2);
}

TEST(Load, EveryModelOfTheProject) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(BRICARD_SOURCE_DIR) / "models")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW(load(entry.path().string())) << entry.path();
  }
  EXPECT_GT(count, 0);
}

TEST(Load, EmptySectionsAreAllowed) {
  EXPECT_NO_THROW(
      planar(planar_bodies + "joints:\nmotions:\nforces: {}\ninitial:\nsimulation:\noutputs:\nparameters:\n"));
}

TEST(Load, ImpossibleInertiaIsAWarning) {
  const auto model = load_text("bricard: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 3], center: [0, 0, 0]}}\n", "test");
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_NE(model->warnings[0].find("no rigid body has the inertia of 'b'"), std::string::npos) << model->warnings[0];
}

}  // namespace load_test
}  // namespace bricard
