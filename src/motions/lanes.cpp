#include "motions/lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "dynamics/bodies/body_kernel.h"
#include "dynamics/constraint_newton.h"
#include "linear/simd/processor.h"
#include "motions/hermite.h"
#include "motions/lane_elements.h"

namespace bricard {
namespace {

bool same_structure(const JointGraph& a, const JointGraph& b) {
  if (a.dimensions != b.dimensions || a.bodies != b.bodies || a.joint_blocks.size() != b.joint_blocks.size() ||
      a.extras.size() != b.extras.size() || a.jacobian.size() != b.jacobian.size() || a.system_row != b.system_row)
    return false;
  for (std::size_t k = 0; k < a.joint_blocks.size(); ++k) {
    const auto &g = a.joint_blocks[k], &h = b.joint_blocks[k];
    if (g.rows != h.rows || g.jacobian != h.jacobian || g.jacobian_end != h.jacobian_end || g.coincide != h.coincide ||
        g.general != h.general || g.body[0] != h.body[0] || g.body[1] != h.body[1] || g.extras != h.extras ||
        g.extras_end != h.extras_end)
      return false;
  }
  for (std::size_t k = 0; k < a.extras.size(); ++k) {
    const auto &e = a.extras[k], &f = b.extras[k];
    if (e.kind != f.kind || e.same_b != f.same_b || e.a.side != f.a.side || e.b.side != f.b.side ||
        e.c.side != f.c.side)
      return false;
  }
  for (std::size_t k = 0; k < a.jacobian.size(); ++k) {
    const auto &l = a.jacobian[k], &m = b.jacobian[k];
    if (l.body != m.body || l.joint_block != m.joint_block || l.sign != m.sign || l.angular != m.angular ||
        l.linear != m.linear)
      return false;
  }
  return true;
}

template <int D>
class BodyLanes : public Lanes {
 public:
  using Space = graph::Space<D, Pack>;
  using Graph = BodyKernel<D, Pack>;

  BodyLanes(std::vector<JointGraph> topologies, const std::vector<System*>& systems, const LanesOptions& options)
      : options_(options),
        topologies_(std::move(topologies)),
        topology_(topologies_.front()),
        feedback_(options.feedback.in_order(topology_.system_row)),
        kernel_(topology_, pointers(topologies_), models(systems), options.redundant),
        elements_(systems, topology_, kernel_),
        positions_(systems[0]->position_size()),
        velocities_(systems[0]->velocity_size()),
        rest_(elements_.exist() ? systems[0]->state_size() + 1 : 0),
        prepared_(size()),
        step_(topology_.rows(), Pack(0)),
        multipliers_(topology_.rows(), Pack(0)),
        q_at_(positions_),
        qdot_at_(positions_) {
    for (int l = 0; l < Pack::lanes; ++l) {
      const double length = systems[l]->model().characteristic_length();
      length_[l] = length;
      tolerance_[l] = 1e-13 * std::max(1.0, length);
    }
  }

  bool fits() const { return elements_.fit(); }
  int size() const override { return Pack::lanes * (positions_ + velocities_ + rest_); }

  void pack(int lane, ConstVector q, ConstVector v, VectorRef x) const override {
    for (int k = 0; k < positions_; ++k) x[Pack::lanes * k + lane] = q[k];
    for (int k = 0; k < velocities_; ++k) x[Pack::lanes * (positions_ + k) + lane] = v[k];
    for (int k = 0; k < rest_; ++k) x[Pack::lanes * (positions_ + velocities_ + k) + lane] = 0;
  }
  void unpack(int lane, ConstVector x, VectorRef q, VectorRef v, VectorRef rest) const override {
    for (int k = 0; k < positions_; ++k) q[k] = x[Pack::lanes * k + lane];
    for (int k = 0; k < velocities_; ++k) v[k] = x[Pack::lanes * (positions_ + k) + lane];
    for (int k = 0; k < rest_; ++k) rest[k] = x[Pack::lanes * (positions_ + velocities_ + k) + lane];
  }

  void error_scales(VectorRef scales) const override {
    const auto set = [&](int component, bool is_length) {
      for (int l = 0; l < Pack::lanes; ++l) scales[Pack::lanes * component + l] = is_length ? length_[l] : 1;
    };
    for (int k = 0; k < positions_; ++k) set(k, k % Space::positions < D);
    for (int k = 0; k < velocities_; ++k) set(positions_ + k, k % Space::velocities < D);
    for (int k = 0; k < rest_; ++k) set(positions_ + velocities_ + k, false);
    if (rest_ > 0) scales.tail(Pack::lanes).setConstant(std::numeric_limits<double>::infinity());  // work
  }

