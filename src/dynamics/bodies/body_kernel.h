// Accelerations and multipliers of bodies joined in a graph, in time linear in bodies and joints:
//   S lambda = P M^-1 Q - gamma,   S = P M^-1 P^T,   v' = M^-1 (Q - P^T lambda)             [Jalon-Bayo (5.11), (5.12)]
// for reference-point coordinates, where M is block diagonal, so that S couples only joints that share a body. With
// M^-1 = T T^T for rotations (T = A F, F F^T the inverse inertia in body axes), the angular part of P is kept as P T:
// blocks of S are sums of plain products, and no inertia is turned into world axes.
// `D` is 2 or 3; `Real` a number or a pack of them (one lane a run).
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "dynamics/bodies/joint_rows.h"
#include "linear/block/delassus.h"

namespace bricard {

template <int D, class Real>
class BodyKernel : public JointRows<D, Real> {
 public:
  using Rows = JointRows<D, Real>;
  using S = typename Rows::S;
  using Vec = typename Rows::Vec;
  using Ang = typename Rows::Ang;
  static constexpr int A = Rows::A;
  using Rows::bodies;

  /// One model a lane, all of the topology's structure. `redundant`: rows that depend on others everywhere.
  BodyKernel(const JointGraph& topology, const std::vector<const JointGraph*>& lanes,
             const std::vector<const Model*>& models, int redundant = 0);

  // --- states ---
  void set_positions(const Real* q) {
    each_frame(
        q, [&](int b, Body& body, const Real* own, const typename S::Frame& frame) { set_place(b, body, own, frame); });
  }
  void set_velocities(const Real* v) {
    for (int b = 0; b < bodies(); ++b, v += S::velocities) set_motion(bodies_[b], v);
  }
  /// Both, and begin_forces().
  void set_state(const Real* q, const Real* v) {
    const Vec gravity = gravity_;
    each_frame(q, [=, this](int b, Body& body, const Real* own, const typename S::Frame& frame) {
      set_place(b, body, own, frame);
      set_motion(body, v + S::velocities * b);
      begin_forces(b, body, gravity);
    });
  }

  // --- accelerations of the bodies as if they were free ---
  /// Of weight and gyroscopic moments.
  void begin_forces() {
    for (int b = 0; b < bodies(); ++b) begin_forces(b, bodies_[b], gravity_);
  }
  void add_force(int b, const Vec& force, const Ang& moment) {
    bodies_[b].free = bodies_[b].free + inverse_mass_[b] * force;
    bodies_[b].free_turn = bodies_[b].free_turn + unreduce(b, reduce(b, moment));
  }

  // --- joint blocks of general rows, whose rows the caller writes: one number of P, and the right side from given
  // gamma ---
  void clear_general(int jacobian_block) {
    const JacobianBlock& l = topology_.jacobian[jacobian_block];
    const int stride = BlockSchedule::padded(topology_.joint_blocks[l.joint_block].rows);
    std::fill_n(&angular_[l.angular], A * stride, Real(0));
    std::fill_n(&linear_[l.linear], D * stride, Real(0));
  }
  /// Gradients that cancel (a gear between two pins of the same bodies) make a zero and not its rounding, which would
  /// pass for a direction: pivots are judged by the size of their own row.
  void add_general(int jacobian_block, int row, const Vec& linear, const Ang& moment) {
    const JacobianBlock& l = topology_.jacobian[jacobian_block];
    const int stride = BlockSchedule::padded(topology_.joint_blocks[l.joint_block].rows);
    Real turning[3];
    S::store_angular(reduce(l.body, moment), turning);
    for (int k = 0; k < D; ++k) add_or_cancel(linear_[l.linear + k * stride + row], linear[k]);
    for (int k = 0; k < A; ++k) add_or_cancel(angular_[l.angular + k * stride + row], turning[k]);
  }
  /// right side := P M^-1 Q of a joint block of general rows
  void find_general_right_side(const JointGraph::JointBlock& joint_block) {
    const int stride = BlockSchedule::padded(joint_block.rows);
    for (int r = 0; r < joint_block.rows; ++r) right_[joint_block.start + r] = Real(0);
    for (int jacobian_block = joint_block.jacobian; jacobian_block < joint_block.jacobian_end; ++jacobian_block) {
      const JacobianBlock& l = topology_.jacobian[jacobian_block];
      add_row_products<0>(l, stride, bodies_[l.body].free, reduce_motion(l.body, bodies_[l.body].free_turn),
                          &right_[joint_block.start]);
    }
  }

