// Every joint against its contract (testing/joint_contract.h), and what a type says of itself beside its rows. A joint
// type is tested by being listed.
#include <bricard/testing.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "joints/row_builder.h"
#include "linear/dense/subspaces.h"
#include "system/system.h"

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

// --- what a type says of itself beside its rows ---

const Dimension dimensions[] = {Dimension::planar, Dimension::spatial};

/// The type's example without drives.
std::shared_ptr<Model> make_undriven(const JointType& type, Dimension dimension) {
  const bool planar = dimension == Dimension::planar;
  const contracts::JointExample& example = examples.at(type.name);
  auto model = std::make_shared<Model>(
      *contracts::model_of_joint(type, planar ? example.planar : example.spatial, planar, false));
  model->motions.clear();
  return model;
}

struct Evaluated {
  Evaluated(const std::shared_ptr<const Model>& model, const std::string& set)
      : system(model, *find_coordinates_type(set)), eq(system.empty_equations()) {
    q.resize(system.position_size());
    v = Vector::Zero(system.velocity_size());
    system.coordinates().reference(q);
    evaluate();
  }
  void evaluate() { system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::velocities, eq); }
  Matrix own_rows() const { return Matrix(eq.P).bottomRows(system.coordinates().own_rows()); }

  System system;
  Equations eq;
  Vector q, v;
};

/// Calls `use` for each type in each dimension in which it exists.
template <class Use>
void for_each_type(const Use& use) {
  for (const JointType& type : joint_types()) {
    for (const Dimension dimension : dimensions) {
      SCOPED_TRACE(std::string(type.name) + (dimension == Dimension::planar ? ", planar" : ", spatial"));
      if (type.rows(dimension) >= 0) use(type, dimension);
    }
  }
}

TEST(JointTraits, LinksOfATreeAreTheFreedomsThatRowsLeave) {
  int seen = 0;
  for_each_type([&](const JointType& type, Dimension dimension) {
    if (!type.tree_links) return;
    int freedoms = 0;
    for (const JointLink& link : *type.tree_links) freedoms += link.freedoms();
    EXPECT_EQ(freedoms + type.rows(dimension), dimension == Dimension::planar ? 3 : 6);
    ++seen;
  });
  EXPECT_GE(seen, 3 + 8);
}

// Whatever absorbing coordinates let the bodies do satisfies the rows of the joint, and they let them do all of it.
TEST(JointTraits, WhatCoordinatesAbsorbIsTheJoint) {
  for_each_type([](const JointType& type, Dimension dimension) {
    const auto model = make_undriven(type, dimension);
    const int all = (dimension == Dimension::planar ? 3 : 6) * static_cast<int>(model->bodies.size());
    Evaluated free(model, "reference-point");
    for (const std::string set : {"relative", "natural"}) {
      SCOPED_TRACE(set);
      Evaluated tied(model, set);
      const bool has_trait =
          set == "relative" ? type.tree_links.has_value() : type.shared != SharedElements::none || type.rigid();
      ASSERT_EQ(tied.system.coordinates().absorbs(0), has_trait);
      if (!has_trait) continue;
      const int own = tied.own_rows().rows() > 0 ? rank_of(tied.own_rows(), 1e-9) : 0;
      EXPECT_EQ(tied.system.velocity_size() - own, all - type.rows(dimension));
      std::mt19937 random(5);
      std::uniform_real_distribution<double> number(-1, 1);
      if (set == "relative") {  // any q is a position of rigid bodies
        Vector away(tied.v.size());
        for (double& x : away) x = 0.5 * number(random);
        tied.system.coordinates().advance(tied.q, away);
      }
      for (double& x : tied.v) x = number(random);
      tied.evaluate();
      if (const Matrix rows = tied.own_rows(); rows.rows() > 0)
        tied.v -= rows.completeOrthogonalDecomposition().solve(rows * tied.v);
      tied.evaluate();
      std::vector<BodyState> states;
      tied.system.body_states(states);
      free.system.coordinates().from_bodies(states, free.q, free.v);
      free.evaluate();
      EXPECT_LT(free.eq.Phi.lpNorm<Eigen::Infinity>(), 1e-12);
      EXPECT_LT(free.eq.Phi_dot.lpNorm<Eigen::Infinity>(), 1e-12);
      EXPECT_GT(free.v.norm(), 1e-3);
    }
  });
}

