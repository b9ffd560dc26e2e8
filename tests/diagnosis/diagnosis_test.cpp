// Counts, dependent groups and unique reactions of mechanisms whose answers can be shown by hand.
#include "bricard/diagnosis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bricard/input_error.h"
#include "bricard/load.h"
#include "io/results/diagnosis_json.h"
#include "support/models.h"

namespace bricard {
namespace diagnosis_test {

using testing_support::shipped;

constexpr double degree = M_PI / 180;

Diagnosis diagnose_text(const std::string& text) { return diagnose(load_text("bricard: 1\n" + text, "test")); }

const UniqueReaction& reaction_of(const Diagnosis& d, const std::string& joint) {
  for (const UniqueReaction& reaction : d.reactions) {
    if (reaction.joint == joint) return reaction;
  }
  throw std::out_of_range(joint);
}

bool is_unique(const Diagnosis& d, const std::string& joint, const std::string& component) {
  for (const auto& [name, unique] : reaction_of(d, joint).components) {
    if (name == component) return unique;
  }
  throw std::out_of_range(component);
}

std::set<std::string> joints_of(const std::vector<SharedLoad>& loads) {
  std::set<std::string> names;
  for (const SharedLoad& load : loads) names.insert(load.joint);
  return names;
}

/// n cranks of 1 m side by side carry a platform; all pins have the z axis.
std::string parallelogram(int n, bool planar, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const std::string third = planar ? "" : ", 0";
  std::string text =
      fmt::format("dimension: {}\ngravity: [0, -9.81{}]\nbodies:\n", planar ? "planar" : "spatial", third);
  text += fmt::format("  platform: {{mass: 3, inertia: {}, center: [{}, {}{}]}}\n", planar ? "1" : "[1, 1, 1]",
                      0.5 * (n - 1) + c, s, third);
  std::string joints = "joints:\n";
  for (int k = 0; k < n; ++k) {
    text += fmt::format("  crank{}: {{mass: 1, inertia: {}, center: [{}, {}{}]}}\n", k + 1,
                        planar ? "1/12" : "[0.1, 0.1, 0.1]", k + c / 2, s / 2, third);
    joints += fmt::format("  A{}: {{type: revolute, bodies: [ground, crank{}], at: [{}, 0{}]{}}}\n", k + 1, k + 1, k,
                          third, planar ? "" : ", axis: [0, 0, 1]");
    joints += fmt::format("  B{}: {{type: revolute, bodies: [crank{}, platform], at: [{}, {}{}]{}}}\n", k + 1, k + 1,
                          k + c, s, third, planar ? "" : ", axis: [0, 0, 1]");
  }
  return text + joints;
}

class ParallelCranks : public testing::TestWithParam<int> {};

// Planar, n cranks at 60 degrees. The axial forces of the cranks act on the platform along one direction at n points of
// a line: 2 equations (force, moment), so n - 2 of them are free, any 3 cranks can be in self-stress, and the force
// across a crank follows from its own moment balance: unique.
TEST_P(ParallelCranks, PlanarCranksShareTheirAxialForces) {
  const int n = GetParam();
  const double angle = 60 * degree;
  const Diagnosis d = diagnose_text(parallelogram(n, true, angle));
  EXPECT_EQ(d.structure.constraints, 4 * n);
  EXPECT_EQ(d.structure.rank, 3 * n + 2);
  EXPECT_EQ(d.structure.degrees_of_freedom, 1);
  EXPECT_EQ(d.rank.generic_rank, 3 * n + 2);
  EXPECT_FALSE(d.depends_on_length);
  if (n == 2) {
    EXPECT_TRUE(d.groups.empty());
    for (const UniqueReaction& reaction : d.reactions) EXPECT_TRUE(reaction.unique) << reaction.joint;
    return;
  }
  ASSERT_EQ(d.groups.size(), 1U);
  EXPECT_EQ(d.groups[0].excess, n - 2);
  EXPECT_EQ(d.groups[0].only_here, 0);
  EXPECT_EQ(joints_of(d.groups[0].loads).size(), 2U * n);
  const Vec3 along(std::cos(angle), std::sin(angle), 0);
  for (const UniqueReaction& reaction : d.reactions) {
    ASSERT_EQ(reaction.free_forces.cols(), 1) << reaction.joint;
    EXPECT_LT(Vec3(reaction.free_forces.col(0)).cross(along).norm(), 1e-9);
    EXPECT_EQ(reaction.free_moments.cols(), 0);
    EXPECT_FALSE(is_unique(d, reaction.joint, "fx"));
    EXPECT_FALSE(is_unique(d, reaction.joint, "fy"));
    EXPECT_TRUE(is_unique(d, reaction.joint, "mz"));
    EXPECT_EQ(reaction.words, fmt::format("the force along crank{} is not unique", reaction.joint[1]));
  }
  if (n > 3) {
    EXPECT_EQ(static_cast<int>(d.groups[0].minimal.size()), n * (n - 1) * (n - 2) / 6);
    EXPECT_TRUE(d.groups[0].all_minimal);
    for (const MinimalGroup& minimal : d.groups[0].minimal) EXPECT_EQ(minimal.loads.size(), 6U);
  }
  // Exactly constrained by n - 2 pins in slots.
  ASSERT_FALSE(d.releases.empty());
  EXPECT_EQ(d.releases[0].constraints, 3 * n + 2);
  EXPECT_EQ(d.releases[0].rank, 3 * n + 2);
  EXPECT_EQ(static_cast<int>(d.releases[0].changes.size()), n - 2);
}

// With the cranks upright, along is y, and the x components are unique.
TEST_P(ParallelCranks, UprightCranksHaveUniqueXForces) {
  const int n = GetParam();
  const Diagnosis d = diagnose_text(parallelogram(n, true, 90 * degree));
  for (const UniqueReaction& reaction : d.reactions) {
    EXPECT_TRUE(is_unique(d, reaction.joint, "fx"));
    EXPECT_EQ(is_unique(d, reaction.joint, "fy"), n == 2);
  }
}

// Spatial, pins with five constraints: 10 n rows; the freedom is still 1 of 6 (n + 1). Besides the n - 2 of the plane
// there are 3 (n - 1) for the loops' forces out of the plane and moments in it.
TEST_P(ParallelCranks, SpatialPinsShareForcesOutOfThePlaneAndMomentsInIt) {
  const int n = GetParam();
  const Diagnosis d = diagnose_text(parallelogram(n, false, 60 * degree));
  EXPECT_EQ(d.structure.constraints, 10 * n);
  EXPECT_EQ(d.structure.rank, 6 * n + 5);
  EXPECT_EQ(d.rank.redundant(), 4 * n - 5);
  EXPECT_EQ(d.structure.degrees_of_freedom, 1);
  ASSERT_EQ(d.groups.size(), n == 2 ? 1U : 2U);
  std::multiset<int> excess;
  for (const DependentGroup& group : d.groups) {
    excess.insert(group.excess);
    EXPECT_EQ(joints_of(group.loads).size(), 2U * n);
  }
  EXPECT_EQ(excess, n == 2 ? (std::multiset<int>{3}) : (std::multiset<int>{n - 2, 3 * (n - 1)}));
  for (const UniqueReaction& reaction : d.reactions) {
    for (const char* const component : {"fz", "mx", "my"}) EXPECT_FALSE(is_unique(d, reaction.joint, component));
    EXPECT_TRUE(is_unique(d, reaction.joint, "mz"));
    EXPECT_EQ(is_unique(d, reaction.joint, "fx"), n == 2);
    EXPECT_EQ(is_unique(d, reaction.joint, "fy"), n == 2);
    EXPECT_EQ(reaction.free_forces.cols(), n == 2 ? 1 : 2);
  }
  ASSERT_FALSE(d.releases.empty());
  EXPECT_EQ(d.releases[0].constraints, 6 * n + 5);
  EXPECT_EQ(d.releases[0].rank, 6 * n + 5);
  EXPECT_EQ(d.releases[0].degrees_of_freedom, 1);
}

INSTANTIATE_TEST_SUITE_P(Cranks, ParallelCranks, testing::Range(2, 7));

// A door on three hinges: 15 rows, of which a door needs 5. Along the axis 3 forces share one load: 2 too many. Across
// it, 3 x (2 forces, 2 moments) share 4 loads: 8 too many. What the hinges exert together is unique.
TEST(Diagnosis, DoorOnThreeHinges) {
  const Diagnosis d = diagnose_text(R"(
bodies: {door: {mass: 20, inertia: [3, 1, 4], center: [0.4, 0, 1]}}
joints:
  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}
  middle: {type: revolute, bodies: [ground, door], at: [0, 0, 1], axis: [0, 0, 1]}
  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}
)");
  EXPECT_EQ(d.structure.constraints, 15);
  EXPECT_EQ(d.structure.rank, 5);
  EXPECT_EQ(d.structure.degrees_of_freedom, 1);
  ASSERT_EQ(d.groups.size(), 2U);
  std::multiset<int> excess;
  for (const DependentGroup& group : d.groups) {
    excess.insert(group.excess);
    EXPECT_EQ(joints_of(group.loads), (std::set<std::string>{"low", "middle", "high"}));
    if (group.excess == 2) {
      EXPECT_EQ(group.sentence, "over-constrained by 2: the z forces of high, low and middle");
      ASSERT_EQ(group.minimal.size(), 3U);  // any two hinges
      EXPECT_EQ(group.minimal[0].sentence, "over-constrained by 1: the z forces of high and low alone");
    }
  }
  EXPECT_EQ(excess, (std::multiset<int>{2, 8}));
  for (const UniqueReaction& reaction : d.reactions) {
    for (const auto& [name, unique] : reaction.components) EXPECT_EQ(unique, name == "mz") << reaction.joint << name;
  }
  ASSERT_EQ(d.resultants.size(), 1U);
  EXPECT_TRUE(d.resultants[0].unique);
  EXPECT_TRUE(d.depends_on_length);  // a couple of forces or a moment
  ASSERT_FALSE(d.releases.empty());
  EXPECT_EQ(d.releases[0].constraints, 5);
  EXPECT_EQ(d.releases[0].degrees_of_freedom, 1);
}