  // --- multipliers ---
  Delassus<Real>& delassus() { return delassus_; }
  /// S of P. False if it is singular.
  bool factorize() {
    return delassus_.factorize([this] { assemble(); });
  }
  /// The same, and x for the right side.
  bool factorize_and_solve(Real* x) {
    return delassus_.factorize_and_solve([this] { assemble(); }, right_.data(), x, applied());
  }
  /// x for a right side, with the factors at hand.
  void solve(const Real* right, Real* x) { delassus_.solve(right, x, applied()); }
  /// x for the right side, of least norm where rows are left out; the factors are others afterwards.
  bool solve_least_norm(Real* x) {
    return delassus_.solve_least_norm([this] { assemble(); }, right_.data(), x, applied());
  }
  /// y = S x
  void multiply(const Real* x, Real* y) {
    gather(x);
    apply_gathered(y);
  }
  /// y = P M^-1 of the forces and moments that are gathered
  void apply_gathered(Real* y) {
    for (int row = 0; row < topology_.rows(); ++row) y[row] = Real(0);
    each_size([&](auto size) {
      for (const JacobianBlock& jacobian_block : topology_.jacobian) {
        if (jacobian_block.body == bodies()) continue;
        const JointBlock& joint_block = topology_.joint_blocks[jacobian_block.joint_block];
        const Body& body = bodies_[jacobian_block.body];
        add_row_products<decltype(size)::value>(jacobian_block, BlockSchedule::padded(joint_block.rows),
                                                inverse_mass_[jacobian_block.body] * body.force, body.moment,
                                                y + joint_block.start);
      }
    });
  }
  /// Sums P^T x over each body's joints, for what follows.
  void gather(const Real* x) {
    for (Body& body : bodies_) body.force = S::no_force(), body.moment = S::no_rotation();
    each_size([&](auto size) { gather_of<decltype(size)::value>(x); });
  }

  /// Takes given forces f as gathered ones.
  void take_forces(const Real* f) {
    for (int b = 0; b < bodies(); ++b, f += S::velocities) {
      bodies_[b].force = S::load(f);
      bodies_[b].moment = reduce(b, S::load_angular(f + D));
    }
  }
  /// x = M^-1 f, minus M^-1 of what is gathered.
  void accelerations_of(const Real* f, Real* x) const {
    for (int b = 0; b < bodies(); ++b, f += S::velocities, x += S::velocities) {
      S::store(inverse_mass_[b] * (S::load(f) - bodies_[b].force), x);
      S::store_angular(unreduce(b, reduce(b, S::load_angular(f + D)) - bodies_[b].moment), x + D);
    }
  }

