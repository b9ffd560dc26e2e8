#include "motions/graph_motion.h"

#include <cmath>

#include "dynamics/bodies/graph_dynamics.h"
#include "linear/simd/processor.h"
#include "motions/constraint_newton.h"
#include "motions/dependent_state.h"
#include "motions/prepared_state.h"

namespace bricard {
namespace {

template <int D>
class GraphMotion : public DependentState {
 public:
  using Space = graph::Space<D, double>;

  GraphMotion(System& system, const GraphMotionOptions& options)
      : DependentState(system, Matrices::none),
        options_(options),
        topology_(system),
        feedback_(options.feedback.in_order(topology_.system_row)),
        graph_(topology_, {&topology_}, {&system.model()}),
        prepared_(positions_ + velocities_),
        within_(options.within_steps ? positions_ + velocities_ + states_ + 1 : 0),
        step_(topology_.rows()),
        multipliers_(Vector::Zero(topology_.rows())),
        row_choice_(topology_.rows(), options.redundant),
        tolerance_(1e-13 * std::max(1.0, system.model().characteristic_length())),
        has_elements_(system.has_forces() || topology_.has_special),
        counts_turns_(D == 3 && system.has_angles()) {
    if (topology_.has_special) list_special_entries();
    topology_.geometry = {};  // graph_ has it
  }

  Status derivative(double t, ConstVector x, VectorRef xdot) override {
    if (!options_.within_steps) return derivative_at(t, x, xdot);
    within_ = x;
    if (correct(t, within_) == StepChange::failed) return Status::failed;
    return derivative_at(t, within_, xdot);
  }

  Status derivative_at(double t, const ConstVector& x, VectorRef& xdot) {
    return fused_ ? derivative_fused(t, x, xdot) : derivative_plain(t, x, xdot);
  }
  BRICARD_FUSED Status derivative_fused(double t, const ConstVector& x, VectorRef& xdot) {
    return derivative_plain(t, x, xdot);
  }
  inline Status derivative_plain(double t, const ConstVector& x, VectorRef& xdot) {
    const double *q = x.data(), *v = q + positions_;
    const bool prepared = prepared_.is(t, x);
    if (prepared) {
      graph_.begin_forces();
    } else {
      prepared_.forget();
      graph_.set_state(q, v);
    }
    if (has_elements_) {
      system_.evaluate_elements(t, x.head(positions_), x.segment(positions_, velocities_), eq_);
      for (const Load& load : system_.loads()) add_load(load);
    }
    if (prepared) {
      graph_.find_right_side();
      complete_right_side();
      solve_multipliers();
    } else {
      graph_.find_jacobian_and_right_side();
      if (topology_.has_special) write_special_jacobian();
      complete_right_side();
      if (!factorize_and_solve()) return Status::failed;
    }
    graph_.gather(multipliers_.data());

    double* const rates = xdot.data();
    const double power_now = has_elements_ ? power(t) : 0;
    rates[positions_ + velocities_] = power_now;
    const double sum = graph_.rates(q, v, rates, rates + positions_) + power_now;
    return std::isfinite(sum) ? Status::ok : fail_not_finite();
  }

  Status observe(double t, ConstVector x, VectorRef xdot) override {
    if (derivative(t, x, xdot) != Status::ok) return Status::failed;
    if (options_.redundant > 0 && !proximal_) find_least_multipliers();
    unpack(t, x, q_, v_);
    system_.evaluate(t, q_, v_, friction_states(x), Upto::dynamics, eq_);
    vdot_ = xdot.segment(positions_, velocities_);
    for (int row = 0; row < topology_.rows(); ++row) {
      if (topology_.system_row[row] >= 0) lambda_[topology_.system_row[row]] = multipliers_[row];
    }
    return Status::ok;
  }

