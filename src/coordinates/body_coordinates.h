// Coordinates of free bodies: the centre of mass and a rotation each. The sets differ only in how the rotation is
// described, which is the policy `Rotation`:
//   omega = W(p) w,   omega' = W w' + bias(p, w)           p: its positions, w: its velocity coordinates
// A point r + s moves with r' + omega x s, a unit vector u with omega x u, so for a gradient g on
//   a point: dv -> g, dw -> W^T (s x g);  a vector: dw -> W^T (u x g);  a rotation: dw -> W^T g,
// M of a body is diag(m I, W^T J W) and Q gets -W^T (J bias + omega x J omega), J in world axes.
// Momenta: of M v the rate that is not in Q is W'^T J omega, of an impulse f on a point r + s it is
//   f'  and  W^T (s x f' + s' x f) + W'^T (s x f),   s' = omega x s.             bias = W' w where W is not constant.
#pragma once

#include <algorithm>
#include <cassert>

#include "coordinates/coordinates.h"
#include "coordinates/rotation_algebra.h"
#include "linear/dense/dense.h"

namespace bricard {

template <class Rotation>
class BodyCoordinates : public Coordinates {
 public:
  static constexpr int T = Rotation::translations;  // 2 in the plane, 3 in space
  static constexpr int RP = Rotation::positions;    // position coordinates of a rotation
  static constexpr int RV = Rotation::velocities;   // its velocity coordinates
  static constexpr int P = T + RP;
  static constexpr int V = T + RV;

  explicit BodyCoordinates(const Model& model) : model_(model), state_(model.bodies.size()) {
    for (std::size_t b = 0; b < state_.size(); ++b) state_[b].rotation.choose(model.bodies[b].orientation);
  }

  int position_size() const override { return P * bodies(); }
  int velocity_size() const override { return V * bodies(); }
  bool is_rotation(int k) const override { return k % V >= T; }
  bool is_length(int k) const override { return k % P < T; }
  bool velocities_are_rates() const override { return Rotation::velocities_are_rates; }
  std::string position_name(int k) const override {
    static constexpr const char* translations[] = {"x", "y", "z"};
    return model_.bodies[k / P].name + '.' + (k % P < T ? translations[k % P] : Rotation::position_names[k % P - T]);
  }
  std::string velocity_name(int k) const override {
    static constexpr const char* translations[] = {"vx", "vy", "vz"};
    return model_.bodies[k / V].name + '.' + (k % V < T ? translations[k % V] : Rotation::velocity_names[k % V - T]);
  }

  void reference(VectorRef q) const override {
    for (int b = 0; b < bodies(); ++b) {
      const Body& body = model_.bodies[b];
      place_body(b, body.center, body.orientation, body.angle, q);
    }
  }

  void place_body(int b, const Vec3& center, const Quaternion& orientation, double angle, VectorRef q) const override {
    q.segment<T>(P * b) = center.head<T>();
    state_[b].rotation.set(orientation, angle, q.data() + P * b + T);
  }

  void from_bodies(const std::vector<BodyState>& given, VectorRef q, VectorRef v) const override {
    for (int b = 0; b < bodies(); ++b) {
      state_[b].rotation.stay_regular_at(given[b].orientation);
      place_body(b, given[b].center, given[b].orientation, given[b].angle, q);
      v.segment<T>(V * b) = given[b].velocity.template head<T>();
      Mat3 A;
      Eigen::Matrix<double, 3, RV> W;
      state_[b].rotation.frame(q.data() + P * b + T, A, W);
      // omega = W w; of a W that is not square, the w of least norm or error.
      v.segment<RV>(V * b + T) = least_norm_solution(W, given[b].omega);
    }
  }

  void position_rate(ConstVector q, ConstVector v, VectorRef qdot) const override {
    for (int b = 0; b < bodies(); ++b) {
      qdot.segment<T>(P * b) = v.segment<T>(V * b);
      state_[b].rotation.rate(q.data() + P * b + T, v.data() + V * b + T, qdot.data() + P * b + T);
    }
  }

