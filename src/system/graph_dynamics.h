// Accelerations and multipliers of bodies joined in a graph, in time linear in bodies and joints:
//   S lambda = P M^-1 Q - gamma,   S = P M^-1 P^T,   v' = M^-1 (Q - P^T lambda)              [Jalon-Bayo (5.11),
//   (5.12)]
// for reference-point coordinates, where M is block diagonal, so that S couples only joints that share a body. With
// M^-1 = T T^T for rotations (T = A F, F F^T the inverse inertia in body axes), the angular part of P is kept as P T:
// blocks of S are sums of plain products, and no inertia is turned into world axes.
// `D` is 2 or 3; `Real` a number or a pack of them (one lane a run).
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <type_traits>
#include <vector>

#include "linear/block_cholesky.h"
#include "system/graph_space.h"
#include "system/graph_topology.h"

namespace bricard {

template <int D, class Real>
class GraphDynamics {
 public:
  using S = graph::Space<D, Real>;
  using Vec = typename S::Vec;
  using Ang = typename S::Ang;
  using Frame = typename S::Frame;
  static constexpr int A = S::angular;

  /// One model a lane, all of the topology's structure.
  GraphDynamics(const GraphTopology& topology, const std::vector<const GraphTopology*>& lanes,
                const std::vector<const Model*>& models);

  const GraphTopology& topology() const { return topology_; }
  int bodies() const { return topology_.bodies; }
  /// Length of vectors of rows; padding is zero.
  int rows() const { return topology_.rows(); }

  // --- states ---
  void set_positions(const Real* q) {
    if constexpr (D == 2 && std::is_same_v<Real, double>) {
      // Sines and cosines of four bodies at once.
      for (int b = 0; b < bodies(); b += Pack::lanes) {
        Pack angle, sine, cosine;
        const int count = std::min(Pack::lanes, bodies() - b);
        for (int k = 0; k < Pack::lanes; ++k) angle[k] = q[S::positions * (b + std::min(k, count - 1)) + D];
        sine_and_cosine(angle, sine, cosine);
        for (int k = 0; k < count; ++k) {
          bodies_[b + k].center = S::load(q + S::positions * (b + k));
          bodies_[b + k].frame = {cosine[k], sine[k]};
        }
      }
      return;
    }
    for (int b = 0; b < bodies(); ++b, q += S::positions) {
      Body& body = bodies_[b];
      body.center = S::load(q);
      body.frame = S::frame(q + D);
      if constexpr (D == 3) body.root = product(body.frame, inertia_[b].root);
    }
  }
  void set_velocities(const Real* v) {
    for (int b = 0; b < bodies(); ++b, v += S::velocities) {
      bodies_[b].velocity = S::load(v);
      bodies_[b].omega = S::load_angular(v + D);
    }
  }

  // --- accelerations of the bodies as if they were free ---
  /// Of weight and gyroscopic moments.
  void begin_forces() {
    for (int b = 0; b < bodies(); ++b) {
      Body& body = bodies_[b];
      body.free = gravity_;
      if constexpr (D == 2) {
        body.free_turn = Real(0);
      } else {
        const typename S::Inertia& inertia = inertia_[b];
        const Ang w = turn_back(body.frame, body.omega), h = inertia.inertia * w;
        body.free_turn = body.root * turn_back(inertia.root, cross(h, w));
      }
    }
  }
  void add_force(int b, const Vec& force, const Ang& moment) {
    bodies_[b].free = bodies_[b].free + inverse_mass_[b] * force;
    bodies_[b].free_turn = bodies_[b].free_turn + unreduce(b, reduce(b, moment));
  }

