#include "analyses/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analyses/cpu_clock.h"
#include "analyses/crossing.h"
#include "analyses/prepare_run.h"
#include "analyses/recorder.h"
#include "analyses/singular_passages.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/dependent_motion.h"
#include "stabilization/graph_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

class Run {
 public:
  Run(System& system, Summary start, int generic_rank, const Assembly& assembly, Sink& sink,
      const SimulationOptions& options)
      : system_(system),
        method_(start.chosen.method),
        summary_(std::move(start)),
        generic_rank_(generic_rank),
        sink_(sink),
        options_(options),
        diagnostics_(create_diagnostics(summary_.structure, generic_rank, assembly)),
        recorder_(system, find_reaction_scheme_type(method_.reactions)->scheme, method_.reaction_length,
                  diagnostics_.get(),
                  summary_.structure.rank == summary_.structure.constraints && summary_.notes.not_unique.empty()),
        assembly_(assembly),
        crossing_(system, assembly.q, assembly.v) {
    create_motion(summary_, assembly);
    create_integrator();
    x_.resize(motion_->size());
    xdot_.resize(motion_->size());
    at_.resize(motion_->size());
    q_.resize(system.position_size());
    v_.resize(system.velocity_size());
    row_.resize(recorder_.column_count());
    sink_.describe({system.model(), summary_.chosen, summary_.structure, summary_.notes});
    sink_.begin_unnamed([this] { return recorder_.columns(); });
    rows_wanted_ = sink_.wants_rows();
    const auto [first, last] = recorder_.reaction_columns();
    for (int k = first; k < last && rows_wanted_; ++k) reactions_wanted_ = reactions_wanted_ || sink_.wants_column(k);
  }

  Summary run(const Assembly& assembly) {
    const double started = cpu_seconds();
    motion_->pack(0, assembly.q, assembly.v, x_);
    motion_->renew(0, x_);
    if (passages_) passages_->begin(0, assembly.q, assembly.v);
    summary_.completed = record(0, x_) && start(0) && advance();
    if (!summary_.completed) keep_reached();
    summary_.cpu_seconds = cpu_seconds() - started;
    sink_.end();
    count_integrator();
    summary_.evaluations += output_evaluations_;
    if (eased_ > 0) {
      summary_.messages.push_back(fmt::format(
          "{} singular position{} passed with a tolerance of {:.0e}, because errors near them exceed {:.0e}", eased_,
          eased_ == 1 ? " was" : "s were", method_.tolerance * largest_ease_, method_.tolerance));
    }
    if (passages_) {
      const std::vector<std::string> found = passages_->messages();
      summary_.messages.insert(summary_.messages.end(), found.begin(), found.end());
    }
    if (const std::string report = motion_->report(); !report.empty()) summary_.messages.push_back(report);
    summary_.columns = recorder_.columns();
    return std::move(summary_);
  }

 private:
  std::unique_ptr<RunDiagnostics> create_diagnostics(const Structure& structure, int generic_rank,
                                                     const Assembly& assembly) {
    if (!*method_.diagnostics) return nullptr;
    constexpr int largest = 2000;  // dense and cubic
    if (structure.constraints > largest)
      throw InputError(
          fmt::format("diagnostics take singular values of the constraints at every output: {} rows are more than the "
                      "{} they can do",
                      structure.constraints, largest));
    auto diagnostics =
        std::make_unique<RunDiagnostics>(system_, assembly.q, assembly.v, generic_rank, structure.mass_is_singular);
    constexpr int largest_at_steps = 150;
    if (structure.constraints > 0 && structure.constraints <= largest_at_steps)
      passages_ = std::make_unique<SingularPassages>(system_, *diagnostics);
    return diagnostics;
  }

  /// Singular positions within the step that has just been taken.
  void look_for_passages(double t) {
    if (!passages_ || motion_->unpack(t, x_, q_, v_) != Status::ok) return;
    passages_->step(t, q_, v_, [this](double at, Vector& q, Vector& v) {
      if (integrator_->interpolate(at, at_) != Status::ok) return false;
      motion_->correct(at, at_);
      return motion_->unpack(at, at_, q, v) == Status::ok;
    });
  }

