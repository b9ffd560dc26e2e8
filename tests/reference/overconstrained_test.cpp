// Overconstrained linkages: the motion, the rank, and which reactions are unique.
#include <fmt/format.h>

#include <numbers>

#include "reference/reference.h"

namespace bricard::testing_support {
namespace overconstrained_test {

// --- Sarrus' linkage: exact reduction to one coordinate ---

TEST(Sarrus, StraightMotion) {
  const auto model = shipped("sarrus");
  const Start start = start_of(model);
  expect_counts(start.structure, 30, 30, 29);
  expect_close("z''", start.linear("platform").z(), -10.2043812211053, 1e-10);
  const SimulationResult result = run(model, accurate(0.2, 0.01));
  expect_table(result, read_table("sarrus"), {"platform.z", "platform.vz"}, 5e-10);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    expect_close("x", result.data.at(row, "platform.x"), 0, 1e-11);
    expect_close("y", result.data.at(row, "platform.y"), 0, 1e-11);
  }
}

// --- Bennett's linkage: own converged solution ---

TEST(Bennett, Motion) {
  const auto model = shipped("bennett");
  const Start start = start_of(model);
  expect_counts(start.structure, 18, 20, 17);
  expect_close("P1''", start.angular("link1").z(), -4.350579933093322, 1e-10);
  const SimulationResult result = run(model, accurate(1, 0.1));
  expect_table(result, read_table("bennett"), {"link2.x", "link2.y", "link2.z", "P1.rate"}, 1e-9);
}

TEST(Bennett, ClosureOfTheAngles) {
  // tan(theta1/2) tan(theta2/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2) = 2 + sqrt(3), theta3 = -theta1, theta4 =
  // -theta2.
  const SimulationResult result = run(shipped("bennett"), accurate(1, 0.1));
  const double theta1 = 70 * std::numbers::pi / 180, closure = 3.7320508075688776;
  const double theta2 = 2 * std::atan(closure / std::tan(theta1 / 2));
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double turn1 = result.data.at(row, "P1.angle"), turn2 = result.data.at(row, "P2.angle");
    expect_close("closure", std::tan((theta1 + turn1) / 2) * std::tan((theta2 + turn2) / 2) / closure, 1, 1e-10);
    expect_close("theta3", result.data.at(row, "P3.angle"), -turn1, 1e-10);
    expect_close("theta4", result.data.at(row, "P4.angle"), -turn2, 1e-10);
  }
}

// --- Stewart platform: six equations of equilibrium ---

void expect_leg_forces(const std::string& pose, const Parameters& parameters) {
  const auto model = shipped("stewart", parameters);
  const SimulationResult result = run(model, accurate(0.01, 0.01));
  expect_counts(result.summary.structure, 6, 6, 6);
  const std::map<std::string, Vec3> points(model->points.begin(), model->points.end());
  const Table table = read_table("stewart");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "pose") != pose) continue;
    const std::string k = table.text(row, "leg"), leg = "leg" + k;
    expect_close("length", result.data.at(0, "length" + k), table.at(row, "length"), 1e-12);
    const Vec3 along = (points.at("P" + k) - points.at("B" + k)).normalized();
    const Vec3 force = vector_at(result, 0, leg + ".fx", leg + ".fy", leg + ".fz");
    expect_close("compression", force.dot(along), table.at(row, "compression"), 1e-9);
    expect_close("sideways", force.cross(along).norm(), 0, 1e-9);
  }
}

TEST(Stewart, CenteredPose) { expect_leg_forces("1", {}); }

TEST(Stewart, GeneralPose) {
  expect_leg_forces(
      "2", {{"px", "0.1"}, {"py", "-0.05"}, {"pz", "1.1"}, {"roll", "10 deg"}, {"pitch", "-5 deg"}, {"yaw", "15 deg"}});
}

// --- parallelogram with n cranks, after Wojtyra 2005: self-stresses by the null space of the transposed Jacobian ---

