// The same spatial model in all coordinate sets gives the same motion: 1e-8 at tolerance 1e-11.
#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace same_motion_test {

struct Case {
  const char* model;
  double duration;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class SameMotion : public ::testing::TestWithParam<Case> {};

SimulationResult run(const std::shared_ptr<const Model>& model, const std::string& coordinates, double duration) {
  Method method;
  method.coordinates = coordinates;
  method.tolerance = 1e-11;
  method.duration = duration;
  method.output_step = duration / 4;
  return simulate(model, method);
}

TEST_P(SameMotion, InEveryCoordinateSet) {
  const auto model = load(std::string(BRICARD_SOURCE_DIR "/models/") + GetParam().model + ".yaml");
  const SimulationResult reference = run(model, "reference-point", GetParam().duration);
  ASSERT_TRUE(reference.ok()) << reference.summary.failure;
  for (const char* coordinates : {"euler-zxz", "euler-parameters"}) {
    SCOPED_TRACE(coordinates);
    const SimulationResult other = run(model, coordinates, GetParam().duration);
    ASSERT_TRUE(other.ok()) << other.summary.failure;
    EXPECT_EQ(other.summary.structure.degrees_of_freedom, reference.summary.structure.degrees_of_freedom);
    for (std::size_t row = 0; row < reference.data.rows.size(); ++row) {
      for (const Body& body : model->bodies) {
        double same = 0, opposite = 0;  // p and -p are the same rotation
        for (const char* name : {".qw", ".qx", ".qy", ".qz"}) {
          same += std::abs(other.data.at(row, body.name + name) - reference.data.at(row, body.name + name));
          opposite += std::abs(other.data.at(row, body.name + name) + reference.data.at(row, body.name + name));
        }
        EXPECT_LT(std::min(same, opposite), 4e-8) << body.name;
        for (const char* name : {".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"}) {
          const double expected = reference.data.at(row, body.name + name);
          EXPECT_NEAR(other.data.at(row, body.name + name), expected, 1e-8 * (1 + std::abs(expected)))
              << body.name << name << " row " << row;
        }
      }
      for (const Joint& joint : model->joints) {
        if (reference.summary.structure.rank < reference.summary.structure.constraints)
          continue;  // not all reactions are unique
        for (const char* name : {".fx", ".fy", ".fz", ".mx", ".my", ".mz"}) {
          const double expected = reference.data.at(row, joint.name + name);
          EXPECT_NEAR(other.data.at(row, joint.name + name), expected, 1e-6 * (1 + std::abs(expected)))
              << joint.name << name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SameMotion,
                         ::testing::Values(Case{"mcpherson", 2}, Case{"mcpherson-overconstrained", 1},
                                           Case{"spinning-top", 2}, Case{"rolling-coin", 2}, Case{"exudyn-com", 1},
                                           Case{"exudyn-joints", 0.25}, Case{"sarrus", 0.2}, Case{"bennett", 1},
                                           Case{"screw-press", 1}),
                         [](const auto& test) {
                           std::string name = test.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A free body that turns right through the singular orientation of zxz angles: the frame is re-based on the way.
TEST(EulerZxz, PassesItsOwnSingularity) {
  const auto model = load_text(
      "bricard: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 2, 3], center: [0, 0, 0]}}\n"
      "initial: {velocities: {b: {angular: [1, 0.01, 0.02]}}}\n",
      "free body");
  const SimulationResult reference = run(model, "reference-point", 20), angles = run(model, "euler-zxz", 20);
  ASSERT_TRUE(angles.ok()) << angles.summary.failure;
  EXPECT_GT(angles.summary.restarts, 0);
  for (const char* name : {"b.wx", "b.wy", "b.wz"})
    EXPECT_NEAR(angles.data.at(4, name), reference.data.at(4, name), 1e-7);
}

}  // namespace same_motion_test
}  // namespace bricard