  Status derivative(double t, ConstVector x, VectorRef xdot) override {
    const Pack* from = packs(x.data());
    Pack* to = packs(xdot.data());
    const bool prepared = is_prepared(t, x);
    return fused_ ? derivative_fused(t, from, to, prepared) : derivative_plain(t, from, to, prepared);
  }

  bool corrects_steps() const override { return projects() && topology_.rows() > 0; }
  StepChange correct_candidate(double t, VectorRef x) override { return correct(t, x); }
  StepChange correct(double t, VectorRef x) override {
    if (!corrects_steps() || is_prepared(t, x)) return StepChange::none;
    is_prepared_ = false;
    Pack* state = packs(x.data());
    if (!(fused_ ? correct_fused(t, state) : correct_plain(t, state))) return StepChange::failed;
    prepared_time_ = t;
    prepared_ = x;
    is_prepared_ = true;
    return StepChange::corrected;
  }
  StepChange after_step(double t, VectorRef x) override {
    const StepChange change = correct(t, x);
    if (change == StepChange::failed) return change;
    const bool prepared = is_prepared(t, x);
    if (!prepared) is_factorized_ = is_prepared_ = false;
    if (!projects()) kernel_.delassus().forget_choice();  // as Bodies does
    if (fused_) {
      note_fused(packs(x.data()), prepared);
    } else {
      note_plain(packs(x.data()), prepared);
    }
    if (rest_ == 0) return change;
    const Pack* const state = packs(x.data());
    if (!elements_.accept(t, state, energy_)) {
      failure_ = "a joint turns so fast that its turns cannot be counted";
      return StepChange::failed;
    }
    energy_ -= state[positions_ + velocities_ + rest_ - 1];
    return change;
  }
  double energy(int lane) const override { return energy_[lane]; }
  double fastest_rotation() const override { return std::sqrt(largest_lane(fastest_square_)); }
  bool counts_turns() const override { return rest_ > 0; }

  // The polynomials of FullMotion::interpolate().
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override {
    if (rest_ > 0) MotionEquations::interpolate(points, t, x);
    const HermiteWeights weights(points, 3, t);
    if (fused_) {
      interpolate_fused(points, weights, packs(x.data()));
    } else {
      interpolate_plain(points, weights, packs(x.data()));
    }
  }

  std::string failure() const override { return failure_; }

 private:
  static std::vector<const JointGraph*> pointers(const std::vector<JointGraph>& topologies) {
    std::vector<const JointGraph*> result;
    result.reserve(topologies.size());
    for (const JointGraph& topology : topologies) result.push_back(&topology);
    return result;
  }
  static std::vector<const Model*> models(const std::vector<System*>& systems) {
    std::vector<const Model*> result;
    result.reserve(systems.size());
    for (const System* system : systems) result.push_back(&system->model());
    return result;
  }
  static const Pack* packs(const double* numbers) { return reinterpret_cast<const Pack*>(numbers); }
  static Pack* packs(double* numbers) { return reinterpret_cast<Pack*>(numbers); }

  bool projects() const { return options_.projection; }
  bool is_prepared(double t, const ConstVector& x) const {
    return is_prepared_ && t == prepared_time_ &&
           std::memcmp(x.data(), prepared_.data(), sizeof(double) * prepared_.size()) == 0;
  }
  bool fail(const char* reason) {
    failure_ = reason;
    return false;
  }

