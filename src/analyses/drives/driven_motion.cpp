#include "analyses/drives/driven_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/drives/motion_spline.h"
#include "analyses/run/budget.h"
#include "linear/dense/dense.h"
#include "linear/rank_threshold.h"

namespace bricard {

void signal_gradient(System& system, int signal, VectorRef gradient) {
  const Signals& signals = system.signals();
  std::vector<Load> loads(signals.entries(signal));
  for (std::size_t k = 0; k < loads.size(); ++k)
    loads[k] = {signals.markers_of(signal)[k], signals.gradient(signal)[k]};
  gradient.setZero();
  system.coordinates().scatter(system.markers(), loads, gradient);
}

DrivenMotion::DrivenMotion(System& system, Targets* targets)
    : system_(system),
      targets_(targets),
      velocities_(system.velocity_size()),
      eq_(system.empty_equations()),
      no_states_(Vector::Zero(system.state_size())),
      zero_(Vector::Zero(velocities_)),
      scale_(velocities_),
      row_length_(Vector::Ones(system.row_count())),
      G_(targets ? targets->size() : 0, velocities_),
      target_errors_(G_.rows()),
      target_start_(Vector::Zero(G_.rows())),
      target_right_(Vector::Zero(G_.rows())) {
  const double length = system.model().characteristic_length();
  for (int k = 0; k < velocities_; ++k) scale_[k] = system.coordinates().is_rotation(k) ? 1 : 1 / length;
  tolerance_ = 1e-13 * std::max(1.0, length);
}

void DrivenMotion::evaluate(double t, const Vector& q, const Vector& v) {
  system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
  if (!targets_) return;
  targets_->errors(system_, t, target_errors_, G_);
  target_errors_ -= (1 - ramp_) * target_start_;
}

void DrivenMotion::factorize(Rows rows, double threshold, int without) {
  chosen_.clear();
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < eq_.rows(); ++row) {
    if (row == without || (rows == Rows::positions && system_.rows()[row].velocity_level)) continue;
    for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry) {
      entries.emplace_back(static_cast<int>(chosen_.size()), static_cast<int>(entry.col()),
                           entry.value() / (scale_[entry.col()] * row_length_[row]));
    }
    chosen_.push_back(row);
  }
  SparseRows A(static_cast<int>(chosen_.size()), velocities_);
  A.setFromTriplets(entries.begin(), entries.end());
  scaled_G_ = G_ * scale_.cwiseInverse().asDiagonal();
  solver_.factorize(A, scaled_G_, threshold);
}

void DrivenMotion::solve(const Vector& right, const Vector& target, Vector& step) {
  Vector chosen(static_cast<int>(chosen_.size()));
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    chosen[static_cast<int>(k)] = right[chosen_[k]] / row_length_[chosen_[k]];
  solver_.solve(chosen, target, step);
  step = step.cwiseQuotient(scale_);
}

/// Where targets contradict the constraints, their errors do not vanish but the step does: with `natural`, its length is
/// the error (the natural level function of Gauss-Newton methods).
void DrivenMotion::newton(double t, Vector& q, int without, const LeastNormLimits& limits, double far, bool natural) {
  Vector step(velocities_);
  const auto find_step = [&] {
    factorize(Rows::positions, rank_threshold, without);
    solve(-eq_.Phi, -target_errors_, step);
  };
  least_norm_newton(
      q, limits,
      [&](const Vector& place) {
        evaluate(t, place, zero_);
        if (without >= 0) eq_.Phi[without] = 0;
        if (natural) find_step();
        return natural ? size_of(step) : std::hypot(eq_.Phi.norm(), target_errors_.norm());
      },
      [&] {
        if (!natural) find_step();
        const double length = size_of(step);
        return length < far ? length : INFINITY;
      },
      [&](Vector& place, double factor) { system_.coordinates().advance(place, factor * step); });
}

/// Newton's method from a position near the solution.
bool DrivenMotion::close(double t, Vector& q, int without) {
  const bool natural = targets_ != nullptr;
  newton(t, q, without, {.tolerance = natural ? 1e-12 : tolerance_, .iterations = 25}, 1,  // a radian, or the length
         natural);
  return eq_.Phi.norm() <= 1e3 * tolerance_;
}

