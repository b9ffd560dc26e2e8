// Relative coordinates: the tree that is chosen, markers and inertia against those of rigid bodies, M^-1 by recursion,
// and the same motion as in reference-point coordinates.
#include "coordinates/relative.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "dynamics/tree/tree_dynamics.h"
#include "io/model/generate.h"
#include "support/models.h"
#include "system/equations.h"
#include "system/system.h"
#include "testing/differentiate.h"

namespace bricard {
namespace relative_test {

using testing_support::shipped;

using testing_support::differentiate;

// Every kind of tree joint, forwards and backwards, branches, a floating base and a body fixed to the ground.
const char* const all_joints =
    "bricard: 1\n"
    "bodies:\n"
    "  base: {mass: 3, inertia: [1, 2, 2.5], center: [0.1, 0.2, 0.3]}\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [1, 0, 0.2], orientation: {euler_zxz: [0.3, 0.4, "
    "0.5]}}\n"
    "  b: {mass: 2, inertia: [0.3, 0.2, 0.2], center: [2, 0.5, 0]}\n"
    "  c: {mass: 1.5, inertia: [0.1, 0.1, 0.1], center: [2, 1, 1]}\n"
    "  d: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [3, 1, 0]}\n"
    "  e: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [3, 2, 0]}\n"
    "  f: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [-1, 0, 0]}\n"
    "  g: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [-2, 0, 1]}\n"
    "  h: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [5, 5, 5]}\n"
    "joints:\n"
    "  ab: {type: revolute, bodies: [a, base], at: [0.5, 0, 0], axis: [1, 2, 3]}\n"
    "  bc: {type: cylindrical, bodies: [a, b], at: [1.5, 0, 0], axis: [0, 1, 1]}\n"
    "  cd: {type: universal, bodies: [c, b], at: [2, 1, 0], axes: [[1, 0, 1], [0, 1, 0]]}\n"
    "  de: {type: spherical, bodies: [b, d], at: [2.5, 1, 0]}\n"
    "  ef: {type: screw, bodies: [d, e], at: [3, 1.5, 0], axis: [0, 1, 0], pitch: 0.3}\n"
    "  fg: {type: planar, bodies: [base, f], at: [-0.5, 0, 0], axis: [1, 0, 1]}\n"
    "  gh: {type: prismatic, bodies: [g, f], at: [-1.5, 0, 0], axis: [1, 1, 0]}\n"
    "  hh: {type: fixed, bodies: [ground, h], at: [5, 5, 4]}\n";

struct RandomState {
  Vector q, v;
  RandomState(const Coordinates& set, unsigned seed) : q(set.position_size()), v(set.velocity_size()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector away(set.velocity_size());
    for (double& x : away) x = number(random);
    for (double& x : v) x = number(random);
    set.reference(q);
    set.advance(q, away);
  }
  /// q after the time s at constant v, by small steps: exact enough for differentiation.
  Vector moved(const Coordinates& set, double s) const {
    Vector at = q;
    set.advance(at, s * v);
    return at;
  }
};

TEST(Relative, TakesTheTreeThatLeavesTheFewestEquations) {
  const auto model = load_text(all_joints, "all joints");
  const RelativeCoordinates set(*model);
  for (std::size_t k = 0; k < model->joints.size(); ++k) {
    EXPECT_TRUE(set.absorbs(static_cast<int>(k))) << model->joints[k].name;
  }
  // 6 floating, then 1 + 2 + 2 + 3 + 1 + 3 + 1 joint coordinates; two quaternions have one position more.
  EXPECT_EQ(set.velocity_size(), 6 + 13);
  EXPECT_EQ(set.position_size(), 6 + 13 + 2);
  EXPECT_FALSE(set.velocities_are_rates());
}

TEST(Relative, CutsTheJointWithTheFewestEquationsAndTheOneThatIsAskedFor) {
  const std::string text =
      "bricard: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}\n"
      "  b: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\njoints:\n"
      "  s: {type: spherical, bodies: [a, b], at: [0.5, 0, 0]}\n"
      "  r: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  t: {type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]";
  const auto free_choice = load_text(text + "}\n", "loop");
  const RelativeCoordinates by_equations(*free_choice);
  EXPECT_FALSE(by_equations.absorbs(0));
  EXPECT_TRUE(by_equations.absorbs(1) && by_equations.absorbs(2));
  const auto forced = load_text(text + ", cut: true}\n", "loop");
  const RelativeCoordinates by_order(*forced);
  EXPECT_TRUE(by_order.absorbs(0) && by_order.absorbs(1));
  EXPECT_FALSE(by_order.absorbs(2));
}

TEST(Relative, FourBarIsShallow) {
  const auto model = shipped("four-bar");
  const RelativeCoordinates set(*model);
  // Cutting a coupler joint leaves chains of two links and one; cutting a ground joint would leave a chain of three.
  std::vector<int> columns;
  std::size_t deepest = 0;
  for (int b = 0; b < 3; ++b) {
    set.columns({b, MarkerKind::point, Vec3::Zero()}, columns);
    deepest = std::max(deepest, columns.size());
  }
  EXPECT_EQ(set.velocity_size(), 3);
  EXPECT_EQ(deepest, 2u);
}

class RelativeKinematics : public ::testing::TestWithParam<unsigned> {};

TEST_P(RelativeKinematics, MarkersMoveAsTheirRatesAndBiasesSay) {
  const auto model = load_text(all_joints, "all joints");
  RelativeCoordinates set(*model);
  Markers markers(*model);
  for (int b = 0; b < static_cast<int>(model->bodies.size()); ++b) {
    markers.point(b, Vec3(0.3, -0.2, 0.9));
    markers.vector(b, Vec3(1, 2, 3).normalized());
    markers.rotation(b);
  }
  const RandomState state(set, GetParam());
  const auto all_at = [&](double s, bool rates) {
    Vector out(3 * markers.size());
    const Vector q = state.moved(set, s);
    set.update_positions(q, markers);
    set.update_velocities(q, state.v, markers);
    for (int k = 0; k < markers.size(); ++k) {
      const bool turning = markers.list[k].kind == MarkerKind::rotation;
      out.segment<3>(3 * k) = rates ? markers.rate[k] : turning ? Vec3(Vec3::Zero()) : markers.value[k];
    }
    return out;
  };
  const Vector value_rates = differentiate([&](double s) { return all_at(s, false); });
  const Vector rate_rates = differentiate([&](double s) { return all_at(s, true); });
  all_at(0, true);
  for (int k = 0; k < markers.size(); ++k) {
    if (markers.list[k].kind != MarkerKind::rotation) {
      EXPECT_LT((value_rates.segment<3>(3 * k) - markers.rate[k]).norm(), 1e-8);
    }
    EXPECT_LT((rate_rates.segment<3>(3 * k) - markers.bias[k]).norm(), 1e-7);
  }
}

TEST_P(RelativeKinematics, LoadsAndGradientsDoTheWorkOfTheirMarkers) {
  const auto model = load_text(all_joints, "all joints");
  RelativeCoordinates set(*model);
  Markers markers(*model);
  std::vector<Load> loads;
  std::vector<GradientEntry> entries;
  std::vector<Vec3> gradients;
  std::vector<int> slots, columns;
  std::mt19937 random(GetParam() + 100);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto any = [&] { return Vec3(number(random), number(random), number(random)); };
  for (int b = 0; b < static_cast<int>(model->bodies.size()); ++b) {
    for (const int marker : {markers.point(b, any()), markers.vector(b, any().normalized()), markers.rotation(b)}) {
      loads.push_back({marker, any()});
      entries.push_back({0, marker});
      gradients.push_back(loads.back().value);
      set.columns(markers.list[marker], columns);
      slots.insert(slots.end(), columns.begin(), columns.end());
    }
  }
  const RandomState state(set, GetParam());
  set.update_positions(state.q, markers);
  set.update_velocities(state.q, state.v, markers);
  double power = 0;
  for (const Load& load : loads) power += load.value.dot(markers.rate[load.marker]);
  Vector Q = Vector::Zero(set.velocity_size()), row = Q;
  set.scatter(markers, loads, Q);
  set.scatter(markers, entries, gradients, slots, row.data());
  EXPECT_NEAR(Q.dot(state.v), power, 1e-12 * (1 + std::abs(power)));
  EXPECT_LT((Q - row).norm(), 1e-12 * Q.norm());
}

TEST_P(RelativeKinematics, MassMatrixRecursionAndEnergyAgree) {
  const auto model = load_text(all_joints, "all joints");
  System system(model, *find_coordinates_type("relative"));
  const RandomState state(system.coordinates(), GetParam());
  Equations eq = system.empty_equations();
  system.evaluate(0, state.q, state.v, Vector(), Upto::dynamics, eq);
  // Kinetic energy from the bodies' velocities, not from M.
  std::vector<BodyState> bodies;
  system.body_states(bodies);
  double energy = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Vec3 local = bodies[b].orientation.conjugate() * bodies[b].omega;
    energy +=
        0.5 * (model->bodies[b].mass * bodies[b].velocity.squaredNorm() + local.dot(model->bodies[b].inertia * local));
  }
  EXPECT_NEAR(system.kinetic_energy(), energy, 1e-12 * energy);
  EXPECT_NEAR(0.5 * state.v.dot(eq.M * state.v), energy, 1e-12 * energy);
  const auto recursion = create_tree_dynamics(*model, *system.coordinates().spanning_tree());
  recursion->place(state.q.data());
  ASSERT_TRUE(recursion->factorize());
  Vector x = state.v;
  recursion->reduce(x.data());
  recursion->restore(x.data());
  EXPECT_LT((eq.M * x - state.v).norm(), 1e-11 * state.v.norm());
}

TEST_P(RelativeKinematics, ComesBackFromTheBodies) {
  const auto model = load_text(all_joints, "all joints");
  System system(model, *find_coordinates_type("relative"));
  const RandomState state(system.coordinates(), GetParam());
  Equations eq = system.empty_equations();
  system.evaluate(0, state.q, state.v, Vector(), Upto::velocities, eq);
  std::vector<BodyState> bodies;
  system.body_states(bodies);
  Vector q(state.q.size()), v(state.v.size()), difference(state.v.size());
  system.coordinates().from_bodies(bodies, q, v);
  system.coordinates().difference(state.q, q, difference);
  EXPECT_LT(difference.norm(), 1e-12);
  EXPECT_LT((v - state.v).norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RelativeKinematics, ::testing::Range(1u, 6u));

// A door on two hinges, or two slides, in a frame that swings, with axes along nothing: in coordinates of the tree the
// second joint says nothing, and its rows are zero and not rounding errors, which would be constraints.
std::shared_ptr<const Model> door_on_two_joints(const char* type, double size, double offset) {
  const auto at = [&](double x, double y, double z) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", offset + size * x, offset + size * y, offset + size * z);
  };
  const auto inertia = [&](double x, double y, double z) {
    return fmt::format("[{}, {}, {}]", size * size * x, size * size * y, size * size * z);
  };
  return load_text(fmt::format("bricard: 1\n"
                               "gravity: [0.3, -0.5, -9.81]\n"
                               "bodies:\n"
                               "  frame: {{mass: 5, inertia: {}, center: {}}}\n"
                               "  door: {{mass: 20, inertia: {}, center: {}}}\n"
                               "joints:\n"
                               "  swing: {{type: revolute, bodies: [ground, frame], at: {}, axis: [3, 1, 1]}}\n"
                               "  low: {{type: {}, bodies: [frame, door], at: {}, axis: [1, 2, 7]}}\n"
                               "  high: {{type: {}, bodies: [frame, door], at: {}, axis: [1, 2, 7]}}\n",
                               inertia(1, 2, 1.5), at(0.2, 0.1, 0.7), inertia(3, 2, 5), at(0.5, 0, 1), at(0, 0.3, 2),
                               type, at(0.1, 0, 0.2), type, at(0.3, 0.4, 1.6)),
                   "door");
}

TEST(Relative, RowsThatSayNothingAreZeroAndDoNoHarm) {
  struct Door {
    const char* type;
    double size, offset;
  };
  for (const Door& door : {Door{"revolute", 1, 0}, Door{"revolute", 1e-3, 0}, Door{"revolute", 1, 1e4},
                           Door{"prismatic", 1, 0}, Door{"prismatic", 1e-3, 0}, Door{"prismatic", 1, 1e4}}) {
    SCOPED_TRACE(fmt::format("{} of {} m, {} m away", door.type, door.size, door.offset));
    const auto model = door_on_two_joints(door.type, door.size, door.offset);
    Method method;
    method.duration = 0.5 * std::sqrt(door.size), method.output_step = method.duration, method.tolerance = 1e-9;
    method.coordinates = "reference-point";
    const SimulationResult bodies = simulate(model, method);
    ASSERT_TRUE(bodies.summary.ok()) << bodies.summary.failure;
    method.coordinates = "relative";
    for (const char* formulation : {"nullspace-svd", "udwadia-kalaba", "lagrange-proximal", "recursive"}) {
      method.formulation = formulation;
      const SimulationResult result = simulate(model, method);
      ASSERT_TRUE(result.summary.ok()) << formulation << ": " << result.summary.failure;
      EXPECT_EQ(result.summary.structure.rank, 0) << formulation;
      EXPECT_EQ(result.summary.structure.degrees_of_freedom, 2) << formulation;
      EXPECT_LT(result.summary.steps, 200) << formulation;
      for (const char* column : {"door.x", "door.y", "door.z", "frame.x"})
        EXPECT_NEAR(result.data.at(1, column), bodies.data.at(1, column), 1e-6 * door.size + 1e-12 * door.offset)
            << formulation << " " << column;
      EXPECT_GT(std::abs(result.data.at(1, "door.x") - result.data.at(0, "door.x")), 1e-2 * door.size) << formulation;
    }
  }
}

TEST(Recursive, SolvesALongChainToRoundOff) {
  const auto model = load_text(generator_types().back().generate(300), "chain");
  System system(model, *find_coordinates_type("relative"));
  const RandomState state(system.coordinates(), 7);
  Equations eq = system.empty_equations();
  system.evaluate(0, state.q, state.v, Vector(), Upto::dynamics, eq);
  const auto recursion = create_tree_dynamics(*model, *system.coordinates().spanning_tree());
  recursion->place(state.q.data());
  ASSERT_TRUE(recursion->factorize());
  Vector x = eq.Q;
  recursion->reduce(x.data());
  recursion->restore(x.data());
  EXPECT_LT((eq.M * x - eq.Q).norm(), 1e-9 * eq.Q.norm());
}

TEST(Recursive, NamesWhatHasNoInertia) {
  const auto model = load_text(
      "bricard: 1\nbodies: {rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}\n"
      "joints: {A: {type: spherical, bodies: [ground, rod], at: [0, 0, 0]}}\n",
      "rod without axial inertia");
  EXPECT_THROW(simulate(model, {.coordinates = "relative", .formulation = "recursive"}), InputError);
}

// --- whole runs ---

struct Case {
  const char* model;
  double duration;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class RelativeMotion : public ::testing::TestWithParam<Case> {};

TEST_P(RelativeMotion, IsTheSameByEveryRoute) {
  const auto model = shipped(GetParam().model);
  const auto run = [&](const char* coordinates, const char* formulation) {
    return simulate(model, {.coordinates = coordinates,
                            .formulation = formulation,
                            .tolerance = 1e-10,
                            .duration = GetParam().duration,
                            .output_step = GetParam().duration / 4});
  };
  const SimulationResult expected = run("reference-point", "auto");
  ASSERT_TRUE(expected.ok()) << expected.summary.failure;
  for (const char* formulation : {"auto", "recursive", "nullspace-qr", "udwadia-kalaba"}) {
    SCOPED_TRACE(formulation);
    const SimulationResult result = run("relative", formulation);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_EQ(result.summary.structure.degrees_of_freedom, expected.summary.structure.degrees_of_freedom);
    EXPECT_EQ(result.summary.structure.reactions, expected.summary.structure.reactions);  // unique or not
    ASSERT_EQ(result.summary.columns, expected.summary.columns);
    for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
      for (std::size_t k = 0; k < result.summary.columns.size(); ++k) {
        const std::string& name = result.summary.columns[k];
        if (name.starts_with("constraint.")) continue;
        const int c = static_cast<int>(k);
        // Reactions multiply errors of positions by stiffness of the motion; p and -p are the same rotation.
        const bool reaction = name.find(".f") != std::string::npos || name.find(".m") != std::string::npos;
        const double value = expected.data.rows[row][c];
        double got = result.data.rows[row][c];
        if (name.find(".q") != std::string::npos && got * value < 0) got = -got;
        EXPECT_NEAR(got, value, (reaction ? 1e-6 : 1e-7) * (1 + std::abs(value))) << name << " row " << row;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RelativeMotion,
                         ::testing::Values(Case{"double-pendulum", 1}, Case{"four-bar", 1}, Case{"five-bar", 1},
                                           Case{"slider-crank", 0.1}, Case{"driven-slider-crank", 1},
                                           Case{"exudyn-joints", 0.25}, Case{"mcpherson", 1}, Case{"bennett", 1},
                                           Case{"screw-press", 0.5}, Case{"geared-pair", 1}, Case{"rack-and-pinion", 1},
                                           Case{"stewart", 0.2}, Case{"pendulum", 1}, Case{"sarrus", 0.1},
                                           Case{"modelica-four-bar", 0.5}, Case{"modelica-double-pendulum", 0.5},
                                           Case{"controlled-double-rod", 1}, Case{"sundials-slider-crank", 1},
                                           Case{"parallelogram-3", 0.5}, Case{"rolling-coin", 0.5},
                                           Case{"knife-edge", 1}),
                         [](const auto& test) {
                           std::string name = test.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace relative_test
}  // namespace bricard
