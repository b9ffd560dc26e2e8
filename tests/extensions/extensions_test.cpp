// A joint, two forces, a formulation and an integrator from outside, each in one file of this folder: held to the
// contracts, and used together. Built with the library and, by tests/clients, against the installed one.
#include <bricard/bricard.h>
#include <bricard/testing.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using namespace bricard;

TEST(CircularSlot, IsAJoint) {
  EXPECT_JOINT_CONTRACT("circular_slot", {.planar = "at: [[0.3, 0.2], [1.1, 0.4]]",
                                          .spatial = "at: [[0.3, 0.2, -0.1], [1.1, 0.4, 0.3]], axis: [1, 2, 3]"});
}

TEST(Drag, IsAForce) {
  EXPECT_FORCE_CONTRACT("drag",
                        {.planar = "body: b, at: [0.9, 0.9], coefficient: 2", .spatial = "body: a, coefficient: 0.5"});
}

TEST(Magnet, IsAForce) {
  EXPECT_FORCE_CONTRACT("magnet", {.planar = "between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], strength: 3",
                                   .spatial = "between: [[ground, [0, 0, 1]], [b, [0.2, 0.9, -1]]], strength: 3",
                                   .conservative = true});
  EXPECT_FORCE_CONTRACT("magnet", {.planar = "between: [[a, [0.5, 0]], [b, [0.2, 0.9]]], strength: 3, "
                                             "current: \"1 + t*vx(a)\""});
}

TEST(MoreForces, AreForces) {
  EXPECT_FORCE_CONTRACT("hard_coil", {.planar = "joint: J, stiffness: 5",
                                      .spatial = "joint: U, coordinate: angle2, stiffness: 5",
                                      .conservative = true});
  EXPECT_FORCE_CONTRACT("tar", {.planar = "bodies: [a, b], at: [0.5, 0.1]",
                                .spatial = "bodies: [ground, b], at: [0.5, 0.1, 0], damping: 3"});
  EXPECT_FORCE_CONTRACT("gravitation", {.planar = "", .spatial = "G: 0.4", .conservative = true});
}

TEST(DenseLu, IsAFormulation) { EXPECT_FORMULATION_CONTRACT("dense-lu"); }

TEST(Heun, IsAnIntegrator) { EXPECT_INTEGRATOR_CONTRACT("heun"); }

// --- all of them together ---

constexpr double mass = 0.4, radius = 0.5, g = 9.81, c = 0.2, k = 0.7, omega0 = 7;

/// A bead on a wire ring that stands upright, in a fluid, with a magnet in the middle of the ring.
const std::string bead =
    "bricard: 1\ndimension: planar\nbodies: {bead: {mass: 0.4, inertia: 1e-3, center: [0, -0.5]}}\n"
    "joints: {ring: {type: circular_slot, bodies: [ground, bead], at: [[0, 0], [0, -0.5]]}}\n"
    "forces:\n  air: {type: drag, body: bead, coefficient: 0.2}\n"
    "  pole: {type: magnet, between: [[ground, [0, 0]], [bead, [0, -0.5]]], strength: 0.7}\n"
    "initial: {velocities: {bead: {linear: [3.5, 0]}}}\n";

/// theta from the lowest point: theta'' = -(g/R) sin(theta) - kappa theta'^2, kappa = c R/m, is linear in theta'^2:
///   theta'^2 = b (cos(theta) - 2 kappa sin(theta)) + (omega0^2 - b) exp(-2 kappa theta),   b = (2 g/R)/(1 + 4 kappa^2)
double squared_rate(double theta) {
  const double kappa = c * radius / mass, b = 2 * g / radius / (1 + 4 * kappa * kappa);
  return b * (std::cos(theta) - 2 * kappa * std::sin(theta)) + (omega0 * omega0 - b) * std::exp(-2 * kappa * theta);
}

