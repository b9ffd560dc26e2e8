// Static equilibria against closed forms and independent solutions.
#include "bricard/equilibrium.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/reference.h"
#include "support/models.h"

namespace bricard {
namespace equilibrium_test {

using std::numbers::pi;
using testing_support::Parameters;
using testing_support::shipped;

constexpr double g = 9.81;

Equilibrium rest_of(const std::string& text, const EquilibriumOptions& options = {}) {
  return find_equilibrium(load_text(text, "model.yaml"), options);
}

double coordinate(const Equilibrium& found, const std::string& joint) {
  for (const JointPosition& position : found.joint_positions) {
    if (position.joint == joint) return position.value;
  }
  ADD_FAILURE() << "no joint " << joint;
  return 0;
}

double reaction(const Equilibrium& found, const std::string& joint, const std::string& component) {
  for (const StaticReaction& candidate : found.reactions) {
    if (candidate.joint != joint) continue;
    for (std::size_t k = 0; k < candidate.components.size(); ++k) {
      if (candidate.components[k] == component) return candidate.values[k];
    }
  }
  ADD_FAILURE() << "no reaction " << joint << "." << component;
  return 0;
}

bool is_unique(const Equilibrium& found, const std::string& joint, const std::string& component) {
  for (const StaticReaction& candidate : found.reactions) {
    if (candidate.joint != joint) continue;
    for (std::size_t k = 0; k < candidate.components.size(); ++k) {
      if (candidate.components[k] == component) return candidate.unique[k];
    }
  }
  ADD_FAILURE() << "no reaction " << joint << "." << component;
  return false;
}

bool says(const Equilibrium& found, const std::string& part) {
  return std::any_of(found.messages.begin(), found.messages.end(),
                     [&](const std::string& message) { return message.find(part) != std::string::npos; });
}

/// A root between two places of opposite signs, by bisection.
template <class Function>
double root(Function f, double low, double high) {
  const bool rising = f(high) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0) == rising ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// --- one body ---

TEST(Equilibrium, PendulumFallsFromUpsideDown) {
  for (const char* start : {"89 deg", "90 deg", "-270 deg", "91 deg", "-89 deg"}) {
    const Equilibrium found = find_equilibrium(shipped("pendulum", {{"theta0", start}}));
    ASSERT_TRUE(found.ok) << found.failure;
    EXPECT_NEAR(std::sin(coordinate(found, "A")), -1, 1e-14) << start;
    EXPECT_NEAR(std::cos(coordinate(found, "A")), 0, 1e-9) << start;
    EXPECT_TRUE(found.stable);
    EXPECT_NEAR(reaction(found, "A", "fy"), 10 * 9.8, 1e-8);
    EXPECT_NEAR(found.potential_energy, -10 * 9.8 * 0.5, 1e-9);
    // m g L per square of the displacement: 0.5 m of the centre, and a turn that counts as 0.25 m.
    EXPECT_NEAR(found.smallest_stiffness, 10 * 9.8 * 0.5 / (0.5 * 0.5 + 0.25 * 0.25), 1e-5);
    EXPECT_EQ(found.softest, "angle of A");
  }
}

TEST(Equilibrium, UnstableOneIsKeptIfAskedFor) {
  const Equilibrium found = find_equilibrium(shipped("pendulum", {{"theta0", "89 deg"}}), {.stable = false});
  ASSERT_TRUE(found.ok) << found.failure;
  EXPECT_NEAR(coordinate(found, "A"), pi / 2, 1e-9);
  EXPECT_EQ(found.stability, Stability::unstable);
  EXPECT_FALSE(found.stable);
  EXPECT_LT(found.smallest_stiffness, -100);
}

TEST(Equilibrium, SphericalPendulumIsNeutralAboutItsOwnAxis) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: spatial\nbodies:\n  b: {mass: 2, inertia: [0.1, 0.1, 0.1], center: [0.3, 0.4, 1]}\n"
      "joints:\n  S: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}\n");
  ASSERT_TRUE(found.ok) << found.failure;
  EXPECT_NEAR(found.bodies[0].center.x(), 0, 1e-9);
  EXPECT_NEAR(found.bodies[0].center.y(), 0, 1e-9);
  EXPECT_NEAR(found.bodies[0].center.z(), -std::sqrt(1.25), 1e-12);
  EXPECT_NEAR(reaction(found, "S", "fz"), 2 * g, 1e-8);
  EXPECT_EQ(found.stability, Stability::neutral);
  EXPECT_TRUE(says(found, "nothing holds or drives b turns"));
  ASSERT_EQ(found.moved.size(), 1u);
  EXPECT_EQ(found.moved[0].body, "b");
}