  // --- rows, each a pass over all joints ---
  void find_errors() { pass<false, true, false, false>(); }  // Phi
  void find_rates() { pass<false, false, true, false>(); }   // Phi_dot
  /// P M^-1 Q - gamma: the relative accelerations of free bodies.
  void find_right_side() { pass<false, false, false, true>(); }
  void find_jacobian() { pass<true, false, false, false>(); }  // P T
  void find_jacobian_and_right_side() { pass<true, false, false, true>(); }
  void find_jacobian_and_rates() { pass<true, false, true, false>(); }
  Real* Phi() { return Phi_.data(); }
  Real* Phi_dot() { return Phi_dot_.data(); }
  Real* right_side() { return right_.data(); }

  // --- special groups, whose rows the caller writes: one number of P, and the right side from given gamma ---
  void clear_special(int leg) {
    const Leg& l = topology_.legs[leg];
    const int stride = BlockSchedule::padded(topology_.groups[l.group].rows);
    std::fill_n(&angular_[l.angular], A * stride, Real(0));
    std::fill_n(&linear_[l.linear], D * stride, Real(0));
  }
  void add_special(int leg, int row, const Vec& linear, const Ang& moment) {
    const Leg& l = topology_.legs[leg];
    const int stride = BlockSchedule::padded(topology_.groups[l.group].rows);
    Real turning[3];
    S::store_angular(reduce(l.body, moment), turning);
    for (int k = 0; k < D; ++k) linear_[l.linear + k * stride + row] += linear[k];
    for (int k = 0; k < A; ++k) angular_[l.angular + k * stride + row] += turning[k];
  }
  /// right side := P M^-1 Q of a special group
  void find_special_right_side(const GraphTopology::Group& group) {
    const int stride = BlockSchedule::padded(group.rows);
    for (int r = 0; r < group.rows; ++r) right_[group.start + r] = Real(0);
    for (int leg = group.legs; leg < group.legs_end; ++leg) {
      const Leg& l = topology_.legs[leg];
      add_row_products<0>(l, stride, bodies_[l.body].free, reduce_motion(l.body, bodies_[l.body].free_turn),
                          &right_[group.start]);
    }
  }

  // --- multipliers ---
  /// S from P, and its diagonal.
  void assemble() {
    cholesky_.set_zero();
    each_size([&](auto size) { assemble_of<decltype(size)::value>(); });
  }
  /// Factorises S + mu diag(S); rows whose pivot is at most `least` of the diagonal are left out. How many there were.
  int factorize(double mu, const double* least) { return cholesky_.factorize(diagonal_.data(), mu, least); }
  /// Factorises S + mu I, mu relative to the largest element of the diagonal.
  void factorize_shifted(double mu) {
    const double largest = *std::max_element(diagonal_.begin(), diagonal_.end());
    shift_.assign(diagonal_.size(), Real(largest));
    least_.assign(diagonal_.size(), 0.0);
    cholesky_.factorize(shift_.data(), mu, least_.data());
  }
  int factorize(double mu, double least) {
    least_.assign(diagonal_.size(), least);
    return factorize(mu, least_.data());
  }
  /// Calls action(row) for the rows that were left out.
  template <class Action>
  void each_left_out(const Action& action) const {
    for (std::size_t k = 0; k < topology_.groups.size(); ++k) {
      for (int r = 0; r < topology_.groups[k].rows; ++r) {
        if (cholesky_.is_left_out(static_cast<int>(k), r)) action(topology_.groups[k].start + r);
      }
    }
  }
  void solve(Real* x) const { cholesky_.solve(x); }
  /// y = S x
  void multiply(const Real* x, Real* y) {
    gather(x);
    for (int row = 0; row < rows(); ++row) y[row] = Real(0);
    each_size([&](auto size) {
      for (const Leg& leg : topology_.legs) {
        if (leg.body == bodies()) continue;
        const Group& group = topology_.groups[leg.group];
        const Body& body = bodies_[leg.body];
        add_row_products<decltype(size)::value>(leg, BlockSchedule::padded(group.rows),
                                                inverse_mass_[leg.body] * body.force, body.moment, y + group.start);
      }
    });
  }
  /// Sums P^T x over each body's joints, for what follows.
  void gather(const Real* x) {
    for (Body& body : bodies_) body.force = S::load(zero_), body.moment = S::no_rotation();
    each_size([&](auto size) { gather_of<decltype(size)::value>(x); });
  }

