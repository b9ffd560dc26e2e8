// Explicit Runge-Kutta methods: X_i = x + h sum_j a_ij f(t + c_j h, X_j),  x1 = x + h sum_i b_i f_i, the error of a
// step estimated by h sum_i (b_i - d_i) f_i [Hairer-Norsett-Wanner, Solving ODEs I, II.4].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "integrators/guarded_equations.h"
#include "integrators/integrator.h"
#include "integrators/runge_kutta_scheme.h"

namespace bricard {

class ExplicitRungeKutta : public Integrator {
 public:
  ExplicitRungeKutta(const RungeKuttaScheme& scheme, const IntegratorOptions& options);
  Status start(MotionEquations& equations, double t, ConstVector x) override;
  Status step(double t_end) override;
  double time() const override { return time_; }
  ConstVector state() const override { return now().x; }
  Status interpolate(double t, VectorRef x) override;
  IntegratorCounts counts() const override;
  std::string failure() const override { return failure_; }

 private:
  struct Point {
    double t = 0;
    Vector x, xdot;
    bool evaluated = false;  // xdot belongs to (t, x)
    void resize(int size) {
      x.setZero(size);
      xdot.setZero(size);
      evaluated = false;
    }
  };
  /// The coefficients of a linear combination of stages that are not zero, one after the other.
  struct Combination {
    explicit Combination(const std::vector<double>& coefficients);
    std::vector<int> stages;
    std::vector<double> coefficients;
    int size() const { return static_cast<int>(stages.size()); }
  };
  enum class Attempt { accepted, rejected, failed };

  const Point& now() const { return path_[0]; }
  Point& now() { return path_[0]; }
  Status evaluate(Point& point);
  /// Stages which begin at `from`, the first `count` of them; the first one is known.
  bool find_stages(const Point& from, double h, int count);
  void combine(const Point& from, double h, const Combination& combination, Vector& sum);
  double error_norm(double h);
  double weighted_norm(const Vector& v) const;

  Attempt attempt_step(double t_end, double h);
  bool finish_step();
  void accept();
  void choose_next_step(double h, bool shortened);
  /// A step size for the start of the integration.
  Status choose_first_step(double t_end);
  double step_length(double t_end) const;
  void forget_step();

  /// How many points of the path, from the newest on, dense output may use.
  int usable_points() const;
  bool find_middle();

  Status refuse(const char* reason);
  Status fail(Status status, double step, const std::string& cause);

  const RungeKuttaScheme& scheme_;
  IntegratorOptions options_;
  bool first_same_as_last_;
  std::vector<Combination> rows_;
  Combination end_, error_, coarse_error_;
  GuardedEquations equations_;

  bool started_ = false;
  double time_ = 0;            // as the caller sees it: may be later than the state's by a rounding error
  std::array<Point, 4> path_;  // the state and the ends of the steps before, the newest first
  int steps_on_path_ = 0;      // since the start, or since the state was given a new meaning
  Point next_;                 // the end of the step that is attempted
  Point middle_;               // of the last step, for dense output; evaluated if it is known
  Vector trial_, absolute_;
  Matrix stages_;                         // derivatives of the stages but those at the ends of the step
  std::vector<const double*> f_;          // of all stages of this step
  StepChange change_ = StepChange::none;  // of the last step's end

  double step_ = 0;            // to try next; 0: to be chosen
  double error_now_ = 1;       // of the attempted step
  double error_before_ = 1;    // of the last accepted step
  double largest_growth_ = 1;  // of the step size after the next step
  int rejections_ = 0;         // of the step that is attempted
  IntegratorCounts counts_;
  std::string failure_;
};

}  // namespace bricard