// --- springs ---

TEST(Equilibrium, TwoMassesOnTwoSprings) {
  const double m1 = 2, m2 = 3, k1 = 400, k2 = 150;
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\nbodies:\n"
      "  a: {mass: 2, inertia: 1, center: [0, -1]}\n  b: {mass: 3, inertia: 1, center: [0, -2]}\njoints:\n"
      "  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [0, 1]}\n"
      "  B: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: [0, 1]}\nforces:\n"
      "  s1: {type: spring, between: [[ground, [0, 0]], [a, [0, -1]]], stiffness: 400, free_length: 0.8, damping: 5}\n"
      "  s2: {type: spring, between: [[a, [0, -1]], [b, [0, -2]]], stiffness: 150, free_length: 0.5}\n");
  ASSERT_TRUE(found.ok) << found.failure;
  const double y1 = -(0.8 + (m1 + m2) * g / k1), y2 = y1 - (0.5 + m2 * g / k2);
  EXPECT_NEAR(found.bodies[0].center.y(), y1, 1e-10);
  EXPECT_NEAR(found.bodies[1].center.y(), y2, 1e-10);
  // Smallest eigenvalue of [k1 + k2, -k2; -k2, k2].
  const double half = 0.5 * (k1 + 2 * k2);
  EXPECT_NEAR(found.smallest_stiffness, half - std::sqrt(half * half - k1 * k2), 1e-5);
  EXPECT_TRUE(found.stable && found.conservative && found.statically_determinate);
  const double energy =
      m1 * g * y1 + m2 * g * y2 + 0.5 * std::pow((m1 + m2) * g, 2) / k1 + 0.5 * std::pow(m2 * g, 2) / k2;
  EXPECT_NEAR(found.potential_energy, energy, 1e-9);
}

TEST(Equilibrium, SoftSpringIsFollowedFarAway) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\nbodies:\n  a: {mass: 1, inertia: 1, center: [0, -1]}\njoints:\n"
      "  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [0, 1]}\nforces:\n"
      "  s: {type: spring, between: [[ground, [0, 0]], [a, [0, -1]]], law: \"-1e-3*x - 1e-6*x^3\", free_length: 1}\n");
  ASSERT_TRUE(found.ok) << found.failure;
  const double x = root([](double stretch) { return 1e-3 * stretch + 1e-6 * std::pow(stretch, 3) - g; }, 0, 1e4);
  EXPECT_NEAR(found.bodies[0].center.y(), -1 - x, 1e-8 * x);
}

std::string inverted_pendulum(double stiffness, const std::string& units = "L: 2, m: 3, G: 9.81, force: 1") {
  return fmt::format(
      "bricard: 1\ndimension: planar\ngravity: [0, -G]\nparameters: {{{}, k: {}*force}}\n"
      "bodies:\n  rod: {{rod: [[0, 0], [0, L]], mass: m}}\njoints:\n  A: {{type: revolute, bodies: [ground, rod], at: "
      "[0, 0]}}\n"
      "forces:\n  coil: {{type: rotational_spring, joint: A, stiffness: k}}\n",
      units, stiffness);
}

TEST(Equilibrium, InvertedPendulumOnATorsionSpring) {
  const double critical = 3 * g * 1;  // m g L/2
  const Equilibrium upright = rest_of(inverted_pendulum(1.05 * critical));
  ASSERT_TRUE(upright.ok) << upright.failure;
  EXPECT_NEAR(coordinate(upright, "A"), 0, 1e-12);
  EXPECT_TRUE(upright.stable);

  const Equilibrium tilted = rest_of(inverted_pendulum(0.8 * critical));
  ASSERT_TRUE(tilted.ok) << tilted.failure;
  const double angle = root([](double a) { return 0.8 * a - std::sin(a); }, 0.1, 3);
  EXPECT_NEAR(std::abs(coordinate(tilted, "A")), angle, 1e-9);
  EXPECT_TRUE(tilted.stable);
  EXPECT_NE(tilted.how.find("descent"), std::string::npos);

  // The seed decides to which side.
  const Equilibrium other = rest_of(inverted_pendulum(0.8 * critical), {.seed = 2});
  EXPECT_NEAR(coordinate(other, "A"), -coordinate(tilted, "A"), 1e-9);

  const Equilibrium unstable = rest_of(inverted_pendulum(0.8 * critical), {.stable = false});
  EXPECT_NEAR(coordinate(unstable, "A"), 0, 1e-12);
  EXPECT_EQ(unstable.stability, Stability::unstable);
}

