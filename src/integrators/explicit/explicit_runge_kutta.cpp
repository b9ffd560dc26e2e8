// An own driver and not ARKODE's ERKStep, which
// - cannot put the end of a step on the constraints before the error test: here the last stage of Dormand and Prince's
//   method is evaluated at the corrected state, and is the first one of the next step (six evaluations, not seven);
// - knows no error estimates made of two, as those of DOP853;
// - passes over memory once a vector operation: here once a stage.
#include "integrators/explicit/explicit_runge_kutta.h"

#include <algorithm>
#include <cmath>

#include "integrators/explicit/weighted_sum.h"
#include "linear/simd/pack.h"
#include "linear/simd/processor.h"

namespace bricard {

namespace {

constexpr double safety = 0.9;
constexpr double smallest_factor = 0.1, growth = 20, first_growth = 1e4;
// PI control h <- 0.9 h e1^(-0.8/q) e0^(0.31/q) with q = order of the estimate + 1. Measured on ten periods of Kepler's
// ellipse (e = 0.5) and a pendulum (amplitude 2, t = 60), tolerances 1e-4 to 1e-10, evaluations at equal error,
// geometric mean for dopri5 and verner6: ARKODE's defaults 100 %, with our first step and no dead band 91 %, I control
// 85 %, PI 0.8/0.2 85 %, PI 0.8/0.31 83 % and with the fewest rejections of these.
constexpr double gain = 0.8, gain_before = 0.31;

constexpr std::size_t most_terms = 12;

// --- states of Pack::lanes runs: the same sums pack by pack, with fused multiply-adds where the processor has them ---

struct Terms {
  int count = 0;
  std::array<const double*, most_terms> vectors;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled once
  const double* weights = nullptr;
};

constexpr Eigen::Index block = 4;  // packs whose sums stay in registers

/// sums = sum_k weights[k] vectors[k] of up to `block` packs.
template <int Count>
inline void sum_packs(const Terms& terms, Eigen::Index at, Pack* sums) {
  for (int i = 0; i < Count; ++i) sums[i] = Pack(0);
  for (int k = 0; k < terms.count; ++k) {
    const Pack* const vector = reinterpret_cast<const Pack*>(terms.vectors[k]) + at;
    const Pack weight(terms.weights[k]);
    for (int i = 0; i < Count; ++i) sums[i] += weight * vector[i];
  }
}
/// use(pack, its sum) for all packs.
template <class Use>
inline void each_sum(const Terms& terms, Eigen::Index packs, const Use& use) {
  Pack sums[block];
  Eigen::Index at = 0;
  for (; at + block <= packs; at += block) {
    sum_packs<block>(terms, at, sums);
    for (int i = 0; i < block; ++i) use(at + i, sums[i]);
  }
  for (; at < packs; ++at) {
    sum_packs<1>(terms, at, sums);
    use(at, sums[0]);
  }
}

/// to = from + h sum
inline void combine_packs(const Terms& terms, double h, const Pack* from, Eigen::Index packs, Pack* to) {
  each_sum(terms, packs, [&](Eigen::Index k, const Pack& slope) { to[k] = from[k] + Pack(h) * slope; });
}
BRICARD_FUSED void combine_packs_fused(const Terms& terms, double h, const Pack* from, Eigen::Index packs, Pack* to) {
  combine_packs(terms, h, from, packs, to);
}
/// Squares of a sum over the tolerances.
inline Pack square_packs(const Terms& terms, double tolerance, const Pack* state, const Pack* least,
                         Eigen::Index packs) {
  Pack square(0);
  each_sum(terms, packs, [&](Eigen::Index k, const Pack& slope) {
    const Pack error = slope / (Pack(tolerance) * absolute(state[k]) + least[k]);
    square += error * error;
  });
  return square;
}
BRICARD_FUSED Pack square_packs_fused(const Terms& terms, double tolerance, const Pack* state, const Pack* least,
                                      Eigen::Index packs) {
  return square_packs(terms, tolerance, state, least, packs);
}

const Pack* packs_of(const Vector& numbers) { return reinterpret_cast<const Pack*>(numbers.data()); }

/// The root mean square, times the step.
double norm_of(double square, double coarse_square, double h, double components) {
  return square == 0 ? 0 : h * square / std::sqrt((square + 0.01 * coarse_square) * components);
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
    : ExplicitIntegrator({.name = scheme.name,
                          .fixed_step = scheme.fixed_step(),
                          .first_order = scheme.order,
                          .advice = scheme.fixed_step() ? "a smaller step or an adaptive integrator such as dopri5"
                                                        : "a larger tolerance or another integrator such as bdf"},
                         options),
      scheme_(scheme),
      first_same_as_last_(scheme.first_same_as_last()),
      rows_(scheme.a.begin(), scheme.a.end()),
      end_(scheme.b),
      error_(scheme.error),
      coarse_error_(scheme.coarse_error) {}

void ExplicitRungeKutta::resize(int size) {
  trial_.setZero(size);
  stages_.setZero(size, scheme_.stages());
  f_.assign(scheme_.stages(), nullptr);
}

void ExplicitRungeKutta::forget() {
  error_before_ = 1;
  first_ = true;
}

// --- one step ---

ExplicitRungeKutta::Attempt ExplicitRungeKutta::attempt_step(double t_end, double h) {
  const int last = scheme_.stages() - 1;
  if (!find_stages(now(), h, first_same_as_last_ ? last : last + 1)) return Attempt::failed;
  next_.t = end_of_step(t_end, h);
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

void ExplicitRungeKutta::accepted(double, bool replaced) {
  if (replaced) error_now_ = 1;
}

void ExplicitRungeKutta::choose_next_step(double h, bool accepted, bool shortened) {
  constexpr double tiny = 1e-10;
  double factor = smallest_factor;
  if (std::isfinite(error_now_)) {
    factor = safety * std::pow(std::max(error_now_, tiny), -gain / scheme_.order) *
             std::pow(std::max(error_before_, tiny), gain_before / scheme_.order);
  }
  const double largest = accepted ? (retried_ ? 1 : first_ ? first_growth : growth) : rejections_ > 0 ? 0.3 : 0.9;
  const double next = h * std::clamp(factor, smallest_factor, largest);
  // A step cut short by the end says nothing against the longer one that was planned.
  step_ = shortened ? std::max(step_, next) : next;
  if (options_.step > 0) step_ = std::min(step_, options_.step);
  if (!accepted) return;
  error_before_ = error_now_;
  first_ = false;
}

// --- arithmetic ---

bool ExplicitRungeKutta::find_stages(const Point& from, double h, int count) {
  f_[0] = from.xdot.data();
  for (int i = 1; i < count; ++i) {
    combine(from, h, rows_[i], trial_);
    if (equations_.derivative(from.t + scheme_.c[i] * h, trial_, stages_.col(i)) != Status::ok) return false;
    f_[i] = stages_.col(i).data();
  }
  return true;
}

namespace {

/// Of the combination's derivatives `f`.
template <class Combination>
Terms terms_of(const Combination& combination, const std::vector<const double*>& f) {
  Terms terms;
  terms.count = combination.size(), terms.weights = combination.coefficients.data();
  for (int k = 0; k < terms.count; ++k) terms.vectors[k] = f[combination.stages[k]];
  return terms;
}

}  // namespace

template <class Use>
void ExplicitRungeKutta::with_sum(const Combination& combination, Eigen::Index begin, Eigen::Index size,
                                  const Use& use) const {
  const Terms terms = terms_of(combination, f_);
  with_weighted_sum<most_terms>(terms.count, terms.vectors.data(), terms.weights, begin, size, use);
}

void ExplicitRungeKutta::combine(const Point& from, double h, const Combination& combination, Vector& sum) {
  if (options_.runs == Pack::lanes) {
    const Terms terms = terms_of(combination, f_);
    const auto put = processor_has_fused() ? combine_packs_fused : combine_packs;
    return put(terms, h, packs_of(from.x), sum.size() / Pack::lanes, reinterpret_cast<Pack*>(sum.data()));
  }
  with_sum(combination, 0, sum.size(), [&](const auto& slope) { sum.array() = from.x.array() + h * slope; });
}

// The root mean square of errors over tolerances at the start of the step, as that of ARKODE; of the run in which it is
// largest.
double ExplicitRungeKutta::error_norm(double h) {
  const Eigen::Index size = next_.x.size();
  if (size == 0) return 0;
  if (options_.runs == Pack::lanes) return largest_error_norm(h);
  // Pieces of vectors that stay in the cache for the second estimate.
  constexpr Eigen::Index piece = 256;
  double square = 0, coarse_square = 0;
  for (Eigen::Index begin = 0; begin < size; begin += piece) {
    const Eigen::Index length = std::min(piece, size - begin);
    const auto add = [&](const Combination& combination, double& sum) {
      with_sum(combination, begin, length, [&](const auto& slope) {
        sum += (slope / (options_.tolerance * now().x.segment(begin, length).array().abs() +
                         absolute_.segment(begin, length).array()))
                   .abs2()
                   .sum();
      });
    };
    add(error_, square);
    if (coarse_error_.size() > 0) add(coarse_error_, coarse_square);
  }
  return norm_of(square, coarse_square, h, static_cast<double>(size));
}

double ExplicitRungeKutta::largest_error_norm(double h) {
  const Eigen::Index packs = next_.x.size() / Pack::lanes;
  const auto squares = processor_has_fused() ? square_packs_fused : square_packs;
  const auto square_of = [&](const Combination& combination) {
    return squares(terms_of(combination, f_), options_.tolerance, packs_of(now().x), packs_of(absolute_), packs);
  };
  const Pack square = square_of(error_), coarse = coarse_error_.size() > 0 ? square_of(coarse_error_) : Pack(0);
  double largest = 0;
  for (int run = 0; run < Pack::lanes; ++run) {
    const double own = norm_of(square[run], coarse[run], h, static_cast<double>(packs));
    if (!(own <= largest)) largest = own;  // also what is not a number
    if (std::isnan(own)) break;
  }
  return largest;
}

// Where there is no step before the last one, after a start, half a step more gives the third point.
bool ExplicitRungeKutta::find_middle(Point& middle) {
  if (scheme_.fixed_step() || steps_on_path_ == 0) return false;
  const double h = 0.5 * (now().t - before().t);
  equations_.begin_attempt();
  if (!find_stages(before(), h, first_same_as_last_ ? scheme_.stages() - 1 : scheme_.stages())) return false;
  middle.t = before().t + h;
  combine(before(), h, end_, middle.x);
  return evaluate(middle) == Status::ok;
}

}  // namespace bricard
