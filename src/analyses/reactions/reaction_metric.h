// Where joint reactions are not unique, the ones of least norm are reported, and the norm needs a length that makes
// moments comparable to forces. Does the answer depend on that length?
//   N: what the joints can carry among themselves without moving anything (null space of the distribution matrix B^T)
// It does not if N is made of forces alone and of moments alone: dim N = dim N(moments zero) + dim N(forces zero). Then
// forces and moments are minimised apart, whatever the length. Otherwise a couple of forces can stand for a moment, and
// the length decides how much of either is reported.
#pragma once

#include "system/system.h"

namespace bricard {

/// At the state (q, v) and t = 0, where the system is left.
bool depends_on_length(System& system, ConstVector q, ConstVector v);

}  // namespace bricard
