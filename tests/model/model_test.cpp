#include "bricard/model.h"

#include <gtest/gtest.h>

namespace bricard {
namespace model_test {

TEST(Model, NamesBodiesAndTheGround) {
  Model model;
  model.bodies.resize(2);
  model.bodies[1].name = "crank";
  EXPECT_EQ(model.body_name(ground), "ground");
  EXPECT_EQ(model.body_name(1), "crank");
}

TEST(Model, CharacteristicLengthIsHalfTheDiagonal) {
  Model model;
  EXPECT_EQ(model.characteristic_length(), 1);
  model.points = {{"A", {10, 20, 0}}};
  EXPECT_EQ(model.characteristic_length(), 1);
  model.bodies.resize(1);
  model.bodies[0].center = {13, 20, 0};
  EXPECT_DOUBLE_EQ(model.characteristic_length(), 1.5);
  model.joints.resize(1);
  model.joints[0].type = "distance";
  model.joints[0].at_i = {10, 24, 0};
  model.joints[0].at_j = {10, 20, 12};
  EXPECT_DOUBLE_EQ(model.characteristic_length(), 6.5);
}

TEST(Model, CharacteristicLengthIgnoresJointsWithoutAPlace) {
  Model model;
  model.points = {{"A", {100, 0, 0}}, {"B", {102, 0, 0}}};
  model.joints.resize(1);
  model.joints[0].type = "gear";
  EXPECT_DOUBLE_EQ(model.characteristic_length(), 1);
  model.joints[0].type = "revolute";
  EXPECT_DOUBLE_EQ(model.characteristic_length(), 51);
}

}  // namespace model_test
}  // namespace bricard
