// Where loops are cut by the projective criterion. Values of the four-bar: an independent program.
#include "analyses/choice/choose_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "coordinates/coordinates.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace choose_cuts_test {

int number_of(const Model& model, const std::string& name) {
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const Joint& candidate) { return candidate.name == name; });
  return static_cast<int>(joint - model.joints.begin());
}

CutValue value_of(const std::vector<CutValue>& values, const Model& model, const std::string& name) {
  for (const CutValue& value : values) {
    if (value.joint == number_of(model, name)) return value;
  }
  ADD_FAILURE() << name << " is not in the loop";
  return {};
}

std::string message_of(const std::shared_ptr<const Model>& model) {
  std::string message;
  choose_cuts(model, *find_coordinates_type("relative"), 1, message);
  return message;
}

TEST(ChooseCuts, ValuesOfTheFourBar) {
  const struct {
    const char* alpha1;
    std::vector<std::pair<const char*, double>> values;
    const char* best;
  } expected[] = {{"0.3", {{"O1", 0.8068}, {"O2", 0.6811}, {"O3", 0.7363}, {"O4", 0.9081}}, "at O4 "},
                  {"2.0", {{"O1", 0.9576}, {"O4", 0.9308}}, "at O1 "}};
  for (const auto& [alpha1, values, best] : expected) {
    const auto model = shipped("four-bar", {{"alpha1", alpha1}});
    const std::vector<CutValue> found = cut_values(model, number_of(*model, "O3"), 1);
    EXPECT_EQ(found.size(), 4u);
    for (const auto& [joint, value] : values)
      EXPECT_NEAR(value_of(found, *model, joint).projective, value, 1e-4) << joint << " at " << alpha1;
    EXPECT_NE(message_of(model).find(best), std::string::npos) << message_of(model);
  }
}

TEST(ChooseCuts, NotAtABodyWithoutMass) {
  // "this formalism fails by cutting the loop at a body with neglected mass": the coupler is last in the trees cut at O2
  // and O3.
  auto light = std::make_shared<Model>(*shipped("four-bar"));
  for (Body& body : light->bodies) {
    if (body.name == "coupler") body.mass *= 1e-6, body.inertia *= 1e-6;
  }
  const std::vector<CutValue> values = cut_values(light, number_of(*light, "O3"), 1);
  for (const char* joint : {"O2", "O3"}) {
    EXPECT_GT(value_of(values, *light, joint).condition, 1e5) << joint;
    EXPECT_LT(value_of(values, *light, joint).condition, 1e7) << joint;
  }
  for (const char* joint : {"O1", "O4"}) EXPECT_LT(value_of(values, *light, joint).condition, 1e3) << joint;

  auto massless = std::make_shared<Model>(*light);
  for (Body& body : massless->bodies) {
    if (body.name == "coupler") body.mass = 0, body.inertia.setZero();
  }
  const std::vector<CutValue> without = cut_values(massless, number_of(*massless, "O3"), 1);
  for (const char* joint : {"O2", "O3"}) EXPECT_LT(value_of(without, *massless, joint).projective, 0) << joint;
  for (const char* joint : {"O1", "O4"}) EXPECT_GT(value_of(without, *massless, joint).projective, 0.5) << joint;
  EXPECT_EQ(message_of(massless).find("O3"), std::string::npos);
}

TEST(ChooseCuts, EveryLoopIsCutOnceAndTheMotionIsTheSame) {
  for (const char* name : {"four-bar", "n-four-bar", "slider-crank-long-rod"}) {
    Method method{.coordinates = "relative", .formulation = "nullspace-svd"};
    method.duration = 0.4, method.output_step = 0.1, method.tolerance = 1e-10;
    const SimulationResult ordinary = simulate(shipped(name), method);
    method.cut = "projective";
    const SimulationResult chosen = simulate(shipped(name), method);
    ASSERT_TRUE(ordinary.ok() && chosen.ok()) << name << " " << ordinary.summary.failure << chosen.summary.failure;
    EXPECT_EQ(chosen.summary.structure.constraints - chosen.summary.structure.coordinates,
              ordinary.summary.structure.constraints - ordinary.summary.structure.coordinates)
        << name;
    EXPECT_NEAR(chosen.data.at(4, "energy.kinetic"), ordinary.data.at(4, "energy.kinetic"), 1e-6) << name;
    const auto& messages = chosen.summary.messages;
    EXPECT_TRUE(std::any_of(messages.begin(), messages.end(), [](const std::string& m) {
      return m.find("loops are cut") == 0;
    })) << name;
  }
}

TEST(ChooseCuts, IsForRelativeCoordinates) {
  Method method{.coordinates = "reference-point"};
  method.cut = "projective", method.duration = 0.1;
  try {
    simulate(shipped("four-bar"), method);
    ADD_FAILURE() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("is for coordinates 'relative'"), std::string::npos) << error.what();
  }
  method.coordinates = "relative";
  EXPECT_THROW(simulate(shipped("double-pendulum"), method), InputError);
}

}  // namespace choose_cuts_test
}  // namespace bricard::testing_support
