// Explicit Runge-Kutta methods: X_i = x + h sum_j a_ij f(t + c_j h, X_j),  x1 = x + h sum_i b_i f_i, the error of a
// step estimated by h sum_i (b_i - d_i) f_i [Hairer-Norsett-Wanner, Solving ODEs I, II.4].
#pragma once

#include <vector>

#include "integrators/explicit/explicit_integrator.h"
#include "integrators/explicit/runge_kutta_scheme.h"

namespace bricard {

class ExplicitRungeKutta : public ExplicitIntegrator {
 public:
  ExplicitRungeKutta(const RungeKuttaScheme& scheme, const IntegratorOptions& options);

 private:
  /// The coefficients of a linear combination of stages that are not zero, one after the other.
  struct Combination {
    explicit Combination(const std::vector<double>& coefficients);
    std::vector<int> stages;
    std::vector<double> coefficients;
    int size() const { return static_cast<int>(stages.size()); }
  };

  void resize(int size) override;
  void forget() override;
  Attempt attempt_step(double t_end, double h) override;
  void accepted(double h, bool replaced) override;
  void choose_next_step(double h, bool accepted, bool shortened) override;
  bool find_middle(Point& middle) override;

  /// Stages which begin at `from`, the first `count` of them; the first one is known.
  bool find_stages(const Point& from, double h, int count);
  void combine(const Point& from, double h, const Combination& combination, Vector& sum);
  double error_norm(double h);
  double largest_error_norm(double h);  // of runs
  template <class Use>
  void with_sum(const Combination& combination, Eigen::Index begin, Eigen::Index size, const Use& use) const;

  const RungeKuttaScheme& scheme_;
  bool first_same_as_last_;
  std::vector<Combination> rows_;
  Combination end_, error_, coarse_error_;

  Vector trial_;
  Matrix stages_;                 // derivatives of the stages but those at the ends of the step
  std::vector<const double*> f_;  // of all stages of this step

  double error_now_ = 1;     // of the attempted step
  double error_before_ = 1;  // of the last accepted step
  bool first_ = true;        // no step has been accepted since the start
};

}  // namespace bricard