TEST(Equilibrium, UnitsDoNotMatter) {
  const double stiffness = 0.7 * 3 * g;
  const Equilibrium metres = rest_of(inverted_pendulum(stiffness));
  const Equilibrium millimetres = rest_of(inverted_pendulum(stiffness, "L: 2000, m: 3000, G: 9810, force: 1e9"));
  const Equilibrium kilometres = rest_of(inverted_pendulum(stiffness, "L: 2e-3, m: 3e-6, G: 9.81e-3, force: 1e-12"));
  ASSERT_TRUE(metres.ok && millimetres.ok && kilometres.ok);
  EXPECT_NEAR(coordinate(millimetres, "A"), coordinate(metres, "A"), 1e-10);
  EXPECT_NEAR(coordinate(kilometres, "A"), coordinate(metres, "A"), 1e-10);
  EXPECT_NEAR(millimetres.smallest_stiffness, metres.smallest_stiffness * 1e3, 1e-4 * millimetres.smallest_stiffness);
  EXPECT_EQ(millimetres.iterations, metres.iterations);
}

// Two rods of length 1 in line, a spring k at the hinge between them, pushed together by F: straight up to F = 2 k,
// then theta/sin(theta) = F/(2 k).
std::string column(double force) {
  return fmt::format(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies:\n  a: {{rod: [[0, 0], [1, 0]], mass: 1}}\n"
      "  b: {{rod: [[1, 0], [2, 0]], mass: 1}}\njoints:\n  A: {{type: revolute, bodies: [ground, a], at: [0, 0]}}\n"
      "  B: {{type: revolute, bodies: [a, b], at: [1, 0]}}\n"
      "  C: {{type: point_on_line, bodies: [ground, b], at: [2, 0], axis: [1, 0]}}\nforces:\n"
      "  coil: {{type: rotational_spring, joint: B, stiffness: 50}}\n"
      "  push: {{type: force, body: b, at: [2, 0], vector: [{}, 0]}}\n",
      -force);
}

TEST(Equilibrium, ColumnBuckles) {
  const Equilibrium straight = rest_of(column(95));
  ASSERT_TRUE(straight.ok) << straight.failure;
  EXPECT_TRUE(straight.stable);
  EXPECT_NEAR(coordinate(straight, "B"), 0, 1e-12);
  EXPECT_NEAR(reaction(straight, "A", "fx"), 95, 1e-8);

  const Equilibrium buckled = rest_of(column(120));
  ASSERT_TRUE(buckled.ok) << buckled.failure;
  EXPECT_TRUE(buckled.stable);
  const double angle = root([](double a) { return a - 1.2 * std::sin(a); }, 0.1, 3);
  EXPECT_NEAR(std::abs(coordinate(buckled, "A")), angle, 1e-9);
  EXPECT_NEAR(std::abs(coordinate(buckled, "B")), 2 * angle, 1e-9);
}

// Ziegler's column: point masses 2 m and m on massless rods, springs k in both hinges, a load along the last rod. It
// has no other equilibrium, but beyond P l = (7/2 - sqrt 2) k it flutters.
std::string ziegler(double load) {
  return fmt::format(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies:\n  a: {{mass: 2, inertia: 1e-9, center: [0, 1]}}\n"
      "  b: {{mass: 1, inertia: 1e-9, center: [0, 2]}}\njoints:\n  A: {{type: revolute, bodies: [ground, a], at: [0, "
      "0]}}\n"
      "  B: {{type: revolute, bodies: [a, b], at: [0, 1]}}\nforces:\n"
      "  coil1: {{type: rotational_spring, joint: A, stiffness: 1}}\n"
      "  coil2: {{type: rotational_spring, joint: B, stiffness: 1}}\n"
      "  thrust: {{type: force, body: b, at: [0, 2], vector: [0, {}], frame: body}}\n",
      -load);
}