// Cranks of 1 m and 1 kg, 1 m apart, with 2 rad/s; platform of 3 kg.
std::shared_ptr<const Model> parallelogram(int n, bool planar, const std::string& theta) {
  std::string text = fmt::format(
      "bricard: 1\ndimension: {}\ngravity: [0, -9.81{}]\nparameters: {{theta: {}, X: cos(theta), Y: "
      "sin(theta)}}\nbodies:\n",
      planar ? "planar" : "spatial", planar ? "" : ", 0", theta);
  const std::string z = planar ? "" : ", 0", axis = planar ? "" : ", axis: [0, 0, 1]";
  const std::string inertia = planar ? "1/12" : "[1/12, 1/12, 1/12]", platform = planar ? "1" : "[1, 1, 1]";
  std::string joints = "joints:\n";
  for (int k = 0; k < n; ++k) {
    text += fmt::format("  crank{0}: {{mass: 1, inertia: {1}, center: [{0} + X/2, Y/2{2}]}}\n", k, inertia, z);
    joints += fmt::format("  A{0}: {{type: revolute, bodies: [ground, crank{0}], at: [{0}, 0{1}]{2}}}\n", k, z, axis);
    joints +=
        fmt::format("  B{0}: {{type: revolute, bodies: [crank{0}, platform], at: [{0} + X, Y{1}]{2}}}\n", k, z, axis);
  }
  text += fmt::format("  platform: {{mass: 3, inertia: {}, center: [{}/2 + X, Y{}]}}\n", platform, n - 1, z);
  return load_text(text + joints + "initial: {velocities: {A0: 2}}\n", "parallelogram.yaml");
}

class Parallelogram : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  int n = std::get<0>(GetParam());
  bool planar = std::get<1>(GetParam());
  Table table = read_table("parallelogram");
  std::size_t row = static_cast<std::size_t>(n - 2);
};

TEST_P(Parallelogram, RankAccelerationAndUniqueForces) {
  ASSERT_EQ(static_cast<int>(table.at(row, "n")), n);
  const auto model = parallelogram(n, planar, "60 deg");
  const Start start = start_of(model);
  const std::string kind = planar ? "planar" : "spatial";
  expect_counts(start.structure, (planar ? 3 : 6) * (n + 1), static_cast<int>(table.at(row, kind + "_rows")),
                static_cast<int>(table.at(row, kind + "_rank")));
  const double acceleration = planar ? start.planar("crank0").z() : start.angular("crank0").z();
  expect_close("acceleration", acceleration, table.at(row, "crank_acceleration"), 1e-11);

  const SimulationResult result = run(model, accurate(0.01, 0.01));
  const double theta = std::numbers::pi / 3;
  const Vec3 across(-std::sin(theta), std::cos(theta), 0), along(std::cos(theta), std::sin(theta), 0);
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    const std::string A = fmt::format("A{}", k), B = fmt::format("B{}", k);
    const Vec3 on_crank = vector_at(result, 0, A + ".fx", A + ".fy", "");
    const Vec3 on_platform = vector_at(result, 0, B + ".fx", B + ".fy", "");
    expect_close("across at A", on_crank.dot(across), table.at(row, "across_at_A"), 6e-7);  // printed with 6 decimals
    expect_close("across at B", -on_platform.dot(across), table.at(row, "across_at_B"), 6e-7);
    sum += on_platform.dot(along);
    if (planar && n == 3) {  // least norm
      expect_close("along A", on_crank.dot(along), 10.991418, 6e-7);
      expect_close("along B", -on_platform.dot(along), -4.495709, 6e-7);
    }
    if (planar && n == 5) {
      expect_close("along A", on_crank.dot(along), 9.193135, 6e-7);
      expect_close("along B", -on_platform.dot(along), -2.697426, 6e-7);
    }
  }
  expect_close("sum along", sum, 13.487127633376, 1e-10);
}

TEST_P(Parallelogram, FlagsExactlyTheReactionsThatAreNotUnique) {
  // Cranks along y: fx is across, fy along them.
  const Start start = start_of(parallelogram(n, planar, "90 deg"));
  for (int k = 0; k < n; ++k) {
    for (const std::string& joint : {fmt::format("A{}", k), fmt::format("B{}", k)}) {
      EXPECT_TRUE(start.unique(joint, "fx")) << joint;
      EXPECT_EQ(start.unique(joint, "fy"), n == 2) << joint;
      EXPECT_TRUE(start.unique(joint, "mz")) << joint;  // a hinge has none
      if (planar) continue;
      for (const std::string component : {"fz", "mx", "my"})
        EXPECT_FALSE(start.unique(joint, component)) << joint << component;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cranks, Parallelogram, ::testing::Combine(::testing::Values(2, 3, 4, 5), ::testing::Bool()),
                         [](const auto& instance) {
                           return fmt::format("{}{}", std::get<1>(instance.param) ? "Planar" : "Spatial",
                                              std::get<0>(instance.param));
                         });

TEST(ParallelogramModel, ThreeCranks) {
  // The shipped model: -g cos(theta) (3 m/2 + M)/(m + M).
  const Start start = start_of(shipped("parallelogram-3"));
  expect_counts(start.structure, 12, 12, 11);
  expect_close("acceleration", start.planar("crank1").z(), -5.518125, 1e-11);
}

}  // namespace overconstrained_test
}  // namespace bricard::testing_support
