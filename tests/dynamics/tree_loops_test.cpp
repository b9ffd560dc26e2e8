// Trees with closed loops by recursion: accelerations, multipliers and projection against dense algebra with the
// System's matrices.
#include <gtest/gtest.h>

#include <random>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "io/model/generate.h"
#include "support/allocation_counter.h"
#include "support/motion_over.h"

namespace bricard {
namespace tree_loops_test {

// A chain with a branch, closed by two joints whose loops have links in common.
std::string spatial_loops(const std::string& closing) {
  return "bricard: 1\n"
         "gravity: [1, -2, -9]\n"
         "bodies:\n"
         "  a: {mass: 1, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.5, 0, 0], orientation: {euler_zxz: [0.3, "
         "0.4, 0.5]}}\n"
         "  b: {mass: 2, inertia: [0.3, 0.2, 0.2], center: [1.5, 0.5, 0]}\n"
         "  c: {mass: 1.5, inertia: [0.1, 0.1, 0.1], center: [2, 1, 1]}\n"
         "  d: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [3, 1, 0]}\n"
         "  e: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [3, 2, 0]}\n"
         "  f: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [4, 2, 1], orientation: {euler_zxz: [1, 2, 3]}}\n"
         "  g: {mass: 1, inertia: [0.1, 0.15, 0.2], center: [1, 2, 1]}\n"
         "  h: {mass: 0.7, inertia: [0.1, 0.12, 0.2], center: [2, 2, 1], orientation: {euler_zxz: [1, 2, 3]}}\n"
         "joints:\n"
         "  A: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
         "  B: {type: revolute, bodies: [b, a], at: [1, 0.2, 0], axis: [1, 2, 3]}\n"
         "  C: {type: spherical, bodies: [b, c], at: [1.8, 0.8, 0.5]}\n"
         "  D: {type: revolute, bodies: [c, d], at: [2.5, 0.9, 0.5], axis: [0, 1, 1]}\n"
         "  E: {type: cylindrical, bodies: [e, d], at: [3, 1.5, 0], axis: [1, 1, 0]}\n"
         "  F: {type: universal, bodies: [e, f], at: [3.5, 2, 0.5], axes: [[1, 0, 1], [0, 1, 0]]}\n"
         "  G: {type: spherical, bodies: [b, g], at: [1.2, 1.2, 0.5]}\n"
         "  H: {type: revolute, bodies: [g, h], at: [1.5, 2, 1], axis: [0, 0, 1]}\n"
         "  second: {type: spherical, bodies: [d, h], at: [2.5, 1.5, 0.5], cut: true}\n"
         "  first: {bodies: [ground, f], " +
         closing +
         "}\n"
         "forces:\n"
         "  spring: {type: spring, between: [[ground, [5, 5, 1]], [e, [3, 2.2, 0]]], stiffness: 40, damping: 3, "
         "free_length: 1}\n"
         "  push: {type: force, body: h, at: [2, 2.2, 1], vector: [3, 1, -2]}\n";
}

std::string planar_loops(const std::string& closing) {
  return "bricard: 1\n"
         "dimension: planar\n"
         "gravity: [1, -9]\n"
         "bodies:\n"
         "  a: {mass: 1, inertia: 0.2, center: [0.5, 0.1]}\n"
         "  b: {mass: 2, inertia: 0.3, center: [1.5, 0.5], angle: 0.7}\n"
         "  c: {mass: 1.5, inertia: 0.1, center: [2, 1]}\n"
         "  d: {mass: 1, inertia: 0.15, center: [3, 1]}\n"
         "  e: {mass: 0.3, inertia: 0.02, center: [3.5, 1]}\n"
         "  f: {mass: 1, inertia: 0.5, center: [4, 2]}\n"
         "  g: {mass: 0.5, inertia: 0.1, center: [2.5, 2]}\n"
         "joints:\n"
         "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
         "  B: {type: prismatic, bodies: [a, b], at: [1, 0.2], axis: [1, 1]}\n"
         "  C: {type: revolute, bodies: [c, b], at: [1.8, 0.8]}\n"
         "  D: {type: revolute, bodies: [c, d], at: [2.5, 0.9]}\n"
         "  E: {type: fixed, bodies: [d, e], at: [3.2, 1]}\n"
         "  F: {type: revolute, bodies: [e, f], at: [3.7, 1.5]}\n"
         "  G: {type: revolute, bodies: [g, b], at: [2, 1.5]}\n"
         "  second: {type: revolute, bodies: [e, g], at: [3, 1.5], cut: true}\n"
         "  first: {bodies: [ground, f], " +
         closing +
         "}\n"
         "forces:\n"
         "  spring: {type: spring, between: [[ground, [5, 5]], [d, [3, 1.2]]], stiffness: 40, damping: 3, "
         "free_length: 1}\n"
         "  turn: {type: torque, body: g, value: 2}\n";
}

struct Case {
  const char* name;
  bool planar;
  const char* closing;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class LoopJoints : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string text = GetParam().planar ? planar_loops(GetParam().closing) : spatial_loops(GetParam().closing);
    model_ = load_text(text, GetParam().name);
    system_ = std::make_unique<System>(model_, *find_coordinates_type("relative"));
    dense_ = std::make_unique<System>(model_, *find_coordinates_type("relative"));
    ASSERT_EQ(find_dynamics_type("tree")->misfit(*system_, 0), "");
    q_.resize(system_->position_size());
    v_.resize(system_->velocity_size());
  }
  /// Anywhere: accelerations need no closed loops.
  void go(unsigned seed, double away) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector displacement(v_.size());
    for (double& x : displacement) x = away * number(random);
    for (double& x : v_) x = 3 * number(random);
    system_->coordinates().reference(q_);
    system_->coordinates().advance(q_, displacement);
  }
  std::unique_ptr<MechanismMotion> motion() {
    return testing_support::motion_over(*system_, q_, v_,
                                        {.engine = "tree", .formulation = "recursive", .stabilization = "projection"});
  }

