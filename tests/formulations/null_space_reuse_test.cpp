// Null spaces that are kept for some time ("Maggi-like" delay): the same accelerations and multipliers as with a new
// one each time, along a motion, through singular positions and after a jump.
#include <gtest/gtest.h>

#include <cstdio>

#include "analyses/assembly/assembly.h"
#include "integrators/integrator.h"
#include "reference/reference.h"
#include "support/allocation_counter.h"
#include "support/motion_over.h"

namespace bricard::testing_support {
namespace null_space_reuse_test {

struct Counts {
  explicit Counts(const std::string& report) {
    EXPECT_EQ(std::sscanf(report.c_str(), "null space computed %ld times, reused %ld times", &computed, &reused), 2)
        << report;
  }
  long computed = 0, reused = 0;
};

/// States along a motion in steps of 0.01 s, on the constraints.
struct Track {
  explicit Track(const std::shared_ptr<const Model>& model, int steps)
      : system(model, *find_coordinates_type("reference-point")), eq(system.empty_equations()) {
    const Assembly assembly = assemble(model, system.coordinates_type());
    const auto motion =
        motion_over(system, assembly.q, assembly.v,
                    {.formulation = "lagrange-pseudoinverse", .stabilization = "projection", .within_steps = true});
    IntegratorOptions of_steps;
    of_steps.step = 0.01;
    const auto integrator = find_integrator_type("rk4")->create(of_steps);
    Vector x(motion->size()), q(assembly.q), v(assembly.v);
    motion->pack(0, q, v, x);
    EXPECT_EQ(integrator->start(*motion, 0, x), Status::ok);
    for (int k = 0; k < steps; ++k) {
      EXPECT_EQ(integrator->step(0.01 * steps), Status::ok) << integrator->failure();
      motion->unpack(integrator->time(), integrator->state(), q, v);
      states.emplace_back(q, v);
    }
  }
  const Equations& at(std::size_t k) {
    system.evaluate(0, states[k].first, states[k].second, Vector::Zero(system.state_size()), Upto::dynamics, eq);
    return eq;
  }
  std::unique_ptr<Formulation> create(const std::string& name, double reuse) {
    FormulationOptions options;
    options.reuse = reuse;
    options.typical_inertia = typical_inertia(system);
    return find_formulation_type(name)->create(eq, options);
  }
  System system;
  Equations eq;
  std::vector<std::pair<Vector, Vector>> states;
};

class NullSpaceReuse : public ::testing::TestWithParam<std::string> {
 protected:
  /// Compares at every state; returns the counts.
  Counts compare(Track& track, double reuse, double tolerance, std::size_t stride = 1) const {
    const auto old = track.create(GetParam(), reuse), fresh = track.create(GetParam(), 0);
    EXPECT_EQ(fresh->report(), "");
    Vector vdot(track.eq.velocities()), lambda(track.eq.rows()), expected_vdot(vdot), expected_lambda(lambda);
    for (std::size_t k = 0; k < track.states.size(); k += stride) {
      const Equations& eq = track.at(k);
      EXPECT_EQ(old->factorize(eq), Status::ok) << old->failure();
      EXPECT_EQ(old->solve(eq.Q, eq.gamma, vdot, lambda), Status::ok);
      EXPECT_EQ(fresh->factorize(eq), Status::ok);
      EXPECT_EQ(fresh->solve(eq.Q, eq.gamma, expected_vdot, expected_lambda), Status::ok);
      EXPECT_LT((eq.P * vdot - eq.gamma).norm(), 1e-12 * (1 + eq.gamma.norm() + vdot.norm()));
      EXPECT_LT((vdot - expected_vdot).norm(), tolerance * (1 + expected_vdot.norm()));
      EXPECT_LT((lambda - expected_lambda).norm(), tolerance * (1 + expected_lambda.norm()));
      EXPECT_EQ(old->rank(), fresh->rank());
    }
    return Counts(old->report());
  }
};

TEST_P(NullSpaceReuse, GivesTheSameAlongARedundantMotion) {
  Track track(shipped("five-bar"), 200);
  const Counts counts = compare(track, 0.1, 1e-11);
  EXPECT_EQ(counts.computed + counts.reused, 200);
  EXPECT_GT(counts.computed, 1);
  EXPECT_GT(counts.reused, 3 * counts.computed);
  // The smaller the allowance, the more often it is computed.
  EXPECT_GT(compare(track, 0.01, 1e-11).computed, counts.computed);
  // A huge allowance: B stays as long as [P; B] is regular.
  EXPECT_LT(compare(track, 1e9, 1e-8).computed, counts.computed);
}

TEST_P(NullSpaceReuse, GivesTheSameInSpace) {
  Track regular(shipped("mcpherson"), 50), redundant(shipped("mcpherson-overconstrained"), 50);
  EXPECT_GT(compare(regular, 0.05, 1e-10).reused, 20);
  EXPECT_GT(compare(redundant, 0.05, 1e-10).reused, 20);
}

TEST_P(NullSpaceReuse, GivesTheSamePastSingularPositionsAndJumps) {
  Track track(shipped("five-bar", {{"theta0", "30 deg"}}), 200);
  EXPECT_GT(compare(track, 0.1, 1e-7).reused, 50);
  EXPECT_GT(compare(track, 0.1, 1e-7, 23).computed, 3);
}

TEST_P(NullSpaceReuse, AllocatesNothing) {
  Track track(shipped("mcpherson-overconstrained"), 2);
  const auto formulation = track.create(GetParam(), 0.5);
  Vector vdot(track.eq.velocities()), lambda(track.eq.rows());
  const auto evaluate = [&](const Equations& eq) {
    const ConstVector Q = eq.Q, gamma = eq.gamma;
    EXPECT_EQ(formulation->factorize(eq), Status::ok);
    EXPECT_EQ(formulation->solve(Q, gamma, vdot, lambda), Status::ok);
  };
  evaluate(track.at(0));
  const Equations next = track.at(1);
  const AllocationCounter counter;
  for (int k = 0; k < 10; ++k) evaluate(next);
  EXPECT_EQ(counter.count(), 0);
}

TEST_P(NullSpaceReuse, IsReportedAfterARun) {
  Method method = accurate(1, 1, 1e-8);
  method.formulation = GetParam();
  method.reuse = 0.1;
  const SimulationResult result = run(shipped("five-bar"), method);
  const auto& messages = result.summary.messages;
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [](const std::string& text) { return text.starts_with("null space"); });
  ASSERT_NE(found, messages.end());
  EXPECT_GT(Counts(*found).reused, Counts(*found).computed);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const FormulationType& type : formulation_types()) {
    if (std::string(type.name).starts_with("nullspace-")) all.emplace_back(type.name);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, NullSpaceReuse, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace null_space_reuse_test
}  // namespace bricard::testing_support