  // --- results, after gather(lambda) ---
  void accelerations(Real* vdot) const {
    for (int b = 0; b < bodies(); ++b, vdot += S::velocities) {
      const Body& body = bodies_[b];
      S::store(body.free - inverse_mass_[b] * body.force, vdot);
      S::store_angular(body.free_turn - unreduce(b, body.moment), vdot + D);
    }
  }
  /// v -= M^-1 P^T x
  void move(Real* v) const {
    for (int b = 0; b < bodies(); ++b, v += S::velocities) {
      const Body& body = bodies_[b];
      S::store(S::load(v) - inverse_mass_[b] * body.force, v);
      S::store_angular(S::load_angular(v + D) - unreduce(b, body.moment), v + D);
    }
  }
  /// The same as a displacement.
  void move_positions(Real* q) const {
    for (int b = 0; b < bodies(); ++b, q += S::positions) {
      const Body& body = bodies_[b];
      S::store(S::load(q) - inverse_mass_[b] * body.force, q);
      const Ang turn = unreduce(b, body.moment);
      if constexpr (D == 2) {
        q[D] -= turn;
      } else {
        Real pdot[4];
        quaternion_rate(q + D, turn, pdot);
        Real square(0);
        for (int k = 0; k < 4; ++k) q[D + k] -= pdot[k], square += q[D + k] * q[D + k];
        using std::sqrt;
        const Real scale = Real(1) / sqrt(square);
        for (int k = 0; k < 4; ++k) q[D + k] *= scale;
      }
    }
  }
  static void position_rates(int bodies, const Real* q, const Real* v, Real* qdot) {
    for (int b = 0; b < bodies; ++b, q += S::positions, v += S::velocities, qdot += S::positions) {
      for (int k = 0; k < D; ++k) qdot[k] = v[k];
      if constexpr (D == 2) {
        qdot[D] = v[D];
      } else {
        quaternion_rate(q + D, S::load_angular(v + D), qdot + D);
      }
    }
  }
  /// Kinetic energy and that of weight.
  Real energy() const {
    Real sum(0);
    for (int b = 0; b < bodies(); ++b) {
      const Body& body = bodies_[b];
      Real twice = mass_[b] * dot(body.velocity, body.velocity);
      if constexpr (D == 2) {
        twice += body.omega * body.omega / (inertia_[b].root * inertia_[b].root);
      } else {
        const Ang w = turn_back(body.frame, body.omega);
        twice += dot(w, inertia_[b].inertia * w);
      }
      sum += Real(0.5) * twice - mass_[b] * dot(gravity_, body.center);
    }
    return sum;
  }

 private:
  using Group = GraphTopology::Group;
  using Leg = GraphTopology::Leg;
  using Extra = GraphTopology::Extra;
  template <int N>
  struct Constant {
    static constexpr int value = N;
  };

  struct Body {
    Vec center, velocity;
    Ang omega;
    Frame frame, root;      // root: T, in space
    Vec free, force;        // acceleration, P^T x
    Ang free_turn, moment;  // angular acceleration, T^T of the moment of P^T x
  };
  struct Points {
    Vec point[2];
  };
  struct Places {
    Vec a, b, c;
    Real constant;
  };

  /// Rows of all groups as a constant if they are alike, else 0.
  template <class Action>
  void each_size(const Action& action) {
    if (topology_.simple) {
      switch (topology_.schedule.common_size()) {
        case D: return action(Constant<D>());
        case D + 2: return action(Constant<D + 2>());
        default: break;
      }
    }
    action(Constant<0>());
  }

