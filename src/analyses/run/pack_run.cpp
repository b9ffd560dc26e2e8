#include "analyses/run/pack_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>

#include "analyses/choice/choose_dynamics.h"
#include "analyses/run/budget.h"
#include "analyses/run/crossing.h"
#include "analyses/run/discontinuities.h"
#include "analyses/run/divergence.h"
#include "analyses/run/output_times.h"
#include "analyses/run/row_recording.h"
#include "analyses/run/run_options.h"
#include "analyses/run/run_statistics.h"
#include "bricard/input_error.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "motions/create_motion.h"
#include "motions/lanes.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace {

Discontinuities events_of(const PreparedRun& run) {
  const Method& method = run.start.chosen.method;
  return {*run.system, method.duration, method.output_step, method.max_events};
}

/// One run: what is recorded of it.
class Lane {
 public:
  explicit Lane(PreparedRun prepared)
      : prepared_(std::move(prepared)),
        system_(*prepared_.system),
        result_{.summary = prepared_.start, .data = {}},
        recorder_(system_, find_reaction_scheme_type(method().reactions)->scheme, method().reaction_length),
        motion_(motion_over_bodies()),
        q_(prepared_.assembly.q),
        v_(prepared_.assembly.v),
        rest_(Vector::Zero(system_.state_size() + 1)),
        x_(motion_->size()),
        xdot_(motion_->size()),
        divergence_(system_, method().tolerance, prepared_.assembly.q, prepared_.assembly.v),
        energy_(system_.model(), method(), divergence_, summary()),
        rows_(system_, recorder_, result_.data, divergence_, energy_, summary()),
        counts_turns_(!system_.model().planar() && system_.has_angles()) {
    summary().columns = recorder_.columns();
    if (!system_.laws().empty()) limits_.emplace(events_of(prepared_));
    rows_.begin();
    const std::string engine =
        describe(*find_dynamics_type("bodies"), system_, *find_formulation_type(method().formulation),
                 *find_integrator_type(method().integrator));
    summary().dynamics = fmt::format("lanes of {} runs, {}", Pack::lanes, engine);
  }

  const Method& method() const { return prepared_.start.chosen.method; }
  System& system() { return system_; }
  Vector& q() { return q_; }
  Vector& v() { return v_; }
  Vector& rest() { return rest_; }  // states of friction, and work
  /// The next step from t must not go beyond.
  double step_limit(double t) { return limits_ ? limits_->limit(t) : std::numeric_limits<double>::infinity(); }
  int redundant() const { return prepared_.start.structure.constraints - prepared_.generic_rank; }
  Summary& summary() { return result_.summary; }
  SimulationResult& result() { return result_; }

  /// At the state (q, v). False if there is something that is not a number.
  bool record(double t) {
    motion_->pack(t, q_, v_, x_);
    x_.tail(rest_.size()) = rest_;
    if (motion_->observe(t, x_, xdot_) != Status::ok) return false;
    return rows_.record(t, *motion_, x_, true).empty();
  }

  /// After a step. False if the energy has jumped, as it does where a step leads over a singular position, or grown.
  bool keeps_energy(double energy, bool adaptive) {
    if (!energy_.growth(energy).empty()) return false;
    const bool jumped = adaptive && energy_.has_jumped(energy);
    energy_.set_balance(energy);
    energy_.count_drift();
    return !jumped;
  }

  bool counts_turns() const { return counts_turns_; }
  /// Counts turns of joints up to the state (q, v). False if they cannot be told.
  bool count_turns(double t) {
    system_.evaluate_signals(t, q_, v_);
    if (!system_.turns_are_certain(t)) return false;
    system_.accept(t);
    return true;
  }

  bool is_near_singular_position(double t) {
    if (!crossing_) crossing_ = std::make_unique<Crossing>(system_, prepared_.assembly.q, prepared_.assembly.v);
    return crossing_->is_near(t, q_, v_);
  }

 private:
  std::unique_ptr<MechanismMotion> motion_over_bodies() {
    FormulationOptions options;
    options.redundant = redundant();
    return create_motion({.system = system_,
                          .formulation = *find_formulation_type(method().formulation),
                          .options = options,
                          .stabilization = create_stabilization(system_, method()),
                          .q = prepared_.assembly.q,
                          .v = prepared_.assembly.v,
                          .dynamics = *find_dynamics_type("bodies")});
  }

  PreparedRun prepared_;
  System& system_;
  SimulationResult result_;
  Recorder recorder_;
  std::unique_ptr<MechanismMotion> motion_;
  std::unique_ptr<Crossing> crossing_;
  Vector q_, v_, rest_, x_, xdot_;
  Divergence divergence_;
  EnergyBounds energy_;
  RowRecording rows_;
  std::optional<Discontinuities> limits_;  // of laws of time
  bool counts_turns_;
};

