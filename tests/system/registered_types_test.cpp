// Types that a program adds. Each test is a process of its own, because types are fixed by the first System.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "bricard/bricard.h"
#include "forces/force_element.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "joints/row_builder.h"

namespace bricard {
namespace {

class RegisteredTypes : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// A point of j stays on the height of its place: free along x.
JointType shelf() {
  return {.name = "shelf",
          .description = "a point at a height",
          .planar_rows = 1,
          .keys = {"at"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.along(builder.vector(joint.i, Vec3::UnitY()), builder.point(joint.i, joint.at_i),
                          builder.point(joint.j, joint.at_j), "y");
          }};
}

FormulationType renamed(const char* name) {
  FormulationType type = *find_formulation_type("lagrange-block");
  type.name = name;
  return type;
}

IntegratorType stepper_of_mine() {
  IntegratorType type = *find_integrator_type("rk4");
  type.name = "my-rk4";
  return type;
}

std::shared_ptr<const Model> on_a_shelf() {
  ModelBuilder m(Dimension::planar);
  m.body("ball", {.mass = 2, .inertia = 1, .center = {0, 1}});
  m.joint("S", "shelf", ground, "ball", {.at = {0, 1}});
  m.initial_velocity("ball", {.linear = {3, 0}});
  return m.build();
}

[[noreturn]] void end(bool as_expected) { std::exit(as_expected ? 0 : 1); }

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_F(RegisteredTypes, Run) {
  EXPECT_EXIT(
      {
        register_joint(shelf());
        register_formulation(renamed("my-lagrange"));
        register_integrator(stepper_of_mine());
        const SimulationResult result =
            simulate(on_a_shelf(), {.formulation = "my-lagrange", .integrator = "my-rk4", .step = 0.01, .duration = 1});
        const bool moved = std::abs(result.data.column("ball.x").tail<1>()[0] - 3) < 1e-9;
        const bool held = std::abs(result.data.column("ball.y").tail<1>()[0] - 1) < 1e-9;
        const bool carried = std::abs(std::abs(result.data.column("S.fy").tail<1>()[0]) - 2 * 9.81) < 1e-9;
        end(result.ok() && moved && held && carried && result.summary.chosen.method.formulation == "my-lagrange");
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(RegisteredTypes, NamesMustBeNew) {
  EXPECT_EXIT(
      {
        const std::string joint = message_of([] {
          JointType type = shelf();
          type.name = "revolute";
          register_joint(type);
        });
        const auto no_force = [](const CustomForce&, ForceBuilder&) -> std::unique_ptr<ForceElement> {
          return nullptr;
        };
        const std::string force =
            message_of([&] { register_force({.name = "spring", .description = "another one", .create = no_force}); });
        const std::string empty = message_of([] { register_force({.name = "nothing", .description = "no force"}); });
        register_formulation(renamed("my-lagrange"));
        const std::string twice = message_of([] { register_formulation(renamed("my-lagrange")); });
        end(joint == "there is a joint type 'revolute' already" && force == "there is a force type 'spring' already" &&
            empty == "force type 'nothing' has nothing that creates it" && !find_force_type("nothing") &&
            twice == "there is a formulation 'my-lagrange' already");
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(RegisteredTypes, ComeBeforeTheFirstSystem) {
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = 1, .inertia = 1, .center = {0, 0}});
  assemble(m.build());
  EXPECT_EQ(message_of([] { register_joint(shelf()); }),
            "joint type 'shelf' comes too late: register it before anything is simulated or analysed");
  EXPECT_EQ(find_joint_type("shelf"), nullptr);
}

}  // namespace
}  // namespace bricard
