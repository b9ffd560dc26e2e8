// Rows of constraints between bodies that JointGraph lists: errors, rates, accelerations, and the matrix P, its
// angular part as P T for a T of each body (BodyKernel says which; 1 keeps P as it is).
#pragma once

#include <type_traits>
#include <vector>

#include "dynamics/bodies/joint_graph.h"
#include "dynamics/bodies/space.h"

namespace bricard {

template <int D, class Real>
class JointRows {
 public:
  using S = graph::Space<D, Real>;
  using Vec = typename S::Vec;
  using Ang = typename S::Ang;
  using Frame = typename S::Frame;
  static constexpr int A = S::angular;

  /// Places of the lanes, all of the topology's structure.
  JointRows(const JointGraph& topology, const std::vector<const JointGraph*>& lanes);
  JointRows(const JointRows&) = delete;
  JointRows& operator=(const JointRows&) = delete;

  const JointGraph& topology() const { return topology_; }
  int bodies() const { return topology_.bodies; }
  /// Length of vectors of rows; padding is zero.
  int rows() const { return topology_.rows(); }

  // --- each a pass over all joints ---
  void find_errors() { pass<false, true, false, false>(); }  // Phi
  void find_rates() { pass<false, false, true, false>(); }   // Phi_dot
  /// P a - gamma: the relative accelerations of bodies with the accelerations a that they have if free.
  void find_right_side() { pass<false, false, false, true>(); }
  void find_jacobian() { pass<true, false, false, false>(); }  // P T
  void find_jacobian_and_right_side() { pass<true, false, false, true>(); }
  void find_jacobian_and_rates() { pass<true, false, true, false>(); }
  Real* Phi() { return Phi_.data(); }
  Real* Phi_dot() { return Phi_dot_.data(); }
  Real* right_side() { return right_.data(); }

  using Root = std::conditional_t<D == 2, Real, Frame>;
  struct Body {
    Vec center, velocity;
    Ang omega;
    Frame frame;
    Root root;      // T
    Vec free;       // acceleration
    Ang free_turn;  // angular acceleration
    Vec force;      // P^T x
    Ang moment;     // T^T of the moment of P^T x
  };
  /// The last one is the ground.
  Body& body(int b) { return bodies_[b]; }
  /// A Jacobian block's columns of P: forces, of which those of points that coincide are not stored
  /// (JacobianBlock::linear < 0), and moments.
  const Real* linear(const JointGraph::JacobianBlock& jacobian_block) const { return &linear_[jacobian_block.linear]; }
  const Real* angular(const JointGraph::JacobianBlock& jacobian_block) const {
    return &angular_[jacobian_block.angular];
  }

 protected:
  using JointBlock = JointGraph::JointBlock;
  using JacobianBlock = JointGraph::JacobianBlock;
  using Extra = JointGraph::Extra;

  // A lane of a number or of a vector.
  static void set(Real& target, std::size_t k, double value) { reinterpret_cast<double*>(&target)[k] = value; }
  static void set_vec(Vec& target, std::size_t k, const Vec3& value) {
    for (int c = 0; c < D; ++c) set(reinterpret_cast<Real*>(&target)[c], k, value[c]);
  }

  /// T^T moment
  Ang reduce(int b, const Ang& moment) const {
    if constexpr (D == 2) {
      return bodies_[b].root * moment;
    } else {
      return turn_back(bodies_[b].root, moment);
    }
  }

  const JointGraph& topology_;
  std::vector<Body> bodies_;  // and the ground
  std::vector<Real> angular_, linear_;
  std::vector<Real> Phi_, Phi_dot_, right_;
  /// Of each joint block: its bodies and the points that coincide, in the plane with their normals too.
  struct Joint {
    Body* body[2];
    Vec point[2], normal[D == 2 ? 2 : 1];
  };
  std::vector<Joint> joints_;

 private:
  struct Places {
    Vec a, b, c;
    Real constant;
  };

