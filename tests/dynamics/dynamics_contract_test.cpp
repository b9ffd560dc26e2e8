// What every engine promises, on every shipped model and a chain of every family: against dense algebra with matrices
// of a System of the test's own.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "analyses/assembly/assembly.h"
#include "analyses/structure/structure.h"
#include "dynamics/dynamics.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace dynamics_contract_test {

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/models")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  for (const GeneratorType& type : generator_types()) {
    if (std::find(names.begin(), names.end(), type.name) == names.end()) names.push_back(type.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// All that does not fit: any other refusal fails the contract.
const std::map<std::pair<std::string, std::string>, std::string> misfits = {
    {{"bodies", "bricard"}, "body rod1 has no inertia about an axis"},
    {{"bodies", "four-wheeled-cart"}, "redundant constraints are among those of velocities"},
};

struct Case {
  std::string engine, model;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " by " << c.engine; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const DynamicsType& type : dynamics_types()) {
    for (const std::string& model : all_models()) {
      if (!misfits.count({type.name, model})) cases.push_back({type.name, model});
    }
  }
  return cases;
}

std::string coordinates_for(const std::string& engine) { return engine == "tree" ? "relative" : "reference-point"; }

/// A model at its start, moving as its constraints allow, with the equations there.
class Situation {
 public:
  explicit Situation(const Case& c)
      : model(testing_support::generated_or_shipped(c.model, 6)),
        type(*find_dynamics_type(c.engine)),
        assembly(assemble(model, *find_coordinates_type(coordinates_for(c.engine)))),
        system(model, *find_coordinates_type(coordinates_for(c.engine))),
        judge(model, *find_coordinates_type(coordinates_for(c.engine))),
        states(Vector::Zero(judge.state_size())),
        eq(judge.empty_equations()),
        q(assembly.q),
        v(assembly.v) {
    EXPECT_TRUE(assembly.ok) << assembly.message;
    start_at(system, assembly);
    start_at(judge, assembly);
    const Structure structure = analyze_structure(judge, q, v);
    redundant = structure.constraints - structure.rank;
    evaluate();
    if (eq.rows() == 0) {
      for (double& x : v) x += number();
    } else {
      Eigen::FullPivLU<Matrix> lu{Matrix(eq.P)};
      lu.setThreshold(1e-9);
      if (lu.dimensionOfKernel() > 0) {
        Vector freedom(lu.dimensionOfKernel());
        for (double& x : freedom) x = number();
        v += lu.kernel() * freedom;
      }
    }
    evaluate();
  }

  std::unique_ptr<Dynamics> dynamics(const Feedback& feedback = {}) {
    return type.create(system,
                       {.feedback = feedback,
                        .redundant = redundant,
                        .q = assembly.q,
                        .v = assembly.v,
                        .formulation = find_formulation_type(redundant ? "lagrange-pseudoinverse" : "lagrange"),
                        .of_formulation = {.typical_inertia = typical_inertia(system), .redundant = redundant}});
  }
  void evaluate() { judge.evaluate(t, q, v, states, Upto::dynamics, eq); }
  Instant instant() const { return {t, q, v, states}; }
  double number() { return distribution(random); }
  /// Off the constraints.
  void displace(double position, double velocity) {
    Vector displacement(v.size());
    const double length = model->characteristic_length();
    for (int k = 0; k < v.size(); ++k) {
      const double scale = judge.coordinates().is_rotation(k) ? 1 : length;
      displacement[k] = position * scale * number();
      v[k] += velocity * scale * number();
    }
    judge.coordinates().advance(q, displacement);
    evaluate();
  }

  /// [M P^T; P 0] [x; y] = [f; g]: x, and the least y.
  std::pair<Vector, Vector> solve_densely(const Vector& f, const Vector& g) const {
    const int n = eq.velocities(), m = eq.rows();
    Matrix K = Matrix::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = eq.M;
    K.bottomLeftCorner(m, n) = eq.P;
    K.topRightCorner(n, m) = Matrix(eq.P).transpose();
    Vector right(n + m);
    right << f, g;
    // Rows and columns of like size: ranks are told from rounding.
    Vector scale(n + m);
    scale.head(n) =
        Matrix(eq.M).diagonal().cwiseMax(1e-6 * Matrix(eq.M).diagonal().maxCoeff()).cwiseSqrt().cwiseInverse();
    for (int row = 0; row < m; ++row)
      scale[n + row] = 1 / std::max(1e-12, scale.head(n).cwiseProduct(Vector(Matrix(eq.P).row(row))).norm());
    Eigen::FullPivLU<Matrix> lu(scale.asDiagonal() * K * scale.asDiagonal());
    lu.setThreshold(1e-11);
    const Vector scaled = lu.solve(scale.cwiseProduct(right));
    const Vector solution = scale.cwiseProduct(scaled);
    const Vector x = solution.head(n);
    if (m == 0) return {x, Vector(0)};
    Eigen::CompleteOrthogonalDecomposition<Matrix> transposed;
    transposed.setThreshold(1e-9);
    transposed.compute(Matrix(eq.P).transpose());
    return {x, transposed.solve(f - eq.M * x)};
  }

