#include "analyses/choice/choose_state.h"

#include <fmt/format.h>

#include <string_view>

#include "bricard/input_error.h"

namespace bricard {
namespace {

bool is_left_to_auto(const Method& method) { return method.state.empty() || method.state == "auto"; }

/// What serves in its place is said by whoever throws.
std::string cannot_be_used(const Method& method, const FormulationType& formulation) {
  return fmt::format("state '{}' cannot be used with formulation '{}'", method.state, formulation.name);
}

}  // namespace

const char* name_of(State state) {
  switch (state) {
#define STATE(name) \
  case State::name: \
    return #name;
#include "formulations/states.def"
#undef STATE
  }
  return "";
}

bool state_needs_matrices(const Method& method) { return !is_left_to_auto(method) && method.state != "full"; }

State state_of(const Method& method, const FormulationType& formulation) {
  if (is_left_to_auto(method)) return formulation.state;
#define STATE(name) \
  if (method.state == #name) return State::name;
#include "formulations/states.def"
#undef STATE
  return formulation.state;
}

std::string name_with_state(const Method& method, const FormulationType& formulation) {
  if (state_of(method, formulation) == formulation.state) return formulation.name;
  return fmt::format("{}, state {}", formulation.name, method.state);
}

void refuse_state_misfit(const Method& method, const FormulationType& formulation, const System& system) {
  const State state = state_of(method, formulation);
  if (state == formulation.state) return;
  if (formulation.state != State::full) {
    throw InputError(
        fmt::format("{}: its algebra is that of the state '{}'; use state 'auto', or a formulation that solves for all "
                    "accelerations, 'lagrange' or 'nullspace-svd'",
                    cannot_be_used(method, formulation), name_of(formulation.state)));
  }
  if (!formulation.create) {
    throw InputError(fmt::format(
        "{}: it goes over the bodies without matrices of the system, by which the other coordinates are found; use "
        "'lagrange' or 'nullspace-svd'",
        cannot_be_used(method, formulation)));
  }
  if (state != State::independent) return;
  if (!system.coordinates().velocities_are_rates()) {
    throw InputError(fmt::format(
        "state 'independent' needs coordinates whose velocities are their rates, which '{}' are not in space; use "
        "'euler-zxz' or 'auto', or state 'extended'",
        system.coordinates_type().name));
  }
  for (int row = 0; row < system.row_count(); ++row) {
    if (!system.rows()[row].velocity_level) continue;
    throw InputError(fmt::format(
        "state 'independent' finds positions from as many coordinates as there are independent velocities, but {} "
        "restricts velocities alone; use state 'extended'",
        system.row_name(row)));
  }
}

void refuse_state_misfit(const Method& method, const FormulationType& formulation, const IntegratorType& integrator) {
  if (!integrator.create_for || state_of(method, formulation) == State::full) return;
  if (state_of(method, formulation) == formulation.state) {
    throw InputError(fmt::format(
        "integrator '{}' integrates the constrained equations in all coordinates, formulation '{}' has a state of its "
        "own; use formulation 'auto'",
        integrator.name, formulation.name));
  }
  throw InputError(fmt::format(
      "integrator '{}' integrates the constrained equations in all coordinates: state must be 'full' or 'auto', not "
      "'{}'",
      integrator.name, method.state));
}

void refuse_state_misfit(const Method& method, const FormulationType& formulation,
                         const StabilizationType& stabilization) {
  if (stabilization.name == std::string_view("none")) return;
  if (state_of(method, formulation) == formulation.state && formulation.traits.corrections) return;
  throw InputError(
      fmt::format("{} satisfies the constraints by itself: stabilization must be 'none' or 'auto', not "
                  "'{}'",
                  state_of(method, formulation) == formulation.state ? fmt::format("formulation '{}'", formulation.name)
                                                                     : fmt::format("state '{}'", method.state),
                  stabilization.name));
}

}  // namespace bricard
