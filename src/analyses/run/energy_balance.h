// The balance of energy and work along a run, and the check of the work. Integrators carry the work along without
// controlling its error: where a step upsets the balance, the work may be wrong and not the motion.
#pragma once

#include <memory>
#include <optional>

#include "analyses/run/energy_bounds.h"
#include "analyses/run/ladder_motion.h"
#include "analyses/run/run_statistics.h"

namespace bricard {

class EnergyBalance {
 public:
  /// All must outlive this object.
  EnergyBalance(System& system, const Method& method, LadderMotion& steps, EnergyBounds& bounds,
                RunStatistics& statistics);

  /// Energy minus work after the last step: constant but for errors.
  double now() const { return steps_.motion().energy_balance() - work_missed_; }
  /// The motion begins, there or anew, with the accepted balance.
  void restart() { work_missed_ = steps_.motion().energy_balance() - bounds_.balance(); }
  void accept() { bounds_.set_balance(now()); }

  /// After a step of an adaptive integrator.
  bool has_jumped();
  std::string jump_text() const { return bounds_.jump_text(now()); }
  /// That the energy has grown beyond all bounds, in words; empty if not.
  std::string growth();

  /// Where the step from (`start`, x) to `end` has upset the balance, the work is found again, from the power along the
  /// step. Where that was not to blame it is not tried again for a while, unless `at_once`.
  void check_work(double start, const Vector& x, double end, bool at_once = false);

 private:
  /// Energies at the end of the last step: else they are known from rows alone.
  void measure();
  /// Of everything without a potential, within the last step.
  std::optional<double> power(double t);

  System& system_;
  const Method& method_;
  const bool adaptive_;
  LadderMotion& steps_;
  EnergyBounds& bounds_;
  RunStatistics& statistics_;
  double work_missed_ = 0;                             // by the integrator's own quadrature, J
  long steps_without_check_ = 0, check_interval_ = 8;  // see check_work()
  std::unique_ptr<Equations> vectors_;
  Vector at_, xdot_, q_, v_;
};

}  // namespace bricard
