// Many runs at once against the same runs one by one.
#include "bricard/simulate_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analyses/assembly/assembly.h"
#include "analyses/run/pack_run.h"
#include "bricard/load.h"
#include "motions/lanes.h"
#include "support/allocation_counter.h"
#include "support/models.h"

namespace bricard {
namespace simulate_batch_test {

using testing_support::generated;
using testing_support::shipped;

using Models = std::vector<std::shared_ptr<const Model>>;

Models four_bars(int count) {
  Models models;
  for (int k = 0; k < count; ++k)
    models.push_back(
        shipped("four-bar", {{"l2", std::to_string(1.7 + 0.04 * k)}, {"rate1", std::to_string(5 + k % 3)}}));
  return models;
}

/// Models of a generated family whose bodies differ in mass.
Models with_masses(const std::string& family, int size, int count) {
  Models models;
  for (int k = 0; k < count; ++k) {
    Model model = *generated(family, size);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const double factor = 1 + 0.3 * std::sin(1 + k + 2.0 * static_cast<double>(b));
      model.bodies[b].mass *= factor;
      model.bodies[b].inertia *= factor;
    }
    models.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return models;
}

Method method(double tolerance, double duration, const std::string& integrator = "dopri5") {
  Method m;
  m.coordinates = "reference-point";
  m.formulation = "lagrange";
  m.stabilization = "projection";
  m.integrator = integrator;
  m.tolerance = tolerance;
  m.duration = duration;
  m.output_step = 0.05;
  return m;
}

/// Largest difference of places, velocities, joint coordinates, reactions: of each column, relative to its range.
double difference(const SimulationResult& a, const SimulationResult& b) {
  if (a.data.columns != b.data.columns || a.data.rows.size() != b.data.rows.size()) return INFINITY;
  double most = 0;
  for (std::size_t c = 0; c < a.data.columns.size(); ++c) {
    if (a.data.columns[c].starts_with("constraint.")) continue;
    double range = 1, error = 0;
    for (std::size_t r = 0; r < a.data.rows.size(); ++r) {
      range = std::max(range, std::abs(a.data.rows[r][c]));
      error = std::max(error, std::abs(a.data.rows[r][c] - b.data.rows[r][c]));
    }
    most = std::max(most, error / range);
  }
  return most;
}

/// In lanes, runs have common steps.
bool ran_in_lanes(const std::vector<SimulationResult>& results) {
  return std::all_of(results.begin(), results.end(), [&](const SimulationResult& result) {
    return result.summary.evaluations == results.front().summary.evaluations;
  });
}

/// Errors against a far more accurate run are of the size of those of runs one by one, or within ten times the
/// tolerance.
void expect_as_accurate(const Models& models, const Method& m, bool in_lanes = true) {
  Method accurate = m;
  accurate.tolerance = 1e-12;
  accurate.integrator = "dop853";
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  ASSERT_EQ(results.size(), models.size());
  for (std::size_t k = 0; k < models.size(); ++k) {
    const SimulationResult alone = simulate(models[k], m), reference = simulate(models[k], accurate);
    ASSERT_TRUE(results[k].ok()) << results[k].summary.failure;
    EXPECT_LT(difference(results[k], reference), 2 * difference(alone, reference) + 10 * m.tolerance) << "run " << k;
    EXPECT_EQ(results[k].summary.outputs, alone.summary.outputs);
    EXPECT_EQ(results[k].summary.messages, alone.summary.messages);
    EXPECT_LT(results[k].summary.energy_drift, 2 * alone.summary.energy_drift + 10 * m.tolerance);
    EXPECT_LT(results[k].summary.constraint_position_max, 1e-11);
    EXPECT_LT(results[k].summary.constraint_velocity_max, 1e-10);
    EXPECT_EQ(results[k].summary.final, results[k].data.rows.back());
  }
  if (in_lanes) {
    EXPECT_TRUE(ran_in_lanes(results));
  }
}

void expect_the_same(const Models& models, const Method& m, double allowed) {
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  for (std::size_t k = 0; k < models.size(); ++k) {
    const SimulationResult alone = simulate(models[k], m);
    ASSERT_TRUE(results[k].ok()) << results[k].summary.failure;
    EXPECT_LE(difference(results[k], alone), allowed) << "run " << k;
    EXPECT_EQ(results[k].summary.steps, alone.summary.steps);
  }
}

TEST(SimulateBatch, PlanarRunsAreAsOneByOne) {
  expect_as_accurate(four_bars(4), method(1e-8, 2));
  expect_as_accurate(four_bars(7), method(1e-6, 2), false);
  expect_the_same(four_bars(1), method(1e-6, 2), 0);
}

TEST(SimulateBatch, SpatialRunsAreAsOneByOne) {
  expect_as_accurate(with_masses("spatial-chain", 6, 4), method(1e-8, 1));
}

TEST(SimulateBatch, OtherIntegratorsAndFeedback) {
  expect_as_accurate(four_bars(3), method(1e-9, 1, "dop853"));
  expect_as_accurate(four_bars(4), method(1e-9, 1, "verner6"));
  Method fixed = method(1e-6, 1, "rk4");
  fixed.step = 0.001;
  // The same steps: nothing but rounding differs.
  expect_the_same(four_bars(4), fixed, 1e-11);
  expect_the_same(with_masses("spatial-chain", 4, 4), fixed, 1e-11);
  fixed.stabilization = "baumgarte";
  expect_the_same(four_bars(4), fixed, 1e-11);
}

TEST(SimulateBatch, TurnsOfSpatialJointsAreCounted) {
  // A crank that turns more than once, on hinges of space.
  const char* text =
      "bricard: 1\ngravity: [0, 0, -9.81]\nparameters: {w: 30, m: 1}\n"
      "bodies:\n  a: {mass: m, inertia: [0.1, 0.1, 0.01], center: [0.5, 0, 0]}\n"
      "  b: {mass: 1, inertia: [0.1, 0.1, 0.01], center: [1.5, 0, 0]}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  B: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
      "initial: {velocities: {A: w, B: -20}}\n";
  Models models;
  for (int k = 0; k < 4; ++k)
    models.push_back(
        load_text(text, "crank", {.parameters = {{"w", std::to_string(28 + k)}, {"m", std::to_string(1 + k)}}}));
  const std::vector<SimulationResult> results = simulate_batch(models, method(1e-9, 2));
  EXPECT_TRUE(ran_in_lanes(results));
  for (std::size_t k = 0; k < models.size(); ++k) {
    const SimulationResult alone = simulate(models[k], method(1e-9, 2));
    EXPECT_GT(std::abs(alone.data.at(alone.data.rows.size() - 1, "A.angle")), 15);
    EXPECT_LT(difference(results[k], alone), 1e-6);
  }
}

/// Four of a shipped model whose bodies differ in mass.
Models variations(const std::string& name, int count = 4, bool masses = true) {
  Models models;
  for (int k = 0; k < count; ++k) {
    Model model = *shipped(name);
    for (std::size_t b = 0; masses && b < model.bodies.size(); ++b) {
      const double factor = 1 + 0.1 * std::sin(1 + k + 2.0 * static_cast<double>(b));
      model.bodies[b].mass *= factor;
      model.bodies[b].inertia *= factor;
    }
    models.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return models;
}

bool are_lanes(const std::vector<SimulationResult>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const SimulationResult& result) { return result.summary.dynamics.starts_with("lanes of 4"); });
}

/// Two rods, of which the second one's mass differs; `more`: of the joint at the ground, and of the model.
Models rods(const std::string& of_joint, const std::string& of_model = "") {
  Models models;
  for (int k = 0; k < 3; ++k) {
    models.push_back(
        load_text("bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
                  "bodies:\n  a: {mass: 1, inertia: 0.1, center: [0.5, 0]}\n  b: {mass: " +
                      std::to_string(1 + 0.2 * k) +
                      ", inertia: 0.1, center: [1.5, 0]}\n"
                      "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0]" +
                      of_joint +
                      "}\n"
                      "  B: {type: revolute, bodies: [a, b], at: [1, 0]}\n" +
                      of_model,
                  "rods"));
  }
  return models;
}

TEST(SimulateBatch, ForcesAndLawsOfTimeRunInLanes) {
  expect_as_accurate(variations("mcpherson"), method(1e-8, 1));  // a force that follows a law of time
  const Models sprung =
      rods("", "forces: {s: {type: spring, between: [[ground, [1, 1]], [b, [2, 0]]], stiffness: 20, damping: 0.5}}\n");
  EXPECT_TRUE(are_lanes(simulate_batch(sprung, method(1e-8, 1))));
  expect_as_accurate(sprung, method(1e-8, 1));
}

// Beside the gains that callgrind counts (docs/batch.md).
TEST(SimulateBatch, LanesAreTakenWhereTheyGain) {
  const std::pair<const char*, double> counted[] = {
      {"four-bar", 3.5}, {"mcpherson", 2.3}, {"driven-four-bar", 2.2}, {"spring-platform", 1.04}};
  for (const auto& [name, gain] : counted) {
    const System system(shipped(name), *find_coordinates_type("reference-point"));
    EXPECT_NEAR(lanes_gain(system), gain, 0.15 * gain) << name;
    EXPECT_EQ(are_lanes(simulate_batch(variations(name), method(1e-6, 0.1))), gain > 1.25) << name;
  }
}

TEST(SimulateBatch, RedundantConstraintsRunInLanes) {
  for (const char* name : {"five-bar", "mcpherson-overconstrained", "bennett", "parallelogram-3"}) {
    SCOPED_TRACE(name);
    Method m = method(1e-8, 0.5);
    m.formulation = "lagrange-proximal";
    expect_as_accurate(variations(name), m);
  }
}

TEST(SimulateBatch, DrivesGearsAndFrictionRunInLanes) {
  for (const char* name : {"driven-slider-crank", "geared-pair", "rack-and-pinion", "driven-four-bar"}) {
    SCOPED_TRACE(name);
    Method m = method(1e-8, 0.3);
    const auto results = simulate_batch(variations(name), m);
    EXPECT_TRUE(are_lanes(results)) << results.front().summary.dynamics;
    for (std::size_t k = 0; k < results.size(); ++k)
      EXPECT_LT(difference(results[k], simulate(variations(name)[k], m)), 1e-6) << k;
  }
}

// Friction that depends on loads settles in all lanes at once; states of friction and the work go along.
TEST(SimulateBatch, FrictionInLanesIsThatOfSingleRuns) {
  for (const char* law :
       {"coulomb: 0.3, radius: 0.05, smoothing: 0.5", "viscous: 0.4", "dahl: {stiffness: 500, limit: 2}"}) {
    SCOPED_TRACE(law);
    const Models models = rods(std::string(", friction: {") + law + "}");
    Method fixed = method(1e-6, 0.5, "rk4");
    fixed.step = 0.001;
    EXPECT_TRUE(are_lanes(simulate_batch(models, fixed)));
    expect_the_same(models, fixed, 1e-9);
  }
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/models")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Every shipped model, with fixed steps, so that runs in lanes differ from single ones by rounding alone. What fits no
// lanes is listed: a model that stops fitting is one more.
TEST(SimulateBatch, ShippedModelsFitLanesOrAreListed) {
  std::vector<std::string> misfits;
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    Method fixed = method(1e-6, 0.05, "rk4");
    fixed.step = 0.0005;
    fixed.output_step = 0.01;
    const Models models = variations(name, 3);
    fixed.formulation = "lagrange-proximal";
    const std::vector<SimulationResult> results = simulate_batch(models, fixed);
    if (!are_lanes(results)) {
      misfits.push_back(name);
      continue;
    }
    if (name == "stick-slip") continue;  // unstable with these steps, which magnifies rounding
    for (std::size_t k = 0; k < models.size(); ++k)
      EXPECT_LT(difference(results[k], simulate(models[k], fixed)), 1e-8) << k;
  }
  // Laws that switch or depend on the state; massless bodies; singular starts; forces that take most of the time.
  EXPECT_EQ(misfits,
            (std::vector<std::string>{"bricard", "car-axis", "controlled-double-rod", "exudyn-coin", "exudyn-joints",
                                      "follower-force", "four-wheeled-cart", "rotary-drive", "spring-platform"}));
}

TEST(SimulateBatch, StructuresOfForcesThatDifferRunOneByOne) {
  Models models = variations("mcpherson");
  Model other = *models[2];
  other.forces.pop_back();
  models[2] = std::make_shared<const Model>(std::move(other));
  const Method m = method(1e-8, 0.2);
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  for (std::size_t k = 0; k < models.size(); ++k) {
    ASSERT_TRUE(results[k].ok()) << results[k].summary.failure;
    EXPECT_LT(difference(results[k], simulate(models[k], m)), 1e-6);
  }
}

TEST(SimulateBatch, DifferentStructuresDoNotMix) {
  const Models models = {shipped("four-bar"), shipped("four-bar"), shipped("double-pendulum"),
                         shipped("double-pendulum"), shipped("four-bar")};
  expect_as_accurate(models, method(1e-8, 1), false);
}

TEST(SimulateBatch, AModelThatIsRefusedHarmsNoOther) {
  Models models = four_bars(6);
  Model broken = *models[1];
  broken.joints[3].at_i = Vec3(9, 0, 0);  // the links do not reach so far
  models[1] = std::make_shared<const Model>(std::move(broken));
  const Method m = method(1e-8, 1);
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  EXPECT_FALSE(results[1].ok());
  EXPECT_FALSE(results[1].summary.failure.empty());
  EXPECT_TRUE(results[1].data.rows.empty());
  for (std::size_t k : {0, 2, 3, 4, 5}) {
    ASSERT_TRUE(results[k].ok()) << results[k].summary.failure;
    EXPECT_LT(difference(results[k], simulate(models[k], m)), 1e-6) << k;
  }
}

TEST(SimulateBatch, ARunThatStopsHarmsNoOther) {
  // A pendulum that falls from the horizontal: the root is none below an angle of -c.
  const char* text =
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\nparameters: {c: 9}\n"
      "bodies: {a: {mass: 1, inertia: 0.1, center: [1, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}}\n"
      "outputs: {root: sqrt(c + angle(A))}\n";
  Models models;
  for (const char* c : {"9", "1", "8", "7"}) models.push_back(load_text(text, "pendulum", {.parameters = {{"c", c}}}));
  const Method m = method(1e-8, 1);
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  EXPECT_FALSE(results[1].ok());
  EXPECT_NE(results[1].summary.failure.find("root"), std::string::npos) << results[1].summary.failure;
  EXPECT_GT(results[1].data.rows.size(), 5u);
  EXPECT_LT(results[1].data.rows.size(), 15u);
  for (std::size_t k : {0, 2, 3}) {
    ASSERT_TRUE(results[k].ok()) << results[k].summary.failure;
    EXPECT_EQ(results[k].data.rows, simulate(models[k], m).data.rows);
  }
}

TEST(SimulateBatch, SingularPositionsArePassedAsOneByOne) {
  // A parallelogram among others, which lies flat at times.
  Models models = four_bars(4);
  models[2] = shipped("four-bar", {{"l0", "2"}, {"l1", "1"}, {"l2", "2"}, {"l3", "1"}});
  const Method m = method(1e-8, 2);
  const std::vector<SimulationResult> results = simulate_batch(models, m);
  for (std::size_t k = 0; k < models.size(); ++k) {
    const SimulationResult alone = simulate(models[k], m);
    EXPECT_EQ(results[k].ok(), alone.ok()) << results[k].summary.failure << alone.summary.failure;
    EXPECT_LT(difference(results[k], alone), 1e-5) << k;
  }
}

TEST(SimulateBatch, ThreadsChangeNothing) {
  const Models models = four_bars(11);
  const Method m = method(1e-8, 1);
  std::atomic<int> calls = 0;
  double last = 0;
  const auto progress = [&](double fraction) { ++calls, last = fraction; };
  const std::vector<SimulationResult> one = simulate_batch(models, m, {.threads = 1});
  const std::vector<SimulationResult> three = simulate_batch(models, m, {.threads = 3, .progress = progress});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(last, 1);
  for (std::size_t k = 0; k < models.size(); ++k) EXPECT_EQ(one[k].data.rows, three[k].data.rows) << k;
}

TEST(SimulateBatch, LanesCanBeLeftOut) {
  const Models models = four_bars(3);
  const std::vector<SimulationResult> results = simulate_batch(models, method(1e-8, 1), {.lanes = false});
  for (std::size_t k = 0; k < models.size(); ++k)
    EXPECT_EQ(results[k].data.rows, simulate(models[k], method(1e-8, 1)).data.rows);
}

TEST(SimulateBatch, AnUnknownMethodIsTheFailureOfEachRun) {
  for (const SimulationResult& result : simulate_batch(four_bars(3), method(1e-8, 1, "dopri6"))) {
    EXPECT_FALSE(result.ok());
    EXPECT_NE(result.summary.failure.find("dopri6"), std::string::npos) << result.summary.failure;
  }
}

TEST(Lanes, AllocatesNothingInAStep) {
  for (const Models& models : {four_bars(4), with_masses("spatial-chain", 5, 4)}) {
    const CoordinatesType& bodies = *find_coordinates_type("reference-point");
    std::vector<std::unique_ptr<System>> owned;
    std::vector<System*> systems;
    for (const auto& model : models) {
      owned.push_back(std::make_unique<System>(model, bodies));
      systems.push_back(owned.back().get());
    }
    const auto motion = create_lanes(systems, {.projection = true});
    ASSERT_TRUE(motion);
    Vector x(motion->size()), xdot(motion->size());
    for (int l = 0; l < 4; ++l) {
      const Assembly assembly = assemble(models[l], bodies);
      motion->pack(l, assembly.q, assembly.v, x);
    }
    const VectorRef state = x, rate = xdot;
    const AllocationCounter counter;
    for (int k = 1; k < 5; ++k) {
      ASSERT_EQ(motion->derivative(1e-6 * k, state, rate), Status::ok);
      x += 1e-6 * xdot;
      motion->correct_candidate(1e-6 * k, state);
      motion->derivative(1e-6 * k, state, rate);
      motion->after_step(1e-6 * k, state);
    }
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(Pack, SineAndCosineAreRoundedWell) {
  for (double scale : {0.0, 1e-300, 1e-9, 0.5, 3.0, 100.0, 9e4, 1e8, 1e300}) {
    Pack angle, sine, cosine;
    for (int l = 0; l < Pack::lanes; ++l) angle[l] = scale * (l - 1.37);
    sine_and_cosine(angle, sine, cosine);
    for (int l = 0; l < Pack::lanes; ++l) {
      EXPECT_NEAR(sine[l], std::sin(angle[l]), 2.3e-16) << angle[l];
      EXPECT_NEAR(cosine[l], std::cos(angle[l]), 2.3e-16) << angle[l];
    }
  }
}

TEST(Pack, PivotsThatAreMissingAreCounted) {
  Pack pivot;
  pivot[0] = 4, pivot[1] = 0, pivot[2] = -1, pivot[3] = 0.25;
  int missing = 3;
  const Pack inverse = inverse_roots(pivot, Pack(1e-13), missing);
  EXPECT_EQ(missing, 5);
  const double expected[] = {0.5, 0, 0, 2};
  for (int l = 0; l < Pack::lanes; ++l) EXPECT_EQ(inverse[l], expected[l]);
}

}  // namespace simulate_batch_test
}  // namespace bricard