  void count_integrator() {
    const IntegratorCounts counts = integrator_->counts();
    summary_.steps += counts.steps;
    summary_.rejected += counts.rejected;
    summary_.restarts += counts.restarts;
    summary_.evaluations += counts.evaluations;
    summary_.newton_iterations += counts.newton_iterations;
  }

  /// `ease`: factor of the tolerance.
  void create_integrator(double ease = 1) {
    const IntegratorType& type = *find_integrator_type(method_.integrator);
    const IntegratorOptions options = {.tolerance = ease * method_.tolerance,
                                       .step = method_.step,
                                       .spectral_radius = method_.spectral_radius,
                                       .penalty = method_.penalty,
                                       .penalty_is_relative = method_.penalty_kind == "relative",
                                       .iterations = static_cast<int>(method_.iterations)};
    integrator_ = type.create_for ? type.create_for(system_, options) : type.create(options);
  }

  void create_motion(const Summary& start, const Assembly& assembly, bool with_graph = true) {
    const FormulationType& formulation = *find_formulation_type(method_.formulation);
    FormulationOptions options;
    options.pseudoinverse = method_.pseudoinverse;
    options.threshold = std::max(method_.threshold, formulation.traits.smallest_rank_threshold);
    options.reuse = method_.reuse;
    options.selection = method_.selection;
    options.penalty = method_.penalty, options.penalty_is_relative = method_.penalty_kind == "relative";
    options.omega = method_.omega, options.mu = method_.mu;
    options.iterations = static_cast<int>(method_.iterations);
    options.iteration_tolerance = method_.iteration_tolerance;
    options.typical_inertia = typical_inertia(system_);
    options.mass_solver = system_.coordinates().mass_solver();
    for (const RowInfo& row : system_.rows()) options.velocity_rows.push_back(row.velocity_level);
    options.redundant = start.structure.constraints - generic_rank_;  // not those of a singular start
    options.whole_matrices = !with_graph || find_integrator_type(method_.integrator)->implicit;
    StabilizationOptions stabilization;
    stabilization.alpha = method_.alpha, stabilization.beta = method_.beta;
    stabilization.selection = method_.selection, stabilization.threshold = method_.threshold;
    auto stabilizer = find_stabilization_type(method_.stabilization)->create(system_, stabilization);
    if (formulation.create_motion) {
      motion_ = formulation.create_motion(system_, options, std::move(stabilizer), assembly.q, assembly.v);
      has_graph_ = !options.whole_matrices && formulation.traits.tree_only && system_.row_count() > 0;
      if (motion_) return start_with_care(start);
      if (!formulation.create)
        throw InputError("no independent coordinates can be chosen at the start: is it a singular position?");
      stabilizer = find_stabilization_type(method_.stabilization)->create(system_, stabilization);
    }
    const std::optional<GraphStabilization> in_graph = stabilizer->in_graph();
    if (!options.whole_matrices && formulation.linear_time && in_graph &&
        graph_motion_misfit(system_, options.redundant).empty()) {
      motion_ = create_graph_motion(system_, {.projection = in_graph->projection,
                                              .alpha = in_graph->alpha,
                                              .beta = in_graph->beta,
                                              .redundant = options.redundant});
      has_graph_ = true;
      return start_with_care(start);
    }
    has_graph_ = false;
    // Off the constraints, redundant rows are independent by the amount of the drift: decide ranks on the constraints.
    auto motion = std::make_unique<DependentMotion>(
        system_, formulation.create(system_.empty_equations(), options), std::move(stabilizer),
        start.structure.rank < start.structure.constraints ? CorrectionTimes::steps_and_derivatives
                                                           : CorrectionTimes::steps,
        formulation.traits.mass_matrix ? Upto::dynamics : Upto::forces);
    // A choice of ours may be changed for the most robust formulation; dense, so not for large systems.
    constexpr int largest = 120;
    if (start.chosen.formulation_was_free && system_.velocity_size() + system_.row_count() <= largest) {
      motion->fall_back_on(find_formulation_type("lagrange-pseudoinverse")->create(system_.empty_equations(), options));
    }
    motion_ = std::move(motion);
  }

