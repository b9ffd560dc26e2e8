// A run is steps. What it does after each of them, and who decides:
//   a switch of a law lies within it: the step is taken again, to end there       Discontinuities
//   steps collapse or fail, or the energy jumps: restart, next rung, tolerance      SingularityRetry over LadderMotion
//   the energy grows beyond all bounds: the run stops                               EnergyBalance
//   rows are due: each is interpolated, corrected, observed and recorded            RowRecording
//   a row shows what no stage has seen: shorter steps, from the start of this one   DefectControl
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "analyses/run/budget.h"
#include "analyses/run/crossing.h"
#include "analyses/run/defect_control.h"
#include "analyses/run/discontinuities.h"
#include "analyses/run/divergence.h"
#include "analyses/run/energy_balance.h"
#include "analyses/run/energy_bounds.h"
#include "analyses/run/fastest_body.h"
#include "analyses/run/ladder_motion.h"
#include "analyses/run/output_times.h"
#include "analyses/run/row_recording.h"
#include "analyses/run/run_statistics.h"
#include "analyses/run/singular_passages.h"
#include "analyses/run/singularity_retry.h"
#include "analyses/run/stepped_run.h"

namespace bricard {
namespace {

using Place = Crossing::Place;

Discontinuities begun_at(System& system, const Method& method, double t, const Assembly& assembly) {
  Discontinuities discontinuities(system, method.duration, method.output_step, method.max_events);
  discontinuities.begin(t, assembly.q, assembly.v);
  return discontinuities;
}

class Run : public SteppedRun {
 public:
  Run(PreparedRun& prepared, Sink& sink, const SimulationOptions& options, const RunState* from)
      : system_(*prepared.system),
        method_(prepared.start.chosen.method),
        summary_(std::move(prepared.start)),
        assembly_(prepared.assembly),
        sink_(sink),
        options_(options),
        from_(from),
        time_(from ? from->time : 0),
        next_row_(from ? from->next_row : 1),
        diagnostics_(create_diagnostics(system_, summary_, prepared.generic_rank, assembly_)),
        passages_(diagnostics_ ? create_passages(system_, *diagnostics_) : nullptr),
        recorder_(system_, find_reaction_scheme_type(method_.reactions)->scheme, method_.reaction_length,
                  diagnostics_.get(),
                  summary_.structure.rank == summary_.structure.constraints && summary_.notes.not_unique.empty(),
                  method_.row_columns.value_or(false)),
        divergence_(system_, method_.tolerance, assembly_.q, assembly_.v),
        bounds_(system_.model(), method_, divergence_, summary_),
        rows_(system_, recorder_, sink, divergence_, bounds_, summary_),
        discontinuities_(begun_at(system_, method_, time_, assembly_)),
        steps_(prepared, method_, summary_),
        crossing_(system_, assembly_.q, assembly_.v),
        retry_(system_, method_, crossing_, steps_, summary_),
        balance_(system_, method_, steps_, bounds_, statistics_),
        x_(motion().size()),
        xdot_(motion().size()),
        at_(motion().size()),
        q_(system_.position_size()),
        v_(system_.velocity_size()) {
    if (from) bounds_.begin(from->energy_start, from->potential_start, from->balance);
    if (adaptive_ && discontinuities_.has_laws_of_states()) defect_.emplace(method_.tolerance, motion().size());
    rows_.begin();
  }

  bool begin() override {
    statistics_.begin();
    motion().pack(time_, assembly_.q, assembly_.v, x_);
    if (from_) x_.tail(system_.state_size() + 1) << from_->friction, from_->work;
    motion().renew(time_, x_);
    if (passages_) passages_->begin(time_, assembly_.q, assembly_.v);
    if (!from_) return is_going_ = record(0, x_) && start(0);
    if (!motion().accept(time_, x_)) return is_going_ = fail(time_, motion().failure());
    balance_.restart();
    return is_going_ = start(time_);
  }

  double time() const override { return time_; }
  bool is_over() const override { return steps_.integrator().time() >= times_.end(); }
  bool step(double until) override { return is_going_ = attempt_step(until); }

  bool observe_row(Vector& row) override {
    if (!observe(time_, x_)) return is_going_ = false;
    row = rows_.complete_row(time_, motion(), x_);
    return true;
  }
  std::vector<std::string> columns() const override { return recorder_.columns(); }

