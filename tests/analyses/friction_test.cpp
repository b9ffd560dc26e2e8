// Friction in joints along whole runs: the same in every formulation, loads that friction itself changes, sticking and
// slipping against closed forms, and friction that redundant constraints leave undetermined.
#include "forces/friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analyses/structure/friction_uniqueness.h"
#include "reference/reference.h"

namespace bricard {
namespace friction_test {

using testing_support::accurate;
using testing_support::run;
using testing_support::shipped;

constexpr double g = 9.81;

bool says(const SimulationResult& result, const std::string& part) {
  for (const std::string& message : result.summary.messages) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

/// A block of 1 kg on a guide at an angle, with a spring of 100 N/m or without.
std::shared_ptr<const Model> block(const std::string& friction, const std::string& angle, bool spring,
                                   const std::string& initial = "") {
  return load_text(
      "bricard: 1\ndimension: planar\nbodies: {block: {mass: 1, inertia: 0.01, center: [0, 0], angle: " + angle +
          "}}\njoints: {guide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [cos(" + angle + "), sin(" +
          angle + ")], friction: " + friction + "}}\n" +
          (spring ? "forces: {s: {type: spring, between: [[ground, [-1, 0]], [block, [0, 0]]], stiffness: 100}}\n"
                  : "") +
          initial,
      "block");
}

// --- loads ---

TEST(FrictionTest, IsTheSameInEveryFormulation) {
  // Three joints whose friction loads the others; smooth enough for a comparison to many digits.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [0.3, 0.4], C: [1.2, 0]}\nbodies:\n"
      "  crank: {rod: [A, B], mass: 1}\n  rod: {rod: [B, C], mass: 2}\n  slider: {mass: 1, inertia: 0.01, center: C}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, crank], at: A, friction: {coulomb: 0.3, radius: 0.05, "
      "smoothing: "
      "0.5}}\n  B: {type: revolute, bodies: [crank, rod], at: B, friction: {coulomb: 0.2, static: 0.3, stribeck: 1, "
      "radius: 0.05, smoothing: 0.5, viscous: 0.01}}\n  C: {type: revolute, bodies: [rod, slider], at: C}\n"
      "  guide: {type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0], friction: {coulomb: 0.25, smoothing: "
      "0.2}}\ninitial: {velocities: {A: 6}}\n",
      "slider-crank");
  SimulationResult first;
  for (const FormulationType& type : formulation_types()) {
    SCOPED_TRACE(type.name);
    Method method = accurate(0.4, 0.1, 1e-10);
    method.formulation = type.name;
    const SimulationResult result = run(model, method);
    ASSERT_TRUE(result.ok());
    if (first.data.rows.empty()) first = result;
    for (const char* column : {"crank.angle", "crank.omega", "slider.vx", "A.friction", "B.friction", "guide.friction",
                               "A.fx", "A.fy", "guide.fy", "energy.total"}) {
      const double expected = first.data.at(4, column);
      EXPECT_NEAR(result.data.at(4, column), expected,
                  std::max(1e-7, type.traits.accuracy) * std::max(1.0, std::abs(expected)))
          << column;
    }
  }
  EXPECT_GT(std::abs(first.data.at(4, "A.friction")), 0.05);
  EXPECT_LT(first.data.at(4, "energy.total"), first.data.at(0, "energy.total") - 1);
}

// A rod on a bearing of radius r, turning from the horizontal: n = |R0 + n R|, R = (0, -+1.5 mu r/l) against the
// motion.
std::shared_ptr<const Model> rod_on_a_bearing(double mu_r, int direction) {
  return load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0]}\nbodies: {rod: {rod: [A, B], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, rod], at: A, friction: {coulomb: " +
          std::to_string(mu_r) +
          ", radius: 1, smoothing: 1e-2}}}\ninitial: {velocities: {A: " + std::to_string(direction) + "}}\n",
      "rod");
}

TEST(FrictionTest, LoadsThatFrictionRelievesAreFoundWhereRepetitionDiverges) {
  const double mu_r = 2.5, c = 1.5 * mu_r, x = 0.5, y = g / 4;
  // n^2 = x^2 + (y - c n)^2, the smaller root: the one that grows out of the frictionless load.
  const double n = (c * y - std::sqrt(c * c * y * y - (c * c - 1) * (x * x + y * y))) / (c * c - 1);
  for (const char* formulation : {"lagrange", "udwadia-phohomsiri", "independent", "canonical-lagrange"}) {
    Method method = accurate(0.01, 0.005, 1e-8);
    method.formulation = formulation;
    const SimulationResult result = run(rod_on_a_bearing(mu_r, 1), method);
    EXPECT_NEAR(result.data.at(0, "A.friction"), -mu_r * n, 1e-9) << formulation;
    EXPECT_NEAR(std::hypot(result.data.at(0, "A.fx"), result.data.at(0, "A.fy")), n, 1e-9) << formulation;
    EXPECT_TRUE(result.data.rows.back().allFinite());
  }
}

TEST(FrictionTest, LoadsThatFrictionRaisesWithoutLimitEndInAMessage) {
  // Falling, the friction adds to its own load: n = |(x, y + c n)| has a solution for c < 1 only.
  const double c = 0.9,
               n = (c * g / 4 + std::sqrt(c * c * g * g / 16 + (1 - c * c) * (0.25 + g * g / 16))) / (1 - c * c);
  const SimulationResult heavy = run(rod_on_a_bearing(c / 1.5, -1), accurate(0.01, 0.01, 1e-8));
  EXPECT_NEAR(heavy.data.at(0, "A.friction"), c / 1.5 * n, 1e-8);
  for (const double mu_r : {0.7, 2.5, 1e3, 1e9}) {
    const SimulationResult jammed = simulate(rod_on_a_bearing(mu_r, -1), accurate(1, 0.1, 1e-6));
    EXPECT_FALSE(jammed.ok()) << mu_r;
    EXPECT_NE(jammed.summary.failure.find("friction of joint A is so large that the joint is self-locking"),
              std::string::npos)
        << jammed.summary.failure;
  }
}

// --- sticking and slipping ---

// Coulomb-damped oscillator: each half swing loses 2 mu m g/k of its amplitude, until friction holds the spring.
TEST(FrictionTest, ABlockOnASpringStopsWhereFrictionHoldsIt) {
  const double mu = 0.2, k = 100, v0 = 1e-4, lost = 2 * mu * g / k, rest = -(0.1 - 3 * lost);
  const auto model = block("{coulomb: 0.2, smoothing: 1e-4}", "0", true, "initial: {positions: {guide: 0.1}}\n");
  for (const char* integrator : {"dopri5", "bdf"}) {
    Method method = accurate(3, 0.1, 1e-8);
    method.integrator = integrator;
    const SimulationResult result = run(model, method);
    const std::size_t stopped = testing_support::row_at(result, 1), later = testing_support::row_at(result, 3);
    EXPECT_NEAR(result.data.at(stopped, "guide.position"), rest, 1e-4) << integrator;
    // What the smoothing leaves of sticking: it creeps at v0 atanh(F/(mu N)).
    const double creep = (result.data.at(later, "guide.position") - result.data.at(stopped, "guide.position")) / 2;
    const double force = k * result.data.at(testing_support::row_at(result, 2), "guide.position") / (mu * g);
    EXPECT_NEAR(creep, -v0 * std::atanh(force), 0.02 * v0) << integrator;
  }
}

struct Cycles {
  double period = 0, highest = 0, lowest = 1, stuck = 0;
  int count = 0;
};

/// Of the stick-slip model after its first second: from peak to peak of the block's way.
Cycles measure(const SimulationResult& result, double V) {
  Cycles cycles;
  double first = 0, last = 0;
  const auto x = [&](std::size_t row) { return result.data.at(row, "block.x"); };
  std::size_t stuck = 0, all = 0;
  for (std::size_t row = 1; row + 1 < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    if (t < 1) continue;
    cycles.highest = std::max(cycles.highest, x(row));
    cycles.lowest = std::min(cycles.lowest, x(row));
    if (x(row) <= x(row - 1) || x(row) < x(row + 1)) continue;
    const double h = t - result.data.at(row - 1, "time"), up = x(row) - x(row - 1), down = x(row) - x(row + 1);
    const double peak = t + h / 2 * (up - down) / (up + down);
    if (cycles.count++ == 0) first = peak;
    last = peak;
  }
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    if (t < first || t >= last) continue;
    ++all;
    stuck += std::abs(result.data.at(row, "contact.rate")) < 0.02 * V;
  }
  cycles.period = (last - first) / (cycles.count - 1);
  cycles.stuck = cycles.period * static_cast<double>(stuck) / static_cast<double>(all);
  return cycles;
}