// Four feet on a plane: z force and two moments against four forces.
TEST(Diagnosis, FourLeggedTable) {
  const Diagnosis d = diagnose_text(R"(
bodies: {table: {mass: 10, inertia: [1, 1, 2], center: [0.1, 0, 0.7]}}
joints:
  leg1: {type: point_on_plane, bodies: [ground, table], at: [0.5, 0.3, 0], axis: [0, 0, 1]}
  leg2: {type: point_on_plane, bodies: [ground, table], at: [-0.5, 0.3, 0], axis: [0, 0, 1]}
  leg3: {type: point_on_plane, bodies: [ground, table], at: [-0.5, -0.3, 0], axis: [0, 0, 1]}
  leg4: {type: point_on_plane, bodies: [ground, table], at: [0.5, -0.3, 0], axis: [0, 0, 1]}
)");
  EXPECT_EQ(d.structure.constraints, 4);
  EXPECT_EQ(d.structure.rank, 3);
  ASSERT_EQ(d.groups.size(), 1U);
  EXPECT_EQ(d.groups[0].sentence, "over-constrained by 1: the z forces of leg1, leg2, leg3 and leg4");
  EXPECT_FALSE(d.depends_on_length);
  ASSERT_EQ(d.resultants.size(), 1U);
  EXPECT_TRUE(d.resultants[0].unique);
  ASSERT_EQ(d.releases.size(), 3U);  // any leg may go
  EXPECT_EQ(d.releases[0].changes.size(), 1U);
  EXPECT_EQ(d.releases[0].changes[0].to, "none");
}