  RunState state() override {
    RunState state{.time = time_,
                   .bodies = {},
                   .turns = {},
                   .friction = motion().friction_states(x_),
                   .work = motion().work(x_),
                   .energy_start = bounds_.energy_start(),
                   .potential_start = bounds_.potential_start(),
                   .balance = bounds_.balance(),
                   .next_row = next_row_,
                   .summary = summary_};
    if (motion().unpack(time_, x_, q_, v_) != Status::ok) throw std::runtime_error(motion().failure());
    system_.evaluate_signals(time_, q_, v_);
    motion().forget_instant();  // the system was evaluated behind its back
    system_.body_states(state.bodies);
    for (std::size_t j = 0; j < system_.joint_coordinates().size(); ++j) {
      const std::vector<int>& signals = system_.joint_coordinates()[j];
      for (std::size_t k = 0; k < signals.size(); ++k) {
        const Jet& now = system_.signals()[signals[k]];
        state.turns.push_back({static_cast<int>(j), static_cast<int>(k), now.value, now.rate});
      }
    }
    statistics_.add_to(state.summary, integrator());
    return state;
  }

  Summary finish() override {
    summary_.completed = is_going_ && is_over();
    if (is_going_ && !summary_.completed) interrupt(time_);
    if (!summary_.completed) keep_reached();
    summary_.cpu_seconds += statistics_.seconds();
    sink_.end();
    statistics_.add_to(summary_, integrator());
    if (passages_) {
      const std::vector<std::string> found = passages_->messages();
      summary_.messages.insert(summary_.messages.end(), found.begin(), found.end());
    }
    if (const std::string report = motion().report(); !report.empty()) summary_.messages.push_back(report);
    summary_.columns = recorder_.columns();
    return std::move(summary_);
  }

 private:
  MechanismMotion& motion() { return steps_.motion(); }
  Integrator& integrator() { return steps_.integrator(); }

  bool fail(double t, const std::string& reason) {
    summary_.failure = fmt::format("The run stopped at t = {:.9g} s: {}.", t, reason);
    return false;
  }

  bool interrupt(double t) {
    summary_.interrupted = true;
    summary_.failure = fmt::format("The run was interrupted at t = {:.9g} s.", t);
    return false;
  }

  bool integrator_failed() {
    summary_.failure = integrator().failure();  // says when and where itself
    return false;
  }

  bool start(double t) { return integrator().start(motion(), t, x_) == Status::ok || integrator_failed(); }

  /// One step, and what it leads to. True: the run goes on, from its end or from further back.
  bool attempt_step(double until) {
    const double before = integrator().time();
    if (budget_.is_due() && !is_within_budget(before)) return false;
    const double first_end = retry_.first_step_end();
    const double limit =
        std::min({first_end > before ? first_end : times_.end(), discontinuities_.limit(before), until, times_.end()});
    const bool stepped = integrator().step(limit) == Status::ok;
    const double t = integrator().time();
    const Place here{{}, before, t - before, bounds_.balance(), summary_.energy_drift};  // of x_, which is copied late
    // First: beyond a switch the law that was held is not the one that the energy is of.
    if (stepped && discontinuities_.watches_states() && has_switched(before, t))
      return restart_at_switch(with_state(here));
    if (stepped) balance_.check_work(before, x_, t);
    if (stepped && balance_.has_jumped()) balance_.check_work(before, x_, t, true);
    // The limit cuts a step short, which says nothing by itself.
    const bool examined = !stepped || (crossing_.is_short(t - before) && (t < limit || balance_.has_jumped()));
    const bool near = adaptive_ && examined && is_near_singular_position();
    const bool collapsed =
        near && t < limit && !motion().keeps_branch_in_short_steps() && crossing_.is_collapsed(t - before);
    if (!stepped || collapsed || balance_.has_jumped()) return retry(with_state(here), t, near, stepped, collapsed);
    if (const std::string grown = balance_.growth(); !grown.empty()) return fail(t, grown);
    return take_step(here, t, near);
  }