  // --- results, after gather(lambda) ---
  void accelerations(Real* vdot) const {
    for (int b = 0; b < bodies(); ++b, vdot += S::velocities) acceleration(bodies_[b], inverse_mass_[b], vdot);
  }
  /// Rates of positions and velocities. Returns their sum, which is finite only if all of them are, but for overflow.
  Real rates(const Real* q, const Real* v, Real* qdot, Real* vdot) const {
    const Real* inverse_mass = inverse_mass_.data();
    Real sum(0);
    const Body* body = bodies_.data();
    for (const Body* const end = body + bodies(); body != end; ++body, ++inverse_mass) {
      position_rates(1, q, v, qdot);
      acceleration(*body, *inverse_mass, vdot);
      for (int k = 0; k < S::positions; ++k) sum += qdot[k];
      for (int k = 0; k < S::velocities; ++k) sum += vdot[k];
      q += S::positions, v += S::velocities, qdot += S::positions, vdot += S::velocities;
    }
    return sum;
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
        twice += body.omega * body.omega / (body.root * body.root);
      } else {
        const Ang w = turn_back(body.frame, body.omega);
        twice += dot(w, inertia_[b].inertia * w);
      }
      sum += Real(0.5) * twice - mass_[b] * dot(gravity_, body.center);
    }
    return sum;
  }

 private:
  using Rows::angular_;
  using Rows::bodies_;
  using Rows::joints_;
  using Rows::linear_;
  using Rows::reduce;
  using Rows::right_;
  using Rows::topology_;
  using typename Rows::Body;
  using typename Rows::JacobianBlock;
  using typename Rows::JointBlock;
  template <int N>
  struct Constant {
    static constexpr int value = N;
  };

  static void add_or_cancel(Real& sum, const Real& term) {
    constexpr double rounding = 1e-14;
    if constexpr (std::is_same_v<Real, double>) {
      const double size = std::abs(sum) + std::abs(term);
      sum += term;
      if (std::abs(sum) <= rounding * size) sum = 0;
    } else {
      const Real size = absolute(sum) + absolute(term);
      sum += term;
      sum = zero_where_small(sum, Real(rounding) * size);
    }
  }

  /// y = S x, as who refines solutions wants it.
  auto applied() {
    return [this](const Real* from, Real* to) { multiply(from, to); };
  }
  /// S from P, and its diagonal.
  void assemble() {
    delassus_.clear_fill();
    each_size([&](auto size) { assemble_of<decltype(size)::value>(); });
  }

  /// Rows of all joint blocks as a constant if they are alike, else 0.
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

  /// action(b, body, its positions, its axes)
  template <class Action>
  void each_frame(const Real* q, const Action& action) {
    Body* const all = bodies_.data();
    const int count = bodies();
    if constexpr (D == 2 && std::is_same_v<Real, double>) {
      // Sines and cosines of four bodies at once.
      for (int b = 0; b < count; b += Pack::lanes) {
        Pack angle(0), sine, cosine;
        const int here = std::min(Pack::lanes, count - b);
        for (int k = 0; k < here; ++k) angle[k] = q[S::positions * (b + k) + D];
        sine_and_cosine(angle, sine, cosine);
        for (int k = 0; k < here; ++k) action(b + k, all[b + k], q + S::positions * (b + k), {cosine[k], sine[k]});
      }
    } else {
      for (int b = 0; b < count; ++b, q += S::positions) action(b, all[b], q, S::frame(q + D));
    }
  }
  void set_place(int b, Body& body, const Real* q, const typename S::Frame& frame) const {
    S::copy(q, body.center);
    body.frame = frame;
    if constexpr (D == 3) body.root = product(frame, inertia_[b].root);
  }
  static void set_motion(Body& body, const Real* v) {
    S::copy(v, body.velocity);
    body.omega = S::load_angular(v + D);
  }
  void begin_forces(int b, Body& body, const Vec& gravity) const {
    body.free = gravity;
    if constexpr (D == 2) {
      body.free_turn = Real(0);
    } else {
      const typename S::Inertia& inertia = inertia_[b];
      const Ang w = turn_back(body.frame, body.omega), h = inertia.inertia * w;
      body.free_turn = body.root * turn_back(inertia.root, cross(h, w));
    }
  }
  static void acceleration(const Body& body, const Real& inverse_mass, Real* vdot) {
    S::store(body.free - inverse_mass * body.force, vdot);
    S::store_angular(body.free_turn - body.root * body.moment, vdot + D);
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

  /// T motion
  Ang unreduce(int b, const Ang& motion) const { return bodies_[b].root * motion; }
  /// T^-1 motion: where the body is free, T^-1 M^-1 = T^T
  Ang reduce_motion(int b, const Ang& motion) const {
    if constexpr (D == 2) {
      return motion / bodies_[b].root;
    } else {
      // T^-1 = F^T I A^T
      return turn_back(inertia_[b].root, inertia_[b].inertia * turn_back(bodies_[b].frame, motion));
    }
  }

  // R below: rows of all joint blocks, which are points that coincide and products of unit vectors; 0: any rows.

  /// y += P (linear, T turning) of one Jacobian block
  template <int R>
  void add_row_products(const JacobianBlock& jacobian_block, int any_stride, const Vec& linear, const Ang& turning,
                        Real* y) const {
    const int stride = R > 0 ? BlockSchedule::padded(R) : any_stride;
    const Real* a = &angular_[jacobian_block.angular];
    Real w[3];
    S::store_angular(turning, w);
    for (int r = 0; r < stride; ++r) {
      Real sum = y[r];
      for (int p = 0; p < A; ++p) sum += a[p * stride + r] * w[p];
      y[r] = sum;
    }
    if (R > 0 || jacobian_block.linear < 0) {
      const Real sign(jacobian_block.sign);
      for (int r = 0; r < D; ++r) y[r] += sign * linear[r];
    } else {
      const Real* l = &linear_[jacobian_block.linear];
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
      const Real *a = angular_.data(), *x = vector;
      const typename Rows::Joint* joint = joints_.data();
      for (const auto* const end = joint + joints_.size(); joint != end; ++joint, x += stride) {
        const Vec force = S::load(x);
        Real moment[2][3];
        for (int p = 0; p < A; ++p) moment[0][p] = columns::dot(length, a + p * stride, x);
        for (int p = 0; p < A; ++p) moment[1][p] = columns::dot(length, a + (A + p) * stride, x);
        a += 2 * A * stride;
        Body &body0 = *joint->body[0], &body1 = *joint->body[1];
        body0.force = body0.force - force;
        body0.moment = body0.moment + S::load_angular(moment[0]);
        body1.force = body1.force + force;
        body1.moment = body1.moment + S::load_angular(moment[1]);
      }
    } else {
      for (const JacobianBlock& jacobian_block : topology_.jacobian) add_loads(jacobian_block, vector);
    }
  }
  void add_loads(const JacobianBlock& jacobian_block, const Real* vector) {
    const JointBlock& joint_block = topology_.joint_blocks[jacobian_block.joint_block];
    const columns::Length<0> stride(joint_block.rows);
    const Real* x = vector + joint_block.start;
    Body& body = bodies_[jacobian_block.body];
    Real sums[3];
    for (int p = 0; p < A; ++p) sums[p] = columns::dot(stride, &angular_[jacobian_block.angular + p * stride], x);
    body.moment = body.moment + S::load_angular(sums);
    if (jacobian_block.linear < 0) {
      body.force = body.force + Real(jacobian_block.sign) * S::load(x);
    } else {
      for (int p = 0; p < D; ++p) sums[p] = columns::dot(stride, &linear_[jacobian_block.linear + p * stride], x);
      body.force = body.force + S::load(sums);
    }
  }

  template <int R>
  void assemble_of() {
    if constexpr (R > 0) {
      assemble_alike<R>();
    } else {
      assemble_any();
    }
  }
  template <int R>
  void assemble_alike() {
    const columns::Length<R> stride(R);
    Real *const values = delassus_.values(), *diagonal = delassus_.diagonal();
    const Real *const angular = angular_.data(), *a = angular, *weight = weights_.data();
    const BlockSchedule::Column* column = topology_.schedule.column_list();
    for (const auto* const end = column + topology_.schedule.columns(); column != end; ++column, ++weight) {
      Real* const block = values + column->diagonal;
      if constexpr (R == 2) {
        columns::set_square(block, diagonal, a, a + stride, *weight);
      } else {
        columns::set_squares<A>(stride, R, block, a, a + A * stride);
        for (int r = 0; r < D; ++r) block[r * stride + r] += *weight;
        for (int r = 0; r < R; ++r) diagonal[r] = block[r * stride + r];
      }
      a += 2 * A * stride, diagonal += stride;
    }
    for (const Product& product : products_) {
      Real* const block = values + product.destination;
      const Real *const x = angular + product.a, *const y = angular + product.b;
      if constexpr (R == 2) {
        if (product.first) {
          columns::set_product(block, x, y, *weight++);
          continue;
        }
      }
      if (product.first) {
        columns::add_products<A, false, true>(stride, stride, R, block, x, y);
      } else {
        columns::add_products<A, false, false>(stride, stride, R, block, x, y);
      }
      for (int r = 0; r < D; ++r) block[r * stride + r] += *weight;
      ++weight;
    }
  }
  void assemble_any() {
    Real *const values = delassus_.values(), *const diagonal = delassus_.diagonal();
    const int joint_blocks = static_cast<int>(topology_.joint_blocks.size());
    for (int k = 0; k < joint_blocks; ++k) {
      const JointBlock& joint_block = topology_.joint_blocks[k];
      const columns::Length<0> stride(joint_block.rows);
      Real* block = values + topology_.schedule.column(k).diagonal;
      std::fill_n(block, stride * joint_block.rows, Real(0));
      for (int jacobian_block = joint_block.jacobian; jacobian_block < joint_block.jacobian_end; ++jacobian_block) {
        if (topology_.jacobian[jacobian_block].body < bodies())
          add_block<true, false>(topology_.jacobian[jacobian_block], topology_.jacobian[jacobian_block], block);
      }
      for (int r = 0; r < joint_block.rows; ++r) diagonal[joint_block.start + r] = block[r * stride + r];
    }
    for (const JointGraph::Pair& pair : topology_.pairs) {
      const JacobianBlock &a = topology_.jacobian[pair.a], &b = topology_.jacobian[pair.b];
      if (pair.first) {
        add_block<false, true>(a, b, values + pair.destination);
      } else {
        add_block<false, false>(a, b, values + pair.destination);
      }
    }
  }
  /// A block of S for two Jacobian blocks of one body; `Same`: the lower half of the square of one; `Set`: nothing is
  /// there yet.
  template <bool Same, bool Set>
  void add_block(const JacobianBlock& a, const JacobianBlock& b, Real* block) {
    const int count = topology_.joint_blocks[b.joint_block].rows;
    const columns::Length<0> rows(topology_.joint_blocks[a.joint_block].rows), other(count);
    columns::add_products<A, Same, Set>(rows, other, count, block, &angular_[a.angular], &angular_[b.angular]);
    const Real weight = inverse_mass_[a.body];
    if (a.linear < 0 && b.linear < 0) {
      const Real signed_weight = Real(a.sign * b.sign) * weight;
      for (int r = 0; r < D; ++r) block[r * rows + r] += signed_weight;
    } else {
      for (int c = 0; c < count; ++c) {
        for (int r = 0; r < rows; ++r)
          block[c * rows + r] += weight * dot(linear_row(a, r, rows), linear_row(b, c, other));
      }
    }
  }
  Vec linear_row(const JacobianBlock& jacobian_block, int r, int stride) const {
    Real row[3] = {Real(0), Real(0), Real(0)};
    if (jacobian_block.linear < 0) {
      if (r < D) row[r] = Real(jacobian_block.sign);
    } else {
      for (int k = 0; k < D; ++k) row[k] = linear_[jacobian_block.linear + k * stride + r];
    }
    return S::load(row);
  }

  std::vector<typename S::Inertia> inertia_;
  std::vector<Real> mass_, inverse_mass_;
  Vec gravity_;
  /// Blocks of S below the diagonal where all joint blocks are alike: places of the factors in angular_.
  struct Product {
    int a, b, destination;
    bool first;
  };
  std::vector<Product> products_;
  std::vector<Real>
      weights_;  // there, what the forces of joint blocks, then of products, add along the diagonal of a block
  Delassus<Real> delassus_;
};