void expect_the_closed_form(const SimulationResult& run, double tolerance) {
  ASSERT_TRUE(run.ok()) << run.summary.failure;
  double farthest = 0;
  for (std::size_t row = 0; row < run.data.rows.size(); ++row) {
    const double x = run.data.at(row, "bead.x"), y = run.data.at(row, "bead.y");
    const double theta = std::atan2(x, -y), u = squared_rate(theta);
    const double speed = std::hypot(run.data.at(row, "bead.vx"), run.data.at(row, "bead.vy"));
    EXPECT_NEAR(std::hypot(x, y), radius, 1e-9);
    EXPECT_NEAR(std::pow(speed / radius, 2), u, tolerance * omega0 * omega0);
    // What the ring adds to the magnet's pull and the weight.
    const double N = mass * radius * u + mass * g * std::cos(theta) - k / (radius * radius);
    EXPECT_NEAR(run.data.at(row, "ring.fx"), -N * std::sin(theta), 10 * tolerance * mass * radius * omega0 * omega0);
    EXPECT_NEAR(run.data.at(row, "ring.fy"), N * std::cos(theta), 10 * tolerance * mass * radius * omega0 * omega0);
    farthest = std::max(farthest, theta);
  }
  EXPECT_GT(farthest, 1.3);  // rad, on its way up
}

TEST(Extensions, SimulateTogether) {
  const SimulationResult run =
      simulate(load_text(bead, "bead"),
               {.formulation = "dense-lu", .integrator = "heun", .step = 1e-4, .duration = 0.3, .output_step = 0.01});
  expect_the_closed_form(run, 1e-7);
  EXPECT_EQ(run.summary.chosen.method.formulation, "dense-lu");
  EXPECT_EQ(run.summary.chosen.method.integrator, "heun");
}

/// The library's own methods with the joint and the forces, among them an implicit one, which uses their derivatives.
TEST(Extensions, SimulateWithOwnMethods) {
  for (const char* integrator : {"dop853", "bdf", "hht"}) {
    for (const char* coordinates : {"reference-point", "natural", "relative"}) {
      SCOPED_TRACE(std::string(integrator) + " in " + coordinates);
      Method method{.coordinates = coordinates, .integrator = integrator, .duration = 0.3, .output_step = 0.01};
      method.tolerance = 1e-9;
      expect_the_closed_form(simulate(load_text(bead, "bead"), method),
                             std::string(integrator) == "dop853" ? 1e-8 : 2e-5);
    }
  }
}

TEST(Extensions, AreForModelBuilderToo) {
  ModelBuilder m(Dimension::planar);
  const BodyName ball = m.body("bead", {.mass = mass, .inertia = 1e-3, .center = {0, -radius}});
  m.joint("ring", "circular_slot", ground, ball, {.at = {{0, 0}, {0, -radius}}});
  m.force("air", "drag", {.body = ball, .values = {{"coefficient", c}}});
  m.force("pole", "magnet", {.from = {ground, {0, 0}}, .to = {ball, {0, -radius}}, .values = {{"strength", k}}});
  m.initial_velocity(ball, {.linear = {omega0 * radius, 0}});
  expect_the_closed_form(simulate(m.build(), {.tolerance = 1e-9, .duration = 0.3, .output_step = 0.01}), 1e-8);
}