  std::shared_ptr<const Model> model_;
  std::unique_ptr<System> system_, dense_;
  Vector q_, v_;
};

// Late in a run, when joints have turned far since its start.
TEST_P(LoopJoints, MatricesOfTheWholeSystemMayTakeOver) {
  go(1, 0.1);
  v_ *= 5;
  const auto loops = motion();
  ASSERT_NE(loops, nullptr);
  Vector x(loops->size());
  loops->pack(0, q_, v_, x);
  ASSERT_TRUE(loops->accept(0, x));
  Equations eq = system_->empty_equations();
  system_->evaluate(0, q_, v_, Vector(), Upto::velocities, eq);
  const int hinge = system_->joint_coordinates()[3][0];  // D
  const Jet start = system_->signals()[hinge];
  ASSERT_GT(5 * std::abs(start.rate), 2);  // more than can be told from one instant
  constexpr double step = 1e-3;
  for (int k = 1; k <= 5000; ++k) {
    system_->coordinates().advance(q_, step * v_);
    loops->pack(step * k, q_, v_, x);
    ASSERT_TRUE(loops->accept(step * k, x)) << loops->failure();
  }
  const auto whole = testing_support::motion_over(*system_, q_, v_, {.stabilization = "projection"});
  ASSERT_TRUE(whole->accept(5, x)) << whole->failure();
  EXPECT_NEAR(system_->signals()[hinge].value, start.value + 5 * start.rate, 1e-9);
}

