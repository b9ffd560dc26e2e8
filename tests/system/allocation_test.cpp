// Constructing allocates, evaluating never does.
#include <gtest/gtest.h>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "formulations/formulation.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/motion_over.h"

namespace bricard {
namespace allocation_test {

std::shared_ptr<const Model> read(const std::string& name) { return testing_support::generated_or_shipped(name, 40); }

long allocations_of_an_evaluation(const std::string& name, const std::string& coordinates,
                                  const std::string& formulation, const std::string& stabilization) {
  const auto model = read(name);
  const CoordinatesType& type = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, type);
  EXPECT_TRUE(assembly.ok);
  System system(model, type);
  start_at(system, assembly);
  const FormulationType& of = *find_formulation_type(formulation);
  const auto motion = testing_support::motion_over(system, assembly.q, assembly.v,
                                                   {.engine = std::string(of.engine) == "tree" ? "tree" : "whole",
                                                    .formulation = of.name,
                                                    .stabilization = stabilization.c_str()});
  if (of.state == State::closing && !motion) return 0;  // its loops have no closed form
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(0, assembly.q, assembly.v, x);
  EXPECT_EQ(motion->derivative(0, x, xdot), Status::ok) << motion->failure();  // libraries may set themselves up once
  const ConstVector state = x;
  const VectorRef rate = xdot;
  const AllocationCounter counter;
  for (int k = 0; k < 10; ++k) motion->derivative(1e-3 * k, state, rate);
  return counter.count();
}

TEST(Allocation, NoneWhileEvaluating) {
  for (const char* name :
       {"pendulum", "four-bar", "mcpherson", "rolling-coin", "friction-incline", "car-axis", "exudyn-joints",
        "spinning-top", "driven-slider-crank", "geared-pair", "controlled-double-rod", "double-pendulum"}) {
    for (const FormulationType& formulation : formulation_types()) {
      const bool by_rates = formulation.traits.rates_only && !read(name)->planar();
      const char* const coordinates = formulation.traits.tree_only ? "relative"
                                      : by_rates                   ? "euler-zxz"
                                                                   : "reference-point";
      EXPECT_EQ(allocations_of_an_evaluation(name, coordinates, formulation.name, "baumgarte"), 0)
          << name << " " << formulation.name;
    }
  }
}

TEST(Allocation, NoneInOtherCoordinates) {
  for (const char* coordinates : {"euler-zxz", "euler-parameters"}) {
    for (const char* formulation : {"lagrange", "lagrange-pseudoinverse"}) {
      EXPECT_EQ(
          allocations_of_an_evaluation("mcpherson-overconstrained", coordinates, "lagrange-pseudoinverse", "none"), 0)
          << coordinates;
      EXPECT_EQ(allocations_of_an_evaluation("mcpherson", coordinates, formulation, "none"), 0) << coordinates;
    }
  }
}

TEST(Allocation, NoneInLargeSparseSystems) {
  EXPECT_EQ(allocations_of_an_evaluation("n-four-bar", "reference-point", "lagrange", "none"), 0);
  EXPECT_EQ(allocations_of_an_evaluation("spatial-chain", "reference-point", "lagrange", "none"), 0);
}

}  // namespace allocation_test
}  // namespace bricard
