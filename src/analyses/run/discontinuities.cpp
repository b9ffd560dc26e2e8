#include "analyses/run/discontinuities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/kkt_solver.h"
#include "linear/proximal_settings.h"
#include "model/expression_program.h"

namespace bricard {
namespace {

constexpr int parts = 8;             // in which a step is examined
constexpr long many_firings = 30;    // after which a switch without a jump is let go until the output step is over
constexpr long most_firings = 1000;  // of a switch within an output step
constexpr int most_rounds = 100;     // in an instant
constexpr double never = std::numeric_limits<double>::infinity();

Sign sign_of_number(double x) { return static_cast<Sign>((x > 0) - (x < 0)); }

/// Roots so close are one instant.
double same_instant(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::abs(t); }

}  // namespace

Discontinuities::Discontinuities(System& system, double end, double output_step, double most_events)
    : system_(system),
      end_(end),
      output_step_(output_step),
      most_events_(most_events),
      planned_time_(never),
      q_(Vector::Zero(system.position_size())),
      v_(Vector::Zero(system.velocity_size())),
      no_states_(Vector::Zero(system.state_size())) {
  constexpr double cells = 4096;
  const double resolution = std::min(0.5 * output_step, end / cells);
  const std::vector<ActingLaw>& laws = system.laws();
  for (std::size_t law = 0; law < laws.size(); ++law) {
    const Expression& expression = laws[law].expression.expression();
    TimeScan scan = scan_time(expression, end, resolution);
    breakpoints_.insert(breakpoints_.end(), scan.breakpoints.begin(), scan.breakpoints.end());
    if (!scan.stretches.empty()) stretches_.push_back(std::move(scan.stretches));
    for (int k = 0; k < expression.switch_count(); ++k) {
      if (!expression.switches_by_time(k)) watched_.push_back({.law = static_cast<int>(law), .function = k});
    }
    for (const Force& force : system.model().forces) {
      if (std::holds_alternative<Rotor>(force.law) && laws[law].owner == "force " + force.name)
        rotors_.push_back(static_cast<int>(law));
    }
    has_switched_rows_ |= laws[law].is_row && expression.switch_count() > 0;
    scratch_.resize(std::max<std::size_t>(scratch_.size(), expression.switch_count()));
  }
  const auto watch = [this](const Expression& expression) { has_laws_of_states_ |= !expression.signals().empty(); };
  for (const Joint& joint : system.model().joints) {
    for (const Expression& expression : joint.expressions) watch(expression);
  }
  for (const Force& force : system.model().forces) {
    if (const auto* applied = std::get_if<AppliedForce>(&force.law))
      for (const Expression& expression : applied->vector) watch(expression);
    if (const auto* applied = std::get_if<AppliedTorque>(&force.law))
      for (const Expression& expression : applied->vector) watch(expression);
    if (const auto* spring = std::get_if<Spring>(&force.law); spring && spring->law) watch(*spring->law);
    if (const auto* spring = std::get_if<RotationalSpring>(&force.law); spring && spring->law) watch(*spring->law);
    if (const auto* actuator = std::get_if<Actuator>(&force.law)) watch(actuator->value);
    // Whose laws nobody has read.
    has_laws_of_states_ |=
        std::holds_alternative<CustomForce>(force.law) || std::holds_alternative<FunctionForce>(force.law);
  }
  unite_times(breakpoints_);
  next_stretch_.assign(stretches_.size(), 0);
  samples_.assign(parts + 1, Vector::Zero(static_cast<int>(watched_.size())));
}

std::vector<Sign>& Discontinuities::signs(int law) { return system_.laws()[law].expression.held()->signs; }

void Discontinuities::begin(double t, const Vector& q, const Vector& v) {
  while (next_ < breakpoints_.size() && breakpoints_[next_] <= t) ++next_;
  for (const ActingLaw& law : system_.laws()) {
    if (law.expression.held()) law.expression.held()->are_held = false;
  }
  if (watches_states()) {
    Vector functions(static_cast<int>(watched_.size()));
    evaluate(t, q, v, functions);
    for (std::size_t k = 0; k < watched_.size(); ++k)
      sign_of(watched_[k]) = sign_of_number(functions[static_cast<int>(k)]);
  }
  set_signs_of_time(t);
  for (const ActingLaw& law : system_.laws()) {
    if (law.expression.held()) law.expression.held()->are_held = true;
  }
}

// Between two breakpoints no switch of time changes: its sign is that in the middle.
void Discontinuities::set_signs_of_time(double t) {
  const double until = next_ < breakpoints_.size() ? breakpoints_[next_] : std::max(end_, t);
  std::vector<Jet> functions;
  for (std::size_t law = 0; law < system_.laws().size(); ++law) {
    const Expression& expression = system_.laws()[law].expression.expression();
    if (expression.switch_count() == 0) continue;
    functions.resize(expression.switch_count());
    expression.switching_by_time(0.5 * (t + until), functions.data());
    for (int k = 0; k < expression.switch_count(); ++k) {
      if (expression.switches_by_time(k)) signs(static_cast<int>(law))[k] = sign_of_number(functions[k].value);
    }
  }
}

void Discontinuities::evaluate(double t, const Vector& q, const Vector& v, Vector& functions) {
  system_.evaluate_signals(t, q, v);
  int evaluated = -1;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    if (watched_[k].law != evaluated) {
      evaluated = watched_[k].law;
      const ActingLaw& law = system_.laws()[evaluated];
      double variables[2] = {0, 0};
      if (law.measured >= 0) {
        const Jet& measured = system_.signals()[law.measured];
        variables[0] = measured.value - law.offset, variables[1] = measured.rate;
      }
      law.expression.switching(t, system_.signals(), variables, scratch_.data());
    }
    functions[static_cast<int>(k)] = scratch_[watched_[k].function];
  }
}

