#include "motions/loop_motion.h"

#include <cmath>

#include "dynamics/tree/loop_turns.h"
#include "dynamics/tree/tree_loops.h"
#include "linear/simd/processor.h"
#include "motions/constraint_newton.h"
#include "motions/prepared_state.h"

namespace bricard {
namespace {

template <int D>
class LoopMotion : public TreeMotion {
 public:
  LoopMotion(System& system, std::unique_ptr<Formulation> formulation, std::unique_ptr<Stabilization> stabilization,
             int redundant, ConstVector q, ConstVector v)
      : TreeMotion(system, std::move(formulation), std::move(stabilization), q, v),
        topology_(system, *tree_),
        loops_(topology_, *tree_),
        loop_turns_(system, *tree_),
        row_choice_(loops_.rows(), redundant),
        projection_(TreeMotion::corrects_steps()),
        feedback_(feedback().in_order(loops_.topology().system_row)),
        needs_places_(!feedback_.empty() ||
                      std::any_of(topology_.topology.extras.begin(), topology_.topology.extras.end(),
                                  [](const auto& row) { return row.kind != GraphTopology::Kind::dot; })),
        tolerance_(1e-13 * std::max(1.0, system.model().characteristic_length())),
        z_(velocities_),
        prepared_(positions_ + velocities_),
        multipliers_(Vector::Zero(loops_.rows())),
        step_(loops_.rows()) {
    topology_.topology.geometry = {};  // the loops have it
  }