/// The same from farther away, to see what stays open where no solution exists.
bool DrivenMotion::close_carefully(double t, Vector& q, int without) {
  newton(t, q, without, {.tolerance = tolerance_, .iterations = 50, .longest = 0.3, .trials = 25, .stalled = 1 - 1e-6},
         INFINITY, false);
  return eq_.Phi.norm() <= 1e3 * tolerance_;
}

bool DrivenMotion::start(double t, ConstVector q) {
  state_.t = t;
  state_.q = q;
  base_ = state_;
  evaluate(t, state_.q, zero_);
  for (int row = 0; row < eq_.rows(); ++row) {
    double squared = 0;
    for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry)
      squared += std::pow(entry.value() / scale_[entry.col()], 2);
    if (squared > 1e-12) row_length_[row] = std::sqrt(squared);
  }
  // Targets far away are approached along the constraints, so that the branch is kept.
  const double farthest = targets_ && targets_->size() > 0 ? target_errors_.lpNorm<Eigen::Infinity>() : 0;
  target_start_ = target_errors_;
  const int stages = std::clamp(static_cast<int>(std::ceil(farthest / 0.1)), 1, 2000);
  for (int stage = 1; stage <= stages; ++stage) {
    ramp_ = static_cast<double>(stage) / stages;
    if (!close(t, state_.q)) {
      explain_failure(t);
      ramp_ = 1;
      return false;
    }
    system_.accept(t);
  }
  evaluate(t, state_.q, zero_);
  factorize(Rows::positions, rank_threshold);
  start_position_rank_ = solver_.rank();
  factorize(Rows::all, rank_threshold);
  start_rank_ = solver_.rank();
  // How far from singular the start is says what counts as near a singular position.
  for (near_ = 1e-2; near_ > rank_threshold; near_ /= 10) {
    factorize(Rows::all, near_);
    if (solver_.rank() == start_rank_) break;
  }
  near_ = std::max(near_ / 10, rank_threshold);
  find_rates(nullptr, state_);
  accept(state_);
  return true;
}

/// Velocities and accelerations. Where the rank has fallen, what is lost follows the prediction.
void DrivenMotion::find_rates(const DrivenState* from, DrivenState& to) {
  Vector step(velocities_);
  evaluate(to.t, to.q, zero_);
  factorize(Rows::all, near_);
  to.near_singular = solver_.rank() < start_rank_;
  factorize(Rows::all, rank_threshold);
  to.rank = solver_.rank();
  const bool lost = from && to.rank < start_rank_;
  to.v = lost ? Vector(from->v + (to.t - from->t) * from->vdot) : zero_;
  if (targets_) targets_->rates(system_, to.t, target_right_);
  solve(-(eq_.P * to.v + eq_.Phi_t), target_right_ - G_ * to.v, step);
  to.v += step;
  evaluate(to.t, to.q, to.v);
  to.vdot = lost ? from->vdot : zero_;
  if (targets_) targets_->accelerations(system_, to.t, target_right_);
  solve(eq_.gamma - eq_.P * to.vdot, target_right_ - G_ * to.vdot, step);
  to.vdot += step;
}

/// One step; false if it does not close or leaves the branch of its prediction.
bool DrivenMotion::attempt(const DrivenState& from, double t, DrivenState& to) {
  const double h = t - from.t;
  const Vector step = h * from.v + 0.5 * h * h * from.vdot;
  if (!step.allFinite() || size_of(step) > 1) return false;
  ++steps_;
  to.t = t;
  to.q = from.q;
  system_.coordinates().advance(to.q, step);
  const Vector predicted = to.q;
  if (!close(t, to.q)) {
    reason_.clear();
    return false;
  }
  Vector correction(velocities_);
  system_.coordinates().difference(predicted, to.q, correction);
  reason_ = "the motion jumps: a law of time is not continuous, or branches of the motion cannot be distinguished";
  if (size_of(correction) > std::max(0.2 * size_of(step), 0.02)) return false;
  find_rates(&from, to);
  if (!to.v.allFinite() || !to.vdot.allFinite()) return false;
  if (to.near_singular) return true;  // its velocities are not to be trusted
  const double gap = size_of(to.v - from.v - h * from.vdot);
  if (h * gap > std::max(0.5 * h * std::max(size_of(to.v), size_of(from.v)), 0.05)) return false;
  reason_ = "a joint turns so fast that its turns cannot be counted";
  return system_.turns_are_certain(t);
}