double Discontinuities::limit(double t) {
  double limit = std::min(planned_time_, next_ < breakpoints_.size() ? breakpoints_[next_] : never);
  if (t >= slow_from_ && t < slow_until_) {
    limit = std::min(limit, t + 0.25 * output_step_);
    if (t < slow_at_) limit = std::min(limit, slow_at_);
  }
  for (std::size_t law = 0; law < stretches_.size(); ++law) {
    const std::vector<TimeStretch>& list = stretches_[law];
    std::size_t& next = next_stretch_[law];
    // A run may go back a little.
    while (next > 0 && list[next - 1].end > t) --next;
    while (next < list.size() && list[next].end <= t) ++next;
    for (std::size_t k = next; k < list.size() && list[k].begin < limit; ++k)
      limit = std::min(limit, std::max(t, list[k].begin) + (list[k].end - list[k].begin));
  }
  return limit;
}

void Discontinuities::slow_down(double start, double at) {
  slow_from_ = start, slow_at_ = at, slow_until_ = at + output_step_;
}

bool Discontinuities::is_due(double t) const {
  return t >= planned_time_ || (next_ < breakpoints_.size() && t >= breakpoints_[next_]);
}

// --- switching of states ---

double Discontinuities::function_at(int k, double t, const StateAt& at) {
  Vector functions(static_cast<int>(watched_.size()));
  if (!at(t, q_, v_)) return std::numeric_limits<double>::quiet_NaN();
  evaluate(t, q_, v_, functions);
  return functions[k];
}

/// By the method of false position with halved weights (Illinois) between a, where the sign is the held one, and b.
double Discontinuities::root(int k, double a, double b, const StateAt& at) {
  const Sign held = sign_of(watched_[k]);
  double ga = function_at(k, a, at), gb = function_at(k, b, at);
  int side = 0;
  for (int i = 0; i < 60 && b - a > same_instant(b); ++i) {
    double t = i % 8 == 7 ? 0.5 * (a + b) : (a * gb - b * ga) / (gb - ga);
    if (!(t > a && t < b)) t = 0.5 * (a + b);
    if (!(t > a && t < b)) break;
    const double g = function_at(k, t, at);
    if (sign_of_number(g) == held) {
      a = t, ga = g;
      if (side == -1) gb *= 0.5;
      side = -1;
    } else {
      b = t, gb = g;
      if (g == 0 || !std::isfinite(g)) break;
      if (side == 1) ga *= 0.5;
      side = 1;
    }
  }
  return b;
}