TEST(Equilibrium, FollowerForceMakesAColumnFlutter) {
  const double critical = 3.5 - std::sqrt(2.0);
  const Equilibrium below = rest_of(ziegler(0.97 * critical)), above = rest_of(ziegler(1.03 * critical));
  ASSERT_TRUE(below.ok && above.ok) << below.failure << above.failure;
  EXPECT_FALSE(below.conservative);
  EXPECT_EQ(below.stability, Stability::stable);
  EXPECT_EQ(above.stability, Stability::unstable);
  EXPECT_GT(above.growth, 0.05);
  EXPECT_TRUE(says(above, "no stable equilibrium"));
  EXPECT_NEAR(coordinate(above, "B"), 0, 1e-9);
}

// --- hanging chains: tan(theta_k) = (V + (k + 1/2) w)/H ---

std::shared_ptr<const Model> chain(int links, const Parameters& parameters = {}) {
  return testing_support::generated("hanging-chain", links, parameters);
}

struct DiscreteCatenary {
  double H = 0;
  std::vector<double> angles;
};

/// In weights of a link: H = h w, V = v w; Newton's method for the two sums.
DiscreteCatenary discrete_catenary(int links, double span, double rise, double length, double weight) {
  double h = 0.4 * links, v = -0.5 * links;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double x = -span * links / length, y = -rise * links / length;
    Eigen::Matrix2d J = Eigen::Matrix2d::Zero();
    for (int k = 0; k < links; ++k) {
      const double s = v + k + 0.5, size = std::hypot(h, s);
      x += h / size, y += s / size;
      const double cube = size * size * size;
      J(0, 0) += s * s / cube, J(0, 1) -= h * s / cube;
      J(1, 0) -= h * s / cube, J(1, 1) += h * h / cube;
    }
    const Eigen::Vector2d step = J.inverse() * Eigen::Vector2d(x, y);
    double factor = 1;
    while (h - factor * step[0] <= 0) factor /= 2;
    h -= factor * step[0], v -= factor * step[1];
    if (step.norm() < 1e-14 * links) break;
  }
  DiscreteCatenary result{h * weight / links, {}};
  for (int k = 0; k < links; ++k) result.angles.push_back(std::atan2(v + k + 0.5, h));
  return result;
}

TEST(Equilibrium, HangingChains) {
  for (const auto& [links, rise] : {std::pair{3, 0.0}, {20, 0.0}, {21, 0.4}, {200, 0.0}}) {
    const Equilibrium found = find_equilibrium(chain(links, {{"rise", std::to_string(rise)}}));
    ASSERT_TRUE(found.ok) << found.failure;
    const DiscreteCatenary exact = discrete_catenary(links, 1, rise, 1.5, g);
    for (int k = 0; k < links; ++k)
      EXPECT_NEAR(std::remainder(found.bodies[k].angle - exact.angles[k], 2 * pi), 0, 1e-8) << links << " " << k;
    EXPECT_NEAR(reaction(found, "J0", "fx"), -exact.H, 1e-8);
    EXPECT_TRUE(found.stable);
    EXPECT_EQ(found.degrees_of_freedom, links - 2);
    EXPECT_LE(found.residual, 1e-10);
  }
}

TEST(Equilibrium, ChainsConvergeToTheCatenary) {
  // 2 a sinh(1/(2 a)) = 1.5
  const double a = root([](double size) { return 2 * size * std::sinh(0.5 / size) - 1.5; }, 0.1, 10);
  const double sag = a * (std::cosh(0.5 / a) - 1);
  const auto error = [&](int links) {
    const Equilibrium found = find_equilibrium(chain(links));
    const BodyState& link = found.bodies[links / 2 - 1];
    return link.center.y() + 0.75 / links * std::sin(link.angle) + sag;
  };
  EXPECT_NEAR(error(20) / error(80), 16, 0.5);
}

TEST(Equilibrium, ShippedChainSagsAsItSays) {
  const auto model = shipped("hanging-chain");
  const Equilibrium found = find_equilibrium(model);
  ASSERT_TRUE(found.ok) << found.failure;
  const DiscreteCatenary exact = discrete_catenary(20, 1, 0, 1.5, g);
  EXPECT_NEAR(reaction(found, "J0", "fx"), -exact.H, 1e-9);
}

// --- reactions ---

