#include "analyses/run/singularity_retry.h"

#include <fmt/format.h>

namespace bricard {

SingularityRetry::SingularityRetry(System& system, const Method& method, Crossing& crossing, LadderMotion& steps,
                                   Summary& summary)
    : system_(system),
      method_(method),
      crossing_(crossing),
      steps_(steps),
      summary_(summary),
      q_(system.position_size()),
      v_(system.velocity_size()) {}

const SingularityRetry::Place* SingularityRetry::next(const Place& here, double t, bool near, bool jumped,
                                                      const std::string& what) {
  if (method_.rescue != "on") return nullptr;
  const std::string wrong = what + (near ? " near a singular position" : "");
  const Place* place = near || jumped ? restart(t, wrong) : nullptr;
  if (!place) place = take_next_rung(here, t, wrong);
  if (!place && near) place = relax_tolerance(here, t, wrong);
  return place;
}

const SingularityRetry::Place* SingularityRetry::restart(double t, const std::string& wrong) {
  const Place* place = crossing_.next_attempt(t);
  if (!place) return nullptr;
  if (!wrong.empty()) note(t, fmt::format("{}: the run was restarted from t = {:.6g} s", wrong, place->time));
  first_step_end_ = place->time + crossing_.first_step() * place->step;
  return place;
}

const SingularityRetry::Place* SingularityRetry::restart_or_stay(const Place& here, double t) {
  crossing_.forget_attempts();
  const Place* place = restart(t, {});
  return place ? place : &here;
}

/// A formulation or an engine that was named stays: the ladder has no others.
const SingularityRetry::Place* SingularityRetry::take_next_rung(const Place& here, double t, const std::string& wrong) {
  if (!steps_.has_next_rung()) return nullptr;
  system_.take_back();
  steps_.motion().accept(here.time, here.x);  // counts turns that the next one cannot know
  if (steps_.motion().unpack(here.time, here.x, q_, v_) != Status::ok) return nullptr;
  steps_.take_next_rung(here.time, q_, v_);
  note(t, fmt::format("{}: from there on {}", wrong, steps_.sentence()));
  return restart_or_stay(here, t);
}

const SingularityRetry::Place* SingularityRetry::relax_tolerance(const Place& here, double t,
                                                                 const std::string& wrong) {
  if (steps_.relaxation() > 99) return nullptr;
  steps_.relax(10 * steps_.relaxation());
  note(t, fmt::format("{}: it is passed with a tolerance of {:.0e}, because errors near it exceed {:.0e}", wrong,
                      method_.tolerance * steps_.relaxation(), method_.tolerance));
  return restart_or_stay(here, t);
}

bool SingularityRetry::restore_tolerance(double t) {
  if (!(steps_.relaxation() > 1 && t < method_.duration && t > crossing_.attempted_until())) return false;
  steps_.relax(1);
  return true;
}

}  // namespace bricard
