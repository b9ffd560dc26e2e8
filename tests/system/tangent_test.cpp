// Sparse derivatives against Romberg differences of the residuals they are derivatives of, on every shipped model and
// on bodies with every force, at random states off the constraints.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bricard/load.h"
#include "testing/tangent_contract.h"

namespace bricard {
namespace tangent_test {

using contracts::expect_exact_tangent;
using Situation = contracts::TangentSituation;

// --- shipped models ---

class ShippedModel : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(BRICARD_SOURCE_DIR) + "/models"))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_P(ShippedModel, DerivativesAreThoseOfTheResidual) {
  Situation s(load(std::string(BRICARD_SOURCE_DIR) + "/models/" + GetParam() + ".yaml"));
  // Friction that depends on loads, and friction with states.
  const bool by_differences = GetParam() == "friction-incline" || GetParam() == "stick-slip";
  EXPECT_EQ(Tangent(s.system).exact(), !by_differences);
  if (!by_differences) expect_exact_tangent(s);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedModel, ::testing::ValuesIn(shipped_models()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// --- elements ---

const char* const planar_bodies =
    "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
    "bodies:\n  a: {mass: 2, inertia: 0.3, center: [0.1, -0.2], angle: 0.3}\n  b: {mass: 1, inertia: 0.2, center: "
    "[0.8, 0.5], angle: -0.4}\n";
const char* const spatial_bodies =
    "bricard: 1\nbodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.1, -0.2, 0.3], orientation: {euler_zxz: "
    "[0.3, 0.8, -0.2]}}\n"
    "  b: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [0.8, 0.5, 0.1], orientation: {euler_zxz: [-0.5, 1.2, 0.7]}}\n";
const char* const planar_joints =
    "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2], friction: {viscous: 0.3}}, S: {type: point_on_line, "
    "bodies: [a, b], at: [0.3, 0.2], axis: [1, 2]}}\n";
const char* const spatial_joints =
    "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0], axis: [1, 2, 3]}, "
    "U: {type: universal, bodies: [a, b], at: [0.3, 0.2, 0], axes: [[1, 1, 0], [1, -1, 1]]}, "
    "Z: {type: cylindrical, bodies: [ground, a], at: [0, 0, 0.1], axis: [0, 1, 1], friction: {viscous: 2}}}\n";

struct Element {
  const char* name;
  bool planar;
  const char* text;  // force, or constraint
  bool is_force = true;
};
const Element elements[] = {
    {"spring", true, "{type: spring, between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], stiffness: 30, damping: 4}"},
    {"spring_law", true,
     "{type: spring, between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], free_length: 0.3, law: \"-50*x - 10*x^3 - 2*v*x + "
     "angle(J)*rate(J) + vx(a)*t\"}"},
    {"coil", true, "{type: rotational_spring, joint: J, stiffness: 3, damping: 2, free_angle: 0.2}"},
    {"coil_law", true, "{type: rotational_spring, joint: J, law: \"-2*x^3*v + y(b)\"}"},
    {"actuator", true, "{type: actuator, joint: J, value: \"-20*angle(J)^2 - 3*rate(J) + x(a)*vy(b)\"}"},
    {"planar_bushing", true,
     "{type: bushing, bodies: [a, b], at: [0.5, 0.1], stiffness: [30, 20, 5], damping: [1, 2, 3]}"},
    {"follower", true, "{type: force, body: a, at: [0.5, 0.1], vector: [\"x(b)*t\", \"2*rate(J)\"], frame: body}"},
    {"planar_torque", true, "{type: torque, body: a, value: \"3*wz(b)*angle(J)\"}"},
    {"spatial_spring", false,
     "{type: spring, between: [[a, [0.5, 0, 1]], [b, [0.2, 0.9, -1]]], stiffness: 30, damping: 3, free_length: 0.4}"},
    {"second_angle", false, "{type: rotational_spring, joint: U, coordinate: angle2, stiffness: 3, damping: 1}"},
    {"spatial_actuator", false, "{type: actuator, joint: Z, value: \"-20*position(Z) - distance(a, b)^2*wx(b)\"}"},
    {"bushing", false,
     "{type: bushing, bodies: [a, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3], damping: [3, 2, 1, 0.5, "
     "0.4, 0.3]}"},
    {"bushing_to_ground", false,
     "{type: bushing, bodies: [ground, b], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3], damping: [3, 2, 1, "
     "0.5, 0.4, 0.3]}"},
    {"bushing_from_body_to_ground", false,
     "{type: bushing, bodies: [a, ground], at: [0.5, 0.1, 0.2], stiffness: [30, 20, 10, 5, 4, 3], damping: [3, 2, 1, "
     "0.5, 0.4, 0.3]}"},
    {"force_in_body", false,
     "{type: force, body: a, at: [0.5, 0.1, 0.3], vector: [\"z(b)\", \"2*rate(J)\", 3], frame: body}"},
    {"torque_in_body", false, "{type: torque, body: b, value: [\"wz(a)\", 2, \"t*angle(J)\"], frame: body}"},
    {"rotor", false, "{type: rotor, body: a, axis: [1, 2, 0], inertia: 0.2, speed: \"30*t + 5\"}"},
    {"formula", true, "{type: constraint, expression: \"sin(x(a))*y(b)^2 + t*angle(J) - distance(a, b)^3 + t^2\"}",
     false},
    {"spatial_formula", false, "{type: constraint, expression: \"x(a)*z(b)*angle(J) + exp(position(Z))*t\"}", false},
};
void PrintTo(const Element& element, std::ostream* out) { *out << element.name; }

std::string text_of(const Element& element) {
  std::string joints = element.planar ? planar_joints : spatial_joints;
  if (!element.is_force) joints.insert(joints.size() - 2, std::string(", F: ") + element.text);
  const std::string forces = element.is_force ? std::string("forces: {f: ") + element.text + "}\n" : "";
  return (element.planar ? planar_bodies : spatial_bodies) + joints + forces;
}

class ElementTangent : public ::testing::TestWithParam<Element> {};

TEST_P(ElementTangent, DerivativesAreThoseOfTheResidual) {
  Situation s(load_text(text_of(GetParam()), "test"));
  expect_exact_tangent(s, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Every, ElementTangent, ::testing::ValuesIn(elements),
                         [](const auto& test) { return std::string(test.param.name); });

// A bushing turned by one radian and more, and one that is not turned at all.
TEST(BushingTangent, IsExactForSmallAndLargeRotations) {
  for (const double angle : {0.0, 0.04, 1.0, 2.5}) {
    Situation s(load_text(text_of(elements[11]), "test"));
    s.system.coordinates().reference(s.q);
    Vector turn = Vector::Zero(12);
    turn.tail<3>() = angle * Vec3(0.6, 0, 0.8);
    s.system.coordinates().advance(s.q, turn);
    expect_exact_tangent(s);
  }
}

// --- where there is no closed form ---

TEST(Tangent, SaysWhatItDoesNotKnow) {
  const auto exact = [](const std::string& joints, const char* coordinates = "reference-point") {
    Situation s(load_text(spatial_bodies + joints, "test"), coordinates);
    return Tangent(s.system).exact();
  };
  EXPECT_TRUE(exact(spatial_joints));
  EXPECT_FALSE(exact(spatial_joints, "euler-parameters"));
  EXPECT_FALSE(exact("joints: {F: {type: constraint, expression: \"vx(a)*vy(b)\"}}\n"));
  EXPECT_FALSE(
      exact("joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0], axis: [1, 2, 3], "
            "friction: {coulomb: 0.2, radius: 0.1}}}\n"));
}

/// Differences are taken where the pattern is: it must have a place for everything that does not vanish.
TEST(Tangent, PatternHoldsAllDerivativesInEverySet) {
  int tried = 0;
  for (const std::string& name : shipped_models()) {
    const auto model = load(std::string(BRICARD_SOURCE_DIR) + "/models/" + name + ".yaml");
    for (const CoordinatesType& type : coordinates_types()) {
      if (!(model->planar() ? type.planar : type.spatial) || (type.misfit && !type.misfit(*model).empty())) continue;
      Situation s(model, type.name);
      const Tangent tangent(s.system);
      EXPECT_EQ(tangent.has_pattern(), !type.absorbs_joints);
      if (!tangent.has_pattern()) continue;
      ++tried;
      Vector Q(s.v.size());
      const auto residual = [&](const Vector& at, const Vector& velocities) {
        s.evaluate(at, velocities);
        s.system.add_friction(s.lambda, Vector::Constant(s.system.state_size(), 0.1), s.eq, Q);
        return Vector(s.residual() + s.eq.Q - Q);
      };
      Matrix places = Matrix::Zero(s.v.size(), s.v.size());
      for (int column = 0; column < tangent.K().cols(); ++column)
        for (SparseColumns::InnerIterator entry(tangent.K(), column); entry; ++entry) places(entry.row(), column) = 1;
      const Vector base = residual(s.q, s.v);
      for (int k = 0; k < s.v.size(); ++k) {
        Vector at = s.q, unit = 1e-3 * Vector::Unit(s.v.size(), k);
        s.system.coordinates().advance(at, unit);
        const Vector by_position = residual(at, s.v) - base, by_velocity = residual(s.q, s.v + unit) - base;
        for (int row = 0; row < s.v.size(); ++row) {
          if (places(row, k) == 0) {
            EXPECT_NEAR(std::max(std::abs(by_position[row]), std::abs(by_velocity[row])), 0,
                        1e-12 * base.lpNorm<Eigen::Infinity>())
                << name << " " << type.name << " (" << row << ", " << k << ")";
          }
        }
      }
    }
  }
  EXPECT_GT(tried, 90);
}

}  // namespace tangent_test
}  // namespace bricard
