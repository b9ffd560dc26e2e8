// What the algebra of formulations costs at one instant: factorize() and solve() of the equations at a model's start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

struct AlgebraCosts {
  int coordinates = 0, constraints = 0;
  std::vector<double> seconds;  // of each formulation, the smallest of the rounds
};

AlgebraCosts algebra_costs(const std::shared_ptr<const Model>& model, const std::string& coordinates,
                           const std::vector<std::string>& formulations, int rounds);

/// A planar chain of rods between two supports, of three coordinates a rod.
std::shared_ptr<const Model> chain_of(int rods);

}  // namespace bricard
