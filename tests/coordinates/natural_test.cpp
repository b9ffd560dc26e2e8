// Natural coordinates: what bodies share, markers and inertia against those of rigid bodies, and the same motion as in
// reference-point coordinates in every shipped model.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "analyses/structure/structure.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "coordinates/coordinates.h"
#include "coordinates/markers.h"
#include "support/models.h"
#include "system/equations.h"
#include "system/system.h"
#include "testing/differentiate.h"

namespace bricard {
namespace natural_test {

using testing_support::generated;
using testing_support::shipped;

using testing_support::differentiate;

std::unique_ptr<Coordinates> natural(const Model& model) { return find_coordinates_type("natural")->create(model); }

// --- frames: one body b among others, described by the points and vectors that its joints give it ---

struct FrameCase {
  const char* name;
  bool planar;
  const char* joints;
  int coordinates, rows;  // of all bodies
};
void PrintTo(const FrameCase& c, std::ostream* out) { *out << c.name; }

const FrameCase frame_cases[] = {
    {"planar_free", true, "", 12, 3},
    {"planar_one_point", true, "P: {type: revolute, bodies: [b, x], at: [1, 0.2]}", 10, 3},
    {"planar_two_points", true,
     "P: {type: revolute, bodies: [b, x], at: [1, 0.2]}, R: {type: revolute, bodies: [y, b], at: [-0.4, 0.6]}", 8, 3},
    {"planar_fixed", true, "P: {type: fixed, bodies: [b, x], at: [1, 0.2]}", 8, 2},
    {"spatial_free", false, "", 36, 18},
    {"spherical", false, "P: {type: spherical, bodies: [b, x], at: [1, 0.2, 0.1]}", 33, 18},
    {"revolute", false, "P: {type: revolute, bodies: [b, x], at: [1, 0.2, 0.1], axis: [1, 2, 3]}", 30, 17},
    {"two_revolutes", false,
     "P: {type: revolute, bodies: [b, x], at: [1, 0.2, 0.1], axis: [1, 2, 3]}, "
     "R: {type: revolute, bodies: [y, b], at: [-0.4, 0.6, 0], axis: [1, -1, 0]}",
     24, 16},
    {"parallel_revolutes", false,
     "P: {type: revolute, bodies: [b, x], at: [1, 0.2, 0.1], axis: [1, 2, 3]}, "
     "R: {type: revolute, bodies: [y, b], at: [-0.4, 0.6, 0], axis: [-1, -2, -3]}",
     24, 16},
    {"universal", false, "P: {type: universal, bodies: [b, x], at: [1, 0.2, 0.1], axes: [[1, 0, 1], [0, 1, 0]]}", 33,
     19},
    {"three_points", false,
     "P: {type: spherical, bodies: [b, x], at: [1, 0.2, 0.1]}, R: {type: spherical, bodies: [y, b], at: [-0.4, 0.6, "
     "0]}, S: {type: spherical, bodies: [ground, b], at: [0, 0, 1]}",
     // S is constant: b has 2 x 3 + 3, x and y share one of its points
     27, 18},
    {"four_points", false,
     "P: {type: spherical, bodies: [b, x], at: [1, 0.2, 0.1]}, R: {type: spherical, bodies: [y, b], at: [-0.4, 0.6, "
     "0]}, S: {type: spherical, bodies: [y, b], at: [0, 0, 1]}, T: {type: spherical, bodies: [x, b], at: [0.5, "
     "-1, 0]}",
     24, 16},
    {"spatial_fixed", false, "P: {type: fixed, bodies: [b, x], at: [1, 0.2, 0.1]}", 24, 12},
};

std::shared_ptr<const Model> frame_model(const FrameCase& c) {
  const std::string bodies =
      c.planar ? "  b: {mass: 2, inertia: 0.3, center: [0.3, -0.2], angle: 0.3}\n"
                 "  x: {mass: 1, inertia: 0.2, center: [1.4, 0.5], angle: -0.4}\n"
                 "  y: {mass: 3, inertia: 0, center: [-0.9, 0.2]}\n"
               : "  b: {mass: 2, inertia: [0.3, 0.2, 0.25, 0.01, 0.02, -0.03], center: [0.3, -0.2, 0.4], orientation: "
                 "{euler_zxz: [0.3, 0.8, -0.2]}}\n"
                 "  x: {mass: 1, inertia: [0.2, 0.3, 0.2], center: [1.4, 0.5, 0.1], orientation: {euler_zxz: [-0.5, "
                 "1.2, 0.7]}}\n"
                 "  y: {mass: 3, inertia: [0, 0.4, 0.4], center: [-0.9, 0.2, 0.3]}\n";
  return load_text("bricard: 1\ndimension: " + std::string(c.planar ? "planar" : "spatial") + "\nbodies:\n" + bodies +
                       "joints: {" + c.joints + "}\n",
                   c.name);
}

class NaturalFrame : public ::testing::TestWithParam<FrameCase> {
 protected:
  void SetUp() override {
    model_ = frame_model(GetParam());
    coordinates_ = natural(*model_);
    markers_ = std::make_unique<Markers>(*model_);
    q_.resize(coordinates_->position_size());
    v_.resize(coordinates_->velocity_size());
    const bool planar = model_->planar();
    const bool on_ground = std::string(GetParam().joints).find("ground") != std::string::npos;
    for (int b = 0; b < 3; ++b) {
      markers_->point(b, planar ? Vec3(0.7, -0.3, 0) : Vec3(0.7, -0.3, 0.2));
      markers_->point(b, planar ? Vec3(1, 0.2, 0) : Vec3(1, 0.2, 0.1));  // the joint P
      markers_->vector(b, planar ? Vec3(0.6, 0.8, 0) : Vec3(Vec3(1, 2, -2) / 3));
      markers_->rotation(b);
    }
    // The whole assembly moved as one rigid body, about the grounded point if there is one.
    const double angle = 4;
    const Vec3 fixed = on_ground ? Vec3(0, 0, 1) : Vec3(0.3, 0.1, 0);
    const Vec3 shift = on_ground ? Vec3(Vec3::Zero()) : planar ? Vec3(0.4, -0.7, 0) : Vec3(0.4, -0.7, 0.2);
    const Vec3 velocity = on_ground ? Vec3(Vec3::Zero()) : planar ? Vec3(-0.5, 0.9, 0) : Vec3(-0.5, 0.9, 1.1);
    const Quaternion turn(Eigen::AngleAxisd(angle, planar ? Vec3(0, 0, 1) : Vec3(2, -1, 2) / 3));
    omega_ = planar ? Vec3(0, 0, 1.7) : Vec3(0.8, -1.1, 1.7);
    move_ = [=](const Vec3& place) { return Vec3(fixed + shift + turn * (place - fixed)); };
    speed_ = [=, this](const Vec3& place) { return Vec3(velocity + omega_.cross(turn * (place - fixed))); };
    turn_ = turn;
    for (const Body& body : model_->bodies) {
      states_.push_back({.center = move_(body.center),
                         .orientation = turn * body.orientation,
                         .angle = body.angle + angle,
                         .velocity = speed_(body.center),
                         .omega = omega_});
    }
    coordinates_->from_bodies(states_, q_, v_);
    update(q_, v_);
  }