  // Of each joint: what its rows are made of, and from that what is asked for.
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void pass() {
    if (topology_.simple && topology_.schedule.common_size() == D) return pins<Jacobian, Errors, Rates, Right>();
    const JointBlock* joint_block = topology_.joint_blocks.data();
    const Joint* joint = joints_.data();
    for (const JointBlock* const end = joint_block + topology_.joint_blocks.size(); joint_block != end;
         ++joint_block, ++joint) {
      if (joint_block->general) continue;
      const Body &body0 = *joint->body[0], &body1 = *joint->body[1];
      int row = 0;
      const int stride = BlockSchedule::padded(joint_block->rows);
      const JacobianBlock* const jacobian = topology_.jacobian.data() + joint_block->jacobian;
      if (joint_block->coincide) {
        const Vec s0 = S::turned(body0.frame, joint->point[0]), s1 = S::turned(body1.frame, joint->point[1]);
        if constexpr (Errors) S::store((body1.center + s1) - (body0.center + s0), &Phi_[joint_block->start]);
        if constexpr (Rates) S::store(point_rate(body1, s1) - point_rate(body0, s0), &Phi_dot_[joint_block->start]);
        if constexpr (Right) {
          S::store(point_acceleration(body1, s1) - point_acceleration(body0, s0), &right_[joint_block->start]);
        }
        if constexpr (Jacobian) {
          point_jacobian(body0.root, Real(-1), s0, stride, &angular_[jacobian[0].angular]);
          point_jacobian(body1.root, Real(1), s1, stride, &angular_[jacobian[1].angular]);
          if (jacobian[0].linear >= 0) unit_rows(jacobian[0], stride), unit_rows(jacobian[1], stride);
        }
        row = D;
      }
      if (joint_block->extras == joint_block->extras_end) continue;
      const Body* const body[2] = {&body0, &body1};
      Vec b{};
      for (int e = joint_block->extras; e < joint_block->extras_end; ++e, ++row) {
        const Extra& extra = topology_.extras[e];
        switch (extra.kind) {
          case JointGraph::Kind::dot: {
            const Body &first = *body[extra.a.side], &second = *body[extra.b.side];
            const Vec a = S::turned(first.frame, places_[e].a);
            if (!extra.same_b) b = S::turned(second.frame, places_[e].b);
            if constexpr (Errors) Phi_[joint_block->start + row] = dot(a, b) - places_[e].constant;
            const Ang n = S::moment(a, b);
            if constexpr (Rates) Phi_dot_[joint_block->start + row] = S::product(first.omega - second.omega, n);
            if constexpr (Right) {
              // n' = a' x b + a x b'
              const Ang n1 = S::moment(S::rate(first.omega, a), b) + S::moment(a, S::rate(second.omega, b));
              right_[joint_block->start + row] =
                  S::product(first.free_turn - second.free_turn, n) + S::product(first.omega - second.omega, n1);
            }
            if constexpr (Jacobian) {
              set_angular(jacobian[extra.a.side], row, stride, n);
              set_angular(jacobian[extra.b.side], row, stride, Real(-1) * n);
              if (jacobian[0].linear >= 0) {
                for (int side = 0; side < 2; ++side) set_linear(jacobian[side], row, stride, S::no_force());
              }
            }
            break;
          }
          case JointGraph::Kind::along:
            along_row<Jacobian, Errors, Rates, Right>(*joint_block, extra, places_[e], body, row);
            break;
          case JointGraph::Kind::distance:
            distance_row<Jacobian, Errors, Rates, Right>(*joint_block, extra, places_[e], body, row);
            break;
        }
      }
    }
  }

