// Which coordinates may be the independent ones q_I: those from which every loop closes explicitly. Each set is judged by
// how far it is from a dead point, |l . S_a|, and by how close its directions lie to the admissible motion in the metric of
// M, the product of cos^2 alpha.                                                 [Blajer-Schiehlen-Schirm (23), section 4]
#pragma once

#include "dynamics/closing/closing_conditions.h"

namespace bricard {

struct ClosingSet {
  std::vector<int> coordinates;  // ascending
  double regularity = 0;         // the smallest |l . S_a| over |l| and the loop's size
  double cosines = 0;            // the product of cos^2 alpha
};

struct ClosingSets {
  std::vector<ClosingSet> admissible;  // the best by cos^2 alpha first
  std::string problem;                 // of the set that leaves fewest joints over, if none is admissible
  bool complete = true;                // false: there were too many to try them all
};

/// At the instant of the equations, at which the system was evaluated last. `basis`: of the admissible velocities, n x F.
ClosingSets closing_sets(const System& system, const LoopGraph& graph, const Equations& equations, const Matrix& basis,
                         ConstVector q);

/// The coordinates that the rows of B are, ascending; empty if they are combinations.
std::vector<int> coordinates_of(const Matrix& B);
/// "crank.angle, slider.position"
std::string names_of(const System& system, const std::vector<int>& coordinates);

}  // namespace bricard
