// An own driver and not ARKODE's ERKStep, which
// - cannot put the end of a step on the constraints before the error test: here the last stage of Dormand and Prince's
//   method is evaluated at the corrected state, and is the first one of the next step (six evaluations, not seven);
// - knows no error estimates made of two, as those of DOP853;
// - passes over memory once a vector operation: here once a stage.
//
// After a step whose end was given a new meaning (StepChange::replaced), interpolate() hands the equations the start of
// the step in its old meaning and the end in its new one: equations which do so have to interpolate themselves.
#include "integrators/explicit_runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace bricard {

namespace {

constexpr double retry_factor = 0.25;
constexpr double safety = 0.9;
constexpr double smallest_factor = 0.1, growth = 20, first_growth = 1e4;
// PI control h <- 0.9 h e1^(-0.8/q) e0^(0.31/q) with q = order of the estimate + 1. Measured on ten periods of Kepler's
// ellipse (e = 0.5) and a pendulum (amplitude 2, t = 60), tolerances 1e-4 to 1e-10, evaluations at equal error,
// geometric mean for dopri5 and verner6: ARKODE's defaults 100 %, with our first step and no dead band 91 %, I control
// 85 %, PI 0.8/0.2 85 %, PI 0.8/0.31 83 % and with the fewest rejections of these.
constexpr double gain = 0.8, gain_before = 0.31;

using Values = Eigen::Map<const Eigen::ArrayXd>;

/// sum_k weights[k] f[stages[k]] of a range of components as one expression, which the compiler makes one loop of.
template <class Use, std::size_t... K>
auto with_sum(const double* const* f, const int* stages, const double* weights, Eigen::Index begin, Eigen::Index size,
              const Use& use, std::index_sequence<K...>) {
  return use((... + (weights[K] * Values(f[stages[K]] + begin, size))));
}

template <class Use, std::size_t Most = 12>
auto with_sum(int terms, const double* const* f, const int* stages, const double* weights, Eigen::Index begin,
              Eigen::Index size, const Use& use) {
  if constexpr (Most > 1) {
    if (terms < static_cast<int>(Most)) return with_sum<Use, Most - 1>(terms, f, stages, weights, begin, size, use);
  }
  return with_sum(f, stages, weights, begin, size, use, std::make_index_sequence<Most>());
}

}  // namespace

ExplicitRungeKutta::Combination::Combination(const std::vector<double>& all) {
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (all[j] == 0) continue;
    stages.push_back(static_cast<int>(j));
    coefficients.push_back(all[j]);
  }
}

ExplicitRungeKutta::ExplicitRungeKutta(const RungeKuttaScheme& scheme, const IntegratorOptions& options)
    : scheme_(scheme),
      options_(options),
      first_same_as_last_(scheme.first_same_as_last()),
      rows_(scheme.a.begin(), scheme.a.end()),
      end_(scheme.b),
      error_(scheme.error),
      coarse_error_(scheme.coarse_error) {}

Status ExplicitRungeKutta::start(MotionEquations& equations, double t, ConstVector x) {
  if (started_) ++counts_.restarts;
  started_ = false;
  equations_.attach(equations);
  const int size = equations_.size();
  for (Point& point : path_) point.resize(size);
  next_.resize(size);
  middle_.resize(size);
  trial_.setZero(size);
  absolute_.setZero(size);
  stages_.setZero(size, scheme_.stages());
  f_.assign(scheme_.stages(), nullptr);
  steps_on_path_ = 0;
  forget_step();
  time_ = t;
  failure_.clear();
  if (x.size() != size || !x.allFinite() || !std::isfinite(t)) {
    now().x = x;
    return refuse("the initial state is not finite or not of the size of the equations");
  }
  now().t = t;
  now().x = x;
  if (scheme_.fixed_step() && !(options_.step > 0)) return refuse("a fixed-step integrator needs a positive step");
  if (!(options_.tolerance > 0)) return refuse("the tolerance is not positive");
  absolute_tolerances(equations, options_.tolerance, absolute_);
  started_ = true;
  return Status::ok;
}

void ExplicitRungeKutta::forget_step() {
  step_ = 0;
  error_before_ = 1;
  largest_growth_ = first_growth;
}

// --- one step ---

