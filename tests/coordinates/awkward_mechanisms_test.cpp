// Small mechanisms that are awkward for coordinates which absorb joints or have singularities of their own: joints that
// are there twice, rows that vanish, no rows or no freedoms at all, starts at gimbal positions. In every coordinate
// set, with every formulation, stabilisation, scheme of reactions, selection and integrator, the motion is that of free
// bodies, reactions that are unique are, and so is the least norm where it is asked for; or the method is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analyses/reactions/physical_reactions.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace awkward_mechanisms_test {

/// Every file of tests/coordinates/awkward.
std::vector<std::string> mechanisms() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/tests/coordinates/awkward"))
    names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class Awkward : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    model_ = load(BRICARD_SOURCE_DIR "/tests/coordinates/awkward/" + GetParam() + ".yaml");
    Method method = basic();
    method.coordinates = "reference-point", method.formulation = "lagrange-pseudoinverse";
    method.stabilization = "projection", method.integrator = "dop853", method.tolerance = 1e-11;
    method.reactions = "blajer-38";
    reference_ = simulate(model_, method);
    ASSERT_TRUE(reference_.ok()) << reference_.summary.failure;
  }

  static Method basic() {
    Method method;
    method.tolerance = 1e-8;
    method.duration = 0.2, method.output_step = 0.1;
    return method;
  }

  std::vector<std::string> coordinates() const {
    std::vector<std::string> names;
    for (const CoordinatesType& type : coordinates_types()) {
      if (model_->planar() ? type.planar : type.spatial) names.emplace_back(type.name);
    }
    return names;
  }

  /// The same, or refused.
  void expect_same(const Method& method, double tolerance) {
    SimulationResult result;
    try {
      result = simulate(model_, method);
    } catch (const InputError& refusal) {
      EXPECT_FALSE(std::string(refusal.what()).empty());
      ++refused_;
      return;
    }
    ++runs_;
    const std::string what = method.coordinates + " " + method.formulation + " " + method.stabilization + " " +
                             method.integrator + " " + method.reactions + " " + method.selection;
    ASSERT_TRUE(result.ok()) << what << ": " << result.summary.failure;
    EXPECT_EQ(result.summary.structure.degrees_of_freedom, reference_.summary.structure.degrees_of_freedom) << what;
    compare(result, tolerance, what);
  }

  void compare(const SimulationResult& result, double tolerance, const std::string& what) {
    ASSERT_EQ(result.data.columns, reference_.data.columns) << what;
    ASSERT_EQ(result.data.rows.size(), reference_.data.rows.size()) << what;
    const bool least_norm = result.summary.chosen.method.reactions == "blajer-38";
    // Zero where pivots vanish: another share of what is not unique, in other components as the mechanism turns.
    const bool by_pivots = result.summary.chosen.method.reactions == "blajer-38-gauss";
    const std::vector<std::string>& conventions = reference_.data.notes.not_unique;
    double load = 1;  // N or N m
    for (const auto& [joint, components] : reference_.summary.structure.reactions)
      for (const auto& [component, unique] : components)
        load = std::max(load, std::abs(reference_.data.at(0, joint + "." + component)));
    for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
      for (const Body& body : model_->bodies) compare_body(result, row, body.name, tolerance, what);
      for (const auto& [joint, components] : reference_.summary.structure.reactions) {
        const auto is_convention = [](const auto& component) { return !component.second; };
        if (by_pivots && std::any_of(components.begin(), components.end(), is_convention)) continue;
        for (const auto& [component, unique] : components) {
          const std::string name = joint + "." + component;
          const bool convention = std::find(conventions.begin(), conventions.end(), name) != conventions.end();
          if (convention && (!least_norm || component.starts_with("effort"))) continue;
          EXPECT_NEAR(result.data.at(row, name), reference_.data.at(row, name), 20 * tolerance * load)
              << what << ": " << name << " in row " << row;
        }
      }
    }
  }

  void compare_body(const SimulationResult& result, std::size_t row, const std::string& body, double tolerance,
                    const std::string& what) const {
    const auto difference = [&](const std::string& name, double sign) {
      return std::abs(result.data.at(row, body + name) - sign * reference_.data.at(row, body + name));
    };
    const auto near = [&](std::initializer_list<const char*> names) {
      for (const char* name : names) {
        EXPECT_LT(difference(name, 1), tolerance * (1 + std::abs(reference_.data.at(row, body + name))))
            << what << ": " << body << name << " in row " << row;
      }
    };
    if (model_->planar()) return near({".x", ".y", ".angle", ".vx", ".vy", ".omega"});
    near({".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"});
    double same = 0, opposite = 0;  // p and -p are one rotation
    for (const char* name : {".qw", ".qx", ".qy", ".qz"}) {
      same += difference(name, 1);
      opposite += difference(name, -1);
    }
    EXPECT_LT(std::min(same, opposite), 4 * tolerance) << what << ": orientation of " << body << " in row " << row;
  }

  std::shared_ptr<const Model> model_;
  SimulationResult reference_;
  int runs_ = 0, refused_ = 0;
};

TEST_P(Awkward, MovesTheSameInEveryFormulation) {
  for (const std::string& set : coordinates()) {
    for (const FormulationType& formulation : formulation_types()) {
      Method method = basic();
      method.coordinates = set, method.formulation = formulation.name;
      // Penalties stand for rigid rows only so far.
      expect_same(method, std::string(formulation.name) == "penalty" ? 1e-3 : 2e-6);
    }
  }
  EXPECT_GT(runs_, 30);
}

TEST_P(Awkward, MovesTheSameInEverySelectionAndStabilization) {
  for (const std::string& set : coordinates()) {
    Method method = basic();
    method.coordinates = set;
    for (const char* formulation : {"independent", "independent-extended", "canonical-independent"}) {
      for (const SelectionType& selection : selection_types()) {
        method.formulation = formulation, method.selection = selection.name;
        expect_same(method, 2e-6);
      }
    }
    method.selection = "auto";
    for (const char* formulation : {"auto", "nullspace-svd"}) {
      for (const StabilizationType& stabilization : stabilization_types()) {
        method.formulation = formulation, method.stabilization = stabilization.name;
        expect_same(method, stabilization.feedback ? 1e-4 : 1e-5);  // feedback adds forces of its own
      }
    }
  }
  EXPECT_GT(runs_, 20);
}

TEST_P(Awkward, MovesTheSameWithEveryIntegratorAndSchemeOfReactions) {
  for (const std::string& set : coordinates()) {
    Method method = basic();
    method.coordinates = set;
    for (const IntegratorType& integrator : integrator_types()) {
      method.integrator = integrator.name;
      const bool second_order = integrator.order == 2;
      method.step = integrator.fixed_step ? 1e-3 : std::nan("");
      method.tolerance = second_order ? 1e-7 : 1e-8;
      expect_same(method, second_order ? 1e-3 : 1e-5);
    }
    method = basic();
    method.coordinates = set;
    for (const char* formulation : {"auto", "nullspace-svd", "lagrange-pseudoinverse"}) {
      for (const ReactionSchemeType& reactions : reaction_scheme_types()) {
        method.formulation = formulation, method.reactions = reactions.name;
        expect_same(method, 2e-6);
      }
    }
  }
  EXPECT_GT(runs_, 20);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Awkward, ::testing::ValuesIn(mechanisms()),
                         [](const auto& test) { return test.param; });

}  // namespace awkward_mechanisms_test
}  // namespace bricard