  static graph::Mat3D<Real> product(const graph::Mat3D<Real>& m, const graph::Mat3D<Real>& n) {
    return {turn_back(n, m.r0), turn_back(n, m.r1), turn_back(n, m.r2)};
  }
  static void quaternion_rate(const Real* p, const Ang& w, Real* pdot) {
    const Real half(0.5);
    pdot[0] = -half * (w.x * p[1] + w.y * p[2] + w.z * p[3]);
    pdot[1] = half * (w.x * p[0] + w.y * p[3] - w.z * p[2]);
    pdot[2] = half * (w.y * p[0] + w.z * p[1] - w.x * p[3]);
    pdot[3] = half * (w.z * p[0] + w.x * p[2] - w.y * p[1]);
  }

  /// T^T moment, T motion, and T^-1 motion (where the body is free, T^-1 M^-1 = T^T)
  Ang reduce(int b, const Ang& moment) const {
    if constexpr (D == 2) {
      return inertia_[b].root * moment;
    } else {
      return turn_back(bodies_[b].root, moment);
    }
  }
  Ang unreduce(int b, const Ang& moment) const {
    if constexpr (D == 2) {
      return inertia_[b].root * moment;
    } else {
      return bodies_[b].root * moment;
    }
  }
  Ang reduce_motion(int b, const Ang& motion) const {
    if constexpr (D == 2) {
      return motion / inertia_[b].root;
    } else {
      // T^-1 = F^T I A^T
      return turn_back(inertia_[b].root, inertia_[b].inertia * turn_back(bodies_[b].frame, motion));
    }
  }

  // Of each joint: what its rows are made of, and from that what is asked for.
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void pass() {
    const Group* group = topology_.groups.data();
    const Points* points = points_.data();
    for (const Group* const end = group + topology_.groups.size(); group != end; ++group, ++points) {
      if (group->special) continue;
      const Body &body0 = bodies_[group->body[0]], &body1 = bodies_[group->body[1]];
      int row = 0;
      const int stride = BlockSchedule::padded(group->rows);
      const Leg* const legs = topology_.legs.data() + group->legs;
      if (group->coincide) {
        const Vec s0 = S::turned(body0.frame, points->point[0]), s1 = S::turned(body1.frame, points->point[1]);
        if constexpr (Errors) S::store((body1.center + s1) - (body0.center + s0), &Phi_[group->start]);
        if constexpr (Rates) S::store(point_rate(body1, s1) - point_rate(body0, s0), &Phi_dot_[group->start]);
        if constexpr (Right) {
          S::store(point_acceleration(body1, s1) - point_acceleration(body0, s0), &right_[group->start]);
        }
        if constexpr (Jacobian) {
          point_jacobian(group->body[0], Real(-1), s0, stride, &angular_[legs[0].angular]);
          point_jacobian(group->body[1], Real(1), s1, stride, &angular_[legs[1].angular]);
          if (legs[0].linear >= 0) unit_rows(legs[0], stride), unit_rows(legs[1], stride);
        }
        row = D;
      }
      if (group->extras == group->extras_end) continue;
      const Body* const body[2] = {&body0, &body1};
      Vec b{};
      for (int e = group->extras; e < group->extras_end; ++e, ++row) {
        const Extra& extra = topology_.extras[e];
        switch (extra.kind) {
          case GraphTopology::Kind::dot: {
            const Body &first = *body[extra.a.side], &second = *body[extra.b.side];
            const Vec a = S::turned(first.frame, places_[e].a);
            if (!extra.same_b) b = S::turned(second.frame, places_[e].b);
            if constexpr (Errors) Phi_[group->start + row] = dot(a, b) - places_[e].constant;
            const Ang n = S::moment(a, b);
            if constexpr (Rates) Phi_dot_[group->start + row] = S::product(first.omega - second.omega, n);
            if constexpr (Right) {
              // n' = a' x b + a x b'
              const Ang n1 = S::moment(S::rate(first.omega, a), b) + S::moment(a, S::rate(second.omega, b));
              right_[group->start + row] =
                  S::product(first.free_turn - second.free_turn, n) + S::product(first.omega - second.omega, n1);
            }
            if constexpr (Jacobian) {
              set_angular(legs[extra.a.side], row, stride, n);
              set_angular(legs[extra.b.side], row, stride, Real(-1) * n);
              if (legs[0].linear >= 0) {
                for (int side = 0; side < 2; ++side) set_linear(legs[side], row, stride, S::load(zero_));
              }
            }
            break;
          }
          case GraphTopology::Kind::along:
            along_row<Jacobian, Errors, Rates, Right>(*group, extra, places_[e], body, row);
            break;
          case GraphTopology::Kind::distance:
            distance_row<Jacobian, Errors, Rates, Right>(*group, extra, places_[e], body, row);
            break;
        }
      }
    }
  }

