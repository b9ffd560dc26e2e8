// After a step whose end was given a new meaning (StepChange::replaced), interpolate() hands the equations the start of
// the step in its old meaning and the end in its new one: equations which do so have to interpolate themselves.
#include "integrators/explicit/explicit_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace bricard {

Status ExplicitIntegrator::start(MotionEquations& equations, double t, ConstVector x) {
  if (started_) ++counts_.restarts;
  started_ = false;
  equations_.attach(equations);
  const int size = equations_.size();
  for (Point& point : path_) point.resize(size);
  next_.resize(size);
  middle_.resize(size);
  absolute_.setZero(size);
  resize(size);
  steps_on_path_ = 0;
  step_ = 0;
  forget();
  time_ = t;
  failure_.clear();
  path_[0].t = t;
  path_[0].x = x;
  if (x.size() != size || !x.allFinite() || !std::isfinite(t))
    return refuse("the initial state is not finite or not of the size of the equations");
  if (traits_.fixed_step && !(options_.step > 0)) return refuse("a fixed-step integrator needs a positive step");
  if (!(options_.tolerance > 0)) return refuse("the tolerance is not positive");
  absolute_tolerances(equations, options_.tolerance, absolute_);
  started_ = true;
  return Status::ok;
}

// --- one step ---

Status ExplicitIntegrator::step(double t_end) {
  if (!started_) return failure_.empty() ? refuse("start() comes first") : Status::fatal;
  if (t_end - time_ <= smallest_step(time_)) {
    // Nothing to integrate, or nothing that could be told from rounding.
    time_ = std::max(time_, t_end);
    return Status::ok;
  }
  equations_.begin_attempt();
  Status status = now().evaluated ? Status::ok : evaluate(path_[0]);
  if (status == Status::ok && !traits_.fixed_step && step_ == 0) status = choose_first_step(t_end);
  if (status != Status::ok) return equations_.failed() ? fail(status, 0, equations_.cause()) : status;

  rejections_ = 0;
  retried_ = false;
  for (;;) {
    const double h = step_length(t_end);
    equations_.begin_attempt();
    const Attempt attempt = attempt_step(t_end, h);
    if (attempt == Attempt::accepted) {
      accept();
      if (!traits_.fixed_step && step_ > 0) choose_next_step(h, true, h < step_);
      return Status::ok;
    }
    if (attempt == Attempt::failed) {
      if (equations_.fatal() || traits_.fixed_step) {
        fail(Status::failed, h, equations_.cause());
        break;
      }
      step_ = retry_factor * h;
    } else {
      choose_next_step(h, false, false);
      ++rejections_;
    }
    ++counts_.rejected;
    retried_ = true;
    if (step_ <= smallest_step(now().t)) {
      fail(Status::failed, h,
           equations_.failed() ? "the step size shrank to nothing because " + equations_.cause()
                               : "the step size shrank to nothing without meeting the tolerance");
      break;
    }
  }
  step_ = 0;
  forget();
  return equations_.fatal() ? Status::fatal : Status::failed;
}

double ExplicitIntegrator::step_length(double t_end) const {
  const double remaining = t_end - now().t;
  const double h = traits_.fixed_step ? options_.step : step_;
  // A last step longer by rounding is better than a last step of the length of a rounding error.
  return remaining - h <= std::max(1e-10 * h, smallest_step(t_end)) ? remaining : h;
}

bool ExplicitIntegrator::finish_step() {
  change_ = equations_.after_step(next_.t, next_.x);
  if (change_ == StepChange::failed) return false;
  if (change_ != StepChange::none) next_.evaluated = false;
  if (next_.evaluated || evaluate(next_) == Status::ok) return true;
  // When the derivative fails after the state was given a new meaning there is no way back: the next step must cope.
  return change_ == StepChange::replaced && !equations_.fatal();
}

void ExplicitIntegrator::accept() {
  ++counts_.steps;
  std::rotate(path_.begin(), path_.end() - 1, path_.end());
  std::swap(path_[0], next_);
  middle_.evaluated = false;
  time_ = now().t;
  ++steps_on_path_;
  const bool replaced = change_ == StepChange::replaced;
  if (replaced) {
    ++counts_.restarts;
    steps_on_path_ = 0;
    absolute_tolerances(equations_.equations(), options_.tolerance, absolute_);
  }
  accepted(now().t - before().t, replaced);
}