  /// The step from `here` to t is taken: its rows, and what changes at its end.
  bool take_step(const Place& here, double t, bool near) {
    const bool is_event = t < times_.end() && discontinuities_.is_due(t);
    balance_.accept();
    std::optional<double> defect_at;
    if (!record_rows(here.time, t, is_event, defect_at)) return false;
    if (defect_at) {
      discontinuities_.slow_down(here.time, *defect_at);
      return begin_at(with_state(here));
    }
    summary_.time = t;
    bounds_.count_drift();
    crossing_.keep(x_, here, near);
    x_ = integrator().state(), time_ = t;
    look_for_passages(t);
    const bool passed = retry_.restore_tolerance(t);
    if (is_event && !pass_event(t)) return false;
    const bool renewed = t < times_.end() && motion().renew(t, x_);
    if (renewed) ++summary_.renewals, crossing_.forget_places();
    summary_.renewals += motion().take_changes();
    if ((renewed || passed || is_event) && !start(t)) return false;
    // A row at the time of an event has the values after it.
    if (is_event && next_row_ <= times_.last() && times_[next_row_] == t && !record(times_[next_row_++], x_))
      return false;
    if (options_.progress) options_.progress(t / times_.end());
    if (options_.interrupted && t < times_.end() && options_.interrupted()) return interrupt(t);
    return true;
  }

  Place with_state(const Place& here) const { return {x_, here.time, here.step, here.balance, here.drift}; }

  bool is_within_budget(double t) {
    std::string reason = budget_.spent(RunStatistics::steps(summary_, integrator()), t);
    if (reason.empty()) return true;
    if (budget_.is_stalled() && motion().unpack(t, x_, q_, v_) == Status::ok)
      reason += fastest_body(system_, t, q_, v_);
    return fail(t, reason);
  }

  // --- rows ---

  bool observe(double t, const Vector& x) {
    statistics_.count_evaluation();
    return motion().observe(t, x, xdot_) == Status::ok || fail(t, motion().failure());
  }

  bool record_observed(double t, const Vector& x, bool last) {
    const std::string wrong = rows_.record(t, motion(), x, last);
    return wrong.empty() || fail(t, wrong);
  }

  bool record(double t, const Vector& x) { return observe(t, x) && record_observed(t, x, false); }

  /// Rows within the step from `start` to t, but for one at an event; up to a defect if there is one.
  bool record_rows(double start, double t, bool is_event, std::optional<double>& defect_at) {
    const long last = times_.last();
    // A law of states is watched at every row.
    const bool every_row = rows_.rows_are_wanted() || discontinuities_.has_laws_of_states();
    for (; next_row_ <= last && times_[next_row_] <= t && !(is_event && times_[next_row_] == t); ++next_row_) {
      // Of rows that nobody reads only the last is made; for the figures of the summary, ends of steps do as well.
      const bool read = every_row || next_row_ == last;
      if (!read && times_[next_row_ + 1] <= t) continue;
      const double at = read ? times_[next_row_] : t;
      if (!find_state(at, t)) return integrator_failed();
      motion().correct(at, at_);
      if (!observe(at, at_)) return false;
      if (defect_ && at < t && defect_->is_defective(motion(), integrator(), start, at, t, at_, xdot_)) {
        defect_at = at;
        return true;
      }
      if (!record_observed(at, at_, next_row_ == last)) return false;
    }
    return true;
  }

  /// Puts the state at a time within the step that ended at t into at_.
  bool find_state(double at, double t) {
    if (at != t) return integrator().interpolate(at, at_) == Status::ok;
    at_ = integrator().state();
    return true;
  }

  /// Of a run that stopped between two rows: the state that it had reached.
  void keep_reached() {
    if (summary_.outputs == 0 || (rows_.is_complete() && !(time_ > summary_.final[0]))) return;
    double at = time_;
    at_ = x_;
    if (at < summary_.final[0]) {  // rows of a step that could not be finished
      at = summary_.final[0];
      if (integrator().interpolate(at, at_) != Status::ok) return;
      motion().correct(at, at_);
    }
    if (motion().observe(at, at_, xdot_) != Status::ok) return;
    if (const Vector& row = rows_.complete_row(at, motion(), at_); row.allFinite()) summary_.final = row;
  }

  // --- discontinuities ---

  /// A switch changes its branch within the step from `start` to t.
  bool has_switched(double start, double t) {
    return discontinuities_
        .search(start, t,
                [this, start, t](double at, Vector& q, Vector& v) {
                  if (at == start) return motion().unpack(at, x_, q, v) == Status::ok;
                  return find_state(at, t) && motion().unpack(at, at_, q, v) == Status::ok;
                })
        .has_value();
  }

