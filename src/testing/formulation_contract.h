// Contract of a formulation: the same accelerations and, where they are unique, the same multipliers as an independent
// dense solution; redundant rows and singular mass matrices as its traits say, in both directions; singular positions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyses/assembly/assembly.h"
#include "analyses/choice/choose_method.h"
#include "analyses/structure/structure.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "formulations/formulation.h"
#include "system/typical_inertia.h"

namespace bricard::contracts {

// --- models ---

/// Mechanisms by which a formulation is examined.
struct FormulationExamples {
  std::vector<std::shared_ptr<const Model>> regular;    // whose rows are independent at the start
  std::vector<std::shared_ptr<const Model>> redundant;  // whose rows are not
};

/// Two windows of the n-four-bar, with all bars in one line at theta = 0, where the rank falls from 14 to 12.
inline std::shared_ptr<const Model> four_bars(const std::string& theta) {
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

/// Three parallel links on a coupler: 12 rows of rank 11, of rank 10 when all are in line.
inline std::shared_ptr<const Model> five_bar(const std::string& theta) {
  std::string text = "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n";
  text += "parameters: {theta: " + theta + ", X: cos(theta), Y: sin(theta)}\nbodies:\n";
  for (const char* k : {"0", "1", "2"})
    text += std::string("  link") + k + ": {rod: [[" + k + ", 0], [" + k + " + X, Y]], mass: 1}\n";
  text += "  coupler: {rod: [[X, Y], [2 + X, Y]], mass: 2}\njoints:\n";
  for (const char* k : {"0", "1", "2"}) {
    const std::string n = k;
    text += "  A" + n + ": {type: revolute, bodies: [ground, link" + n + "], at: [" + n + ", 0]}\n";
    text += "  B" + n + ": {type: revolute, bodies: [link" + n + ", coupler], at: [" + n + " + X, Y]}\n";
  }
  return load_text(text, "five-bar");
}

/// A crank, a rod on two ball joints and a rocker, which turns about another axis than the crank does.
inline std::shared_ptr<const Model> spatial_four_bar() {
  return load_text(
      "bricard: 1\nbodies:\n"
      "  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], center: [0.1, 0, 0.05]}\n"
      "  rod: {mass: 2, inertia: [0.3, 0.2, 0.3, 0.01, 0.02, 0], center: [0.4, 0.5, 0.2]}\n"
      "  rocker: {mass: 3, inertia: [0.2, 0.1, 0.2], center: [0.7, 0.9, 0.4]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  B: {type: universal, bodies: [crank, rod], at: [0.2, 0, 0.1], axes: [[0, 0, 1], [1, 0, 0]]}\n"
      "  C: {type: spherical, bodies: [rod, rocker], at: [0.6, 1, 0.3]}\n"
      "  D: {type: revolute, bodies: [rocker, ground], at: [0.8, 0.8, 0.5], axis: [1, 0.2, 0]}\n"
      "initial: {velocities: {A: 2}}\n",
      "spatial-four-bar");
}

inline FormulationExamples formulation_examples() {
  FormulationExamples examples;
  examples.regular = {
      load_text("bricard: 1\ndimension: planar\nbodies: {rod: {rod: [[0, 0], [1, 0]], mass: 2}}\n"
                "joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0]}}\ninitial: {velocities: {A: 3}}\n",
                "pendulum"),
      load_text("bricard: 1\ndimension: planar\nbodies: {crank: {rod: [[0, 0], [0.1, 0.1]], mass: 0.5}, "
                "link: {rod: [[0.1, 0.1], [0.4, 0]], mass: 0.8}, slider: {mass: 1.2, inertia: 0.001, center: [0.4, "
                "0]}}\njoints:\n  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                "  B: {type: revolute, bodies: [crank, link], at: [0.1, 0.1]}\n"
                "  C: {type: revolute, bodies: [link, slider], at: [0.4, 0]}\n"
                "  S: {type: prismatic, bodies: [ground, slider], at: [0.4, 0], axis: [1, 0]}\n"
                "motions: {motor: {joint: A, position: \"3*t + t^2\"}}\n",
                "driven slider-crank"),
      load_text("bricard: 1\nbodies: {coin: {mass: 1, inertia: [0.0625, 0.0625, 0.125], center: [0, 0, "
                "0.5*sin(1.4)], orientation: {x: [1, 0, 0], z: [0, sin(1.4), cos(1.4)]}}}\n"
                "joints: {table: {type: rolling, bodies: [ground, coin], axis: [0, sin(1.4), cos(1.4)], radius: 0.5, "
                "plane: {at: [0, 0.5*cos(1.4), 0], normal: [0, 0, 1]}}}\n"
                "initial: {velocities: {coin: {angular: [0, 6*sin(1.4), 6*cos(1.4)], linear: [3, 0, 0]}}}\n",
                "rolling coin"),
      four_bars("1"),
      spatial_four_bar(),
  };
  examples.redundant = {
      five_bar("-0.5"),
      load_text("bricard: 1\nbodies: {door: {mass: 20, inertia: [6, 1, 5], center: [0.4, 0, 1]}}\n"
                "joints:\n  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
                "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}\n"
                "initial: {velocities: {low: 1}}\n",
                "door"),
  };
  return examples;
}

// --- the contract ---

/// The equations of a mechanism at its start.
struct FormulationInstant {
  explicit FormulationInstant(const std::shared_ptr<const Model>& of,
                              const std::string& coordinates = "reference-point")
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

class FormulationContract {
 public:
  explicit FormulationContract(const FormulationType& type) : type_(type) {}

  void solves(const std::shared_ptr<const Model>& model) const {
    SCOPED_TRACE(model->name);
    const Instant at(model);
    ASSERT_EQ(at.structure.rank, at.structure.constraints) << "the example is redundant";
    expect_agreement(at);
  }

  void takes_or_refuses_redundant_rows_as_its_traits_say(const std::shared_ptr<const Model>& model) const {
    SCOPED_TRACE(model->name);
    const Instant at(model);
    ASSERT_LT(at.structure.rank, at.structure.constraints) << "the example is not redundant";
    if (type_.traits.redundant_rows) return expect_agreement(at);
    // Refused before the run, with the reason and an alternative.
    Method method;
    method.formulation = type_.name;
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

  /// Euler parameters make M singular while [M; P] is regular.
  void takes_or_refuses_singular_mass_as_its_traits_say(const std::shared_ptr<const Model>& model) const {
    const Instant at(model, "euler-parameters");
    ASSERT_TRUE(at.structure.mass_is_singular);
    ASSERT_TRUE(at.structure.accelerations_are_unique);
    if (type_.traits.singular_mass) return expect_agreement(at);
    Method method;
    method.formulation = type_.name;
    EXPECT_THROW(choose_method(at.system, at.structure, method), InputError);
    EXPECT_NE(create(at)->factorize(at.eq), Status::ok);
  }

  void at_a_singular_position_gives_the_least_constraint_or_refuses() const {
    Instant at(four_bars("0"));
    ASSERT_EQ(at.structure.rank, 12);
    // At rest; on the branch of the parallelograms; and off every branch, where gamma contradicts itself and what is
    // nearest to it holds.
    for (const Vector& v : {velocities_in_line(0, 0, 0), velocities_in_line(1, 1, 1), velocities_in_line(1, 2, -1)}) {
      at.set_velocities(v);
      ASSERT_LT(at.eq.Phi_dot.norm(), 1e-14);
      if (!type_.traits.redundant_rows) {
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
    const Instant in_line(five_bar("0"));
    ASSERT_EQ(in_line.structure.rank, 10);
    if (type_.traits.redundant_rows) expect_agreement(in_line);
  }

  void near_a_singular_position_decides_the_rank_by_its_threshold() const {
    if (create(Instant(four_bars("1")))->rank() < 0) return;
    // Smallest singular value 5e-8 of the largest, about: above the default threshold of 1e-9, below that of methods
    // that square P.
    const Instant at(four_bars("1e-7"));
    const auto formulation = create(at);
    ASSERT_EQ(formulation->factorize(at.eq), Status::ok) << formulation->failure();
    const bool squares = type_.traits.smallest_rank_threshold > 0;
    EXPECT_EQ(formulation->rank(), squares ? 12 : 14);
    // Such methods cannot do better: 1e-7 is what squaring leaves of double precision.
    if (squares) {
      EXPECT_NEAR(type_.traits.smallest_rank_threshold, smallest_squared_threshold, 1e-15);
    }
    // All agree where it is clear.
    const Instant further(four_bars("1e-4"));
    const auto again = create(further);
    ASSERT_EQ(again->factorize(further.eq), Status::ok);
    EXPECT_EQ(again->rank(), 14);
  }

 private:
  using Instant = FormulationInstant;

  /// Velocities in line for any rates of the three uprights, which are free of each other there.
  static Vector velocities_in_line(double w0, double w1, double w2) {
    Vector v(15);
    v << 0, w0 / 2, w0, 0, w1 / 2, w1, 0, w2 / 2, w2, 0, (w0 + w1) / 2, w1 - w0, 0, (w1 + w2) / 2, w2 - w1;
    return v;
  }

  std::unique_ptr<Formulation> create(const Instant& at) const {
    return type_.create(at.eq, {.typical_inertia = typical_inertia(at.system)});
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
    const double accuracy = std::max<double>(1e-9, type_.traits.accuracy);
    EXPECT_LT((vdot - expected_vdot).norm(), accuracy * (1 + expected_vdot.norm()));
    // Forces of the constraints are unique even where multipliers are not.
    const Vector force = at.eq.P.transpose() * lambda, expected_force = at.eq.P.transpose() * expected_lambda;
    EXPECT_LT((force - expected_force).norm(), accuracy * (1 + expected_force.norm()));
    // Without a unique answer the least-norm one is reported; approximations may need rows that do not contradict each
    // other for that.
    const bool rows_agree = (at.eq.P * expected_vdot - at.eq.gamma).norm() < 1e-9 * (1 + at.eq.gamma.norm());
    if (rows_agree || type_.traits.accuracy == 0) {
      EXPECT_LT((lambda - expected_lambda).norm(), 10 * accuracy * (1 + expected_lambda.norm()));
    }
  }

  const FormulationType& type_;
};

/// By these mechanisms. A formulation with a state of its own is tested by whole runs instead.
inline void expect_formulation_contract(const std::string& name,
                                        const FormulationExamples& examples = formulation_examples()) {
  const FormulationType* type = find_formulation_type(name);
  ASSERT_NE(type, nullptr) << "there is no formulation '" << name << "': is it registered?";
  ASSERT_TRUE(type->create) << "it has a state of its own";
  SCOPED_TRACE(name);
  const FormulationContract contract(*type);
  for (const auto& model : examples.regular) contract.solves(model);
  for (const auto& model : examples.redundant) contract.takes_or_refuses_redundant_rows_as_its_traits_say(model);
  for (const auto& model : examples.regular) {
    if (!model->planar()) contract.takes_or_refuses_singular_mass_as_its_traits_say(model);
  }
  contract.at_a_singular_position_gives_the_least_constraint_or_refuses();
  contract.near_a_singular_position_decides_the_rank_by_its_threshold();
}

}  // namespace bricard::contracts