/// Where |g| is least between a and b, by the golden section.
double Discontinuities::turning_point(int k, double a, double b, const StateAt& at) {
  const double held = sign_of(watched_[k]), ratio = 0.6180339887498949;
  double c = b - ratio * (b - a), d = a + ratio * (b - a);
  double gc = held * function_at(k, c, at), gd = held * function_at(k, d, at);
  for (int i = 0; i < 24 && gc > 0 && gd > 0; ++i) {
    if (gc < gd) {
      b = d, d = c, gd = gc, c = b - ratio * (b - a);
      gc = held * function_at(k, c, at);
    } else {
      a = c, c = d, gc = gd, d = a + ratio * (b - a);
      gd = held * function_at(k, d, at);
    }
  }
  return gc < gd ? c : d;
}

std::optional<double> Discontinuities::search(double t0, double t1, const StateAt& at) {
  const auto time = [&](int i) { return i == parts ? t1 : t0 + (t1 - t0) * i / parts; };
  for (int i = 0; i <= parts; ++i) {
    if (!at(time(i), q_, v_)) return std::nullopt;
    evaluate(time(i), q_, v_, samples_[i]);
  }
  if (t0 > window_end_) begin_window(t0);
  for (Watched& watched : watched_) watched.largest = std::max(watched.largest, std::abs(law_value(watched.law, t1)));
  const bool arrived = t1 == planned_time_;
  std::vector<Planned> found;
  double earliest = never;
  const auto take = [&](int k, double t, Sign sign) {
    if (t < earliest - same_instant(t)) found.clear();
    if (t > earliest + same_instant(t)) return;
    earliest = std::min(earliest, t);
    found.push_back({k, sign});
  };
  for (int k = 0; k < static_cast<int>(watched_.size()); ++k) {
    Watched& watched = watched_[k];
    const Sign held = sign_of(watched);
    const auto sign = [&](int i) { return sign_of_number(samples_[i][k]); };
    if (held == free_sign) continue;
    if (held == 0) {
      // It was zero; if it leaves zero, and not by rounding to and fro, it does so at once.
      bool leaves = sign(parts) != 0;
      for (int i = 1; i < parts && leaves; ++i)
        leaves = sign(i) == sign(parts) && std::abs(samples_[i][k]) <= std::abs(samples_[i + 1][k]);
      if (leaves) take(k, t0, sign(parts));
      continue;
    }
    const bool is_planned = arrived && std::any_of(planned_.begin(), planned_.end(),
                                                   [k](const Planned& planned) { return planned.watched == k; });
    int first = 0;
    bool is_armed = watched.is_armed;
    for (; !is_armed && first <= parts; ++first) is_armed = sign(first) == held;
    if (!is_armed) {
      // Since it fired it has not come to the side that it fired for: if it goes away from it, it fires back at once.
      if (sign(parts) == -held && std::abs(samples_[parts][k]) > std::abs(samples_[0][k])) take(k, t0, sign(parts));
      continue;
    }
    first = std::max(first - 1, 0);
    if (first == 0 && sign(0) == -held) {
      take(k, t0, sign(0));
      continue;
    }
    for (int i = first + 1; i <= parts; ++i) {
      if (sign(i) != held && sign(i - 1) == held) {
        const double t = sign(i) == 0 && i == parts ? t1 : root(k, time(i - 1), time(i), at);
        // The step was made to end here.
        if (is_planned && t1 - t <= 1e-10 * std::max(t1 - t0, same_instant(t1))) break;
        if (is_planned && replans_ >= 4) break;
        take(k, t, static_cast<Sign>(-held));
        break;
      }
      // Nearer to zero than on both sides: through zero and back?
      const bool turns = i < parts && i > first + 1 && sign(i) == held && sign(i + 1) == held &&
                         std::abs(samples_[i][k]) < std::abs(samples_[i - 1][k]) &&
                         std::abs(samples_[i][k]) <= std::abs(samples_[i + 1][k]);
      if (!turns) continue;
      const double lowest = turning_point(k, time(i - 1), time(i + 1), at);
      if (sign_of_number(function_at(k, lowest, at)) == held) continue;
      take(k, root(k, time(i - 1), lowest, at), static_cast<Sign>(-held));
      break;
    }
  }
  if (!(earliest < t1)) {
    // The step stands: what has come to its side is armed.
    for (int k = 0; k < static_cast<int>(watched_.size()); ++k)
      watched_[k].is_armed |= sign_of_number(samples_[parts][k]) == sign_of(watched_[k]);
  }
  if (earliest == never || (arrived && earliest >= t1)) return std::nullopt;
  replans_ = arrived ? replans_ + 1 : 0;
  planned_ = found;
  planned_time_ = earliest;
  if (earliest < t1) return earliest;
  return std::nullopt;
}