  /// The step is taken again, to end where the switch changes.
  bool restart_at_switch(const Place& here) {
    if (!begin_at(here)) return false;
    return !discontinuities_.is_due(here.time) || (pass_event(here.time) && start(here.time));
  }

  /// Branches change at t, where x_ is the state.
  bool pass_event(double t) {
    if (motion().unpack(t, x_, q_, v_) != Status::ok) return fail(t, motion().failure());
    const Discontinuities::Change change = discontinuities_.change(t, q_, v_);
    if (!change.failure.empty()) return fail(t, change.failure);
    motion().forget_instant();
    crossing_.forget_places();
    if (change.impulse) {
      const int kept = system_.state_size() + 1;  // of friction and work
      const Vector rest = x_.tail(kept);
      motion().pack(t, q_, v_, x_);
      x_.tail(kept) = rest;
      x_[x_.size() - 1] += change.energy;
    }
    if (!motion().accept(t, x_)) return fail(t, motion().failure());
    balance_.accept();
    return true;
  }

  // --- singular positions ---

  bool is_near_singular_position() {
    const Vector x = integrator().state();
    return motion().unpack(integrator().time(), x, q_, v_) == Status::ok &&
           crossing_.is_near(integrator().time(), q_, v_);
  }

  /// Singular positions within the step that has just been taken.
  void look_for_passages(double t) {
    if (!passages_ || motion().unpack(t, x_, q_, v_) != Status::ok) return;
    passages_->step(t, q_, v_, [this](double at, Vector& q, Vector& v) {
      if (integrator().interpolate(at, at_) != Status::ok) return false;
      motion().correct(at, at_);
      return motion().unpack(at, at_, q, v) == Status::ok;
    });
  }

  /// After a step that went wrong.
  bool retry(const Place& here, double t, bool near, bool stepped, bool collapsed) {
    const std::string what = !stepped ? "a step failed" : collapsed ? "the steps collapsed" : balance_.jump_text();
    if (const Place* place = retry_.next(here, t, near, !near && balance_.has_jumped(), what))
      return begin_at(*place) || (place != &here && begin_at(here));
    if (!stepped) return integrator_failed();
    if (collapsed)
      return fail(t,
                  "the steps collapse near a singular position, where branches of the motion cross "
                  "and cannot be distinguished; try another tolerance or integrator");
    return fail(t, balance_.jump_text() + (is_near_singular_position() ? " near a singular position" : "") +
                       ", far more than its tolerance allows");
  }

  bool begin_at(const Place& place) {
    x_ = place.x, time_ = place.time;
    bounds_.set_balance(place.balance);
    summary_.energy_drift = place.drift;
    system_.take_back();  // the end of a step that went wrong must not count turns
    if (!motion().accept(place.time, x_)) return fail(place.time, motion().failure());
    balance_.restart();
    if (!start(place.time)) return false;
    if (passages_ && motion().unpack(place.time, x_, q_, v_) == Status::ok) passages_->rewind(place.time, q_, v_);
    summary_.failure.clear();  // of another place
    return true;
  }

  System& system_;
  const Method method_;
  Summary summary_;
  const Assembly& assembly_;
  Sink& sink_;
  const SimulationOptions& options_;
  const bool adaptive_ = !find_integrator_type(method_.integrator)->fixed_step;
  const OutputTimes times_{0, method_.duration, method_.output_step};
  const RunState* from_;  // where it began; null: at the start
  double time_;           // of x_
  long next_row_;
  bool is_going_ = false;
  RunBudget budget_{method_, !adaptive_};
  RunStatistics statistics_;
  std::unique_ptr<RunDiagnostics> diagnostics_;  // null: not wanted
  std::unique_ptr<SingularPassages> passages_;
  Recorder recorder_;
  Divergence divergence_;
  EnergyBounds bounds_;
  RowRecording rows_;
  Discontinuities discontinuities_;
  LadderMotion steps_;
  Crossing crossing_;
  SingularityRetry retry_;
  EnergyBalance balance_;
  std::optional<DefectControl> defect_;  // of runs with laws of states
  Vector x_, xdot_, at_, q_, v_;
};

}  // namespace

std::unique_ptr<SteppedRun> create_run(PreparedRun& prepared, Sink& sink, const SimulationOptions& options,
                                       const RunState* from) {
  if (from) prepared.start = from->summary;
  return std::make_unique<Run>(prepared, sink, options, from);
}

}  // namespace bricard
