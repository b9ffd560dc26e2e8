#include "analyses/choice/choose_dynamics.h"

#include <fmt/format.h>

#include "analyses/choice/choose_state.h"
#include "bricard/input_error.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

const DynamicsType& whole() { return *find_dynamics_type("whole"); }

bool is(const DynamicsType& engine, const char* name) { return std::string(engine.name) == name; }

std::string unknown_dynamics(const std::string& name) {
  std::vector<std::string> names = names_of(dynamics_types());
  names.insert(names.begin(), "auto");
  return fmt::format("unknown dynamics '{}'{}", name, suggestion(name, names));
}

}  // namespace

bool dynamics_are_free(const Method& method) { return method.dynamics.empty() || method.dynamics == "auto"; }

std::string engine_misfit(const DynamicsType& engine, const DynamicsSetting& s) {
  if (is(engine, "whole")) {
    if (s.formulation.create || s.formulation.state != State::full) return {};
    return fmt::format("formulation '{}' has no algebra of matrices", s.formulation.name);
  }
  if (!is(engine, s.formulation.engine))
    return fmt::format("{}, not of formulation '{}'", engine.equations, s.formulation.name);
  if (state_of(s.method, s.formulation) != State::full)
    return fmt::format("state '{}' takes matrices of the whole system", s.method.state);
  if (s.integrator.create_for && s.formulation.create)
    return fmt::format("integrator '{}' takes matrices of the whole system", s.integrator.name);
  if (s.stabilization.whole_only && s.system.row_count() > 0)
    return fmt::format("stabilization '{}' takes matrices of the whole system", s.stabilization.name);
  if (is(engine, "tree") && s.method.pseudoinverse != FormulationOptions().pseudoinverse)
    return fmt::format("it does without the pseudoinverse '{}'", s.method.pseudoinverse);
  return engine.misfit(s.system, s.redundant);
}

std::string describe(const DynamicsType& engine, const System& system, const FormulationType& formulation,
                     const IntegratorType& integrator) {
  // Integrators of the constrained equations have their matrices, and take from an engine only where they start.
  if (integrator.create_for)
    return fmt::format("{}, solved by {} itself", whole().describe(system, formulation), integrator.name);
  return engine.describe(system, formulation);
}

ChosenDynamics choose_dynamics(const DynamicsSetting& s) {
  const bool is_free = dynamics_are_free(s.method);
  const DynamicsType* engine = find_dynamics_type(is_free ? s.formulation.engine : s.method.dynamics);
  if (!engine) throw InputError(unknown_dynamics(s.method.dynamics));
  const std::string misfit = engine_misfit(*engine, s);
  if (misfit.empty()) return {engine, {}};
  if (is_free && s.formulation.create) return {&whole(), misfit};
  throw InputError(is_free ? fmt::format("formulation '{}' cannot be used here: {}", s.formulation.name, misfit)
                           : fmt::format("dynamics '{}' cannot be used here: {}; use '{}' or 'auto'", s.method.dynamics,
                                         misfit, s.formulation.create ? "whole" : s.formulation.engine));
}

std::vector<Rung> ladder_of(const LadderSetting& l) {
  const DynamicsSetting& s = l.setting;
  const int rows = s.system.row_count();
  // Dense pseudoinverses cost the cube of these.
  constexpr int largest_dense = 120;
  const bool is_small = s.system.velocity_size() + rows <= largest_dense;
  Rung rung{.dynamics = l.engine, .formulation = &s.formulation};
  std::vector<Rung> ladder;
  const auto add = [&](std::string sentence) {
    rung.sentence = std::move(sentence);
    ladder.push_back(rung);
  };
  if (state_of(s.method, s.formulation) != State::full) {
    add({});
    if (s.formulation.state == State::momenta && !l.redundant_at_start && is_small) {
      rung.by_pseudoinverse = true;
      add("velocities are found by the pseudoinverse of [M P^T; P 0]");
    }
    return ladder;
  }
  const bool corrects = s.stabilization.corrections && rows > 0;
  if (!is(*l.engine, "whole")) {
    // In a singular position more rows depend on others than everywhere else, for which those left out are counted; and
    // loads of redundant joints mean multipliers of least norm.
    rung.proximal = rows > 0 && (l.singular_start || (s.redundant > 0 && s.system.friction_depends_on_load()));
    add({});
    if (rows == 0) return ladder;
    if (!rung.proximal) {
      rung.proximal = true;
      add("multipliers are found by proximal refinement");
    }
    const bool stays = !l.engine_is_free || !s.formulation.create;
    if (stays && corrects) {
      rung.within_steps = true;
      add("states are also corrected within steps");
    }
    if (!l.engine_is_free) return ladder;
    rung.dynamics = &whole();
    rung.proximal = rung.within_steps = false;
  }
  if (s.formulation.create) {
    // Off the constraints, redundant rows are independent by the amount of the drift: ranks are decided on them.
    rung.within_steps = corrects && l.redundant_at_start;
    add(ladder.empty()
            ? std::string()
            : "accelerations are found by " + describe(*rung.dynamics, s.system, *rung.formulation, s.integrator));
    if (corrects && !rung.within_steps) {
      rung.within_steps = true;
      add("states are also corrected within steps");
    }
  }
  if (l.formulation_is_free && is_small && corrects && s.system.has_mass_matrix()) {
    rung.formulation = find_formulation_type("lagrange-pseudoinverse");
    rung.within_steps = true;
    add("accelerations are found by lagrange-pseudoinverse");
  }
  return ladder;
}

}  // namespace bricard