  // Where all joints are points that coincide, and nothing else: their rows lie one after the other.
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void pins() {
    constexpr int stride = BlockSchedule::padded(D);
    Real *angular = angular_.data(), *errors = Phi_.data(), *rates = Phi_dot_.data(), *right = right_.data();
    const Joint* joint = joints_.data();
    for (const Joint* const end = joint + joints_.size(); joint != end; ++joint) {
      const Body &body0 = *joint->body[0], &body1 = *joint->body[1];
      if constexpr (D == 2 && std::is_same_v<Real, double> && Jacobian && Right) {
        // Both components at once: s, its normal n and s'' = free acceleration + omega' n - omega^2 s; of body 0 -n.
        using graph::pair;
        const auto p0 = pair(joint->point[0]), p1 = pair(joint->point[1]);
        const auto m0 = pair(joint->normal[0]), m1 = pair(joint->normal[1]);
        const auto s0 = body0.frame.c * p0 + body0.frame.s * m0, s1 = body1.frame.c * p1 + body1.frame.s * m1;
        const auto n0 = body0.frame.s * p0 - body0.frame.c * m0, n1 = body1.frame.c * m1 - body1.frame.s * p1;
        const auto a0 = pair(body0.free) - (body0.omega * body0.omega) * s0 - body0.free_turn * n0;
        const auto a1 = pair(body1.free) - (body1.omega * body1.omega) * s1 + body1.free_turn * n1;
        graph::store(a1 - a0, right);
        graph::store(body0.root * n0, angular);
        graph::store(body1.root * n1, angular + stride);
        angular += 2 * stride, right += stride;
        continue;
      }
      const Vec s0 = S::turned(body0.frame, joint->point[0]), s1 = S::turned(body1.frame, joint->point[1]);
      if constexpr (Errors) S::store((body1.center + s1) - (body0.center + s0), errors);
      if constexpr (Rates) S::store(point_rate(body1, s1) - point_rate(body0, s0), rates);
      if constexpr (Right) S::store(point_acceleration(body1, s1) - point_acceleration(body0, s0), right);
      if constexpr (Jacobian) {
        point_jacobian(body0.root, Real(-1), s0, stride, angular);
        point_jacobian(body1.root, Real(1), s1, stride, angular + A * stride);
      }
      angular += 2 * A * stride, errors += stride, rates += stride, right += stride;
    }
  }

  static Vec point_rate(const Body& body, const Vec& s) { return body.velocity + S::rate(body.omega, s); }
  static Vec point_acceleration(const Body& body, const Vec& s) {
    return body.free + S::rate(body.free_turn, s) + S::bias(body.omega, s);
  }

  // a . (c - b)
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void along_row(const JointBlock& joint_block, const Extra& extra, const Places& place, const Body* const* body,
                 int row) {
    const Body &of_a = *body[extra.a.side], &of_b = *body[extra.b.side], &of_c = *body[extra.c.side];
    const Vec a = S::turned(of_a.frame, place.a), b = S::turned(of_b.frame, place.b),
              c = S::turned(of_c.frame, place.c);
    const Vec d = (of_c.center + c) - (of_b.center + b);
    if constexpr (Errors) Phi_[joint_block.start + row] = dot(a, d) - place.constant;
    if constexpr (Rates || Right) {
      const Vec a1 = S::rate(of_a.omega, a), d1 = point_rate(of_c, c) - point_rate(of_b, b);
      if constexpr (Rates) Phi_dot_[joint_block.start + row] = dot(a1, d) + dot(a, d1);
      if constexpr (Right) {
        const Vec a2 = S::rate(of_a.free_turn, a) + S::bias(of_a.omega, a);
        const Vec d2 = point_acceleration(of_c, c) - point_acceleration(of_b, b);
        right_[joint_block.start + row] = dot(a2, d) + Real(2) * dot(a1, d1) + dot(a, d2);
      }
    }
    if constexpr (Jacobian) {
      Vec linear[2] = {S::no_force(), S::no_force()};
      Ang turning[2] = {S::no_rotation(), S::no_rotation()};
      linear[extra.c.side] = linear[extra.c.side] + a;
      linear[extra.b.side] = linear[extra.b.side] - a;
      turning[extra.a.side] = turning[extra.a.side] + S::moment(a, d);
      turning[extra.c.side] = turning[extra.c.side] + S::moment(c, a);
      turning[extra.b.side] = turning[extra.b.side] - S::moment(b, a);
      const int stride = BlockSchedule::padded(joint_block.rows);
      for (int side = 0; side < 2; ++side) {
        set_linear(topology_.jacobian[joint_block.jacobian + side], row, stride, linear[side]);
        set_angular(topology_.jacobian[joint_block.jacobian + side], row, stride, turning[side]);
      }
    }
  }

