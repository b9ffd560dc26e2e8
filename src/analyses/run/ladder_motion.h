// The motion of a run and its integrator, as the present rung of its ladder makes them (ladder_of() in
// analyses/choice/choose_dynamics.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyses/choice/choose_dynamics.h"
#include "analyses/run/prepare_run.h"
#include "integrators/integrator.h"
#include "motions/mechanism_motion.h"

namespace bricard {

class LadderMotion {
 public:
  /// On the first rung, at the start. `summary`: of the run, which says what computes accelerations. All must outlive
  /// this object. Throws InputError where a dense formulation would take too long.
  LadderMotion(const PreparedRun& prepared, const Method& method, Summary& summary);

  MechanismMotion& motion() { return *motion_; }
  const MechanismMotion& motion() const { return *motion_; }
  Integrator& integrator() { return *integrator_; }
  const Integrator& integrator() const { return *integrator_; }

  bool has_next_rung() const { return rung_ + 1 < ladder_.size(); }
  /// Another motion, from (q, v) at t on, which the integrator has yet to start with.
  void take_next_rung(double t, const Vector& q, const Vector& v);
  /// What is done since the last rung.
  const std::string& sentence() const { return ladder_[rung_].sentence; }

  /// Factor of the tolerance: 1 but near singular positions that cannot be passed otherwise.
  double relaxation() const { return relaxation_; }
  /// Another integrator, which has yet to start.
  void relax(double factor);

 private:
  void create_motion(const Vector& q, const Vector& v);
  std::string engine_text() const;

  System& system_;
  const Method& method_;
  Summary& summary_;
  const int redundant_;  // rows, everywhere
  const std::vector<Rung> ladder_;
  std::size_t rung_ = 0;
  std::unique_ptr<MechanismMotion> motion_;
  std::unique_ptr<Integrator> integrator_;
  double relaxation_ = 1;
};

}  // namespace bricard
