// The engine `tree`: a tree of bodies in its joint coordinates by recursion (tree_dynamics.h), rows by multipliers that
// go through it: loops of joints by TreeLoops, anything else by TreeRows. Time is linear in bodies where few loops
// share a link.                                          [Featherstone 2008, sections 7.3, 8.5; Jalon-Bayo section 5.3]
#include <algorithm>
#include <cmath>

#include "dynamics/constraint_newton.h"
#include "dynamics/dynamics.h"
#include "dynamics/prepared_state.h"
#include "dynamics/tree/loop_turns.h"
#include "dynamics/tree/tree_loops.h"
#include "dynamics/tree/tree_rows.h"
#include "dynamics/tree/tree_turns.h"
#include "linear/simd/processor.h"
#include "model/counted.h"

namespace bricard {
namespace {

constexpr const char* no_inertia_text = "a body of the tree can move in a direction without inertia";

std::unique_ptr<TreeDynamics> recursion_of(const System& system) {
  return create_tree_dynamics(system.model(), *system.coordinates().spanning_tree());
}

/// Loops of joints, which the engine evaluates itself.
template <int D>
struct JointLoops {
  LoopTopology topology;
  TreeLoops<D> rows;
  LoopTurns turns;
  bool needs_places;
  static constexpr bool by_system = false;

  JointLoops(System& system, TreeDynamics& tree, const DynamicsOptions& options)
      : topology(system, tree),
        rows(topology, tree, system.velocity_size(), options.redundant),
        turns(system, tree),
        needs_places(!options.feedback.empty() || rows.needs_places()) {
    topology.topology.geometry = {};  // the rows have it
  }
};

/// Rows that the System evaluates.
struct GeneralRows {
  TreeRows rows;
  LoopTurns turns;
  bool needs_places = false;
  static constexpr bool by_system = true;

  GeneralRows(System& system, TreeDynamics& tree, const DynamicsOptions& options)
      : rows(system, tree, options.redundant), turns(system, tree) {}
};

template <class Loops>
class Tree : public Dynamics {
 public:
  Tree(System& system, const DynamicsOptions& options)
      : Dynamics(system, system.empty_vectors()),
        projects_(options.projects),
        tree_(recursion_of(system)),
        turns_(system, options.q, options.v),
        positions_(system.position_size()),
        velocities_(system.velocity_size()),
        has_elements_(system.has_forces() || !system.friction().empty()),
        q_(positions_),
        v_(velocities_),
        rates_(positions_),
        z_(velocities_),
        prepared_(positions_ + velocities_),
        lambda_(Vector::Zero(system.row_count())),
        tolerance_(constraint_tolerance(system.model())) {
    if (system.row_count() == 0) return;
    loops_ = std::make_unique<Loops>(system, *tree_, options);
    if (options.proximal) loops_->rows.delassus().make_proximal();
    feedback_ = options.feedback.in_order(loops_->rows.system_row());
    multipliers_.setZero(loops_->rows.rows());
    step_.resize(loops_->rows.rows());
  }

  // --- one evaluation, from top to bottom ---
  Status accelerate(const Instant& at, VectorRef qdot, VectorRef vdot) override {
    if (!loops_) return accelerate_open(at, qdot, vdot);
    const bool prepared = prepared_.is(at.t, at.q, at.v);  // at the end of a projection, with its factors
    if (!prepared) prepared_.forget();
    move(at, qdot.data());
    const double* Q = nullptr;
    if (!find_forces(Q)) return Status::failed;
    if (prepared) {
      tree_->reduce_motion(Q, z_.data());
    } else if (!tree_->factorize(Q, z_.data())) {
      return fail_without_inertia();
    }
    if (!(fused_ ? find_multipliers_fused(prepared) : find_multipliers(prepared))) return Status::failed;
    tree_->restore(z_.data());
    vdot = z_;
    power_ = find_power(at.t);
    return std::isfinite(z_.sum() + power_) ? Status::ok : fail_not_finite();
  }

  Status observe(const Instant& at, VectorRef qdot, VectorRef vdot) override {
    if (accelerate(at, qdot, vdot) != Status::ok) return Status::failed;
    if (loops_ && loops_->rows.delassus().leaves_out() && !loops_->rows.delassus().is_proximal()) {
      if (!loops_->rows.solve_least_norm(loops_->rows.right_side(), multipliers_.data())) forget();
    }
    turns_.set(at.t, q_, v_);
    system_.evaluate(at.t, at.q, at.v, at.s, Upto::dynamics, eq_);
    moved_ = false;
    return Status::ok;
  }

  Status solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) override {
    x = f;
    tree_->reduce(x.data());
    if (loops_) {
      right_.setZero(loops_->rows.rows());
      answer_.resize(loops_->rows.rows());
      loops_->rows.add_transposed(x.data(), right_.data());
      const std::vector<int>& system_row = loops_->rows.system_row();
      for (int row = 0; row < right_.size(); ++row) right_[row] -= system_row[row] < 0 ? 0 : g[system_row[row]];
      loops_->rows.solve(right_.data(), answer_.data());
      loops_->rows.subtract(answer_.data(), x.data());
      to_system(answer_, y);
    }
    tree_->restore(x.data());
    return x.allFinite() && y.allFinite() ? Status::ok : fail_not_finite();
  }

