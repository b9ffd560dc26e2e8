// The classical Runge-Kutta method of order 4 with a fixed step; the last step is shortened to end on time.
// W. Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, Zeitschrift fuer Mathematik und
// Physik 46 (1901) 435-453; [Hairer-Norsett-Wanner, Solving ODEs I, table II.1.2].
#include "integrators/explicit/explicit_runge_kutta.h"

namespace bricard::integrators {

const RungeKuttaScheme& rk4_scheme() {
  static const RungeKuttaScheme scheme{
      .name = "rk4",
      .order = 4,
      .c = {0, 0.5, 0.5, 1},
      .a = {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
      .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
      .error = {},
      .coarse_error = {},
  };
  return scheme;
}

IntegratorType rk4() {
  return {.name = "rk4",
          .description = "classical Runge-Kutta of order 4 with a fixed step; no error control",
          .source = "Kutta 1901",
          .order = 4,
          .fixed_step = true,
          .implicit = false,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(rk4_scheme(), options);
          },
          .judges_runs = true,
          .real_stability = rk4_scheme().real_stability()};
}

}  // namespace bricard::integrators