Status ExplicitRungeKutta::step(double t_end) {
  if (!started_) return failure_.empty() ? refuse("start() comes first") : Status::fatal;
  if (t_end - time_ <= smallest_step(time_)) {
    // Nothing to integrate, or nothing that could be told from rounding.
    time_ = std::max(time_, t_end);
    return Status::ok;
  }
  equations_.begin_attempt();
  Status status = now().evaluated ? Status::ok : evaluate(now());
  if (status == Status::ok && !scheme_.fixed_step() && step_ == 0) status = choose_first_step(t_end);
  if (status != Status::ok) return equations_.failed() ? fail(status, 0, equations_.cause()) : status;

  rejections_ = 0;
  for (;;) {
    const double h = step_length(t_end);
    equations_.begin_attempt();
    const Attempt attempt = attempt_step(t_end, h);
    if (attempt == Attempt::accepted) {
      accept();
      if (!scheme_.fixed_step()) choose_next_step(h, h < step_);
      return Status::ok;
    }
    if (attempt == Attempt::failed) {
      if (equations_.fatal() || scheme_.fixed_step()) {
        fail(Status::failed, h, equations_.cause());
        break;
      }
      step_ = retry_factor * h;
    } else {
      choose_next_step(h, false);
    }
    ++counts_.rejected;
    largest_growth_ = 1;
    if (step_ <= smallest_step(now().t)) {
      fail(Status::failed, h,
           equations_.failed() ? "the step size shrank to nothing because " + equations_.cause()
                               : "the step size shrank to nothing without meeting the tolerance");
      break;
    }
  }
  forget_step();
  return equations_.fatal() ? Status::fatal : Status::failed;
}

double ExplicitRungeKutta::step_length(double t_end) const {
  const double remaining = t_end - now().t;
  const double h = scheme_.fixed_step() ? options_.step : step_;
  // A last step longer by rounding is better than a last step of the length of a rounding error.
  return remaining - h <= std::max(1e-10 * h, smallest_step(t_end)) ? remaining : h;
}

ExplicitRungeKutta::Attempt ExplicitRungeKutta::attempt_step(double t_end, double h) {
  const int last = scheme_.stages() - 1;
  if (!find_stages(now(), h, first_same_as_last_ ? last : last + 1)) return Attempt::failed;
  next_.t = h == t_end - now().t ? t_end : now().t + h;
  next_.evaluated = false;
  combine(now(), h, end_, next_.x);
  if (first_same_as_last_) {
    if (equations_.correct_candidate(next_.t, next_.x) == StepChange::failed || evaluate(next_) != Status::ok)
      return Attempt::failed;
    f_[last] = next_.xdot.data();
  }
  if (!scheme_.fixed_step()) {
    error_now_ = error_norm(h);
    if (!(error_now_ <= 1)) return Attempt::rejected;
  }
  return finish_step() ? Attempt::accepted : Attempt::failed;
}

bool ExplicitRungeKutta::finish_step() {
  change_ = equations_.after_step(next_.t, next_.x);
  if (change_ == StepChange::failed) return false;
  if (change_ != StepChange::none) next_.evaluated = false;
  if (next_.evaluated || evaluate(next_) == Status::ok) return true;
  // When the derivative fails after the state was given a new meaning there is no way back: the next step must cope.
  return change_ == StepChange::replaced && !equations_.fatal();
}

void ExplicitRungeKutta::accept() {
  ++counts_.steps;
  std::rotate(path_.begin(), path_.end() - 1, path_.end());
  std::swap(path_[0], next_);
  middle_.evaluated = false;
  time_ = now().t;
  ++steps_on_path_;
  if (change_ != StepChange::replaced) return;
  ++counts_.restarts;
  steps_on_path_ = 0;
  error_now_ = 1;
  absolute_tolerances(equations_.equations(), options_.tolerance, absolute_);
}

/// After a step of length h, accepted or rejected; `shortened`: to end on time.
void ExplicitRungeKutta::choose_next_step(double h, bool shortened) {
  constexpr double tiny = 1e-10;
  const bool accepted = error_now_ <= 1;
  double factor = smallest_factor;
  if (std::isfinite(error_now_)) {
    factor = safety * std::pow(std::max(error_now_, tiny), -gain / scheme_.order) *
             std::pow(std::max(error_before_, tiny), gain_before / scheme_.order);
  }
  const double largest = accepted ? largest_growth_ : ++rejections_ > 1 ? 0.3 : 0.9;
  const double next = h * std::clamp(factor, smallest_factor, largest);
  // A step cut short by the end says nothing against the longer one that was planned.
  step_ = shortened ? std::max(step_, next) : next;
  if (options_.step > 0) step_ = std::min(step_, options_.step);
  if (!accepted) return;
  error_before_ = error_now_;
  largest_growth_ = growth;
}

// [Hairer-Norsett-Wanner, Solving ODEs I, II.4 "Starting step size"]: one explicit Euler step shows the size of x''.
Status ExplicitRungeKutta::choose_first_step(double t_end) {
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
  trial_ = next_.xdot - now().xdot;
  const double largest = std::max(d1, weighted_norm(trial_) / h0);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / scheme_.order);
  step_ = std::min({100 * h0, h1, longest});
  return Status::ok;
}

// --- arithmetic ---