TEST(Equilibrium, StewartPlatform) {
  const testing_support::Table table = testing_support::read_table("stewart");
  for (const std::string pose : {"1", "2"}) {
    const Parameters general = {{"px", "0.1"},      {"py", "-0.05"},     {"pz", "1.1"},
                                {"roll", "10 deg"}, {"pitch", "-5 deg"}, {"yaw", "15 deg"}};
    const auto model = shipped("stewart", pose == "1" ? Parameters{} : general);
    const std::map<std::string, Vec3> points(model->points.begin(), model->points.end());
    const Equilibrium found = find_equilibrium(model);
    ASSERT_TRUE(found.ok) << found.failure;
    EXPECT_EQ(found.degrees_of_freedom, 0);
    EXPECT_TRUE(found.statically_determinate && found.stable && found.moved.empty());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.text(row, "pose") != pose) continue;
      const std::string k = table.text(row, "leg"), leg = "leg" + k;
      const Vec3 along = (points.at("P" + k) - points.at("B" + k)).normalized();
      const Vec3 force(reaction(found, leg, "fx"), reaction(found, leg, "fy"), reaction(found, leg, "fz"));
      EXPECT_NEAR(force.dot(along), table.at(row, "compression"), 1e-9);
      EXPECT_NEAR(force.cross(along).norm(), 0, 1e-9);
    }
  }
}

TEST(Equilibrium, FourLeggedTable) {
  const double a = 0.8, b = 0.5, x[] = {-a, a, a, -a}, y[] = {-b, -b, b, b};
  for (const auto& [x0, y0] : {std::pair{0.0, 0.0}, {0.3, -0.1}}) {
    const Equilibrium found =
        find_equilibrium(shipped("four-legged-table", {{"x0", std::to_string(x0)}, {"y0", std::to_string(y0)}}));
    ASSERT_TRUE(found.ok) << found.failure;
    EXPECT_FALSE(found.statically_determinate);
    EXPECT_TRUE(
        says(found, "statically indeterminate: the reactions of leg1 (fz), leg2 (fz), leg3 (fz), leg4 (fz) are"));
    double sum = 0, about_x = 0, about_y = 0;
    for (int k = 0; k < 4; ++k) {
      const std::string leg = "leg" + std::to_string(k + 1);
      const double force = reaction(found, leg, "fz");
      sum += force, about_x += y[k] * force, about_y += x[k] * force;
      EXPECT_NEAR(force, (10 * g + 18) / 4 + 18.0 / 4 * (x0 * x[k] / (a * a) + y0 * y[k] / (b * b)), 1e-9);
      EXPECT_FALSE(is_unique(found, leg, "fz"));
      EXPECT_TRUE(is_unique(found, leg, "fx"));
    }
    EXPECT_NEAR(sum, 10 * g + 18, 1e-9);
    EXPECT_NEAR(about_x, 18 * y0, 1e-9);
    EXPECT_NEAR(about_y, 18 * x0, 1e-9);
    EXPECT_TRUE(is_unique(found, "along", "fx"));
  }
}

TEST(Equilibrium, ParallelogramWithOneCrankTooMany) {
  const Equilibrium found = find_equilibrium(shipped("parallelogram-3"));
  ASSERT_TRUE(found.ok) << found.failure;
  EXPECT_TRUE(found.stable);
  EXPECT_FALSE(found.statically_determinate);
  EXPECT_NEAR(std::sin(coordinate(found, "A1") + pi / 3), -1, 1e-12);
  // Cranks of 1 kg hang down, the platform of 3 kg on them.
  double ground = 0, platform = 0;
  for (const std::string k : {"1", "2", "3"}) {
    ground += reaction(found, "A" + k, "fy");
    platform += reaction(found, "B" + k, "fy");
    EXPECT_NEAR(reaction(found, "A" + k, "fx"), 0, 1e-8);
    EXPECT_FALSE(is_unique(found, "B" + k, "fy"));
    EXPECT_TRUE(is_unique(found, "B" + k, "fx"));
  }
  EXPECT_NEAR(ground, 6 * g, 1e-8);
  EXPECT_NEAR(platform, 3 * g, 1e-8);
}

TEST(Equilibrium, DrivesAndForcesOfTimeAreHeld) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\nbodies:\n  rod: {rod: [[0, 0], [2, 0]], mass: 3}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, rod], at: [0, 0], friction: {coulomb: 0.3, radius: 0.1}}\n"
      "motions:\n  drive: {joint: A, position: 0.3 + t}\n"
      "forces:\n  push: {type: torque, body: rod, value: 2*cos(t)}\n");
  ASSERT_TRUE(found.ok) << found.failure;
  EXPECT_NEAR(coordinate(found, "A"), 0.3, 1e-12);
  ASSERT_EQ(found.drives.size(), 1u);
  EXPECT_NEAR(found.drives[0].effort, 3 * g * std::cos(0.3) - 2, 1e-8);
  EXPECT_TRUE(found.drives[0].unique);
  EXPECT_TRUE(says(found, "drives are held where they are at t = 0: drive"));
  EXPECT_TRUE(says(found, "values of t = 0: push"));
  EXPECT_TRUE(says(found, "without friction"));
}

