#include "motions/canonical_augmented_motion.h"

#include "motions/canonical_basic_motion.h"
#include "motions/create_motion.h"

namespace bricard {

CanonicalAugmentedMotion::CanonicalAugmentedMotion(System& system, const FormulationOptions& options,
                                                   std::unique_ptr<Formulation> solver,
                                                   std::unique_ptr<Stabilization> stabilization)
    : CanonicalMotion(system, options, std::move(solver), std::move(stabilization), system.row_count()),
      Phi_(system.row_count()) {
  for (const RowInfo& row : system.rows()) velocity_level_.push_back(row.velocity_level);
}

Status CanonicalAugmentedMotion::find_velocities(ConstVector p, ConstVector w, VectorRef v) {
  Phi_ = eq_.Phi;
  for (int row = 0; row < eq_.rows(); ++row) {
    eq_.Phi_dot[row] = velocity_level_[row] ? w[row] : Phi_[row];
    eq_.Phi[row] = velocity_level_[row] ? 0 : w[row];
  }
  const Status status = CanonicalMotion::find_velocities(p, w, v);
  eq_.Phi = Phi_;
  return status;
}

void CanonicalAugmentedMotion::integral_rates(VectorRef rates) const {
  for (int row = 0; row < eq_.rows(); ++row) rates[row] = velocity_level_[row] ? eq_.Phi_dot[row] : eq_.Phi[row];
}

std::unique_ptr<MechanismMotion> motions::augmented_momenta(MotionSetting setting) {
  require_linear_rows(setting.system, setting.q, setting.v, setting.formulation.name);
  auto solver =
      find_formulation_type("augmented-lagrangian")->create(setting.system.empty_equations(), setting.options);
  if (setting.options.canonical_form == "basic")
    return std::make_unique<CanonicalBasicMotion>(setting.system, setting.options, std::move(solver),
                                                  std::move(setting.stabilization));
  return std::make_unique<CanonicalAugmentedMotion>(setting.system, setting.options, std::move(solver),
                                                    std::move(setting.stabilization));
}

}  // namespace bricard
