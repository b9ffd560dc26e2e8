// Nothing is stepped over. Of all expressions that act on a motion:
//   Breakpoints of time, known before the run: steps end there.
//   Short stretches of time in which a law changes (a pulse): steps do not reach beyond them at one go.
//   Switching functions of the state: examined over every step, inside of it too; the step ends at the earliest root,
//   found on the interpolant, after a step of that length has been taken.
// Between these events every switch keeps its branch, so that what is integrated is smooth. At an event branches
// change, and with them the rows of drives and constraints: where velocities do not fit the new ones, the impulse of
// the whole mechanism changes them,
//   M (v+ - v-) + P^T L = 0,   P v+ = -Phi_t;
// where positions do not, there is no motion.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/time_scan.h"
#include "system/system.h"

namespace bricard {

class Discontinuities {
 public:
  /// Positions and velocities within the step that has been taken; false if there are none.
  using StateAt = std::function<bool(double t, Vector& q, Vector& v)>;

  Discontinuities(System& system, double end, double output_step, double most_events);

  /// Chooses all branches at the start, and holds them.
  void begin(double t, const Vector& q, const Vector& v);
  /// No step from t may go beyond.
  double limit(double t);
  /// True if a switch depends on the state.
  bool watches_states() const { return !watched_.empty(); }
  /// True if an expression of the state acts on the motion, which may change within a step as it likes.
  bool has_laws_of_states() const { return has_laws_of_states_; }
  /// True if no step has to end anywhere or to be looked into; their length may be limited.
  bool have_no_events() const { return breakpoints_.empty() && watched_.empty() && !has_laws_of_states_; }
  /// The earliest switching within the step from t0 to t1; limit() ends the next attempt there. Nothing if it is not
  /// before t1.
  std::optional<double> search(double t0, double t1, const StateAt& at);
  /// An event is due at this time, where a step has ended.
  bool is_due(double t) const;
  long count() const { return events_; }
  /// Something happens near `at`, in a step from `start` that did not see it: the next steps are to be short, and one
  /// is to end there.
  void slow_down(double start, double at);

  struct Change {
    std::string failure;   // why the motion ends here; empty: it does not
    bool impulse = false;  // v has changed
    double energy = 0;     // that the impulse has put in, J
  };
  /// Changes branches at t, and v by the impulse that this needs.
  Change change(double t, const Vector& q, Vector& v);

 private:
  /// A switching function that depends on the state.
  struct Watched {
    int law, function;
    bool is_armed = true;  // false since it fired, until it has left zero
    long firings = 0;      // within an output step
    double largest = 0;    // that its law has been so far
  };
  struct Planned {
    int watched;
    Sign sign;
  };

  Sign& sign_of(const Watched& watched) { return signs(watched.law)[watched.function]; }
  std::vector<Sign>& signs(int law);
  void set_signs_of_time(double t);
  void evaluate(double t, const Vector& q, const Vector& v, Vector& functions);
  double root(int k, double a, double b, const StateAt& at);
  double turning_point(int k, double a, double b, const StateAt& at);
  double function_at(int k, double t, const StateAt& at);
  std::string fire(int k, Sign sign, double t);
  double law_value(int law, double t) const;
  /// Whether both branches give the same value, where the system was evaluated last.
  bool is_continuous(int k, double t);
  /// Firings are counted anew; switches that were let go are held again.
  void begin_window(double t);
  /// Follows what has changed in this instant.
  std::string settle(double t, const Vector& q, const Vector& v);
  std::string check_rows(double t, const Vector& q, const Vector& v, const Vector& before, const Equations& eq) const;
  bool find_impulse(double t, const Vector& q, Vector& v, Equations& eq, double& energy, std::string& failure);

  System& system_;
  double end_, output_step_, most_events_;
  std::vector<double> breakpoints_;
  std::size_t next_ = 0;  // the first breakpoint that has not been passed
  std::vector<std::vector<TimeStretch>> stretches_;
  std::vector<std::size_t> next_stretch_;
  std::vector<Watched> watched_;
  std::vector<Planned> planned_;
  double planned_time_;
  double slow_from_ = 0, slow_at_ = 0, slow_until_ = -1;
  int replans_ = 0;
  double window_end_ = 0;  // of counting firings
  long events_ = 0;
  bool has_switched_rows_ = false, has_laws_of_states_ = false;
  std::vector<int> rotors_;  // laws that are their speeds
  std::vector<double> scratch_;
  std::vector<Vector> samples_;
  Vector q_, v_, no_states_;
};

}  // namespace bricard