TEST_P(LoopJoints, AccelerationsAndMultipliersAreThoseOfTheWholeMatrix) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    go(seed, 0.3);
    const auto loops = motion();
    ASSERT_NE(loops, nullptr);
    Vector x(loops->size()), xdot(loops->size());
    loops->pack(0, q_, v_, x);
    ASSERT_EQ(loops->observe(0, x, xdot), Status::ok) << loops->failure();

    Equations eq = dense_->empty_equations();
    dense_->evaluate(0, q_, v_, Vector(), Upto::dynamics, eq);
    const int n = static_cast<int>(v_.size()), m = dense_->row_count();
    Matrix K = Matrix::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = eq.M;
    K.bottomLeftCorner(m, n) = eq.P;
    K.topRightCorner(n, m) = Matrix(eq.P).transpose();
    Vector right(n + m);
    right << eq.Q, eq.gamma;
    const Vector solution = K.fullPivLu().solve(right);
    EXPECT_LT((xdot.segment(q_.size(), n) - solution.head(n)).norm(), 1e-9 * solution.head(n).norm()) << seed;
    EXPECT_LT((loops->multipliers() - solution.tail(m)).norm(), 1e-9 * solution.tail(m).norm()) << seed;
  }
}

TEST_P(LoopJoints, ProjectionMovesAlongTheGradientsInTheMetricOfMass) {
  go(1, 1e-4);
  const auto loops = motion();
  Vector x(loops->size());
  loops->pack(0, q_, v_, x);
  ASSERT_EQ(loops->correct(0, x), StepChange::corrected) << loops->failure();
  Equations eq = dense_->empty_equations();
  dense_->evaluate(0, x.head(q_.size()), x.segment(q_.size(), v_.size()), Vector(), Upto::dynamics, eq);
  EXPECT_LT(eq.Phi.lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LT(eq.Phi_dot.lpNorm<Eigen::Infinity>(), 1e-11);
  // M (v - v0) = P^T mu
  const Vector change = eq.M * (x.segment(q_.size(), v_.size()) - v_);
  const Matrix Pt = Matrix(eq.P).transpose();
  EXPECT_LT((change - Pt * Pt.colPivHouseholderQr().solve(change)).norm(), 1e-9 * change.norm());
  // The derivative there starts from the factors of the projection.
  Vector xdot(x.size()), again(x.size());
  ASSERT_EQ(loops->derivative(0, x, xdot), Status::ok);
  ASSERT_EQ(loops->derivative(1, x, again), Status::ok);  // another time: from the beginning
  EXPECT_LT((xdot - again).norm(), 1e-11 * again.norm());
}

TEST_P(LoopJoints, DoesNotAllocate) {
  go(1, 1e-4);
  const auto loops = motion();
  Vector x(loops->size()), xdot(loops->size());
  loops->pack(0, q_, v_, x);
  loops->correct(0, x);
  loops->derivative(0, x, xdot);
  loops->accept(0, x);
  x.head(q_.size()) = q_;
  const AllocationCounter counter;
  const StepChange change = loops->correct(0.1, x);
  const Status first = loops->derivative(0.1, x, xdot), second = loops->derivative(0.2, x, xdot);
  const bool accepted = loops->accept(0.1, x);
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(change, StepChange::corrected);
  EXPECT_TRUE(first == Status::ok && second == Status::ok && accepted);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoopJoints,
    ::testing::Values(Case{"revolute", false, "type: revolute, cut: true, at: [4, 2.5, 1], axis: [1, 2, 0]"},
                      Case{"prismatic", false, "type: prismatic, cut: true, at: [4, 2.5, 1], axis: [1, 2, 0]"},
                      Case{"fixed", false, "type: fixed, cut: true, at: [4, 2.5, 1]"},
                      Case{"cylindrical", false, "type: cylindrical, cut: true, at: [4, 2.5, 1], axis: [1, 2, 0]"},
                      Case{"spherical", false, "type: spherical, cut: true, at: [4, 2.5, 1]"},
                      Case{"universal", false,
                           "type: universal, cut: true, at: [4, 2.5, 1], axes: [[1, 0, 1], [0, 1, 0]]"},
                      Case{"planar", false, "type: planar, cut: true, at: [4, 2.5, 1], axis: [1, 2, 0]"},
                      Case{"distance", false, "type: distance, at: [[5, 2.5, 1], [4, 2.5, 1]]"},
                      Case{"point_on_plane", false, "type: point_on_plane, at: [4, 2.5, 1], axis: [1, 0, 1]"},
                      Case{"parallel_axes", false, "type: parallel_axes, axis: [1, 2, 0]"},
                      Case{"orientation", false, "type: orientation"},
                      Case{"planar_revolute", true, "type: revolute, cut: true, at: [4, 2.5]"},
                      Case{"planar_prismatic", true, "type: prismatic, cut: true, at: [4, 2.5], axis: [1, 2]"},
                      Case{"planar_distance", true, "type: distance, at: [[5, 2.5], [4, 2.5]]"}),
    [](const auto& test) { return std::string(test.param.name); });

// A ladder: every loop is coupled to its neighbours. Loops and graph are two formulations of one motion.
TEST(TreeLoops, ALadderMovesAsOverTheGraph) {
  const auto model = load_text(generator_types().front().generate(12), "n-four-bar");
  const auto run = [&](const char* coordinates, const char* formulation) {
    return simulate(model, {.coordinates = coordinates,
                            .formulation = formulation,
                            .integrator = "dop853",
                            .tolerance = 1e-10,
                            .duration = 0.7,
                            .output_step = 0.1});
  };
  const SimulationResult loops = run("relative", "recursive"), graph = run("reference-point", "lagrange");
  ASSERT_TRUE(loops.ok() && graph.ok());
  ASSERT_EQ(loops.summary.columns, graph.summary.columns);
  for (std::size_t row = 0; row < graph.data.rows.size(); ++row) {
    for (std::size_t k = 0; k < graph.summary.columns.size(); ++k) {
      if (graph.summary.columns[k].starts_with("constraint.")) continue;
      const double value = graph.data.rows[row][static_cast<int>(k)];
      EXPECT_NEAR(loops.data.rows[row][static_cast<int>(k)], value, 1e-7 * (1 + std::abs(value)))
          << graph.summary.columns[k] << " row " << row;
    }
  }
}

// Joints that close loops in space have angles beyond full turns too: here that of the crank, with three equations too
// many.
TEST(TreeLoops, CountsTurnsOfJointsThatCloseLoops) {
  const auto model = load_text(
      "bricard: 1\n"
      "bodies:\n"
      "  crank: {rod: [[0, 0, 0], [0.5, 0, 0]], mass: 1, radius: 0.02}\n"
      "  coupler: {rod: [[0.5, 0, 0], [2, 1.5, 0]], mass: 1, radius: 0.02}\n"
      "  rocker: {rod: [[2, 0, 0], [2, 1.5, 0]], mass: 1, radius: 0.02}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], cut: true}\n"
      "  B: {type: revolute, bodies: [crank, coupler], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
      "  C: {type: revolute, bodies: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}\n"
      "  D: {type: revolute, bodies: [ground, rocker], at: [2, 0, 0], axis: [0, 0, 1]}\n"
      "initial: {velocities: {A: 9}}\n",
      "crank and rocker");
  const auto run = [&](const char* coordinates, const char* formulation) {
    return simulate(
        model,
        {.coordinates = coordinates, .formulation = formulation, .tolerance = 1e-8, .duration = 3, .output_step = 0.5});
  };
  const SimulationResult loops = run("relative", "recursive"), bodies = run("reference-point", "auto");
  ASSERT_TRUE(loops.ok() && bodies.ok());
  double most = 0;
  for (std::size_t k = 0; k < bodies.summary.columns.size(); ++k) {
    if (!bodies.summary.columns[k].ends_with(".angle")) continue;
    for (std::size_t row = 0; row < bodies.data.rows.size(); ++row) {
      const double value = bodies.data.rows[row][static_cast<int>(k)];
      most = std::max(most, std::abs(value));
      EXPECT_NEAR(loops.data.rows[row][static_cast<int>(k)], value, 1e-4) << bodies.summary.columns[k];
    }
  }
  EXPECT_GT(most, 13);
}

}  // namespace tree_loops_test
}  // namespace bricard
