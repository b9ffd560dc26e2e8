// Small mechanisms that are awkward for coordinates which absorb joints or have singularities of their own: joints that
// are there twice, rows that vanish, no rows or no freedoms at all, starts at gimbal positions. In every coordinate
// set, with every formulation, stabilisation, scheme of reactions, selection and integrator, the motion is that of free
// bodies, reactions that are unique are, and so is the least norm where it is asked for; or the method is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "analyses/reactions/physical_reactions.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace awkward_mechanisms_test {

struct Mechanism {
  const char* name;
  const char* text;
};
void PrintTo(const Mechanism& m, std::ostream* out) { *out << m.name; }

const Mechanism mechanisms[] = {
    {"twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
)"},
    {"only_twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
)"},
    {"inner_twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  P2: {type: revolute, bodies: [b, a], at: [0.8, 0.1]}
)"},
    {"line_through_weld",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
  c: {mass: 0.6, inertia: 0.04, center: [1.6, 0.3]}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  F: {type: fixed, bodies: [b, c], at: [1.3, 0]}
  L: {type: point_on_line, bodies: [b, c], at: [1.4, 0.2], axis: [0.3, -0.8]}
)"},
    {"weld_twice",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  F: {type: fixed, bodies: [a, b], at: [0.8, 0.1]}
  F2: {type: fixed, bodies: [a, b], at: [0.9, 0.3]}
)"},
    {"weld_to_ground",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  F: {type: fixed, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
)"},
    {"welded_and_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  F: {type: fixed, bodies: [ground, a], at: [0, 0]}
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
)"},
    {"locked",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  Q: {type: revolute, bodies: [ground, a], at: [0.5, 0.7]}
)"},
    {"all_welded",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
joints:
  F: {type: fixed, bodies: [ground, a], at: [0, 0]}
)"},
    {"slide_twice",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  S: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0.2]}
  S2: {type: prismatic, bodies: [ground, a], at: [0.3, 0.3], axis: [1, 0.2]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
)"},
    {"gear_on_twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  G: {type: gear, joints: [O, P], ratio: -1.7}
)"},
    {"gear_of_one_pin",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  G: {type: gear, joints: [O, O2], ratio: 1}
)"},
    {"gear_locks",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  G: {type: gear, joints: [O, O2], ratio: -2.5}
)"},
    {"friction_twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {viscous: 0.4}}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {viscous: 0.3}}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
)"},
    {"driven_twice_pinned",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  O2: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
motions:
  d: {joint: O, position: 0.5*sin(3*t)}
)"},
    {"parallelogram",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1, inertia: 0.1, center: [0, 0.5]}
  b: {mass: 2, inertia: 0.3, center: [0.75, 1]}
  c: {mass: 1, inertia: 0.1, center: [1.5, 0.5]}
  d: {mass: 0.7, inertia: 0.1, center: [0.6, 0.5]}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0]}
  B: {type: revolute, bodies: [a, b], at: [0, 1]}
  C: {type: revolute, bodies: [b, c], at: [1.5, 1]}
  D: {type: revolute, bodies: [ground, c], at: [1.5, 0]}
  E: {type: revolute, bodies: [ground, d], at: [0.6, 0]}
  F: {type: revolute, bodies: [b, d], at: [0.6, 1]}