  /// In a singular position more rows depend on others than everywhere else, for which the rows left out are counted.
  void start_with_care(const Summary& start) {
    if (has_graph_ && start.structure.rank < generic_rank_) motion_->take_care();
  }

  bool fail(double t, const std::string& reason) {
    summary_.failure = fmt::format("The run stopped at t = {:.9g} s: {}.", t, reason);
    return false;
  }

  bool interrupt(double t) {
    summary_.interrupted = true;
    summary_.failure = fmt::format("The run was interrupted at t = {:.9g} s.", t);
    return false;
  }

  /// Of a run that stopped between two rows: the state that it had reached.
  void keep_reached() {
    if (summary_.outputs == 0 || (complete_ && !(time_ > summary_.final[0]))) return;
    double at = time_;
    at_ = x_;
    if (at < summary_.final[0]) {  // rows of a step that could not be finished
      at = summary_.final[0];
      if (integrator_->interpolate(at, at_) != Status::ok) return;
      motion_->correct(at, at_);
    }
    if (motion_->observe(at, at_, xdot_) != Status::ok) return;
    recorder_.leave_out_reactions(false);
    recorder_.record(at, system_, *motion_, motion_->friction_states(at_), row_);
    if (row_.allFinite()) summary_.final = row_;
  }

  bool integrator_failed() {
    summary_.failure = integrator_->failure();  // says when and where itself
    return false;
  }

  bool start(double t) { return integrator_->start(*motion_, t, x_) == Status::ok || integrator_failed(); }

  bool advance() {
    const RowTimes times{method_.output_step, method_.duration};
    const double end = times.end;
    const long last = times.last();
    long next = 1;
    while (integrator_->time() < end) {
      const double before = integrator_->time();
      const double limit = take_off_ > before ? std::min(take_off_, end) : end;
      const bool stepped = integrator_->step(limit) == Status::ok;
      const double t = integrator_->time();
      // The end cuts the last step short, which says nothing by itself.
      const bool examined = !stepped || (crossing_.is_short(t - before) && (t < end || jumped()));
      const bool near = adaptive_ && examined && is_near_singular_position();
      const bool collapsed =
          near && t < limit && !motion_->keeps_branch_in_short_steps() && crossing_.is_collapsed(t - before);
      if (!stepped || collapsed || jumped()) {
        const Retry retry = retry_step({x_, before, t - before, balance_, summary_.energy_drift}, t, near);
        if (retry == Retry::started) continue;
        if (retry == Retry::failed) return false;
        if (!stepped) return integrator_failed();
        if (collapsed)
          return fail(t,
                      "the steps collapse near a singular position, where branches of the motion cross "
                      "and cannot be told apart; try another tolerance or integrator");
        note_jump(t);
      }
      const double balance_before = balance_, drift_before = summary_.energy_drift;
      balance_ = motion_->energy_balance();
      for (; next <= last && times[next] <= t; ++next) {
        // Of rows that nobody reads only the last is made; for the figures of the summary, ends of steps do as well.
        const bool read = rows_wanted_ || next == last;
        if (!read && times[next + 1] <= t) continue;
        const double at = read ? times[next] : t;
        if (at == t) {
          at_ = integrator_->state();
        } else if (integrator_->interpolate(at, at_) != Status::ok) {
          return integrator_failed();
        }
        motion_->correct(at, at_);
        if (!record(at, at_, next == last)) return false;
      }
      summary_.time = t;
      summary_.energy_drift = std::max(summary_.energy_drift, std::abs(balance_ - energy_start_));
      crossing_.keep(x_, {{}, before, t - before, balance_before, drift_before}, near);
      x_ = integrator_->state(), time_ = t;
      look_for_passages(t);
      const bool passed = ease_ > 1 && t < end && t > crossing_.attempted_until();
      if (passed) ++eased_, change_ease(1);
      const bool renewed = t < end && motion_->renew(t, x_);
      if (renewed) ++summary_.renewals, crossing_.forget_places();
      if ((renewed || passed) && !start(t)) return false;
      if (options_.progress) options_.progress(t / end);
      if (options_.interrupted && t < end && options_.interrupted()) return interrupt(t);
    }
    return true;
  }

