// An integrator: Heun's method of order 2 with a fixed step. An explicit Runge-Kutta method is its table.
#include <bricard/extend.h>
#include <integrators/explicit/explicit_runge_kutta.h>

namespace {

using namespace bricard;

const RungeKuttaScheme& heun_scheme() {
  static const RungeKuttaScheme scheme{
      .name = "heun", .order = 2, .c = {0, 1}, .a = {{}, {1}}, .b = {0.5, 0.5}, .error = {}, .coarse_error = {}};
  return scheme;
}

IntegratorType heun() {
  return {.name = "heun",
          .description = "Heun's method of order 2 with a fixed step",
          .source = "Heun 1900",
          .order = 2,
          .fixed_step = true,
          .implicit = false,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(heun_scheme(), options);
          }};
}

[[maybe_unused]] const bool registered = (register_integrator(heun()), true);

}  // namespace
