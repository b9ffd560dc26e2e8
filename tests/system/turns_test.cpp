// Full turns of hinges in space are counted from accepted instants, and an instant can be given up.
#include <gtest/gtest.h>

#include "support/models.h"
#include "system/system.h"

namespace bricard {
namespace turns_test {

TEST(Turns, AreNotCountedFromAnInstantThatIsGivenUp) {
  System system(testing_support::generated("spatial-chain", 1), *find_coordinates_type("reference-point"));
  Equations eq = system.empty_equations();
  Vector q(system.position_size());
  system.coordinates().reference(q);
  Vector still = Vector::Zero(system.velocity_size());
  Vector wild = still;
  wild.tail(3).setConstant(1000);  // it spins at 1000 rad/s about all axes
  const auto accept = [&](double t, const Vector& v) {
    system.evaluate(t, q, v, Vector(), Upto::velocities, eq);
    if (!system.turns_are_certain(t)) return false;
    system.accept(t);
    return true;
  };
  ASSERT_TRUE(accept(0, still));
  ASSERT_TRUE(accept(1e-3, wild));  // a change of 1000 rad/s within 1 ms is a radian
  EXPECT_FALSE(accept(-1, still));  // from there a second back could be many turns
  system.take_back();
  EXPECT_TRUE(accept(-1, still));  // from rest it is none
}

}  // namespace turns_test
}  // namespace bricard
