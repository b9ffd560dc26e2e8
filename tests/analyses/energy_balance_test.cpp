// Energy minus work is constant to the order of the tolerance, whatever drives the mechanism, in every kind of state
// and with every integrator: a balance that is wrong on a right motion is a false alarm.
#include <gtest/gtest.h>

#include <cmath>

#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "integrators/integrator.h"
#include "support/models.h"

namespace bricard {
namespace energy_balance_test {

struct Driven {
  const char* name;
  const char* text;
};
void PrintTo(const Driven& m, std::ostream* out) { *out << m.name; }

const Driven models[] = {
    {"driven_slider",
     "bricard: 1\ndimension: planar\nbodies: {b: {mass: 1.5, inertia: 0.1, center: [0, 1]}}\n"
     "joints: {S: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0.2, 1]}}\n"
     "motions: {m: {joint: S, position: 0.4*sin(4*t)}}\n"},
    {"moving_line",
     "bricard: 1\ndimension: planar\nbodies: {b: {mass: 1.5, inertia: 0.1, center: [0, 1]}}\n"
     "joints:\n  S: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0.2, 1]}\n"
     "  c: {type: constraint, expression: y(b) - 1 - 0.4*sin(4*t)}\n"},
    {"driven_against_friction",
     "bricard: 1\ndimension: planar\nbodies: {b: {mass: 1.5, inertia: 0.1, center: [1, 0]}}\n"
     "joints: {S: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0.1], "
     "friction: {coulomb: 0.25, smoothing: 0.1}}}\n"
     "motions: {m: {joint: S, position: 0.4*sin(4*t)}}\n"},
    {"driven_crank",
     "bricard: 1\ndimension: planar\nbodies:\n  a: {mass: 1, inertia: 0.05, center: [0.15, 0]}\n"
     "  b: {mass: 2, inertia: 0.1, center: [0.8, 0]}\n  s: {mass: 1.2, inertia: 0.02, center: [1.3, 0]}\n"
     "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
     "  B: {type: revolute, bodies: [a, b], at: [0.3, 0]}\n  C: {type: revolute, bodies: [b, s], at: [1.3, 0]}\n"
     "  S: {type: prismatic, bodies: [ground, s], at: [1.3, 0], axis: [1, 0]}\n"
     "motions: {m: {joint: A, position: 5*t + 0.4*sin(2*t)}}\n"},
    {"pendulum_on_driven_slider",
     "bricard: 1\ndimension: planar\nbodies:\n  s: {mass: 1, inertia: 0.1, center: [0, 0]}\n"
     "  p: {mass: 1, inertia: 0.03, center: [0.3, 0]}\n"
     "joints:\n  S: {type: prismatic, bodies: [ground, s], at: [0, 0], axis: [1, 0]}\n"
     "  A: {type: revolute, bodies: [s, p], at: [0, 0]}\nmotions: {m: {joint: S, position: 0.3*sin(6*t)}}\n"},
    {"damped_and_pushed",
     "bricard: 1\ndimension: planar\nbodies: {p: {mass: 1, inertia: 0.03, center: [0.3, 0]}}\n"
     "joints: {A: {type: revolute, bodies: [ground, p], at: [0, 0], friction: {viscous: 0.5}}}\n"
     "forces: {f: {type: torque, body: p, value: 3*cos(5*t)}}\n"},
    {"driven_in_space",
     "bricard: 1\nbodies:\n  a: {mass: 1, inertia: [0.05, 0.06, 0.07], center: [0.3, 0, 0.1]}\n"
     "  b: {mass: 0.5, inertia: [0.02, 0.03, 0.02], center: [0.6, 0.3, 0]}\n"
     "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.3, 1]}\n"
     "  B: {type: universal, bodies: [a, b], at: [0.6, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}\n"
     "motions: {m: {joint: A, position: 0.8*sin(4*t)}}\n"},
};

class EnergyBalance : public ::testing::TestWithParam<Driven> {
 protected:
  /// Of the energy that the motion has to do with.
  void expect_balance(Method method, double allowed) {
    method.duration = 1, method.output_step = 0.1;
    SimulationResult result;
    try {
      result = simulate(model_, method);
    } catch (const InputError&) {
      return;  // refused
    }
    const std::string what =
        method.coordinates + " " + method.formulation + " " + method.integrator + " at " + std::to_string(allowed);
    ASSERT_TRUE(result.ok()) << what << ": " << result.summary.failure;
    ASSERT_GT(result.summary.energy_scale, 0.1);
    EXPECT_LT(result.summary.energy_drift, allowed * result.summary.energy_scale) << what;
    for (const std::string& message : result.summary.messages)
      EXPECT_EQ(message.find("energy"), std::string::npos) << what << ": " << message;
    ++runs_;
  }

  const std::shared_ptr<const Model> model_ = load_text(GetParam().text, GetParam().name);
  int runs_ = 0;
};

TEST_P(EnergyBalance, IsConstantInEveryState) {
  for (const double tolerance : {1e-6, 1e-8}) {
    for (const char* coordinates : {"auto", "natural", "relative"}) {
      for (const char* formulation :
           {"auto", "nullspace-svd", "lagrange-pseudoinverse", "independent", "independent-extended",
            "canonical-lagrange", "canonical-independent", "canonical-augmented"}) {
        for (const char* integrator : {"dopri5", "dop853", "abm", "adams", "bdf"}) {
          Method method;
          method.coordinates = coordinates, method.formulation = formulation;
          method.integrator = integrator, method.tolerance = tolerance;
          // A known weakness: where projection changes these momenta, BDF takes steps that are too long.
          const bool is_weak = formulation == std::string("canonical-augmented") && integrator == std::string("bdf");
          expect_balance(method, (is_weak ? 5000 : 500) * tolerance);
        }
      }
    }
  }
  EXPECT_GT(runs_, 100);
}

TEST_P(EnergyBalance, IsConstantWithIntegratorsOfConstrainedEquations) {
  for (const double tolerance : {1e-6, 1e-8}) {
    for (const char* coordinates : {"auto", "natural", "relative"}) {
      Method method;
      method.coordinates = coordinates, method.tolerance = tolerance;
      method.integrator = "ida";
      expect_balance(method, 500 * tolerance);
      method.integrator = "hht";  // of second order: with longer steps in spite of larger errors
      expect_balance(method, 1e4 * tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EnergyBalance, ::testing::ValuesIn(models),
                         [](const auto& test) { return test.param.name; });

}  // namespace energy_balance_test
}  // namespace bricard