  // --- singular positions ---
  // Near one, the drift within a step (far below the tolerance elsewhere) can blow accelerations up: the step size
  // collapses, or a step is accepted that changes the energy by far more than its error allows. Then the run goes back
  // to where steps were still of ordinary length and comes again, so that its steps end elsewhere (see Crossing). If
  // that does not help it takes more care from there on, which costs more: see MechanismMotion::take_care().

  bool is_near_singular_position() {
    const Vector x = integrator_->state();
    return motion_->unpack(integrator_->time(), x, q_, v_) == Status::ok &&
           crossing_.is_near(integrator_->time(), q_, v_);
  }

  bool jumped() const {
    const double allowed = std::max(1e5 * method_.tolerance, 1e-6) * energy_size();
    return allowed > 0 && adaptive_ && std::abs(motion_->energy_balance() - balance_) > allowed;
  }

  /// What energies of this model are of the size of: the weight over its length, or what it moved with so far.
  double energy_size() const { return std::max(weight_over_length_, summary_.energy_scale); }
  static double weight_over_length(const Model& model) {
    double mass = 0;
    for (const Body& body : model.bodies) mass += body.mass;
    return mass * model.gravity.norm() * model.characteristic_length();
  }

  enum class Retry {
    none,     // nothing is left to try; the step is as it was
    started,  // again, from there or further back
    failed,   // there is no motion to go on with
  };

  /// After a step from `here` to t.
  Retry retry_step(const Crossing::Place& here, double t, bool near) {
    Retry retry = Retry::none;
    if (near || (jumped() && !jump_noted_)) retry = come_again(here, t);
    if (retry == Retry::none) retry = go_back_and_take_care(here, t, near);
    if (retry == Retry::none && near) retry = ease(here, t);
    return retry;
  }

  Retry go_back_and_take_care(const Crossing::Place& here, double t, bool near) {
    std::string care = motion_->take_care();
    if (care.empty() && has_graph_) {
      system_.take_back();
      motion_->accept(here.time, here.x);  // counts turns that the next one cannot know
      create_motion(summary_, assembly_, false);
      care = "accelerations are found by matrices of the whole system";
    }
    if (care.empty()) return Retry::none;
    summary_.messages.push_back(fmt::format("{} at t = {:.6g} s: from there on {}",
                                            near ? "near a singular position" : "a step went wrong", t, care));
    crossing_.forget_attempts();
    return come_again_or_stay(here, t);
  }

  /// The last resort: errors that rounding causes near the singular position exceed the tolerance.
  Retry ease(const Crossing::Place& here, double t) {
    if (ease_ > 99) return Retry::none;
    change_ease(10 * ease_);
    largest_ease_ = std::max(largest_ease_, ease_);
    crossing_.forget_attempts();
    return come_again_or_stay(here, t);
  }

  void change_ease(double ease) {
    count_integrator();
    create_integrator(ease);
    ease_ = ease;
  }

  Retry come_again(const Crossing::Place& here, double t) {
    const Crossing::Place* place = crossing_.next_attempt(t);
    if (!place) return Retry::none;
    take_off_ = place->time + crossing_.take_off() * place->step;
    return begin_at(*place) || begin_at(here) ? Retry::started : Retry::failed;
  }

  /// With another motion or integrator, which have to start somewhere.
  Retry come_again_or_stay(const Crossing::Place& here, double t) {
    const Retry retry = come_again(here, t);
    if (retry != Retry::none) return retry;
    return begin_at(here) ? Retry::started : Retry::failed;
  }

