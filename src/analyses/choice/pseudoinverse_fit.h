// Pseudoinverses that are not for every matrix, and options of pseudoinverses that the chosen ones do not have.
#pragma once

#include <string>

#include "bricard/structure.h"
#include "formulations/formulation.h"
#include "system/system.h"

namespace bricard {

struct Method;

/// Throws InputError for options that would have no effect with the chosen formulation and pseudoinverse.
void refuse_idle_options(const Method& method, const FormulationType& formulation);

/// Why the chosen pseudoinverse does not give the accelerations at the start (q, v), or will not; empty if it does.
std::string pseudoinverse_misfit(System& system, const Structure& structure, const Method& method, ConstVector q,
                                 ConstVector v);

}  // namespace bricard
