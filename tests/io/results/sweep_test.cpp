#include "io/results/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bricard/input_error.h"

namespace bricard {
namespace sweep_test {

const std::string four_bar = BRICARD_SOURCE_DIR "/models/four-bar.yaml";

TEST(Sweep, ReadsRangesAndValues) {
  const Sweep range = read_sweep("theta0=-90 deg:pi/2:5");
  EXPECT_EQ(range.name, "theta0");
  EXPECT_EQ(range.from, "-90 deg");
  EXPECT_EQ(range.to, "pi/2");
  EXPECT_EQ(range.count, 5);
  const Sweep value = read_sweep("L=2*3");
  EXPECT_EQ(value.from, "2*3");
  EXPECT_EQ(value.count, 1);
  for (const char* bad : {"L", "=1:2:3", "L=", "L=1:2", "L=1:2:0", "L=1:2:x", "L=1:2:3x", "L=:2:3", "L=1::3"})
    EXPECT_THROW(read_sweep(bad), InputError) << bad;
}

TEST(Sweep, MakesAGridWhoseLastParameterRunsFastest) {
  const std::vector<SweptModel> models =
      load_sweep(four_bar, {{"l3", "1.6"}}, {read_sweep("alpha1=-30 deg:30 deg:3"), read_sweep("l2=1.7:1.9:2")});
  ASSERT_EQ(models.size(), 6u);
  for (std::size_t k = 0; k < models.size(); ++k) {
    ASSERT_TRUE(models[k].model) << models[k].failure;
    EXPECT_NEAR(models[k].values[0], (static_cast<double>(k / 2) - 1) * std::numbers::pi / 6, 1e-15);
    EXPECT_NEAR(models[k].values[1], k % 2 == 0 ? 1.7 : 1.9, 1e-15);
    EXPECT_NEAR(models[k].model->bodies[1].mass, models[k].values[1], 1e-15);  // 1 kg/m
    EXPECT_NEAR(models[k].model->bodies[2].mass, 1.6, 1e-15);
  }
}

TEST(Sweep, ValuesWithoutAModelSayWhy) {
  // A coupler of 9 m reaches no rocker: its height above the base is the root of a negative number.
  const std::vector<SweptModel> models = load_sweep(four_bar, {}, {read_sweep("l2=1.8:9:2")});
  EXPECT_TRUE(models[0].model);
  EXPECT_FALSE(models[1].model);
  EXPECT_FALSE(models[1].failure.empty());
  EXPECT_EQ(models[1].values[0], 9);  // what was asked for stays known
}

TEST(Sweep, RefusesWhatCannotBeSwept) {
  EXPECT_THROW(load_sweep(four_bar, {}, {read_sweep("nothing=1:2:3")}), InputError);
  EXPECT_THROW(load_sweep(four_bar, {}, {read_sweep("l2=1:2:3"), read_sweep("l2=1:2:3")}), InputError);
  EXPECT_THROW(load_sweep(four_bar, {{"l2", "1"}}, {read_sweep("l2=1:2:3")}), InputError);
  EXPECT_THROW(load_sweep(four_bar, {}, {read_sweep("l2=1:2:2000"), read_sweep("l3=1:2:2000")}), InputError);
}

}  // namespace sweep_test
}  // namespace bricard