  void velocity_from_rate(ConstVector q, ConstVector qdot, VectorRef v) const override {
    for (int b = 0; b < bodies(); ++b) {
      v.segment<T>(V * b) = qdot.segment<T>(P * b);
      state_[b].rotation.velocity(q.data() + P * b + T, qdot.data() + P * b + T, v.data() + V * b + T);
    }
  }

  void position_acceleration(ConstVector q, ConstVector v, ConstVector vdot, VectorRef qddot) const override {
    for (int b = 0; b < bodies(); ++b) {
      qddot.segment<T>(P * b) = vdot.segment<T>(V * b);
      state_[b].rotation.acceleration(q.data() + P * b + T, v.data() + V * b + T, vdot.data() + V * b + T,
                                      qddot.data() + P * b + T);
    }
  }

  void advance(VectorRef q, ConstVector displacement) const override {
    for (int b = 0; b < bodies(); ++b) {
      q.segment<T>(P * b) += displacement.segment<T>(V * b);
      state_[b].rotation.advance(q.data() + P * b + T, displacement.data() + V * b + T);
    }
  }

  void difference(ConstVector q0, ConstVector q1, VectorRef displacement) const override {
    for (int b = 0; b < bodies(); ++b) {
      displacement.segment<T>(V * b) = q1.segment<T>(P * b) - q0.segment<T>(P * b);
      state_[b].rotation.difference(q0.data() + P * b + T, q1.data() + P * b + T, displacement.data() + V * b + T);
    }
  }

  bool rebase(VectorRef q, VectorRef v) override {
    bool changed = false;
    for (int b = 0; b < bodies(); ++b) {
      changed |= state_[b].rotation.rebase(q.data() + P * b + T, v.data() + V * b + T);
    }
    return changed;
  }

  void update_positions(ConstVector q, Markers& markers) override {
    for (int b = 0; b < bodies(); ++b) {
      State& s = state_[b];
      s.center.template head<T>() = q.segment<T>(P * b);
      s.rotation.frame(q.data() + P * b + T, s.A, s.W);
      s.J = Rotation::world_inertia(s.A, model_.bodies[b].inertia);
      if constexpr (T == 2) markers.turn[b] = q[P * b + T] - model_.bodies[b].angle;
    }
    for (int k : markers.active) {
      const Marker& m = markers.list[k];
      if (m.body == ground) continue;
      const State& s = state_[m.body];
      if (m.kind == MarkerKind::point) {
        markers.value[k] = s.center + s.A * m.local;
      } else if (m.kind == MarkerKind::vector) {
        markers.value[k] = s.A * m.local;
      }
    }
  }

  void update_velocities(ConstVector q, ConstVector v, Markers& markers) override {
    for (int b = 0; b < bodies(); ++b) {
      State& s = state_[b];
      s.velocity.template head<T>() = v.segment<T>(V * b);
      const Eigen::Map<const Eigen::Matrix<double, RV, 1>> w(v.data() + V * b + T);
      s.omega = s.W * w;
      s.bias = s.rotation.bias(q.data() + P * b + T, v.data() + V * b + T, s.omega);
    }
    for (int k : markers.active) {
      const Marker& m = markers.list[k];
      if (m.body == ground) continue;
      const State& s = state_[m.body];
      if (m.kind == MarkerKind::rotation) {
        markers.rate[k] = s.omega;
        markers.bias[k] = s.bias;
        continue;
      }
      const Vec3 lever = m.kind == MarkerKind::point ? Vec3(markers.value[k] - s.center) : markers.value[k];
      const Vec3 turning = s.omega.cross(lever);
      markers.rate[k] = m.kind == MarkerKind::point ? Vec3(s.velocity + turning) : turning;
      markers.bias[k] = s.omega.cross(turning);
      if constexpr (Rotation::has_bias) markers.bias[k] += s.bias.cross(lever);
    }
  }