TEST(FrictionTest, StickSlipHasItsPeriodAndSlip) {
  const double V = 0.05, w = 10, xk = 0.2 * g / 100, xs = 0.3 * g / 100, a = xs - xk;
  const double slip = (2 * std::numbers::pi - 2 * std::atan(a * w / V)) / w, stick = 2 * a / V;
  const auto model = shipped("stick-slip");
  for (const char* integrator : {"auto", "bdf"}) {
    Method method;
    method.integrator = integrator;
    method.duration = 6, method.output_step = 0.002;
    const SimulationResult result = run(model, method);
    const Cycles cycles = measure(result, V);
    EXPECT_GE(cycles.count, 5);
    EXPECT_NEAR(cycles.period, slip + stick, 0.003 * (slip + stick)) << integrator;
    EXPECT_NEAR(cycles.stuck, stick, 0.025 * stick) << integrator;
    EXPECT_NEAR(cycles.highest, xk + std::hypot(a, V / w), 0.01 * a) << integrator;
    EXPECT_NEAR(cycles.lowest, xk - std::hypot(a, V / w), 0.01 * a) << integrator;
    EXPECT_NEAR(result.data.at(50, "contact.fy"), g, 1e-9);
  }
}

// No chattering: while it sticks the motion is smooth, so a tighter tolerance costs what it costs elsewhere. Explicit
// methods have steps that stability limits there, whatever the tolerance; docs/analyses/friction.md has figures.
TEST(FrictionTest, StickingDoesNotChatter) {
  const auto model = shipped("stick-slip", {{"vs", "4e-3"}, {"V", "0.1"}});
  const auto evaluations = [&](const char* integrator, double tolerance) {
    Method method = accurate(1, 0.1, tolerance);
    method.integrator = integrator;
    return static_cast<double>(run(model, method).summary.evaluations);
  };
  EXPECT_LT(evaluations("bdf", 1e-6), 2000);
  EXPECT_LT(evaluations("bdf", 1e-9), 2 * evaluations("bdf", 1e-6));
  EXPECT_LT(evaluations("dopri5", 1e-9), 1.3 * evaluations("dopri5", 1e-6));
  EXPECT_LT(evaluations("adams", 1e-9), 1.3 * evaluations("adams", 1e-6));
  EXPECT_LT(evaluations("abm", 1e-9), 1.3 * evaluations("abm", 1e-6));
}