// Two hinges on one axis (the lower arm of the overconstrained McPherson strut): the axial force once too often, and
// across the axis 8 loads where 4 are needed. All other joints have unique reactions.
TEST(Diagnosis, McPhersonPair) {
  const Diagnosis simple = diagnose(shipped("mcpherson")), pair = diagnose(shipped("mcpherson-overconstrained"));
  EXPECT_TRUE(simple.groups.empty());
  EXPECT_EQ(pair.structure.constraints, 31);
  EXPECT_EQ(pair.structure.rank, 26);
  EXPECT_EQ(pair.structure.degrees_of_freedom, 4);
  ASSERT_EQ(pair.groups.size(), 2U);
  EXPECT_EQ(pair.groups[0].sentence, "over-constrained by 1: the x forces of hinge_a and hinge_b");
  EXPECT_EQ(pair.groups[1].sentence, "over-constrained by 4: the y and z forces and moments of hinge_a and hinge_b");
  EXPECT_EQ(pair.groups[1].excess, 4);
  for (const UniqueReaction& reaction : pair.reactions)
    EXPECT_EQ(reaction.unique, reaction.joint != "hinge_a" && reaction.joint != "hinge_b") << reaction.joint;
  EXPECT_TRUE(is_unique(pair, "hinge_a", "mx"));
  // The classical answer: a ball and a sleeve.
  ASSERT_FALSE(pair.releases.empty());
  EXPECT_EQ(pair.releases[0].changes[0].words, "hinge_a: revolute -> spherical");
  EXPECT_EQ(pair.releases[0].changes[1].words, "hinge_b: revolute -> point_on_line");
  EXPECT_EQ(pair.releases[0].constraints, 26);
  // Two-ball rods: the spins of strut and tie rod.
  for (const Diagnosis* d : {&simple, &pair}) {
    ASSERT_EQ(d->idle_spins.size(), 2U);
    EXPECT_EQ(d->idle_spins[0].bodies, std::vector<std::string>{"strut"});
    EXPECT_EQ(d->idle_spins[1].bodies, std::vector<std::string>{"tie_rod"});
  }
}

