// A diagnosis must not depend on the order of the joints, on how the whole model is turned, or on its units.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "bricard/diagnosis.h"
#include "bricard/load.h"

namespace bricard {
namespace invariance_test {

/// Every shipped model that these changes can be made to by hand: forces, drives, outputs and start values are left
/// out, since they carry units and directions in expressions; so are models with expressions in their joints.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(BRICARD_SOURCE_DIR) + "/models")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<Model> bare(const std::string& name) {
  const auto model = load(std::string(BRICARD_SOURCE_DIR) + "/models/" + name + ".yaml");
  auto copy = std::make_shared<Model>(*model);
  copy->forces.clear(), copy->motions.clear(), copy->outputs.clear();
  copy->initial = {};
  copy->simulation = {};
  copy->simulation.coordinates = "reference-point";
  for (Joint& joint : copy->joints) joint.friction = {};
  return copy;
}

bool has_expressions(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& j) { return !j.expressions.empty(); });
}
bool has_couplings(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& j) { return j.type == "gear" || j.type == "gear_pair"; });
}

std::shared_ptr<Model> shuffled(const Model& model) {
  auto copy = std::make_shared<Model>(model);
  std::mt19937 random(7);
  std::shuffle(copy->joints.begin(), copy->joints.end(), random);
  return copy;
}

std::shared_ptr<Model> rotated(const Model& model) {
  auto copy = std::make_shared<Model>(model);
  const Vec3 axis = model.planar() ? Vec3(Vec3::UnitZ()) : Vec3(0.3, -0.5, 0.8).normalized();
  const double angle = 0.7;
  const Quaternion R(Eigen::AngleAxisd(angle, axis));
  copy->gravity = R * copy->gravity;
  for (auto& [name, place] : copy->points) place = R * place;
  for (Body& body : copy->bodies) {
    body.center = R * body.center;
    body.orientation = R * body.orientation;
    body.angle += angle;
  }
  for (Joint& joint : copy->joints) {
    for (Vec3* vector :
         {&joint.at_i, &joint.at_j, &joint.axis_i, &joint.axis_j, &joint.surface_at, &joint.surface_direction})
      *vector = R * *vector;
  }
  return copy;
}

/// From metres and kilograms to millimetres and grams.
std::shared_ptr<Model> in_millimetres_and_grams(const Model& model) {
  auto copy = std::make_shared<Model>(model);
  copy->gravity *= 1000;
  for (auto& [name, place] : copy->points) place *= 1000;
  for (Body& body : copy->bodies) {
    body.mass *= 1000;
    body.inertia *= 1e9;
    body.center *= 1000;
  }
  for (Joint& joint : copy->joints) {
    for (Vec3* place : {&joint.at_i, &joint.at_j, &joint.surface_at}) *place *= 1000;
    joint.pitch *= 1000, joint.length *= 1000, joint.radius *= 1000;
  }
  return copy;
}

/// What must stay: counts, groups by joint with how many directions, unique or not, and the kinds of proposals.
struct Invariants {
  std::vector<int> counts;
  std::vector<std::pair<int, std::vector<std::string>>> groups;
  std::map<std::string, std::pair<int, int>> free_directions;
  std::map<std::string, std::map<std::string, bool>> components;
  std::size_t proposals = 0, changes = 0;
  std::vector<std::vector<std::string>> idle;
  bool depends_on_length = false;
};

Invariants invariants(const std::shared_ptr<const Model>& model) {
  const Diagnosis d = diagnose(model);
  Invariants result;
  const Structure& s = d.structure;
  result.counts = {s.coordinates,        s.constraints,       s.rank,
                   s.degrees_of_freedom, d.rank.generic_rank, static_cast<int>(d.assembly.ok)};
  const auto add_group = [&](int excess, const std::vector<SharedLoad>& loads) {
    std::vector<std::string> joints;
    for (const SharedLoad& load : loads)
      joints.push_back(load.joint + " " + std::to_string(load.forces.cols()) + std::to_string(load.moments.cols()));
    std::sort(joints.begin(), joints.end());
    result.groups.emplace_back(excess, joints);
  };
  for (const DependentGroup& group : d.groups) {
    add_group(group.excess, group.loads);
    if (group.all_minimal) {
      for (const MinimalGroup& minimal : group.minimal) add_group(0, minimal.loads);
    }
  }
  std::sort(result.groups.begin(), result.groups.end());
  for (const UniqueReaction& reaction : d.reactions) {
    result.free_directions[reaction.joint] = {reaction.free_forces.cols(), reaction.free_moments.cols()};
    for (const auto& [name, unique] : reaction.components) result.components[reaction.joint][name] = unique;
  }
  result.proposals = d.releases.size();
  if (!d.releases.empty()) result.changes = d.releases[0].changes.size();
  for (const IdleSpin& spin : d.idle_spins) result.idle.push_back(spin.bodies);
  result.depends_on_length = d.depends_on_length;
  return result;
}

void expect_same(const Invariants& a, const Invariants& b) {
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.free_directions, b.free_directions);
  EXPECT_EQ(a.proposals > 0, b.proposals > 0);
  EXPECT_EQ(a.changes, b.changes);
  EXPECT_EQ(a.idle, b.idle);
  EXPECT_EQ(a.depends_on_length, b.depends_on_length);
}

class Invariance : public testing::TestWithParam<std::string> {};

TEST_P(Invariance, OfTheOrderOfJoints) {
  const auto model = bare(GetParam());
  if (has_couplings(*model) || has_expressions(*model)) GTEST_SKIP() << "joints are named by their numbers";
  const Invariants before = invariants(model), after = invariants(shuffled(*model));
  expect_same(before, after);
  EXPECT_EQ(before.components, after.components);
}

TEST_P(Invariance, OfARotationOfTheWholeModel) {
  const auto model = bare(GetParam());
  if (has_expressions(*model)) GTEST_SKIP() << "expressions name world axes";
  expect_same(invariants(model), invariants(rotated(*model)));
}

TEST_P(Invariance, OfUnits) {
  const auto model = bare(GetParam());
  if (has_expressions(*model)) GTEST_SKIP() << "expressions have lengths in them";
  const Invariants before = invariants(model), after = invariants(in_millimetres_and_grams(*model));
  expect_same(before, after);
  EXPECT_EQ(before.components, after.components);
}

INSTANTIATE_TEST_SUITE_P(Models, Invariance, testing::ValuesIn(model_names()), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace invariance_test
}  // namespace bricard
