// Trees by recursion: accelerations against M v' = Q with the mass matrix of composite bodies, energies and turns
// against the System's.
#include <gtest/gtest.h>

#include <random>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "dynamics/tree/tree_dynamics.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/motion_over.h"

namespace bricard {
namespace tree_test {

// Every kind of tree joint, forwards and backwards, branches, a floating base, bodies fixed to another and to the
// ground.
const char* const spatial_tree =
    "bricard: 1\n"
    "gravity: [1, -2, -9]\n"
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
    "  k: {mass: 0.7, inertia: [0.1, 0.12, 0.2], center: [-2, 1, 1], orientation: {euler_zxz: [1, 2, 3]}}\n"
    "  l: {mass: 0.5, inertia: [0.1, 0.1, 0.03], center: [5, 6, 5]}\n"
    "joints:\n"
    "  ab: {type: revolute, bodies: [a, base], at: [0.5, 0, 0], axis: [1, 2, 3]}\n"
    "  bc: {type: cylindrical, bodies: [a, b], at: [1.5, 0, 0], axis: [0, 1, 1]}\n"
    "  cd: {type: universal, bodies: [c, b], at: [2, 1, 0], axes: [[1, 0, 1], [0, 1, 0]]}\n"
    "  de: {type: spherical, bodies: [b, d], at: [2.5, 1, 0]}\n"
    "  ef: {type: screw, bodies: [d, e], at: [3, 1.5, 0], axis: [0, 1, 0], pitch: 0.3}\n"
    "  fg: {type: planar, bodies: [base, f], at: [-0.5, 0, 0], axis: [1, 0, 1]}\n"
    "  gh: {type: prismatic, bodies: [g, f], at: [-1.5, 0, 0], axis: [1, 1, 0]}\n"
    "  hh: {type: fixed, bodies: [ground, h], at: [5, 5, 4]}\n"
    "  gk: {type: fixed, bodies: [k, g], at: [-2, 0.5, 1]}\n"
    "  hl: {type: cylindrical, bodies: [l, h], at: [5, 5.5, 5], axis: [0, 0, 1]}\n";

const char* const planar_tree =
    "bricard: 1\n"
    "dimension: planar\n"
    "gravity: [1, -9]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.2, center: [0.5, 0.1]}\n"
    "  b: {mass: 2, inertia: 0.3, center: [1.5, 0.5], angle: 0.7}\n"
    "  c: {mass: 1.5, inertia: 0.1, center: [2, 1]}\n"
    "  d: {mass: 1, inertia: 0.15, center: [3, 1]}\n"
    "  e: {mass: 0.3, inertia: 0.02, center: [3.5, 1]}\n"
    "  f: {mass: 1, inertia: 0.5, center: [-3, 2]}\n"
    "  g: {mass: 0.5, inertia: 0.1, center: [-4, 2]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  B: {type: prismatic, bodies: [a, b], at: [1, 0.2], axis: [1, 1]}\n"
    "  C: {type: revolute, bodies: [c, b], at: [1.8, 0.8]}\n"
    "  D: {type: revolute, bodies: [b, d], at: [2.5, 0.9]}\n"
    "  E: {type: fixed, bodies: [d, e], at: [3.2, 1]}\n"
    "  G: {type: prismatic, bodies: [g, f], at: [-3.5, 2], axis: [1, 0.2]}\n";

std::shared_ptr<const Model> read(const std::string& name) {
  if (name == "spatial tree") return load_text(spatial_tree, name);
  if (name == "planar tree") return load_text(planar_tree, name);
  return testing_support::generated_or_shipped(name, 30);
}

struct Turned {
  explicit Turned(const std::string& name, unsigned seed = 1)
      : model(read(name)),
        system(model, *find_coordinates_type("relative")),
        q(system.position_size()),
        v(system.velocity_size()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector away(v.size());
    for (double& x : away) x = 2 * number(random);
    for (double& x : v) x = 3 * number(random);
    system.coordinates().reference(q);
    system.coordinates().advance(q, away);
  }
  std::unique_ptr<MechanismMotion> motion() {
    return testing_support::motion_over(system, q, v, {.engine = "tree", .formulation = "recursive"});
  }
  std::unique_ptr<TreeDynamics> dynamics() const {
    return create_tree_dynamics(*model, *system.coordinates().spanning_tree());
  }

  std::shared_ptr<const Model> model;
  System system;
  Vector q, v;
};

class TreeModels : public ::testing::TestWithParam<const char*> {};

TEST_P(TreeModels, AccelerationsSatisfyTheEquationsOfMotion) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Turned tree(GetParam(), seed);
    const auto motion = tree.motion();
    ASSERT_NE(motion, nullptr);
    Vector x(motion->size()), xdot(motion->size()), qdot(tree.q.size());
    motion->pack(0, tree.q, tree.v, x);
    ASSERT_EQ(motion->derivative(0, x, xdot), Status::ok) << motion->failure();
    Equations eq = tree.system.empty_equations();
    tree.system.evaluate(0, tree.q, tree.v, Vector(), Upto::dynamics, eq);
    const Vector expected = Matrix(eq.M).llt().solve(eq.Q);
    EXPECT_LT((xdot.segment(tree.q.size(), tree.v.size()) - expected).norm(), 1e-10 * expected.norm());
    tree.system.coordinates().position_rate(tree.q, tree.v, qdot);
    EXPECT_EQ((xdot.head(qdot.size()) - qdot).norm(), 0);
    EXPECT_NEAR(xdot[motion->size() - 1], tree.system.nonconservative_power(eq, Vector()), 1e-12 * (1 + eq.Q.norm()));
    // Outputs see the same, from an evaluated System.
    Vector observed(motion->size());
    ASSERT_EQ(motion->observe(0, x, observed), Status::ok);
    EXPECT_LT((observed - xdot).norm(), 1e-10 * xdot.norm());
    EXPECT_LT((motion->equations().Q - eq.Q).norm(), 1e-12 * eq.Q.norm());
  }
}

