// Types that a program adds. Each test is a process of its own, because types are fixed by the first System: this
// program started again. An emulator's programs cannot start themselves; there it is a copy, by ctest of one that has
// run nothing.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "bricard/bricard.h"
#include "forces/force_element.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "joints/row_builder.h"
#include "system/system.h"

namespace bricard {
namespace {

class RegisteredTypes : public testing::Test {
 protected:
#ifdef BRICARD_EMULATED
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "fast"); }
#else
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
#endif
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

/// An existing joint under another name.
JointType renamed_joint(const std::string& from, const char* name) {
  JointType type = *find_joint_type(from);
  type.name = name;
  return type;
}

/// A pendulum whose pivot slides on a line.
SimulationResult run_pendulum(const char* line_type, const char* hinge_type, const char* coordinates) {
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = 2, .inertia = 1, .center = {0.3, 0.1}});
  m.body("b", {.mass = 1, .inertia = 0.5, .center = {1, -0.4}});
  m.joint("S", line_type, ground, "a", {.at = {0, 0}, .axis = {3, 1}});
  m.joint("H", hinge_type, "b", "a", {.at = {0.8, 0.2}});
  return simulate(m.build(), {.coordinates = coordinates, .integrator = "rk4", .step = 1e-3, .duration = 0.5});
}

bool end_alike(const SimulationResult& a, const SimulationResult& b) {
  for (const char* column : {"a.x", "a.y", "b.x", "b.y", "H.fx"}) {
    if (!(std::abs(a.data.column(column).tail<1>()[0] - b.data.column(column).tail<1>()[0]) < 1e-7)) return false;
  }
  return a.ok() && b.ok();
}

bool is_in_the_tree(const char* line_type, int freedoms) {
  ModelBuilder m(Dimension::planar);
  m.body("a", {.mass = 2, .inertia = 1, .center = {0.3, 0.1}});
  m.joint("S", line_type, ground, "a", {.at = {0, 0}, .axis = {3, 1}});
  const System system(m.build(), *find_coordinates_type("relative"));
  return system.coordinates().absorbs(0) && system.velocity_size() == freedoms;
}

std::vector<Release> releases_of_a_door(const char* type) {
  ModelBuilder m(Dimension::spatial);
  m.body("door", {.mass = 20, .inertia = {3, 1, 4}, .center = {0.4, 0, 1}});
  m.joint("low", type, ground, "door", {.at = {0, 0, 0.2}, .axis = {0, 0, 1}});
  m.joint("high", type, ground, "door", {.at = {0, 0, 1.8}, .axis = {0, 0, 1}});
  return diagnose(m.build()).releases;
}

/// The same proposals, of a joint that is called `name`.
bool are_alike(const std::vector<Release>& releases, const std::vector<Release>& known, const std::string& name) {
  if (releases.empty() || releases.size() != known.size()) return false;
  for (std::size_t k = 0; k < releases.size(); ++k) {
    if (releases[k].changes.size() != known[k].changes.size()) return false;
    for (std::size_t c = 0; c < releases[k].changes.size(); ++c) {
      const JointChange &change = releases[k].changes[c], &other = known[k].changes[c];
      if (change.from != name || change.to != other.to || change.joint != other.joint) return false;
    }
  }
  return true;
}

// Nothing knows joints by their names: what relative coordinates and diagnoses do follows from what the type says.
TEST_F(RegisteredTypes, AJointIsWhatItsTypeSays) {
  EXPECT_EXIT(
      {
        register_joint(renamed_joint("revolute", "hinge"));
        JointType slot = renamed_joint("point_on_line", "slot");  // which by itself is no joint of a tree
        slot.tree_links = JointLinks({{JointLink::Kind::slide}, {JointLink::Kind::turn}});
        register_joint(slot);
        const bool in_tree = is_in_the_tree("slot", 2) && !is_in_the_tree("point_on_line", 2);
        const bool same = end_alike(run_pendulum("slot", "hinge", "relative"),
                                    run_pendulum("point_on_line", "revolute", "reference-point"));
        const bool proposed = are_alike(releases_of_a_door("hinge"), releases_of_a_door("revolute"), "hinge");
        std::fprintf(stderr, "in the tree %d, moves the same %d, releases %d", in_tree, same, proposed);
        end(in_tree && same && proposed);
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
