// What `auto` costs at the error that it has, beside the least of other settings: a part of docs/auto.md in units that
// are the same everywhere. A unit is an evaluation of the accelerations; where `auto` takes the engine `whole`, whose
// dense algebra costs some thirty times as much for mechanisms of this size, it counts as ten.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bricard/input_error.h"
#include "reference/reference.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace auto_cost_test {

struct Case {
  const char* model;
  double duration;
};

struct Outcome {
  std::string text;
  double units, error;
};

class AutoCost : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    model_ = shipped(GetParam().model);
    reference_ = simulate(model_, with("relative", "recursive", "dop853", 1e-12));
    ASSERT_TRUE(reference_.ok()) << reference_.summary.failure;
  }

  Method with(const char* coordinates, const char* formulation, const char* integrator, double tolerance) const {
    Method method = accurate(GetParam().duration, GetParam().duration / 4, tolerance);
    method.coordinates = coordinates, method.formulation = formulation, method.integrator = integrator;
    method.stabilization = "auto";
    return method;
  }

  Outcome outcome_of(const Method& method) const {
    try {
      const SimulationResult result = simulate(model_, method);
      const Summary& s = result.summary;
      const double units = static_cast<double>(s.evaluations) * (s.chosen.method.dynamics == "whole" ? 10 : 1);
      return {fmt::format("{} {} at {:.0e} ({})", s.chosen.method.dynamics, s.chosen.method.integrator,
                          method.tolerance, s.chosen.reason),
              units, error(result)};
    } catch (const InputError&) {
      return {"", INFINITY, INFINITY};
    }
  }

  std::vector<Outcome> others() const {
    std::vector<Outcome> all;
    for (const char* integrator : {"dopri5", "dop853", "bdf"}) {
      for (double tolerance = 1e-3; tolerance > 2e-11; tolerance /= 10) {
        all.push_back(outcome_of(with("relative", "recursive", integrator, tolerance)));
        all.push_back(outcome_of(with("reference-point", "lagrange-proximal", integrator, tolerance)));
      }
    }
    return all;
  }

 private:
  /// Largest of a body's centre or angle, in sizes of the model and rad.
  double error(const SimulationResult& result) const {
    if (!result.ok()) return INFINITY;
    const std::vector<std::string>& columns = reference_.data.columns;
    double most = round_off;
    for (const Body& body : model_->bodies) {
      for (const char* of : {".x", ".y", ".z", ".angle"}) {
        const std::string name = body.name + of;
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) continue;
        const double size = std::string(of) == ".angle" ? 1 : model_->characteristic_length();
        for (std::size_t r = 0; r < reference_.data.rows.size(); ++r)
          most = std::max(most, std::abs(result.data.at(r, name) - reference_.data.at(r, name)) / size);
      }
    }
    return most;
  }

  static constexpr double round_off = 1e-11;
  std::shared_ptr<const Model> model_;
  SimulationResult reference_;
};

TEST_P(AutoCost, IsNeverAboveThreeTimesTheLeastOfOthers) {
  const std::vector<Outcome> all = others();
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Outcome own = outcome_of(with("auto", "auto", "auto", tolerance));
    ASSERT_TRUE(std::isfinite(own.error));
    for (const Outcome& other : all) {
      if (other.error > own.error) continue;
      EXPECT_LT(own.units, 3 * other.units) << own.text << " for an error of " << own.error << "\n" << other.text;
    }
  }
}

// One of each kind: near a singular position, redundant rows of wheels, gear trains, friction that sticks, drives
// without a degree of freedom, an open tree, loops in the plane and in space.
INSTANTIATE_TEST_SUITE_P(Models, AutoCost,
                         ::testing::Values(Case{"bricard", 1}, Case{"four-wheeled-cart", 2}, Case{"planetary-gear", 1},
                                           Case{"car-differential", 0.5}, Case{"stick-slip", 0.05},
                                           Case{"driven-four-bar", 1}, Case{"pendulum", 2}, Case{"five-bar", 0.5},
                                           Case{"bennett", 0.5}),
                         [](const auto& of) {
                           std::string name = of.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace auto_cost_test
}  // namespace bricard::testing_support
