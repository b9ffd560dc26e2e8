// Contract of the formulations: the same accelerations and, where they are unique, the same multipliers as an
// independent dense solution; redundant rows and singular mass matrices as their traits say, in both directions;
// singular positions.
#include <gtest/gtest.h>

#include "analyses/assembly/assembly.h"
#include "analyses/choice/choose_method.h"
#include "analyses/structure/structure.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace formulation_contract_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

struct Instant {
  explicit Instant(const std::string& file, const std::string& coordinates = "reference-point")
      : Instant(load(models + file), coordinates) {}
  explicit Instant(const std::shared_ptr<const Model>& of, const std::string& coordinates = "reference-point")
      : model(of), type(*find_coordinates_type(coordinates)), system(model, type), eq(system.empty_equations()) {
    const Assembly assembly = assemble(model, type);
    EXPECT_TRUE(assembly.ok) << assembly.message;
    q = assembly.q;
    set_velocities(assembly.v);
    structure = analyze_structure(system, assembly.q, assembly.v);
  }
  void set_velocities(const Vector& v) {
    system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  }
  /// The reference: full orthogonal decomposition of the whole matrix, nothing of the code under test.
  void reference(Vector& vdot, Vector& lambda) const {
    const int n = eq.velocities(), m = eq.rows();
    Matrix K = Matrix::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = Matrix(eq.M);
    K.bottomLeftCorner(m, n) = Matrix(eq.P);
    K.topRightCorner(n, m) = Matrix(eq.P).transpose();
    Vector right(n + m);
    right << eq.Q, eq.gamma;
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver(n + m, n + m);
    solver.setThreshold(1e-10);
    const Vector solution = solver.compute(K).solve(right);
    vdot = solution.head(n);
    lambda = solution.tail(m);
  }
  std::shared_ptr<const Model> model;
  const CoordinatesType& type;
  System system;
  Equations eq;
  Vector q;
  Structure structure;
};

class FormulationContract : public ::testing::TestWithParam<std::string> {
 protected:
  const FormulationType& type() const { return *find_formulation_type(GetParam()); }
  std::unique_ptr<Formulation> create(const Instant& at) const {
    return type().create(at.eq, {.typical_inertia = typical_inertia(at.system)});
  }
  void expect_agreement(const Instant& at) const {
    Vector vdot(at.eq.velocities()), lambda(at.eq.rows()), expected_vdot, expected_lambda;
    const auto formulation = create(at);
    ASSERT_EQ(formulation->factorize(at.eq), Status::ok) << formulation->failure();
    ASSERT_EQ(formulation->solve(at.eq.Q, at.eq.gamma, vdot, lambda), Status::ok) << formulation->failure();
    if (formulation->rank() >= 0) {
      EXPECT_EQ(formulation->rank(), at.structure.rank);
    }
    at.reference(expected_vdot, expected_lambda);
    const double accuracy = std::max<double>(1e-9, type().traits.accuracy);
    EXPECT_LT((vdot - expected_vdot).norm(), accuracy * (1 + expected_vdot.norm()));
    // Forces of the constraints are unique even where multipliers are not.
    const Vector force = at.eq.P.transpose() * lambda, expected_force = at.eq.P.transpose() * expected_lambda;
    EXPECT_LT((force - expected_force).norm(), accuracy * (1 + expected_force.norm()));
    // Without a unique answer the least-norm one is reported; approximations may need rows that do not contradict each
    // other for that.
    const bool rows_agree = (at.eq.P * expected_vdot - at.eq.gamma).norm() < 1e-9 * (1 + at.eq.gamma.norm());
    if (rows_agree || type().traits.accuracy == 0) {
      EXPECT_LT((lambda - expected_lambda).norm(), 10 * accuracy * (1 + expected_lambda.norm()));
    }
  }
};

TEST_P(FormulationContract, SolvesWellPosedSystems) {
  for (const char* file : {"pendulum.yaml", "four-bar.yaml", "mcpherson.yaml", "rolling-coin.yaml",
                           "driven-slider-crank.yaml", "exudyn-joints.yaml"}) {
    SCOPED_TRACE(file);
    expect_agreement(Instant(file));
  }
}

