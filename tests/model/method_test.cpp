#include "bricard/method.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bricard {
namespace method_test {

TEST(Method, IsCompletedOnlyWhereNothingIsChosen) {
  Method method;
  method.formulation = "augmented";
  method.tolerance = 1e-8;
  Method fallback;
  fallback.coordinates = "natural";
  fallback.formulation = "null-space";
  fallback.pseudoinverse = "svd";
  fallback.stabilization = "baumgarte";
  fallback.integrator = "bdf";
  fallback.tolerance = 1e-6;
  fallback.step = 1;
  fallback.alpha = 2;
  fallback.beta = 3;
  fallback.threshold = 4;
  fallback.duration = 5;
  method.complete_from(fallback);
  EXPECT_EQ(method.coordinates, "natural");
  EXPECT_EQ(method.formulation, "augmented");
  EXPECT_EQ(method.pseudoinverse, "svd");
  EXPECT_EQ(method.stabilization, "baumgarte");
  EXPECT_EQ(method.integrator, "bdf");
  EXPECT_EQ(method.tolerance, 1e-8);
  EXPECT_EQ(method.step, 1);
  EXPECT_EQ(method.alpha, 2);
  EXPECT_EQ(method.beta, 3);
  EXPECT_EQ(method.threshold, 4);
  EXPECT_EQ(method.duration, 5);
  EXPECT_TRUE(std::isnan(method.output_step));
}

}  // namespace method_test
}  // namespace bricard
