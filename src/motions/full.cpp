// The state (q, v): every engine has it.
#include "motions/create_motion.h"
#include "motions/dependent_motion.h"
#include "motions/graph_motion.h"
#include "motions/loop_motion.h"

namespace bricard::motions {
namespace {

std::unique_ptr<MechanismMotion> over_bodies(MotionSetting& s) {
  return create_graph_motion(s.system, {.projection = s.stabilization->corrects(),
                                        .feedback = s.stabilization->feedback(),
                                        .redundant = s.options.redundant,
                                        .within_steps = s.within_steps});
}

std::unique_ptr<MechanismMotion> over_tree(MotionSetting& s) {
  auto formulation = s.formulation.create(s.system.empty_vectors(), s.options);
  if (TreeMotion::suits(s.system))
    return std::make_unique<TreeMotion>(s.system, std::move(formulation), std::move(s.stabilization), s.q, s.v);
  return create_loop_motion(s.system, std::move(formulation), std::move(s.stabilization), s.options.redundant, s.q,
                            s.v);
}

std::unique_ptr<MechanismMotion> by_matrices(MotionSetting& s) {
  auto motion = std::make_unique<DependentMotion>(
      s.system, s.formulation.create(s.system.empty_equations(), s.options), std::move(s.stabilization),
      s.within_steps ? CorrectionTimes::steps_and_derivatives : CorrectionTimes::steps,
      s.formulation.traits.mass_matrix ? Upto::dynamics : Upto::forces);
  if (s.fallback) motion->fall_back_on(s.fallback->create(s.system.empty_equations(), s.options));
  return motion;
}

}  // namespace

std::unique_ptr<MechanismMotion> full(MotionSetting setting) {
  switch (setting.engine) {
    case Engine::bodies: return over_bodies(setting);
    case Engine::tree: return over_tree(setting);
    default: return by_matrices(setting);
  }
}

}  // namespace bricard::motions