  static Vec point_rate(const Body& body, const Vec& s) { return body.velocity + S::rate(body.omega, s); }
  static Vec point_acceleration(const Body& body, const Vec& s) {
    return body.free + S::rate(body.free_turn, s) + S::bias(body.omega, s);
  }

  // a . (c - b)
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void along_row(const Group& group, const Extra& extra, const Places& place, const Body* const* body, int row) {
    const Body &of_a = *body[extra.a.side], &of_b = *body[extra.b.side], &of_c = *body[extra.c.side];
    const Vec a = S::turned(of_a.frame, place.a), b = S::turned(of_b.frame, place.b),
              c = S::turned(of_c.frame, place.c);
    const Vec d = (of_c.center + c) - (of_b.center + b);
    if constexpr (Errors) Phi_[group.start + row] = dot(a, d) - place.constant;
    if constexpr (Rates || Right) {
      const Vec a1 = S::rate(of_a.omega, a), d1 = point_rate(of_c, c) - point_rate(of_b, b);
      if constexpr (Rates) Phi_dot_[group.start + row] = dot(a1, d) + dot(a, d1);
      if constexpr (Right) {
        const Vec a2 = S::rate(of_a.free_turn, a) + S::bias(of_a.omega, a);
        const Vec d2 = point_acceleration(of_c, c) - point_acceleration(of_b, b);
        right_[group.start + row] = dot(a2, d) + Real(2) * dot(a1, d1) + dot(a, d2);
      }
    }
    if constexpr (Jacobian) {
      Vec linear[2] = {S::load(zero_), S::load(zero_)};
      Ang turning[2] = {S::no_rotation(), S::no_rotation()};
      linear[extra.c.side] = linear[extra.c.side] + a;
      linear[extra.b.side] = linear[extra.b.side] - a;
      turning[extra.a.side] = turning[extra.a.side] + S::moment(a, d);
      turning[extra.c.side] = turning[extra.c.side] + S::moment(c, a);
      turning[extra.b.side] = turning[extra.b.side] - S::moment(b, a);
      const int stride = BlockSchedule::padded(group.rows);
      for (int side = 0; side < 2; ++side) {
        set_linear(topology_.legs[group.legs + side], row, stride, linear[side]);
        set_angular(topology_.legs[group.legs + side], row, stride, turning[side]);
      }
    }
  }

