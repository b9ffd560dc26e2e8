// What `auto` chooses, and why: each choice is a function of traits of the model, of its structure and of the state at
// which it starts.
#pragma once

#include <string>

#include "analyses/choice/evaluation_cost.h"
#include "analyses/choice/start_traits.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"

namespace bricard {

struct Choice {
  std::string name;
  std::string reason;         // completes "<name> because ..."
  double step_tolerance = 0;  // of an integrator: other than the tolerance of the run, where it is not 0
};

/// What is known before there are coordinates.
struct ModelTraits {
  bool planar = false;
  int loops = 0;  // closed by the joints; 0: an open tree
  int bodies = 0;
  bool tree_takes_all = false;  // every joint may be part of a tree
  bool forces = false;
  bool recursion_is_plain = false;  // of a tree with loops: no drives, no friction, no masses that are missing
  bool gears = false;
  bool wheels_on_axles = false;  // in space: what rolls hangs on joints about which it turns
  EvaluationCost cost = {};
};
ModelTraits model_traits(const Model& model);

/// `formulation`: the one asked for, null if that is left to `auto` as well.
/// `dynamics`: the engine asked for, see choose_dynamics.h; empty or `auto` if any will do. `integrator`: null if left
/// to `auto`.
Choice automatic_coordinates(const ModelTraits& traits, const FormulationType* formulation,
                             const std::string& dynamics = {}, const IntegratorType* integrator = nullptr);

/// Of `method`, dynamics, the state and an integrator that was asked for count.
Choice automatic_formulation(const System& system, const Structure& structure, const StartTraits& start,
                             const Method& method);

Choice automatic_stabilization(const Structure& structure, const StartTraits& start, const FormulationType& formulation,
                               const IntegratorType& integrator, const Method& method);

/// Of `method`, tolerance and duration are set.
Choice automatic_integrator(const Model& model, const Structure& structure, const StartTraits& start,
                            const Method& method);

/// "3 of the 31 constraints are implied by the others (for example B2, x)"
std::string redundancy(const Structure& structure);

}  // namespace bricard