// Dahl's bristles hold the block for good: below the friction angle it comes to rest, deflected by what carries it,
// F = F_max (1 - exp(-s x/F_max)) where it is loaded once (enough damping), and stays there.
TEST(FrictionTest, BristlesHoldABlockOnAnIncline) {
  const double angle = 10 * std::numbers::pi / 180, s = 1e4, limit = 0.3 * g * std::cos(angle),
               pull = g * std::sin(angle);
  const double deflection = limit / s * std::log(1 / (1 - pull / limit));
  const SimulationResult result =
      run(block("{dahl: {stiffness: 1e4, coulomb: 0.3}, viscous: 400}", "10 deg", false), accurate(100, 1, 1e-9));
  for (const std::size_t row : {1, 10, 50, 100}) {
    EXPECT_NEAR(result.data.at(row, "guide.position"), -deflection, 1e-3 * deflection) << row;
    EXPECT_NEAR(result.data.at(row, "guide.friction"), pull, 1e-5) << row;
  }
  // Above it, it slides: m a = pull - limit.
  const double steep = 30 * std::numbers::pi / 180, a = g * (std::sin(steep) - 0.3 * std::cos(steep));
  const SimulationResult slides =
      run(block("{dahl: {stiffness: 1e4, coulomb: 0.3}}", "30 deg", false), accurate(2, 1, 1e-9));
  EXPECT_NEAR(slides.data.at(2, "guide.rate") - slides.data.at(1, "guide.rate"), -a, 1e-6);
}

// --- redundant constraints ---

TEST(FrictionTest, ThatDependsOnAReactionWhichIsNotUniqueIsNamed) {
  const std::string parallelogram =
      "bricard: 1\ndimension: planar\npoints: {A1: [0, 0], A2: [1, 0], A3: [2, 0], B1: [0.5, 0.8], B2: [1.5, 0.8], B3: "
      "[2.5, 0.8]}\nbodies:\n  c1: {rod: [A1, B1], mass: 1}\n  c2: {rod: [A2, B2], mass: 1}\n  c3: {rod: [A3, B3], "
      "mass: "
      "1}\n  p: {rod: [B1, B3], mass: 3}\njoints:\n  A1: {type: revolute, bodies: [ground, c1], at: A1, friction: "
      "FRICTION}\n  A2: {type: revolute, bodies: [ground, c2], at: A2}\n  A3: {type: revolute, bodies: [ground, c3], "
      "at: "
      "A3}\n  B1: {type: revolute, bodies: [c1, p], at: B1}\n  B2: {type: revolute, bodies: [c2, p], at: B2}\n  B3: "
      "{type: "
      "revolute, bodies: [c3, p], at: B3}\ninitial: {velocities: {A1: 2}}\nsimulation: {duration: 0.1, output_step: "
      "0.1}\n";
  const auto with = [&](const std::string& friction) {
    std::string text = parallelogram;
    return load_text(text.replace(text.find("FRICTION"), 8, friction), "parallelogram");
  };
  const auto named = [](const std::shared_ptr<const Model>& model) {
    return joints_with_undetermined_friction(*model, run(model, {}).summary.structure);
  };
  EXPECT_EQ(named(with("{coulomb: 0.2, radius: 0.02, smoothing: 0.1}")), std::vector<std::string>{"A1"});
  EXPECT_EQ(named(with("{dahl: {stiffness: 10, coulomb: 0.2, radius: 0.02}}")), std::vector<std::string>{"A1"});
  EXPECT_TRUE(says(run(with("{coulomb: 0.2, radius: 0.02, smoothing: 0.1}"), {}),
                   "the motion itself is not unique: the friction of joint A1"));
  // Without a load in it, or with loads that are unique.
  EXPECT_TRUE(named(with("{viscous: 0.2}")).empty());
  EXPECT_TRUE(named(with("{dahl: {stiffness: 10, limit: 0.2}}")).empty());
  EXPECT_TRUE(named(shipped("friction-incline")).empty());
  EXPECT_FALSE(says(run(shipped("friction-incline"), accurate(0.1, 0.1)), "not unique"));
}

}  // namespace friction_test
}  // namespace bricard
