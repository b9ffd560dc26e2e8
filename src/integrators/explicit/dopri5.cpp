// The fifth-order method of Dormand and Prince with its fourth-order error estimate: seven stages, six evaluations a
// step. J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied
// Mathematics 6 (1980) 19-26; [Hairer-Norsett-Wanner, Solving ODEs I, table II.5.2].
#include "integrators/explicit/explicit_runge_kutta.h"

namespace bricard::integrators {

const RungeKuttaScheme& dopri5_scheme() {
  static const RungeKuttaScheme scheme{
      .name = "dopri5",
      .order = 5,
      .c = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1},
      .a = {{},
            {0.2},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
      .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
      .error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
      .coarse_error = {},
  };
  return scheme;
}

IntegratorType dopri5() {
  return {.name = "dopri5",
          .description = "explicit Runge-Kutta of order 5(4) with step-size control; the choice for smooth motion",
          .source = "Dormand & Prince 1980",
          .order = 5,
          .fixed_step = false,
          .implicit = false,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(dopri5_scheme(), options);
          },
          .judges_runs = true,
          .real_stability = dopri5_scheme().real_stability()};
}

}  // namespace bricard::integrators
