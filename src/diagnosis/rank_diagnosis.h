// The rank of the constraints: how clearly it is decided, and whether it belongs to the mechanism or to this position.
//   redundant: rows that depend on the others at every assembled position
//   singular: the rank is lower here than at positions beside it, so that branches of the motion may cross
#pragma once

#include "system/system.h"

namespace bricard {

struct RankDiagnosis {
  bool measured = false;  // singular values and positions beside need dense decompositions: not for large models
  int rows = 0;
  int rank = 0;                  // here
  int generic_rank = 0;          // the largest at positions beside
  Vector singular_values;        // of the dimensionless constraints, descending, over the largest
  double smallest_counted = 1;   // the last one above the gap
  double largest_neglected = 0;  // the first one below it
  double nearness = 1;         // to a singular position: singular value of the generic rank over the largest; 0 at one
  double nearness_beside = 0;  // the largest at positions beside
  int positions_tested = 0;    // beside this one, by random steps and along a short motion
  Vector beside;               // one of them with the generic rank; empty if none was found

  int redundant() const { return rows - generic_rank; }
  int lost_here() const { return generic_rank - rank; }
};

/// `q`, `v`: an assembled state; the system is left evaluated there.
RankDiagnosis diagnose_rank(System& system, ConstVector q, ConstVector v);

}  // namespace bricard
