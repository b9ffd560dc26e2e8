// Every formulation moves in the state that it names.
#include "motions/create_motion.h"

#include <gtest/gtest.h>

#include "analyses/assembly/assembly.h"
#include "analyses/structure/structure.h"
#include "support/models.h"
#include "support/started.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace create_motion_test {

/// Components before friction and work, of n positions and velocities, m rows and f freedoms.
int expected_size(State state, int n, int m, int f) {
  switch (state) {
    case State::full: return n + n;
    case State::independent: return f + f;
    case State::closing: return f + f;
    case State::extended: return n + f;
    case State::momenta: return n + n;
    case State::independent_momenta: return n + f;
    case State::reduced_momenta: return f + f;
    case State::augmented_momenta: return n + n + m;
  }
  return -1;
}

TEST(CreateMotion, HasTheStateThatTheFormulationNames) {
  const auto model = testing_support::shipped("four-bar");
  for (const FormulationType& type : formulation_types()) {
    SCOPED_TRACE(type.name);
    testing_support::Started start(model, type.traits.tree_only ? "relative" : "reference-point");
    auto& [assembly, system, _] = start;
    const Structure structure = analyze_structure(system, assembly.q, assembly.v);
    const auto motion = create_motion({.system = system,
                                       .formulation = type,
                                       .options = {.typical_inertia = typical_inertia(system)},
                                       .stabilization = find_stabilization_type("none")->create(system, {}),
                                       .q = assembly.q,
                                       .v = assembly.v,
                                       .dynamics = *find_dynamics_type(type.engine)});
    ASSERT_NE(motion, nullptr);
    const int n = system.velocity_size();
    ASSERT_EQ(system.position_size(), n);
    EXPECT_EQ(motion->size(), expected_size(type.state, n, system.row_count(), n - structure.rank) + 1);
    // It is at (q, v) in any of them.
    Vector x(motion->size()), q(n), v(n);
    motion->pack(0, assembly.q, assembly.v, x);
    ASSERT_EQ(motion->unpack(0, x, q, v), Status::ok);
    EXPECT_LT((q - assembly.q).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LT((v - assembly.v).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + assembly.v.lpNorm<Eigen::Infinity>()));
  }
}

}  // namespace create_motion_test
}  // namespace bricard