TEST_P(TreeModels, EnergyIsThatOfTheSystem) {
  Turned tree(GetParam(), 3);
  const auto motion = tree.motion();
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(0, tree.q, tree.v, x);
  for (const bool evaluated_there : {false, true}) {
    if (evaluated_there) motion->derivative(0, x, xdot);
    ASSERT_TRUE(motion->accept(0, x));
    Equations eq = tree.system.empty_equations();
    tree.system.evaluate(0, tree.q, tree.v, Vector(), Upto::velocities, eq);
    const double kinetic = tree.system.kinetic_energy(), potential = tree.system.potential_energy(0);
    EXPECT_NEAR(motion->energy_balance(), kinetic + potential, 1e-12 * (1 + kinetic + std::abs(potential)));
  }
}

TEST_P(TreeModels, InverseOfTheMassMatrixIsASquare) {
  Turned tree(GetParam(), 4);
  Equations eq = tree.system.empty_equations();
  tree.system.evaluate(0, tree.q, tree.v, Vector(), Upto::dynamics, eq);
  const auto dynamics = tree.dynamics();
  dynamics->place(tree.q.data());
  ASSERT_TRUE(dynamics->factorize());
  const int n = static_cast<int>(tree.v.size());
  const Matrix inverse = Matrix(eq.M).inverse();
  Matrix W = Matrix::Identity(n, n);
  for (int k = 0; k < n; ++k) dynamics->reduce(W.col(k).data());
  EXPECT_LT((W.transpose() * W - inverse).norm(), 1e-10 * inverse.norm());
  Vector x = Vector::LinSpaced(n, -1, 2);
  const Vector transposed = W.transpose() * x;
  dynamics->restore(x.data());
  EXPECT_LT((x - transposed).norm(), 1e-11 * transposed.norm());
  // Along the way of each body to the ground, the short sweep gives what the whole one does.
  std::vector<int> columns;
  for (int body = 0; body < static_cast<int>(tree.model->bodies.size()); ++body) {
    tree.system.coordinates().columns({body, MarkerKind::point, Vec3::Zero()}, columns);
    std::sort(columns.begin(), columns.end());
    std::vector<int> path;
    Vector all = Vector::Zero(n), few(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      all[columns[k]] = few[static_cast<int>(k)] = std::sin(1.0 + static_cast<double>(k));
      const int link = dynamics->link_of(columns[k]);
      if (path.empty() || path.back() != link) path.push_back(link);
    }
    dynamics->reduce(all.data());
    dynamics->reduce(path, few.data());
    for (std::size_t k = 0; k < columns.size(); ++k) all[columns[k]] -= few[static_cast<int>(k)];
    EXPECT_LT(all.norm(), 1e-13 * (1 + few.norm())) << body;
  }
}

TEST_P(TreeModels, EvaluatingAndAcceptingAllocateNothing) {
  Turned tree(GetParam());
  const auto motion = tree.motion();
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(0, tree.q, tree.v, x);
  const ConstVector state = x;
  const VectorRef rate = xdot;
  motion->derivative(0, state, rate);
  const AllocationCounter counter;
  motion->derivative(0, state, rate);
  motion->accept(0, state);
  EXPECT_EQ(counter.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(Models, TreeModels,
                         ::testing::Values("spatial tree", "planar tree", "spatial-chain", "double-pendulum",
                                           "spinning-top", "free-top", "pendulum", "exudyn-joints", "follower-force",
                                           "satellite", "spring-platform", "modelica-double-pendulum"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
                           return name;
                         });

// Rates at which every joint makes full turns within the run, starting beyond half a turn.
TEST(Tree, CountsTurnsAsTheSystemDoes) {
  const auto model = load_text(std::string(spatial_tree) +
                                   "initial:\n"
                                   "  positions: {ab: 4, hl: {angle: -20}}\n"
                                   "  velocities: {ab: 9, cd: {angle: 7, angle2: -8}, ef: 9, hl: {angle: -30}}\n",
                               "turning tree");
  const auto run = [&](const char* coordinates, const char* formulation) {
    return simulate(model, {.coordinates = coordinates,
                            .formulation = formulation,
                            .tolerance = 1e-10,
                            .duration = 1.5,
                            .output_step = 0.5});
  };
  const SimulationResult expected = run("reference-point", "lagrange"), result = run("relative", "recursive");
  ASSERT_TRUE(expected.ok()) << expected.summary.failure;
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  ASSERT_EQ(result.summary.columns, expected.summary.columns);
  const auto last = [&](const std::string& name) { return result.data.rows.back()[result.data.index(name)]; };
  EXPECT_LT(last("hl.angle"), -60);  // many turns
  for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
    for (std::size_t k = 0; k < expected.summary.columns.size(); ++k) {
      const std::string& name = expected.summary.columns[k];
      if (name.find(".angle") == std::string::npos && name.find(".rate") == std::string::npos) continue;
      const int c = static_cast<int>(k);
      const double value = expected.data.rows[row][c];
      EXPECT_NEAR(result.data.rows[row][c], value, 1e-6 * (1 + std::abs(value))) << name << " row " << row;
    }
  }
  EXPECT_LT(result.summary.energy_drift, 1e-6 * result.summary.energy_scale);
}

}  // namespace tree_test
}  // namespace bricard