// Sarrus: two chains of hinges, parallel to y and to x. Neither lets the platform turn about z, and a hinge with a
// horizontal axis can carry a moment about z: once around the loop.
TEST(Diagnosis, Sarrus) {
  const Diagnosis d = diagnose(shipped("sarrus"));
  EXPECT_EQ(d.structure.constraints, 30);
  EXPECT_EQ(d.structure.rank, 29);
  ASSERT_EQ(d.groups.size(), 1U);
  EXPECT_EQ(d.groups[0].sentence, "over-constrained by 1: the z moments of A1, A2, B1, B2, C1 and C2");
  for (const UniqueReaction& reaction : d.reactions) {
    for (const auto& [name, unique] : reaction.components) EXPECT_EQ(unique, name != "mz") << reaction.joint << name;
  }
}

// Bennett: 20 rows of rank 17; Bricard: 30 of 29. Every joint of a single loop carries the self-stress.
TEST(Diagnosis, SpatialLoops) {
  const Diagnosis bennett = diagnose(shipped("bennett"));
  EXPECT_EQ(bennett.structure.rank, 17);
  EXPECT_EQ(bennett.rank.redundant(), 3);
  ASSERT_EQ(bennett.groups.size(), 1U);
  EXPECT_EQ(bennett.groups[0].excess, 3);
  EXPECT_EQ(joints_of(bennett.groups[0].loads).size(), 4U);
  const Diagnosis bricard = diagnose(shipped("bricard"));
  EXPECT_EQ(bricard.structure.rank, 29);
  ASSERT_EQ(bricard.groups.size(), 1U);
  EXPECT_EQ(bricard.groups[0].excess, 1);
  EXPECT_EQ(joints_of(bricard.groups[0].loads).size(), 6U);
  for (const Diagnosis* d : {&bennett, &bricard}) {
    EXPECT_EQ(d->rank.lost_here(), 0);
    EXPECT_GE(d->rank.positions_tested, 5);
    ASSERT_FALSE(d->releases.empty());
    EXPECT_EQ(d->releases[0].degrees_of_freedom, 1);
  }
  EXPECT_EQ(bricard.releases[0].changes[0].words, "P1: revolute -> cylindrical");
  EXPECT_EQ(bricard.inertia_free.size(), 5U);
}

// A slider-crank with equal lengths, crank upright: slider over the pivot. The rank falls from 8 to 7 there.
TEST(Diagnosis, ASingularPositionIsNotRedundancy) {
  const Diagnosis at = diagnose(shipped("slider-crank", {{"phi0", "90 deg"}}));
  EXPECT_EQ(at.rank.rank, 7);
  EXPECT_EQ(at.rank.generic_rank, 8);
  EXPECT_EQ(at.rank.redundant(), 0);
  EXPECT_EQ(at.rank.lost_here(), 1);
  ASSERT_EQ(at.groups.size(), 1U);
  EXPECT_EQ(at.groups[0].only_here, 1);
  EXPECT_TRUE(at.releases.empty());
  const Diagnosis near = diagnose(shipped("slider-crank", {{"phi0", "89.99 deg"}}));
  EXPECT_EQ(near.rank.lost_here(), 0);
  EXPECT_TRUE(near.groups.empty());
  EXPECT_LT(near.rank.nearness, 1e-3);
  EXPECT_GT(near.rank.nearness, 1e-5);
  const Diagnosis away = diagnose(shipped("slider-crank"));
  EXPECT_GT(away.rank.nearness, 1e-2);
}

