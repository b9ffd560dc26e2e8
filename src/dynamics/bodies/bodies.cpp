// The engine `bodies`: bodies joined in a graph, in time linear in their number (BodyKernel): the equations of
// `lagrange` and `lagrange-proximal` for reference-point coordinates.
#include <algorithm>
#include <cmath>

#include "dynamics/bodies/body_elements.h"
#include "dynamics/bodies/body_kernel.h"
#include "dynamics/constraint_newton.h"
#include "dynamics/dynamics.h"
#include "dynamics/prepared_state.h"
#include "linear/simd/processor.h"
#include "model/counted.h"

namespace bricard {
namespace {

template <int D>
class Bodies : public Dynamics {
 public:
  using Space = graph::Space<D, double>;

  Bodies(System& system, const DynamicsOptions& options)
      : Dynamics(system, system.empty_vectors()),
        projects_(options.projects),
        graph_(system),
        feedback_(options.feedback.in_order(graph_.system_row)),
        kernel_(graph_, {&graph_}, {&system.model()}, options.redundant),
        positions_(system.position_size()),
        velocities_(system.velocity_size()),
        prepared_(positions_ + velocities_),
        step_(graph_.rows()),
        multipliers_(Vector::Zero(graph_.rows())),
        lambda_(Vector::Zero(system.row_count())),
        tolerance_(constraint_tolerance(system.model())),
        elements_(system, graph_),
        has_elements_(elements_.exist()),
        counts_turns_(D == 3 && system.has_angles()) {
    if (options.proximal) kernel_.delassus().make_proximal();
    graph_.geometry = {};  // kernel_ has it
  }

  // --- one evaluation, from top to bottom ---
  Status accelerate(const Instant& at, VectorRef qdot, VectorRef vdot) override {
    return fused_ ? accelerate_fused(at, qdot, vdot) : accelerate_plain(at, qdot, vdot);
  }
  BRICARD_FUSED Status accelerate_fused(const Instant& at, VectorRef& qdot, VectorRef& vdot) {
    return accelerate_plain(at, qdot, vdot);
  }
  inline Status accelerate_plain(const Instant& at, VectorRef& qdot, VectorRef& vdot) {
    const double *q = at.q.data(), *v = at.v.data();
    const bool prepared = prepared_.is(at.t, at.q, at.v);  // at the end of a projection, with its factors
    if (prepared) {
      kernel_.begin_forces();
    } else {
      prepared_.forget();
      kernel_.set_state(q, v);
    }
    if (has_elements_) add_elements(at);
    if (prepared) {
      kernel_.find_right_side();
      complete_right_side();
      kernel_.solve(kernel_.right_side(), multipliers_.data());
    } else {
      kernel_.find_jacobian_and_right_side();
      if (graph_.has_general_rows) write_general_jacobian();
      complete_right_side();
      is_factorized_ = true;
      if (!kernel_.factorize_and_solve(multipliers_.data())) return fail(singular_text);
    }
    kernel_.gather(multipliers_.data());
    power_ = has_elements_ ? find_power(at.t) : 0;
    const double sum = kernel_.rates(q, v, qdot.data(), vdot.data()) + power_;
    return std::isfinite(sum) ? Status::ok : fail_not_finite();
  }

  Status observe(const Instant& at, VectorRef qdot, VectorRef vdot) override {
    if (accelerate(at, qdot, vdot) != Status::ok) return Status::failed;
    if (kernel_.delassus().leaves_out() && !kernel_.delassus().is_proximal()) {
      if (!kernel_.solve_least_norm(multipliers_.data())) forget();
    }
    system_.evaluate(at.t, at.q, at.v, at.s, Upto::dynamics, eq_);
    return Status::ok;
  }

  Status solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) override {
    kernel_.take_forces(f.data());
    right_.resize(graph_.rows());
    answer_.resize(graph_.rows());
    kernel_.apply_gathered(right_.data());
    for (int row = 0; row < graph_.rows(); ++row) {
      if (graph_.system_row[row] >= 0) right_[row] -= g[graph_.system_row[row]];
    }
    kernel_.solve(right_.data(), answer_.data());
    kernel_.gather(answer_.data());
    kernel_.accelerations_of(f.data(), x.data());
    to_system(answer_, y);
    return x.allFinite() && y.allFinite() ? Status::ok : fail_not_finite();
  }