  Vec3 center(int b) const override { return state_[b].center; }
  Mat3 frame(int b) const override { return state_[b].A; }
  bool knows_bodies() const override { return true; }
  Vec3 velocity(int b) const override { return state_[b].velocity; }
  Vec3 omega(int b) const override { return state_[b].omega; }
  Vec3 omega_bias(int b) const override { return state_[b].bias; }
  void add_weights(VectorRef Q) const override {
    for (int b = 0; b < bodies(); ++b) Q.segment<T>(V * b) += model_.bodies[b].mass * model_.gravity.template head<T>();
  }

  void columns(const Marker& marker, std::vector<int>& columns) const override {
    columns.clear();
    if (marker.body == ground) return;
    const int first = marker.kind == MarkerKind::point ? 0 : T;
    for (int c = first; c < V; ++c) columns.push_back(V * marker.body + c);
  }

  void scatter(const Markers& markers, const std::vector<GradientEntry>& entries, const std::vector<Vec3>& gradients,
               const std::vector<int>& slots, double* values) const override {
    const int* slot = slots.data();
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const Marker& m = markers.list[entries[e].marker];
      if (m.body == ground) continue;
      const Vec3& g = gradients[e];
      if (m.kind == MarkerKind::point) {
        for (int c = 0; c < T; ++c) values[*slot++] += g[c];
      }
      const Eigen::Matrix<double, RV, 1> turning = state_[m.body].W.transpose() * moment(markers, entries[e].marker, g);
      for (int c = 0; c < RV; ++c) values[*slot++] += turning[c];
    }
  }

  void scatter(const Markers& markers, const std::vector<Load>& loads, VectorRef Q) const override {
    for (const Load& load : loads) {
      const Marker& m = markers.list[load.marker];
      if (m.body == ground) continue;
      if (m.kind == MarkerKind::point) Q.segment<T>(V * m.body) += load.value.template head<T>();
      Q.segment<RV>(V * m.body + T) += state_[m.body].W.transpose() * moment(markers, load.marker, load.value);
    }
  }

  void add_momentum_rates(ConstVector q, ConstVector v, const Markers& markers, const std::vector<Load>& impulses,
                          const std::vector<Vec3>& rates, VectorRef Q) const override {
    if constexpr (Rotation::has_bias) {
      for (int b = 0; b < bodies(); ++b) {
        const State& s = state_[b];
        s.rotation.frame_rate(q.data() + P * b + T, v.data() + V * b + T, s.W, s.W_rate);
        Q.segment<RV>(V * b + T) += s.W_rate.transpose() * (s.J * s.omega);
      }
    }
    for (std::size_t k = 0; k < impulses.size(); ++k) {
      const auto& [marker, f] = impulses[k];
      const Marker& m = markers.list[marker];
      if (m.body == ground) continue;
      const State& s = state_[m.body];
      Vec3 moment = f, moment_rate = rates[k];
      if (m.kind != MarkerKind::rotation) {
        const bool point = m.kind == MarkerKind::point;
        const Vec3 lever = point ? Vec3(markers.value[marker] - s.center) : markers.value[marker];
        const Vec3 lever_rate = point ? Vec3(markers.rate[marker] - s.velocity) : markers.rate[marker];
        if (point) Q.segment<T>(V * m.body) += rates[k].template head<T>();
        moment = lever.cross(f);
        moment_rate = lever.cross(rates[k]) + lever_rate.cross(f);
      }
      Q.segment<RV>(V * m.body + T) += s.W.transpose() * moment_rate;
      if constexpr (Rotation::has_bias) Q.segment<RV>(V * m.body + T) += s.W_rate.transpose() * moment;
    }
  }

  void mass_pattern(std::vector<Eigen::Triplet<double>>& pattern) const override {
    for (int b = 0; b < bodies(); ++b) {
      for (int k = 0; k < T; ++k) pattern.emplace_back(V * b + k, V * b + k, 0);
      for (int r = T; r < V; ++r) {
        for (int c = T; c < V; ++c) pattern.emplace_back(V * b + r, V * b + c, 0);
      }
    }
  }

