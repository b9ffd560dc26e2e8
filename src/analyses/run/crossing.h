// Passing singular positions. There, branches of the motion cross. The slightest error of the constraints, down to
// rounding, opens the crossing into two bends, and steps short enough to follow a bend (angles of about the root of
// that error) lead onto another branch without a sound: constraints and energy are kept. Steps of ordinary length pass
// over. So a run whose steps collapse near a singular position has to go back some steps and come again, to land
// elsewhere.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "analyses/assembly/scaled_constraints.h"
#include "linear/minimum_norm.h"

namespace bricard {

class Crossing {
 public:
  /// Where a run can start again.
  struct Place {
    Vector x;
    double time = 0;
    double step = 0;  // that followed
    double balance = 0, drift = 0;
  };

  /// (q, v): the start of the run, whose rank is taken as the ordinary one. They must outlive this object: most runs
  /// never ask, and the factorised constraints are large.
  Crossing(System& system, const Vector& q, const Vector& v) : system_(system), start_q_(q), start_v_(v) {}

  /// Near a singular position: constraints that are independent at the start nearly depend on each other.
  bool is_near(double t, ConstVector q, ConstVector v);

  /// Remembers where a step began: of x and then the rest of a place. Steps far shorter than the ones before it are
  /// left out near singular positions. Does not allocate once it has as many places as it keeps.
  void keep(const Vector& x, const Place& rest, bool near);
  /// Far shorter than the longest step remembered.
  bool is_short(double step) const { return step < 0.2 * ordinary_step(); }
  bool is_collapsed(double step) const { return step < 0.01 * ordinary_step(); }

  /// The next place to come again from, further back with each attempt at a crossing; null if there is none left.
  const Place* next_attempt(double t);
  /// Where states have got another meaning.
  void forget_places() { places_.clear(); }
  /// Attempts until this time count as attempts at the same crossing.
  double attempted_until() const { return attempted_until_; }
  /// Begins to count attempts anew.
  void forget_attempts() { attempts_ = 0; }
  /// Length of the first step from there, in parts of the ordinary one: another one with each attempt.
  double first_step() const { return 0.3 + 0.6 * (0.618034 * attempts_ - std::floor(0.618034 * attempts_)); }

 private:
  int rank(double t, ConstVector q, ConstVector v);
  double ordinary_step() const;

  System& system_;
  const Vector &start_q_, &start_v_;
  std::unique_ptr<ScaledConstraints> constraints_;  // since is_near() was asked first
  MinimumNorm rows_;
  int ordinary_rank_ = 0;
  std::vector<Place> places_;
  int attempts_ = 0;
  double attempted_until_ = -1;
};

}  // namespace bricard
