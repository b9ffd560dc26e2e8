// The classical Runge-Kutta method of order 4 with a fixed step; the last step is shortened to end on time.
// W. Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, Zeitschrift fuer Mathematik und
// Physik 46 (1901) 435-453; [Hairer-Norsett-Wanner, Solving ODEs I, table II.1.2].
#include "integrators/explicit_runge_kutta.h"

namespace bricard::integrators {

namespace {

ARKodeButcherTable create_classical_table() {
  double c[] = {0, 0.5, 0.5, 1};
  double A[] = {0,   0,   0, 0,  //
                0.5, 0,   0, 0,  //
                0,   0.5, 0, 0,  //
                0,   0,   1, 0};
  double b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  return ARKodeButcherTable_Create(4, 4, 0, c, A, b, nullptr);
}

}  // namespace

IntegratorType rk4() {
  return {.name = "rk4",
          .description = "classical Runge-Kutta of order 4 with a fixed step; no error control",
          .source = "Kutta 1901",
          .order = 4,
          .fixed_step = true,
          .implicit = false,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(
                ExplicitRungeKutta::Scheme{
                    .name = "rk4", .create_table = create_classical_table, .order = 4, .fixed_step = true},
                options);
          }};
}

}  // namespace bricard::integrators