  // |c - b|
  template <bool Jacobian, bool Errors, bool Rates, bool Right>
  void distance_row(const Group& group, const Extra& extra, const Places& place, const Body* const* body, int row) {
    const Body &of_b = *body[extra.b.side], &of_c = *body[extra.c.side];
    const Vec b = S::turned(of_b.frame, place.b), c = S::turned(of_c.frame, place.c);
    const Vec d = (of_c.center + c) - (of_b.center + b);
    using std::sqrt;
    const Real length = sqrt(dot(d, d));
    const Vec e = (Real(1) / length) * d;
    if constexpr (Errors) Phi_[group.start + row] = length - place.constant;
    if constexpr (Rates || Right) {
      const Vec d1 = point_rate(of_c, c) - point_rate(of_b, b);
      const Real rate = dot(e, d1);
      if constexpr (Rates) Phi_dot_[group.start + row] = rate;
      if constexpr (Right) {
        const Vec d2 = point_acceleration(of_c, c) - point_acceleration(of_b, b);
        right_[group.start + row] = dot(e, d2) + (dot(d1, d1) - rate * rate) / length;
      }
    }
    if constexpr (Jacobian) {
      const Leg* const legs = topology_.legs.data() + group.legs;
      const int stride = BlockSchedule::padded(group.rows);
      set_linear(legs[extra.b.side], row, stride, Real(-1) * e);
      set_linear(legs[extra.c.side], row, stride, e);
      set_angular(legs[extra.b.side], row, stride, S::moment(e, b));
      set_angular(legs[extra.c.side], row, stride, S::moment(c, e));
    }
  }

