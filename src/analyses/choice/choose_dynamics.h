// Which engine computes the accelerations of a run, and what a run may change when a step goes wrong: one place that
// decides, for all who have to know.
#pragma once

#include <string>
#include <vector>

#include "dynamics/dynamics.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/stabilization.h"

namespace bricard {

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
std::string engine_misfit(const DynamicsType& engine, const DynamicsSetting& setting);

/// What computes accelerations, and its size: "bodies over the joint graph, 31 blocks".
std::string describe(const DynamicsType& engine, const System& system, const FormulationType& formulation,
                     const IntegratorType& integrator);

struct ChosenDynamics {
  const DynamicsType* engine;
  std::string reason;  // why `whole` was taken of a formulation that has a faster engine; else empty
};
/// The one that `method.dynamics` names, or the fastest. Throws InputError for an unknown name, with the nearest, and
/// for an engine that does not fit, with the reason.
ChosenDynamics choose_dynamics(const DynamicsSetting& setting);

/// How accelerations are found. Each rung of a ladder is slower and more robust than the one before.
struct Rung {
  const DynamicsType* dynamics;
  const FormulationType* formulation;
  bool proximal = false;          // multipliers are refined, no dependent rows are left out
  bool within_steps = false;      // states are corrected also where derivatives are evaluated
  bool by_pseudoinverse = false;  // of momenta: velocities are found by the pseudoinverse of [M P^T; P 0]
  std::string sentence = {};  // what is done from here on: "states are also corrected within steps"; empty: the first
};

struct LadderSetting {
  DynamicsSetting setting;
  const DynamicsType* engine;        // the chosen one
  bool redundant_at_start = false;   // rows depend on others where it starts
  bool singular_start = false;       // more of them than everywhere else
  bool engine_is_free = false;       // it was left to `auto`, and may be changed
  bool formulation_is_free = false;  // the same
};
/// From the chosen engine on; a retry takes the next rung.
std::vector<Rung> ladder_of(const LadderSetting& setting);

}  // namespace bricard