class PackRun {
 public:
  PackRun(std::vector<PreparedRun> runs, const std::function<bool()>& interrupted)
      : started_(cpu_seconds()), interrupted_(interrupted) {
    const Method method = runs.front().start.chosen.method;  // runs are moved below
    const double step_tolerance = runs.front().start.chosen.step_tolerance;
    const auto stabilization = create_stabilization(*runs.front().system, method);
    for (PreparedRun& run : runs) lanes_.push_back(std::make_unique<Lane>(std::move(run)));
    // Lanes that are left over repeat the last run.
    std::vector<System*> systems;
    systems.reserve(Pack::lanes);
    for (int l = 0; l < Pack::lanes; ++l) systems.push_back(&of_lane(l).system());
    motion_ = create_lanes(systems, {.projection = stabilization->corrects(),
                                     .feedback = stabilization->feedback(),
                                     .redundant = lanes_.front()->redundant()});
    if (!motion_) return;
    x_.resize(motion_->size());
    const IntegratorType& type = *find_integrator_type(method.integrator);
    adaptive_ = !type.fixed_step;
    // A root mean square over all lanes: that of one is at most twice as large.
    const double part = type.judges_runs ? 1 : 0.5;
    integrator_ = type.create({.tolerance = part * step_tolerance, .step = method.step, .runs = Pack::lanes});
  }

  bool run() {
    if (!motion_) return false;
    for (int l = 0; l < Pack::lanes; ++l) motion_->pack(l, of_lane(l).q(), of_lane(l).v(), x_);
    if (!record(0, x_) || integrator_->start(*motion_, 0, x_) != Status::ok || !advance()) return false;
    const IntegratorCounts counts = integrator_->counts();
    const double seconds = (cpu_seconds() - started_) / static_cast<double>(lanes_.size());
    for (const auto& lane : lanes_) {
      Summary& s = lane->summary();
      s.completed = !stopped_;
      s.time = integrator_->time();
      if (stopped_) {
        s.interrupted = true;
        s.failure = fmt::format("The run was interrupted at t = {:.9g} s.", s.time);
      }
      add_counts(counts, s);
      s.evaluations += s.outputs;
      s.cpu_seconds = seconds;
    }
    return true;
  }

  std::vector<SimulationResult> results() {
    std::vector<SimulationResult> results;
    for (const auto& lane : lanes_) results.push_back(std::move(lane->result()));
    return results;
  }

 private:
  Lane& of_lane(int l) { return *lanes_[std::min<std::size_t>(l, lanes_.size() - 1)]; }

  template <class Action>
  bool each_lane(const Vector& x, const Action& action) {
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      motion_->unpack(static_cast<int>(l), x, lanes_[l]->q(), lanes_[l]->v(), lanes_[l]->rest());
      if (!action(*lanes_[l])) return false;
    }
    return true;
  }
  bool record(double t, const Vector& x) {
    return each_lane(x, [&](Lane& lane) { return lane.record(t); });
  }

  bool advance() {
    const Method& method = lanes_.front()->method();
    const OutputTimes times(0, method.duration, method.output_step);
    const long last = times.last();
    long next = 1;
    RunBudget budget(method, !adaptive_);
    while (integrator_->time() < times.end()) {
      const double before = integrator_->time();
      if (budget.is_due()) {
        const IntegratorCounts counts = integrator_->counts();
        if (!budget.spent(counts.steps + counts.rejected, before).empty()) return false;
      }
      double limit = times.end();
      for (const auto& lane : lanes_) limit = std::min(limit, lane->step_limit(before));
      if (integrator_->step(limit) != Status::ok) return false;
      const double t = integrator_->time();
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        if (!lanes_[l]->keeps_energy(motion_->energy(static_cast<int>(l)), adaptive_)) return false;
      }
      if (!count_turns(before, t) || is_doubtful(t, t - before)) return false;
      for (; next <= last && times[next] <= t; ++next) {
        if (times[next] == t) {
          x_ = integrator_->state();
        } else if (integrator_->interpolate(times[next], x_) != Status::ok) {
          return false;
        }
        if (motion_->correct(times[next], x_) == StepChange::failed || !record(times[next], x_)) return false;
      }
      if (interrupted_ && t < times.end() && interrupted_()) {
        stopped_ = true;
        x_ = integrator_->state();
        return record(t, x_);
      }
    }
    return true;
  }

  /// Before bodies can have turned so far that the turns of joints are in doubt.
  bool count_turns(double before, double t) {
    if (!lanes_.front()->counts_turns() || motion_->counts_turns()) return true;
    fastest_ = std::max(fastest_, motion_->fastest_rotation());
    // Two bodies turn against each other; the next step may be longer and faster.
    if (2 * fastest_ * (t - counted_ + 2 * (t - before)) < 0.25 * std::numbers::pi) return true;
    counted_ = t;
    fastest_ = motion_->fastest_rotation();
    x_ = integrator_->state();
    return each_lane(x_, [&](Lane& lane) { return lane.count_turns(t); });
  }

  /// Steps that have collapsed near a singular position, as Crossing has it.
  bool is_doubtful(double t, double step) {
    if (!adaptive_ || t >= lanes_.front()->method().duration) return false;
    longest_ = std::max(0.99 * longest_, step);
    if (step >= 0.01 * longest_) return false;
    x_ = integrator_->state();
    return !each_lane(x_, [&](Lane& lane) { return !lane.is_near_singular_position(t); });
  }

  double started_;
  const std::function<bool()>& interrupted_;
  bool stopped_ = false;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<Lanes> motion_;
  std::unique_ptr<Integrator> integrator_;
  Vector x_;
  bool adaptive_ = true;
  double longest_ = 0;                // of the steps lately
  double counted_ = 0, fastest_ = 0;  // turns were counted then; the fastest rotation since
};

}  // namespace

