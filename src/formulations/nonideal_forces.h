// What a formulation has beside Formulation if its equation has a place of its own for generalised forces C of
// constraints that do work (friction in proportion to the joints' loads):  M v' + P^T lambda = Q + C.
#pragma once

#include "formulations/formulation.h"

namespace bricard {

class NonidealForces {
 public:
  virtual ~NonidealForces() = default;
  virtual Status solve_nonideal(ConstVector Q, ConstVector C, ConstVector gamma, VectorRef vdot, VectorRef lambda) = 0;
};

}  // namespace bricard
