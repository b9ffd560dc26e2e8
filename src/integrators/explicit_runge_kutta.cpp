// Three things about ERKStep 6.4 shape this file; each was found by experiment and is held by a test.
//
// - after_step() is ERKStep's step postprocessing function. It sees each accepted step once, ARKODE then evaluates f at
// the
//   changed state, and that value is the first stage of the next step; step size and error history go on. Without a
//   postprocessing function ERKStep takes the last stage's f for f(t1, x1) whenever c_s = 1, which is right for
//   Dormand-Prince (a_sj = b_j) and wrong for classical Runge-Kutta and for Verner's method (which then is of order 3).
//   So one is always set, and the memo of GuardedEquations saves the evaluation which is redundant for Dormand-Prince.
// - ERKStep gives up when the derivative or the postprocessing fails, however mildly. The retries with a shorter step
// are
//   ours: back to the start of the step, a quarter of the step size.
// - At a stop time ARKODE interpolates its result. The state is taken from the postprocessing function instead, which
// is the
//   solution itself, and may be of a time which differs from the stop time by rounding.
// After a step whose end was given a new meaning (StepChange::replaced), interpolate() hands the equations the start of
// the step in its old meaning and the end in its new one: equations which do so have to interpolate themselves.
#include "integrators/explicit_runge_kutta.h"

#include <algorithm>
#include <cmath>

#include <arkode/arkode_erkstep.h>

