// Gains and penalties of single joints and constraints: read, refused, brought to their rows and shown.
#include <gtest/gtest.h>

#include "analyses/choice/row_gains.h"
#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "model/method_options.h"
#include "model/row_gains.h"
#include "support/models.h"
#include "support/started.h"

namespace bricard {
namespace row_gains_test {

using testing_support::shipped;

Method method_with(const std::string& gains, const std::string& formulation = "penalty") {
  return {.coordinates = "reference-point",
          .formulation = formulation,
          .stabilization = formulation == "penalty" ? "none" : "baumgarte",
          .row_gains = gains};
}

std::string refusal(const Method& method, const std::string& model = "four-bar") {
  try {
    show_equations(shipped(model), method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RowGains, AreReadFromText) {
  const auto gains = parse_row_gains("A.penalty=1e9, spring hinge: along x.alpha = 20,B.C.mu=0");
  ASSERT_EQ(gains.size(), 3u);
  EXPECT_EQ(gains[0].name, "A");
  EXPECT_EQ(gains[0].key, "penalty");
  EXPECT_EQ(gains[0].value, 1e9);
  EXPECT_EQ(gains[1].name, "spring hinge: along x");
  EXPECT_EQ(gains[1].value, 20);
  EXPECT_EQ(gains[2].name, "B.C");
  for (const char* wrong :
       {"A=3", "A.penalty", "A.penalti=3", "A.penalty=x", "A.penalty=0", "A.alpha=-1", "A.alpha=3, A.alpha=5"})
    EXPECT_THROW(parse_row_gains(wrong), InputError) << wrong;
  EXPECT_TRUE(parse_row_gains("none").empty());
}

TEST(RowGains, OfAConstraintComeBeforeThoseOfItsJoint) {
  const testing_support::Started start(shipped("four-bar"));
  const System& system = start.system;
  const std::string constraint = system.row_name(1);
  const std::string joint = system.model().joints[system.rows()[1].index].name;
  Method method = method_defaults();
  // Whichever is written first.
  method.row_gains = constraint + ".penalty=5, " + joint + ".penalty=3, " + joint + ".alpha=4";
  const GainsByRow gains = gains_by_row(system, method);
  ASSERT_EQ(gains.penalty.size(), system.row_count());
  EXPECT_EQ(gains.beta.size(), 0);
  for (int row = 0; row < system.row_count(); ++row) {
    const bool of_joint = system.rows()[row].index == system.rows()[1].index;
    EXPECT_EQ(gains.penalty[row], row == 1 ? 5 : of_joint ? 3 : 1e7) << row;
    EXPECT_EQ(gains.alpha[row], of_joint ? 4 : 10) << row;
  }
}

TEST(RowGains, AreAMapInTheModelFile) {
  std::string text = testing_support::text_of_test("../models/four-bar.yaml");
  if (const std::size_t at = text.find("\nsimulation:"); at != std::string::npos) {
    std::size_t end = text.find("\n", at + 1);
    while (end + 1 < text.size() && text[end + 1] == ' ') end = text.find("\n", end + 1);
    text.erase(at, end - at);
  }
  const std::string joint = shipped("four-bar")->joints[0].name;
  const auto with = [&](const std::string& map) { return load_text(text + "\nsimulation:\n  " + map + "\n", "test"); };
  const auto model = with("penalty: {default: 1e6, " + joint + ": 1e9}\n  alpha: {" + joint + ": 30}");
  EXPECT_EQ(model->simulation.penalty, 1e6);
  EXPECT_NE(model->simulation.alpha, model->simulation.alpha);  // not chosen
  Method method = model->simulation;
  method.complete_from(method_defaults());
  const testing_support::Started start(model);
  const GainsByRow gains = gains_by_row(start.system, method);
  EXPECT_EQ(gains.penalty[0], 1e9);
  EXPECT_EQ(gains.penalty.tail(1)[0], 1e6);
  EXPECT_EQ(gains.alpha[0], 30);
  EXPECT_EQ(gains.alpha.tail(1)[0], 10);
  EXPECT_THROW(with("penalty: {" + joint + ": 0}"), InputError);
  EXPECT_THROW(with("duration: {" + joint + ": 3}"), InputError);
}

TEST(RowGains, WithoutEffectAreRefusedWithWhatWouldServe) {
  const auto model = shipped("four-bar");
  const std::string joint = model->joints[0].name;
  EXPECT_EQ(refusal(method_with(joint + ".penalty=1e5")), "");
  EXPECT_EQ(refusal(method_with(joint + ".alpha=5", "lagrange")), "");
  const std::string misspelt = joint + joint.substr(joint.size() - 1);
  EXPECT_TRUE(contains(refusal(method_with(misspelt + ".penalty=1e5")), "did you mean '" + joint + "'"))
      << refusal(method_with(misspelt + ".penalty=1e5"));
  EXPECT_TRUE(contains(refusal(method_with(joint + ".alpha=5")), "use 'baumgarte'"));
  EXPECT_TRUE(contains(refusal(method_with(joint + ".penalty=5", "lagrange")), "augmented-lagrangian"));
  Method alf3 = method_with(joint + ".penalty=5", "lagrange");
  alf3.stabilization = "none", alf3.integrator = "alf3", alf3.step = 0.01;
  EXPECT_TRUE(contains(refusal(alf3), "integrator 'alf3' has none by constraint")) << refusal(alf3);
  Method relative = method_with(joint + ".alpha=5", "recursive");
  relative.coordinates = "relative";
  const auto chosen = shipped("double-pendulum");
  relative.row_gains = chosen->joints[0].name + ".alpha=5";
  EXPECT_TRUE(contains(refusal(relative, "double-pendulum"), "reference-point"))
      << refusal(relative, "double-pendulum");
}

TEST(RowGains, AreShownAsDiagonals) {
  const auto model = shipped("four-bar");
  const std::string joint = model->joints[0].name;
  Method method = method_with(joint + ".penalty=200, " + joint + ".omega=3, " + joint + ".mu=0.5");
  method.penalty = 1e4, method.penalty_kind = "absolute", method.omega = 7;
  const EquationsResult r = show_equations(model, method);
  ASSERT_TRUE(r.ok) << r.failure;
  const Matrix &a = r.find("a")->values, &position = r.find("Omega^2")->values, &rate = r.find("2 Omega mu")->values;
  const Eigen::Index last = a.rows() - 1;
  EXPECT_EQ(a(0, 0), 200);
  EXPECT_EQ(a(last, 0), 1e4);
  EXPECT_EQ(position(0, 0), 9);
  EXPECT_EQ(position(last, 0), 49);
  EXPECT_EQ(rate(0, 0), 3);
  EXPECT_EQ(rate(last, 0), 14);
}

TEST(RowGains, MeanTheSameInOwnUnits) {
  const Units units{.length = 8, .mass = 4, .time = 0.25};
  const auto gains = parse_row_gains(row_gains_in(units, "A.alpha=20, A.penalty=1e9, A.mu=2, A.omega=3", true));
  ASSERT_EQ(gains.size(), 4u);
  EXPECT_EQ(gains[0].value, 5);
  EXPECT_EQ(gains[1].value, 2.5e8);
  EXPECT_EQ(gains[2].value, 2);
  EXPECT_EQ(gains[3].value, 0.75);
  EXPECT_EQ(parse_row_gains(row_gains_in(units, "A.penalty=1e9", false))[0].value, 1e9);
}

// (5.37): what a penalty leaves of Phi in equilibrium of its spring is |lambda_k|/(a_k Omega_k^2): a stiffer joint gives
// way less, the others as before.
TEST(RowGains, MakeOneJointStiffer) {
  const auto model = shipped("double-pendulum");
  Method method;
  method.coordinates = "reference-point", method.formulation = "penalty", method.stabilization = "none";
  method.integrator = "dop853", method.tolerance = 1e-9, method.duration = 1, method.row_columns = true;
  method.penalty = 1e5, method.penalty_kind = "absolute", method.omega = 10;
  const auto errors = [&](const std::string& gains) {
    Method run = method;
    run.row_gains = gains;
    const SimulationResult result = simulate(model, run);
    EXPECT_TRUE(result.ok()) << result.summary.failure;
    std::vector<double> largest(2, 0);
    for (std::size_t column = 0; column < result.data.columns.size(); ++column) {
      const std::string& name = result.data.columns[column];
      for (std::size_t joint = 0; joint < 2; ++joint) {
        if (!name.starts_with("phi." + model->joints[joint].name + ".")) continue;
        for (const auto& row : result.data.rows)
          largest[joint] = std::max(largest[joint], std::abs(row[static_cast<Eigen::Index>(column)]));
      }
    }
    return largest;
  };
  const auto common = errors(""), stiff = errors(model->joints[0].name + ".penalty=1e7");
  EXPECT_NEAR(common[0] / stiff[0], 100, 5);
  EXPECT_NEAR(common[1] / stiff[1], 1, 0.05);
}

}  // namespace row_gains_test
}  // namespace bricard