  // --- accelerations ---
  BRICARD_FUSED Status derivative_fused(double t, const Pack* x, Pack* xdot, bool prepared) {
    return derivative_plain(t, x, xdot, prepared);
  }
  inline Status derivative_plain(double t, const Pack* q, Pack* rates, bool prepared) {
    const Pack* v = q + positions_;
    if (prepared) {
      kernel_.begin_forces();
    } else {
      is_prepared_ = false;
      kernel_.set_state(q, v);
    }
    if (rest_ > 0) elements_.add_loads(t, q);
    if (prepared) {
      kernel_.find_right_side();
      complete_right_side();
      kernel_.solve(kernel_.right_side(), multipliers_.data());
    } else {
      kernel_.find_jacobian_and_right_side();
      elements_.write_jacobian();
      complete_right_side();
      is_factorized_ = true;
      if (!kernel_.factorize_and_solve(multipliers_.data())) return fail(singular_text), Status::failed;
    }
    kernel_.gather(multipliers_.data());
    kernel_.rates(q, v, rates, rates + positions_);
    if (rest_ == 0) return Status::ok;  // the integrator looks for what is not finite
    return elements_.finish(t, multipliers_.data(), rates + positions_)
               ? Status::ok
               : (fail("friction does not settle"), Status::fatal);
  }
  inline void complete_right_side() {
    elements_.find_right_side();
    if (!feedback_.empty()) add_feedback();
  }
  inline bool factorize() {
    is_factorized_ = true;
    elements_.write_jacobian();
    return kernel_.factorize() || fail(singular_text);
  }
  inline void add_feedback() {
    kernel_.find_errors();
    kernel_.find_rates();
    elements_.write_errors();
    for (int row = 0; row < topology_.rows(); ++row) {
      const Pack rate(feedback_.rate[row]), position(feedback_.position[row]);
      kernel_.right_side()[row] += rate * kernel_.Phi_dot()[row] + position * kernel_.Phi()[row];
    }
  }

  // --- projection: one factorisation serves all iterations and lanes; errors are in units of the lanes' tolerances ---
  BRICARD_FUSED bool correct_fused(double t, Pack* x) { return correct_plain(t, x); }
  inline bool correct_plain(double t, Pack* x) {
    kernel_.set_velocities(x + positions_);
    return project_positions(t, x) && project_velocities(t, x);
  }
  /// Infinite if a value is not a number.
  inline double largest(const Pack* values, const Pack& unit) const {
    Pack most(0), sum(0);
    for (int row = 0; row < topology_.rows(); ++row) most = larger(absolute(values[row]), most), sum += values[row];
    const Pack nothing = sum - sum;  // NOLINT(misc-redundant-expression): zero unless it is not a number
    return largest_lane(absolute(nothing)) == 0 ? largest_lane(most / unit) : INFINITY;
  }
  inline bool project_positions(double t, Pack* q) {
    kernel_.set_positions(q);
    return bricard::project_positions(
        1, is_factorized_,
        [&] {
          kernel_.find_errors();
          if (topology_.has_general_rows) elements_.evaluate(t, q), elements_.write_errors();
          return largest(kernel_.Phi(), tolerance_);
        },
        [&] {
          kernel_.find_jacobian();
          return factorize();
        },
        [&] {
          take_step(kernel_.Phi());
          kernel_.move_positions(q);
          kernel_.set_positions(q);
        },
        failure_);
  }
  inline bool project_velocities(double t, Pack* q) {
    Pack* const v = q + positions_;
    kernel_.find_jacobian_and_rates();
    if (topology_.has_general_rows) elements_.evaluate(t, q), elements_.write_errors();
    Pack fastest(1);
    for (int k = 0; k < velocities_; ++k) fastest = larger(absolute(v[k]), fastest);
    const double error = largest(kernel_.Phi_dot(), tolerance_ * fastest);
    kernel_.delassus().forget_choice();  // here, on the constraints, it can be made
    if (!factorize()) return false;
    if (error > 1) {
      take_step(kernel_.Phi_dot());
      kernel_.move(v);
      kernel_.set_velocities(v);
    }
    return std::isfinite(error);
  }
  inline void take_step(const Pack* residual) {
    for (int row = 0; row < topology_.rows(); ++row) step_[row] = residual[row];
    kernel_.delassus().step(step_.data());
    kernel_.gather(step_.data());
  }

  // --- accepted states ---
  BRICARD_FUSED void note_fused(const Pack* x, bool prepared) { note_plain(x, prepared); }
  inline void note_plain(const Pack* q, bool prepared) {
    const Pack* v = q + positions_;
    if (!prepared) {
      kernel_.set_positions(q);
      kernel_.set_velocities(v);
    }
    energy_ = kernel_.energy();
    fastest_square_ = Pack(0);
    for (int b = 0; b < topology_.bodies; ++b) {
      const typename Space::Ang w = Space::load_angular(v + b * Space::velocities + D);
      fastest_square_ = larger(Space::product(w, w), fastest_square_);
    }
  }

