// Rates that `auto` measures at the start, against closed forms.
#include "analyses/linear/stiffness.h"

#include <algorithm>
#include <numbers>

#include "analyses/assembly/assembly.h"
#include "analyses/choice/start_traits.h"
#include "reference/reference.h"

namespace bricard::testing_support {
namespace stiffness_test {

StartTraits traits_of(const std::shared_ptr<const Model>& model, const char* coordinates = "reference-point") {
  const CoordinatesType& type = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, type);
  System system(model, type);
  start_at(system, assembly);
  return measure_start(system, analyze_structure(system, assembly.q, assembly.v), assembly.q, assembly.v);
}

std::complex<double> fastest(const std::vector<std::complex<double>>& eigenvalues) {
  return *std::max_element(eigenvalues.begin(), eigenvalues.end(),
                           [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
}

TEST(Stiffness, FrequencyOfAPendulum) {
  // theta'' = -(m g L/J) cos(theta), J = 2.6, at -45 deg: lambda^2 = (m g L/J) sin(theta).
  const auto lambda = fastest(traits_of(shipped("pendulum")).eigenvalues);
  EXPECT_NEAR(std::abs(lambda.imag()), std::sqrt(10 * 9.8 * 0.5 / 2.6 * std::numbers::sqrt2 / 2), 1e-4);
  EXPECT_NEAR(lambda.real(), 0, 1e-4);
}

std::string disc(const std::string& force, const std::string& friction = "") {
  return "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
         "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0]" +
         friction + "}}\n" + force;
}

TEST(Stiffness, RatesOfADampedSpring) {
  // I s^2 + c s + k = 0 with I = 0.5, c = 1000, k = 4000: s = -1996 and -4.008.
  const auto traits = traits_of(
      load_text(disc("forces: {s: {type: rotational_spring, joint: A, stiffness: 4000, damping: 1000}}\n"), "disc"));
  const double root = std::sqrt(1000.0 * 1000 - 4 * 0.5 * 4000);
  EXPECT_NEAR(fastest(traits.eigenvalues).real(), -(1000 + root) / (2 * 0.5), 1e-2);
  const Stiffness ten_seconds = stiffness(traits.eigenvalues, 10);
  EXPECT_NEAR(ten_seconds.damped, 1000 + root, 1e-2);
  EXPECT_NEAR(ten_seconds.lasting, 1000 - root, 1e-3);  // 40 time constants in 10 s
  EXPECT_LT(ten_seconds.swinging, 1e-3);
}

TEST(Stiffness, BristlesAreStiffOnceTheJointTurns) {
  // Dahl's F' = s (v - |v| F / F_max): a rate of s |v| / F_max, with v = vdot / pace and pace = sqrt(vdot).
  const auto traits = traits_of(load_text(
      disc("forces: {t: {type: torque, body: disc, value: 2}}\n", ", friction: {dahl: {stiffness: 1000, limit: 0.4}}"),
      "disc"));
  EXPECT_NEAR(traits.pace, 2, 1e-9);
  EXPECT_NEAR(std::abs(fastest(traits.eigenvalues).imag()), std::sqrt(1000 / 0.5), 1e-3);  // a spring at rest
  EXPECT_NEAR(fastest(traits.moving_eigenvalues).real(), -1000 * 2 / 0.4, 10);
}

TEST(StartTraits, TellSingularPositionsFromRedundantConstraints) {
  const StartTraits redundant = traits_of(shipped("five-bar"));
  EXPECT_EQ(redundant.rank_beside, 11);
  EXPECT_GT(redundant.singular_value, 0.05);
  EXPECT_FALSE(redundant.eigenvalues.empty());
  const StartTraits singular = traits_of(shipped("five-bar", {{"theta0", "0 deg"}}));
  EXPECT_EQ(singular.rank_beside, 11);  // 10 at the start
  EXPECT_TRUE(singular.eigenvalues.empty());
  // The smallest singular value grows with the distance, in any coordinates: a row that vanishes is seen as well.
  for (const char* coordinates : {"reference-point", "relative"}) {
    SCOPED_TRACE(coordinates);
    const StartTraits near = traits_of(shipped("slider-crank", {{"phi0", "89.99 deg"}}), coordinates);
    const StartTraits nearer = traits_of(shipped("slider-crank", {{"phi0", "89.999 deg"}}), coordinates);
    EXPECT_TRUE(near.is_near_singular_position());
    EXPECT_NEAR(nearer.singular_value / near.singular_value, 0.1, 1e-3);
    EXPECT_FALSE(traits_of(shipped("slider-crank"), coordinates).is_near_singular_position());
  }
}

}  // namespace stiffness_test
}  // namespace bricard::testing_support
