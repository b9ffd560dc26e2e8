// The fifth-order method of Dormand and Prince with its fourth-order error estimate: seven stages, six evaluations a
// step. J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied
// Mathematics 6 (1980) 19-26; [Hairer-Norsett-Wanner, Solving ODEs I, table II.5.2].
#include "integrators/explicit_runge_kutta.h"

namespace bricard::integrators {

IntegratorType dopri5() {
  return {.name = "dopri5",
          .description = "explicit Runge-Kutta of order 5(4) with step-size control; the choice for smooth motion",
          .source = "Dormand & Prince 1980",
          .order = 5,
          .fixed_step = false,
          .implicit = false,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(
                ExplicitRungeKutta::Scheme{
                    .name = "dopri5",
                    .create_table = [] { return ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5); },
                    .order = 5,
                    .fixed_step = false},
                options);
          }};
}

}  // namespace bricard::integrators
