// Every joint against its contract (testing/joint_contract.h). A joint type is tested by being listed.
#include <bricard/testing.h>
#include <gtest/gtest.h>

#include <map>

namespace bricard {
namespace joint_contract_test {

// What each type needs beside `type` and `bodies`.
const std::map<std::string, contracts::JointExample> examples = {
    {"revolute", {"at: [0.3, 0.2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"}},
    {"prismatic", {"at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"}},
    {"fixed", {"at: [0.3, 0.2]", "at: [0.3, 0.2, -0.1]"}},
    {"cylindrical", {"", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3]"}},
    {"spherical", {"", "at: [0.3, 0.2, -0.1]"}},
    {"universal", {"", "at: [0.3, 0.2, -0.1], axes: [[1, 1, 0], [1, -1, 1]]"}},
    {"planar", {"", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3]"}},
    {"screw", {"", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3], pitch: 0.7"}},
    {"distance", {"at: [[0.3, 0.2], [1.1, 0.4]]", "at: [[0.3, 0.2, -0.1], [1.1, 0.4, 0.3]]"}},
    {"point_on_line", {"at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"}},
    {"point_on_plane", {"", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"}},
    {"parallel_axes", {"", "axis: [1, 2, 3]"}},
    {"perpendicular_axes", {"", "axes: [[1, 1, 0], [1, -1, 1]]"}},
    {"orientation", {"", ""}},
    {"gear", {"joints: [U, W], ratio: -2.5", "joints: [U, W], ratio: -2.5"}},
    {"gear_pair", {"bodies: [ground, b], ratio: -2.5, carrier: a", "bodies: [ground, b], ratio: -2.5"}},
    {"rolling",
     {"radius: 0.4, line: {at: [0, -0.1], direction: [3, 1]}",
      "radius: 0.4, axis: [0.3, 1, 0.2], plane: {at: [0, 0, -0.1], normal: [0.1, 0.2, 1]}"}},
    {"knife_edge", {"at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"}},
    {"constraint",
     {"expression: [\"x(b)*y(a) - sin(angle(U))*t\", \"vx(a)*x(b) + wz(b)*t - rate(W)^2\", \"distance(P, Q) - "
      "position(W)\"]",
      "expression: [\"x(b)*y(a) - sin(angle(U))*t\", \"vz(a)*x(b) + wy(b)*t - rate(W)^2\", \"distance(P, Q) - "
      "position(W)*z(a)\"]"}},
};

class JointContract : public ::testing::TestWithParam<std::string> {};

TEST_P(JointContract, Holds) {
  ASSERT_TRUE(examples.contains(GetParam())) << "no example for joint type " << GetParam() << ": add one to this test";
  EXPECT_JOINT_CONTRACT(GetParam(), examples.at(GetParam()));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const JointType& type : joint_types()) all.emplace_back(type.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, JointContract, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace joint_contract_test
}  // namespace bricard