/// As many steps as needed from a regular state; none of them starts at a near singular one.
bool DrivenMotion::go(const DrivenState& from, double t, DrivenState& to) {
  DrivenState here = from, next;
  double h = t - here.t;
  const double shortest = 1e-9 * std::max(h, 1e-3);
  int leaps = 0;
  Pace pace(1e6);
  const long before = steps_;
  while (here.t < t) {
    if (pace.is_hopeless(steps_ - before, here.t - from.t, t - from.t)) {
      reason_ = fmt::format("the steps shrink, lately to {:.2g} s: a law of time grows without bound here (a pole?)",
                            pace.recent_step());
      return false;
    }
    const double goal = here.t + h >= t * (1 - 1e-15) ? t : here.t + h;
    const bool reached = attempt(here, goal, next);
    if (!reached) {
      h = 0.5 * (goal - here.t);
      if (h < shortest) return false;
      continue;
    }
    if (next.near_singular && goal < t) {  // leap over it
      h *= 1.3;
      if (++leaps > 40) return false;
      continue;
    }
    here = next;
    if (here.t < t) accept(here);
    h *= 2;
  }
  to = here;
  return true;
}

void DrivenMotion::accept(const DrivenState& state) {
  evaluate(state.t, state.q, state.v);
  system_.accept(state.t);
  base_ = state;
}

bool DrivenMotion::advance(double t) {
  failure_.clear();
  DrivenState next;
  if (t == state_.t) return true;
  if (!go(base_, t, next)) {
    // Only the way through a singular position on the very spot may fail where both sides are regular.
    DrivenState across;
    across.t = t;
    if (!pass_singular_position(t, across)) {
      explain_failure(t);
      return false;
    }
    next = across;
  } else if (next.near_singular) {
    pass_singular_position(t, next);
  }
  if (next.near_singular && next.rank < start_rank_) singular_times_.push_back(t);
  state_ = next;
  if (!next.near_singular) {
    accept(next);
  } else {
    evaluate(t, next.q, next.v);
  }
  return true;
}

/// Replaces `at` by what lies between regular states on both sides; false if there are none.
bool DrivenMotion::pass_singular_position(double t, DrivenState& at) {
  const double speed = size_of(base_.v);
  if (!(speed > 0)) return false;
  const double reach = 0.03 / speed;
  DrivenState before = base_, after;
  if (t - reach > base_.t) {
    DrivenState nearer;
    if (go(base_, t - reach, nearer) && !nearer.near_singular) {
      before = nearer;
      accept(before);
    }
  }
  for (double factor : {1.0, 1.7, 2.6, 4.0}) {
    const bool reached = go(before, t + factor * reach, after);
    accept(before);
    if (!reached) return false;
    if (after.near_singular) continue;
    at.t = t;
    interpolate(before, after, at);
    at.near_singular = true;
    return true;
  }
  return false;
}