// Five-bar, stretched: one row is redundant everywhere, another only there.
TEST(Diagnosis, RedundantAndSingularAtOnce) {
  const Diagnosis d = diagnose(shipped("five-bar", {{"theta0", "0"}}));
  EXPECT_EQ(d.rank.redundant(), 1);
  EXPECT_EQ(d.rank.lost_here(), 1);
  ASSERT_EQ(d.groups.size(), 1U);
  EXPECT_EQ(d.groups[0].excess, 2);
  EXPECT_EQ(d.groups[0].only_here, 1);
  // The position beside that decides is not one that a random step found in the singular position's neighbourhood, but
  // the farthest: three steps of 3e-3 rad of the links as they fall.
  ASSERT_EQ(d.rank.beside.size(), 12);
  EXPECT_NEAR(d.rank.beside[2], -9e-3, 1e-5);
}

// Two hinges, the second one 4 mm off in the body: they cannot both close. Least squares share the gap.
TEST(Diagnosis, AConflictSaysWhichJointsAndHowFarApart) {
  const Diagnosis d = diagnose_text(R"(
dimension: planar
bodies: {bar: {mass: 1, inertia: 0.1, center: [0.5, 0]}, bridge: {mass: 1, inertia: 0.1, center: [0.5, 0]}}
joints:
  A: {type: revolute, bodies: [ground, bar], at: [0, 0]}
  B: {type: revolute, bodies: [ground, bar], at: [1, 0]}
  gap: {type: distance, bodies: [bar, ground], at: [[0.5, 0], [0.5, 1]], length: 1.004}
  C: {type: revolute, bodies: [ground, bridge], at: [0, 0]}
)");
  EXPECT_FALSE(d.ok());
  ASSERT_FALSE(d.conflicts.empty());
  double metres = 0;
  for (const Conflict& conflict : d.conflicts) {
    EXPECT_NE(conflict.joint, "C");
    EXPECT_EQ(conflict.radians, 0) << conflict.joint;
    metres += conflict.metres;
  }
  // A and B take a part of the 4 mm each and `gap` the rest: A = B = x/2 + .., the sum of the gaps is at least 4 mm.
  EXPECT_GT(metres, 0.003);
  EXPECT_LT(metres, 0.008);
}

TEST(Diagnosis, AMisalignedHingeConflictsInRadians) {
  const Diagnosis d = diagnose_text(R"(
gravity: [0, 0, 0]
bodies: {door: {mass: 20, inertia: [3, 1, 4], center: [0.4, 0, 1]}}
joints:
  fixed: {type: orientation, bodies: [ground, door]}
  tilted: {type: perpendicular_axes, bodies: [ground, door], axes: [[1, 0, 0], [0.1, 1, 0]]}
)");
  EXPECT_FALSE(d.ok());
  ASSERT_FALSE(d.conflicts.empty());
  for (const Conflict& conflict : d.conflicts) {
    EXPECT_EQ(conflict.metres, 0);
    EXPECT_GT(conflict.radians, 0.01);
  }
}

// Load-dependent friction in a pin whose axial load is not unique: nobody can say how the mechanism moves.
TEST(Diagnosis, FrictionOfANonUniqueLoadMakesTheMotionNotUnique) {
  const std::string text = parallelogram(3, true, 60 * degree);
  const auto with_friction = [&](const std::string& friction) {
    std::string changed = text;
    const std::size_t at = changed.find("at: [0, 0]");
    return changed.replace(at, 10, "at: [0, 0], friction: " + friction);
  };
  EXPECT_TRUE(diagnose_text(text).motion_is_unique());
  EXPECT_TRUE(diagnose_text(with_friction("{viscous: 0.1}")).motion_is_unique());
  const Diagnosis d = diagnose_text(with_friction("{coulomb: 0.2, radius: 0.01}"));
  EXPECT_FALSE(d.motion_is_unique());
  EXPECT_EQ(d.friction, std::vector<std::string>{"A1"});
}

