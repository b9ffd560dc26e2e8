// Contract of a force type in every coordinate set, at random states off the joints, where forces must be right too:
//   - its loads are finite, are not all zero, and depend on the state alone;
//   - it told which markers and signals it needs: evaluated with those alone, it is the same;
//   - its power is that of its generalised forces;
//   - the rate of its potential is the derivative of its potential; where it has one, the force at rest is minus the
//     gradient, and if it is conservative, its power is minus the rate;
//   - derivatives that it knows (`couple`) are those of its loads;
//   - in other units of length, mass and time it is the same force, if its type says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "analyses/run/own_units.h"
#include "bricard/load.h"
#include "system/system.h"
#include "testing/differentiate.h"
#include "testing/tangent_contract.h"

namespace bricard::contracts {

/// What the model file says of a force beside `type`, in each dimension in which there is one. There are bodies `a` and
/// `b`, within a metre of the origin, with joints between them: J, revolute, and S, point_on_line (planar) or U,
/// universal (spatial).
struct ForceExample {
  std::optional<std::string> planar = {}, spatial = {};
  bool conservative = false;  // the force of the example takes and gives no energy but that of its potential
};

inline std::string bodies_of_force(bool planar) {
  return planar ? "bricard: 1\ndimension: planar\ngravity: [0, 0]\n"
                  "bodies:\n  a: {mass: 2, inertia: 0.3, center: [0.1, -0.2], angle: 0.3}\n"
                  "  b: {mass: 1, inertia: 0.2, center: [0.8, 0.5], angle: -0.4}\n"
                  "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2]}, "
                  "S: {type: point_on_line, bodies: [a, b], at: [0.3, 0.2], axis: [1, 2]}}\n"
                : "bricard: 1\ngravity: [0, 0, 0]\nbodies:\n"
                  "  a: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.1, -0.2, 0.3], "
                  "orientation: {euler_zxz: [0.3, 0.8, -0.2]}}\n"
                  "  b: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [0.8, 0.5, 0.1], orientation: {euler_zxz: [-0.5, "
                  "1.2, 0.7]}}\n"
                  "joints: {J: {type: revolute, bodies: [a, b], at: [0.3, 0.2, 0], axis: [1, 2, 3]}, "
                  "U: {type: universal, bodies: [a, b], at: [0.3, 0.2, 0], axes: [[1, 1, 0], [1, -1, 1]]}}\n";
}

/// A system off its joints, at a random state.
struct ForceSituation {
  ForceSituation(std::shared_ptr<const Model> of, const CoordinatesType& coordinates)
      : model(std::move(of)), system(model, coordinates), eq(system.empty_equations()) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    q.resize(system.position_size());
    v.resize(system.velocity_size());
    Vector away(v.size());
    for (int k = 0; k < v.size(); ++k) away[k] = 0.3 * number(random), v[k] = number(random);
    system.coordinates().reference(q);
    system.coordinates().advance(q, away);
    // On the coordinates' own rows, though: a bushing between bodies that stretch means nothing.
    for (int iteration = 0; iteration < 20 && system.coordinates().own_rows() > 0; ++iteration) {
      evaluate(q, v);
      system.coordinates().advance(q, -normal(eq.Phi.tail(system.coordinates().own_rows())));
    }
    evaluate(q, v);
    v = tangent(v);
    evaluate(q, v);
  }
  /// The shortest displacement that changes the own rows by so much.
  Vector normal(const Vector& change) {
    const Matrix own = Matrix(eq.P).bottomRows(system.coordinates().own_rows());
    return own.completeOrthogonalDecomposition().solve(change);
  }
  /// What the own rows leave of a displacement.
  Vector tangent(const Vector& displacement) {
    const int rows = system.coordinates().own_rows();
    return rows == 0 ? displacement : Vector(displacement - normal(Matrix(eq.P).bottomRows(rows) * displacement));
  }
  Vector moved(const Vector& displacement) const {
    Vector at = q;
    system.coordinates().advance(at, displacement);
    return at;
  }
  void evaluate(const Vector& at, const Vector& velocity, double time = 0.7) {
    system.evaluate(time, at, velocity, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  }
  Vector force_at_rest(const Vector& at) {
    evaluate(at, Vector::Zero(v.size()));
    return eq.Q;
  }
  /// At the last evaluation.
  double potential(double time = 0.7) const { return system.stored_energy(time); }
  double potential_rate() const {
    double sum = 0;
    for (const auto& force : system.forces()) sum += force->potential_rate(system.force_context(0.7));
    return sum;
  }
  Vector loads() const {
    Vector all(3 * static_cast<int>(system.loads().size()));
    for (std::size_t k = 0; k < system.loads().size(); ++k)
      all.segment<3>(3 * static_cast<int>(k)) = system.loads()[k].value;
    return all;
  }

  std::shared_ptr<const Model> model;
  System system;
  Equations eq;
  Vector q, v;
  const double t = 0.7;
};

class ForceContract {
 public:
  ForceContract(const std::shared_ptr<const Model>& model, const CoordinatesType& set, bool conservative)
      : s_(model, set), without_(without_forces(*model), set), conservative_(conservative) {}