  void update(const Vector& q, const Vector& v) {
    coordinates_->update_positions(q, *markers_);
    coordinates_->update_velocities(q, v, *markers_);
  }

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Coordinates> coordinates_;
  std::unique_ptr<Markers> markers_;
  std::vector<BodyState> states_;
  std::function<Vec3(const Vec3&)> move_, speed_;
  Quaternion turn_;
  Vec3 omega_;
  Vector q_, v_;
};

TEST_P(NaturalFrame, HasTheExpectedCoordinatesAndRows) {
  EXPECT_EQ(coordinates_->velocity_size(), GetParam().coordinates);
  EXPECT_EQ(coordinates_->own_rows(), GetParam().rows);
  for (std::size_t k = 0; k < model_->joints.size(); ++k) EXPECT_TRUE(coordinates_->absorbs(static_cast<int>(k)));
}

TEST_P(NaturalFrame, IsARigidBody) {
  for (int k = 0; k < markers_->size(); ++k) {
    const Marker& m = markers_->list[k];
    const Body& body = model_->bodies[m.body];
    if (m.kind == MarkerKind::rotation) {
      EXPECT_LT((markers_->rate[k] - omega_).norm(), 1e-13);
      continue;
    }
    const Vec3 direction = body.orientation * m.local;
    const bool point = m.kind == MarkerKind::point;
    const Vec3 value = point ? move_(body.center + direction) : turn_ * direction;
    const Vec3 rate = point ? speed_(body.center + direction) : omega_.cross(turn_ * direction);
    EXPECT_LT((markers_->value[k] - value).norm(), 1e-13) << k;
    EXPECT_LT((markers_->rate[k] - rate).norm(), 1e-13) << k;
  }
  for (int b = 0; b < 3; ++b) {
    EXPECT_LT((coordinates_->center(b) - states_[b].center).norm(), 1e-13);
    EXPECT_LT((coordinates_->frame(b) - states_[b].orientation.toRotationMatrix()).norm(), 1e-13);
    if (model_->planar()) {
      EXPECT_NEAR(markers_->turn[b], 4, 1e-13);  // more than half a turn
    }
  }
  double Phi, Phi_dot, gamma, values[12];
  for (int row = 0; row < coordinates_->own_rows(); ++row) {
    coordinates_->own_row(row, q_, v_, Phi, Phi_dot, gamma, values);
    EXPECT_NEAR(Phi, 0, 1e-13);
    EXPECT_NEAR(Phi_dot, 0, 1e-13);
  }
}

TEST_P(NaturalFrame, HasTheKineticEnergyOfTheBodies) {
  double expected = 0;
  for (int b = 0; b < 3; ++b) {
    const Vec3 omega = states_[b].orientation.conjugate() * omega_;
    expected += 0.5 * model_->bodies[b].mass * states_[b].velocity.squaredNorm();
    expected += 0.5 * omega.dot(model_->bodies[b].inertia * omega);
  }
  EXPECT_NEAR(coordinates_->kinetic_energy(), expected, 1e-13 * expected);
  System system(model_, *find_coordinates_type("natural"));
  Equations eq = system.empty_equations();
  system.evaluate(0, q_, v_, Vector(), Upto::dynamics, eq);
  EXPECT_NEAR(0.5 * v_.dot(eq.M * v_), expected, 1e-13 * expected);
  EXPECT_EQ((Matrix(eq.M) - Matrix(eq.M).transpose()).norm(), 0);
}

TEST_P(NaturalFrame, HasTheDerivativesOfItsMarkers) {
  // Off rigidity, as stages of integrators are.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  for (double& x : q_) x += 0.1 * number(random);
  for (double& x : v_) x += number(random);
  update(q_, v_);
  const Markers at = *markers_;
  std::vector<int> columns;
  for (int k = 0; k < at.size(); ++k) {
    const auto value = [&](double s) {
      update(q_ + s * v_, v_);
      return Vector(markers_->value[k]);
    };
    const auto rate = [&](double s) {
      update(q_ + s * v_, v_);
      return Vector(markers_->rate[k]);
    };
    if (at.list[k].kind != MarkerKind::rotation) {
      EXPECT_LT((differentiate(value) - at.rate[k]).norm(), 1e-10) << k;
    }
    EXPECT_LT((differentiate(rate) - at.bias[k]).norm(), 1e-9 * (1 + at.bias[k].norm())) << k;

    update(q_, v_);
    const Vec3 g(number(random), number(random), number(random));
    Vector Q = Vector::Zero(v_.size()), row = Vector::Zero(v_.size());
    coordinates_->scatter(at, {{k, g}}, Q);
    coordinates_->columns(at.list[k], columns);
    coordinates_->scatter(at, {{0, k}}, {g}, columns, row.data());
    EXPECT_LT((Q - row).norm(), 1e-15);
    for (int c = 0; c < v_.size(); ++c) {
      update(q_, Vector::Unit(v_.size(), c));
      EXPECT_NEAR(Q[c], g.dot(markers_->rate[k]), 1e-13) << k << " " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, NaturalFrame, ::testing::ValuesIn(frame_cases),
                         [](const auto& test) { return std::string(test.param.name); });

// --- counts and masses of mechanisms ---

struct CountCase {
  const char* model;
  int coordinates, rows, joint_rows, freedoms;
};

TEST(Natural, CountsOfKnownMechanisms) {
  // Jalon-Bayo: a planar four-bar has two moving points and three lengths; Bennett's linkage two points and two vectors
  // of 14 rows, where the ground has the rest.
  for (const CountCase& c : {CountCase{"pendulum", 2, 1, 0, 1},
                             {"double-pendulum", 4, 2, 0, 2},
                             {"four-bar", 4, 3, 0, 1},
                             {"n-four-bar", 6, 5, 0, 1},
                             {"parallelogram-3", 6, 4, 2, 1},
                             {"slider-crank", 6, 3, 2, 1},
                             {"bennett", 12, 14, 0, 1},
                             {"bricard", 24, 24, 0, 1}}) {
    SCOPED_TRACE(c.model);
    System system(shipped(c.model), *find_coordinates_type("natural"));
    Vector q(system.position_size()), v = Vector::Zero(system.velocity_size());
    system.coordinates().reference(q);
    const Structure structure = analyze_structure(system, q, v);
    EXPECT_EQ(system.velocity_size(), c.coordinates);
    EXPECT_EQ(system.coordinates().own_rows(), c.rows);
    EXPECT_EQ(system.row_count() - system.coordinates().own_rows(), c.joint_rows);
    EXPECT_EQ(structure.degrees_of_freedom, c.freedoms);
  }
}

TEST(Natural, MassMatrixOfARodByItsEnds) {
  // m/6 [2 I, I; I, 2 I]                                                                       [Jalon-Bayo, chapter 4]
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {rod: {rod: [[0, 0], [3, 4]], mass: 6}, a: {mass: 0, inertia: 0, center: "
      "[0, 0]}, b: {mass: 0, inertia: 0, center: [3, 4]}}\n"
      "joints: {A: {type: revolute, bodies: [rod, a], at: [0, 0]}, B: {type: revolute, bodies: [rod, b], at: [3, "
      "4]}}\n",
      "rod");
  System system(model, *find_coordinates_type("natural"));
  Equations eq = system.empty_equations();
  Vector q(system.position_size());
  system.coordinates().reference(q);
  system.evaluate(0, q, Vector::Zero(q.size()), Vector(), Upto::dynamics, eq);
  Matrix expected(4, 4);
  expected << 2, 0, 1, 0, 0, 2, 0, 1, 1, 0, 2, 0, 0, 1, 0, 2;
  EXPECT_LT((Matrix(eq.M).topLeftCorner(4, 4) - expected).norm(), 1e-14);
  EXPECT_EQ(Matrix(eq.M).bottomRows(4).norm(), 0);  // of the points that massless bodies need for themselves
}

// --- which joints are absorbed ---

std::vector<bool> absorbed(const std::string& text) {
  const auto model = load_text("bricard: 1\n" + text, "test");
  const auto coordinates = natural(*model);
  std::vector<bool> result;
  for (std::size_t k = 0; k < model->joints.size(); ++k) result.push_back(coordinates->absorbs(static_cast<int>(k)));
  return result;
}

TEST(Natural, JointsWhoseFrictionDependsOnTheirLoadKeepTheirRows) {
  const auto with = [](const std::string& friction) -> bool {
    return absorbed(
        "dimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [1, 0]}}\n"
        "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {" +
        friction + "}}}\n")[0];
  };
  EXPECT_TRUE(with("viscous: 0.1"));
  EXPECT_FALSE(with("coulomb: 0.2, radius: 0.01"));
}

TEST(Natural, AThirdPointOfAPlanarBodyKeepsItsRows) {
  const std::string text =
      "dimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [1, 0]}, b: {mass: 1, inertia: 1, center: [2, 1]}, "
      "c: {mass: 1, inertia: 1, center: [0, 1]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}, B: {type: revolute, bodies: [a, b], at: [2, 0]}, "
      "C: {type: revolute, bodies: [a, c], at: [1, 1]}, D: {type: revolute, bodies: [c, b], at: [2, 0]}}\n";
  EXPECT_EQ(absorbed(text), (std::vector<bool>{true, true, false, true}));
}

TEST(Natural, ASecondHingeOnTheSameAxisKeepsItsRows) {
  const std::string text =
      "bodies: {door: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [door, ground], at: [0, 0, 0], axis: [0, 0, 1]}, "
      "B: {type: revolute, bodies: [ground, door], at: [0, 0, 2], axis: [0, 0, 1]}}\n";
  EXPECT_EQ(absorbed(text), (std::vector<bool>{true, false}));
}

TEST(Natural, LongChainsOfShortBodiesShareAllTheirPoints) {
  const auto chain = generated("spatial-chain", 300);
  EXPECT_EQ(natural(*chain)->velocity_size(), 6 * 300);  // a point and a vector each, and what the last has for itself
  EXPECT_EQ(natural(*chain)->own_rows(), 5 * 300);
  const auto loops = generated("n-four-bar", 100);
  EXPECT_EQ(natural(*loops)->velocity_size(), 2 * 101);
  EXPECT_EQ(natural(*loops)->own_rows(), 101 + 100);
}

TEST(Natural, BodiesFixedToTheGroundHaveNoCoordinates) {
  for (const char* dimension : {"planar", "spatial"}) {
    const bool planar = std::string(dimension) == "planar";
    const auto model = load_text(
        std::string("bricard: 1\ndimension: ") + dimension + "\nbodies: {a: {mass: 1, inertia: " +
            (planar ? "1, center: [1, 0]}, b: {mass: 1, inertia: 1, center: [2, 0]}}\n"
                    : "[1, 1, 1], center: [1, 0, 0]}, b: {mass: 1, inertia: [1, 1, 1], center: [2, 0, 0]}}\n") +
            "joints: {A: {type: fixed, bodies: [a, ground], at: " + (planar ? "[0, 0]" : "[0, 0, 0]") +
            "}, B: {type: fixed, bodies: [a, b], at: " + (planar ? "[2, 0]" : "[2, 0, 0]") + "}}\n",
        "fixed");
    System system(model, *find_coordinates_type("natural"));
    EXPECT_EQ(system.velocity_size(), 0);
    EXPECT_EQ(system.row_count(), 0);
    Equations eq = system.empty_equations();
    system.evaluate(0, Vector(), Vector(), Vector(), Upto::dynamics, eq);
    EXPECT_EQ(system.coordinates().center(1), Vec3(2, 0, 0));
  }
}

// --- whole runs ---

SimulationResult run(const std::shared_ptr<const Model>& model, const std::string& coordinates, double duration,
                     double tolerance) {
  Method method;
  method.coordinates = coordinates;
  method.formulation = method.stabilization = method.integrator = method.reactions = "auto";
  method.tolerance = tolerance;
  method.duration = duration;
  method.output_step = duration / 4;
  return simulate(model, method);
}

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/models")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class NaturalMotion : public ::testing::TestWithParam<std::string> {};

TEST_P(NaturalMotion, IsThatOfReferencePointCoordinates) {
  const auto model = shipped(GetParam());
  const bool gets_singular = GetParam() == "sarrus" || GetParam() == "n-four-bar";
  const double duration = gets_singular ? 0.3 : 1;  // short of the singular position
  const SimulationResult expected = run(model, "reference-point", duration, 1e-11);
  const SimulationResult result = run(model, "natural", duration, 1e-11);
  ASSERT_TRUE(expected.ok()) << expected.summary.failure;
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_EQ(result.summary.structure.degrees_of_freedom, expected.summary.structure.degrees_of_freedom);
  ASSERT_EQ(result.data.columns, expected.data.columns);
  ASSERT_EQ(result.data.rows.size(), expected.data.rows.size());
  const bool all_unique = expected.summary.structure.rank == expected.summary.structure.constraints;
  const auto is_reaction = [&](const std::string& column) {
    return std::any_of(model->joints.begin(), model->joints.end(), [&](const Joint& joint) {
      const std::string rest = column.starts_with(joint.name + ".") ? column.substr(joint.name.size() + 1) : "";
      return rest.size() == 2 && (rest[0] == 'f' || rest[0] == 'm');
    });
  };
  // Where a body sticks, smoothed friction of 0.3 m g / 5e-6 m/s turns errors of the velocity into forces.
  const double limit = std::string(GetParam()) == "stick-slip" ? 1e-5 : 1e-7;
  for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
    // p and -p are the same rotation.
    for (const Body& body : model->bodies) {
      if (model->planar()) continue;
      double dot = 0;
      for (const char* name : {".qw", ".qx", ".qy", ".qz"})
        dot += expected.data.at(row, body.name + name) * result.data.at(row, body.name + name);
      EXPECT_NEAR(std::abs(dot), 1, 1e-13) << body.name;
    }
    for (std::size_t k = 0; k < expected.data.columns.size(); ++k) {
      const std::string& column = expected.data.columns[k];
      const bool is_quaternion =
          !model->planar() && column.size() > 3 && column[column.size() - 3] == '.' && column[column.size() - 2] == 'q';
      if (is_quaternion || column.starts_with("constraint.") || (is_reaction(column) && !all_unique)) continue;
      const double value = expected.data.rows[row][static_cast<int>(k)];
      EXPECT_NEAR(result.data.rows[row][static_cast<int>(k)], value, limit * (1 + std::abs(value)))
          << column << " row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NaturalMotion, ::testing::ValuesIn(all_models()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Natural, TurnsAreCounted) {
  // Published with the model: alpha = pi/2 - crank.angle, more than twelve turns in 10 s.
  const SimulationResult result = run(shipped("four-bar"), "natural", 10, 1e-11);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NEAR(result.data.at(4, "alpha"), 79.340798253554, 1e-6);
  EXPECT_NEAR(result.data.at(4, "crank.angle"), std::acos(0.0) - 79.340798253554, 1e-6);
}

}  // namespace natural_test
}  // namespace bricard