  bool corrects_steps() const override { return options_.projection && topology_.rows() > 0; }
  StepChange correct_candidate(double t, VectorRef x) override { return correct(t, x); }
  StepChange correct(double t, VectorRef x) override {
    if (!corrects_steps() || prepared_.is(t, x)) return StepChange::none;
    prepared_.forget();
    double *q = x.data(), *v = q + positions_;
    graph_.set_velocities(v);
    if (!project_positions(t, x, q) || !project_velocities(t, x, v)) return StepChange::failed;
    prepared_.set(t, x);
    return StepChange::corrected;
  }
  StepChange after_step(double t, VectorRef x) override {
    const StepChange change = correct(t, x);
    if (change == StepChange::failed) return change;
    return accept(t, x) ? change : StepChange::failed;
  }

  bool accept(double t, ConstVector x) override {
    if (!prepared_.is(t, x)) {
      graph_.set_positions(x.data());
      graph_.set_velocities(x.data() + positions_);
      forget();
    }
    if (!corrects_steps()) row_choice_.forget();  // the drift is small against what tells them
    if (counts_turns_) {
      system_.evaluate_signals(t, x.head(positions_), x.segment(positions_, velocities_));
      if (!system_.turns_are_certain(t)) {
        failure_ = "a joint turns so fast that its turns cannot be counted";
        return false;
      }
      system_.accept(t);
    } else if (has_elements_) {
      system_.evaluate_elements(t, x.head(positions_), x.segment(positions_, velocities_), eq_);
    }
    energy_balance_ = graph_.energy() + (has_elements_ ? system_.stored_energy(t) : 0) - work(x);
    return true;
  }

  void forget_instant() override { forget(); }

  std::string take_care() override {
    if (proximal_ || topology_.rows() == 0) return {};
    proximal_ = true;
    forget();
    return "multipliers are found by proximal refinement";
  }

 private:
  /// A gradient of a special row: on which leg and row of it.
  struct SpecialEntry {
    int entry, leg, row;
  };

  /// The graph is somewhere else, or multipliers are to be found otherwise.
  void forget() {
    prepared_.forget();
    is_factorized_ = false;
  }

  // --- special rows and forces, which the system evaluates ---
  void list_special_entries() {
    std::vector<int> row_here(system_.row_count());
    for (int row = 0; row < topology_.rows(); ++row) {
      if (topology_.system_row[row] >= 0) row_here[topology_.system_row[row]] = row;
    }
    std::vector<int> group_of(topology_.rows());
    for (std::size_t g = 0; g < topology_.groups.size(); ++g) {
      const auto& group = topology_.groups[g];
      for (int r = 0; r < group.rows; ++r) group_of[group.start + r] = static_cast<int>(g);
    }
    const Rows& rows = system_.row_table();
    for (std::size_t e = 0; e < rows.entries.size(); ++e) {
      const int row = row_here[rows.entries[e].row], body = system_.markers().list[rows.entries[e].marker].body;
      const auto& group = topology_.groups[group_of[row]];
      if (!group.special || body == ground) continue;
      int leg = group.legs;
      while (topology_.legs[leg].body != body) ++leg;
      special_.push_back({static_cast<int>(e), leg, row - group.start});
    }
  }
  void take_special(const Vector& from, double* to) const {
    for (const auto& group : topology_.groups) {
      for (int row = group.start; group.special && row < group.start + group.rows; ++row)
        to[row] = from[topology_.system_row[row]];
    }
  }
  void write_special_jacobian() {
    for (const auto& group : topology_.groups) {
      for (int leg = group.legs; group.special && leg < group.legs_end; ++leg) graph_.clear_special(leg);
    }
    const Rows& rows = system_.row_table();
    for (const SpecialEntry& special : special_) {
      const int marker = rows.entries[special.entry].marker;
      const Vec3& gradient = rows.gradients[special.entry];
      const bool is_point = system_.markers().list[marker].kind == MarkerKind::point;
      graph_.add_special(special.leg, special.row, Space::vec(is_point ? gradient : Vec3(Vec3::Zero())),
                         angular_part(turning(marker, gradient)));
    }
  }
  void find_special_right_side() {
    for (const auto& group : topology_.groups) {
      if (!group.special) continue;
      graph_.find_special_right_side(group);
      for (int row = group.start; row < group.start + group.rows; ++row)
        graph_.right_side()[row] -= eq_.gamma[topology_.system_row[row]];
    }
  }
  /// The moment of a gradient or load on a marker about its body's centre.
  Vec3 turning(int marker, const Vec3& value) const {
    const Markers& markers = system_.markers();
    switch (markers.list[marker].kind) {
      case MarkerKind::point:
        return (markers.value[marker] - system_.coordinates().center(markers.list[marker].body)).cross(value);
      case MarkerKind::vector: return markers.value[marker].cross(value);
      default: return value;
    }
  }
  static typename Space::Ang angular_part(const Vec3& value) {
    if constexpr (D == 2) {
      return value.z();
    } else {
      return {value.x(), value.y(), value.z()};
    }
  }
  void add_load(const Load& load) {
    const Marker& marker = system_.markers().list[load.marker];
    if (marker.body == ground) return;
    const bool is_force = marker.kind == MarkerKind::point;
    graph_.add_force(marker.body, Space::vec(is_force ? load.value : Vec3(Vec3::Zero())),
                     angular_part(turning(load.marker, load.value)));
  }
  /// Of everything without a potential.
  double power(double t) const {
    double sum = system_.element_power(t);
    const Rows& rows = system_.row_table();
    for (const auto& group : topology_.groups) {
      for (int row = group.start; group.special && row < group.start + group.rows; ++row) {
        const int source = topology_.system_row[row];
        sum += multipliers_[row] * (rows.info[source].velocity_level ? eq_.Phi_dot : eq_.Phi_t)[source];
      }
    }
    // Of a velocity-level row only the part of its residual that is free of v counts.
    for (const SpecialEntry& special : special_) {
      const GradientEntry& entry = rows.entries[special.entry];
      if (!rows.info[entry.row].velocity_level) continue;
      const int row = topology_.groups[topology_.legs[special.leg].group].start + special.row;
      sum -= multipliers_[row] * rows.gradients[special.entry].dot(system_.markers().rate[entry.marker]);
    }
    return sum;
  }