namespace bricard {

using sundials_support::smallest_step;
using sundials_support::view;

namespace {

constexpr double retry_factor = 0.25;

// SUNDIALS would print; what it has to say reaches the user through failure().
void ignore_message(int, const char*, const char*, char*, void*) {}

}  // namespace

void ExplicitRungeKutta::MemoryDeleter::operator()(void* memory) const { ERKStepFree(&memory); }

ExplicitRungeKutta::ExplicitRungeKutta(const Scheme& scheme, const IntegratorOptions& options)
    : scheme_(scheme), options_(options), context_(sundials_support::make_context()) {}

int ExplicitRungeKutta::derivative_callback(double t, N_Vector x, N_Vector xdot, void* self) {
  auto& equations = static_cast<ExplicitRungeKutta*>(self)->equations_;
  const Status status = equations.derivative(t, view(x, equations.size()), view(xdot, equations.size()));
  return status == Status::ok ? 0 : status == Status::failed ? 1 : -1;
}

int ExplicitRungeKutta::after_step_callback(double t, N_Vector x, void* self) {
  auto& integrator = *static_cast<ExplicitRungeKutta*>(self);
  auto state = view(x, integrator.equations_.size());
  integrator.change_ = integrator.equations_.after_step(t, state);
  if (integrator.change_ == StepChange::failed) return 1;
  integrator.candidate_ = state;
  integrator.candidate_time_ = t;
  integrator.has_candidate_ = true;
  return 0;
}

bool ExplicitRungeKutta::set_options() {
  void* memory = memory_.get();
  ARKodeButcherTable table = scheme_.create_table();
  if (!table) return false;
  bool ok = ERKStepSetTable(memory, table) == ARK_SUCCESS;  // copies it
  ARKodeButcherTable_Free(table);
  ok = ok && ERKStepSetErrHandlerFn(memory, ignore_message, nullptr) == ARK_SUCCESS;
  ok = ok && ERKStepSetUserData(memory, this) == ARK_SUCCESS;
  ok = ok && ERKStepSetPostprocessStepFn(memory, after_step_callback) == ARK_SUCCESS;
  ok = ok && ERKStepSVtolerances(memory, options_.tolerance, absolute_tolerances_.get()) == ARK_SUCCESS;
  // ARKODE's own interpolant is not used: the cheapest one.
  ok = ok && ERKStepSetInterpolantType(memory, ARK_INTERP_LAGRANGE) == ARK_SUCCESS;
  ok = ok && ERKStepSetInterpolantDegree(memory, 1) == ARK_SUCCESS;
  ok = ok && ERKStepSetMaxNumSteps(memory, -1) == ARK_SUCCESS;
  ok = ok && ERKStepSetMaxHnilWarns(memory, -1) == ARK_SUCCESS;
  if (scheme_.fixed_step) return ok && ERKStepSetFixedStep(memory, options_.step) == ARK_SUCCESS;
  // The smallest step ends a hopeless series of rejections, not their number.
  ok = ok && ERKStepSetMaxErrTestFails(memory, 100) == ARK_SUCCESS;
  // PI control h <- 0.9 h e1^(-0.8/q) e0^(0.31/q) with the true exponent, q = order of the estimate + 1, and no dead
  // band. Measured on ten periods of Kepler's ellipse (e = 0.5) and a pendulum (amplitude 2, t = 60), tolerances 1e-4
  // to 1e-10, evaluations at equal error, geometric mean for dopri5 and verner6: ARKODE's defaults 100 %, with our
  // first step and no dead band 91 %, I control 85 %, PI 0.8/0.2 85 %, PI 0.8/0.31 83 % and with the fewest rejections
  // of these.
  double gains[3] = {0.8, 0.31, 0};
  ok = ok && ERKStepSetAdaptivityMethod(memory, ARK_ADAPT_PI, 0, 1, gains) == ARK_SUCCESS;
  ok = ok && ERKStepSetSafetyFactor(memory, 0.9) == ARK_SUCCESS;
  ok = ok && ERKStepSetErrorBias(memory, 1) == ARK_SUCCESS;
  ok = ok && ERKStepSetFixedStepBounds(memory, 1, 1) == ARK_SUCCESS;
  if (options_.step > 0) ok = ok && ERKStepSetMaxStep(memory, options_.step) == ARK_SUCCESS;
  return ok;
}

Status ExplicitRungeKutta::start(MotionEquations& equations, double t, ConstVector x) {
  if (started_) ++counts_.restarts;
  started_ = false;
  memory_.reset();
  equations_.attach(equations);
  const int size = equations_.size();
  state_ = x;
  candidate_.setZero(size);
  end_derivative_.setZero(size);
  start_derivative_.setZero(size);
  trial_.setZero(size);
  middle_.setZero(size);
  middle_derivative_.setZero(size);
  middle_is_known_ = false;
  scales_.setZero(size);
  first_step_chosen_ = false;
  time_ = start_time_ = inner_time_ = t;
  failure_.clear();
  if (x.size() != size || !x.allFinite() || !std::isfinite(t))
    return refuse("the initial state is not finite or not of the size of the equations");
  if (scheme_.fixed_step && !(options_.step > 0)) return refuse("a fixed-step integrator needs a positive step");
  if (!(options_.tolerance > 0)) return refuse("the tolerance is not positive");

  absolute_tolerances_ = sundials_support::make_vector(size, context_.get());
  work_ = sundials_support::make_vector(size, context_.get());
  sundials_support::fill_absolute_tolerances(equations, options_.tolerance, scales_, absolute_tolerances_.get());
  view(work_.get(), size) = x;
  memory_.reset(ERKStepCreate(derivative_callback, t, work_.get(), context_.get()));
  if (!memory_ || !set_options()) return refuse("ARKODE refused its options");
  equations_.begin_step(t, state_);
  started_ = true;
  return Status::ok;
}

Status ExplicitRungeKutta::step(double t_end) {
  if (!started_) return failure_.empty() ? refuse("start() comes first") : Status::fatal;
  if (t_end - time_ <= smallest_step(time_)) {
    // Nothing to integrate, or nothing that could be told from rounding.
    time_ = std::max(time_, t_end);
    return Status::ok;
  }
  start_time_ = inner_time_;
  middle_is_known_ = false;
  equations_.begin_step(inner_time_, state_);
  if (!first_step_chosen_ && !scheme_.fixed_step) {
    double first_step = 0;
    equations_.begin_attempt();
    const Status status = choose_first_step(t_end, first_step);
    if (status != Status::ok) return fail(status, 0, equations_.cause());
    ERKStepSetInitStep(memory_.get(), first_step);
    first_step_chosen_ = true;
  }
  for (;;) {
    switch (attempt_step(t_end)) {
      case Attempt::accepted: return Status::ok;
      case Attempt::retry: ++counts_.rejected; break;
      case Attempt::hopeless:
        reset(start_time_, state_, 0);
        first_step_chosen_ = false;
        return equations_.fatal() ? Status::fatal : Status::failed;
    }
  }
}

ExplicitRungeKutta::Attempt ExplicitRungeKutta::attempt_step(double t_end) {
  void* memory = memory_.get();
  equations_.begin_attempt();
  has_candidate_ = false;
  if (scheme_.fixed_step) {
    // A last step longer by rounding is better than a last step of the length of a rounding error.
    const double remaining = t_end - inner_time_;
    ERKStepSetFixedStep(memory, remaining < options_.step * (1 + 1e-10) ? remaining : options_.step);
  } else {
    ERKStepSetMinStep(memory, smallest_step(inner_time_));
  }
  long rejected_before = 0, rejected_after = 0;
  ERKStepGetNumErrTestFails(memory, &rejected_before);
  ERKStepSetStopTime(memory, t_end);
  double reached = 0;
  const int flag = ERKStepEvolve(memory, t_end, work_.get(), &reached, ARK_ONE_STEP);
  ERKStepGetNumErrTestFails(memory, &rejected_after);
  counts_.rejected += rejected_after - rejected_before;

  // When the derivative fails after the state was given a new meaning there is no way back: the next step must cope.
  const bool accepted = flag >= 0 || (has_candidate_ && change_ == StepChange::replaced && !equations_.fatal());
  if (!accepted) return after_failure(flag, t_end);

  ++counts_.steps;
  state_.swap(candidate_);
  inner_time_ = candidate_time_;
  time_ = flag == ARK_TSTOP_RETURN || std::abs(t_end - inner_time_) <= smallest_step(t_end) ? t_end : inner_time_;
  if (change_ == StepChange::replaced) {
    ++counts_.restarts;
    sundials_support::fill_absolute_tolerances(equations_.equations(), options_.tolerance, scales_,
                                               absolute_tolerances_.get());
    ERKStepSVtolerances(memory, options_.tolerance, absolute_tolerances_.get());
    reset(inner_time_, state_, attempted_step());
  }
  return Attempt::accepted;
}

ExplicitRungeKutta::Attempt ExplicitRungeKutta::after_failure(int flag, double t_end) {
  const double tried = attempted_step();
  if (equations_.failed()) {
    if (equations_.fatal() || !equations_.start_is_evaluated() || scheme_.fixed_step) {
      fail(Status::failed, tried, equations_.cause());
      return Attempt::hopeless;
    }
    const double next = retry_factor * std::min(tried, t_end - start_time_);
    if (next <= smallest_step(start_time_)) {
      fail(Status::failed, tried, "the step size shrank to nothing because " + equations_.cause());
      return Attempt::hopeless;
    }
    reset(start_time_, state_, next);
    return Attempt::retry;
  }
  if (flag == ARK_ERR_FAILURE)
    fail(Status::failed, tried, "the step size shrank to nothing without meeting the tolerance");
  else if (flag == ARK_TOO_MUCH_ACC)
    fail(Status::failed, tried, "the tolerance is below the rounding errors");
  else
    fail(Status::failed, tried, "ARKODE returned " + std::to_string(flag));
  return Attempt::hopeless;
}

void ExplicitRungeKutta::reset(double t, const Vector& x, double next_step) {
  view(work_.get(), equations_.size()) = x;
  ERKStepReset(memory_.get(), t, work_.get());
  if (!scheme_.fixed_step) ERKStepSetInitStep(memory_.get(), next_step);
}

// [Hairer-Norsett-Wanner, Solving ODEs I, II.4 "Starting step size"]: one explicit Euler step shows the size of x''.
// ARKODE's own choice is so cautious (1e-8 s for a pendulum at 1e-6) that growing out of it costs 40 to 90 evaluations
// a start.
Status ExplicitRungeKutta::choose_first_step(double t_end, double& first_step) {
  const double longest = options_.step > 0 ? std::min(options_.step, t_end - inner_time_) : t_end - inner_time_;
  const auto absolute = view(absolute_tolerances_.get(), equations_.size());
  const auto norm = [&](const Vector& v) {
    double sum = 0;
    for (int k = 0; k < v.size(); ++k) {
      const double ratio = v[k] / (options_.tolerance * std::abs(state_[k]) + absolute[k]);
      sum += ratio * ratio;
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(v.size(), 1)));
  };
  const Status status = equations_.derivative(inner_time_, state_, start_derivative_);
  if (status != Status::ok) return status;
  const double d0 = norm(state_), d1 = norm(start_derivative_);
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);
  trial_ = state_ + h0 * start_derivative_;
  first_step = h0;
  // Where even the Euler step fails, h0 is as good a guess as any: the retries will shorten it.
  if (equations_.derivative(inner_time_ + h0, trial_, end_derivative_) != Status::ok)
    return equations_.fatal() ? Status::fatal : Status::ok;
  trial_ = end_derivative_ - start_derivative_;
  const double largest = std::max(d1, norm(trial_) / h0);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / scheme_.order);
  first_step = std::min({100 * h0, h1, longest});
  return Status::ok;
}

