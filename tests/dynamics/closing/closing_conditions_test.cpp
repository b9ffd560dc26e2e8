// Closing conditions against the rows of the system: positions satisfy Phi = 0, A, eta and xi are those of
// -C_D^-1 [C_I, a, b], for every choice of independent coordinates.
#include "dynamics/closing/closing_conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "dynamics/closing/closing_choice.h"
#include "support/models.h"
#include "support/started.h"

namespace bricard {
namespace closing_conditions_test {

using testing_support::shipped;
using testing_support::Started;

/// A shipped model whose joint is cut, so that the others are the coordinates.
std::shared_ptr<const Model> with_cut(const std::string& name, const std::vector<std::string>& joints) {
  std::ifstream file(BRICARD_SOURCE_DIR "/models/" + name + ".yaml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& joint : joints)
    text = std::regex_replace(text, std::regex("(\n  " + joint + ": +\\{type: [^}]*)\\}"), "$1, cut: true}");
  return load_text(text, name);
}

/// Everything at (q_I + change, v_I) of one choice; the error of each quantity in turn.
void expect_as_rows_say(Started& start, const std::vector<int>& chosen, double change) {
  System& system = start.system;
  const LoopGraph graph(system);
  ClosingConditions closing(system, graph, chosen);
  ASSERT_EQ(closing.problem(), "");
  ASSERT_TRUE(closing.begin(0, start.assembly.q)) << closing.failure();
  const int F = static_cast<int>(chosen.size()), n = system.velocity_size();
  Vector q_I(F), v_I(F), q(n), v(n);
  const double t = 0.01;
  for (int k = 0; k < F; ++k) q_I[k] = start.assembly.q[chosen[k]] + change * (k + 1), v_I[k] = 1 + 0.7 * k;
  ASSERT_TRUE(closing.find_positions(t, q_I, q)) << closing.failure();
  ASSERT_TRUE(closing.find_rates()) << closing.failure();
  closing.find_velocities(v_I, v);
  closing.find_biases();
  Equations& eq = start.eq;
  system.evaluate(t, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  EXPECT_LT(eq.Phi.lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_LT(eq.Phi_dot.lpNorm<Eigen::Infinity>(), 1e-11);
  const std::vector<int>& dependent = closing.dependent();
  const int m = static_cast<int>(dependent.size());
  const Matrix P = eq.P;
  Matrix C_D(P.rows(), m), C_I(P.rows(), F), A(m, F);
  Vector eta(m), xi(m);
  for (int k = 0; k < m; ++k) {
    C_D.col(k) = P.col(dependent[k]);
    A.row(k) = closing.DT().row(dependent[k]);
    eta[k] = closing.eta()[dependent[k]], xi[k] = closing.xi()[dependent[k]];
  }
  for (int k = 0; k < F; ++k) C_I.col(k) = P.col(chosen[k]);
  const auto solved = C_D.colPivHouseholderQr();
  const double scale = 1 + A.norm();
  EXPECT_LT((A + Matrix(solved.solve(C_I))).norm(), 1e-9 * scale);
  EXPECT_LT((eta + Vector(solved.solve(eq.Phi_t))).norm(), 1e-9 * scale);
  EXPECT_LT((xi - Vector(solved.solve(eq.gamma))).norm(), 1e-8 * (scale + xi.norm()));
}

std::vector<std::vector<int>> subsets(int n, int F) {
  std::vector<std::vector<int>> all;
  for (int bits = 0; bits < 1 << n; ++bits) {
    std::vector<int> chosen;
    for (int k = 0; k < n; ++k) {
      if (bits >> k & 1) chosen.push_back(k);
    }
    if (static_cast<int>(chosen.size()) == F) all.push_back(chosen);
  }
  return all;
}

void expect_every_choice(const std::shared_ptr<const Model>& model, int freedoms, double change = 0.05) {
  Started start(model, "relative");
  for (const std::vector<int>& chosen : subsets(start.system.velocity_size(), freedoms)) {
    SCOPED_TRACE(names_of(start.system, chosen));
    expect_as_rows_say(start, chosen, change);
  }
}

TEST(ClosingConditions, FourBarWhereverItIsCut) {
  for (const char* cut : {"O1", "O2", "O3", "O4"}) {
    SCOPED_TRACE(cut);
    expect_every_choice(with_cut("four-bar", {cut}), 1);
  }
}

TEST(ClosingConditions, OtherPlanarDyads) {
  expect_every_choice(shipped("slider-crank-long-rod"), 1);                  // RRP
  expect_every_choice(shipped("two-rods-on-a-line"), 1);                     // a pin on a line
  expect_every_choice(shipped("scotch-yoke", {{"phi0", "0.5"}}), 1, 0.005);  // RPP and RRP
  expect_every_choice(shipped("two-freedom-five-bar"), 2);
  expect_every_choice(with_cut("two-freedom-five-bar", {"OA"}), 2);
}

TEST(ClosingConditions, WattsSixBarFromEveryJoint) {
  expect_every_choice(shipped("watt-six-bar"), 1);
  expect_every_choice(with_cut("watt-six-bar", {"a", "h"}), 1);
}

TEST(ClosingConditions, StephensonsSixBarFromTheFourBarAlone) {
  const std::vector<std::string> joints = {"a", "b", "c", "d", "e", "f", "h"};
  int resolved = 0, refused = 0;
  for (const std::vector<std::string>& cut : {std::vector<std::string>{"c", "f"}, {"d", "h"}, {"b", "e"}}) {
    Started start(with_cut("stephenson-six-bar", cut), "relative");
    const LoopGraph graph(start.system);
    for (int k = 0; k < start.system.velocity_size(); ++k) {
      const std::string name = start.system.coordinates().position_name(k).substr(0, 1);
      SCOPED_TRACE(name);
      const ClosingConditions closing(start.system, graph, {k});
      if (std::string("abcd").find(name) != std::string::npos) {
        expect_as_rows_say(start, {k}, 0.05);
        ++resolved;
        continue;
      }
      std::vector<std::string> left = closing.plan().left_over;
      std::sort(left.begin(), left.end());
      std::vector<std::string> others = joints;
      others.erase(std::find(others.begin(), others.end(), name));
      EXPECT_EQ(left, others);
      ++refused;
    }
  }
  EXPECT_EQ(resolved, 9);
  EXPECT_EQ(refused, 6);
}

TEST(ClosingConditions, DrivesAndGearsAreKnown) {
  expect_every_choice(shipped("driven-four-bar"), 0);
  expect_every_choice(shipped("driven-slider-crank"), 0);
  Started moving_pivot(shipped("moving-pivot"), "relative");
  expect_as_rows_say(moving_pivot, {1}, 0.05);
  // What is driven cannot be independent too.
  EXPECT_NE(ClosingConditions(moving_pivot.system, LoopGraph(moving_pivot.system), {0}).problem(), "");
  expect_every_choice(shipped("geared-pair"), 1);
  expect_every_choice(shipped("rack-and-pinion"), 1);
}

TEST(ClosingConditions, SpatialLoopsThatDecouple) {
  Started rssr(shipped("rssr"), "relative");
  // From crank or rocker; an angle of the universal joint leaves two unknown joints to one distance.
  for (int k = 0; k < 4; ++k) {
    const std::string name = rssr.system.coordinates().position_name(k);
    SCOPED_TRACE(name);
    if (name.starts_with("O")) {
      expect_as_rows_say(rssr, {k}, 0.05);
    } else {
      const LoopGraph graph(rssr.system);
      EXPECT_EQ(ClosingConditions(rssr.system, graph, {k}).plan().left_over.size(), 3u);
    }
  }
  // Four hinges whose axes meet in a point (a spherical four-bar, redundant rows), with links of any shape.
  const std::string about_point =
      "bricard: 1\ndimension: spatial\nbodies: {a: {mass: 1, inertia: [1, 1, 1], center: [0, 0.1, 0]}, b: {mass: 1, "
      "inertia: [1, 1, 1], center: [0, 1, 0.4]}, c: {mass: 1, inertia: [1, 1, 1], center: [0, 1, 1]}}\njoints:\n"
      "  A: {type: revolute, bodies: [ground, a], at: [1, 0, 0], axis: [1, 0, 0]}\n"
      "  B: {type: revolute, bodies: [a, b], at: [0.8, 0.6, 0.1], axis: [0.8, 0.6, 0.1]}\n"
      "  C: {type: revolute, bodies: [b, c], at: [0.2, 0.9, 0.7], axis: [-0.2, -0.9, -0.7], cut: true}\n"
      "  D: {type: revolute, bodies: [ground, c], at: [0, 0.5, 1], axis: [0, 0.5, 1]}\n";
  expect_every_choice(load_text(about_point, "about_point"), 1, 0.05);
  // A massless rod between crank and slider (RSSP), and a four-bar that is planar in space.
  const std::string rod =
      "bricard: 1\ndimension: spatial\nbodies: {crank: {mass: 1, inertia: [1, 1, 1], center: [0, 0.1, "
      "0]}, slider: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0.4]}}\njoints:\n"
      "  R: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0.1, 0, 1]}\n"
      "  P: {type: prismatic, bodies: [ground, slider], at: [1, 0, 0.4], axis: [1, 0.2, 0]}\n"
      "  rod: {type: distance, bodies: [crank, slider], at: [[0, 0.3, 0.1], [1, 0, 0.4]]}\n";
  expect_every_choice(load_text(rod, "rod"), 1, 0.02);
  const std::string planar =
      "bricard: 1\ndimension: spatial\nbodies: {a: {mass: 1, inertia: [1, 1, 1], center: [0, 0.1, "
      "0]}, b: {mass: 1, inertia: [1, 1, 1], center: [0, 1, 0.4]}, c: {mass: 1, inertia: [1, 1, "
      "1], center: [0, 1, 1]}}\njoints:\n"
      "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  B: {type: revolute, bodies: [a, b], at: [0.2, 0.3, 0.8], axis: [-1, 0, 0]}\n"
      "  C: {type: revolute, bodies: [b, c], at: [0.1, 1.6, 1.1], axis: [1, 0, 0], cut: true}\n"
      "  D: {type: revolute, bodies: [ground, c], at: [0, 1.4, 0], axis: [1, 0, 0]}\n";
  expect_every_choice(load_text(planar, "planar"), 1, 0.02);
}

// The printed conditions of the four-bar, cut at O4: alpha1 from the vertical, alpha2 and alpha3 relative, clockwise.
TEST(ClosingConditions, AreThoseThatBlajerPrints) {
  const double l0 = 2, l1 = 0.8, l2 = 1.8, l3 = 1.5;
  for (const char* alpha : {"0.3", "1.1", "2.0", "4.0"}) {
    Started cut(with_cut("four-bar", {"O4"}), "relative");
    const double a1 = std::stod(alpha);
    // Cut at O4 the coordinates are those of O1, O2, O3, zero in the reference, alpha1 = 0.3.
    System& system = cut.system;
    const LoopGraph graph(system);
    ClosingConditions closing(system, graph, {0});
    ASSERT_TRUE(closing.begin(0, cut.assembly.q));
    Vector q(3), q_I(1);
    q_I << 0.3 - a1;
    ASSERT_TRUE(closing.find_positions(0, q_I, q));
    ASSERT_TRUE(closing.find_rates());
    const auto angle = [](const Vec3& from, const Vec3& to) {
      return std::atan2(to.x() - from.x(), to.y() - from.y());
    };
    const auto place = [&](const std::string& name) {
      for (const auto& [known, at] : system.model().points) {
        if (known == name) return at;
      }
      return Vec3(Vec3::Zero());
    };
    const Vec3 O2 = place("O2"), O3 = place("O3"), O4 = place("O4");
    const double alpha2 = angle(O2, O3) - 0.3 - q[1], alpha3 = angle(O3, O4) - angle(O2, O3) - q[2];
    const double square = l0 * l0 + l1 * l1 - 2 * l0 * l1 * std::sin(a1);
    EXPECT_NEAR(std::cos(alpha3), (square - l2 * l2 - l3 * l3) / (2 * l2 * l3), 1e-12);  // (40)
    EXPECT_NEAR(std::sin(alpha2),
                (l0 * l2 * std::cos(a1) + l0 * l3 * std::cos(a1 + alpha3) + l1 * l3 * std::sin(alpha3)) / square,
                1e-12);  // (41)
    EXPECT_NEAR(
        std::cos(alpha2),
        (l0 * l2 * std::sin(a1) + l0 * l3 * std::sin(a1 + alpha3) - l1 * l3 * std::cos(alpha3) - l1 * l2) / square,
        1e-12);
    const double rate3 = l0 * l1 * std::cos(a1) / (l2 * l3 * std::sin(alpha3));
    EXPECT_NEAR(closing.DT()(2, 0), rate3, 1e-12);  // (42), (43)
    EXPECT_NEAR(closing.DT()(1, 0), -l0 * std::cos(a1 + alpha2) / (l3 * std::sin(alpha3)) - rate3, 1e-12);
  }
}

std::string refusal(const std::shared_ptr<const Model>& model, const std::string& selection = "") {
  Method method;
  method.formulation = "closing-conditions", method.selection = selection;
  try {
    simulate(model, method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ClosingConditions, AreRefusedByName) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const auto stephenson = with_cut("stephenson-six-bar", {"c", "f"});
  expect(refusal(stephenson, "e.angle"), "joints a, b, d, h, c, f: no loop is left");
  expect(refusal(stephenson, "e.angle"), "all loops close from");
  expect(refusal(stephenson, "svd"), "makes combinations");
  expect(refusal(shipped("five-bar")), "fewer unknown freedoms than conditions");
  expect(refusal(shipped("bennett")), "no loop is left that has three unknown freedoms");
  expect(refusal(shipped("rolling-wheel")), "takes no velocity-level constraints");
  expect(refusal(shipped("screw-press")), "is a screw");
  expect(refusal(shipped("scotch-yoke"), "guide.position"), "do not determine the motion at the start");
  expect(refusal(shipped("exudyn-slider-crank")), "");
}

}  // namespace closing_conditions_test
}  // namespace bricard