  // --- multipliers ---
  bool factorize() {
    if (topology_.has_special) write_special_jacobian();
    is_factorized_ = true;
    if (proximal_) {
      factorize_proximal();
      return true;
    }
    return row_choice_.factorize(graph_) || fail_singular();
  }
  bool factorize_and_solve() {
    is_factorized_ = true;
    if (proximal_) {
      factorize_proximal();
      refine();
      return true;
    }
    if (!row_choice_.factorize(graph_, graph_.right_side(), multipliers_.data())) return fail_singular();
    graph_.backward(multipliers_.data());
    return true;
  }
  bool fail_singular() {
    failure_ = singular_text;
    return false;
  }
  void factorize_proximal() {
    graph_.assemble();
    graph_.factorize_shifted(proximal_mu);
  }
  void complete_right_side() {
    if (topology_.has_special) find_special_right_side();
    if (!feedback_.empty()) add_feedback();
  }
  void add_feedback() {
    graph_.find_errors();
    graph_.find_rates();
    if (topology_.has_special) {
      take_special(eq_.Phi, graph_.Phi());
      take_special(eq_.Phi_dot, graph_.Phi_dot());
    }
    for (int row = 0; row < topology_.rows(); ++row) {
      graph_.right_side()[row] +=
          feedback_.rate[row] * graph_.Phi_dot()[row] + feedback_.position[row] * graph_.Phi()[row];
    }
  }
  void solve_multipliers() {
    if (proximal_) return refine();
    multipliers_ = Eigen::Map<const Vector>(graph_.right_side(), topology_.rows());
    graph_.solve(multipliers_.data());
  }
  void refine() {
    right_ = Eigen::Map<const Vector>(graph_.right_side(), topology_.rows());
    product_.resize(topology_.rows());
    bricard::refine(
        multipliers_, right_, step_, product_, [this](double* y) { graph_.solve(y); },
        [this](const double* from, double* to) { graph_.multiply(from, to); });
  }
  /// Of redundant rows, for results.
  void find_least_multipliers() {
    factorize_proximal();
    refine();
    forget();
  }