  std::shared_ptr<const Model> model;
  const DynamicsType& type;
  Assembly assembly;
  System system, judge;  // the engine's, and the test's
  Vector states;
  Equations eq;
  Vector q, v;
  double t = 0;
  int redundant = 0;
  std::mt19937 random{11};
  std::uniform_real_distribution<double> distribution{-1, 1};
};

double largest(const Vector& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

void fits(const Case& c) {
  Situation s(c);
  EXPECT_EQ(s.type.misfit(s.system, s.redundant), "");
  EXPECT_NE(s.type.describe(s.system, *find_formulation_type("lagrange")), "");
}

// On the constraints, and off them too where no rows depend on others: there is one answer then.
void accelerates_as_the_dense_equations(const Case& c) {
  for (const double away : {0.0, 1e-3}) {
    Situation s(c);
    if (away > 0 && s.redundant > 0) continue;
    if (away > 0) s.displace(away, away);
    Feedback feedback;
    if (away > 0) {
      feedback = {Vector::Constant(s.eq.rows(), 40), Vector::Constant(s.eq.rows(), 400)};
      for (int row = 0; row < s.eq.rows(); ++row) {
        if (s.judge.rows()[row].velocity_level) feedback.position[row] = 0;
      }
    }
    const auto dynamics = s.dynamics(feedback);
    Vector qdot(s.q.size()), vdot(s.v.size()), rates(s.q.size()), gamma = s.eq.gamma;
    ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
    feedback.apply(s.eq, gamma);
    const auto [expected, lambda] = s.solve_densely(s.eq.Q, gamma);
    EXPECT_LT(largest(vdot - expected), 1e-7 * (1 + largest(expected))) << away;
    s.judge.coordinates().position_rate(s.q, s.v, rates);
    EXPECT_LT(largest(qdot - rates), 1e-12 * (1 + largest(rates)));
    // Constraint forces are unique also where multipliers are not.
    const Vector forces = s.eq.P.transpose() * dynamics->multipliers();
    EXPECT_LT(largest(forces - s.eq.P.transpose() * lambda), 1e-7 * (1 + largest(forces) + largest(s.eq.Q))) << away;
    EXPECT_NEAR(dynamics->power(), s.judge.nonconservative_power(s.eq, dynamics->multipliers()),
                1e-8 * (1 + std::abs(dynamics->power()) + largest(forces)));
  }
}

// Gains of zero at first, others afterwards, each row with its own.
void takes_other_gains(const Case& c) {
  Situation s(c);
  if (s.redundant > 0 || s.eq.rows() == 0) return;
  s.displace(1e-3, 1e-3);
  const int rows = s.eq.rows();
  const auto dynamics = s.dynamics({Vector::Zero(rows), Vector::Zero(rows)});
  Feedback feedback{Vector::LinSpaced(rows, 20, 60), Vector::LinSpaced(rows, 500, 100)};
  for (int row = 0; row < rows; ++row) {
    if (s.judge.rows()[row].velocity_level) feedback.position[row] = 0;
  }
  for (const bool changed : {false, true}) {
    if (changed) dynamics->set_feedback(feedback);
    Vector qdot(s.q.size()), vdot(s.v.size()), gamma = s.eq.gamma;
    ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
    if (changed) feedback.apply(s.eq, gamma);
    const Vector expected = s.solve_densely(s.eq.Q, gamma).first;
    EXPECT_LT(largest(vdot - expected), 1e-7 * (1 + largest(expected))) << changed;
  }
}

// The System is left evaluated for a row of results, and multipliers of redundant rows are the least ones.
void observes_the_same(const Case& c) {
  Situation s(c);
  const auto dynamics = s.dynamics();
  Vector qdot(s.q.size()), vdot(s.v.size()), again = qdot, accelerations = vdot;
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
  ASSERT_EQ(dynamics->observe(s.instant(), again, accelerations), Status::ok) << dynamics->failure();
  EXPECT_LT(largest(again - qdot), 1e-12 * (1 + largest(qdot)));
  EXPECT_LT(largest(accelerations - vdot), 1e-9 * (1 + largest(vdot)));
  const Equations& eq = dynamics->equations();
  EXPECT_LT(largest(eq.Q - s.eq.Q), 1e-9 * (1 + largest(s.eq.Q)));
  EXPECT_LT(largest(eq.gamma - s.eq.gamma), 1e-9 * (1 + largest(s.eq.gamma)));
  EXPECT_LT(largest(eq.Phi - s.eq.Phi), 1e-11);
  const auto [_, lambda] = s.solve_densely(s.eq.Q, s.eq.gamma);
  // The pseudoinverse of [M P^T; P 0] has another least norm, that of formulations.
  if (s.type.name == std::string("whole") && s.redundant > 0) return;
  EXPECT_LT(largest(dynamics->multipliers() - lambda), 1e-6 * (1 + largest(lambda)));
}

void projects_in_the_metric_of_mass(const Case& c) {
  Situation s(c);
  if (s.eq.rows() == 0) return;
  const auto dynamics = s.dynamics();
  Vector qdot(s.q.size()), vdot(s.v.size());
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
  const Vector q_before = s.q;
  s.displace(1e-6, 1e-6);
  const Vector v_before = s.v;
  ASSERT_EQ(dynamics->project(s.t, s.q, s.v), StepChange::corrected) << dynamics->failure();
  s.evaluate();
  const double length = std::max(1.0, s.model->characteristic_length());
  EXPECT_LT(largest(s.eq.Phi), 1e-11 * length);
  EXPECT_LT(largest(s.eq.Phi_dot), 1e-10 * length * (1 + largest(s.v)));
  EXPECT_LT(largest(s.q - q_before), 1e-3 * (1 + largest(q_before)));
  // M (v - v0) = P^T mu; the metric of `whole` has a little more, for bodies without mass.
  const Vector change = s.eq.M * (s.v - v_before);
  Eigen::CompleteOrthogonalDecomposition<Matrix> transposed;
  transposed.setThreshold(1e-9);
  transposed.compute(Matrix(s.eq.P).transpose());
  EXPECT_LT(largest(change - s.eq.P.transpose() * transposed.solve(change)),
            (s.type.name == std::string("whole") ? 1e-3 : 1e-5) * largest(change) + 1e-13);

  // Accelerations from the factors of the projection are those from the beginning.
  Vector prepared(s.v.size());
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, prepared), Status::ok) << dynamics->failure();
  dynamics->forget();
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
  EXPECT_LT(largest(prepared - vdot), 1e-8 * (1 + largest(vdot)));
  EXPECT_EQ(dynamics->project(s.t, s.q, s.v) == StepChange::failed, false);
}

