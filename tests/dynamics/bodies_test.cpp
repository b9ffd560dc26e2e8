// Runs over the graph of the joints, beside those of the whole system. What one evaluation promises: DynamicsContract.
#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/motion_over.h"
#include "support/started.h"

namespace bricard {
namespace bodies_test {

TEST(Bodies, AllocateNothingInAStep) {
  for (const char* name : {"n-four-bar", "spatial-chain", "four-bar", "mcpherson", "bennett", "stick-slip"}) {
    const auto model = testing_support::generated_or_shipped(name, 10);
    testing_support::Started start(model);
    auto& [assembly, system, _] = start;
    const auto motion = testing_support::motion_over(
        system, assembly.q, assembly.v,
        {.engine = "bodies", .stabilization = "projection", .redundant = std::string(name) == "bennett" ? 3 : 0});
    Vector x(motion->size()), xdot(motion->size());
    motion->pack(0, assembly.q, assembly.v, x);
    ASSERT_EQ(motion->derivative(0, x, xdot), Status::ok) << name << ": " << motion->failure();
    const VectorRef state = x, rate = xdot;
    const AllocationCounter counter;
    for (int k = 1; k < 5; ++k) {
      motion->derivative(1e-6 * k, state, rate);
      x += 1e-6 * xdot;
      motion->correct_candidate(1e-6 * k, state);
      motion->derivative(1e-6 * k, state, rate);
      motion->after_step(1e-6 * k, state);
    }
    EXPECT_EQ(counter.count(), 0) << name;
  }
}

/// Drifts of a run over the bodies and by the dense equations of the whole system.
struct Drifts {
  double energy, position, velocity;
};
Drifts drifts(const std::shared_ptr<const Model>& model, const std::string& formulation, double tolerance,
              double duration) {
  Method method;
  method.coordinates = "reference-point";
  method.formulation = formulation;
  method.stabilization = "projection";
  method.integrator = "dopri5";
  method.tolerance = tolerance;
  method.duration = duration;
  method.output_step = 0.1;
  const SimulationResult result = simulate(model, method);
  EXPECT_TRUE(result.summary.completed) << result.summary.failure;
  return {result.summary.energy_drift, result.summary.constraint_position_max, result.summary.constraint_velocity_max};
}

TEST(Bodies, DriftNoMoreThanTheDensePath) {
  for (const char* name : {"n-four-bar", "spatial-chain", "four-bar", "double-pendulum", "bennett"}) {
    const auto model = testing_support::generated_or_shipped(name, 6);
    const bool redundant = std::string(name) == "bennett";
    for (double tolerance : {1e-4, 1e-8}) {
      const Drifts bodies = drifts(model, redundant ? "lagrange-proximal" : "lagrange", tolerance, 2);
      const Drifts dense = drifts(model, "lagrange-pseudoinverse", tolerance, 2);
      // Rounding decides below these.
      EXPECT_LE(bodies.energy, 1.1 * dense.energy + 1e-11) << name << " " << tolerance;
      EXPECT_LE(bodies.position, 1.1 * dense.position + 1e-12) << name << " " << tolerance;
      EXPECT_LE(bodies.velocity, 1.1 * dense.velocity + 1e-11) << name << " " << tolerance;
    }
  }
}

}  // namespace bodies_test
}  // namespace bricard