  // --- projection: one factorisation serves all iterations, the state is near the constraints to begin with ---
  double position_error(double t, const VectorRef& x) {
    graph_.find_errors();
    if (topology_.has_special) {
      system_.evaluate_elements(t, x.head(positions_), x.segment(positions_, velocities_), eq_);
      take_special(eq_.Phi, graph_.Phi());
    }
    return largest_size(graph_.Phi(), topology_.rows());
  }
  double velocity_error(double t, const VectorRef& x) {
    if (topology_.has_special) {
      system_.evaluate_elements(t, x.head(positions_), x.segment(positions_, velocities_), eq_);
      take_special(eq_.Phi_dot, graph_.Phi_dot());
    }
    return largest_size(graph_.Phi_dot(), topology_.rows());
  }

  bool project_positions(double t, const VectorRef& x, double* q) {
    graph_.set_positions(q);
    const std::string failed = bricard::project_positions(
        tolerance_, is_factorized_, [&] { return position_error(t, x); },
        [&] {
          graph_.find_jacobian();
          return factorize() ? std::string() : failure_;
        },
        [&] {
          step_ = Eigen::Map<const Vector>(graph_.Phi(), topology_.rows());
          graph_.solve(step_.data());
          graph_.gather(step_.data());
          graph_.move_positions(q);
          graph_.set_positions(q);
        });
    if (!failed.empty()) failure_ = failed;
    return failed.empty();
  }

  bool project_velocities(double t, const VectorRef& x, double* v) {
    graph_.find_jacobian_and_rates();
    double error = velocity_error(t, x);
    row_choice_.forget();  // here, on the constraints, they can be told
    if (!factorize()) return false;
    const double enough =
        tolerance_ * std::max(1.0, x.segment(positions_, velocities_).template lpNorm<Eigen::Infinity>());
    // Rows are linear in velocities: where S is regular one solution is exact.
    const int most = proximal_ ? 20 : 1;
    for (int iteration = 0; iteration < most && error > enough; ++iteration) {
      step_ = Eigen::Map<const Vector>(graph_.Phi_dot(), topology_.rows());
      graph_.solve(step_.data());
      graph_.gather(step_.data());
      graph_.move(v);
      graph_.set_velocities(v);
      if (iteration + 1 == most) break;
      graph_.find_rates();
      const double next = velocity_error(t, x);
      const bool stalled = next > 0.5 * error;
      error = next;
      if (stalled) break;
    }
    return std::isfinite(error);
  }

  Status fail_not_finite() {
    const std::string name = system_.force_without_value();
    failure_ = name.empty() ? "the accelerations are not finite" : "force " + name + " is not a number";
    return Status::failed;
  }

  GraphMotionOptions options_;
  GraphTopology topology_;
  Feedback feedback_;  // by rows of the graph
  GraphDynamics<D, double> graph_;
  std::vector<SpecialEntry> special_;
  PreparedState prepared_;      // graph_ is there, S factorised
  bool is_factorized_ = false;  // near enough for a simplified Newton iteration
  Vector within_;
  Vector right_, step_, product_, multipliers_;
  RowChoice row_choice_;
  bool proximal_ = false;
  double tolerance_;
  const bool fused_ = processor_has_fused();
  bool has_elements_, counts_turns_;
};

}  // namespace

std::string graph_motion_misfit(const System& system, int redundant) {
  // Rows of positions may depend on rows of velocities, which correct no positions.
  const auto& rows = system.rows();
  if (redundant > 0 && std::any_of(rows.begin(), rows.end(), [](const RowInfo& row) { return row.velocity_level; }))
    return "redundant constraints are among those of velocities";
  if (!system.friction().empty()) return "there is friction in joints";
  return GraphTopology::misfit(system);
}

std::unique_ptr<MechanismMotion> create_graph_motion(System& system, const GraphMotionOptions& options) {
  if (system.model().planar()) return std::make_unique<GraphMotion<2>>(system, options);
  return std::make_unique<GraphMotion<3>>(system, options);
}

}  // namespace bricard
