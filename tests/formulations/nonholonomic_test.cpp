// Velocity-level (nonholonomic) constraints from end to end: every formulation that takes them finds the same motion
// and keeps the energy; the others refuse.
#include "reference/reference.h"

namespace bricard::testing_support {
namespace formulations_nonholonomic_test {

struct Case {
  std::string name, body;
  double duration;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// Coordinates for formulations that do not go with every set.
std::string coordinates_for(const FormulationType& type, const std::shared_ptr<const Model>& model) {
  if (!type.misfit) return "auto";
  const System system(model, *find_coordinates_type("reference-point"));
  return type.misfit(system).empty() ? "auto" : "relative";
}

class Nonholonomic : public ::testing::TestWithParam<Case> {
 protected:
  SimulationResult by(const std::string& formulation) const {
    Method method = accurate(GetParam().duration, GetParam().duration / 5, 1e-9);
    method.formulation = formulation;
    method.coordinates = coordinates_for(*find_formulation_type(formulation), model);
    return simulate(model, method);
  }
  void SetUp() override {
    // The cart's mass is ahead of its axle, else its energy would be kept by any motion in a circle.
    const bool cart = GetParam().name == "two-wheeled-cart";
    model = shipped(GetParam().name, cart ? Parameters{{"a", "0.2"}} : Parameters{});
  }
  std::shared_ptr<const Model> model;
};

TEST_P(Nonholonomic, SameMotionByEveryFormulationThatTakesVelocityRows) {
  const SimulationResult expected = by("lagrange");
  ASSERT_TRUE(expected.ok()) << expected.summary.failure;
  ASSERT_GT(expected.summary.structure.velocity_constraints, 0);
  const std::vector<std::string> columns =
      model->planar() ? std::vector<std::string>{".x", ".y", ".angle", ".vx", ".vy", ".omega"}
                      : std::vector<std::string>{".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
  for (const FormulationType& type : formulation_types()) {
    if (!type.traits.velocity_rows) continue;
    SCOPED_TRACE(type.name);
    SimulationResult result;
    ASSERT_NO_THROW(result = by(type.name));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    ASSERT_EQ(result.data.rows.size(), expected.data.rows.size());
    for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
      for (const std::string& column : columns) {
        const std::string name = GetParam().body + column;
        expect_close(name, result.data.at(row, name), expected.data.at(row, name), 1e-6);
      }
      expect_close("energy", result.data.at(row, "energy.total"), expected.data.at(0, "energy.total"), 1e-6);
    }
    EXPECT_LT(result.summary.constraint_velocity_max, 1e-6);
  }
}

TEST_P(Nonholonomic, RefusedByTheOthers) {
  int refused = 0;
  for (const FormulationType& type : formulation_types()) {
    if (type.traits.velocity_rows) continue;
    SCOPED_TRACE(type.name);
    ++refused;
    try {
      by(type.name);
      ADD_FAILURE() << "was not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("velocity-level"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Every, Nonholonomic,
                         ::testing::Values(Case{"rolling-coin", "coin", 1}, Case{"knife-edge", "sleigh", 2},
                                           Case{"skate", "skate", 2}, Case{"two-wheeled-cart", "chassis", 0.5}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Redundant velocity-level rows, where lagrange has no unique multipliers: in turn by every formulation that takes
// both.
TEST(RedundantNonholonomic, FourWheeledCart) {
  const auto model = shipped("four-wheeled-cart");
  SimulationResult expected;
  for (const FormulationType& type : formulation_types()) {
    if (!type.traits.velocity_rows) continue;
    SCOPED_TRACE(type.name);
    Method method = accurate(0.5, 0.5, 1e-9);
    method.formulation = type.name;
    method.coordinates = coordinates_for(type, model);
    if (!type.traits.redundant_rows) {
      EXPECT_THROW(simulate(model, method), InputError);
      continue;
    }
    SimulationResult result;
    ASSERT_NO_THROW(result = simulate(model, method));
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    if (expected.data.rows.empty()) expected = result;
    for (const std::string column : {"x", "y", "vx", "vy", "wz"}) {
      const std::string name = "chassis." + column;
      expect_close(name, result.data.at(1, name), expected.data.at(1, name), 1e-6);
    }
    const double energy = expected.data.at(0, "energy.total");
    expect_close("energy", result.data.at(1, "energy.total"), energy, 1e-6 * std::abs(energy));
  }
}

}  // namespace formulations_nonholonomic_test
}  // namespace bricard::testing_support