template <int D, class Real>
BodyKernel<D, Real>::BodyKernel(const JointGraph& topology, const std::vector<const JointGraph*>& lanes,
                                const std::vector<const Model*>& models, int redundant)
    : Rows(topology, lanes),
      inertia_(topology.bodies + 1),
      mass_(topology.bodies + 1, Real(0)),
      inverse_mass_(topology.bodies + 1, Real(0)),
      delassus_(topology.schedule, redundant) {
  const auto set = Rows::set;
  const auto set_vec = Rows::set_vec;
  for (std::size_t k = 0; k < models.size(); ++k) {
    set_vec(gravity_, k, models[k]->gravity);
    for (int b = 0; b < topology.bodies; ++b) {
      const bricard::Body& body = models[k]->bodies[b];
      set(mass_[b], k, body.mass);
      set(inverse_mass_[b], k, 1 / body.mass);
      if constexpr (D == 2) {
        set(bodies_[b].root, k, std::sqrt(1 / body.inertia(2, 2)));
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
  }
  if (!topology.simple) return;
  for (const JointBlock& joint_block : topology.joint_blocks)
    weights_.push_back(inverse_mass_[joint_block.body[0]] + inverse_mass_[joint_block.body[1]]);
  for (const JointGraph::Pair& pair : topology.pairs) {
    const JacobianBlock &a = topology.jacobian[pair.a], &b = topology.jacobian[pair.b];
    products_.push_back({a.angular, b.angular, pair.destination, pair.first});
    weights_.push_back(Real(a.sign * b.sign) * inverse_mass_[a.body]);
  }
}

}  // namespace bricard