initial: {velocities: {A: 1.5}}
)"},
    {"free",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
joints:
  D: {type: distance, bodies: [ground, a], at: [[1, 1.2], [0.6, 0.3]]}
)"},
    {"distance_in_weld",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  F: {type: fixed, bodies: [a, b], at: [0.8, 0.1]}
  D: {type: distance, bodies: [a, b], at: [[0.1, 0.3], [1.2, 0.5]]}
)"},
    {"three_at_a_pin",
     R"(bricard: 1
dimension: planar
bodies:
  a: {mass: 1.3, inertia: 0.12, center: [0.4, 0.1], angle: 0.2}
  b: {mass: 0.8, inertia: 0.07, center: [1.1, -0.2], angle: -0.5}
  c: {mass: 0.6, inertia: 0.04, center: [1.6, 0.3]}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, bodies: [a, b], at: [0.8, 0.1]}
  Q: {type: revolute, bodies: [b, c], at: [0.8, 0.1]}
  R: {type: revolute, bodies: [a, c], at: [0.8, 0.1]}
)"},
    {"cylinder_on_hinge",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  c: {type: cylindrical, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.6, 0.8]}
  r: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [1, 0.3, 0.2]}
  k: {type: cylindrical, bodies: [a, b], at: [1.5, 0.4, 0.5], axis: [1, 0.3, 0.2]}
)"},
    {"hinge_twice",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  o2: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  r: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [1, 0.3, 0.2]}
)"},
    {"hinge_along_axis",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  o2: {type: revolute, bodies: [ground, a], at: [1, 0.2, 0], axis: [1, 0.2, 0]}
  r: {type: spherical, bodies: [a, b], at: [0.5, 0.1, 0.3]}
)"},
    {"ball_on_hinge",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  o2: {type: spherical, bodies: [ground, a], at: [1, 0.2, 0]}
  r: {type: universal, bodies: [a, b], at: [0.5, 0.1, 0.3], axes: [[1, 0, 0.2], [0, 1, 0]]}
)"},
    {"universal_twice",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: universal, bodies: [ground, a], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}
  o2: {type: universal, bodies: [ground, a], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}
  r: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [0, 0.3, 1]}
)"},
    {"ball_twice",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}
  o2: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}
  r: {type: fixed, bodies: [a, b], at: [0.5, 0.1, 0.3]}
)"},
    {"two_balls",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}
  o2: {type: spherical, bodies: [ground, a], at: [1, 0, 0.2]}
  r: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [0, 0.3, 1]}
)"},
    {"weld_spatial",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  f: {type: fixed, bodies: [a, b], at: [0.5, 0.1, 0.3]}
  f2: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [0, 0.3, 1]}
)"},
    {"locked_spatial",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0.2, 0]}
  o2: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.2, 1]}
)"},
    {"gimbal",
     R"(bricard: 1
bodies:
  a: {mass: 1.2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0], center: [0.3, 0.2, 0.5], orientation: {euler_zxz: [0.3, 0.8, -0.2]}}
  b: {mass: 0.7, inertia: [0.08, 0.1, 0.05], center: [1, 0.7, 0.2]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}
  r: {type: revolute, bodies: [a, b], at: [0.5, 0.1, 0.3], axis: [0, 0.3, 1]}
initial: {positions: {o: 90 deg, r: 20 deg}}
)"},
};

class Awkward : public ::testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    model_ = load_text(GetParam().text, GetParam().name);
    Method method = basic();
    method.coordinates = "reference-point", method.formulation = "lagrange-pseudoinverse";
    method.stabilization = "projection", method.integrator = "dop853", method.tolerance = 1e-11;
    method.reactions = "blajer-38";
    reference_ = simulate(model_, method);
    ASSERT_TRUE(reference_.ok()) << reference_.summary.failure;
  }

  static Method basic() {
    Method method;
    method.tolerance = 1e-8;
    method.duration = 0.2, method.output_step = 0.1;
    return method;
  }

  std::vector<std::string> coordinates() const {
    std::vector<std::string> names;
    for (const CoordinatesType& type : coordinates_types()) {
      if (model_->planar() ? type.planar : type.spatial) names.emplace_back(type.name);
    }
    return names;
  }

  /// The same, or refused.
  void expect_same(const Method& method, double tolerance) {
    SimulationResult result;
    try {
      result = simulate(model_, method);
    } catch (const InputError& refusal) {
      EXPECT_FALSE(std::string(refusal.what()).empty());
      ++refused_;
      return;
    }
    ++runs_;
    const std::string what = method.coordinates + " " + method.formulation + " " + method.stabilization + " " +
                             method.integrator + " " + method.reactions + " " + method.selection;
    ASSERT_TRUE(result.ok()) << what << ": " << result.summary.failure;
    EXPECT_EQ(result.summary.structure.degrees_of_freedom, reference_.summary.structure.degrees_of_freedom) << what;
    compare(result, tolerance, what);
  }

  void compare(const SimulationResult& result, double tolerance, const std::string& what) {
    ASSERT_EQ(result.data.columns, reference_.data.columns) << what;
    ASSERT_EQ(result.data.rows.size(), reference_.data.rows.size()) << what;
    const bool least_norm = result.summary.chosen.method.reactions == "blajer-38";
    const std::vector<std::string>& conventions = reference_.data.notes.not_unique;
    double load = 1;  // N or N m
    for (const auto& [joint, components] : reference_.summary.structure.reactions)
      for (const auto& [component, unique] : components)
        load = std::max(load, std::abs(reference_.data.at(0, joint + "." + component)));
    for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
      for (const Body& body : model_->bodies) compare_body(result, row, body.name, tolerance, what);
      for (const auto& [joint, components] : reference_.summary.structure.reactions) {
        for (const auto& [component, unique] : components) {
          const std::string name = joint + "." + component;
          const bool convention = std::find(conventions.begin(), conventions.end(), name) != conventions.end();
          if (convention && (!least_norm || component.starts_with("effort"))) continue;
          EXPECT_NEAR(result.data.at(row, name), reference_.data.at(row, name), 20 * tolerance * load)
              << what << ": " << name << " in row " << row;
        }
      }
    }
  }

  void compare_body(const SimulationResult& result, std::size_t row, const std::string& body, double tolerance,
                    const std::string& what) const {
    const auto difference = [&](const std::string& name, double sign) {
      return std::abs(result.data.at(row, body + name) - sign * reference_.data.at(row, body + name));
    };
    const auto near = [&](std::initializer_list<const char*> names) {
      for (const char* name : names) {
        EXPECT_LT(difference(name, 1), tolerance * (1 + std::abs(reference_.data.at(row, body + name))))
            << what << ": " << body << name << " in row " << row;
      }
    };
    if (model_->planar()) return near({".x", ".y", ".angle", ".vx", ".vy", ".omega"});
    near({".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"});
    double same = 0, opposite = 0;  // p and -p are one rotation
    for (const char* name : {".qw", ".qx", ".qy", ".qz"}) {
      same += difference(name, 1);
      opposite += difference(name, -1);
    }
    EXPECT_LT(std::min(same, opposite), 4 * tolerance) << what << ": orientation of " << body << " in row " << row;
  }

  std::shared_ptr<const Model> model_;
  SimulationResult reference_;
  int runs_ = 0, refused_ = 0;
};

