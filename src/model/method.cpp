#include "bricard/method.h"

#include <cmath>

namespace bricard {

void Method::complete_from(const Method& fallback) {
  for (const auto name :
       {&Method::coordinates, &Method::formulation, &Method::pseudoinverse, &Method::stabilization, &Method::integrator,
        &Method::selection, &Method::reactions, &Method::penalty_kind, &Method::dynamics, &Method::rescue}) {
    if ((this->*name).empty()) this->*name = fallback.*name;
  }
  for (const auto option : {&Method::tolerance,
                            &Method::step,
                            &Method::alpha,
                            &Method::beta,
                            &Method::threshold,
                            &Method::reuse,
                            &Method::penalty,
                            &Method::omega,
                            &Method::mu,
                            &Method::iterations,
                            &Method::iteration_tolerance,
                            &Method::spectral_radius,
                            &Method::seed,
                            &Method::duration,
                            &Method::output_step,
                            &Method::reaction_length,
                            &Method::max_steps,
                            &Method::time_limit,
                            &Method::memory_limit,
                            &Method::max_events}) {
    if (std::isnan(this->*option)) this->*option = fallback.*option;
  }
  if (!diagnostics) diagnostics = fallback.diagnostics;
}

}  // namespace bricard
