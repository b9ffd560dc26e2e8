#include "analyses/assembly/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analyses/assembly/least_norm_newton.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"
#include "system/system.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

class Assembler {
 public:
  Assembler(const std::shared_ptr<const Model>& model, const CoordinatesType& type, unsigned seed)
      : seed_(seed),
        system_(model, type, ExtraRows::initial_values),
        eq_(system_.empty_equations()),
        v_(Vector::Zero(system_.velocity_size())),
        states_(Vector::Zero(system_.state_size())),
        q_(system_.position_size()),
        reference_(system_.position_size()) {
    system_.coordinates().reference(reference_);
    q_ = reference_;
    tolerance_ = 1e-13 * std::max(1.0, model->characteristic_length());
    for (int row = 0; row < system_.row_count(); ++row) {
      if (!system_.rows()[row].velocity_level) position_rows_.push_back(row);
    }
    // A given position is one of this instant: it says nothing about velocities.
    for (int row = 0; row < system_.row_count(); ++row) {
      if (system_.rows()[row].owner != RowOwner::initial || system_.rows()[row].velocity_level)
        velocity_rows_.push_back(row);
    }
  }

  Assembly run() {
    Assembly result;
    place_given_bodies();
    const bool positions_ok = close_positions();
    if (positions_ok) approach_reference();
    result.q = q_;
    result.v = v_;
    evaluate();
    result.position_error = residual_.norm();
    if (!positions_ok || result.position_error > 1e-9 * std::max(1.0, tolerance_ * 1e13)) {
      result.open = open_constraints(eq_.Phi);
      result.message = "the mechanism cannot be assembled: " + describe(result.open);
      return result;
    }
    find_displacements(result);
    const bool velocities_ok = find_velocities();
    result.v = v_;
    result.velocity_error = eq_.Phi_dot.norm();
    if (!velocities_ok) {
      result.open = open_constraints(eq_.Phi_dot);
      result.message = "no velocities satisfy the constraints and the given initial values: " + describe(result.open);
      return result;
    }
    result.ok = true;
    return result;
  }

  /// The coordinates have a singularity of their own there.
  bool ends_at_singularity() { return system_.coordinates().rebase(q_, v_); }