TEST(Equilibrium, KnifeEdgeCarriesALoad) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\ngravity: [0, -5]\nbodies:\n  b: {mass: 2, inertia: 1, center: [0, 0]}\n"
      "joints:\n  edge: {type: knife_edge, bodies: [ground, b], at: [0, 0], axis: [0, 1]}\n");
  ASSERT_TRUE(found.ok) << found.failure;
  EXPECT_NEAR(reaction(found, "edge", "fy"), 10, 1e-9);
  EXPECT_NE(found.stability, Stability::stable);
}

// --- none ---

TEST(Equilibrium, FreeFallHasNone) {
  const Equilibrium found =
      rest_of("bricard: 1\ndimension: spatial\nbodies:\n  stone: {mass: 2, inertia: [1, 1, 1], center: [0, 0, 0]}\n");
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.failure.find("there is no equilibrium"), std::string::npos) << found.failure;
  EXPECT_NE(found.failure.find("the force (0, 0, -19.62) N on stone"), std::string::npos) << found.failure;
}

TEST(Equilibrium, CartOnAnInclineHasNone) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\ngravity: [0, -10]\nbodies:\n  cart: {mass: 1, inertia: 1, center: [0, "
      "0]}\njoints:\n"
      "  slope: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [4, 3]}\n");
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.failure.find("the force (-4.8, -3.6) N on cart"), std::string::npos) << found.failure;
}

TEST(Equilibrium, MotorThatTurnsFreelyHasNone) {
  const Equilibrium found = find_equilibrium(shipped("geared-pair"));
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.failure.find("moment"), std::string::npos) << found.failure;
}

TEST(Equilibrium, ModelThatCannotBeAssembledIsRefused) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\nbodies:\n  b: {rod: [[0, 0], [1, 0]], mass: 1}\njoints:\n"
      "  A: {type: revolute, bodies: [ground, b], at: [0, 0]}\n"
      "  D: {type: distance, bodies: [ground, b], at: [[0, 5], [1, 0]], length: 1}\n");
  EXPECT_FALSE(found.ok);
  EXPECT_NE(found.failure.find("cannot be assembled"), std::string::npos) << found.failure;
}

// --- every model: what is found is at rest indeed ---

TEST(Equilibrium, WhatIsFoundStaysAtRest) {
  for (const char* name : {"four-bar", "slider-crank-long-rod", "bennett", "bricard", "mcpherson", "exudyn-joints",
                           "sundials-slider-crank"}) {
    const auto model = shipped(name);
    const Equilibrium found = find_equilibrium(model);
    ASSERT_TRUE(found.ok) << name << ": " << found.failure;
    EXPECT_NE(found.stability, Stability::unstable) << name;
    System system(model, *find_coordinates_type("reference-point"));
    Equations eq = system.empty_equations();
    system.evaluate(0, found.q, Vector::Zero(system.velocity_size()), Vector::Zero(system.state_size()), Upto::dynamics,
                    eq);
    EXPECT_LE(eq.Phi.lpNorm<Eigen::Infinity>(), 1e-9) << name;
    const Vector balance = eq.Q - eq.P.transpose() * found.lambda;
    EXPECT_LE(balance.lpNorm<Eigen::Infinity>(), 1e-7 * (1 + eq.Q.lpNorm<Eigen::Infinity>())) << name;
  }
}

// Numbers overflow on the way: no equilibrium, whatever the search says.
TEST(Equilibrium, LoadsBeyondTheRangeOfNumbersAreAFailure) {
  const Equilibrium found = rest_of(
      "bricard: 1\ndimension: planar\ngravity: [3e300, -5e300]\nbodies:\n  a: {mass: 2, inertia: 0.1, center: [0, 0]}\n"
      "  b: {mass: 4, inertia: 0.1, center: [0.5, 0]}\njoints:\n"
      "  S: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0.3]}\n"
      "  R: {type: revolute, bodies: [a, b], at: [0, 0]}\nmotions: {m: {joint: S, position: 0.1*t}}\n");
  EXPECT_FALSE(found.ok);
  EXPECT_FALSE(found.failure.empty());
}

}  // namespace equilibrium_test
}  // namespace bricard