void solves_for_any_right_side(const Case& c) {
  Situation s(c);
  const auto dynamics = s.dynamics();
  Vector qdot(s.q.size()), vdot(s.v.size()), f(s.v.size()), w(s.v.size());
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, vdot), Status::ok) << dynamics->failure();
  for (double& x : f) x = s.number();
  for (double& x : w) x = s.number();
  const Vector g = s.eq.P * w;  // rows that depend on others must not contradict them
  const auto [x, y] = s.solve_densely(f, g);
  Vector of_x(s.v.size()), of_y = Vector::Zero(s.eq.rows());
  ASSERT_EQ(dynamics->solve(f, g, of_x, of_y), Status::ok) << dynamics->failure();
  EXPECT_LT(largest(of_x - x), 1e-7 * (1 + largest(x)));
  EXPECT_LT(largest(s.eq.P.transpose() * (of_y - y)), 1e-7 * (1 + largest(s.eq.P.transpose() * y)));
  // It changes nothing that follows.
  Vector again(s.v.size());
  ASSERT_EQ(dynamics->accelerate(s.instant(), qdot, again), Status::ok);
  EXPECT_LT(largest(again - vdot), 1e-9 * (1 + largest(vdot)));
}

void has_the_energy_of_the_system(const Case& c) {
  Situation s(c);
  const auto dynamics = s.dynamics();
  Vector qdot(s.q.size()), vdot(s.v.size());
  for (const bool evaluated_there : {false, true}) {
    if (evaluated_there) dynamics->accelerate(s.instant(), qdot, vdot);
    ASSERT_TRUE(dynamics->accept(s.instant())) << dynamics->failure();
    const double kinetic = s.judge.kinetic_energy(), potential = s.judge.potential_energy(s.t);
    EXPECT_NEAR(dynamics->energy(), kinetic + potential, 1e-11 * (1 + kinetic + std::abs(potential)));
  }
}

