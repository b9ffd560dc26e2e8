// Retries of steps that went wrong. Near a singular position the drift within a step (far below the tolerance
// elsewhere) can blow accelerations up: the step size collapses, or a step is accepted that changes the energy by far
// more than its error allows. Then the run
//   restarts from where steps were still of ordinary length, so that its steps end elsewhere (see Crossing);
//   if that does not help, takes the next rung of its ladder, which costs more;
//   at last relaxes the tolerance, where errors that rounding causes near the singular position exceed it.
// Every help is a rescue that the summary names.
#pragma once

#include <string>

#include "analyses/run/crossing.h"
#include "analyses/run/ladder_motion.h"

namespace bricard {

class SingularityRetry {
 public:
  using Place = Crossing::Place;

  /// All must outlive this object.
  SingularityRetry(System& system, const Method& method, Crossing& crossing, LadderMotion& steps, Summary& summary);

  /// After a step from `here` to t, which went wrong as `what` says: where the run is to restart, which may be `here`;
  /// null if nothing is left to try. `near`: a singular position; `jumped`: the energy, elsewhere.
  const Place* next(const Place& here, double t, bool near, bool jumped, const std::string& what);

  /// End of the first step after a restart; before the present time if there is none to come.
  double first_step_end() const { return first_step_end_; }
  /// The singular position is passed at t: the tolerance is the method's again, and the integrator has to start. False
  /// if it was not relaxed.
  bool restore_tolerance(double t);

 private:
  /// `wrong`: what did, for the summary; empty if it has been said.
  const Place* restart(double t, const std::string& wrong);
  /// With another motion or integrator, which have to start somewhere.
  const Place* restart_or_stay(const Place& here, double t);
  const Place* take_next_rung(const Place& here, double t, const std::string& wrong);
  const Place* relax_tolerance(const Place& here, double t, const std::string& wrong);
  void note(double t, std::string what) { summary_.rescues.push_back({t, std::move(what)}); }

  System& system_;
  const Method& method_;
  Crossing& crossing_;
  LadderMotion& steps_;
  Summary& summary_;
  double first_step_end_ = -1;
  Vector q_, v_;
};

}  // namespace bricard