  // |c - b|
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void distance_row(const JointBlock& joint_block, const Extra& extra, const Places& place, const Body* const* body,
                    int row) {
    const Body &of_b = *body[extra.b.side], &of_c = *body[extra.c.side];
    const Vec b = S::turned(of_b.frame, place.b), c = S::turned(of_c.frame, place.c);
    const Vec d = (of_c.center + c) - (of_b.center + b);
    using std::sqrt;
    const Real length = sqrt(dot(d, d));
    const Vec e = (Real(1) / length) * d;
    if constexpr (Errors) Phi_[joint_block.start + row] = length - place.constant;
    if constexpr (Rates || Right) {
      const Vec d1 = point_rate(of_c, c) - point_rate(of_b, b);
      const Real rate = dot(e, d1);
      if constexpr (Rates) Phi_dot_[joint_block.start + row] = rate;
      if constexpr (Right) {
        const Vec d2 = point_acceleration(of_c, c) - point_acceleration(of_b, b);
        right_[joint_block.start + row] = dot(e, d2) + (dot(d1, d1) - rate * rate) / length;
      }
    }
    if constexpr (Jacobian) {
      const JacobianBlock* const jacobian = topology_.jacobian.data() + joint_block.jacobian;
      const int stride = BlockSchedule::padded(joint_block.rows);
      set_linear(jacobian[extra.b.side], row, stride, Real(-1) * e);
      set_linear(jacobian[extra.c.side], row, stride, e);
      set_angular(jacobian[extra.b.side], row, stride, S::moment(e, b));
      set_angular(jacobian[extra.c.side], row, stride, S::moment(c, e));
    }
  }

  void set_angular(const JacobianBlock& jacobian_block, int row, int stride, const Ang& moment) {
    Real values[3];
    S::store_angular(reduce(jacobian_block.body, moment), values);
    for (int k = 0; k < A; ++k) angular_[jacobian_block.angular + k * stride + row] = values[k];
  }
  void set_linear(const JacobianBlock& jacobian_block, int row, int stride, const Vec& value) {
    for (int k = 0; k < D; ++k) linear_[jacobian_block.linear + k * stride + row] = value[k];
  }
  void unit_rows(const JacobianBlock& jacobian_block, int stride) {
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c)
        linear_[jacobian_block.linear + c * stride + r] = Real(r == c ? jacobian_block.sign : 0);
    }
  }
  /// d(s)/d(rotation): rows T^T (s x e_k).
  static void point_jacobian(const Root& T, const Real& sign, const Vec& s, int stride, Real* out) {
    if constexpr (D == 2) {
      const Real k = sign * T;
      out[0] = -(k * s.y), out[1] = k * s.x;
    } else {
      const Vec t = sign * s;
      const Vec row0 = t.z * T.r1 - t.y * T.r2, row1 = t.x * T.r2 - t.z * T.r0, row2 = t.y * T.r0 - t.x * T.r1;
      out[0] = row0.x, out[1] = row1.x, out[2] = row2.x;
      out += stride;
      out[0] = row0.y, out[1] = row1.y, out[2] = row2.y;
      out += stride;
      out[0] = row0.z, out[1] = row1.z, out[2] = row2.z;
    }
  }

  std::vector<Places> places_;  // of each extra row
};

template <int D, class Real>
JointRows<D, Real>::JointRows(const JointGraph& topology, const std::vector<const JointGraph*>& lanes)
    : topology_(topology),
      bodies_(topology.bodies + 1),
      angular_(topology.angular_size, Real(0)),
      linear_(topology.linear_size, Real(0)),
      joints_(topology.joint_blocks.size()),
      places_(topology.extras.size()) {
  for (std::vector<Real>* list : {&Phi_, &Phi_dot_, &right_}) list->assign(topology.rows(), Real(0));
  bodies_.back() = {};
  bodies_.back().frame = S::ground_frame();
  for (std::size_t g = 0; g < topology.joint_blocks.size(); ++g) {
    for (int side = 0; side < 2; ++side) joints_[g].body[side] = &bodies_[topology.joint_blocks[g].body[side]];
  }
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const JointGraph::Geometry& geometry = lanes[k]->geometry;
    for (std::size_t g = 0; g < topology.joint_blocks.size(); ++g) {
      for (int side = 0; side < 2; ++side) {
        const Vec3& point = geometry.points[g][side];
        set_vec(joints_[g].point[side], k, point);
        if constexpr (D == 2) set_vec(joints_[g].normal[side], k, Vec3(-point.y(), point.x(), 0));
      }
    }
    for (std::size_t e = 0; e < topology.extras.size(); ++e) {
      const JointGraph::Geometry::Extra& extra = geometry.extras[e];
      set_vec(places_[e].a, k, extra.a);
      set_vec(places_[e].b, k, extra.b);
      set_vec(places_[e].c, k, extra.c);
      set(places_[e].constant, k, extra.constant);
    }
  }
}

}  // namespace bricard
