#include "bricard/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "analyses/choice/choose_dynamics.h"
#include "analyses/run/budget.h"
#include "analyses/run/cpu_clock.h"
#include "analyses/run/crossing.h"
#include "analyses/run/discontinuities.h"
#include "analyses/run/divergence.h"
#include "analyses/run/own_units.h"
#include "analyses/run/prepare_run.h"
#include "analyses/run/recorder.h"
#include "analyses/run/singular_passages.h"
#include "analyses/run/stepped_run.h"
#include "analyses/run/work_quadrature.h"
#include "bricard/input_error.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "motions/create_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

class Run : public SteppedRun {
 public:
  Run(PreparedRun& prepared, Sink& sink, const SimulationOptions& options, const RunState* from)
      : system_(*prepared.system),
        method_(prepared.start.chosen.method),
        summary_(std::move(prepared.start)),
        generic_rank_(prepared.generic_rank),
        dynamics_were_free_(prepared.dynamics_were_free),
        sink_(sink),
        options_(options),
        diagnostics_(create_diagnostics(summary_.structure, generic_rank_, prepared.assembly)),
        recorder_(system_, find_reaction_scheme_type(method_.reactions)->scheme, method_.reaction_length,
                  diagnostics_.get(),
                  summary_.structure.rank == summary_.structure.constraints && summary_.notes.not_unique.empty()),
        assembly_(prepared.assembly),
        discontinuities_(system_, method_.duration, method_.output_step, method_.max_events),
        crossing_(system_, assembly_.q, assembly_.v),
        divergence_(system_, method_.tolerance, assembly_.q, assembly_.v) {
    check_rows(method_.duration, method_.output_step, recorder_.column_count(), method_.memory_limit);
    check_formulation();
    if (from) go_on_from(*from);
    discontinuities_.begin(time_, assembly_.q, assembly_.v);
    make_ladder();
    create_motion(assembly_.q, assembly_.v);
    summary_.dynamics = dynamics_text();
    create_integrator();
    x_.resize(motion_->size());
    xdot_.resize(motion_->size());
    at_.resize(motion_->size());
    for (Vector* vector : {&scales_, &earlier_, &later_, &slope_}) vector->resize(motion_->size());
    q_.resize(system_.position_size());
    v_.resize(system_.velocity_size());
    row_.resize(recorder_.column_count());
    sink_.describe({system_.model(), summary_.chosen, summary_.structure, summary_.notes});
    sink_.begin_unnamed([this] { return recorder_.columns(); });
    rows_wanted_ = sink_.wants_rows();
    const auto [first, last] = recorder_.reaction_columns();
    for (int k = first; k < last && rows_wanted_; ++k) reactions_wanted_ = reactions_wanted_ || sink_.wants_column(k);
  }

  bool begin() override {
    started_ = cpu_seconds();
    motion_->pack(time_, assembly_.q, assembly_.v, x_);
    if (from_) x_.tail(system_.state_size() + 1) << from_->friction, from_->work;
    motion_->renew(time_, x_);
    if (passages_) passages_->begin(time_, assembly_.q, assembly_.v);
    if (!from_) return is_going_ = record(0, x_) && start(0);
    if (!motion_->accept(time_, x_)) return is_going_ = fail(time_, motion_->failure());
    work_missed_ = motion_->energy_balance() - balance_;
    return is_going_ = start(time_);
  }

  double time() const override { return time_; }
  bool is_over() const override { return integrator_->time() >= times_.end; }
  bool step(double until) override { return is_going_ = attempt_step(until); }

  bool observe_row(Vector& row) override {
    if (!observe(time_, x_)) return is_going_ = false;
    recorder_.leave_out_reactions(false);
    recorder_.record(time_, system_, *motion_, motion_->friction_states(x_), row_);
    row = row_;
    return true;
  }
  std::vector<std::string> columns() const override { return recorder_.columns(); }

