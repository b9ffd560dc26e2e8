#include "papers/algebra_cost.h"

#include <stdexcept>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "formulations/formulation.h"
#include "io/model/generate.h"
#include "papers/timing.h"
#include "system/typical_inertia.h"

namespace bricard {

AlgebraCosts algebra_costs(const std::shared_ptr<const Model>& model, const std::string& coordinates,
                           const std::vector<std::string>& formulations, int rounds) {
  const CoordinatesType& type = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, type);
  System system(model, type);
  start_at(system, assembly);
  Equations eq = system.empty_equations();
  system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  const FormulationOptions options{.typical_inertia = typical_inertia(system)};
  std::vector<std::unique_ptr<Formulation>> created;
  std::vector<std::function<double()>> candidates;
  Vector vdot(eq.velocities()), lambda(eq.rows());
  for (const std::string& name : formulations) {
    created.push_back(find_formulation_type(name)->create(eq, options));
    candidates.emplace_back([&, formulation = created.back().get(), name] {
      return seconds_per_call([&] {
        if (formulation->factorize(eq) != Status::ok || formulation->solve(eq.Q, eq.gamma, vdot, lambda) != Status::ok)
          throw std::logic_error(name + ": " + formulation->failure());
      });
    });
  }
  return {eq.velocities(), eq.rows(), smallest_times(rounds, candidates)};
}

std::shared_ptr<const Model> chain_of(int rods) {
  for (const GeneratorType& type : generator_types()) {
    if (type.name == std::string("hanging-chain")) return load_text(type.generate(rods), "hanging chain");
  }
  throw std::logic_error("no hanging chain");
}

}  // namespace bricard