  void set_angular(const Leg& leg, int row, int stride, const Ang& moment) {
    Real values[3];
    S::store_angular(reduce(leg.body, moment), values);
    for (int k = 0; k < A; ++k) angular_[leg.angular + k * stride + row] = values[k];
  }
  void set_linear(const Leg& leg, int row, int stride, const Vec& value) {
    for (int k = 0; k < D; ++k) linear_[leg.linear + k * stride + row] = value[k];
  }
  void unit_rows(const Leg& leg, int stride) {
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) linear_[leg.linear + c * stride + r] = Real(r == c ? leg.sign : 0);
    }
  }
  /// d(s)/d(rotation): rows T^T (s x e_k).
  void point_jacobian(int b, const Real& sign, const Vec& s, int stride, Real* out) const {
    if constexpr (D == 2) {
      const Real k = sign * inertia_[b].root;
      out[0] = -(k * s.y), out[1] = k * s.x;
    } else {
      const auto& T = bodies_[b].root;
      const Vec t = sign * s;
      const Vec row0 = t.z * T.r1 - t.y * T.r2, row1 = t.x * T.r2 - t.z * T.r0, row2 = t.y * T.r0 - t.x * T.r1;
      out[0] = row0.x, out[1] = row1.x, out[2] = row2.x;
      out += stride;
      out[0] = row0.y, out[1] = row1.y, out[2] = row2.y;
      out += stride;
      out[0] = row0.z, out[1] = row1.z, out[2] = row2.z;
    }
  }

  // R below: rows of all groups, which are points that coincide and products of unit vectors; 0: any rows.

  /// y += P (linear, T turning) of one leg
  template <int R>
  void add_row_products(const Leg& leg, int any_stride, const Vec& linear, const Ang& turning, Real* y) const {
    const int stride = R > 0 ? BlockSchedule::padded(R) : any_stride;
    const Real* a = &angular_[leg.angular];
    Real w[3];
    S::store_angular(turning, w);
    for (int r = 0; r < stride; ++r) {
      Real sum = y[r];
      for (int p = 0; p < A; ++p) sum += a[p * stride + r] * w[p];
      y[r] = sum;
    }
    if (R > 0 || leg.linear < 0) {
      const Real sign(leg.sign);
      for (int r = 0; r < D; ++r) y[r] += sign * linear[r];
    } else {
      const Real* l = &linear_[leg.linear];
      for (int p = 0; p < D; ++p) {
        for (int r = 0; r < stride; ++r) y[r] += l[p * stride + r] * linear[p];
      }
    }
  }
  template <int R>
  void gather_of(const Real* vector) {
    if constexpr (R > 0) {
      constexpr int stride = BlockSchedule::padded(R);
      const columns::Length<R> length(R);
      const Real* a = angular_.data();
      for (const Group& group : topology_.groups) {
        const Real* x = vector + group.start;
        const Vec force = S::load(x);
        Real moment[2][3];
        for (int p = 0; p < A; ++p) moment[0][p] = columns::dot(length, a + p * stride, x);
        for (int p = 0; p < A; ++p) moment[1][p] = columns::dot(length, a + (A + p) * stride, x);
        a += 2 * A * stride;
        Body &body0 = bodies_[group.body[0]], &body1 = bodies_[group.body[1]];
        body0.force = body0.force - force;
        body0.moment = body0.moment + S::load_angular(moment[0]);
        body1.force = body1.force + force;
        body1.moment = body1.moment + S::load_angular(moment[1]);
      }
    } else {
      for (const Leg& leg : topology_.legs) add_loads(leg, vector);
    }
  }
  void add_loads(const Leg& leg, const Real* vector) {
    const Group& group = topology_.groups[leg.group];
    const columns::Length<0> stride(group.rows);
    const Real* x = vector + group.start;
    Body& body = bodies_[leg.body];
    Real sums[3];
    for (int p = 0; p < A; ++p) sums[p] = columns::dot(stride, &angular_[leg.angular + p * stride], x);
    body.moment = body.moment + S::load_angular(sums);
    if (leg.linear < 0) {
      body.force = body.force + Real(leg.sign) * S::load(x);
    } else {
      for (int p = 0; p < D; ++p) sums[p] = columns::dot(stride, &linear_[leg.linear + p * stride], x);
      body.force = body.force + S::load(sums);
    }
  }

  template <int R>
  void assemble_of() {
    Real* values = cholesky_.values();
    const int groups = static_cast<int>(topology_.groups.size());
    for (int k = 0; k < groups; ++k) {
      const Group& group = topology_.groups[k];
      const columns::Length<R> stride(group.rows);
      const int rows = R > 0 ? R : group.rows;
      Real* block = values + topology_.schedule.column(k).diagonal;
      if constexpr (R > 0) {
        const Real* a = &angular_[2 * A * stride * k];
        columns::set_squares<A>(stride, rows, block, a, a + A * stride);
        const Real weight = inverse_mass_[group.body[0]] + inverse_mass_[group.body[1]];
        for (int r = 0; r < D; ++r) block[r * stride + r] += weight;
      } else {
        for (int leg = group.legs; leg < group.legs_end; ++leg) {
          if (topology_.legs[leg].body < bodies()) add_block<0, true>(topology_.legs[leg], topology_.legs[leg], block);
        }
      }
      for (int r = 0; r < rows; ++r) diagonal_[group.start + r] = block[r * stride + r];
    }
    for (const GraphTopology::Pair& pair : topology_.pairs)
      add_block<R, false>(topology_.legs[pair.a], topology_.legs[pair.b], values + pair.destination);
  }
  /// A block of S for two legs of one body; `Same`: the lower half of the square of one.
  template <int R, bool Same>
  void add_block(const Leg& a, const Leg& b, Real* block) {
    const int count = R > 0 ? R : topology_.groups[b.group].rows;
    const columns::Length<R> rows(R > 0 ? R : topology_.groups[a.group].rows), other(count);
    columns::add_products<A, Same>(rows, other, count, block, &angular_[a.angular], &angular_[b.angular]);
    const Real weight = inverse_mass_[a.body];
    if (R > 0 || (a.linear < 0 && b.linear < 0)) {
      const Real signed_weight = Real(a.sign * b.sign) * weight;
      for (int r = 0; r < D; ++r) block[r * rows + r] += signed_weight;
    } else {
      for (int c = 0; c < count; ++c) {
        for (int r = 0; r < rows; ++r)
          block[c * rows + r] += weight * dot(linear_row(a, r, rows), linear_row(b, c, other));
      }
    }
  }
  Vec linear_row(const Leg& leg, int r, int stride) const {
    Real row[3] = {Real(0), Real(0), Real(0)};
    if (leg.linear < 0) {
      if (r < D) row[r] = Real(leg.sign);
    } else {
      for (int k = 0; k < D; ++k) row[k] = linear_[leg.linear + k * stride + r];
    }
    return S::load(row);
  }

  const GraphTopology& topology_;
  std::vector<Body> bodies_;  // and the ground
  std::vector<typename S::Inertia> inertia_;
  std::vector<Real> mass_, inverse_mass_;
  std::vector<Points> points_;  // of each group
  std::vector<Places> places_;  // of each extra row
  Vec gravity_;
  std::vector<Real> angular_, linear_;
  std::vector<Real> Phi_, Phi_dot_, right_, diagonal_, shift_;
  std::vector<double> least_;
  BlockCholesky<Real> cholesky_;
  Real zero_[3] = {Real(0), Real(0), Real(0)};
};

