// The canonical formulations against accelerations: the same motion, energies and, where unique, reactions.
#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/simulate.h"

namespace bricard {
namespace canonical_test {

struct Case {
  const char* model;
  double duration;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class Canonical : public ::testing::TestWithParam<Case> {};

SimulationResult run_by(const std::shared_ptr<const Model>& model, const char* formulation, double duration) {
  return simulate(model, {.coordinates = model->planar() ? "reference-point" : "euler-zxz",
                          .formulation = formulation,
                          .tolerance = 1e-10,
                          .duration = duration,
                          .output_step = duration / 4});
}

TEST_P(Canonical, MovesAsAccelerationsSay) {
  const auto model = load(std::string(BRICARD_SOURCE_DIR "/models/") + GetParam().model + ".yaml");
  const SimulationResult expected = run_by(model, "nullspace-svd", GetParam().duration);
  ASSERT_TRUE(expected.ok()) << expected.summary.failure;
  for (const char* formulation : {"canonical-lagrange", "canonical-independent", "canonical-augmented"}) {
    SCOPED_TRACE(formulation);
    const SimulationResult result = run_by(model, formulation, GetParam().duration);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    ASSERT_EQ(result.summary.columns, expected.summary.columns);
    for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
      for (std::size_t k = 0; k < expected.summary.columns.size(); ++k) {
        const std::string& name = expected.summary.columns[k];
        if (name.starts_with("constraint.")) continue;
        const bool reaction = name.find(".f") != std::string::npos || name.find(".m") != std::string::npos ||
                              name.find("effort") != std::string::npos;
        const double value = expected.data.rows[row][static_cast<int>(k)];
        // The total energy is a small difference of what is exchanged.
        const double size = name.starts_with("energy.") ? expected.summary.energy_scale : std::abs(value);
        EXPECT_NEAR(result.data.rows[row][static_cast<int>(k)], value, (reaction ? 1e-5 : 1e-6) * (1 + size))
            << name << " row " << row;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Canonical,
                         ::testing::Values(Case{"pendulum", 1}, Case{"double-pendulum", 1}, Case{"four-bar", 0.5},
                                           Case{"driven-slider-crank", 0.5}, Case{"five-bar", 1}, Case{"knife-edge", 1},
                                           Case{"rolling-coin", 0.5}, Case{"exudyn-com", 0.5}, Case{"bennett", 0.5},
                                           Case{"friction-incline", 0.3}),
                         [](const auto& test) {
                           std::string name = test.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Jalon-Bayo problem 5/2: equal lengths, 11 singular positions in 5 s; fixed steps step over them.
TEST(CanonicalLagrange, PassesSingularPositionsWithFixedSteps) {
  const auto model = load(BRICARD_SOURCE_DIR "/models/slider-crank.yaml");
  const SimulationResult result = simulate(model, {.formulation = "canonical-lagrange",
                                                   .stabilization = "none",
                                                   .integrator = "rk4",
                                                   .step = 1e-3,
                                                   .duration = 5,
                                                   .output_step = 0.5});
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_LT(result.summary.energy_drift, 1e-4 * result.summary.energy_scale);
  EXPECT_LT(result.summary.constraint_position_max, 1e-5);
}

// Without projection and with fixed steps, momenta keep the branch where accelerations lose it, as the book says.
TEST(CanonicalAugmented, PassesSingularPositionsWhereAccelerationsDoNot) {
  const auto model = load(BRICARD_SOURCE_DIR "/models/slider-crank.yaml");
  constexpr double crank_after_5_seconds = 33.14581008471987;  // tests/data/slider-crank.csv
  const auto error = [&](const char* formulation, double penalty, double iterations) {
    const SimulationResult result = simulate(model, {.formulation = formulation,
                                                     .stabilization = "none",
                                                     .integrator = "rk4",
                                                     .penalty_kind = "absolute",
                                                     .step = 1e-3,
                                                     .penalty = penalty,
                                                     .iterations = iterations,
                                                     .iteration_tolerance = 0,
                                                     .duration = 5,
                                                     .output_step = 5});
    return result.ok() ? std::abs(result.data.at(1, "crank.angle") - crank_after_5_seconds) : 100;
  };
  for (const double penalty : {1e5, 1e7}) {
    for (const double iterations : {1.0, 2.0}) {
      EXPECT_LT(error("canonical-augmented", penalty, iterations), 1e-4) << penalty << " x " << iterations;
      EXPECT_GT(error("augmented-lagrangian", penalty, iterations), 0.3) << penalty << " x " << iterations;
    }
  }
}

// Independent coordinates must be integrable; momenta take any velocities.
TEST(CanonicalReduced, RefusesCoordinatesWhoseVelocitiesAreNotRates) {
  const auto model = load(BRICARD_SOURCE_DIR "/models/bennett.yaml");
  EXPECT_THROW(simulate(model, {.coordinates = "reference-point", .formulation = "canonical-reduced"}), InputError);
  EXPECT_TRUE(simulate(model, {.coordinates = "reference-point",
                               .formulation = "canonical-lagrange",
                               .duration = 0.05,
                               .output_step = 0.05})
                  .ok());
}

}  // namespace canonical_test
}  // namespace bricard
