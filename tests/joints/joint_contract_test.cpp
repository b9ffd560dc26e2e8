// Contract of every joint in every coordinate set: Phi_q, Phi_dot and gamma against numerical differentiation,
// reactions by power balance, and the number of rows. What a type says of itself beside its rows is true. A joint type
// is tested by being listed.
#include <gtest/gtest.h>

#include <random>

#include "bricard/load.h"
#include "joints/row_builder.h"
#include "linear/subspaces.h"
#include "support/differentiate.h"
#include "system/system.h"

namespace bricard {
namespace joint_contract_test {

using testing_support::differentiate;

// What each type needs beside `type` and `bodies`; `extra` holds other joints or motions that it refers to.
struct Example {
  const char* type;
  const char* planar;
  const char* spatial;
};
const Example examples[] = {
    {"revolute", "at: [0.3, 0.2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"},
    {"prismatic", "at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"},
    {"fixed", "at: [0.3, 0.2]", "at: [0.3, 0.2, -0.1]"},
    {"cylindrical", "", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3]"},
    {"spherical", "", "at: [0.3, 0.2, -0.1]"},
    {"universal", "", "at: [0.3, 0.2, -0.1], axes: [[1, 1, 0], [1, -1, 1]]"},
    {"planar", "", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3]"},
    {"screw", "", "at: [0.3, 0.2, -0.1], axis: [1, -2, 3], pitch: 0.7"},
    {"distance", "at: [[0.3, 0.2], [1.1, 0.4]]", "at: [[0.3, 0.2, -0.1], [1.1, 0.4, 0.3]]"},
    {"point_on_line", "at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"},
    {"point_on_plane", "", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"},
    {"parallel_axes", "", "axis: [1, 2, 3]"},
    {"perpendicular_axes", "", "axes: [[1, 1, 0], [1, -1, 1]]"},
    {"orientation", "", ""},
    {"gear", "joints: [U, W], ratio: -2.5", "joints: [U, W], ratio: -2.5"},
    {"gear_pair", "bodies: [ground, b], ratio: -2.5, carrier: a", "bodies: [ground, b], ratio: -2.5"},
    {"rolling", "radius: 0.4, line: {at: [0, -0.1], direction: [3, 1]}",
     "radius: 0.4, axis: [0.3, 1, 0.2], plane: {at: [0, 0, -0.1], normal: [0.1, 0.2, 1]}"},
    {"knife_edge", "at: [0.3, 0.2], axis: [1, 2]", "at: [0.3, 0.2, -0.1], axis: [1, 2, 3]"},
    {"constraint",
     "expression: [\"x(b)*y(a) - sin(angle(U))*t\", \"vx(a)*x(b) + wz(b)*t - rate(W)^2\", \"distance(P, Q) - "
     "position(W)\"]",
     "expression: [\"x(b)*y(a) - sin(angle(U))*t\", \"vz(a)*x(b) + wy(b)*t - rate(W)^2\", \"distance(P, Q) - "
     "position(W)*z(a)\"]"},
};

const Example* find_example(const std::string& type) {
  for (const Example& example : examples) {
    if (type == example.type) return &example;
  }
  return nullptr;
}

std::shared_ptr<const Model> make_model(const JointType& type, bool planar, bool on_ground) {
  const Example* example = find_example(type.name);
  if (!example) return nullptr;
  const bool no_bodies = std::find(type.keys.begin(), type.keys.end(), "no-bodies") != type.keys.end();
  const std::string keys = planar ? example->planar : example->spatial;
  std::string text = "bricard: 1\ndimension: " + std::string(planar ? "planar" : "spatial") + "\n";
  text += planar ? "points: {P: [0.2, 0.1], Q: [0.9, -0.3]}\nbodies:\n"
                   "  a: {mass: 2, inertia: 0.3, center: [0.1, -0.2], angle: 0.3}\n"
                   "  b: {mass: 1, inertia: 0.2, center: [0.8, 0.5], angle: -0.4}\n"
                 : "points: {P: [0.2, 0.1, 0.3], Q: [0.9, -0.3, 0.2]}\nbodies:\n"
                   "  a: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.1, -0.2, 0.3], "
                   "orientation: {euler_zxz: [0.3, 0.8, -0.2]}}\n"
                   "  b: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [0.8, 0.5, 0.1], orientation: {euler_zxz: [-0.5, "
                   "1.2, 0.7]}}\n";
  text += "joints:\n";
  text += "  J: {type: " + std::string(type.name) +
          (no_bodies   ? ""
           : on_ground ? ", bodies: [ground, b]"
                       : ", bodies: [a, b]") +
          (keys.empty() ? "" : ", ") + keys + "}\n";
  if (no_bodies) {
    text += planar ? "  U: {type: revolute, bodies: [a, b], at: [0.3, 0.2]}\n  W: {type: prismatic, bodies: [ground, "
                     "b], at: [0, 0], axis: [1, 3]}\n"
                   : "  U: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0.1], axis: [1, 2, 0.5]}\n"
                     "  W: {type: prismatic, bodies: [ground, b], at: [0, 0, 1], axis: [1, 3, -1]}\n";
    // The carrier of a pair of gears.
    text += planar ? "  V: {type: revolute, bodies: [a, ground], at: [-0.2, 0.4]}\n"
                   : "  V: {type: revolute, bodies: [a, ground], at: [-0.2, 0.4, 0.3], axis: [2, -1, 1]}\n";
    text += planar ? "forces: {f: {type: spring, between: [[a, P], [b, Q]], stiffness: 1}}\n"
                   : "forces: {f: {type: spring, between: [[a, P], [b, Q]], stiffness: 1}}\n";
  }
  // A drive of a joint coordinate, and one of a point.
  if (!no_bodies && !(planar ? type.planar_coordinates : type.spatial_coordinates).empty()) {
    text += "motions: {drive: {joint: J, position: \"0.2*sin(3*t) + t^2\"}, pull: {body: b, at: P, direction: " +
            std::string(planar ? "[1, 2]" : "[1, 2, 2]") + ", position: \"exp(0.3*t)\"}}\n";
  }
  return load_text(text, type.name);
}

struct Case {
  std::string joint, coordinates;
  bool planar, on_ground;
};

std::string name_of(const Case& c) {
  std::string name =
      c.joint + "_" + c.coordinates + (c.planar ? "_planar" : "_spatial") + (c.on_ground ? "_ground" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
void PrintTo(const Case& c, std::ostream* out) { *out << name_of(c); }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const JointType& joint : joint_types()) {
    for (const CoordinatesType& set : coordinates_types()) {
      for (bool on_ground : {false, true}) {
        if (joint.planar_rows >= 0 && set.planar) all.push_back({joint.name, set.name, true, on_ground});
        if (joint.spatial_rows >= 0 && set.spatial) all.push_back({joint.name, set.name, false, on_ground});
      }
    }
  }
  return all;
}

class JointContract : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    const JointType& type = *find_joint_type(c.joint);
    model_ = make_model(type, c.planar, c.on_ground);
    ASSERT_TRUE(model_) << "no example for joint type " << c.joint << ": add one to this test";
    system_ = std::make_unique<System>(model_, *find_coordinates_type(c.coordinates));
    eq_ = system_->empty_equations();
    // Off the constraints and with arbitrary velocities: derivatives must be right everywhere.
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    q_.resize(system_->position_size());
    v_.resize(system_->velocity_size());
    Vector away(system_->velocity_size());
    for (int k = 0; k < away.size(); ++k) away[k] = 0.2 * number(random), v_[k] = number(random);
    system_->coordinates().reference(q_);
    system_->coordinates().advance(q_, away);
    evaluate(time_, q_, v_);
    system_->accept(time_);
  }