  RunState state() override {
    RunState state{.time = time_,
                   .bodies = {},
                   .turns = {},
                   .friction = motion_->friction_states(x_),
                   .work = motion_->work(x_),
                   .energy_start = energy_start_,
                   .potential_start = potential_start_,
                   .balance = balance_,
                   .next_row = next_row_,
                   .summary = summary_};
    if (motion_->unpack(time_, x_, q_, v_) != Status::ok) throw std::runtime_error(motion_->failure());
    system_.evaluate_signals(time_, q_, v_);
    motion_->forget_instant();  // the system was evaluated behind its back
    system_.body_states(state.bodies);
    for (std::size_t j = 0; j < system_.joint_coordinates().size(); ++j) {
      const std::vector<int>& signals = system_.joint_coordinates()[j];
      for (std::size_t k = 0; k < signals.size(); ++k) {
        const Jet& now = system_.signals()[signals[k]];
        state.turns.push_back({static_cast<int>(j), static_cast<int>(k), now.value, now.rate});
      }
    }
    count_integrator(state.summary);
    state.summary.evaluations += output_evaluations_;
    return state;
  }

  Summary finish() override {
    summary_.completed = is_going_ && is_over();
    if (is_going_ && !summary_.completed) interrupt(time_);
    if (!summary_.completed) keep_reached();
    summary_.cpu_seconds += cpu_seconds() - started_;
    sink_.end();
    count_integrator(summary_);
    summary_.evaluations += output_evaluations_;
    if (passages_) {
      const std::vector<std::string> found = passages_->messages();
      summary_.messages.insert(summary_.messages.end(), found.begin(), found.end());
    }
    if (const std::string report = motion_->report(); !report.empty()) summary_.messages.push_back(report);
    summary_.columns = recorder_.columns();
    return std::move(summary_);
  }

 private:
  void go_on_from(const RunState& from) {
    from_ = &from;
    time_ = from.time, next_row_ = from.next_row;
    energy_start_ = from.energy_start, potential_start_ = from.potential_start, balance_ = from.balance;
  }

  std::unique_ptr<RunDiagnostics> create_diagnostics(const Structure& structure, int generic_rank,
                                                     const Assembly& assembly) {
    if (!*method_.diagnostics) return nullptr;
    check_dense({.what = fmt::format("diagnostics of {} coordinates and {} constraints at every output",
                                     structure.coordinates, structure.constraints),
                 .seconds_per_cube = structure.constraints > 0 ? 5e-9 : 1e-9,
                 .matrices = 8,
                 .size = static_cast<double>(structure.coordinates),
                 .times = method_.duration / method_.output_step + 1,
                 .usual_time_limit = 600},
                method_.time_limit, method_.memory_limit);
    auto diagnostics =
        std::make_unique<RunDiagnostics>(system_, assembly.q, assembly.v, generic_rank, structure.mass_is_singular);
    constexpr int largest_at_steps = 150;
    if (structure.constraints > 0 && structure.constraints <= largest_at_steps)
      passages_ = std::make_unique<SingularPassages>(system_, *diagnostics);
    return diagnostics;
  }