void DrivenMotion::interpolate(const DrivenState& from, const DrivenState& to, DrivenState& at) {
  const Coordinates& coordinates = system_.coordinates();
  const int positions = static_cast<int>(from.q.size());
  Vector rate0(positions), rate1(positions), acceleration0(positions), acceleration1(positions), rate(positions),
      acceleration(positions), bias(positions);
  coordinates.position_rate(from.q, from.v, rate0);
  coordinates.position_rate(to.q, to.v, rate1);
  coordinates.position_acceleration(from.q, from.v, from.vdot, acceleration0);
  coordinates.position_acceleration(to.q, to.v, to.vdot, acceleration1);
  const double h = to.t - from.t;
  at.q.resize(positions);
  at.v.resize(velocities_);
  at.vdot.resize(velocities_);
  for (int k = 0; k < positions; ++k) {
    const SplineValue value = quintic_between({from.q[k], rate0[k], acceleration0[k]},
                                              {to.q[k], rate1[k], acceleration1[k]}, h, (at.t - from.t) / h);
    at.q[k] = value.value, rate[k] = value.rate, acceleration[k] = value.acceleration;
  }
  coordinates.velocity_from_rate(at.q, rate, at.v);
  coordinates.position_acceleration(at.q, at.v, zero_, bias);
  coordinates.velocity_from_rate(at.q, acceleration - bias, at.vdot);
  // What interpolation leaves open is closed without the direction that is nearly lost.
  Vector step(velocities_);
  for (int iteration = 0; iteration < 3; ++iteration) {
    evaluate(at.t, at.q, zero_);
    factorize(Rows::positions, near_);
    solve(-eq_.Phi, -target_errors_, step);
    system_.coordinates().advance(at.q, step);
  }
  evaluate(at.t, at.q, at.v);
  factorize(Rows::all, near_);
  if (targets_) targets_->rates(system_, at.t, target_right_);
  solve(-eq_.Phi_dot, target_right_ - G_ * at.v, step);
  at.v += step;
  evaluate(at.t, at.q, at.v);
  if (targets_) targets_->accelerations(system_, at.t, target_right_);
  solve(eq_.gamma - eq_.P * at.vdot, target_right_ - G_ * at.vdot, step);
  at.vdot += step;
  factorize(Rows::all, 10 * rank_threshold);
  at.rank = solver_.rank();
}

Matrix DrivenMotion::free_velocities(bool with_targets) {
  evaluate(state_.t, state_.q, state_.v);
  const int targets = with_targets ? static_cast<int>(G_.rows()) : 0;
  if (eq_.rows() + targets == 0) return scale_.cwiseInverse().asDiagonal() * Matrix::Identity(velocities_, velocities_);
  Matrix transposed(velocities_, eq_.rows() + targets);
  transposed.leftCols(eq_.rows()) = Matrix(eq_.P).transpose() * row_length_.cwiseInverse().asDiagonal();
  transposed.rightCols(targets) = G_.topRows(targets).transpose();
  transposed = scale_.cwiseInverse().asDiagonal() * transposed;
  Eigen::ColPivHouseholderQR<Matrix> factor;
  factor.setThreshold(rank_threshold);
  factor.compute(transposed);
  return scale_.cwiseInverse().asDiagonal() *
         orthogonal_columns(factor, velocities_).rightCols(velocities_ - static_cast<int>(factor.rank()));
}

void DrivenMotion::explain_failure(double t) {
  Vector q = base_.q;
  // A drive that the others already determine, at the last position: do they contradict each other?
  evaluate(base_.t, base_.q, zero_);
  factorize(Rows::all, rank_threshold);
  const int rank = solver_.rank();
  for (int motion = static_cast<int>(system_.model().motions.size()) - 1; motion >= 0; --motion) {
    const int row = system_.motion_row(motion);
    evaluate(base_.t, base_.q, zero_);
    factorize(Rows::all, rank_threshold, row);
    if (solver_.rank() < rank) continue;
    q = base_.q;
    if (!close_carefully(t, q, row)) continue;
    evaluate(t, q, zero_);
    if (std::abs(eq_.Phi[row]) < 10 * tolerance_) continue;
    failure_ = fmt::format("drive {} contradicts the other drives: at t = {:.9g} s it is off by {:.4g}",
                           system_.model().motions[motion].name, t, std::abs(eq_.Phi[row]));
    return;
  }
  q = base_.q;
  if (close_carefully(t, q)) {
    failure_ = reason_.empty() ? "the mechanism closes only after a jump to another branch" : reason_;
    return;
  }
  std::vector<std::pair<std::string, double>> open;
  for (int row = 0; row < eq_.rows(); ++row) {
    const std::string full = system_.row_name(row);
    const std::string name = full.substr(0, full.find(':'));
    if (open.empty() || open.back().first != name) open.emplace_back(name, 0);
    open.back().second = std::hypot(open.back().second, eq_.Phi[row]);
  }
  std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  failure_ = fmt::format("the mechanism cannot be closed at t = {:.9g} s: ", t);
  for (std::size_t k = 0; k < open.size() && k < 3 && open[k].second > 1e-2 * open.front().second; ++k)
    failure_ += fmt::format("{}{} stays open by {:.4g}", k ? ", " : "", open[k].first, open[k].second);
}

}  // namespace bricard