  const Vector& multipliers() override {
    if (loops_) to_system(multipliers_, lambda_);
    return lambda_;
  }
  double power() const override { return power_; }
  double power(double t, ConstVector lambda) const override {
    double sum = system_.element_power(t) + system_.friction_power();
    if constexpr (Loops::by_system) {  // no other rows depend on time
      if (loops_) sum += lambda.dot(loops_->rows.equations().Phi_t);
    }
    return sum;
  }

  StepChange project(double t, VectorRef q, VectorRef v) override {
    if (!loops_ || prepared_.is(t, q, v)) return StepChange::none;
    prepared_.forget();
    moved_ = false;
    if (!put_on_constraints(t, q, v) || !project_rates(t, q, v)) return StepChange::failed;
    prepared_.set(t, q, v);
    return StepChange::corrected;
  }

  bool accept(const Instant& at) override {
    if (loops_ && !prepared_.is(at.t, at.q, at.v)) forget();
    if (loops_ && !projects_) loops_->rows.delassus().forget_choice();  // the drift is small against what tells them
    if (!moved_ || q_ != at.q || v_ != at.v) move(at, rates_.data());
    turns_.set(at.t, q_, v_);  // for whoever evaluates the System next
    energy_ = tree_->energy() + (has_elements_ ? system_.stored_energy(at.t) : 0);
    if (!loops_ || loops_->turns.count(at.t)) return true;
    failure_ = "a joint turns so fast that its turns cannot be counted";
    return false;
  }
  void set_feedback(const Feedback& feedback) override {
    if (loops_) feedback_.set_in_order(feedback, loops_->rows.system_row());
  }
  double energy() const override { return energy_; }

  void forget() override {
    prepared_.forget();
    is_factorized_ = moved_ = false;
  }

 private:
  inline Status accelerate_open(const Instant& at, VectorRef& qdot, VectorRef& vdot) {
    move(at, qdot.data());
    const double* Q = nullptr;
    if (!find_forces(Q)) return Status::failed;
    if (!tree_->factorize(Q, vdot.data())) return fail_without_inertia();
    tree_->restore(vdot.data());
    power_ = has_elements_ ? system_.element_power(at.t) + system_.friction_power() : 0;
    return std::isfinite(vdot.sum() + power_) ? Status::ok : fail_not_finite();
  }

  /// Puts the tree at a state and evaluates elements there, and rows that are the System's.
  void move(const Instant& at, double* qdot) {
    const double *const q = at.q.data(), *const v = at.v.data();
    std::copy_n(q, positions_, q_.data());
    std::copy_n(v, velocities_, v_.data());
    tree_->move(q, v, qdot);
    moved_ = true;
    if (loops_ && Loops::by_system) {
      evaluate_rows(at.t, at.q, at.v, at.s);
    } else if (has_elements_) {
      turns_.set(at.t, q_, v_);
      system_.evaluate_elements(at.t, at.q, at.v, at.s, eq_);
    }
  }
  /// Rows at a place of the tree, which has been moved or placed there.
  void evaluate_rows(double t, ConstVector q, ConstVector v, ConstVector states) {
    if constexpr (Loops::by_system) {
      turns_.set(t, q, v);
      loops_->rows.evaluate(t, q, v, states);
    }
  }
  /// Generalised forces of the elements, for the tree: null if there are none. False if one is not a number.
  bool find_forces(const double*& Q) {
    if (!has_elements_) return true;
    eq_.Q.setZero();
    system_.coordinates().scatter(system_.markers(), system_.loads(), eq_.Q);
    if (!system_.friction().empty() && !system_.friction_depends_on_load())
      system_.coordinates().scatter(system_.markers(), system_.friction_loads(), eq_.Q);
    Q = eq_.Q.data();
    return forces_are_finite();
  }
  double find_power(double t) {
    double sum = has_elements_ ? system_.element_power(t) + system_.friction_power() : 0;
    if constexpr (Loops::by_system) {
      const Vector& Phi_t = loops_->rows.equations().Phi_t;
      const std::vector<int>& system_row = loops_->rows.system_row();
      for (int row = 0; row < multipliers_.size(); ++row)
        sum += system_row[row] < 0 ? 0 : multipliers_[row] * Phi_t[system_row[row]];
    }
    return sum;
  }
  Status fail_without_inertia() {
    return fail(q_.allFinite() && v_.allFinite() ? no_inertia_text : "the state is not finite");
  }
  template <class To>
  void to_system(const Vector& from, To&& to) const {
    const std::vector<int>& system_row = loops_->rows.system_row();
    for (int row = 0; row < from.size(); ++row) {
      if (system_row[row] >= 0) to[system_row[row]] = from[row];
    }
  }