double ExplicitRungeKutta::attempted_step() const {
  double h = 0;
  ERKStepGetCurrentStep(memory_.get(), &h);
  return h;
}

Status ExplicitRungeKutta::interpolate(double t, VectorRef x) {
  if (t >= std::min(time_, inner_time_) && t <= std::max(time_, inner_time_)) {
    x = state_;
    return Status::ok;
  }
  if (!started_ || !(t >= start_time_ && t < time_)) {
    failure_ = "interpolation outside the last step";
    return Status::failed;
  }
  equations_.begin_attempt();
  const Status status = equations_.derivative(inner_time_, state_, end_derivative_);
  if (status != Status::ok) return fail(status, inner_time_ - start_time_, equations_.cause());
  // Steps of high order are long: one more evaluation in the middle, once a step, keeps dense output as good as they
  // are.
  const bool middle = scheme_.order > 5;
  if (middle && !middle_is_known_ && find_middle() != Status::ok) return Status::failed;
  equations_.equations().interpolate(start_time_, equations_.start_state(), equations_.start_derivative(), inner_time_,
                                     state_, end_derivative_, middle ? &middle_derivative_ : nullptr, t, x);
  return Status::ok;
}

Status ExplicitRungeKutta::find_middle() {
  const double t = 0.5 * (start_time_ + inner_time_);
  equations_.equations().interpolate(start_time_, equations_.start_state(), equations_.start_derivative(), inner_time_,
                                     state_, end_derivative_, nullptr, t, middle_);
  const Status status = equations_.derivative_aside(t, middle_, middle_derivative_);
  if (status != Status::ok) return fail(status, inner_time_ - start_time_, equations_.cause());
  middle_is_known_ = true;
  return Status::ok;
}

IntegratorCounts ExplicitRungeKutta::counts() const {
  IntegratorCounts counts = counts_;
  counts.evaluations = equations_.evaluations();
  return counts;
}

Status ExplicitRungeKutta::refuse(const char* reason) {
  failure_ = std::string(scheme_.name) + " cannot start: " + reason + ".";
  return Status::fatal;
}

Status ExplicitRungeKutta::fail(Status status, double step, const std::string& cause) {
  // What the equations complain about is theirs to advise on.
  const char* advice = equations_.failed()  ? ""
                       : scheme_.fixed_step ? "a smaller step or an adaptive integrator such as dopri5"
                                            : "a larger tolerance or another integrator such as bdf";
  failure_ = sundials_support::failure_sentence(scheme_.name, time_, step, cause, advice);
  return status;
}

}  // namespace bricard
