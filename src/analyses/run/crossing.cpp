#include "analyses/run/crossing.h"

#include <algorithm>

namespace bricard {
namespace {

constexpr double near_threshold = 1e-2;  // of dimensionless singular values, smallest to largest
constexpr std::size_t most_places = 32;
constexpr int most_attempts = 5;

}  // namespace

int Crossing::rank(double t, ConstVector q, ConstVector v) {
  constraints_->evaluate(t, q, v);
  if (constraints_->P().rows() == 0) return 0;
  rows_.factorize(constraints_->P(), near_threshold);
  return rows_.rank();
}

bool Crossing::is_near(double t, ConstVector q, ConstVector v) {
  if (!constraints_) {
    constraints_ = std::make_unique<ScaledConstraints>(system_, start_q_, start_v_);
    ordinary_rank_ = rank(0, start_q_, start_v_);
  }
  const int now = rank(t, q, v);
  ordinary_rank_ = std::max(ordinary_rank_, now);
  return now < ordinary_rank_;
}

double Crossing::ordinary_step() const {
  double longest = 0;
  for (const Place& place : places_) longest = std::max(longest, place.step);
  return longest;
}

void Crossing::keep(const Vector& x, const Place& rest, bool near) {
  if (system_.row_count() == 0 || (near && is_short(rest.step))) return;
  if (places_.size() < most_places) {
    places_.emplace_back();
  } else {
    std::rotate(places_.begin(), places_.begin() + 1, places_.end());
  }
  Place& place = places_.back();
  place.x = x;
  place.time = rest.time, place.step = rest.step, place.balance = rest.balance, place.drift = rest.drift;
}

const Crossing::Place* Crossing::next_attempt(double t) {
  if (t > attempted_until_) attempts_ = 0;
  if (places_.empty()) attempted_until_ = std::max(attempted_until_, t);
  if (attempts_ == most_attempts || places_.empty()) return nullptr;
  attempted_until_ = t + 4 * ordinary_step();
  // 1, 2, 4 ... places back: integrators that start with short steps need some way to come to ordinary ones.
  std::size_t back = std::min(std::size_t{1} << attempts_, places_.size());
  places_.resize(places_.size() - back + 1);
  ++attempts_;
  return &places_.back();
}

}  // namespace bricard
