// Contract of the formulations: the same accelerations and, where they are unique, the same multipliers as an independent
// dense solution; redundant rows and singular mass matrices as their traits say, in both directions.
#include <gtest/gtest.h>

#include "analyses/assembly.h"
#include "analyses/simulate.h"
#include "analyses/structure.h"
#include "formulations/formulation.h"
#include "io/load.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

const std::string models = BRICARD_SOURCE_DIR "/models/";

struct Instant {
  explicit Instant(const std::string& file, const std::string& coordinates = "reference-point")
      : model(load(models + file)), type(*find_coordinates_type(coordinates)), system(model, type), eq(system.empty_equations()) {
    const Assembly assembly = assemble(model, type);
    EXPECT_TRUE(assembly.ok) << assembly.message;
    system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
    structure = analyze_structure(system, assembly.q, assembly.v);
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
    at.reference(expected_vdot, expected_lambda);
    EXPECT_LT((vdot - expected_vdot).norm(), 1e-9 * (1 + expected_vdot.norm()));
    // Forces of the constraints are unique even where multipliers are not.
    const Vector force = at.eq.P.transpose() * lambda, expected_force = at.eq.P.transpose() * expected_lambda;
    EXPECT_LT((force - expected_force).norm(), 1e-9 * (1 + expected_force.norm()));
    // Without a unique answer the least-norm one is reported.
    EXPECT_LT((lambda - expected_lambda).norm(), 1e-8 * (1 + expected_lambda.norm()));
  }
};

TEST_P(FormulationContract, SolvesWellPosedSystems) {
  for (const char* file : {"pendulum.yaml", "four-bar.yaml", "mcpherson.yaml", "rolling-coin.yaml", "driven-slider-crank.yaml", "exudyn-joints.yaml"}) {
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
    const bool works = formulation->factorize(at.eq) == Status::ok && formulation->solve(at.eq.Q, at.eq.gamma, vdot, lambda) == Status::ok &&
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

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const FormulationType& type : formulation_types()) {
    if (type.create) all.emplace_back(type.name);  // the others own their state and are tested by whole runs
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, FormulationContract, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ChooseMethod, RefusesWhatNoFormulationCanSolve) {
  // A massless body that can turn freely.
  const auto model = load_text("bricard: 1\ndimension: planar\nbodies: {lug: {mass: 0, inertia: 0, center: [0, 0]}}\n", "lug");
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

}  // namespace
}  // namespace bricard
