// Contract of a joint type in every coordinate set: the number of rows; Phi_q, Phi_dot and gamma against numerical
// differentiation; reactions by power balance; its coordinates and their rates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "bricard/load.h"
#include "motions/momentum_rate.h"
#include "system/system.h"
#include "testing/differentiate.h"

namespace bricard::contracts {

/// What the model file says of a joint beside `type` and `bodies`, in each dimension in which the type exists. The
/// bodies, `a` or the ground and `b`, are within a metre of the origin.
struct JointExample {
  std::string planar = {}, spatial = {};
};

class JointContract {
 public:
  JointContract(std::shared_ptr<const Model> model, const CoordinatesType& coordinates)
      : model_(std::move(model)),
        type_(*find_joint_type(model_->joints[0].type)),
        system_(model_, coordinates),
        eq_(system_.empty_equations()),
        q_(system_.position_size()),
        v_(system_.velocity_size()) {
    // Off the constraints and with arbitrary velocities: derivatives must be right everywhere.
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector away(system_.velocity_size());
    for (int k = 0; k < away.size(); ++k) away[k] = 0.2 * number(random), v_[k] = number(random);
    system_.coordinates().reference(q_);
    system_.coordinates().advance(q_, away);
    evaluate(time_, q_, v_);
    system_.accept(time_);
  }

  void has_the_stated_number_of_rows() {
    int rows = 0, velocity_rows = 0;
    for (int k = 0; k < system_.row_count(); ++k) {
      const RowInfo& row = system_.rows()[k];
      if (row.owner != RowOwner::joint || row.index != 0) continue;
      ++rows;
      velocity_rows += row.velocity_level;
      EXPECT_TRUE(system_.row_name(k).starts_with("J: ")) << system_.row_name(k);
    }
    const std::vector<Expression>& formulas = model_->joints[0].expressions;
    const auto of_velocities = [](const Expression& formula) { return formula.uses_velocity(); };
    if (!formulas.empty()) {
      EXPECT_EQ(rows, static_cast<int>(formulas.size()));
      EXPECT_EQ(velocity_rows, std::count_if(formulas.begin(), formulas.end(), of_velocities));
    } else if (system_.coordinates().absorbs(0)) {
      EXPECT_EQ(rows, 0);
    } else {
      EXPECT_EQ(rows, model_->planar() ? type_.planar_rows : type_.spatial_rows);
      EXPECT_EQ(velocity_rows, model_->planar() ? type_.planar_velocity_rows : type_.spatial_velocity_rows);
    }
  }

  void jacobian_is_the_derivative() {
    const Matrix P = Matrix(eq_.P);
    for (int k = 0; k < system_.velocity_size(); ++k) {
      const Vector unit = Vector::Unit(system_.velocity_size(), k);
      const Vector of_positions = testing_support::differentiate([&](double s) {
        evaluate(time_, moved(s * unit), v_);
        return Vector(eq_.Phi);
      });
      const Vector of_velocities = testing_support::differentiate([&](double s) {
        evaluate(time_, q_, v_ + s * unit);
        return Vector(eq_.Phi_dot);
      });
      for (int row = 0; row < system_.row_count(); ++row) {
        const double scale = std::max(1.0, P.row(row).cwiseAbs().maxCoeff());
        if (!system_.rows()[row].velocity_level) {
          EXPECT_NEAR(P(row, k), of_positions[row], 1e-9 * scale) << system_.row_name(row);
        }
        EXPECT_NEAR(P(row, k), of_velocities[row], 1e-9 * scale) << system_.row_name(row) << " (velocity)";
      }
    }
  }

  /// Along q' = N v with constant v: Phi_dot = d Phi/dt, gamma = -d Phi_dot/dt.
  void rates_are_time_derivatives() {
    evaluate(time_, q_, v_);
    const Vector Phi_dot = eq_.Phi_dot, gamma = eq_.gamma;
    const Vector Phi_rate = along_the_motion([&] { return Vector(eq_.Phi); });
    const Vector Phi_dot_rate = along_the_motion([&] { return Vector(eq_.Phi_dot); });
    for (int row = 0; row < system_.row_count(); ++row) {
      if (!system_.rows()[row].velocity_level) {
        EXPECT_NEAR(Phi_dot[row], Phi_rate[row], 1e-9 * std::max(1.0, std::abs(Phi_dot[row]))) << system_.row_name(row);
      }
      EXPECT_NEAR(gamma[row], -Phi_dot_rate[row], 1e-8 * std::max(1.0, std::abs(gamma[row]))) << system_.row_name(row);
    }
  }