  // --- multipliers, after the tree's way inwards ---
  BRICARD_FUSED bool find_multipliers_fused(bool prepared) { return find_multipliers(prepared); }
  inline bool find_multipliers(bool prepared) {
    if (loops_->needs_places) tree_->locate();
    auto& rows = loops_->rows;
    rows.take_motions();
    if (prepared) {
      rows.find_right_side();
    } else {
      rows.find_jacobian_and_right_side();
      if (!factorize()) return false;
    }
    double* const right = rows.right_side();
    rows.add_transposed(z_.data(), right);
    if (!feedback_.empty()) add_feedback(right);
    rows.solve(right, multipliers_.data());
    rows.subtract(multipliers_.data(), z_.data());
    return true;
  }
  void add_feedback(double* right) {
    auto& rows = loops_->rows;
    rows.find_errors();
    rows.find_rates();
    for (int row = 0; row < rows.rows(); ++row)
      right[row] += feedback_.rate[row] * rows.Phi_dot()[row] + feedback_.position[row] * rows.Phi()[row];
  }
  /// S for the tree's last factorisation.
  bool factorize() {
    is_factorized_ = true;
    return loops_->rows.factorize() || fail(singular_text) == Status::ok;
  }

  // --- projection ---
  /// z := the displacement W^T Z S^-1 of row errors
  void find_displacement(const double* errors) {
    std::copy_n(errors, step_.size(), step_.data());
    loops_->rows.delassus().step(step_.data());
    z_.setZero();
    loops_->rows.subtract(step_.data(), z_.data());
    tree_->restore(z_.data());
  }
  bool put_on_constraints(double t, VectorRef& q, const VectorRef& v) {
    const auto find_errors = [&] {
      tree_->place(q.data());
      tree_->locate();
      evaluate_rows(t, q, v, no_states_);
      loops_->rows.take_motions();
      loops_->rows.find_errors();
      return largest_size(loops_->rows.Phi(), loops_->rows.rows());
    };
    return project_positions(
        tolerance_, is_factorized_, find_errors,
        [&] {
          if (!tree_->factorize()) return fail(no_inertia_text) == Status::ok;
          loops_->rows.find_jacobian();
          return factorize();
        },
        [&] {
          find_displacement(loops_->rows.Phi());
          system_.coordinates().advance(q, z_);
        },
        failure_);
  }
  bool project_rates(double t, const VectorRef& q, VectorRef& v) {
    tree_->move(q.data(), v.data(), rates_.data());
    if (!tree_->factorize()) {
      failure_ = no_inertia_text;
      return false;
    }
    const auto find_rates = [&] {
      tree_->locate();
      evaluate_rows(t, q, v, no_states_);
      loops_->rows.take_motions();
      loops_->rows.find_rates();
      return largest_size(loops_->rows.Phi_dot(), loops_->rows.rows());
    };
    const double error = find_rates();
    loops_->rows.find_jacobian();
    loops_->rows.delassus().forget_choice();  // here, on the constraints, it can be made
    if (!factorize()) return false;
    return project_velocities(
        error, tolerance_ * std::max(1.0, v.template lpNorm<Eigen::Infinity>()), loops_->rows.delassus().is_proximal(),
        [&] {
          find_displacement(loops_->rows.Phi_dot());
          v += z_;
        },
        [&] {
          tree_->move(q.data(), v.data(), rates_.data());
          return find_rates();
        });
  }

  const bool projects_;
  std::unique_ptr<TreeDynamics> tree_;
  TreeTurns turns_;
  std::unique_ptr<Loops> loops_;  // null: an open tree
  Feedback feedback_;             // by rows of the loops
  int positions_, velocities_;
  bool has_elements_;
  bool moved_ = false;  // the tree and the elements are at (q_, v_)
  Vector q_, v_, rates_, z_;
  PreparedState prepared_;      // the tree and S are factorised at its positions
  bool is_factorized_ = false;  // near enough for a simplified Newton iteration
  Vector multipliers_, lambda_, step_, right_, answer_;
  const Vector no_states_ = Vector::Zero(system_.state_size());
  double tolerance_, power_ = 0, energy_ = 0;
  const bool fused_ = processor_has_fused();
};

}  // namespace

namespace engines {

DynamicsType tree() {
  return {.name = "tree",
          .description = "recursive as a recursion over a tree of the bodies, loops by multipliers through it",
          .equations = "it has the equations of 'recursive'",
          .misfit = [](const System& system, int) -> std::string {
            return system.coordinates().spanning_tree() ? "" : "the coordinates are not relative";
          },
          .describe =
              [](const System& system, const FormulationType&) {
                return "recursion over the tree, " + counted(system.model().bodies.size(), "body", "bodies");
              },
          .create = [](System& system, const DynamicsOptions& options) -> std::unique_ptr<Dynamics> {
            if (system.row_table().has_general_rows()) return std::make_unique<Tree<GeneralRows>>(system, options);
            if (system.model().planar()) return std::make_unique<Tree<JointLoops<2>>>(system, options);
            return std::make_unique<Tree<JointLoops<3>>>(system, options);
          }};
}

}  // namespace engines
}  // namespace bricard