  const Vector& multipliers() override {
    to_system(multipliers_, lambda_);
    return lambda_;
  }
  using Dynamics::power;
  double power() const override { return power_; }

  StepChange project(double t, VectorRef q, VectorRef v) override {
    if (graph_.rows() == 0 || prepared_.is(t, q, v)) return StepChange::none;
    prepared_.forget();
    kernel_.set_velocities(v.data());
    if (!project_positions(t, q, v) || !project_velocities(t, q, v)) return StepChange::failed;
    prepared_.set(t, q, v);
    return StepChange::corrected;
  }

  bool accept(const Instant& at) override {
    if (!prepared_.is(at.t, at.q, at.v)) {
      kernel_.set_positions(at.q.data());
      kernel_.set_velocities(at.v.data());
      forget();
    }
    if (!projects_) kernel_.delassus().forget_choice();  // the drift is small against what tells them
    if (counts_turns_) {
      system_.evaluate_signals(at.t, at.q, at.v);
      if (!system_.turns_are_certain(at.t)) {
        failure_ = "a joint turns so fast that its turns cannot be counted";
        return false;
      }
      system_.accept(at.t);
    } else if (has_elements_) {
      system_.evaluate_elements(at.t, at.q, at.v, at.s, eq_);
    }
    energy_ = kernel_.energy() + (has_elements_ ? system_.stored_energy(at.t) : 0);
    return true;
  }
  double energy() const override { return energy_; }
  void set_feedback(const Feedback& feedback) override { feedback_.set_in_order(feedback, graph_.system_row); }

  void forget() override {
    prepared_.forget();
    is_factorized_ = false;
  }

 private:
  /// From the rows of the graph to the System's.
  template <class To>
  void to_system(const Vector& from, To&& to) const {
    for (int row = 0; row < graph_.rows(); ++row) {
      if (graph_.system_row[row] >= 0) to[graph_.system_row[row]] = from[row];
    }
  }

  // --- general rows and forces, which the system evaluates (BodyElements) ---
  void take_general_rows(const Vector& from, double* to) const {
    elements_.each_general_row([&](int row, int source) { to[row] = from[source]; });
  }
  void write_general_jacobian() {
    for (const auto& joint_block : graph_.joint_blocks) {
      for (int jacobian_block = joint_block.jacobian; joint_block.general && jacobian_block < joint_block.jacobian_end;
           ++jacobian_block)
        kernel_.clear_general(jacobian_block);
    }
    elements_.each_gradient([this](std::size_t k, const auto& force, const auto& moment) {
      const auto& general = elements_.general_entries()[k];
      kernel_.add_general(general.jacobian_block, general.row, force, moment);
    });
  }
  void find_general_right_side() {
    for (const auto& joint_block : graph_.joint_blocks) {
      if (!joint_block.general) continue;
      kernel_.find_general_right_side(joint_block);
      for (int row = joint_block.start; row < joint_block.start + joint_block.rows; ++row)
        kernel_.right_side()[row] -= eq_.gamma[graph_.system_row[row]];
    }
  }
  void add_elements(const Instant& at) {
    system_.evaluate_elements(at.t, at.q, at.v, at.s, eq_);
    elements_.each_load(
        [this](int body, const auto& force, const auto& moment) { kernel_.add_force(body, force, moment); });
    if (system_.friction_depends_on_load()) eq_.Q.setZero();  // FrictionSolver adds to it
  }
  /// Of everything without a potential.
  double find_power(double t) const {
    return elements_.power(t, eq_, [this](int row) { return multipliers_[row]; });
  }

  void complete_right_side() {
    if (graph_.has_general_rows) find_general_right_side();
    if (!feedback_.empty()) add_feedback();
  }
  void add_feedback() {
    kernel_.find_errors();
    kernel_.find_rates();
    if (graph_.has_general_rows) {
      take_general_rows(eq_.Phi, kernel_.Phi());
      take_general_rows(eq_.Phi_dot, kernel_.Phi_dot());
    }
    for (int row = 0; row < graph_.rows(); ++row) {
      kernel_.right_side()[row] +=
          feedback_.rate[row] * kernel_.Phi_dot()[row] + feedback_.position[row] * kernel_.Phi()[row];
    }
  }