Status ExplicitRungeKutta::evaluate(Point& point) {
  const Status status = equations_.derivative(point.t, point.x, point.xdot);
  point.evaluated = status == Status::ok;
  return status;
}

bool ExplicitRungeKutta::find_stages(const Point& from, double h, int count) {
  f_[0] = from.xdot.data();
  for (int i = 1; i < count; ++i) {
    combine(from, h, rows_[i], trial_);
    if (equations_.derivative(from.t + scheme_.c[i] * h, trial_, stages_.col(i)) != Status::ok) return false;
    f_[i] = stages_.col(i).data();
  }
  return true;
}

void ExplicitRungeKutta::combine(const Point& from, double h, const Combination& combination, Vector& sum) {
  with_sum(combination.size(), f_.data(), combination.stages.data(), combination.coefficients.data(), 0, sum.size(),
           [&](const auto& slope) { sum.array() = from.x.array() + h * slope; });
}

// The root mean square of errors over tolerances at the start of the step, as that of ARKODE.
double ExplicitRungeKutta::error_norm(double h) {
  // Pieces of vectors that stay in the cache for the second estimate.
  constexpr Eigen::Index piece = 256;
  const Eigen::Index size = next_.x.size();
  if (size == 0) return 0;
  double square = 0, coarse_square = 0;
  for (Eigen::Index begin = 0; begin < size; begin += piece) {
    const Eigen::Index length = std::min(piece, size - begin);
    const auto add = [&](const Combination& combination, double& sum) {
      with_sum(combination.size(), f_.data(), combination.stages.data(), combination.coefficients.data(), begin, length,
               [&](const auto& slope) {
                 sum += (slope / (options_.tolerance * now().x.segment(begin, length).array().abs() +
                                  absolute_.segment(begin, length).array()))
                            .abs2()
                            .sum();
               });
    };
    add(error_, square);
    if (coarse_error_.size() > 0) add(coarse_error_, coarse_square);
  }
  if (square == 0) return 0;
  return h * square / std::sqrt((square + 0.01 * coarse_square) * static_cast<double>(size));
}

double ExplicitRungeKutta::weighted_norm(const Vector& v) const {
  if (v.size() == 0) return 0;
  const auto tolerances = options_.tolerance * now().x.array().abs() + absolute_.array();
  return std::sqrt((v.array() / tolerances).abs2().mean());
}

// --- dense output ---

Status ExplicitRungeKutta::interpolate(double t, VectorRef x) {
  if (t >= now().t && t <= time_) {
    x = now().x;
    return Status::ok;
  }
  if (!started_ || counts_.steps == 0 || !(t >= path_[1].t && t < time_)) {
    failure_ = "interpolation outside the last step";
    return Status::failed;
  }
  if (!now().evaluated) {
    equations_.begin_attempt();
    const Status status = evaluate(now());
    if (status != Status::ok) return fail(status, now().t - path_[1].t, equations_.cause());
  }
  const auto point = [&](int k) { return StepPoint{path_[k].t, path_[k].x, path_[k].xdot}; };
  const int usable = usable_points();
  if (usable == 2 && find_middle()) {
    const StepPoint points[] = {point(1), {middle_.t, middle_.x, middle_.xdot}, point(0)};
    equations_.equations().interpolate(points, t, x);
  } else {
    const StepPoint points[] = {point(3), point(2), point(1), point(0)};
    equations_.equations().interpolate(std::span(points).last(usable), t, x);
  }
  return Status::ok;
}

int ExplicitRungeKutta::usable_points() const {
  // Points much closer together than the step is long make a polynomial that magnifies their errors.
  constexpr double closest = 0.2;
  const int most = std::min<int>(static_cast<int>(path_.size()), std::max(steps_on_path_ + 1, 2));
  int usable = 2;
  while (usable < most && path_[usable - 1].t - path_[usable].t >= closest * (path_[0].t - path_[1].t)) ++usable;
  return usable;
}

// Where there is no step before the last one, after a start, half a step more gives the third point.
bool ExplicitRungeKutta::find_middle() {
  if (middle_.evaluated) return true;
  if (scheme_.fixed_step() || steps_on_path_ == 0) return false;
  const Point& from = path_[1];
  const double h = 0.5 * (now().t - from.t);
  equations_.begin_attempt();
  if (!find_stages(from, h, first_same_as_last_ ? scheme_.stages() - 1 : scheme_.stages())) return false;
  middle_.t = from.t + h;
  combine(from, h, end_, middle_.x);
  return evaluate(middle_) == Status::ok;
}

// --- reports ---

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
  const char* advice = equations_.failed()    ? ""
                       : scheme_.fixed_step() ? "a smaller step or an adaptive integrator such as dopri5"
                                              : "a larger tolerance or another integrator such as bdf";
  failure_ = failure_sentence(scheme_.name, time_, step, cause, advice);
  return status;
}

}  // namespace bricard