  /// Along the same motion, for any sigma: (M v + P^T sigma)' is what p' has beside Q, Q's terms of inertia being in both.
  void momentum_rates_are_time_derivatives() {
    const Vector sigma = Vector::LinSpaced(system_.row_count(), -2, 3);
    evaluate(time_, q_, v_);
    Vector rate = Vector::Zero(system_.velocity_size());
    system_.coordinates().inertia_forces(rate);
    rate = -rate;
    MomentumRate(system_).add(time_, q_, v_, sigma, rate);
    const Vector found = along_the_motion([&] { return Vector(eq_.M * v_ + eq_.P.transpose() * sigma); });
    EXPECT_LT((rate - found).cwiseAbs().maxCoeff(), 1e-8 * std::max(1.0, found.cwiseAbs().maxCoeff()));
  }

  /// As many as the type says, of its kinds, zero in the reference configuration, with rates that are derivatives.
  void measures_its_coordinates() {
    const std::vector<JointCoordinate>& kinds = type_.coordinates(model_->dimension);
    const std::vector<int>& measured = system_.joint_coordinates()[0];
    ASSERT_EQ(measured.size(), kinds.size());
    const auto values = [&](double Jet::*of) {
      Vector all(static_cast<int>(measured.size()));
      for (int k = 0; k < all.size(); ++k) all[k] = system_.signals()[measured[k]].*of;
      return all;
    };
    evaluate(time_, q_, v_);
    const Vector rates = values(&Jet::rate), biases = values(&Jet::acceleration);
    const Vector rates_found = along_the_motion([&] { return values(&Jet::value); });
    const Vector biases_found = along_the_motion([&] { return values(&Jet::rate); });
    Vector q(q_.size());
    system_.coordinates().reference(q);
    evaluate(time_, q, v_);
    for (int k = 0; k < rates.size(); ++k) {
      EXPECT_EQ(system_.signals().is_angle(measured[k]), kinds[k] == JointCoordinate::angle) << "coordinate " << k;
      EXPECT_NEAR(system_.signals()[measured[k]].value, 0, 1e-14) << "coordinate " << k;
      EXPECT_NEAR(rates[k], rates_found[k], 1e-9 * std::max(1.0, std::abs(rates[k]))) << "coordinate " << k;
      EXPECT_NEAR(biases[k], biases_found[k], 1e-8 * std::max(1.0, std::abs(biases[k]))) << "coordinate " << k;
    }
  }

  /// Action and reaction at one place: the power of -P^T lambda is F . (v_j - v_i) + M . (w_j - w_i) there.
  void reactions_have_the_power_of_the_constraint_forces() {
    const Joint& joint = model_->joints[0];
    if (!system_.reactions().has_reaction(0)) return;  // no bodies of its own
    system_.coordinates().reference(q_);               // the joint is closed here: both ends are at one place
    keep_bodies_rigid();
    evaluate(time_, q_, v_);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector lambda = Vector::Zero(system_.row_count());
    const auto [first, last] = system_.reactions().rows_of_joint(0);
    for (int row = first; row < last; ++row) lambda[row] = number(random);
    const Reaction reaction = system_.reaction(0, lambda);
    const auto turning = [&](int body) -> Vec3 {
      return body == ground ? Vec3(Vec3::Zero()) : system_.angular_velocity(body);
    };
    const auto velocity = [&](int body) -> Vec3 {
      if (body == ground) return Vec3::Zero();
      return system_.center_velocity(body) + turning(body).cross(reaction.place - system_.coordinates().center(body));
    };
    const double expected = -lambda.dot(eq_.P * v_);
    const double power = reaction.force.dot(velocity(joint.j) - velocity(joint.i)) +
                         reaction.moment.dot(turning(joint.j) - turning(joint.i));
    EXPECT_NEAR(power, expected, 1e-12 * std::max(1.0, std::abs(expected)));
  }

 private:
  void evaluate(double t, const Vector& q, const Vector& v) {
    system_.evaluate(t, q, v, Vector::Zero(system_.state_size()), Upto::dynamics, eq_);
  }
  Vector moved(const Vector& displacement) const {
    Vector q = q_;
    system_.coordinates().advance(q, displacement);
    return q;
  }
  template <class Value>
  Vector along_the_motion(const Value& value) {
    return testing_support::differentiate([&](double s) {
      evaluate(time_ + s, moved(s * v_), v_);
      return value();
    });
  }
  /// Takes from v what the coordinates' own rows forbid, at q: bodies that stretch have no angular velocity.
  void keep_bodies_rigid() {
    evaluate(time_, q_, v_);
    const Matrix own = Matrix(eq_.P).bottomRows(system_.coordinates().own_rows());
    if (own.rows() > 0) v_ -= own.completeOrthogonalDecomposition().solve(own * v_);
  }

