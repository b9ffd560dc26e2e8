#include "analyses/run/singular_passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bricard {
namespace {

constexpr double near_singular = 1e-3;  // a singular position, for a message
constexpr double worth_a_look = 0.1;    // where tangents meet lower than this, the minimum is narrowed down
constexpr std::size_t most_listed = 5;

template <class Event>
std::string list_times(const std::vector<Event>& events) {
  std::string text;
  for (std::size_t k = 0; k < std::min(events.size(), most_listed); ++k)
    text += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", events[k].time);
  if (events.size() > most_listed) text += fmt::format(" s and {} later times", events.size() - most_listed);
  return events.size() > most_listed ? text : text + " s";
}

}  // namespace

SingularPassages::SingularPassages(System& system, RunDiagnostics& diagnostics)
    : system_(system),
      diagnostics_(diagnostics),
      eq_(system.empty_equations()),
      no_states_(Vector::Zero(system.state_size())),
      q_(system.position_size()),
      v_(system.velocity_size()),
      moved_(system.position_size()) {}

SingularPassages::Sample SingularPassages::sample(double t, ConstVector q, ConstVector v) {
  // Backwards by a small part of the model's size.
  constexpr double size = 1e-6;
  const double length = system_.model().characteristic_length();
  double fastest = 0;
  for (int k = 0; k < v.size(); ++k)
    fastest = std::max(fastest, std::abs(v[k]) / (system_.coordinates().is_rotation(k) ? 1 : length));
  Sample result;
  result.t = t;
  if (fastest > 0) {
    const double back = size / fastest;
    moved_ = q;
    system_.coordinates().advance(moved_, -back * v);
    system_.evaluate(t - back, moved_, v, no_states_, Upto::dynamics, eq_);
    result.rate = -diagnostics_.measure(eq_, moved_).singularity / back;
    system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
    const RunDiagnostics::Measure now = diagnostics_.measure(eq_, q);
    result.rate += now.singularity / back;
    result.value = now.singularity, result.rank = now.rank;
  } else {
    system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
    const RunDiagnostics::Measure now = diagnostics_.measure(eq_, q);
    result.value = now.singularity, result.rank = now.rank;
  }
  return result;
}

void SingularPassages::begin(double t, ConstVector q, ConstVector v) {
  last_ = sample(t, q, v);
  largest_ = std::max(largest_, last_.value);
  if (last_.rate >= 0) minima_.push_back({t, last_.value});
}

void SingularPassages::step(double t, ConstVector q, ConstVector v, const StateWithin& within) {
  const Sample now = sample(t, q, v);
  largest_ = std::max(largest_, now.value);
  if (now.rank != last_.rank) rank_changes_.push_back({t, last_.rank, now.rank});
  if (last_.rate < 0 && now.rate >= 0) {
    const Passage minimum = narrow(last_, now, within);
    if (minimum.singularity < worth_a_look) minima_.push_back(minimum);
  }
  last_ = now;
}

SingularPassages::Passage SingularPassages::narrow(Sample left, Sample right, const StateWithin& within) {
  Passage lowest = left.value < right.value ? Passage{left.t, left.value} : Passage{right.t, right.value};
  const double precision = 1e-9 * std::max(std::abs(right.t), right.t - left.t);
  for (int iteration = 0; iteration < 30 && right.t - left.t > precision; ++iteration) {
    const double meeting =
        left.t + (right.value - left.value - right.rate * (right.t - left.t)) / (left.rate - right.rate);
    if (iteration == 0 && left.value + left.rate * (meeting - left.t) > worth_a_look) break;
    const double margin = 1e-3 * (right.t - left.t);
    const double middle = std::clamp(meeting, left.t + margin, right.t - margin);
    if (!within(middle, q_, v_)) break;
    const Sample there = sample(middle, q_, v_);
    if (there.value < lowest.singularity) lowest = {middle, there.value};
    if (there.value < 1e-9) break;
    (there.rate < 0 ? left : right) = there;
  }
  return lowest;
}

void SingularPassages::rewind(double t, ConstVector q, ConstVector v) {
  std::erase_if(minima_, [&](const Passage& minimum) { return minimum.time > t; });
  std::erase_if(rank_changes_, [&](const RankChange& change) { return change.time > t; });
  last_ = sample(t, q, v);
}

std::vector<SingularPassages::Passage> SingularPassages::passages() const {
  std::vector<Passage> found = minima_;
  if (last_.rate < 0) found.push_back({last_.t, last_.value});
  const double limit = near_singular * std::min(1.0, 10 * largest_);
  std::erase_if(found, [&](const Passage& minimum) { return !(minimum.singularity < limit); });
  return found;
}

std::vector<std::string> SingularPassages::messages() const {
  std::vector<std::string> texts;
  if (const std::vector<Passage> found = passages(); !found.empty()) {
    double lowest = 1;
    for (const Passage& passage : found) lowest = std::min(lowest, passage.singularity);
    texts.push_back(fmt::format("{} singular position{} passed or nearly so, at t = {} (singularity down to {:.2g})",
                                found.size(), found.size() == 1 ? " was" : "s were", list_times(found), lowest));
  }
  if (!rank_changes_.empty()) {
    texts.push_back(fmt::format("the rank of the constraints changes {} time{}, first from {} to {}: at t = {}",
                                rank_changes_.size(), rank_changes_.size() == 1 ? "" : "s",
                                rank_changes_.front().before, rank_changes_.front().after, list_times(rank_changes_)));
  }
  return texts;
}

std::unique_ptr<SingularPassages> create_passages(System& system, RunDiagnostics& diagnostics) {
  constexpr int most_rows = 150;
  if (system.row_count() == 0 || system.row_count() > most_rows) return nullptr;
  return std::make_unique<SingularPassages>(system, diagnostics);
}

}  // namespace bricard