 private:
  void place_given_bodies() {
    const Model& model = system_.model();
    for (const InitialPlacement& given : model.initial.placements) {
      const Body& body = model.bodies[given.body];
      const double angle = given.angle.value_or(body.angle);
      const Quaternion orientation = given.orientation.value_or(
          model.planar() ? Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ())) : body.orientation);
      system_.coordinates().place_body(given.body, given.center.value_or(body.center), orientation, angle, q_);
    }
  }

  void evaluate() { evaluate(q_); }
  void evaluate(const Vector& q) {
    system_.evaluate(0, q, v_, states_, Upto::dynamics, eq_);
    residual_ = eq_.Phi;
    for (std::size_t k = 0; k < ramped_.size(); ++k) residual_[ramped_[k]] -= (1 - ramp_) * ramp_start_[k];
  }

  /// The chosen rows of P with columns in the metric (M + D)^1/2, M taken by its diagonal.
  void scaled_rows(const std::vector<int>& rows) {
    metric_ = (eq_.M.diagonal() + metric_part * typical_inertia(system_)).cwiseSqrt().cwiseInverse();
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (SparseRows::InnerIterator entry(eq_.P, rows[k]); entry; ++entry) {
        entries.emplace_back(static_cast<int>(k), static_cast<int>(entry.col()), entry.value() * metric_[entry.col()]);
      }
    }
    scaled_.resize(static_cast<int>(rows.size()), system_.velocity_size());
    scaled_.setFromTriplets(entries.begin(), entries.end());
    solver_.factorize(scaled_, rank_threshold);
  }

  Vector pick(const Vector& values, const std::vector<int>& rows) const {
    Vector picked(static_cast<int>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) picked[static_cast<int>(k)] = values[rows[k]];
    return picked;
  }

  /// Initial joint values far from the reference are approached along the motion, so that the same branch is kept.
  bool close_positions() {
    evaluate();
    if (residual_.norm() <= tolerance_) return true;
    double farthest = 0;
    for (int row : position_rows_) {
      if (system_.rows()[row].owner != RowOwner::initial) continue;
      ramped_.push_back(row);
      ramp_start_.push_back(eq_.Phi[row]);
      farthest = std::max(farthest, std::abs(eq_.Phi[row]));
    }
    const int stages = std::clamp(static_cast<int>(std::ceil(farthest / 0.1)), 1, 1000);
    for (int stage = 1; stage <= stages; ++stage) {
      ramp_ = static_cast<double>(stage) / stages;
      if (!gauss_newton() && stage == stages && !gauss_newton_from_nearby()) return false;
      system_.accept(0);
    }
    return true;
  }

  bool gauss_newton() {
    // Rotations by more than about half a radian leave the region where the linearisation means anything.
    const double error = least_norm_newton(
        q_, {.tolerance = tolerance_, .iterations = 100, .longest = 0.5, .trials = 30},
        [&](const Vector& q) {
          evaluate(q);
          return residual_.norm();
        },
        [&] {
          scaled_rows(position_rows_);
          solver_.solve(pick(residual_, position_rows_), step_);
          step_ = -metric_.cwiseProduct(step_);
          return largest_turn(step_);
        },
        [&](Vector& q, double factor) { system_.coordinates().advance(q, factor * step_); });
    return error <= 1e4 * tolerance_;
  }

  /// A reference that is itself a singular position (a stretched chain) gives no direction to go: leave it a little.
  bool gauss_newton_from_nearby() {
    const Vector stuck = q_;
    const double stuck_error = residual_.norm();
    std::mt19937 random(seed_);
    std::uniform_real_distribution<double> number(-1, 1);
    for (double size : {1e-3, 1e-2, 1e-1}) {
      Vector away(system_.velocity_size());
      for (double& component : away) component = size * number(random);
      const double length = system_.model().characteristic_length();
      for (int k = 0; k < away.size(); ++k) away[k] *= system_.coordinates().is_rotation(k) ? 1 : length;
      q_ = stuck;
      system_.coordinates().advance(q_, away);
      if (gauss_newton()) return true;
    }
    if (residual_.norm() > stuck_error) q_ = stuck;
    evaluate();
    return false;
  }

  double largest_turn(const Vector& step) const {
    double largest = 0;
    for (int k = 0; k < step.size(); ++k) {
      if (system_.coordinates().is_rotation(k)) largest = std::max(largest, std::abs(step[k]));
    }
    return largest;
  }

  /// Moves within the constraints towards the reference until no direction brings it nearer.
  void approach_reference() {
    Vector towards(system_.velocity_size()), back, best = q_;
    const auto distance = [&] {
      system_.coordinates().difference(q_, reference_, towards);
      return metric_.cwiseInverse().cwiseProduct(towards).norm();
    };
    evaluate();
    if (q_ == reference_) return;
    scaled_rows(position_rows_);
    if (solver_.rank() == system_.velocity_size()) return;
    double nearest = distance(), factor = 1;
    for (int iteration = 0; iteration < 60 && factor > 1e-3; ++iteration) {
      // The part of the way back that lies in the null space of the rows.
      const Vector wish = metric_.cwiseInverse().cwiseProduct(towards);
      solver_.solve(scaled_ * wish, back);
      step_ = factor * metric_.cwiseProduct(wish - back);
      if (step_.norm() <= 1e-10 * std::max(1.0, towards.norm())) break;
      system_.coordinates().advance(q_, step_);
      const bool closed = gauss_newton();
      const double now = distance();
      if (closed && now < nearest) {
        nearest = now;
        best = q_;
      } else {
        q_ = best;
        evaluate();
        factor /= 2;
        distance();
      }
      scaled_rows(position_rows_);
    }
    q_ = best;
    evaluate();
  }

  bool find_velocities() {
    const auto error = [&] { return pick(eq_.Phi_dot, velocity_rows_).norm(); };
    evaluate();
    const double wanted = tolerance_ * std::max(1.0, error());
    for (int iteration = 0; iteration < 20 && error() > wanted; ++iteration) {
      scaled_rows(velocity_rows_);
      solver_.solve(pick(eq_.Phi_dot, velocity_rows_), step_);
      v_ -= metric_.cwiseProduct(step_);
      const double before = error();
      evaluate();
      if (error() > 0.5 * before) break;
    }
    // What is left is judged, and shown, without the rows that do not count.
    for (int row : position_rows_) {
      if (system_.rows()[row].owner == RowOwner::initial) eq_.Phi_dot[row] = 0;
    }
    return eq_.Phi_dot.norm() <= 1e-9 * std::max(1.0, v_.lpNorm<Eigen::Infinity>());
  }

  std::vector<OpenConstraint> open_constraints(const Vector& errors) const {
    std::vector<OpenConstraint> open;
    const auto owner_name = [](const std::string& row) { return row.substr(0, row.find(':')); };
    for (int row = 0; row < system_.row_count(); ++row) {
      const std::string name = owner_name(system_.row_name(row));
      if (open.empty() || open.back().name != name) open.push_back({name, 0});
      open.back().error = std::hypot(open.back().error, errors[row]);
    }
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.error > b.error; });
    const double smallest = open.empty() ? 0 : 1e-3 * open.front().error;
    std::erase_if(open, [&](const OpenConstraint& constraint) { return constraint.error < smallest; });
    return open;
  }

  static std::string describe(const std::vector<OpenConstraint>& open) {
    std::string text;
    for (std::size_t k = 0; k < open.size() && k < 5; ++k) {
      text += fmt::format("{}{} stays open by {:.4g}", k ? ", " : "", open[k].name, open[k].error);
    }
    if (open.size() > 5) text += fmt::format(" and {} more", open.size() - 5);
    return text;
  }

  void find_displacements(Assembly& result) {
    for (int b = 0; b < static_cast<int>(system_.model().bodies.size()); ++b) {
      const Body& body = system_.model().bodies[b];
      const double distance = (system_.coordinates().center(b) - body.center).norm();
      const Mat3 turn = system_.coordinates().frame(b) * body.orientation.toRotationMatrix().transpose();
      const double angle = Eigen::AngleAxisd(turn).angle();
      if (distance > 1e3 * tolerance_ || angle > 1e-7) result.moved.push_back({body.name, distance, angle});
    }
  }

  unsigned seed_;
  System system_;
  Equations eq_;
  Vector v_, states_, q_, reference_, residual_, metric_, step_;
  double tolerance_ = 0, ramp_ = 1;
  std::vector<int> ramped_, position_rows_, velocity_rows_;
  std::vector<double> ramp_start_;
  SparseRows scaled_;
  MinimumNorm solver_;
};

