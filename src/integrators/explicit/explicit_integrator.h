// What explicit integrators with step-size control share: attempts until one is accepted, the first step, corrections
// of the end of a step, and dense output from the steps that were taken.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "integrators/integrator.h"
#include "integrators/multistep/guarded_equations.h"

namespace bricard {

class ExplicitIntegrator : public Integrator {
 public:
  Status start(MotionEquations& equations, double t, ConstVector x) override;
  Status step(double t_end) override;
  double time() const override { return time_; }
  ConstVector state() const override { return now().x; }
  Status interpolate(double t, VectorRef x) override;
  IntegratorCounts counts() const override;
  std::string failure() const override { return failure_; }

 protected:
  struct Traits {
    const char* name;
    bool fixed_step;
    int first_order;     // errors of the first step grow with this power of its length
    const char* advice;  // what to try when the tolerance cannot be met
  };
  ExplicitIntegrator(const Traits& traits, const IntegratorOptions& options) : traits_(traits), options_(options) {}

  struct Point {
    double t = 0;
    Vector x, xdot;
    bool evaluated = false;  // xdot belongs to (t, x)
    void resize(int size) {
      x.setZero(size);
      xdot.setZero(size);
      evaluated = false;
      t = std::numeric_limits<double>::quiet_NaN();
    }
  };
  enum class Attempt { accepted, rejected, failed };

  // --- what a method says for itself ---

  /// Vectors of the method, for so many components.
  virtual void resize(int size) = 0;
  /// Nothing is known any more of steps before the next one, nor its length.
  virtual void forget() = 0;
  /// From now() to next_; accepted when finish_step() says so.
  virtual Attempt attempt_step(double t_end, double h) = 0;
  /// The step of length h has been accepted, and its end is now(). `replaced`: what was there before has another
  /// meaning.
  virtual void accepted(double h, bool replaced) = 0;
  /// Sets step_ after a step of length h, accepted or rejected; `shortened`: to end on time.
  virtual void choose_next_step(double h, bool accepted, bool shortened) = 0;
  /// A state within the last step, if two of them are all that dense output has.
  virtual bool find_middle(Point& middle) {
    (void)middle;
    return false;
  }

  const Point& now() const { return path_[0]; }
  const Point& before() const { return path_[1]; }
  Status evaluate(Point& point);
  double end_of_step(double t_end, double h) const { return h == t_end - now().t ? t_end : now().t + h; }
  /// next_ is a good end of the step: what the equations have to say to it, and the derivative there.
  bool finish_step();
  /// The root mean square of components over their tolerances.
  double weighted_norm(const Vector& v) const;

  const Traits traits_;
  const IntegratorOptions options_;
  GuardedEquations equations_;
  Point next_;             // the end of the step that is attempted
  Vector absolute_;        // tolerances
  double step_ = 0;        // to try next; 0: to be chosen
  int rejections_ = 0;     // of the step that is attempted, by its error
  bool retried_ = false;   // the step that is attempted has been rejected or has failed before
  int steps_on_path_ = 0;  // since the start, or since the state was given a new meaning

 private:
  void accept();
  Status choose_first_step(double t_end);
  double step_length(double t_end) const;
  /// How many points of the path, from the newest on, dense output may use.
  int usable_points() const;
  Status refuse(const char* reason);
  Status fail(Status status, double step, const std::string& cause);

  bool started_ = false;
  double time_ = 0;                       // as the caller sees it: may be later than the state's by a rounding error
  std::array<Point, 4> path_;             // the state and the ends of the steps before, the newest first
  Point middle_;                          // of the last step, for dense output; evaluated if it is known
  StepChange change_ = StepChange::none;  // of the last step's end
  IntegratorCounts counts_;
  std::string failure_;
};

}  // namespace bricard