  void evaluate(double t, const Vector& q, const Vector& v) {
    system_->evaluate(t, q, v, Vector::Zero(system_->state_size()), Upto::dynamics, eq_);
  }
  Vector moved(const Vector& displacement) const {
    Vector q = q_;
    system_->coordinates().advance(q, displacement);
    return q;
  }

  /// Takes from v what the coordinates' own rows forbid, at q: bodies that stretch have no angular velocity.
  void keep_bodies_rigid() {
    evaluate(time_, q_, v_);
    const Matrix own = Matrix(eq_.P).bottomRows(system_->coordinates().own_rows());
    if (own.rows() > 0) v_ -= own.completeOrthogonalDecomposition().solve(own * v_);
  }

  const double time_ = 0.4;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<System> system_;
  Equations eq_;
  Vector q_, v_;
};

TEST_P(JointContract, HasTheStatedNumberOfRows) {
  const JointType& type = *find_joint_type(GetParam().joint);
  int rows = 0, velocity_rows = 0;
  for (int k = 0; k < system_->row_count(); ++k) {
    const RowInfo& row = system_->rows()[k];
    if (row.owner != RowOwner::joint || model_->joints[row.index].name != "J") continue;
    ++rows;
    velocity_rows += row.velocity_level;
    EXPECT_TRUE(system_->row_name(k).starts_with("J: ")) << system_->row_name(k);
  }
  if (std::string(type.name) == "constraint") {
    EXPECT_EQ(rows, static_cast<int>(model_->joints[0].expressions.size()));
    EXPECT_EQ(velocity_rows, 1);
    return;
  }
  if (system_->coordinates().absorbs(0)) {
    EXPECT_EQ(rows, 0);
    return;
  }
  EXPECT_EQ(rows, GetParam().planar ? type.planar_rows : type.spatial_rows);
  EXPECT_EQ(velocity_rows, GetParam().planar ? type.planar_velocity_rows : type.spatial_velocity_rows);
}

TEST_P(JointContract, JacobianIsTheDerivative) {
  const Matrix P = Matrix(eq_.P);
  for (int k = 0; k < system_->velocity_size(); ++k) {
    const Vector unit = Vector::Unit(system_->velocity_size(), k);
    const Vector of_positions = differentiate([&](double s) {
      evaluate(time_, moved(s * unit), v_);
      return Vector(eq_.Phi);
    });
    const Vector of_velocities = differentiate([&](double s) {
      evaluate(time_, q_, v_ + s * unit);
      return Vector(eq_.Phi_dot);
    });
    for (int row = 0; row < system_->row_count(); ++row) {
      const double scale = std::max(1.0, P.row(row).cwiseAbs().maxCoeff());
      if (!system_->rows()[row].velocity_level) {
        EXPECT_NEAR(P(row, k), of_positions[row], 1e-9 * scale) << system_->row_name(row);
      }
      EXPECT_NEAR(P(row, k), of_velocities[row], 1e-9 * scale) << system_->row_name(row) << " (velocity)";
    }
  }
}

TEST_P(JointContract, RatesAreTimeDerivatives) {
  // Along q' = N v with constant v: Phi_dot = d Phi/dt, gamma = -d Phi_dot/dt.
  const Vector Phi_dot = eq_.Phi_dot, gamma = eq_.gamma;
  const Vector Phi_rate = differentiate([&](double s) {
    evaluate(time_ + s, moved(s * v_), v_);
    return Vector(eq_.Phi);
  });
  const Vector Phi_dot_rate = differentiate([&](double s) {
    evaluate(time_ + s, moved(s * v_), v_);
    return Vector(eq_.Phi_dot);
  });
  for (int row = 0; row < system_->row_count(); ++row) {
    if (!system_->rows()[row].velocity_level) {
      EXPECT_NEAR(Phi_dot[row], Phi_rate[row], 1e-9 * std::max(1.0, std::abs(Phi_dot[row]))) << system_->row_name(row);
    }
    EXPECT_NEAR(gamma[row], -Phi_dot_rate[row], 1e-8 * std::max(1.0, std::abs(gamma[row]))) << system_->row_name(row);
  }
}

TEST_P(JointContract, ReactionsHaveThePowerOfTheConstraintForces) {
  // Action and reaction at one place: the power of -P^T lambda is F . (v_j - v_i) + M . (w_j - w_i) there.
  const Joint& joint = model_->joints[0];
  if (!system_->reactions().has_reaction(0)) return;  // no bodies of its own
  system_->coordinates().reference(q_);               // the joint is closed here: both ends are at one place
  keep_bodies_rigid();
  evaluate(time_, q_, v_);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  Vector lambda = Vector::Zero(system_->row_count());
  const auto [first, last] = system_->reactions().rows_of_joint(0);
  for (int row = first; row < last; ++row) lambda[row] = number(random);
  const Reaction reaction = system_->reaction(0, lambda);
  const auto velocity = [&](int body) -> Vec3 {
    if (body == ground) return Vec3::Zero();
    return system_->center_velocity(body) +
           system_->angular_velocity(body).cross(reaction.place - system_->coordinates().center(body));
  };
  const auto turning = [&](int body) -> Vec3 {
    return body == ground ? Vec3(Vec3::Zero()) : system_->angular_velocity(body);
  };
  const double expected = -lambda.dot(eq_.P * v_);
  const double power = reaction.force.dot(velocity(joint.j) - velocity(joint.i)) +
                       reaction.moment.dot(turning(joint.j) - turning(joint.i));
  EXPECT_NEAR(power, expected, 1e-12 * std::max(1.0, std::abs(expected)));
}

INSTANTIATE_TEST_SUITE_P(Every, JointContract, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return name_of(test.param); });

// --- what a type says of itself beside its rows ---

const Dimension dimensions[] = {Dimension::planar, Dimension::spatial};

/// The type's example without drives.
std::shared_ptr<Model> make_undriven(const JointType& type, Dimension dimension) {
  auto model = std::make_shared<Model>(*make_model(type, dimension == Dimension::planar, false));
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
    EXPECT_EQ(type.general_rows, joint.system.row_table().has_special());
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