// --- events ---

double Discontinuities::law_value(int number, double t) const {
  const ActingLaw& law = system_.laws()[number];
  double variables[2] = {0, 0};
  if (law.measured >= 0) {
    const Jet& measured = system_.signals()[law.measured];
    variables[0] = measured.value - law.offset, variables[1] = measured.rate;
  }
  return law.expression.value(t, system_.signals(), variables);
}

bool Discontinuities::is_continuous(int k, double t) {
  Sign& sign = sign_of(watched_[k]);
  const Sign kept = sign;
  sign = 1;
  const double above = law_value(watched_[k].law, t);
  sign = -1;
  const double below = law_value(watched_[k].law, t);
  sign = kept;
  return std::abs(above - below) <= 1e-6 * watched_[k].largest;
}

void Discontinuities::begin_window(double t) {
  window_end_ = t + output_step_;
  for (int k = 0; k < static_cast<int>(watched_.size()); ++k) {
    watched_[k].firings = 0;
    if (sign_of(watched_[k]) != free_sign) continue;
    sign_of(watched_[k]) = sign_of_number(samples_[0][k]);
    watched_[k].is_armed = false;
  }
}

// A law with a kink, at rest there but for rounding, fires again and again and does no harm: then the kink is left to
// the integrator's control of errors.
std::string Discontinuities::fire(int k, Sign sign, double t) {
  Watched& watched = watched_[k];
  sign_of(watched) = sign;
  watched.is_armed = false;
  if (++watched.firings > many_firings && !system_.laws()[watched.law].is_row && is_continuous(k, t)) {
    sign_of(watched) = free_sign;
    return {};
  }
  if (watched.firings <= most_firings) return {};
  const ActingLaw& law = system_.laws()[watched.law];
  return fmt::format(
      "'{}' of {} switches again and again, {} times within {:.3g} s, the last time at t = {:.9g} s: its two branches "
      "push the motion towards each other; write friction: for dry friction, a law without a jump, or a second "
      "threshold at which it switches back",
      law.expression.expression().text(), law.owner, most_firings, output_step_, t);
}

std::string Discontinuities::settle(double t, const Vector& q, const Vector& v) {
  Vector functions(static_cast<int>(watched_.size()));
  for (int round = 0; round < most_rounds; ++round) {
    evaluate(t, q, v, functions);
    bool changed = false;
    for (int k = 0; k < static_cast<int>(watched_.size()); ++k) {
      // One that has just fired is at zero but for rounding.
      if (!watched_[k].is_armed || sign_of(watched_[k]) == free_sign) continue;
      const Sign now = sign_of_number(functions[k]);
      if (now == 0 || now == sign_of(watched_[k])) continue;
      if (std::string failure = fire(k, now, t); !failure.empty()) return failure;
      watched_[k].is_armed = true;
      changed = true;
    }
    if (!changed) return {};
  }
  return "switches change each other again and again in one instant";
}