  /// Dense formulations take cubic time at every evaluation, of which the shortest run has some hundreds.
  void check_formulation() const {
    const FormulationType& formulation = *find_formulation_type(method_.formulation);
    if (!std::string_view(formulation.traits.cost).starts_with("cubic")) return;
    const int n = system_.velocity_size();
    check_dense({.what = fmt::format("a run of {} coordinates by {}", n, formulation.name),
                 .seconds_per_cube = 5e-9,
                 .matrices = 8,
                 .size = static_cast<double>(n),
                 .times = 500,
                 .usual_time_limit = 3600},
                method_.time_limit, method_.memory_limit);
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

  void count_integrator(Summary& summary) const {
    const IntegratorCounts counts = integrator_->counts();
    summary.steps += counts.steps;
    summary.rejected += counts.rejected;
    summary.restarts += counts.restarts;
    summary.evaluations += counts.evaluations;
    summary.newton_iterations += counts.newton_iterations;
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

  FormulationOptions formulation_options(const FormulationType& formulation) {
    FormulationOptions options;
    options.pseudoinverse = method_.pseudoinverse;
    options.threshold = rank_threshold(formulation);
    options.reuse = method_.reuse;
    options.selection = method_.selection;
    options.penalty = method_.penalty, options.penalty_is_relative = method_.penalty_kind == "relative";
    options.omega = method_.omega, options.mu = method_.mu;
    options.iterations = static_cast<int>(method_.iterations);
    options.iteration_tolerance = method_.iteration_tolerance;
    options.typical_inertia = typical_inertia(system_);
    for (const RowInfo& row : system_.rows()) options.velocity_rows.push_back(row.velocity_level);
    options.redundant = summary_.structure.constraints - generic_rank_;  // not those of a singular start
    return options;
  }

  /// Below what a formulation can decide ranks by, the threshold that was asked for is raised.
  double rank_threshold(const FormulationType& formulation) {
    const double smallest = formulation.traits.smallest_rank_threshold;
    if (!rescues_ || method_.threshold >= smallest) return method_.threshold;
    if (!motion_) {  // the first time
      note_rescue(0,
                  fmt::format("the rank threshold {:g} is raised to {:g}: {} cannot tell smaller pivots from rounding",
                              method_.threshold, smallest, formulation.name));
    }
    return smallest;
  }

  std::unique_ptr<Stabilization> create_stabilization() {
    return find_stabilization_type(method_.stabilization)
        ->create(system_, {.alpha = method_.alpha,
                           .beta = method_.beta,
                           .selection = method_.selection,
                           .threshold = method_.threshold});
  }

  void make_ladder() {
    const Structure& structure = summary_.structure;
    ladder_ = ladder_of({.setting = {.system = system_,
                                     .formulation = *find_formulation_type(method_.formulation),
                                     .stabilization = *find_stabilization_type(method_.stabilization),
                                     .integrator = *find_integrator_type(method_.integrator),
                                     .method = method_,
                                     .redundant = structure.constraints - generic_rank_},
                         .engine = find_dynamics_type(method_.dynamics),
                         .redundant_at_start = structure.rank < structure.constraints,
                         .singular_start = structure.rank < generic_rank_,
                         .engine_is_free = dynamics_were_free_,
                         .formulation_is_free = summary_.chosen.formulation_was_free});
  }

  /// On the present rung, from (q, v) on.
  void create_motion(const Vector& q, const Vector& v) {
    const Rung& rung = ladder_[rung_];
    motion_ = bricard::create_motion({.system = system_,
                                      .formulation = *rung.formulation,
                                      .options = formulation_options(*rung.formulation),
                                      .stabilization = create_stabilization(),
                                      .q = q,
                                      .v = v,
                                      .dynamics = *rung.dynamics,
                                      .proximal = rung.proximal,
                                      .within_steps = rung.within_steps,
                                      .by_pseudoinverse = rung.by_pseudoinverse});
    if (!motion_) throw InputError("no independent coordinates can be chosen at the start: is it a singular position?");
  }

  /// What computes accelerations from now on.
  std::string dynamics_text() const {
    return describe(*ladder_[rung_].dynamics, system_, *ladder_[rung_].formulation,
                    *find_integrator_type(method_.integrator));
  }

  void note_rescue(double t, std::string what) { summary_.rescues.push_back({t, std::move(what)}); }

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

  enum class Retry {
    none,     // nothing is left to try; the step is as it was
    started,  // again, from there or further back
    failed,   // there is no motion to go on with
  };

  bool attempt_step(double until) {
    const double end = times_.end;
    const long last = times_.last();
    const double before = integrator_->time();
    if (budget_.is_due() && !is_within_budget(before)) return false;
    const double limit = std::min({take_off_ > before ? take_off_ : end, discontinuities_.limit(before), until, end});
    const bool stepped = integrator_->step(limit) == Status::ok;
    const double t = integrator_->time();
    // First: beyond a switch the law that was held is not the one that the energy is of.
    if (stepped && discontinuities_.watches_states()) {
      const Retry retry = find_switching({x_, before, t - before, balance_, summary_.energy_drift}, t);
      if (retry == Retry::started) return true;
      if (retry == Retry::failed) return false;
    }
    if (stepped) check_work(before, t);
    if (stepped && jumped()) check_work(before, t, true);
    // The limit cuts a step short, which says nothing by itself.
    const bool examined = !stepped || (crossing_.is_short(t - before) && (t < limit || jumped()));
    const bool near = adaptive_ && examined && is_near_singular_position();
    const bool collapsed =
        near && t < limit && !motion_->keeps_branch_in_short_steps() && crossing_.is_collapsed(t - before);
    if (!stepped || collapsed || jumped()) {
      const Retry retry = retry_step({x_, before, t - before, balance_, summary_.energy_drift}, t, near,
                                     !stepped    ? "a step failed"
                                     : collapsed ? "the steps collapsed"
                                                 : jump_text());
      if (retry == Retry::started) return true;
      if (retry == Retry::failed) return false;
      if (!stepped) return integrator_failed();
      if (collapsed)
        return fail(t,
                    "the steps collapse near a singular position, where branches of the motion cross "
                    "and cannot be distinguished; try another tolerance or integrator");
      return fail(t, jump_text() + (is_near_singular_position() ? " near a singular position" : "") +
                         ", far more than its tolerance allows");
    }
    if (!is_bounded(t)) return false;
    const bool is_event = t < end && discontinuities_.is_due(t);
    const double balance_before = balance_, drift_before = summary_.energy_drift;
    balance_ = balance();
    double defect_at = before;
    // A law of states is watched at every row.
    const bool every_row = rows_wanted_ || discontinuities_.has_laws_of_states();
    for (; next_row_ <= last && times_[next_row_] <= t && !(is_event && times_[next_row_] == t); ++next_row_) {
      // Of rows that nobody reads only the last is made; for the figures of the summary, ends of steps do as well.
      const bool read = every_row || next_row_ == last;
      if (!read && times_[next_row_ + 1] <= t) continue;
      const double at = read ? times_[next_row_] : t;
      if (at == t) {
        at_ = integrator_->state();
      } else if (integrator_->interpolate(at, at_) != Status::ok) {
        return integrator_failed();
      }
      motion_->correct(at, at_);
      if (!observe(at, at_)) return false;
      if (at < t && is_defective(before, at, t)) {
        defect_at = at;
        break;
      }
      if (!record_observed(at, at_, next_row_ == last)) return false;
    }
    if (defect_at > before) {
      balance_ = balance_before;
      discontinuities_.slow_down(before, defect_at);
      return begin_at({x_, before, t - before, balance_before, drift_before});
    }
    summary_.time = t;
    summary_.energy_drift = std::max(summary_.energy_drift, std::abs(balance_ - energy_start_));
    crossing_.keep(x_, {{}, before, t - before, balance_before, drift_before}, near);
    x_ = integrator_->state(), time_ = t;
    look_for_passages(t);
    const bool passed = ease_ > 1 && t < end && t > crossing_.attempted_until();
    if (passed) change_ease(1);
    if (is_event && !pass_event(t)) return false;
    const bool renewed = t < end && motion_->renew(t, x_);
    if (renewed) ++summary_.renewals, crossing_.forget_places();
    if ((renewed || passed || is_event) && !start(t)) return false;
    // A row at the time of an event has the values after it.
    if (is_event && next_row_ <= last && times_[next_row_] == t && !record(times_[next_row_++], x_)) return false;
    if (options_.progress) options_.progress(t / end);
    if (options_.interrupted && t < end && options_.interrupted()) return interrupt(t);
    return true;
  }

  bool is_within_budget(double t) {
    const IntegratorCounts counts = integrator_->counts();
    const long steps = summary_.steps + summary_.rejected + counts.steps + counts.rejected;
    const std::string reason = budget_.spent(steps, t);
    return reason.empty() || fail(t, reason + (budget_.is_stalled() ? fastest_body(t) : ""));
  }

  /// "; body a turns at 3e8 rad/s": what grows.
  std::string fastest_body(double t) {
    if (motion_->unpack(t, x_, q_, v_) != Status::ok) return {};
    system_.evaluate_signals(t, q_, v_);
    std::vector<BodyState> bodies;
    system_.body_states(bodies);
    const double length = system_.model().characteristic_length();
    double fastest = 0;
    std::string words;
    const auto consider = [&](double speed, const std::string& text) {
      if (speed > fastest) fastest = speed, words = text;
    };
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const std::string& name = system_.model().bodies[b].name;
      consider(bodies[b].omega.norm() * length,
               fmt::format("; body {} turns at {:.2g} rad/s", name, bodies[b].omega.norm()));
      consider(bodies[b].velocity.norm(),
               fmt::format("; body {} moves at {:.2g} m/s", name, bodies[b].velocity.norm()));
    }
    return words;
  }

  // --- discontinuities ---

  /// A switch changes its branch within the step: the step is taken again, to end there.
  Retry find_switching(const Crossing::Place& here, double t) {
    const std::optional<double> found =
        discontinuities_.search(here.time, t, [this, &here, t](double at, Vector& q, Vector& v) {
          if (at == here.time) return motion_->unpack(at, here.x, q, v) == Status::ok;
          if (at == t) {
            at_ = integrator_->state();
          } else if (integrator_->interpolate(at, at_) != Status::ok) {
            return false;
          }
          return motion_->unpack(at, at_, q, v) == Status::ok;
        });
    if (!found) return Retry::none;
    if (!begin_at(here)) return Retry::failed;
    if (discontinuities_.is_due(here.time) && !(pass_event(here.time) && start(here.time))) return Retry::failed;
    return Retry::started;
  }

  /// The derivative that has been observed in the step from `start` to `end` is far from the interpolant's, further
  /// than that changes over the whole step: something happened that the step did not see.
  bool is_defective(double start, double at, double end) {
    if (!adaptive_ || !discontinuities_.has_laws_of_states()) return false;
    const double h = end - start;
    if (!(std::min(at - start, end - at) > 1e-6 * h) || !find_slope(start, at, end, slope_)) return false;
    motion_->error_scales(scales_);
    const auto largest = [this](const Vector& difference) {
      double most = 0;
      for (int k = 0; k < scales_.size(); ++k) {
        if (std::isfinite(scales_[k])) most = std::max(most, std::abs(difference[k]) / (scales_[k] + std::abs(at_[k])));
      }
      return most;
    };
    const double defect = largest(xdot_ - slope_);
    if (!(defect * h > std::sqrt(method_.tolerance))) return false;
    double change = 0;
    Vector other(slope_.size());
    for (double part : {0.02, 0.25, 0.5, 0.75, 0.98}) {
      if (!find_slope(start, start + part * h, end, other)) return false;
      change = std::max(change, largest(other - slope_));
    }
    return defect > 5 * change;
  }

  /// Of the interpolant.
  bool find_slope(double start, double at, double end, Vector& slope) {
    const double reach = std::min({1e-3 * (end - start), at - start, end - at});
    if (integrator_->interpolate(at - reach, earlier_) != Status::ok ||
        integrator_->interpolate(at + reach, later_) != Status::ok)
      return false;
    slope = (later_ - earlier_) / (2 * reach);
    return true;
  }

  /// Branches change at t, where x_ is the state.
  bool pass_event(double t) {
    if (motion_->unpack(t, x_, q_, v_) != Status::ok) return fail(t, motion_->failure());
    const Discontinuities::Change change = discontinuities_.change(t, q_, v_);
    if (!change.failure.empty()) return fail(t, change.failure);
    motion_->forget_instant();
    crossing_.forget_places();
    if (change.impulse) {
      const int kept = system_.state_size() + 1;  // of friction and work
      const Vector rest = x_.tail(kept);
      motion_->pack(t, q_, v_, x_);
      x_.tail(kept) = rest;
      x_[x_.size() - 1] += change.energy;
    }
    if (!motion_->accept(t, x_)) return fail(t, motion_->failure());
    balance_ = balance();
    return true;
  }

  // --- singular positions ---
  // Near one, the drift within a step (far below the tolerance elsewhere) can blow accelerations up: the step size
  // collapses, or a step is accepted that changes the energy by far more than its error allows. Then the run goes back
  // to where steps were still of ordinary length and comes again, so that its steps end elsewhere (see Crossing). If
  // that does not help it takes the next rung of its ladder, which costs more: see ladder_of().

  bool is_near_singular_position() {
    const Vector x = integrator_->state();
    return motion_->unpack(integrator_->time(), x, q_, v_) == Status::ok &&
           crossing_.is_near(integrator_->time(), q_, v_);
  }

  double jump() const { return std::abs(balance() - balance_); }
  std::string jump_text() const {
    return fmt::format("the energy balance jumped by {:.3g} J of {:.3g} J in one step", jump(), energy_size());
  }
  bool jumped() {
    const auto beyond = [this] {
      const double size = energy_size(), allowed = std::max(1e5 * method_.tolerance, 1e-6);
      return size > 0 && jump() > allowed * std::max(size, divergence_.least_energy());
    };
    if (!adaptive_ || !beyond()) return false;
    measure_energies();  // they are known from the rows alone
    return beyond();
  }

  // --- divergence ---
  bool is_bounded(double t) {
    const double gain = balance() - energy_start_;
    if (divergence_.of_energy(gain, energy_size()).empty()) return true;
    measure_energies();
    const std::string grown = divergence_.of_energy(gain, energy_size());
    return grown.empty() || fail(t, grown);
  }

  /// Kinetic and potential energy, and work, at the end of the last step.
  void measure_energies() {
    const double t = integrator_->time();
    at_ = integrator_->state();
    if (motion_->unpack(t, at_, q_, v_) != Status::ok) return;
    if (!vectors_) vectors_ = std::make_unique<Equations>(system_.empty_vectors());
    system_.evaluate(t, q_, v_, motion_->friction_states(at_), Upto::velocities, *vectors_);
    const double kinetic = system_.kinetic_energy(), potential = system_.potential_energy(t);
    for (const double energy : {kinetic, std::abs(potential - potential_start_), std::abs(motion_->work(at_))}) {
      if (std::isfinite(energy)) exchanged_ = std::max(exchanged_, energy);
    }
  }

  /// What energies of this model are of the size of: the weight over its length, or what it moved with so far.
  double energy_size() const { return std::max({weight_over_length_, summary_.energy_scale, exchanged_}); }

  /// After a step from `here` to t, which went wrong as `what` says. Every help is a rescue that the summary names.
  Retry retry_step(const Crossing::Place& here, double t, bool near, const std::string& what) {
    if (!rescues_) return Retry::none;
    const std::string wrong = what + (near ? " near a singular position" : "");
    Retry retry = Retry::none;
    if (near || jumped()) retry = come_again(here, t, wrong);
    if (retry == Retry::none) retry = take_next_rung(here, t, wrong);
    if (retry == Retry::none && near) retry = ease(here, t, wrong);
    return retry;
  }

  /// A formulation or an engine that was named stays: the ladder has no others.
  Retry take_next_rung(const Crossing::Place& here, double t, const std::string& wrong) {
    if (rung_ + 1 >= ladder_.size()) return Retry::none;
    system_.take_back();
    motion_->accept(here.time, here.x);  // counts turns that the next one cannot know
    if (motion_->unpack(here.time, here.x, q_, v_) != Status::ok) return Retry::none;
    const std::string before = dynamics_text();
    ++rung_;
    create_motion(q_, v_);
    if (const std::string now = dynamics_text(); now != before)
      summary_.dynamics += fmt::format("; from t = {:.6g} s {}", here.time, now);
    note_rescue(t, fmt::format("{}: from there on {}", wrong, ladder_[rung_].sentence));
    crossing_.forget_attempts();
    return come_again_or_stay(here, t);
  }

  /// The last resort: errors that rounding causes near the singular position exceed the tolerance.
  Retry ease(const Crossing::Place& here, double t, const std::string& wrong) {
    if (ease_ > 99) return Retry::none;
    change_ease(10 * ease_);
    note_rescue(t, fmt::format("{}: it is passed with a tolerance of {:.0e}, because errors near it exceed {:.0e}",
                               wrong, method_.tolerance * ease_, method_.tolerance));
    crossing_.forget_attempts();
    return come_again_or_stay(here, t);
  }

  void change_ease(double ease) {
    count_integrator(summary_);
    create_integrator(ease);
    ease_ = ease;
  }

  /// `wrong`: what did, for the summary; empty if it has been said.
  Retry come_again(const Crossing::Place& here, double t, const std::string& wrong) {
    const Crossing::Place* place = crossing_.next_attempt(t);
    if (!place) return Retry::none;
    if (!wrong.empty()) note_rescue(t, fmt::format("{}: the run was restarted from t = {:.6g} s", wrong, place->time));
    take_off_ = place->time + crossing_.take_off() * place->step;
    return begin_at(*place) || begin_at(here) ? Retry::started : Retry::failed;
  }

  /// With another motion or integrator, which have to start somewhere.
  Retry come_again_or_stay(const Crossing::Place& here, double t) {
    const Retry retry = come_again(here, t, {});
    if (retry != Retry::none) return retry;
    return begin_at(here) ? Retry::started : Retry::failed;
  }

  bool begin_at(const Crossing::Place& place) {
    x_ = place.x, time_ = place.time;
    balance_ = place.balance;
    summary_.energy_drift = place.drift;
    system_.take_back();  // the end of a step that went wrong must not count turns
    if (!motion_->accept(place.time, x_)) return fail(place.time, motion_->failure());
    work_missed_ = motion_->energy_balance() - balance_;
    if (!start(place.time)) return false;
    if (passages_ && motion_->unpack(place.time, x_, q_, v_) == Status::ok) passages_->rewind(place.time, q_, v_);
    summary_.failure.clear();  // of another place
    return true;
  }

  // --- energy ---

  /// Energy minus work: constant but for errors.
  double balance() const { return motion_->energy_balance() - work_missed_; }

  /// Where the step from `start` to `end` has upset the balance, the work may be wrong and not the motion: it is found
  /// again, from the power along the step. Where that was not to blame it is not tried again for a while.
  void check_work(double start, double end, bool at_once = false) {
    const double own = motion_->work(integrator_->state()) - motion_->work(x_), change = balance() - balance_;
    const double size = std::max(energy_size(), std::abs(own));
    const double allowed = ease_ * method_.tolerance * size * (0.1 + 50 * (end - start) / method_.duration);
    if (!adaptive_ || own == 0 || !(std::abs(change) > allowed)) return;
    if (steps_without_check_ > 0 && !at_once) {
      --steps_without_check_;
      return;
    }
    const std::optional<double> work = WorkQuadrature::work(
        start, end, 0.1 * allowed, [this](double t) { return power(t); },
        [&](double estimate) {
          const double blame = std::abs(estimate - own);
          return blame < 0.1 * std::abs(change) || std::abs(change - (estimate - own)) < allowed;
        });
    if (work && std::abs(change - (*work - own)) < 0.5 * std::abs(change)) {
      work_missed_ += *work - own;
      check_interval_ = 8;
    } else {
      steps_without_check_ = check_interval_;
      check_interval_ = std::min(4 * check_interval_, 1L << 20);
    }
  }

  /// Of everything without a potential, within the last step.
  std::optional<double> power(double t) {
    if (integrator_->interpolate(t, at_) != Status::ok) return std::nullopt;
    motion_->correct(t, at_);
    ++output_evaluations_;
    if (motion_->derivative(t, at_, xdot_) != Status::ok) return std::nullopt;
    return xdot_[xdot_.size() - 1];
  }

  bool observe(double t, const Vector& x) {
    ++output_evaluations_;
    return motion_->observe(t, x, xdot_) == Status::ok || fail(t, motion_->failure());
  }

  bool record(double t, const Vector& x, bool last = false) { return observe(t, x) && record_observed(t, x, last); }

  bool record_observed(double t, const Vector& x, bool last) {
    complete_ = last || reactions_wanted_;
    recorder_.leave_out_reactions(!complete_);
    recorder_.record(t, system_, *motion_, motion_->friction_states(x), row_);
    const auto bad = std::find_if(row_.begin(), row_.end(), [](double value) { return !std::isfinite(value); });
    if (bad != row_.end())
      return fail(t, fmt::format("column {} is not a finite number",
                                 recorder_.columns()[static_cast<std::size_t>(bad - row_.begin())]));
    if (const std::string grown =
            divergence_.of_constraints(motion_->equations().Phi, row_[recorder_.constraint_position()]);
        !grown.empty())
      return fail(t, grown);
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
  RunBudget budget_{method_, !adaptive_};
  int generic_rank_;  // of the constraints beside a singular start
  const bool dynamics_were_free_;
  Sink& sink_;
  const SimulationOptions& options_;
  std::unique_ptr<SingularPassages> passages_;
  std::unique_ptr<RunDiagnostics> diagnostics_;
  Recorder recorder_;
  const Assembly& assembly_;
  const bool rescues_ = method_.rescue == "on";
  std::vector<Rung> ladder_;
  std::size_t rung_ = 0;  // of motion_
  std::unique_ptr<MechanismMotion> motion_;
  std::unique_ptr<Integrator> integrator_;
  Vector x_, xdot_, at_, row_, scales_, earlier_, later_, slope_;
  const RunState* from_ = nullptr;  // where it began; null: at the start
  const RowTimes times_{method_.output_step, method_.duration};
  long next_row_ = 1;
  double started_ = 0;  // CPU time
  bool is_going_ = false;
  double time_ = 0;                                     // of x_
  bool rows_wanted_ = true, reactions_wanted_ = false;  // by the sink
  bool complete_ = true;                                // summary_.final has its reactions
  const double weight_over_length_ = weight_over_length(system_.model());
  double energy_start_ = 0, potential_start_ = 0, balance_ = 0;
  double exchanged_ = 0;  // energy, as far as steps were asked for it
  std::unique_ptr<Equations> vectors_;
  Discontinuities discontinuities_;
  double work_missed_ = 0;                             // by the integrator's own quadrature, J
  long steps_without_check_ = 0, check_interval_ = 8;  // see check_work()
  Crossing crossing_;
  Divergence divergence_;
  Vector q_, v_;
  double take_off_ = -1;  // end of the first step of a new attempt
  double ease_ = 1;       // factor of the tolerance near a singular position
  long output_evaluations_ = 0;
};

}  // namespace

std::unique_ptr<SteppedRun> create_run(PreparedRun& prepared, Sink& sink, const SimulationOptions& options,
                                       const RunState* from) {
  if (from) prepared.start = from->summary;
  return std::make_unique<Run>(prepared, sink, options, from);
}

Summary simulate(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                 const SimulationOptions& options) {
  if (const OwnUnits own(model, method); own.differ()) {
    SinkInSi to_si(sink, own, *model);
    Summary summary = own.translate_errors([&] { return simulate(own.model(), own.method(method), to_si, options); });
    own.to_si(summary);
    return summary;
  }
  PreparedRun prepared = prepare_run(model, method);
  Run run(prepared, sink, options, nullptr);
  for (bool going = run.begin(); going && !run.is_over();) going = run.step(std::numeric_limits<double>::infinity());
  return run.finish();
}

SimulationResult simulate(const std::shared_ptr<const Model>& model, const Method& method) {
  SimulationResult result;
  result.summary = simulate(model, method, result.data);
  return result;
}

}  // namespace bricard
