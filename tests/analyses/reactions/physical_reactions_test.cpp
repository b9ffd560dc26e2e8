// Blajer's schemes: equal to each other and to the multipliers where reactions are unique; a unit-safe least norm where
// not.
#include "analyses/reactions/physical_reactions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "analyses/reactions/gauss_elimination.h"
#include "analyses/structure/unique_columns.h"
#include "bricard/equations.h"
#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace physical_reactions_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

SimulationResult run(const std::shared_ptr<const Model>& model, const std::string& reactions) {
  Method method;
  method.reactions = reactions;
  method.duration = 0.2, method.output_step = 0.1, method.tolerance = 1e-8;
  return simulate(model, method);
}

TEST(PhysicalReactionsTest, SchemesAgreeWhereReactionsAreUnique) {
  for (const char* name :
       {"four-bar", "mcpherson", "rolling-coin", "exudyn-joints", "friction-incline", "driven-slider-crank"}) {
    const auto model = load(models + name + ".yaml");
    const SimulationResult reference = run(model, "multipliers");
    ASSERT_TRUE(reference.ok()) << name;
    for (const ReactionSchemeType& scheme : reaction_scheme_types()) {
      SCOPED_TRACE(std::string(name) + " " + scheme.name);
      const SimulationResult result = run(model, scheme.name);
      for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
        EXPECT_LT((result.data.rows[row] - reference.data.rows[row]).lpNorm<Eigen::Infinity>(),
                  1e-8 * (1 + reference.data.rows[row].lpNorm<Eigen::Infinity>()));
      }
    }
  }
}

TEST(PhysicalReactionsTest, UniqueComponentsOfOverconstrainedModelsAgreeToo) {
  const auto model = load(models + "mcpherson-overconstrained.yaml");
  const SimulationResult by_multipliers = run(model, "multipliers"), by_components = run(model, "blajer-38");
  for (const auto& [joint, components] : by_components.summary.structure.reactions) {
    for (const auto& [component, unique] : components) {
      if (!unique) continue;
      const std::string column = joint + "." + component;
      EXPECT_NEAR(by_components.data.at(2, column), by_multipliers.data.at(2, column), 1e-7) << column;
    }
  }
  EXPECT_NE(by_components.summary.messages.front().find("not unique"), std::string::npos);
}

TEST(PhysicalReactionsTest, TheLeastNormDoesNotDependOnUnits) {
  // A beam on three pins in the plane, in metres and in millimetres (with N and kg kept: g in mm/s^2 gives mN).
  const auto beam = [](double unit) {
    const auto n = [&](double metres) { return std::to_string(metres * unit); };
    return load_text("bricard: 1\ndimension: planar\ngravity: [0, " + n(-9.81) +
                         "]\nbodies: {beam: {mass: 2, inertia: " + n(0.5 * unit) + ", center: [" + n(0.7) +
                         ", 0]}}\njoints:\n  A: {type: fixed, bodies: [ground, beam], at: [0, 0]}\n  B: {type: "
                         "revolute, bodies: [ground, beam], at: [" +
                         n(1) + ", 0]}\n",
                     "beam");
  };
  const SimulationResult metres = run(beam(1), "auto"), millimetres = run(beam(1000), "auto");
  for (const char* force : {"A.fx", "A.fy", "B.fx", "B.fy"})
    EXPECT_NEAR(millimetres.data.at(1, force), 1000 * metres.data.at(1, force), 1e-6 * 1000);
  EXPECT_NEAR(millimetres.data.at(1, "A.mz"), 1e6 * metres.data.at(1, "A.mz"), 1e-6 * 1e6);
}

// (38) of the four-bar cut at O4, as Blajer, Schiehlen and Schirm have it: two of the three rows of B^T give f.
TEST(PhysicalReactionsTest, GaussEliminationFindsIndependentRows) {
  std::ifstream file(models + "four-bar.yaml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text.replace(text.find("rocker], at: O4}"), 16, "rocker], at: O4, cut: true}");
  const auto f_at = [&](const char* alpha, std::vector<std::string>& pivots) {
    Method method;
    method.coordinates = "relative", method.reactions = "blajer-38-gauss";
    const EquationsResult result =
        show_equations(load_text(text, "four-bar", {.parameters = {{"alpha1", alpha}}}), method);
    EXPECT_TRUE(result.ok) << result.failure;
    const NamedMatrix* kept = result.find("B^T f - (M v' - Q)");
    EXPECT_LT(kept->values.norm(), 1e-11);
    pivots = result.find("pivots")->rows;
    // (44), of angles that count counter-clockwise.
    const Matrix& Bt = result.find("B^T")->values;
    EXPECT_NEAR(Bt.row(0).cwiseAbs().maxCoeff(), 2, 1e-12);
    EXPECT_EQ(result.find("B^T")->columns, (std::vector<std::string>{"O4.fx", "O4.fy"}));
    return Matrix(result.find("f")->values);
  };
  std::vector<std::string> pivots;
  EXPECT_LT((f_at("0.3", pivots) - Eigen::Vector2d(-1.80585304, 3.36067723)).norm(), 1e-8);
  EXPECT_LT((f_at("1.1", pivots) - Eigen::Vector2d(-9.17349484, 90.43255511)).norm(), 1e-8);
  ASSERT_EQ(pivots.size(), 2u);
  EXPECT_TRUE(pivots[0].starts_with("O1.angle'")) << pivots[0];
  EXPECT_TRUE(pivots[1].starts_with("O3.angle'")) << pivots[1];
}

