// The rank of the constraints: how clearly it is decided, and whether it belongs to the mechanism or to this position.
//   redundant: rows that depend on the others at every assembled position
//   singular: the rank is lower here than at positions beside it, so that branches of the motion may cross
#pragma once

#include "bricard/diagnosis.h"
#include "system/system.h"

namespace bricard {

/// `q`, `v`: an assembled state; the system is left evaluated there.
RankDiagnosis diagnose_rank(System& system, ConstVector q, ConstVector v);

}  // namespace bricard
