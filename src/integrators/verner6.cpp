// Verner's sixth-order method with its fifth-order error estimate: eight stages and evaluations a step.
// J. H. Verner, Explicit Runge-Kutta methods with estimates of the local truncation error, SIAM Journal on Numerical
// Analysis 15 (1978) 772-790; [Hairer-Norsett-Wanner, Solving ODEs I, table II.5.4].
#include "integrators/explicit_runge_kutta.h"

namespace bricard::integrators {

IntegratorType verner6() {
  return {
      .name = "verner6",
      .description = "explicit Runge-Kutta of order 6(5) with step-size control; for smooth motion at tight tolerances",
      .source = "Verner 1978",
      .order = 6,
      .fixed_step = false,
      .implicit = false,
      .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
        return std::make_unique<ExplicitRungeKutta>(
            ExplicitRungeKutta::Scheme{.name = "verner6",
                                       .create_table = [] { return ARKodeButcherTable_LoadERK(ARKODE_VERNER_8_5_6); },
                                       .order = 6,
                                       .fixed_step = false},
            options);
      }};
}

}  // namespace bricard::integrators