Assembly from_free_bodies(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates,
                          unsigned seed) {
  const CoordinatesType& free = *find_coordinates_type("reference-point");
  Assembly assembly = Assembler(model, free, seed).run();
  if (!assembly.ok) return assembly;
  System bodies(model, free), system(model, coordinates);
  bodies.evaluate_signals(0, assembly.q, assembly.v);
  bodies.body_states(assembly.bodies);
  assembly.q.resize(system.position_size());
  assembly.v.resize(system.velocity_size());
  system.coordinates().from_bodies(assembly.bodies, assembly.q, assembly.v);
  return assembly;
}

}  // namespace

Assembly assemble(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates, unsigned seed) {
  if (!coordinates.absorbs_joints) {
    Assembler assembler(model, coordinates, seed);
    const Assembly assembly = assembler.run();
    // Coordinates that were chosen for the reference may be singular at the start: then they are chosen for it.
    return assembler.ends_at_singularity() ? from_free_bodies(model, coordinates, seed) : assembly;
  }
  // Coordinates that absorb joints describe assembled mechanisms only: assemble free bodies, then take their places.
  return from_free_bodies(model, coordinates, seed);
}

void start_at(System& system, const Assembly& assembly) {
  for (const InitialJointValue& given : system.model().initial.joint_positions) {
    system.set_turn(given.joint, given.coordinate, given.value);
  }
  if (!assembly.bodies.empty()) {  // tells the coordinates on which revolution each body is
    Vector q = assembly.q, v = assembly.v;
    system.coordinates().from_bodies(assembly.bodies, q, v);
  }
  system.evaluate_signals(0, assembly.q, assembly.v);
  system.accept(0);
}

}  // namespace bricard