TEST_P(Awkward, MovesTheSameInEveryFormulation) {
  for (const std::string& set : coordinates()) {
    for (const FormulationType& formulation : formulation_types()) {
      Method method = basic();
      method.coordinates = set, method.formulation = formulation.name;
      // Penalties stand for rigid rows only so far.
      expect_same(method, std::string(formulation.name) == "penalty" ? 1e-3 : 2e-6);
    }
  }
  EXPECT_GT(runs_, 30);
}

TEST_P(Awkward, MovesTheSameInEverySelectionAndStabilization) {
  for (const std::string& set : coordinates()) {
    Method method = basic();
    method.coordinates = set;
    for (const char* formulation : {"independent", "independent-extended", "canonical-independent"}) {
      for (const SelectionType& selection : selection_types()) {
        method.formulation = formulation, method.selection = selection.name;
        expect_same(method, 2e-6);
      }
    }
    method.selection = "auto";
    for (const char* formulation : {"auto", "nullspace-svd"}) {
      for (const StabilizationType& stabilization : stabilization_types()) {
        method.formulation = formulation, method.stabilization = stabilization.name;
        expect_same(method, stabilization.feedback ? 1e-4 : 1e-5);  // feedback adds forces of its own
      }
    }
  }
  EXPECT_GT(runs_, 20);
}

TEST_P(Awkward, MovesTheSameWithEveryIntegratorAndSchemeOfReactions) {
  for (const std::string& set : coordinates()) {
    Method method = basic();
    method.coordinates = set;
    for (const IntegratorType& integrator : integrator_types()) {
      method.integrator = integrator.name;
      const bool second_order = integrator.order == 2;
      method.step = integrator.fixed_step ? 1e-3 : std::nan("");
      method.tolerance = second_order ? 1e-7 : 1e-8;
      expect_same(method, second_order ? 1e-3 : 1e-5);
    }
    method = basic();
    method.coordinates = set;
    for (const char* formulation : {"auto", "nullspace-svd", "lagrange-pseudoinverse"}) {
      for (const ReactionSchemeType& reactions : reaction_scheme_types()) {
        method.formulation = formulation, method.reactions = reactions.name;
        expect_same(method, 2e-6);
      }
    }
  }
  EXPECT_GT(runs_, 20);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Awkward, ::testing::ValuesIn(mechanisms),
                         [](const auto& test) { return test.param.name; });

}  // namespace awkward_mechanisms_test
}  // namespace bricard
