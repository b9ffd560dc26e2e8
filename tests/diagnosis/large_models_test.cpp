// What is known of small models holds for large ones, by other means: groups, unique reactions and counts of ladders in
// closed form, and memory that grows with the size and not with its square.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "bricard/diagnosis.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "support/allocation_counter.h"
#include "support/models.h"

namespace bricard {
namespace large_models_test {

using testing_support::generated;

/// A spatial model of planar four-bar loops whose pins all have the z axis: three redundant rows a loop.
/// `joined`: neighbours share a rod (one rod more than loops); else every loop stands alone.
std::shared_ptr<const Model> flat_loops(int loops, bool joined) {
  std::string bodies = "bodies:\n", joints = "joints:\n";
  const auto rod = [&](const std::string& name, double x) {
    bodies += fmt::format("  {}: {{mass: 1, inertia: [0.1, 0.01, 0.1], center: [{}, 0.5, 0]}}\n", name, x);
    joints += fmt::format("  A{}: {{type: revolute, bodies: [ground, {}], at: [{}, 0, 0], axis: [0, 0, 1]}}\n", name,
                          name, x);
  };
  const auto coupler = [&](int k, const std::string& left, const std::string& right, double x) {
    bodies += fmt::format("  c{}: {{mass: 1, inertia: [0.01, 0.1, 0.1], center: [{}, 1, 0]}}\n", k, x + 0.5);
    joints +=
        fmt::format("  L{}: {{type: revolute, bodies: [{}, c{}], at: [{}, 1, 0], axis: [0, 0, 1]}}\n", k, left, k, x);
    joints += fmt::format("  R{}: {{type: revolute, bodies: [c{}, {}], at: [{}, 1, 0], axis: [0, 0, 1]}}\n", k, k,
                          right, x + 1);
  };
  if (joined) {
    for (int k = 0; k <= loops; ++k) rod(fmt::format("r{}", k), k);
    for (int k = 0; k < loops; ++k) coupler(k, fmt::format("r{}", k), fmt::format("r{}", k + 1), k);
  } else {
    for (int k = 0; k < loops; ++k) {
      rod(fmt::format("a{}", k), 2 * k), rod(fmt::format("b{}", k), 2 * k + 1);
      coupler(k, fmt::format("a{}", k), fmt::format("b{}", k), 2 * k);
    }
  }
  return load_text("bricard: 1\ndimension: spatial\ngravity: [0, -9.81, 0]\n" + bodies + joints, "loops");
}

void expect_flat(const Diagnosis& d) {
  for (const UniqueReaction& reaction : d.reactions) {
    std::map<std::string, bool> unique(reaction.components.begin(), reaction.components.end());
    for (const char* const in_plane : {"fx", "fy", "mz"}) EXPECT_TRUE(unique.at(in_plane)) << reaction.joint;
    for (const char* const across : {"fz", "mx", "my"}) EXPECT_FALSE(unique.at(across)) << reaction.joint;
  }
  for (const auto& [joint, components] : d.structure.reactions) {
    for (const auto& [name, unique] : components)
      EXPECT_EQ(unique, name == "fx" || name == "fy" || name == "mz") << joint << " " << name;
  }
}

TEST(LargeModels, ALadderIsOneGroupOfThreeRedundantRowsALoop) {
  for (const int loops : {4, 200}) {
    const Diagnosis d = diagnose(flat_loops(loops, true));
    EXPECT_EQ(d.rank.rows - d.rank.rank, 3 * loops);
    EXPECT_EQ(d.structure.degrees_of_freedom, 1);
    ASSERT_EQ(d.groups.size(), 1u) << loops;
    EXPECT_EQ(d.groups[0].excess, 3 * loops);
    EXPECT_EQ(d.groups[0].loads.size(), static_cast<std::size_t>(3 * loops + 1));
    for (const SharedLoad& load : d.groups[0].loads) EXPECT_EQ(load.words, "z force and x and y moments");
    EXPECT_TRUE(d.depends_on_length);
    expect_flat(d);
  }
}

TEST(LargeModels, LoopsApartAreGroupsApart) {
  for (const int loops : {2, 160}) {
    const Diagnosis d = diagnose(flat_loops(loops, false), {.releases = false});
    EXPECT_EQ(d.rank.rows - d.rank.rank, 3 * loops);
    EXPECT_EQ(d.structure.degrees_of_freedom, loops);
    ASSERT_EQ(d.groups.size(), static_cast<std::size_t>(loops));
    for (const DependentGroup& group : d.groups) {
      EXPECT_EQ(group.excess, 3);
      EXPECT_EQ(group.loads.size(), 4u);
    }
    expect_flat(d);
  }
}

TEST(LargeModels, MemoryGrowsWithTheSize) {
  const auto bytes = [](const std::shared_ptr<const Model>& model) {
    const AllocationCounter counter;
    diagnose(model);
    return static_cast<double>(counter.bytes());
  };
  // Twice the size, twice the memory and a little more; dense matrices would make it four times.
  for (const char* const family : {"spatial-chain", "closed-chain", "n-four-bar"})
    EXPECT_LT(bytes(generated(family, 480)), 2.5 * bytes(generated(family, 240))) << family;
  // The same where self-stresses share joints from one end to the other.
  EXPECT_LT(bytes(flat_loops(400, true)), 2.8 * bytes(flat_loops(200, true)));
}

TEST(LargeModels, LimitsDecideWhetherADiagnosisBegins) {
  const auto refusal = [](const DiagnosisOptions& options) -> std::string {
    try {
      diagnose(flat_loops(100, true), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal({.time_limit = 100, .memory_limit = 1000}), "");
  const std::string time = refusal({.time_limit = 1e-6}), memory = refusal({.memory_limit = 1e-3});
  EXPECT_NE(time.find("--time-limit"), std::string::npos) << time;
  EXPECT_EQ(time.find("--memory-limit"), std::string::npos) << time;
  EXPECT_NE(memory.find("--memory-limit"), std::string::npos) << memory;
  EXPECT_EQ(memory.find("--time-limit"), std::string::npos) << memory;
}

TEST(LargeModels, WhatFillsTheFactorsIsRefusedBefore) {
  // All on one body: rows that touch it fill the factors.
  std::string bodies = "bodies:\n  hub: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}\n",
              joints = "joints:\n  A: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n";
  for (int k = 0; k < 3000; ++k) {
    bodies += fmt::format("  b{}: {{mass: 1, inertia: [1, 1, 1], center: [{}, 0, 0]}}\n", k, k);
    for (const int z : {0, 1})
      joints += fmt::format("  J{}{}: {{type: revolute, bodies: [hub, b{}], at: [{}, 0, {}], axis: [0, 0, 1]}}\n",
                            z ? "u" : "l", k, k, k, z);
  }
  const auto model = load_text("bricard: 1\ndimension: spatial\n" + bodies + joints, "hub");
  EXPECT_THROW(diagnose(model), InputError);
}

}  // namespace large_models_test
}  // namespace bricard