Discontinuities::Change Discontinuities::change(double t, const Vector& q, Vector& v) {
  Change result;
  if (static_cast<double>(++events_) > most_events_) {
    result.failure = fmt::format("more than {:.9g} events (--max-events)", most_events_);
    return result;
  }
  Equations eq;
  Vector before;
  if (has_switched_rows_) {
    eq = system_.empty_equations();
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq);
    before = eq.Phi;
  }
  Vector speeds(static_cast<int>(rotors_.size()));
  for (std::size_t k = 0; k < rotors_.size(); ++k) speeds[static_cast<int>(k)] = law_value(rotors_[k], t);
  while (next_ < breakpoints_.size() && breakpoints_[next_] <= t) ++next_;
  set_signs_of_time(t);
  for (std::size_t k = 0; k < rotors_.size(); ++k) {
    const double before_it = speeds[static_cast<int>(k)], after_it = law_value(rotors_[k], t);
    if (std::abs(after_it - before_it) <= 1e-9 * std::max(std::abs(before_it), std::abs(after_it))) continue;
    result.failure = fmt::format("the speed of {} jumps from {:.6g} to {:.6g} rad/s there; write a ramp, such as step",
                                 system_.laws()[rotors_[k]].owner, before_it, after_it);
    return result;
  }
  if (watches_states()) system_.evaluate_signals(t, q, v);
  if (t >= planned_time_) {
    for (const Planned& planned : planned_) {
      result.failure = fire(planned.watched, planned.sign, t);
      if (!result.failure.empty()) return result;
    }
    planned_.clear();
    planned_time_ = never;
    replans_ = 0;
  }
  if (watches_states()) result.failure = settle(t, q, v);
  if (!result.failure.empty() || !has_switched_rows_) return result;
  system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq);
  result.failure = check_rows(t, q, v, before, eq);
  if (result.failure.empty()) result.impulse = find_impulse(t, q, v, eq, result.energy, result.failure);
  if (result.impulse && watches_states()) result.failure = settle(t, q, v);
  return result;
}

std::string Discontinuities::check_rows(double, const Vector&, const Vector&, const Vector& before,
                                        const Equations& eq) const {
  constexpr double smallest = 1e-8;
  const double length = system_.model().characteristic_length();
  for (int row = 0; row < eq.rows(); ++row) {
    const double gap = eq.Phi[row] - before[row];
    double scale = 0;  // how much the row changes when everything moves by the model's size
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
      const bool turns = system_.coordinates().is_rotation(static_cast<int>(entry.col()));
      scale = std::max(scale, std::abs(entry.value()) * (turns ? 1 : length));
    }
    if (std::abs(gap) <= smallest * scale) continue;
    const RowInfo& info = system_.rows()[row];
    const bool is_motion = info.owner == RowOwner::motion;
    const std::string name =
        is_motion ? system_.model().motions[info.index].name : system_.model().joints[info.index].name;
    return fmt::format("{} {} jumps by {:.4g} there, so that the mechanism would have to be in two places at once",
                       is_motion ? "the law of motion" : "constraint", name, std::abs(gap));
  }
  return {};
}

bool Discontinuities::find_impulse(double t, const Vector& q, Vector& v, Equations& eq, double& energy,
                                   std::string& failure) {
  double error = 0, size = 0;
  for (int row = 0; row < eq.rows(); ++row) {
    double scale = 0;
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
      const double part = std::abs(entry.value() * v[entry.col()]);
      scale = std::max({scale, part, std::abs(eq.Phi_t[row])});
    }
    size = std::max(size, scale);
    error = std::max(error, std::abs(eq.Phi_dot[row]));
  }
  if (!(error > 1e-11 * size)) return false;
  const double kinetic = system_.kinetic_energy();
  KktSolver solver(eq.M, eq.P);
  double typical = 0;
  for (int row = 0; row < eq.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
      const double mass = eq.M.coeff(entry.col(), entry.col());
      if (mass > 0) typical = std::max(typical, entry.value() * entry.value() / mass);
    }
  }
  // Redundant rows: -mu I below, and proximal refinement.
  const double mu = proximal::impulse.mu * typical;
  const Vector zero = Vector::Zero(eq.velocities());
  Vector step(eq.velocities()), multiplier = Vector::Zero(eq.rows());
  if (!solver.factorize(eq.M, eq.P, Vector(), mu)) {
    failure = "the impulse of a drive or constraint that changes its velocity there is not determined";
    return false;
  }
  for (int k = 0; k < proximal::impulse.passes; ++k) {
    const Vector right = -eq.Phi_dot - mu * multiplier;
    if (!solver.solve(zero, right, step, multiplier)) {
      failure = "the impulse of a drive or constraint that changes its velocity there is not finite";
      return false;
    }
  }
  v += step;
  system_.evaluate(t, q, v, no_states_, Upto::velocities, eq);
  if (!(eq.Phi_dot.lpNorm<Eigen::Infinity>() <= 1e-6 * std::max(error, size))) {
    failure = "the velocities that drives and constraints ask for after the change contradict each other";
    return false;
  }
  energy = system_.kinetic_energy() - kinetic;
  return true;
}

}  // namespace bricard
