// What of a method is told to its formulation, stabilisation and integrator: one place for all who run.
#pragma once

#include <memory>

#include "bricard/method.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/stabilization.h"
#include "system/system.h"

namespace bricard {

/// Below what a formulation can decide ranks by, the threshold that was asked for is raised, unless rescue is off.
double threshold_for(const Method& method, const FormulationType& formulation);

/// `redundant`: rows that depend on others everywhere, not those of a singular start.
FormulationOptions formulation_options(const System& system, const Method& method, const FormulationType& formulation,
                                       int redundant);

std::unique_ptr<Stabilization> create_stabilization(System& system, const Method& method);

/// `tolerance`: of its steps.
IntegratorOptions integrator_options(const Method& method, double tolerance);
std::unique_ptr<Integrator> create_integrator(System& system, const Method& method, double tolerance);

}  // namespace bricard