TEST_P(FormulationContract, TakesOrRefusesRedundantRowsAsItsTraitsSay) {
  for (const char* file : {"five-bar.yaml", "mcpherson-overconstrained.yaml", "sarrus.yaml", "bennett.yaml"}) {
    SCOPED_TRACE(file);
    const Instant at(file);
    ASSERT_LT(at.structure.rank, at.structure.constraints);
    if (type().traits.redundant_rows) {
      expect_agreement(at);
      continue;
    }
    // Refused before the run, with the reason and an alternative.
    Method method;
    method.formulation = GetParam();
    try {
      choose_method(at.system, at.structure, method);
      FAIL() << "not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("lagrange-pseudoinverse"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("implied by the others"), std::string::npos) << error.what();
    }
    // And rightly so: it fails on its own, or its answer is not the least-norm one to full accuracy.
    Vector vdot(at.eq.velocities()), lambda(at.eq.rows()), expected_vdot, expected_lambda;
    const auto formulation = create(at);
    at.reference(expected_vdot, expected_lambda);
    const bool works = formulation->factorize(at.eq) == Status::ok &&
                       formulation->solve(at.eq.Q, at.eq.gamma, vdot, lambda) == Status::ok &&
                       (lambda - expected_lambda).norm() < 1e-8 * (1 + expected_lambda.norm());
    EXPECT_FALSE(works) << "the trait says that redundant rows are not survived, but they are";
  }
}

TEST_P(FormulationContract, TakesOrRefusesSingularMassAsItsTraitsSay) {
  // Euler parameters make M singular while [M; P] is regular.
  const Instant at("mcpherson.yaml", "euler-parameters");
  ASSERT_TRUE(at.structure.mass_is_singular);
  ASSERT_TRUE(at.structure.accelerations_are_unique);
  if (type().traits.singular_mass) return expect_agreement(at);
  Method method;
  method.formulation = GetParam();
  EXPECT_THROW(choose_method(at.system, at.structure, method), InputError);
  EXPECT_NE(create(at)->factorize(at.eq), Status::ok);
}

// --- singular positions ---

// Two windows of the n-four-bar with all bars in one line (theta = 0), where the rank falls from 14 to 12.
std::shared_ptr<const Model> four_bars(const std::string& theta) {
  std::string text = "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n";
  text += "parameters: {theta: " + theta + ", X: cos(theta), Y: sin(theta)}\n";
  text += "points: {A0: [0, 0], A1: [1, 0], A2: [2, 0], B0: [X, Y], B1: [1 + X, Y], B2: [2 + X, Y]}\nbodies:\n";
  for (const char* k : {"0", "1", "2"}) {
    text += std::string("  upright") + k + ": {rod: [A" + k + ", B" + k + "], mass: 1}\n";
  }
  text += "  coupler1: {rod: [B0, B1], mass: 1}\n  coupler2: {rod: [B1, B2], mass: 1}\njoints:\n";
  for (const char* k : {"0", "1", "2"}) {
    text += std::string("  A") + k + ": {type: revolute, bodies: [ground, upright" + k + "], at: A" + k + "}\n";
  }
  text += "  B0: {type: revolute, bodies: [upright0, coupler1], at: B0}\n";
  text += "  B1: {type: revolute, bodies: [coupler1, upright1], at: B1}\n";
  text += "  C1: {type: revolute, bodies: [upright1, coupler2], at: B1}\n";
  text += "  B2: {type: revolute, bodies: [coupler2, upright2], at: B2}\n";
  return load_text(text, "four-bars");
}

/// Velocities in line for any rates of the three uprights, which are free of each other there.
Vector velocities_in_line(double w0, double w1, double w2) {
  Vector v(15);
  v << 0, w0 / 2, w0, 0, w1 / 2, w1, 0, w2 / 2, w2, 0, (w0 + w1) / 2, w1 - w0, 0, (w1 + w2) / 2, w2 - w1;
  return v;
}

