// Joints, formulations and integrators beside those of the library. To be registered before anything is simulated or
// analysed, by one thread, under new names; from then on models, methods and tables of all types have them. Whatever
// the descriptions point to must live as long as the program. Each type is described where its interface is:
// model/joint_type.h, formulations/formulation.h, integrators/integrator.h.
#pragma once

namespace bricard {

struct JointType;
struct FormulationType;
struct IntegratorType;

/// Throw InputError for a name that exists, or when it is too late.
void register_joint(const JointType& type);
void register_formulation(const FormulationType& type);
void register_integrator(const IntegratorType& type);

}  // namespace bricard
