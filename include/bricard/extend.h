// Joints, forces, formulations and integrators beside those of the library. To be registered before anything is
// simulated or analysed, by one thread, under new names; from then on models, methods and tables of all types have
// them. Whatever the descriptions point to must live as long as the program.
//
// Each type is described where its interface is, in headers of the engine: a program that includes them links
// Bricard::extend (pkg-config: bricard-extend).
//   a joint         joints/row_builder.h        JointType: its rows and coordinates, by RowBuilder
//   a force         forces/force_element.h      ForceType and a ForceElement
//   a formulation   formulations/formulation.h  FormulationType and a Formulation; dense ones: dense_equations.h
//   an integrator   integrators/integrator.h    IntegratorType and an Integrator; Runge-Kutta methods are tables:
//                                               integrators/explicit/explicit_runge_kutta.h
// bricard/testing.h holds them to the contracts of the library's own. A force that is a plain function needs none of
// this: see ModelBuilder::force.
#pragma once

namespace bricard {

struct JointType;
struct ForceType;
struct FormulationType;
struct IntegratorType;

/// Throw InputError for a name that exists, or when it is too late.
void register_joint(const JointType& type);
void register_force(const ForceType& type);
void register_formulation(const FormulationType& type);
void register_integrator(const IntegratorType& type);

}  // namespace bricard
