// Verner's sixth-order method with its fifth-order error estimate: eight stages and evaluations a step.
// J. H. Verner, Explicit Runge-Kutta methods with estimates of the local truncation error, SIAM Journal on Numerical
// Analysis 15 (1978) 772-790; [Hairer-Norsett-Wanner, Solving ODEs I, table II.5.4].
#include "integrators/explicit/explicit_runge_kutta.h"

namespace bricard::integrators {

const RungeKuttaScheme& verner6_scheme() {
  static const RungeKuttaScheme scheme{
      .name = "verner6",
      .order = 6,
      .c = {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1},
      .a = {{},
            {1.0 / 6},
            {4.0 / 75, 16.0 / 75},
            {5.0 / 6, -8.0 / 3, 5.0 / 2},
            {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96},
            {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255},
            {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0},
            {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703}},
      .b = {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616},
      .error = {3.0 / 40 - 13.0 / 160, 0, 875.0 / 2244 - 2375.0 / 5984, 23.0 / 72 - 5.0 / 16, 264.0 / 1955 - 12.0 / 85,
                -3.0 / 44, 125.0 / 11592, 43.0 / 616},
      .coarse_error = {},
  };
  return scheme;
}

IntegratorType verner6() {
  return {
      .name = "verner6",
      .description = "explicit Runge-Kutta of order 6(5) with step-size control; for smooth motion at tight tolerances",
      .source = "Verner 1978",
      .order = 6,
      .fixed_step = false,
      .implicit = false,
      .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
        return std::make_unique<ExplicitRungeKutta>(verner6_scheme(), options);
      },
      .judges_runs = true,
      .real_stability = verner6_scheme().real_stability()};
}

}  // namespace bricard::integrators