// [Hairer-Norsett-Wanner, Solving ODEs I, II.4 "Starting step size"]: one explicit Euler step shows the size of x''.
Status ExplicitIntegrator::choose_first_step(double t_end) {
  const double remaining = t_end - now().t;
  const double longest = options_.step > 0 ? std::min(options_.step, remaining) : remaining;
  const double d0 = weighted_norm(now().x), d1 = weighted_norm(now().xdot);
  if (d0 * std::numeric_limits<double>::epsilon() > 1)
    return fail(Status::failed, 0, "the tolerance is below the rounding errors");
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);
  step_ = h0;
  next_.t = now().t + h0;
  next_.x = now().x + h0 * now().xdot;
  // Where even the Euler step fails, h0 is as good a guess as any: the retries will shorten it.
  if (evaluate(next_) != Status::ok) return equations_.fatal() ? Status::fatal : Status::ok;
  next_.x = next_.xdot - now().xdot;
  const double largest = std::max(d1, weighted_norm(next_.x) / h0);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / traits_.first_order);
  step_ = std::min({100 * h0, h1, longest});
  return Status::ok;
}

Status ExplicitIntegrator::evaluate(Point& point) {
  const Status status = equations_.derivative(point.t, point.x, point.xdot);
  point.evaluated = status == Status::ok;
  return status;
}

double ExplicitIntegrator::weighted_norm(const Vector& v) const {
  if (v.size() == 0) return 0;
  const auto tolerances = options_.tolerance * now().x.array().abs() + absolute_.array();
  return std::sqrt((v.array() / tolerances).abs2().mean());
}

// --- dense output ---

Status ExplicitIntegrator::interpolate(double t, VectorRef x) {
  if (t >= now().t && t <= time_) {
    x = now().x;
    return Status::ok;
  }
  if (!started_ || counts_.steps == 0 || !(t >= before().t && t < time_)) {
    failure_ = "interpolation outside the last step";
    return Status::failed;
  }
  if (!now().evaluated) {
    equations_.begin_attempt();
    const Status status = evaluate(path_[0]);
    if (status != Status::ok) return fail(status, now().t - before().t, equations_.cause());
  }
  const auto point = [&](int k) { return StepPoint{path_[k].t, path_[k].x, path_[k].xdot}; };
  const int usable = usable_points();
  if (usable == 2 && (middle_.evaluated || find_middle(middle_))) {
    const StepPoint points[] = {point(1), {middle_.t, middle_.x, middle_.xdot}, point(0)};
    equations_.equations().interpolate(points, t, x);
  } else {
    const StepPoint points[] = {point(3), point(2), point(1), point(0)};
    equations_.equations().interpolate(std::span(points).last(usable), t, x);
  }
  return Status::ok;
}

int ExplicitIntegrator::usable_points() const {
  // Points much closer together than the step is long make a polynomial that magnifies their errors.
  constexpr double closest = 0.2;
  const int most = std::min<int>(static_cast<int>(path_.size()), std::max(steps_on_path_ + 1, 2));
  int usable = 2;
  while (usable < most && path_[usable - 1].t - path_[usable].t >= closest * (path_[0].t - path_[1].t)) ++usable;
  return usable;
}

// --- reports ---

IntegratorCounts ExplicitIntegrator::counts() const {
  IntegratorCounts counts = counts_;
  counts.evaluations = equations_.evaluations();
  return counts;
}

Status ExplicitIntegrator::refuse(const char* reason) {
  failure_ = std::string(traits_.name) + " cannot start: " + reason + ".";
  return Status::fatal;
}

Status ExplicitIntegrator::fail(Status status, double step, const std::string& cause) {
  // What the equations complain about is theirs to advise on.
  failure_ = failure_sentence(traits_.name, time_, step, cause, equations_.failed() ? "" : traits_.advice);
  return status;
}

}  // namespace bricard
