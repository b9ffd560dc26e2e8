#include "model/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinates/coordinates.h"
#include "forces/force_element.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "model/joint_type.h"
#include "model/nearest_name.h"
#include "pseudoinverses/pseudoinverse.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace registry_test {

struct Fruit {
  const char* name;
  int price = 0;
};

/// Types may be registered here, whatever other tests of this process have simulated.
class RegistryTest : public testing::Test {
 protected:
  void SetUp() override { types_are_fixed = false; }
  void TearDown() override { types_are_fixed = were_fixed_; }

  std::string refusal(const Fruit& fruit) {
    try {
      registry_.add(fruit, "fruit");
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  Registry<Fruit> registry_ = {{"pear", 3}, {"apple", 2}};
  const bool were_fixed_ = types_are_fixed;
};

TEST_F(RegistryTest, KeepsTheOrderOfTheListAndOfWhatIsAdded) {
  EXPECT_EQ(names_of(registry_.all()), (std::vector<std::string>{"pear", "apple"}));
  registry_.add({"banana", 1}, "fruit");
  registry_.add({"almond", 1}, "fruit");
  EXPECT_EQ(names_of(registry_.all()), (std::vector<std::string>{"pear", "apple", "banana", "almond"}));
}

TEST_F(RegistryTest, EntriesStayWhereTheyAre) {
  const Fruit* const pear = registry_.find("pear");
  const Fruit* const apple = &registry_.all()[1];
  std::vector<std::string> names;
  for (int k = 0; k < 1000; ++k) names.push_back("fruit " + std::to_string(k));
  registry_.add({names[0].c_str(), 7}, "fruit");
  const Fruit* const added = registry_.find("fruit 0");
  for (std::size_t k = 1; k < names.size(); ++k) registry_.add({names[k].c_str()}, "fruit");
  EXPECT_EQ(registry_.find("pear"), pear);
  EXPECT_EQ(registry_.find("apple"), apple);
  EXPECT_EQ(registry_.find("fruit 0"), added);
  EXPECT_EQ(pear->price, 3);
  EXPECT_EQ(added->price, 7);
}

TEST_F(RegistryTest, RefusesNamesThatExistOrAreEmpty) {
  EXPECT_EQ(refusal({"apple"}), "there is a fruit 'apple' already");
  EXPECT_EQ(refusal({""}), "a fruit needs a name");
  EXPECT_EQ(refusal({nullptr}), "a fruit needs a name");
  registry_.add({"fig"}, "fruit");
  EXPECT_EQ(refusal({"fig"}), "there is a fruit 'fig' already");
  EXPECT_EQ(registry_.all().size(), 3u);
  EXPECT_EQ(registry_.find("apple")->price, 2);
}

TEST_F(RegistryTest, RefusesWhatComesTooLate) {
  types_are_fixed = true;
  EXPECT_EQ(refusal({"fig"}), "fruit 'fig' comes too late: register it before anything is simulated or analysed");
  EXPECT_EQ(registry_.find("fig"), nullptr);
}

TEST_F(RegistryTest, NamesAreFoundExactlyAndTheNearestIsSuggested) {
  EXPECT_EQ(registry_.find("Apple"), nullptr);
  EXPECT_EQ(registry_.find("app"), nullptr);
  EXPECT_EQ(registry_.find(""), nullptr);
  EXPECT_EQ(nearest_name("appel", names_of(registry_.all())), "apple");
}

template <class Types, class Find>
void expect_found(const Types& types, const Find& find) {
  EXPECT_FALSE(types.empty());
  for (const auto& type : types) EXPECT_EQ(find(type.name), &type) << type.name;
  EXPECT_EQ(find("no such name"), nullptr);
}

TEST(Lists, EveryEntryIsFoundByItsName) {
  expect_found(coordinates_types(), find_coordinates_type);
  expect_found(formulation_types(), find_formulation_type);
  expect_found(integrator_types(), find_integrator_type);
  expect_found(joint_types(), find_joint_type);
  expect_found(pseudoinverse_types(), find_pseudoinverse_type);
  expect_found(selection_types(), find_selection_type);
  expect_found(stabilization_types(), find_stabilization_type);
  EXPECT_FALSE(force_types().empty());
}

}  // namespace registry_test
}  // namespace bricard
