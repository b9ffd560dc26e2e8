#include "model/nearest_name.h"

#include <gtest/gtest.h>

namespace bricard {
namespace nearest_name_test {

const std::vector<std::string> joints{"revolute", "prismatic", "fixed", "point_on_line", "point_on_plane"};

TEST(NearestName, ForgivesMissingSuperfluousWrongAndSwappedLetters) {
  EXPECT_EQ(nearest_name("revolut", joints), "revolute");
  EXPECT_EQ(nearest_name("revollute", joints), "revolute");
  EXPECT_EQ(nearest_name("revalute", joints), "revolute");
  EXPECT_EQ(nearest_name("fxied", joints), "fixed");
  EXPECT_EQ(nearest_name("fixed", joints), "fixed");
}

TEST(NearestName, HardlyMindsCaseAndSeparators) {
  EXPECT_EQ(nearest_name("PRISMATIC", joints), "prismatic");
  EXPECT_EQ(nearest_name("point-on-plane", joints), "point_on_plane");
  EXPECT_EQ(nearest_name("l", {"m", "k", "L"}), "L");
  EXPECT_EQ(nearest_name("aB", {"ax", "ab"}), "ab");
}

TEST(NearestName, GivesNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest_name("sphere", joints), "");
  EXPECT_EQ(nearest_name("", joints), "");
  EXPECT_EQ(nearest_name("a", {"b", "c"}), "");
  EXPECT_EQ(nearest_name("a", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), {std::string(1000000, 'b')}), "");
}

TEST(NearestName, PrefersTheClosestThenTheFirst) {
  EXPECT_EQ(nearest_name("angl", {"tangle", "angle"}), "angle");
  EXPECT_EQ(nearest_name("vz", {"vx", "vy"}), "vx");
}

TEST(Suggestion, NamesTheNearestOrTheFewThereAre) {
  EXPECT_EQ(suggestion("fixd", joints), "; did you mean 'fixed'?");
  EXPECT_EQ(suggestion("sphere", {"rod", "box"}), "; valid: rod, box");
  EXPECT_EQ(suggestion("sphere", {}), "");
  EXPECT_EQ(suggestion("sphere", std::vector<std::string>(50, "unlike")), "");
}

}  // namespace nearest_name_test
}  // namespace bricard