  void loads_are_finite_and_repeatable() {
    s_.evaluate(s_.q, s_.v);
    const Vector loads = s_.loads();
    EXPECT_EQ(s_.system.force_without_value(), "");
    EXPECT_TRUE(loads.allFinite());
    EXPECT_GT(loads.norm(), 0) << "the example has no force, so nothing is examined";
    go_elsewhere();
    s_.evaluate(s_.q, s_.v);
    EXPECT_LE((s_.loads() - loads).norm(), 1e-14 * loads.norm()) << "the force depends on where it was before";
  }

  /// Runs by graphs and trees evaluate no others.
  void needs_only_what_it_told() {
    s_.evaluate(s_.q, s_.v);
    const Vector loads = s_.loads();
    const double potential = s_.potential(), power = s_.system.element_power(s_.t);
    go_elsewhere();
    s_.system.evaluate_elements(s_.t, s_.q, s_.v, Vector::Zero(s_.system.state_size()), s_.eq);
    const double scale = std::max(1.0, loads.norm());
    EXPECT_LE((s_.loads() - loads).norm(), 1e-14 * scale) << "a marker or signal is used that the builder was not told";
    EXPECT_NEAR(s_.potential(), potential, 1e-13 * std::max(1.0, std::abs(potential)));
    EXPECT_NEAR(s_.system.element_power(s_.t), power, 1e-13 * std::max(scale, std::abs(power)));
  }

  void power_is_that_of_the_generalised_forces() {
    s_.evaluate(s_.q, s_.v);
    const double power = s_.system.element_power(s_.t) - s_.potential_rate();
    const double scale = std::max(1.0, s_.loads().norm() * s_.v.norm());
    EXPECT_NEAR(power, generalised_force().dot(s_.v), 1e-12 * scale);
    if (conservative_) {
      EXPECT_NEAR(power, -s_.potential_rate(), 1e-11 * scale) << "the example says that it is conservative";
    }
  }

  void has_the_rate_of_its_potential() {
    s_.evaluate(s_.q, s_.v);
    const double rate = s_.potential_rate();
    const double found = testing_support::differentiate([&](double step) {
      s_.evaluate(s_.moved(step * s_.v), s_.v, s_.t + step);
      return Vector::Constant(1, s_.potential(s_.t + step));
    })[0];
    EXPECT_NEAR(rate, found, 1e-8 * std::max(1.0, std::abs(rate)));
  }

  void is_minus_the_gradient_of_its_potential() {
    s_.evaluate(s_.q, s_.v);
    if (s_.potential() == 0) {
      EXPECT_FALSE(conservative_) << "the example says that it is conservative, but it has no potential";
      return;
    }
    const Vector at_rest = Vector::Zero(s_.v.size());
    s_.evaluate(s_.q, at_rest);
    const Vector force = generalised_force(at_rest);
    for (int k = 0; k < s_.v.size(); ++k) {
      s_.evaluate(s_.q, s_.v);
      const Vector direction = s_.tangent(Vector::Unit(s_.v.size(), k));
      const double slope = testing_support::differentiate([&](double step) {
        s_.evaluate(s_.moved(step * direction), s_.v);
        return Vector::Constant(1, s_.potential());
      })[0];
      EXPECT_NEAR(force.dot(direction), -slope, 1e-8 * std::max(1.0, force.norm())) << "coordinate " << k;
    }
  }

