// A model, assembled, as a System at its start with the equations there: what tests of algebra and of motions begin
// with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyses/assembly/assembly.h"
#include "system/system.h"

namespace bricard::testing_support {

struct Started {
  explicit Started(const std::shared_ptr<const Model>& model, const std::string& coordinates = "reference-point")
      : assembly(assemble(model, *find_coordinates_type(coordinates))),
        system(model, *find_coordinates_type(coordinates)),
        eq(system.empty_equations()) {
    EXPECT_TRUE(assembly.ok) << assembly.message;
    start_at(system, assembly);
    system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  }

  Assembly assembly;
  System system;
  Equations eq;
};

}  // namespace bricard::testing_support