  // Column-major storage of the pattern above keeps a body's entries together: T diagonal ones, then the RV x RV block.
  void bind_mass(const SparseColumns& M) override { assert(M.nonZeros() == bodies() * (T + RV * RV)), (void)M; }

  void mass(double* values) const override {
    for (int b = 0; b < bodies(); ++b) {
      for (int k = 0; k < T; ++k) *values++ = model_.bodies[b].mass;
      Eigen::Map<Eigen::Matrix<double, RV, RV>> block(values);
      block.noalias() = state_[b].W.transpose() * state_[b].J * state_[b].W;
      values += RV * RV;
    }
  }

  double kinetic_energy() const override {
    double sum = 0;
    for (int b = 0; b < bodies(); ++b) {
      const State& s = state_[b];
      sum += model_.bodies[b].mass * s.velocity.squaredNorm() + s.omega.dot(s.J * s.omega);
    }
    return 0.5 * sum;
  }

  void inertia_forces(VectorRef Q) const override {
    if constexpr (T == 2) return;  // the plane: constant inertia, no gyroscopic terms
    for (int b = 0; b < bodies(); ++b) {
      const State& s = state_[b];
      Vec3 torque = s.omega.cross(s.J * s.omega);
      if constexpr (Rotation::has_bias) torque += s.J * s.bias;
      Q.segment<RV>(V * b + T) -= s.W.transpose() * torque;
    }
  }

  int own_rows() const override { return Rotation::own_rows * bodies(); }
  std::string own_row_name(int row) const override { return model_.bodies[row].name + ": unit Euler parameters"; }
  void own_row_columns(int row, std::vector<int>& columns) const override {
    columns.clear();
    for (int c = T; c < V; ++c) columns.push_back(V * row + c);
  }
  void own_row(int row, ConstVector q, ConstVector v, double& Phi, double& Phi_dot, double& gamma,
               double* values) const override {
    Rotation::own_row(q.data() + P * row + T, v.data() + V * row + T, Phi, Phi_dot, gamma, values);
  }
  void add_own_row_rates(ConstVector, ConstVector v, ConstVector sigma, VectorRef Q) const override {
    for (int row = 0; row < own_rows(); ++row)
      Rotation::add_own_row_rate(v.data() + V * row + T, sigma[row], Q.data() + V * row + T);
  }

 private:
  struct State {
    mutable Rotation rotation;  // changes its axes, where it has any, with the places it is given
    Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), omega = Vec3::Zero(), bias = Vec3::Zero();
    Mat3 A = Mat3::Identity(), J = Mat3::Zero();
    Eigen::Matrix<double, 3, RV> W = Eigen::Matrix<double, 3, RV>::Zero();
    mutable Eigen::Matrix<double, 3, RV> W_rate = Eigen::Matrix<double, 3, RV>::Zero();  // of momenta
  };

  int bodies() const { return static_cast<int>(state_.size()); }

  Vec3 moment(const Markers& markers, int k, const Vec3& g) const {
    const Marker& m = markers.list[k];
    switch (m.kind) {
      case MarkerKind::point: return (markers.value[k] - state_[m.body].center).cross(g);
      case MarkerKind::vector: return markers.value[k].cross(g);
      default: return g;
    }
  }

  const Model& model_;
  std::vector<State> state_;
};

/// What rotations without rows or singularities of their own need not say.
struct PlainRotation {
  static constexpr int own_rows = 0;
  static void own_row(const double*, const double*, double&, double&, double&, double*) {}
  static void add_own_row_rate(const double*, double, double*) {}
  static bool rebase(double*, double*) { return false; }
  static void stay_regular_at(const Quaternion&) {}
  void choose(const Quaternion&) {}
};

}  // namespace bricard