// Joints that turn on and on, constraints or not: the System knows every turn, by whichever engine it is moved.
void counts_turns(const Case& c) {
  Situation s(c);
  const auto dynamics = s.dynamics();
  for (double& x : s.v) x += 2 * s.number();
  constexpr double step = 2e-3;
  Vector qdot(s.q.size()), vdot(s.v.size());
  for (int k = 0; k < 2500; ++k) {
    s.judge.evaluate_signals(s.t, s.q, s.v);
    const bool certain = s.judge.turns_are_certain(s.t);
    if (certain) s.judge.accept(s.t);
    if (s.type.name != std::string("tree")) {
      ASSERT_EQ(dynamics->accept(s.instant()), certain) << dynamics->failure();
    } else {
      ASSERT_TRUE(dynamics->accept(s.instant()) || !certain) << dynamics->failure();
    }
    if (!certain) return;  // far off its constraints a joint has no angle
    s.judge.coordinates().advance(s.q, step * s.v);
    s.t += step;
  }
  s.judge.evaluate(s.t, s.q, s.v, s.states, Upto::velocities, s.eq);
  s.judge.accept(s.t);
  ASSERT_TRUE(dynamics->accept(s.instant()));
  s.system.evaluate_signals(s.t, s.q, s.v);
  for (const auto& coordinates : s.judge.joint_coordinates()) {
    for (const int signal : coordinates)
      EXPECT_NEAR(s.system.signals()[signal].value, s.judge.signals()[signal].value, 1e-9);
  }
}

void allocates_nothing(const Case& c) {
  Situation s(c);
  const auto dynamics = s.dynamics();
  Vector q = s.q, v = s.v, qdot(q.size()), vdot(v.size()), x(v.size()), y = Vector::Zero(s.eq.rows());
  const Vector f = Vector::Ones(v.size()), g = Vector::Zero(s.eq.rows());
  const ConstVector q_now = q, v_now = v, states = s.states, force = f, acceleration = g;
  const VectorRef q_moved = q, v_moved = v, rate = qdot, accelerations = vdot, of_x = x, of_y = y;
  std::string failure;
  const auto step = [&](double t) {
    const Instant at{t, q_now, v_now, states};
    for (int twice = 0; twice < 2; ++twice) {  // prepared and not
      if (dynamics->accelerate(at, rate, accelerations) != Status::ok) failure = "accelerate";
      if (dynamics->solve(force, acceleration, of_x, of_y) != Status::ok) failure = "solve";
      v += 1e-9 * f;
      if (dynamics->project(t, q_moved, v_moved) == StepChange::failed) failure = "project";
    }
    if (!dynamics->accept(at)) failure = "accept";
  };
  step(0);
  step(1e-6);  // libraries set themselves up
  const AllocationCounter counter;
  step(2e-6);
  step(3e-6);
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(failure, "") << dynamics->failure();
}

class DynamicsContract : public testing::TestWithParam<Case> {};

TEST_P(DynamicsContract, IsKept) {
  fits(GetParam());
  accelerates_as_the_dense_equations(GetParam());
  takes_other_gains(GetParam());
  observes_the_same(GetParam());
  projects_in_the_metric_of_mass(GetParam());
  solves_for_any_right_side(GetParam());
  has_the_energy_of_the_system(GetParam());
  counts_turns(GetParam());
  allocates_nothing(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Every, DynamicsContract, testing::ValuesIn(all_cases()), [](const auto& parameter) {
  std::string name = parameter.param.model + "_by_" + parameter.param.engine;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(EveryDynamics, RefusalsAreThoseThatAreKnown) {
  for (const auto& [key, reason] : misfits) {
    Situation s({key.first, key.second});
    EXPECT_EQ(s.type.misfit(s.system, s.redundant), reason) << key.second;
  }
  // Coordinates decide first.
  Situation tree({"tree", "four-bar"}), bodies({"bodies", "four-bar"});
  EXPECT_NE(find_dynamics_type("bodies")->misfit(tree.system, 0), "");
  EXPECT_NE(find_dynamics_type("tree")->misfit(bodies.system, 0), "");
  EXPECT_EQ(find_dynamics_type("trees"), nullptr);
}

}  // namespace dynamics_contract_test
}  // namespace bricard
