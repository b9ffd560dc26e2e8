// Every formulation against its contract (testing/formulation_contract.h), on its examples and on shipped models.
#include <bricard/testing.h>
#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace formulation_contract_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

class FormulationContract : public ::testing::TestWithParam<std::string> {};

TEST_P(FormulationContract, Holds) { EXPECT_FORMULATION_CONTRACT(GetParam()); }

TEST_P(FormulationContract, HoldsForShippedModels) {
  const contracts::FormulationContract contract(*find_formulation_type(GetParam()));
  for (const char* file : {"pendulum.yaml", "four-bar.yaml", "mcpherson.yaml", "rolling-coin.yaml",
                           "driven-slider-crank.yaml", "exudyn-joints.yaml"})
    contract.solves(load(models + file));
  for (const char* file : {"five-bar.yaml", "mcpherson-overconstrained.yaml", "sarrus.yaml", "bennett.yaml"})
    contract.takes_or_refuses_redundant_rows_as_its_traits_say(load(models + file));
  contract.takes_or_refuses_singular_mass_as_its_traits_say(load(models + "mcpherson.yaml"));
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
    const std::string engine = type.engine;
    EXPECT_EQ(type.create != nullptr, type.state == State::full && engine != "tree") << type.name;
    // Engines have the state (q, v).
    EXPECT_TRUE(engine == "whole" || type.state == State::full) << type.name;
    // Joint coordinates are needed to go over the tree, and to close its loops.
    EXPECT_EQ(engine == "tree" || type.state == State::closing, type.traits.tree_only) << type.name;
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
