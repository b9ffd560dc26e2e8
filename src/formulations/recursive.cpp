// `recursive`: M^-1 = W^T W by recursion over the tree of the coordinates (tree_dynamics.h), so that M is neither
// evaluated nor factorised; loops and drives by their multipliers,
//   z = W Q,   Z = W P^T,   Z^T Z lambda = Z^T z - gamma,   v' = W^T (z - Z lambda)        [Jalon-Bayo section 5.3;
//                                                                                          Featherstone 2008, 8.5]
// An open tree costs time linear in its size; a closing row a sweep over its path to the ground, and as much for every
// row with which it shares a part of it.
#include "coordinates/articulated_bodies.h"
#include "formulations/formulation.h"
#include "formulations/proximal_multipliers.h"
#include "system/system.h"

namespace bricard::formulations {
namespace {

class Recursive : public Formulation {
 public:
  Recursive(const Equations& pattern, const FormulationOptions& options)
      : mass_(dynamic_cast<ArticulatedBodies&>(*options.mass_solver)),
        rows_(pattern.P, mass_.tree(), options),
        z_(pattern.Q.size()) {}

  Status factorize(const Equations& eq) override {
    if (!mass_.factorize()) {
      failure_ = "a body of the tree can move in a direction without inertia";
      return Status::failed;
    }
    if (rows_.factorize(eq.P)) return Status::ok;
    failure_ = rows_.failure();
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    z_ = Q;
    mass_.tree().reduce(z_.data());
    rows_.solve(gamma, z_, lambda);
    mass_.tree().restore(z_.data());
    vdot = z_;
    if (vdot.allFinite() && lambda.allFinite()) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return rows_.rank(); }

 private:
  ArticulatedBodies& mass_;
  ProximalMultipliers rows_;
  Vector z_;
  const char* failure_ = "";
};

}  // namespace

FormulationType recursive() {
  return {
      .name = "recursive",
      .description = "recursion over the tree of relative coordinates (articulated bodies), loops by multipliers",
      .source = "Featherstone 2008, section 7.3; Jalon-Bayo section 5.3",
      .traits = {.redundant_rows = true,
                 .singular_mass = false,
                 .unique_multipliers = false,
                 .tree_only = true,
                 .mass_matrix = false,
                 .smallest_rank_threshold = 1e-7,
                 .cost = "linear in bodies for trees and chains of loops; cubic in the rows that close loops through "
                         "the same joints"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return std::make_unique<Recursive>(pattern, options);
      },
      .engine = Engine::tree,
      .misfit = [](const System& system) -> std::string {
        return system.coordinates().mass_solver() ? ""
                                                  : std::string("coordinates '") + system.coordinates_type().name +
                                                        "' are not those of a tree; use coordinates 'relative'";
      }};
}

}  // namespace bricard::formulations
