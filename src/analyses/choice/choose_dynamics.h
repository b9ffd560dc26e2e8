// Which engine computes the accelerations of a run: one place that decides, for all who have to know. Motions in the
// state (q, v) have them (motions/full.cpp).
#pragma once

#include <string>
#include <vector>

#include "dynamics/engine.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/stabilization.h"

namespace bricard {

struct EngineType {
  Engine engine;
  const char* name;
  const char* description;
};
const std::vector<EngineType>& engine_types();
const EngineType* find_engine_type(const std::string& name);
const char* name_of(Engine engine);
/// Empty or `auto`.
bool dynamics_are_free(const Method& method);

/// What a run has, beside its engine.
struct DynamicsSetting {
  const System& system;
  const FormulationType& formulation;
  const StabilizationType& stabilization;
  const IntegratorType& integrator;
  const Method& method;  // the engine asked for, and the pseudoinverse
  int redundant = 0;     // rows that depend on others everywhere
};

/// Why an engine cannot serve; empty if it can.
std::string engine_misfit(Engine engine, const DynamicsSetting& setting);

/// What an engine is, and its size: "bodies over the joint graph, 31 blocks". `system` is the one that it serves.
std::string describe(Engine engine, const System& system, const FormulationType& formulation,
                     const IntegratorType& integrator);

struct ChosenDynamics {
  Engine engine = Engine::whole;
  std::string reason;  // why `whole` was taken of a formulation that has a faster engine; else empty
};
/// The one that `method.dynamics` names, or the fastest. Throws InputError for an unknown name, with the nearest, and
/// for an engine that does not fit, with the reason.
ChosenDynamics choose_dynamics(const DynamicsSetting& setting);

}  // namespace bricard
