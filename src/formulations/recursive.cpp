// `recursive`: M^-1 = W^T W by recursion over the tree of the coordinates, so that M is neither evaluated nor
// factorised; loops and drives by their multipliers,
//   z = W Q,   Z = W P^T,   Z^T Z lambda = Z^T z - gamma,   v' = W^T (z - Z lambda)
//                                                                      [Jalon-Bayo section 5.3; Featherstone 2008, 8.5]
// The algebra is the engine's: dynamics/tree/tree.cpp. An open tree costs time linear in its size; a closing row a
// sweep over its path to the ground, and as much for every row with which it shares a part of it.
#include "formulations/formulation.h"
#include "system/system.h"

namespace bricard::formulations {

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
                 // S = Z^T Z is a square of P too. The engine has tolerances of its own for the pivots of S
                 // (linear/block/delassus.h): the threshold is for lagrange-pseudoinverse, if a rescue comes to that.
                 .smallest_rank_threshold = smallest_squared_threshold,
                 .cost = "linear in bodies for trees and chains of loops; cubic in the rows that close loops through "
                         "the same joints"},
      .engine = "tree",
      .misfit = [](const System& system) -> std::string {
        return system.coordinates().spanning_tree() ? ""
                                                    : std::string("coordinates '") + system.coordinates_type().name +
                                                          "' are not those of a tree; use coordinates 'relative'";
      }};
}

}  // namespace bricard::formulations