TEST_P(FormulationContract, AtASingularPositionGivesTheLeastConstraintOrRefuses) {
  Instant at(four_bars("0"));
  ASSERT_EQ(at.structure.rank, 12);
  // At rest; on the branch of the parallelograms; and off every branch, where gamma contradicts itself and what is
  // nearest to it holds.
  for (const Vector& v : {velocities_in_line(0, 0, 0), velocities_in_line(1, 1, 1), velocities_in_line(1, 2, -1)}) {
    at.set_velocities(v);
    ASSERT_LT(at.eq.Phi_dot.norm(), 1e-14);
    if (!type().traits.redundant_rows) {
      EXPECT_EQ(create(at)->factorize(at.eq), Status::failed);
      continue;
    }
    expect_agreement(at);
    // Not the acceleration along the branch, in which the uprights turn alike: do not start at such a position.
    Vector vdot(15), lambda(14);
    const auto formulation = create(at);
    formulation->factorize(at.eq);
    formulation->solve(at.eq.Q, at.eq.gamma, vdot, lambda);
    EXPECT_GT(std::abs(vdot[2] - vdot[5]), 0.1);
  }
  // The redundant five-bar: rank 10 instead of 11.
  const Instant five_bar(load(models + "five-bar.yaml", {.parameters = {{"theta0", "0 deg"}}}));
  ASSERT_EQ(five_bar.structure.rank, 10);
  if (type().traits.redundant_rows) expect_agreement(five_bar);
}

TEST_P(FormulationContract, NearASingularPositionDecidesTheRankByItsThreshold) {
  if (create(Instant("pendulum.yaml"))->rank() < 0) return;
  // Smallest singular value 5e-8 of the largest, about: above the default threshold of 1e-9, below that of methods that
  // square P.
  const Instant at(four_bars("1e-7"));
  const auto formulation = create(at);
  ASSERT_EQ(formulation->factorize(at.eq), Status::ok) << formulation->failure();
  const bool squares = type().traits.smallest_rank_threshold > 0;
  EXPECT_EQ(formulation->rank(), squares ? 12 : 14);
  // Such methods cannot do better: 1e-7 is what squaring leaves of double precision.
  if (squares) {
    EXPECT_NEAR(type().traits.smallest_rank_threshold, 1e-7, 1e-15);
  }
  // All agree where it is clear.
  const Instant further(four_bars("1e-4"));
  const auto again = create(further);
  ASSERT_EQ(again->factorize(further.eq), Status::ok);
  EXPECT_EQ(again->rank(), 14);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const FormulationType& type : formulation_types()) {
    // The others own their state or need a tree, and are tested by whole runs.
    if (type.create && !type.traits.tree_only) all.emplace_back(type.name);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, FormulationContract, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(EveryFormulation, SolvesForAccelerationsOrHasAnotherState) {
  for (const FormulationType& type : formulation_types()) {
    EXPECT_EQ(type.create != nullptr, type.state == State::full) << type.name;
    // Engines have the state (q, v).
    EXPECT_TRUE(type.engine == Engine::whole || type.state == State::full) << type.name;
    EXPECT_EQ(type.engine == Engine::tree, type.traits.tree_only) << type.name;
  }
}

TEST(ChooseMethod, RefusesWhatNoFormulationCanSolve) {
  // A massless body that can turn freely.
  const auto model =
      load_text("bricard: 1\ndimension: planar\nbodies: {lug: {mass: 0, inertia: 0, center: [0, 0]}}\n", "lug");
  try {
    simulate(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'lug'"), std::string::npos) << error.what();
  }
}

TEST(ChooseMethod, NamesTheNearestValidName) {
  const auto model = load(models + "pendulum.yaml");
  const auto message = [&](const Method& method) -> std::string {
    try {
      simulate(model, method);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Method method;
  method.formulation = "lagrang";
  EXPECT_NE(message(method).find("'lagrange'"), std::string::npos);
  method = {};
  method.integrator = "dopri";
  EXPECT_NE(message(method).find("'dopri5'"), std::string::npos);
  method = {};
  method.stabilization = "baumgart";
  EXPECT_NE(message(method).find("'baumgarte'"), std::string::npos);
  method = {};
  method.coordinates = "euler-zxz";
  EXPECT_NE(message(method).find("planar"), std::string::npos);
  method = {};
  method.integrator = "rk4";
  EXPECT_NE(message(method).find("--step"), std::string::npos);
  method = {};
  method.tolerance = -1;
  EXPECT_NE(message(method).find("tolerance must be a positive number"), std::string::npos);
}

}  // namespace formulation_contract_test
}  // namespace bricard