  const double time_ = 0.4;
  std::shared_ptr<const Model> model_;
  const JointType& type_;
  System system_;
  Equations eq_;
  Vector q_, v_;
};

/// The joint between bodies, with others that it may refer to, and drives.
inline std::shared_ptr<const Model> model_of_joint(const JointType& type, const std::string& keys, bool planar,
                                                   bool on_ground) {
  const bool no_bodies = std::find(type.keys.begin(), type.keys.end(), "no-bodies") != type.keys.end();
  std::string text = "bricard: 1\ndimension: " + std::string(planar ? "planar" : "spatial") + "\n";
  text += planar ? "points: {P: [0.2, 0.1], Q: [0.9, -0.3]}\nbodies:\n"
                   "  a: {mass: 2, inertia: 0.3, center: [0.1, -0.2], angle: 0.3}\n"
                   "  b: {mass: 1, inertia: 0.2, center: [0.8, 0.5], angle: -0.4}\n"
                 : "points: {P: [0.2, 0.1, 0.3], Q: [0.9, -0.3, 0.2]}\nbodies:\n"
                   "  a: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.1, -0.2, 0.3], "
                   "orientation: {euler_zxz: [0.3, 0.8, -0.2]}}\n"
                   "  b: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [0.8, 0.5, 0.1], orientation: {euler_zxz: [-0.5, "
                   "1.2, 0.7]}}\n";
  text += "joints:\n  J: {type: " + std::string(type.name);
  if (!no_bodies) text += on_ground ? ", bodies: [ground, b]" : ", bodies: [a, b]";
  text += (keys.empty() ? "" : ", ") + keys + "}\n";
  if (no_bodies) {
    text += planar ? "  U: {type: revolute, bodies: [a, b], at: [0.3, 0.2]}\n  W: {type: prismatic, bodies: [ground, "
                     "b], at: [0, 0], axis: [1, 3]}\n"
                   : "  U: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0.1], axis: [1, 2, 0.5]}\n"
                     "  W: {type: prismatic, bodies: [ground, b], at: [0, 0, 1], axis: [1, 3, -1]}\n";
    // The carrier of a pair of gears.
    text += planar ? "  V: {type: revolute, bodies: [a, ground], at: [-0.2, 0.4]}\n"
                   : "  V: {type: revolute, bodies: [a, ground], at: [-0.2, 0.4, 0.3], axis: [2, -1, 1]}\n";
    text += "forces: {f: {type: spring, between: [[a, P], [b, Q]], stiffness: 1}}\n";
  }
  // A drive of a joint coordinate, and one of a point.
  if (!no_bodies && !(planar ? type.planar_coordinates : type.spatial_coordinates).empty()) {
    text += "motions: {drive: {joint: J, position: \"0.2*sin(3*t) + t^2\"}, pull: {body: b, at: P, direction: " +
            std::string(planar ? "[1, 2]" : "[1, 2, 2]") + ", position: \"exp(0.3*t)\"}}\n";
  }
  return load_text(text, type.name);
}

/// In every coordinate set and dimension, between two bodies and on the ground.
inline void expect_joint_contract(const std::string& name, const JointExample& example) {
  const JointType* type = find_joint_type(name);
  ASSERT_NE(type, nullptr) << "there is no joint type '" << name << "': is it registered?";
  ASSERT_TRUE(type->planar_rows >= 0 || type->spatial_rows >= 0) << "the type exists in no dimension";
  for (const bool planar : {true, false}) {
    if ((planar ? type->planar_rows : type->spatial_rows) < 0) continue;
    for (const bool on_ground : {false, true}) {
      const auto model = model_of_joint(*type, planar ? example.planar : example.spatial, planar, on_ground);
      for (const CoordinatesType& set : coordinates_types()) {
        if (!(planar ? set.planar : set.spatial) || (set.misfit && !set.misfit(*model).empty())) continue;
        SCOPED_TRACE(name + (planar ? ", planar" : ", spatial") + (on_ground ? ", on the ground, in " : ", in ") +
                     set.name);
        JointContract contract(model, set);
        contract.has_the_stated_number_of_rows();
        contract.jacobian_is_the_derivative();
        contract.rates_are_time_derivatives();
        contract.momentum_rates_are_time_derivatives();
        contract.measures_its_coordinates();
        contract.reactions_have_the_power_of_the_constraint_forces();
      }
    }
  }
}

}  // namespace bricard::contracts
