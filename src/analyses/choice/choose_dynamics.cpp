#include "analyses/choice/choose_dynamics.h"

#include <fmt/format.h>

#include "bricard/input_error.h"
#include "linear/block/block_schedule.h"
#include "model/counted.h"
#include "model/nearest_name.h"
#include "motions/graph_motion.h"
#include "motions/loop_motion.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {
namespace {

/// The rows of each joint or motion are a block, or more where they are many.
std::size_t count_blocks(const System& system) {
  std::size_t blocks = 0;
  int in_block = 0;
  const std::vector<RowInfo>& rows = system.rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool continues = row > 0 && rows[row].owner == rows[row - 1].owner &&
                           rows[row].index == rows[row - 1].index && in_block < BlockSchedule::most_rows;
    in_block = continues ? in_block + 1 : 1;
    blocks += !continues;
  }
  return blocks;
}

std::string bodies_misfit(const DynamicsSetting& s) {
  if (s.formulation.engine != Engine::bodies) {
    return fmt::format("they have the equations of 'lagrange' and 'lagrange-proximal', not of formulation '{}'",
                       s.formulation.name);
  }
  if (s.integrator.create_for || s.integrator.implicit)
    return fmt::format("integrator '{}' takes matrices of the whole system", s.integrator.name);
  if (s.stabilization.whole_only)
    return fmt::format("stabilization '{}' takes matrices of the whole system", s.stabilization.name);
  return graph_motion_misfit(s.system, s.redundant);
}

std::string tree_misfit(const DynamicsSetting& s) {
  if (s.formulation.engine != Engine::tree)
    return fmt::format("it has the equations of 'recursive', not of formulation '{}'", s.formulation.name);
  if (s.integrator.create_for)
    return fmt::format("integrator '{}' takes matrices of the whole system", s.integrator.name);
  if (TreeMotion::suits(s.system)) return {};
  if (s.integrator.implicit)
    return fmt::format("integrator '{}' takes matrices of the whole system where there are constraints",
                       s.integrator.name);
  if (s.stabilization.whole_only)
    return fmt::format("stabilization '{}' takes matrices of the whole system", s.stabilization.name);
  if (s.method.pseudoinverse != FormulationOptions().pseudoinverse)
    return fmt::format("it does without the pseudoinverse '{}'", s.method.pseudoinverse);
  return loop_motion_misfit(s.system);
}

}  // namespace

const std::vector<EngineType>& engine_types() {
  static const std::vector<EngineType> types = {
      {Engine::whole, "whole", "the formulation's own algebra, on matrices of the whole system"},
      {Engine::bodies, "bodies",
       "lagrange and lagrange-proximal over the graph of the joints, block by block, in time linear in the bodies"},
      {Engine::tree, "tree", "recursive as a recursion over a tree of the bodies, loops by multipliers through it"}};
  return types;
}

const EngineType* find_engine_type(const std::string& name) {
  for (const EngineType& type : engine_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

const char* name_of(Engine engine) { return engine_types()[static_cast<std::size_t>(engine)].name; }

bool dynamics_are_free(const Method& method) { return method.dynamics.empty() || method.dynamics == "auto"; }

std::string engine_misfit(Engine engine, const DynamicsSetting& setting) {
  switch (engine) {
    case Engine::bodies: return bodies_misfit(setting);
    case Engine::tree: return tree_misfit(setting);
    default: return {};
  }
}

std::string describe(Engine engine, const System& system, const FormulationType& formulation,
                     const IntegratorType& integrator) {
  const std::string bodies = counted(system.model().bodies.size(), "body", "bodies");
  if (engine == Engine::bodies)
    return "bodies over the joint graph, " + counted(count_blocks(system), "block", "blocks");
  if (engine == Engine::tree) return "recursion over the tree, " + bodies;
  const auto rows = static_cast<std::size_t>(system.row_count());
  std::string text = "matrices of the whole system, ";
  if (formulation.traits.mass_matrix) {
    text += counted(static_cast<std::size_t>(system.velocity_size()) + rows, "unknown", "unknowns");
  } else {
    text += counted(rows, "constraint", "constraints") + " over a recursion of " + bodies;
  }
  return text + (integrator.create_for ? fmt::format(", solved by {} itself", integrator.name) : "");
}

ChosenDynamics choose_dynamics(const DynamicsSetting& s) {
  if (dynamics_are_free(s.method)) {
    const Engine fast = s.formulation.engine;
    if (fast == Engine::whole) return {};
    const std::string misfit = engine_misfit(fast, s);
    return misfit.empty() ? ChosenDynamics{fast, {}} : ChosenDynamics{Engine::whole, misfit};
  }
  const EngineType* type = find_engine_type(s.method.dynamics);
  if (!type) {
    std::vector<std::string> names = names_of(engine_types());
    names.insert(names.begin(), "auto");
    throw InputError(fmt::format("unknown dynamics '{}'{}", s.method.dynamics, suggestion(s.method.dynamics, names)));
  }
  if (const std::string misfit = engine_misfit(type->engine, s); !misfit.empty()) {
    throw InputError(
        fmt::format("dynamics '{}' cannot be used here: {}; use 'whole' or 'auto'", s.method.dynamics, misfit));
  }
  return {type->engine, {}};
}

}  // namespace bricard