  // --- projection: one factorisation serves all iterations, the state is near the constraints to begin with ---
  bool factorize() {
    if (graph_.has_general_rows) write_general_jacobian();
    is_factorized_ = true;
    return kernel_.factorize() || fail(singular_text) == Status::ok;
  }
  double position_error(double t, const VectorRef& q, const VectorRef& v) {
    kernel_.find_errors();
    if (graph_.has_general_rows) {
      system_.evaluate_elements(t, q, v, no_states_, eq_);
      take_general_rows(eq_.Phi, kernel_.Phi());
    }
    return largest_size(kernel_.Phi(), graph_.rows());
  }
  double velocity_error(double t, const VectorRef& q, const VectorRef& v) {
    if (graph_.has_general_rows) {
      system_.evaluate_elements(t, q, v, no_states_, eq_);
      take_general_rows(eq_.Phi_dot, kernel_.Phi_dot());
    }
    return largest_size(kernel_.Phi_dot(), graph_.rows());
  }
  void gather_step(const double* errors) {
    std::copy_n(errors, graph_.rows(), step_.data());
    kernel_.delassus().step(step_.data());
    kernel_.gather(step_.data());
  }

  bool project_positions(double t, VectorRef& q, const VectorRef& v) {
    kernel_.set_positions(q.data());
    return bricard::project_positions(
        tolerance_, is_factorized_, [&] { return position_error(t, q, v); },
        [&] {
          kernel_.find_jacobian();
          return factorize();
        },
        [&] {
          gather_step(kernel_.Phi());
          kernel_.move_positions(q.data());
          kernel_.set_positions(q.data());
        },
        failure_);
  }
  bool project_velocities(double t, const VectorRef& q, VectorRef& v) {
    kernel_.find_jacobian_and_rates();
    const double error = velocity_error(t, q, v);
    kernel_.delassus().forget_choice();  // here, on the constraints, it can be made
    if (!factorize()) return false;
    return bricard::project_velocities(
        error, tolerance_ * std::max(1.0, v.template lpNorm<Eigen::Infinity>()), kernel_.delassus().is_proximal(),
        [&] {
          gather_step(kernel_.Phi_dot());
          kernel_.move(v.data());
          kernel_.set_velocities(v.data());
        },
        [&] {
          kernel_.find_rates();
          return velocity_error(t, q, v);
        });
  }

  const bool projects_;
  JointGraph graph_;
  Feedback feedback_;  // by rows of the graph
  BodyKernel<D, double> kernel_;
  int positions_, velocities_;
  PreparedState prepared_;      // kernel_ is there, S factorised
  bool is_factorized_ = false;  // near enough for a simplified Newton iteration
  Vector step_, multipliers_, lambda_, right_, answer_;
  const Vector no_states_ = Vector::Zero(system_.state_size());
  double tolerance_, power_ = 0, energy_ = 0;
  const bool fused_ = processor_has_fused();
  BodyElements<D> elements_;
  bool has_elements_, counts_turns_;
};

/// The rows of each joint or motion are a block, or more where they are many.
std::size_t count_blocks(const System& system) {
  std::size_t blocks = 0;
  int in_block = 0;
  const std::vector<RowInfo>& rows = system.rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool continues = row > 0 && rows[row].owner == rows[row - 1].owner &&
                           rows[row].index == rows[row - 1].index && in_block < BlockSchedule::most_rows;
    in_block = continues ? in_block + 1 : 1;
    blocks += !continues;
  }
  return blocks;
}

}  // namespace

namespace engines {

DynamicsType bodies() {
  return {.name = "bodies",
          .description =
              "lagrange and lagrange-proximal over the graph of the joints, block by block, in time linear in "
              "the bodies",
          .equations = "they have the equations of 'lagrange' and 'lagrange-proximal'",
          .misfit = [](const System& system, int redundant) -> std::string {
            // Rows of positions may depend on rows of velocities, which correct no positions.
            const auto& rows = system.rows();
            if (redundant > 0 &&
                std::any_of(rows.begin(), rows.end(), [](const RowInfo& row) { return row.velocity_level; }))
              return "redundant constraints are among those of velocities";
            return JointGraph::misfit(system);
          },
          .describe =
              [](const System& system, const FormulationType&) {
                return "bodies over the joint graph, " + counted(count_blocks(system), "block", "blocks");
              },
          .create = [](System& system, const DynamicsOptions& options) -> std::unique_ptr<Dynamics> {
            if (system.model().planar()) return std::make_unique<Bodies<2>>(system, options);
            return std::make_unique<Bodies<3>>(system, options);
          }};
}

}  // namespace engines
}  // namespace bricard