  bool begin_at(const Crossing::Place& place) {
    x_ = place.x, time_ = place.time;
    balance_ = place.balance;
    summary_.energy_drift = place.drift;
    system_.take_back();  // the end of a step that went wrong must not count turns
    if (!motion_->accept(place.time, x_)) return fail(place.time, motion_->failure());
    if (!start(place.time)) return false;
    if (passages_ && motion_->unpack(place.time, x_, q_, v_) == Status::ok) passages_->rewind(place.time, q_, v_);
    summary_.failure.clear();  // of another place
    return true;
  }

  void note_jump(double t) {
    if (jump_noted_) return;
    jump_noted_ = true;
    summary_.messages.push_back(
        fmt::format("the energy balance jumped by {:.3g} J at t = {:.6g} s: do not trust the motion after it",
                    std::abs(motion_->energy_balance() - balance_), t));
  }

  bool record(double t, const Vector& x, bool last = false) {
    ++output_evaluations_;
    if (motion_->observe(t, x, xdot_) != Status::ok) return fail(t, motion_->failure());
    complete_ = last || reactions_wanted_;
    recorder_.leave_out_reactions(!complete_);
    recorder_.record(t, system_, *motion_, motion_->friction_states(x), row_);
    const auto bad = std::find_if(row_.begin(), row_.end(), [](double value) { return !std::isfinite(value); });
    if (bad != row_.end())
      return fail(t, fmt::format("column {} is not a finite number",
                                 recorder_.columns()[static_cast<std::size_t>(bad - row_.begin())]));
    watch();
    if (rows_wanted_) sink_.row(row_);
    summary_.final = row_;
    ++summary_.outputs;
    return true;
  }

  void watch() {
    const double total = row_[recorder_.energy_total()], kinetic = row_[recorder_.energy_total() - 2];
    if (summary_.outputs == 0) energy_start_ = balance_ = total, potential_start_ = total - kinetic;
    summary_.energy_scale = std::max({summary_.energy_scale, kinetic, std::abs(total - kinetic - potential_start_)});
    summary_.constraint_position_max =
        std::max(summary_.constraint_position_max, row_[recorder_.constraint_position()]);
    summary_.constraint_velocity_max =
        std::max(summary_.constraint_velocity_max, row_[recorder_.constraint_velocity()]);
  }

  System& system_;
  const Method method_;
  const bool adaptive_ = !find_integrator_type(method_.integrator)->fixed_step;
  Summary summary_;
  int generic_rank_;  // of the constraints beside a singular start
  Sink& sink_;
  const SimulationOptions& options_;
  std::unique_ptr<SingularPassages> passages_;
  std::unique_ptr<RunDiagnostics> diagnostics_;
  Recorder recorder_;
  const Assembly& assembly_;
  bool has_graph_ = false;  // motion_ is a GraphMotion or LoopMotion, which do without matrices of the whole system
  std::unique_ptr<MechanismMotion> motion_;
  std::unique_ptr<Integrator> integrator_;
  Vector x_, xdot_, at_, row_;
  double time_ = 0;                                      // of x_
  bool rows_wanted_ = true, reactions_wanted_ = false;   // by the sink
  bool complete_ = true;                                 // summary_.final has its reactions
  const double weight_over_length_ = weight_over_length(system_.model());
  double energy_start_ = 0, potential_start_ = 0, balance_ = 0;
  Crossing crossing_;
  Vector q_, v_;
  double take_off_ = -1;                // end of the first step of a new attempt
  double ease_ = 1, largest_ease_ = 1;  // factor of the tolerance near a singular position
  int eased_ = 0;                       // singular positions that needed it
  bool jump_noted_ = false;
  long output_evaluations_ = 0;
};

}  // namespace

int MemorySink::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw std::out_of_range("no column " + name);
  return static_cast<int>(found - columns.begin());
}

Summary simulate(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                 const SimulationOptions& options) {
  PreparedRun prepared = prepare_run(model, method);
  return Run(*prepared.system, std::move(prepared.start), prepared.generic_rank, prepared.assembly, sink, options)
      .run(prepared.assembly);
}

SimulationResult simulate(const std::shared_ptr<const Model>& model, const Method& method) {
  SimulationResult result;
  result.summary = simulate(model, method, result.data);
  return result;
}

}  // namespace bricard