// Instructions of an evaluation, as counted for shipped models (callgrind): of the kernel, which lanes share, and of what
// each System evaluates by itself. docs/batch.md has the gains that were counted beside it.
double lanes_gain(const System& system) {
  const bool planar = system.model().planar();
  const auto bodies = static_cast<double>(system.model().bodies.size());
  const double kernel = (planar ? 250 : 700) * (bodies + system.row_count());
  const Rows& rows = system.row_table();
  const std::size_t general =
      rows.combination.size() + rows.formula.size() + 3 * rows.rolling.size() + rows.knife_edge.size();
  const std::size_t loads = system.loads().size() + system.friction_loads().size();
  double elements = 600 * static_cast<double>(loads) + 800 * static_cast<double>(general);
  if (elements > 0) elements += (planar ? 100 : 600) * bodies;
  constexpr double of_kernel = 3.5;
  return (kernel + elements) / (kernel / of_kernel + elements);
}

std::string lanes_misfit(const PreparedRun& run) {
  const Method& method = run.start.chosen.method;
  const Structure& structure = run.start.structure;
  const std::string &engine = method.dynamics, &stabilization = method.stabilization;
  if (engine != "bodies") return "accelerations come from the engine '" + engine + "'";
  if (stabilization != "projection" && stabilization != "baumgarte" && stabilization != "none")
    return "stabilization '" + stabilization + "' is not for lanes";
  if (method.gains != "fixed") return "gains change during the run";
  if (find_integrator_type(method.integrator)->implicit) return "the integrator is implicit";
  if (structure.rank < run.generic_rank) return "the run starts in a singular position";
  if (structure.rank < structure.constraints && run.system->friction_depends_on_load())
    return "friction depends on the loads of redundant joints";
  if (method.diagnostics.value_or(false) || method.row_columns.value_or(false))
    return "columns of diagnosis are asked for";
  if (!events_of(run).have_no_events()) return "laws switch, jump or depend on the state";
  if (std::string misfit = lanes_misfit(*run.system); !misfit.empty()) return misfit;
  // Less is lost where the runs of a pack need their short steps at different times.
  constexpr double least_gain = 1.25;
  return lanes_gain(*run.system) < least_gain ? "forces and drives take most of the time" : "";
}

bool fit_together(const PreparedRun& a, const PreparedRun& b) {
  const Method &m = a.start.chosen.method, &n = b.start.chosen.method;
  return m.formulation == n.formulation && m.dynamics == n.dynamics && m.stabilization == n.stabilization &&
         m.integrator == n.integrator && m.tolerance == n.tolerance && m.step == n.step && m.alpha == n.alpha &&
         m.beta == n.beta && m.row_gains == n.row_gains && m.duration == n.duration && m.output_step == n.output_step &&
         a.start.structure.rank == b.start.structure.rank && a.generic_rank == b.generic_rank;
}

PreparedRun prepare_like(const PreparedRun& first, const std::shared_ptr<const Model>& model, const Method& method) {
  if (first.system->has_forces() || !first.system->friction().empty() || !model->motions.empty())
    return prepare_run(model, method);
  const Method& chosen = first.start.chosen.method;
  Method known = method;
  known.coordinates = chosen.coordinates;
  known.formulation = chosen.formulation;
  known.stabilization = chosen.stabilization;
  known.integrator = chosen.integrator;
  known.dynamics = chosen.dynamics;
  PreparedRun run = prepare_run(model, known);
  run.start.chosen.reason = first.start.chosen.reason;
  run.start.chosen.step_tolerance = first.start.chosen.step_tolerance;
  run.start.chosen.formulation_was_free = first.start.chosen.formulation_was_free;
  run.dynamics_were_free = first.dynamics_were_free;
  return run;
}

std::vector<SimulationResult> run_in_lanes(std::vector<PreparedRun> runs, const std::function<bool()>& interrupted) {
  try {
    PackRun pack(std::move(runs), interrupted);
    if (pack.run()) return pack.results();
  } catch (const InputError&) {
    // Too many rows, for one: the runs by themselves say so.
  }
  return {};
}

}  // namespace bricard