 private:
  static std::shared_ptr<const Model> without_forces(const Model& model) {
    auto changed = std::make_shared<Model>(model);
    changed->forces.clear();
    return changed;
  }
  void go_elsewhere() {
    Vector q(s_.q.size());
    s_.system.coordinates().reference(q);
    s_.evaluate(q, -0.5 * s_.v);
  }
  /// At the last evaluation of s_, which was at (q, v).
  Vector generalised_force() { return generalised_force(s_.v); }
  Vector generalised_force(const Vector& v) {
    without_.evaluate(s_.q, v);
    return s_.eq.Q - without_.eq.Q;
  }

  ForceSituation s_, without_;
  bool conservative_;
};

/// In units of 1/2 m, 8 kg and 1/4 s.
inline void expect_the_same_in_other_units(const std::shared_ptr<const Model>& model) {
  const CoordinatesType& set = *find_coordinates_type("reference-point");
  const Units units{.length = 0.5, .mass = 8, .time = 0.25};
  ForceSituation si(model, set), own(measured_in(units, *model), set);
  Vector q = si.q, v = si.v;
  const Coordinates& coordinates = si.system.coordinates();
  for (int k = 0; k < q.size(); ++k) q[k] /= coordinates.is_length(k) ? units.length : 1;
  for (int k = 0; k < v.size(); ++k) v[k] /= (coordinates.is_rotation(k) ? 1 : units.length) / units.time;
  own.evaluate(q, v, si.t / units.time);
  Vector force = own.eq.Q;
  for (int k = 0; k < v.size(); ++k) force[k] *= units.energy() / (coordinates.is_rotation(k) ? 1 : units.length);
  EXPECT_LE((force - si.eq.Q).norm(), 1e-12 * si.eq.Q.norm())
      << "in other units it is another force: does every number with a unit have a key, and every key its unit?";
  EXPECT_NEAR(own.potential(si.t / units.time) * units.energy(), si.potential(),
              1e-12 * std::max(1.0, std::abs(si.potential())));
}

/// Of any model with forces.
inline void expect_force_contract(const std::shared_ptr<const Model>& model, bool conservative = false,
                                  bool any_units = true) {
  for (const CoordinatesType& set : coordinates_types()) {
    if (!(model->planar() ? set.planar : set.spatial) || (set.misfit && !set.misfit(*model).empty())) continue;
    SCOPED_TRACE(std::string(model->planar() ? "planar" : "spatial") + ", in " + set.name);
    ForceContract contract(model, set, conservative);
    contract.loads_are_finite_and_repeatable();
    contract.needs_only_what_it_told();
    contract.power_is_that_of_the_generalised_forces();
    contract.has_the_rate_of_its_potential();
    contract.is_minus_the_gradient_of_its_potential();
  }
  {
    SCOPED_TRACE(model->planar() ? "planar, derivatives" : "spatial, derivatives");
    TangentSituation s(model);
    if (Tangent(s.system).exact()) expect_exact_tangent(s, 1e-8);
  }
  if (any_units) expect_the_same_in_other_units(model);
}

inline void expect_force_contract(const std::string& name, const ForceExample& example) {
  const ForceType* type = find_force_type(name);
  ASSERT_NE(type, nullptr) << "there is no force type '" << name << "': is it registered?";
  ASSERT_TRUE(example.planar || example.spatial) << "an example is needed";
  for (const bool planar : {true, false}) {
    const std::optional<std::string>& keys = planar ? example.planar : example.spatial;
    if (!keys) continue;
    const std::string force = "{type: " + name + (keys->empty() ? "" : ", ") + *keys + "}";
    SCOPED_TRACE(force);
    expect_force_contract(load_text(bodies_of_force(planar) + "forces: {f: " + force + "}\n", name),
                          example.conservative, !type->create || type->any_units);
  }
}

}  // namespace bricard::contracts