TEST(JointTraits, GeneralRowsAreThoseOfOtherKindsThanPointsAndVectors) {
  for_each_type([](const JointType& type, Dimension dimension) {
    const Evaluated joint(make_undriven(type, dimension), "reference-point");
    EXPECT_EQ(type.general_rows, joint.system.row_table().has_general_rows());
  });
}

TEST(JointTraits, AxesAndGearsAreInTheKeys) {
  for_each_type([](const JointType& type, Dimension dimension) {
    const JointAxis axis = type.axis(dimension);
    if (axis == JointAxis::along || axis == JointAxis::normal) {
      EXPECT_TRUE(type.has_key("axis"));
    }
    EXPECT_EQ(axis == JointAxis::two, type.has_key("axes"));
    EXPECT_EQ(type.gear_mesh, type.has_key("gears"));
    if (type.turning_pair) {
      const auto& coordinates = type.coordinates(dimension);
      EXPECT_EQ(std::count(coordinates.begin(), coordinates.end(), JointCoordinate::angle), 1);
    }
  });
}

std::vector<Vec3> directions_for(WeakerType::Axis choice, const Joint& joint, Dimension dimension) {
  const bool planar = dimension == Dimension::planar;
  if (choice == WeakerType::Axis::kept) return {joint.axis_i};
  if (choice == WeakerType::Axis::across || choice == WeakerType::Axis::second_across) {
    const AxisFrame frame(joint.axis_i);
    return planar ? std::vector<Vec3>{Vec3::UnitZ().cross(joint.axis_i)} : std::vector{frame.first, frame.second};
  }
  return planar ? std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitY()}
                : std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
}

TEST(JointTraits, WeakerTypesHaveFewerRowsAndTheJointImpliesThem) {
  int seen = 0;
  for_each_type([&](const JointType& type, Dimension dimension) {
    using Axis = WeakerType::Axis;
    const auto model = make_undriven(type, dimension);
    const Matrix rows = Matrix(Evaluated(model, "reference-point").eq.P);
    for (const WeakerType& weaker : type.weaker(dimension)) {
      SCOPED_TRACE(weaker.type);
      const JointType* const other = find_joint_type(weaker.type);
      ASSERT_NE(other, nullptr);
      ASSERT_GT(other->rows(dimension), 0);
      EXPECT_LT(other->rows(dimension), type.rows(dimension));
      const bool has_axis = type.axis(dimension) == JointAxis::along || type.axis(dimension) == JointAxis::normal;
      EXPECT_TRUE(has_axis || (weaker.axis != Axis::across && weaker.axis != Axis::second_across));
      EXPECT_EQ(weaker.axis == Axis::second_across, other->axis(dimension) == JointAxis::two);
      for (const Vec3& direction : directions_for(weaker.axis, model->joints[0], dimension)) {
        auto changed = std::make_shared<Model>(*model);
        changed->joints[0].type = weaker.type;
        if (weaker.axis != Axis::second_across) changed->joints[0].axis_i = direction;
        changed->joints[0].axis_j = direction;
        Matrix both(rows.rows() + other->rows(dimension), rows.cols());
        both << rows, Matrix(Evaluated(changed, "reference-point").eq.P);
        EXPECT_EQ(rank_of(both, 1e-9), rank_of(rows, 1e-9)) << direction.transpose();
        ++seen;
      }
    }
  });
  EXPECT_GT(seen, 40);
}

}  // namespace joint_contract_test
}  // namespace bricard