TEST(GaussElimination, LeavesAtZeroWhatIsNotUnique) {
  Matrix A(3, 3);
  A << 1, 2, 3, 0, 1, 1, 1, 3, 4;  // the third column is the sum of the others, the third row too
  const Vec3 b(3, 1, 4);
  const GaussElimination elimination(A, b, Vec3::Ones(), 1e-12);
  EXPECT_EQ(elimination.rows.size(), 2u);
  ASSERT_EQ(elimination.undetermined.size(), 1u);
  EXPECT_EQ(elimination.f[elimination.undetermined[0]], 0);
  EXPECT_LT((A * elimination.f - b).norm(), 1e-14);
  EXPECT_LT(elimination.residual.norm(), 1e-14);
  const GaussElimination contrary(A, Vec3(3, 1, 5), Vec3::Ones(), 1e-12);
  EXPECT_NEAR(contrary.residual.cwiseAbs().maxCoeff(), 1, 1e-14);
}

TEST(PhysicalReactionsTest, MisfitsAreRefused) {
  EXPECT_THROW(run(load(models + "five-bar.yaml"), "blajer-35"), InputError);
  EXPECT_THROW(run(load(models + "five-bar.yaml"), "blajer-37"), InputError);
  EXPECT_THROW(run(load(models + "pendulum.yaml"), "blajer-36"), InputError);
}

// Joints that the coordinates absorb are constraints of the bodies all the same: where they are there twice, schemes
// that need independent ones are refused, and the others say what they report.
TEST(PhysicalReactionsTest, AbsorbedJointsCountAsConstraints) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {b: {mass: 3, inertia: 0.2, center: [0.7, 0]}}\njoints:\n"
      "  P: {type: revolute, bodies: [ground, b], at: [0, 0]}\n"
      "  Q: {type: revolute, bodies: [b, ground], at: [0, 0]}\nsimulation: {duration: 0.1}\n",
      "twice");
  for (const char* coordinates : {"natural", "relative"}) {
    Method method;
    method.coordinates = coordinates;
    for (const char* scheme : {"blajer-35", "blajer-37"}) {
      method.reactions = scheme;
      EXPECT_THROW(simulate(model, method), InputError) << coordinates << " " << scheme;
    }
    for (const char* scheme : {"auto", "blajer-38", "multipliers"}) {
      method.reactions = scheme;
      const SimulationResult result = simulate(model, method);
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      EXPECT_EQ(result.data.notes.not_unique.size(), 4u);
      // At rest, m (g - a) = J/(J + m r^2) m g is shared evenly; Q acts the other way.
      const double share = 0.5 * 0.2 / (0.2 + 3 * 0.49) * 3 * 9.81;
      EXPECT_NEAR(result.data.at(0, "P.fy"), share, 1e-9) << coordinates << " " << scheme;
      EXPECT_NEAR(result.data.at(0, "Q.fy"), -share, 1e-9) << coordinates << " " << scheme;
    }
  }
}

// A column is found by its name: a name that two things would give it is refused, here by its place in the file.
TEST(RecorderTest, NamesOfColumnsAreUnique) {
  const auto text = [](const std::string& equation, const std::string& motion) {
    return "bricard: 1\ndimension: planar\nbodies: {q: {mass: 1, inertia: 0.3, center: [1, 0]}}\njoints:\n"
           "  A: {type: prismatic, bodies: [ground, q], at: [1, 0], axis: [1, 0]}\n  " +
           equation + ": {type: constraint, expression: y(q)}\nmotions: {" + motion +
           ": {joint: A, position: t}}\nsimulation: {duration: 0.1}\n";
  };
  try {
    load_text(text("drive", "drive"), "names");
    FAIL() << "not refused";
  } catch (const InputError& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("both would have the column 'drive.effort'"), std::string::npos)
        << refusal.what();
  }
  const SimulationResult result = simulate(load_text(text("line", "A"), "names"));
  std::vector<std::string> columns = result.data.columns;
  std::sort(columns.begin(), columns.end());
  EXPECT_EQ(std::adjacent_find(columns.begin(), columns.end()), columns.end());
  EXPECT_THROW(refuse_duplicate_columns({"time", "a.x", "b.x", "a.x"}), InputError);
}

}  // namespace physical_reactions_test
}  // namespace bricard