TEST(Diagnosis, NamesDirectionsWithoutInertia) {
  const Diagnosis d = diagnose_text(R"(
points: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {rod: {rod: [A, B], mass: 1}, lug: {mass: 0, inertia: [0, 0, 0], center: B}}
joints:
  A: {type: spherical, bodies: [ground, rod], at: A}
  B: {type: fixed, bodies: [rod, lug], at: B}
)");
  ASSERT_EQ(d.inertia_free.size(), 2U);
  EXPECT_EQ(d.inertia_free[0].words, "rod has no moment of inertia about x");
  EXPECT_EQ(d.inertia_free[1].words, "lug has no mass and no moment of inertia");
  EXPECT_FALSE(d.structure.accelerations_are_unique);  // the spin about x
}

TEST(Diagnosis, ARotorIsNotIdle) {
  const Diagnosis d = diagnose_text(R"(
bodies: {rotor: {mass: 1, inertia: [1, 1, 2], center: [0, 0, 0]}}
joints: {axle: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}}
)");
  EXPECT_TRUE(d.idle_spins.empty());
  ASSERT_EQ(d.independent.coordinates.size(), 1U);
  EXPECT_EQ(d.independent.coordinates[0], "rotor.rotation z");
  EXPECT_NEAR(d.independent.condition, 1, 1e-9);
}

// Repeated singular values: the fast decomposition alone gets them wrong here.
TEST(Diagnosis, RepeatedSingularValuesAreRight) {
  const Diagnosis d = diagnose(shipped("car-differential"));
  EXPECT_GT(d.rank.smallest_counted, 0.1);
  EXPECT_LT(d.rank.largest_neglected, 1e-12);
}

TEST(Diagnosis, TheChosenLengthChangesNeitherGroupsNorMarks) {
  const auto model = shipped("mcpherson-overconstrained");
  DiagnosisOptions options;
  options.reaction_length = 1e6;
  const Diagnosis d = diagnose(model, options);
  EXPECT_EQ(d.reaction_length, 1e6);
  EXPECT_EQ(d.groups.size(), 2U);
  options.reaction_length = -1;
  EXPECT_THROW(diagnose(model, options), InputError);
}

// A free body without mass, and a shaft whose bearing lets it slide and turn.
TEST(Diagnosis, MasslessAndFreeOrJustABearing) {
  const Diagnosis free = diagnose_text("bodies: {ghost: {mass: 0, inertia: [1, 1, 1], center: [0, 0, 0]}}\n");
  ASSERT_EQ(free.inertia_free.size(), 1U);
  EXPECT_TRUE(free.inertia_free[0].moves_freely);
  EXPECT_EQ(free.inertia_free[0].words, "ghost has no mass, and no constraint holds it there");
  const Diagnosis shaft = diagnose_text(R"(
bodies: {shaft: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}
joints: {bush: {type: cylindrical, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}}
)");
  EXPECT_TRUE(shaft.idle_spins.empty());
}

// Many parallel cranks: groups are found, minimal sets are not looked for.
TEST(Diagnosis, ManyRedundantRowsTakeSecondsNotMinutes) {
  const Diagnosis d = diagnose_text(parallelogram(20, false, 60 * degree));
  EXPECT_EQ(d.rank.redundant(), 4 * 20 - 5);
  ASSERT_EQ(d.groups.size(), 2U);
  for (const DependentGroup& group : d.groups) {
    if (group.excess > 24) {
      EXPECT_FALSE(group.all_minimal);
    }
  }
}

TEST(Diagnosis, JsonHasTheKeysOfTheContract) {
  const auto model = shipped("parallelogram-3");
  const std::string json = diagnosis_json(*model, diagnose(model));
  for (const char* const key : {"coordinates", "constraints", "rank", "degrees_of_freedom", "redundant", "reactions",
                                "consistent", "messages", "groups", "releases", "singular_values"})
    EXPECT_NE(json.find('"' + std::string(key) + "\":"), std::string::npos) << key;
  EXPECT_NE(json.find("not-unique"), std::string::npos);
}

}  // namespace diagnosis_test
}  // namespace bricard