template <int D, class Real>
GraphDynamics<D, Real>::GraphDynamics(const GraphTopology& topology, const std::vector<const GraphTopology*>& lanes,
                                      const std::vector<const Model*>& models)
    : topology_(topology),
      bodies_(topology.bodies + 1),
      inertia_(topology.bodies + 1),
      mass_(topology.bodies + 1, Real(0)),
      inverse_mass_(topology.bodies + 1, Real(0)),
      points_(topology.groups.size()),
      places_(topology.extras.size()),
      angular_(topology.angular_size, Real(0)),
      linear_(topology.linear_size, Real(0)),
      least_(std::is_same_v<Real, double> ? 0 : topology.rows()),  // else on request: GraphMotion has its own
      cholesky_(topology.schedule) {
  const auto set = [](Real& target, std::size_t k, double value) { reinterpret_cast<double*>(&target)[k] = value; };
  const auto set_vec = [&](Vec& target, std::size_t k, const Vec3& value) {
    for (int c = 0; c < D; ++c) set(reinterpret_cast<Real*>(&target)[c], k, value[c]);
  };
  for (std::vector<Real>* list : {&Phi_, &Phi_dot_, &right_, &diagonal_}) list->assign(topology.rows(), Real(0));
  Body& base = bodies_.back();
  base = {};
  base.frame = S::ground_frame();
  for (std::size_t k = 0; k < models.size(); ++k) {
    set_vec(gravity_, k, models[k]->gravity);
    for (int b = 0; b < topology.bodies; ++b) {
      const bricard::Body& body = models[k]->bodies[b];
      set(mass_[b], k, body.mass);
      set(inverse_mass_[b], k, 1 / body.mass);
      if constexpr (D == 2) {
        set(inertia_[b].root, k, std::sqrt(1 / body.inertia(2, 2)));
      } else {
        // root = L^-T for inertia = L L^T
        const Mat3 L = body.inertia.llt().matrixL();
        const Mat3 root = L.transpose().template triangularView<Eigen::Upper>().solve(Mat3(Mat3::Identity()));
        for (int r = 0; r < 3; ++r) {
          set_vec(reinterpret_cast<Vec*>(&inertia_[b].inertia)[r], k, body.inertia.row(r));
          set_vec(reinterpret_cast<Vec*>(&inertia_[b].root)[r], k, root.row(r));
        }
      }
    }
    for (std::size_t g = 0; g < topology.groups.size(); ++g) {
      for (int side = 0; side < 2; ++side) set_vec(points_[g].point[side], k, lanes[k]->geometry.points[g][side]);
    }
    for (std::size_t e = 0; e < topology.extras.size(); ++e) {
      const GraphTopology::Geometry::Extra& extra = lanes[k]->geometry.extras[e];
      set_vec(places_[e].a, k, extra.a);
      set_vec(places_[e].b, k, extra.b);
      set_vec(places_[e].c, k, extra.c);
      set(places_[e].constant, k, extra.constant);
    }
  }
}

}  // namespace bricard