  // --- dense output ---
  BRICARD_FUSED void interpolate_fused(std::span<const StepPoint> points, const HermiteWeights& weights, Pack* x) {
    interpolate_plain(points, weights, x);
  }
  inline void interpolate_plain(std::span<const StepPoint> points, const HermiteWeights& weights, Pack* x) {
    const int count = static_cast<int>(points.size());
    for (int k = 0; k < positions_; ++k) q_at_[k] = qdot_at_[k] = Pack(0);
    for (int i = 0; i < count; ++i) {
      const StepPoint& point = points[count - 1 - i];
      const Pack *q = packs(point.x.data()), *qdot = packs(point.xdot.data());
      const Pack *v = q + positions_, *vdot = qdot + positions_;
      const Pack value[3] = {weights.value(i, 0), weights.value(i, 1), weights.value(i, 2)};
      const Pack rate[3] = {weights.rate(i, 0), weights.rate(i, 1), weights.rate(i, 2)};
      for (int b = 0; b < topology_.bodies; ++b) {
        Pack qddot[Space::positions];
        acceleration(q + b * Space::positions, v + b * Space::velocities, vdot + b * Space::velocities, qddot);
        for (int k = 0; k < Space::positions; ++k) {
          const int at = b * Space::positions + k;
          q_at_[at] += value[0] * q[at] + value[1] * qdot[at] + value[2] * qddot[k];
          qdot_at_[at] += rate[0] * q[at] + rate[1] * qdot[at] + rate[2] * qddot[k];
        }
      }
    }
    for (int k = 0; k < positions_; ++k) x[k] = q_at_[k];
    for (int b = 0; b < topology_.bodies; ++b)
      velocity(&q_at_[b * Space::positions], &qdot_at_[b * Space::positions], x + positions_ + b * Space::velocities);
  }
  /// q'' of one body; of a quaternion p'' = 1/2 (0, w') p - 1/4 |w|^2 p.
  static inline void acceleration(const Pack* q, const Pack* v, const Pack* vdot, Pack* qddot) {
    Graph::position_rates(1, q, vdot, qddot);
    if constexpr (D == 3) {
      const Pack factor = Pack(0.25) * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
      for (int k = 3; k < 7; ++k) qddot[k] -= factor * q[k];
    }
  }
  /// v from q' of one body; of a quaternion (0, w) = 2 p' conj(p) / |p|^2.
  static inline void velocity(const Pack* q, const Pack* qdot, Pack* v) {
    for (int k = 0; k < D; ++k) v[k] = qdot[k];
    if constexpr (D == 2) {
      v[2] = qdot[2];
    } else {
      const Pack *p = q + 3, *r = qdot + 3;
      const Pack factor = Pack(2) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
      v[3] = factor * (r[1] * p[0] - r[0] * p[1] - r[2] * p[3] + r[3] * p[2]);
      v[4] = factor * (r[2] * p[0] - r[0] * p[2] - r[3] * p[1] + r[1] * p[3]);
      v[5] = factor * (r[3] * p[0] - r[0] * p[3] - r[1] * p[2] + r[2] * p[1]);
    }
  }

  LanesOptions options_;
  std::vector<JointGraph> topologies_;
  const JointGraph& topology_;
  Feedback feedback_;  // by rows of the graph
  Graph kernel_;
  LaneElements<D> elements_;
  int positions_, velocities_, rest_;  // rest: states of friction and work, where anything acts beside weight
  double prepared_time_ = 0;
  Vector prepared_;
  bool is_prepared_ = false;    // kernel_ is at this state, S factorised
  bool is_factorized_ = false;  // near enough for a simplified Newton iteration
  std::vector<Pack> step_, multipliers_, q_at_, qdot_at_;
  Pack length_, tolerance_, energy_ = Pack(0), fastest_square_ = Pack(0);
  std::string failure_;
  const bool fused_ = processor_has_fused();
};

}  // namespace

std::string lanes_misfit(const System& system) { return JointGraph::misfit(system); }

std::unique_ptr<Lanes> create_lanes(const std::vector<System*>& systems, const LanesOptions& options) {
  std::vector<JointGraph> topologies;
  topologies.reserve(systems.size());
  for (const System* system : systems) topologies.emplace_back(*system);
  for (std::size_t l = 0; l < systems.size(); ++l) {
    if (!same_structure(topologies[l], topologies.front()) || systems[l]->state_size() != systems[0]->state_size())
      return nullptr;
  }
  const auto fitting = [](auto lanes) -> std::unique_ptr<Lanes> {
    if (!lanes->fits()) return nullptr;
    return lanes;
  };
  if (systems.front()->model().planar())
    return fitting(std::make_unique<BodyLanes<2>>(std::move(topologies), systems, options));
  return fitting(std::make_unique<BodyLanes<3>>(std::move(topologies), systems, options));
}

}  // namespace bricard