  Status derivative(double t, ConstVector x, VectorRef xdot) override {
    const bool prepared = prepared_.is(t, x);
    if (!prepared) prepared_.forget();
    move(t, x, xdot.data());
    const double* Q = nullptr;
    if (!find_forces(Q)) return Status::failed;
    if (prepared) {
      tree_->reduce_motion(Q, z_.data());
    } else if (!tree_->factorize(Q, z_.data())) {
      return no_inertia_here();
    }
    if (!(fused_ ? find_multipliers_fused(prepared) : find_multipliers(prepared))) return Status::failed;
    tree_->restore(z_.data());
    xdot.segment(positions_, velocities_) = z_;
    xdot[size() - 1] = has_forces_ ? system_.element_power(t) : 0;
    if (std::isfinite(z_.sum())) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  Status observe(double t, ConstVector x, VectorRef xdot) override {
    if (derivative(t, x, xdot) != Status::ok) return Status::failed;
    if (row_choice_.leaves_out() && !proximal_) find_least_multipliers();
    set_turns(t);
    system_.evaluate(t, q_, v_, friction_states(x), Upto::dynamics, eq_);
    vdot_ = xdot.segment(positions_, velocities_);
    const GraphTopology& topology = loops_.topology();
    for (int row = 0; row < topology.rows(); ++row) {
      if (topology.system_row[row] >= 0) lambda_[topology.system_row[row]] = multipliers_[row];
    }
    return Status::ok;
  }

  bool corrects_steps() const override { return projection_; }
  StepChange correct_candidate(double t, VectorRef x) override { return correct(t, x); }
  StepChange correct(double t, VectorRef x) override {
    if (!projection_ || prepared_.is(t, x)) return StepChange::none;
    prepared_.forget();
    moved_ = false;
    if (!put_on_constraints(x.head(positions_)) || !project_velocities(x)) return StepChange::failed;
    prepared_.set(t, x);
    return StepChange::corrected;
  }
  StepChange after_step(double t, VectorRef x) override {
    const StepChange change = correct(t, x);
    if (change == StepChange::failed) return change;
    return accept(t, x) ? change : StepChange::failed;
  }

  bool accept(double t, ConstVector x) override {
    if (!prepared_.is(t, x)) forget();
    if (!projection_) row_choice_.forget();  // the drift is small against what tells dependent rows
    if (!TreeMotion::accept(t, x)) return false;
    if (loop_turns_.count(t)) return true;
    failure_ = "a joint turns so fast that its turns cannot be counted";
    return false;
  }

  void forget_instant() override {
    forget();
    TreeMotion::forget_instant();
  }

  std::string take_care() override {
    if (proximal_) return {};
    proximal_ = true;
    forget();
    return "multipliers are found by proximal refinement";
  }
  ImplicitOperator* implicit_operator(double, ConstVector) override { return nullptr; }

 private:
  /// The tree is somewhere else, or loops are to be solved otherwise.
  void forget() {
    prepared_.forget();
    is_factorized_ = false;
  }
  Status no_inertia_here() {
    failure_ = q_.allFinite() && v_.allFinite() ? "a body of the tree can move in a direction without inertia"
                                                : "the state is not finite";
    return Status::failed;
  }

  // --- accelerations, after the tree's way inwards ---
  BRICARD_FUSED bool find_multipliers_fused(bool prepared) { return find_multipliers(prepared); }
  inline bool find_multipliers(bool prepared) {
    if (needs_places_) tree_->locate();
    loops_.take_motions();
    if (prepared) {
      loops_.find_right_side();
    } else {
      loops_.find_jacobian_and_right_side();
      if (!factorize()) return false;
    }
    double* const right = loops_.right_side();
    loops_.add_transposed(z_.data(), right);
    if (!feedback_.empty()) add_feedback(right);
    if (proximal_) {
      find_proximal_multipliers();
    } else {
      multipliers_ = Eigen::Map<const Vector>(right, loops_.rows());
      loops_.solve(multipliers_.data());
    }
    loops_.subtract(multipliers_.data(), z_.data());
    return true;
  }
  void add_feedback(double* right) {
    loops_.find_errors();
    loops_.find_rates();
    for (int row = 0; row < loops_.rows(); ++row)
      right[row] += feedback_.rate[row] * loops_.Phi_dot()[row] + feedback_.position[row] * loops_.Phi()[row];
  }
  void find_proximal_multipliers() {
    right_ = Eigen::Map<const Vector>(loops_.right_side(), loops_.rows());
    product_.resize(loops_.rows());
    refine(
        multipliers_, right_, step_, product_, [this](double* y) { loops_.solve(y); },
        [this](const double* from, double* to) { multiply(from, to); });
  }
  /// Of redundant rows, for results.
  void find_least_multipliers() {
    loops_.assemble();
    loops_.factorize_shifted(proximal_mu);
    find_proximal_multipliers();
    forget();
  }
  /// S for the tree's last factorisation.
  bool factorize() {
    is_factorized_ = true;
    if (proximal_) {
      loops_.assemble();
      loops_.factorize_shifted(proximal_mu);
    } else if (!row_choice_.factorize(loops_)) {
      failure_ = singular_text;
      return false;
    }
    return true;
  }
  /// y = S x = Z^T Z x
  void multiply(const double* x, double* y) {
    vdot_.setZero();
    loops_.subtract(x, vdot_.data());
    std::fill_n(y, loops_.rows(), 0.0);
    loops_.add_transposed(vdot_.data(), y);
    for (int row = 0; row < loops_.rows(); ++row) y[row] = -y[row];
  }

  // --- projection ---
  /// step := the displacement W^T Z S^-1 of row errors
  void find_displacement(const double* errors) {
    step_ = Eigen::Map<const Vector>(errors, loops_.rows());
    loops_.solve(step_.data());
    z_.setZero();
    loops_.subtract(step_.data(), z_.data());
    tree_->restore(z_.data());
  }
  bool put_on_constraints(VectorRef q) {
    const auto find_errors = [&] {
      tree_->place(q.data());
      tree_->locate();
      loops_.take_motions();
      loops_.find_errors();
      return largest_size(loops_.Phi(), loops_.rows());
    };
    const std::string failed = project_positions(
        tolerance_, is_factorized_, find_errors,
        [&] {
          if (!tree_->factorize()) return std::string("a body of the tree can move in a direction without inertia");
          loops_.find_jacobian();
          return factorize() ? std::string() : failure_;
        },
        [&] {
          find_displacement(loops_.Phi());
          system_.coordinates().advance(q, z_);
        });
    if (!failed.empty()) failure_ = failed;
    return failed.empty();
  }
  bool project_velocities(VectorRef x) {
    auto v = x.segment(positions_, velocities_);
    tree_->move(x.data(), v.data(), vdot_at_.data());
    if (!tree_->factorize()) return no_inertia_here() == Status::ok;
    const auto find_rates = [&] {
      tree_->locate();
      loops_.take_motions();
      loops_.find_rates();
      return largest_size(loops_.Phi_dot(), loops_.rows());
    };
    double error = find_rates();
    loops_.find_jacobian();
    row_choice_.forget();  // here, on the constraints, it can be made
    if (!factorize()) return false;
    const double enough = tolerance_ * std::max(1.0, v.template lpNorm<Eigen::Infinity>());
    // Rows are linear in velocities: where S is regular one solution is exact.
    const int most = proximal_ ? 20 : 1;
    for (int iteration = 0; iteration < most && error > enough; ++iteration) {
      find_displacement(loops_.Phi_dot());
      v += z_;
      if (iteration + 1 == most) break;
      tree_->move(x.data(), v.data(), vdot_at_.data());
      const double next = find_rates();
      const bool stalled = next > 0.5 * error;
      error = next;
      if (stalled) break;
    }
    return std::isfinite(error);
  }

  LoopTopology topology_;
  TreeLoops<D> loops_;
  LoopTurns loop_turns_;
  RowChoice row_choice_;
  bool projection_;
  Feedback feedback_;  // by rows of the loops
  bool needs_places_;  // feedback or accelerations of rows depend on places
  double tolerance_;
  Vector z_;
  PreparedState prepared_;      // the tree and S are factorised at its positions
  bool is_factorized_ = false;  // near enough for a simplified Newton iteration
  bool proximal_ = false;
  const bool fused_ = processor_has_fused();
  Vector multipliers_, step_;
  Vector right_, product_;               // of proximal refinement, when first needed
  Vector vdot_at_ = Vector(positions_);  // q', which nobody asks for
};

}  // namespace

std::string loop_motion_misfit(const System& system) {
  if (!dynamic_cast<const RelativeCoordinates*>(&system.coordinates())) return "the coordinates are not relative";
  if (system.row_count() == 0) return "there are no loops";
  if (!system.friction().empty()) return "there is friction in joints";
  const Rows& rows = system.row_table();
  if (!rows.combination.empty() || !rows.formula.empty() || !rows.rolling.empty() || !rows.knife_edge.empty())
    return "there are drives, gears or constraints that no joint has";
  return {};
}

std::unique_ptr<MechanismMotion> create_loop_motion(System& system, std::unique_ptr<Formulation> formulation,
                                                    std::unique_ptr<Stabilization> stabilization, int redundant,
                                                    ConstVector q, ConstVector v) {
  if (system.model().planar())
    return std::make_unique<LoopMotion<2>>(system, std::move(formulation), std::move(stabilization), redundant, q, v);
  return std::make_unique<LoopMotion<3>>(system, std::move(formulation), std::move(stabilization), redundant, q, v);
}

}  // namespace bricard