std::string problem_of(const std::string& force) {
  try {
    load_text("bricard: 1\ndimension: planar\nbodies: {b: {mass: 1, inertia: 1, center: [0, 0]}}\nforces: {f: " +
                  force + "}\n",
              "test");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CustomForces, AreCheckedAsAllForces) {
  EXPECT_EQ(problem_of("{type: drag, body: b, coefficient: 2}"), "");
  EXPECT_NE(problem_of("{type: drga, body: b}").find("'drag'"), std::string::npos);
  EXPECT_NE(problem_of("{type: drag, body: b, coeficient: 2}").find("'coefficient'"), std::string::npos);
  EXPECT_NE(problem_of("{type: drag, body: b}").find("'coefficient'"), std::string::npos);
  EXPECT_NE(problem_of("{type: drag, body: c, coefficient: 2}").find("'c'"), std::string::npos);
  EXPECT_NE(problem_of("{type: drag, body: ground, coefficient: 2}"), "");
  EXPECT_NE(problem_of("{type: magnet, between: [[b, [0, 0]], [b, [1, 0]]], strength: 2}").find("same body"),
            std::string::npos);
  EXPECT_NE(problem_of("{type: magnet, between: [[ground, [0, 0]], [b, [1, 0]]], strength: 2, current: vx(d)}"), "");
}

/// A watch's bead: the model is measured in other units, and moves as the large one does.
TEST(CustomForces, HoldInAnySize) {
  ModelBuilder m(Dimension::planar);
  const double small = 1e-6, light = 1e-9;  // lengths; masses
  const BodyName ball = m.body("bead", {.mass = light * mass, .inertia = 1e-21, .center = {0, -small * radius}});
  m.gravity({0, -small * g});
  m.joint("ring", "circular_slot", ground, ball, {.at = {{0, 0}, {0, -small * radius}}});
  m.force("air", "drag", {.body = ball, .values = {{"coefficient", c * light / small}}});
  m.force("pole", "magnet",
          {.from = {ground, {0, 0}},
           .to = {ball, {0, -small * radius}},
           .values = {{"strength", k * light * std::pow(small, 3)}}});
  m.initial_velocity(ball, {.linear = {small * omega0 * radius, 0}});
  const auto model = m.build();
  EXPECT_TRUE(OwnUnits(model).differ());
  const SimulationResult run = simulate(model, {.tolerance = 1e-9, .duration = 0.3, .output_step = 0.01});
  ASSERT_TRUE(run.ok()) << run.summary.failure;
  for (std::size_t row = 0; row < run.data.rows.size(); ++row) {
    const double theta = std::atan2(run.data.at(row, "bead.x"), -run.data.at(row, "bead.y"));
    const double speed = std::hypot(run.data.at(row, "bead.vx"), run.data.at(row, "bead.vy")) / (small * radius);
    EXPECT_NEAR(speed * speed, squared_rate(theta), 1e-6 * omega0 * omega0);
  }
}

// --- a type that says nothing of units: the model is taken as it is ---

class Wind : public ForceElement {
 public:
  Wind(const CustomForce& force, ForceBuilder& builder)
      : force_(force.numbers.at("pressure") * 0.01), load_(builder.load(builder.point(force.points[0]))) {}
  void evaluate(const ForceContext&, std::vector<Load>& loads) const override {
    loads[load_].value = Vec3(force_, 0, 0);  // on 0.01 m^2, a number that no key tells
  }

 private:
  double force_;
  int load_;
};

[[maybe_unused]] const bool registered =
    (register_force({.name = "wind",
                     .description = "on a sail",
                     .on = ForceOn::body,
                     .keys = {{.name = "pressure", .unit = {.mass = 1, .length = -1, .time = -2}, .standard = 3}},
                     .create = [](const CustomForce& force, ForceBuilder& builder) -> std::unique_ptr<ForceElement> {
                       return std::make_unique<Wind>(force, builder);
                     }}),
     true);

TEST(CustomForces, OfUnknownUnitsAreLeftInSi) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {b: {mass: 1e-9, inertia: 1e-21, center: [0, 0]}}\n"
      "forces: {f: {type: wind, body: b}}\n",
      "test");
  EXPECT_FALSE(OwnUnits(model).differ());
  const SimulationResult run = simulate(model, {.tolerance = 1e-9, .duration = 1, .output_step = 0.5});
  ASSERT_TRUE(run.ok()) << run.summary.failure;
  EXPECT_NEAR(run.data.at(2, "b.vx"), 0.03 / 1e-9, 1e-6 * 0.03 / 1e-9);
  EXPECT_FORCE_CONTRACT("wind", {.planar = "body: b", .spatial = "body: b, pressure: 2"});
}

TEST(CustomForces, AreListed) {
  ASSERT_NE(find_force_type("drag"), nullptr);
  EXPECT_STREQ(force_types().front().name, "force");
  std::string message;
  try {
    register_force(*find_force_type("drag"));
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_NE(message, "");
}

}  // namespace
