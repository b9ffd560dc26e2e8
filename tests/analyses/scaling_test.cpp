// Mechanisms of one design in any size, of any density, at any pace move alike: every number of a model and of its
// results scales with its unit, from 1e-9 to 1e9. The factors stand in the texts of the models below, and units of
// columns are those that results carry; nothing here knows how the engine sees to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "analyses/linear/modes.h"
#include "analyses/run/own_units.h"
#include "analyses/structure/structure.h"
#include "bricard/diagnosis.h"
#include "bricard/equilibrium.h"
#include "bricard/inverse_dynamics.h"
#include "bricard/kinematics.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "bricard/simulate_batch.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "io/results/column_units.h"
#include "support/models.h"
#include "support/started.h"

namespace bricard {
namespace scaling_test {

struct Scale {
  double length = 1, mass = 1, time = 1;
  Units units() const { return {length, mass, time}; }
};
void PrintTo(const Scale& scale, std::ostream* out) {
  *out << "length " << scale.length << ", mass " << scale.mass << ", time " << scale.time;
}

std::string text_of(double value) { return fmt::format("{:.17g}", value); }

std::shared_ptr<const Model> load_scaled(const std::string& text, const Scale& scale) {
  return load_text(
      text, "scaled",
      {.parameters = {{"s", text_of(scale.length)}, {"k", text_of(scale.mass)}, {"tau", text_of(scale.time)}}});
}

// A loop with springs, dampers, friction, a rack, formulas of time and of places.
const std::string linkage = testing_support::text_of_test("analyses/scaling/linkage.yaml");

// In space: ball, cross, screw and distance joints, mounts, a rotor, a follower force, a formula as constraint.
const std::string machine = testing_support::text_of_test("analyses/scaling/machine.yaml");

const std::string rolling = testing_support::text_of_test("analyses/scaling/rolling.yaml");

// Nothing falls, nothing moves at first: only the duration says how fast it is.
const std::string belt = testing_support::text_of_test("analyses/scaling/belt.yaml");

const std::string driven = testing_support::text_of_test("analyses/scaling/driven.yaml");

// --- what is compared ---

double size_of_unit(const std::string& unit, const Scale& f) {
  const double force = f.mass * f.length / (f.time * f.time);
  const std::map<std::string, double> sizes = {{"s", f.time},
                                               {"m", f.length},
                                               {"rad", 1},
                                               {"1", 1},
                                               {"m/s", f.length / f.time},
                                               {"rad/s", 1 / f.time},
                                               {"m/s^2", f.length / (f.time * f.time)},
                                               {"rad/s^2", 1 / (f.time * f.time)},
                                               {"N", force},
                                               {"N m", force * f.length},
                                               {"J", force * f.length},
                                               {"W", force * f.length / f.time}};
  return sizes.at(unit);
}

struct Table {
  std::vector<std::string> columns;
  std::vector<Vector> rows;
};

/// What is zero in exact arithmetic is rounding errors of what made it, which cancelled: this part of the sizes that
/// the mechanism's length and mass, the time of the run and its forces give.
constexpr double rounding = 1e-10;

/// Columns with a unit, and those named; differences relative to the largest value of that unit.
void expect_alike(const Model& model, const Table& base, const Table& scaled, const Scale& scale, double tolerance,
                  const std::vector<std::string>& without_unit = {}, const std::vector<std::string>& left_out = {}) {
  ASSERT_EQ(base.columns, scaled.columns);
  ASSERT_EQ(base.rows.size(), scaled.rows.size());
  const auto is_one_of = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::map<std::string, double> largest;
  std::vector<std::string> units;
  for (std::size_t c = 0; c < base.columns.size(); ++c) {
    units.push_back(is_one_of(without_unit, base.columns[c]) ? "1" : column_unit(model, base.columns[c]));
    for (const Vector& row : base.rows)
      largest[units[c]] = std::max(largest[units[c]], std::abs(row[static_cast<int>(c)]));
  }
  Scale own = {.length = model.characteristic_length(), .mass = 0, .time = largest["s"]};
  for (const Body& body : model.bodies) own.mass += body.mass;
  const double strength = std::max(1.0, largest["N"] / size_of_unit("N", own));
  for (std::size_t c = 0; c < base.columns.size(); ++c) {
    if (units[c].empty() || is_one_of(left_out, base.columns[c])) continue;
    const double size = size_of_unit(units[c], scale);
    const bool of_forces = units[c] == "N" || units[c] == "N m";
    const double zero = rounding * size_of_unit(units[c], own) * (of_forces ? strength : 1);
    const double allowed = std::max(tolerance * largest[units[c]], zero);
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t r = 0; r < base.rows.size(); ++r) {
      const double difference =
          std::abs(scaled.rows[r][static_cast<int>(c)] / size - base.rows[r][static_cast<int>(c)]);
      if (!(difference <= worst)) worst = difference, where = r;
    }
    EXPECT_LE(worst, allowed) << base.columns[c] << " in row " << where << ": "
                              << scaled.rows[where][static_cast<int>(c)] / size << " instead of "
                              << base.rows[where][static_cast<int>(c)];
  }
}

Table table_of(const MemorySink& sink) { return {sink.columns, sink.rows}; }

const Scale scales[] = {{1e-9, 1, 1}, {1e9, 1, 1},         {1, 1e-9, 1},    {1, 1e9, 1},     {1, 1, 1e-9},
                        {1, 1, 1e9},  {1e-6, 1e-12, 1e-5}, {1e6, 1e9, 1e4}, {1e-3, 1e-9, 1}, {1e-9, 1e-9, 1e-9}};

class Scaling : public ::testing::TestWithParam<Scale> {};

TEST_P(Scaling, OfRuns) {
  for (const std::string& text : {linkage, machine, rolling, belt}) {
    const auto base = load_scaled(text, {}), scaled = load_scaled(text, GetParam());
    const SimulationResult here = simulate(base), there = simulate(scaled);
    ASSERT_TRUE(here.ok()) << here.summary.failure;
    ASSERT_TRUE(there.ok()) << there.summary.failure;
    expect_alike(*base, table_of(here.data), table_of(there.data), GetParam(), 2e-6,
                 text == linkage ? std::vector<std::string>{"reach", "swing"} : std::vector<std::string>{});
    EXPECT_NEAR(there.summary.time / GetParam().time, here.summary.time, 1e-12);
    EXPECT_NEAR(static_cast<double>(there.summary.evaluations), static_cast<double>(here.summary.evaluations),
                0.4 * static_cast<double>(here.summary.evaluations));
  }
}

TEST_P(Scaling, OfEveryIntegrator) {
  const auto base = load_scaled(linkage, {}), scaled = load_scaled(linkage, GetParam());
  for (const IntegratorType& type : integrator_types()) {
    Method method;
    method.integrator = type.name;
    method.duration = 0.5, method.output_step = 0.1;
    if (type.fixed_step) method.step = 1.0 / 512;
    method.tolerance = std::string(type.name) == "hht" ? 1e-7 : 1e-8;
    const SimulationResult here = simulate(base, method);
    for (double* of : {&method.duration, &method.output_step, &method.step}) *of *= GetParam().time;
    const SimulationResult there = simulate(scaled, method);
    ASSERT_TRUE(here.ok()) << type.name << here.summary.failure;
    ASSERT_TRUE(there.ok()) << type.name << there.summary.failure;
    SCOPED_TRACE(type.name);
    Table of_positions = table_of(here.data), of_others = table_of(there.data);
    expect_alike(*base, of_positions, of_others, GetParam(), type.fixed_step ? 1e-7 : 1e-3);
  }
}

TEST_P(Scaling, OfEveryFormulation) {
  const auto base = load_scaled(linkage, {}), scaled = load_scaled(linkage, GetParam());
  for (const FormulationType& type : formulation_types()) {
    Method method;
    method.formulation = type.name;
    method.tolerance = 1e-8, method.duration = 0.3, method.output_step = 0.1;
    SimulationResult here;
    try {
      here = simulate(base, method);
    } catch (const InputError&) {
      continue;  // does not fit this mechanism
    }
    for (double* of : {&method.duration, &method.output_step}) *of *= GetParam().time;
    const SimulationResult there = simulate(scaled, method);
    if (!here.ok()) continue;
    ASSERT_TRUE(there.ok()) << type.name << there.summary.failure;
    SCOPED_TRACE(type.name);
    expect_alike(*base, table_of(here.data), table_of(there.data), GetParam(),
                 std::string(type.name) == "penalty" ? 1e-3 : 2e-5);
  }
}

TEST_P(Scaling, OfKinematicsAndInverseDynamics) {
  const auto base = load_scaled(driven, {}), scaled = load_scaled(driven, GetParam());
  const KinematicsResult here = kinematics(base), there = kinematics(scaled);
  ASSERT_TRUE(here.ok()) << here.summary.failure;
  ASSERT_TRUE(there.ok()) << there.summary.failure;
  expect_alike(*base, table_of(here.data), table_of(there.data), GetParam(), 1e-8, {}, {"drive.power"});
  EXPECT_EQ(there.summary.structure.rank, here.summary.structure.rank);
  ASSERT_FALSE(here.summary.efforts.ranges().empty());
  const Scale& f = GetParam();
  const double torque = f.mass * f.length * f.length / (f.time * f.time);
  EXPECT_NEAR(there.summary.efforts.ranges()[0].most / torque, here.summary.efforts.ranges()[0].most,
              1e-8 * std::abs(here.summary.efforts.ranges()[0].most));

  const auto table = [](const KinematicsResult& of) {
    return MotionTable{of.data.columns, of.data.rows, "the motion"};
  };
  const InverseResult back = inverse_dynamics(base, {}, {.motion = table(here)}),
                      scaled_back = inverse_dynamics(scaled, {}, {.motion = table(there)});
  ASSERT_TRUE(back.ok()) << back.summary.failure;
  ASSERT_TRUE(scaled_back.ok()) << scaled_back.summary.failure;
  for (const std::size_t row : {std::size_t{3}, std::size_t{9}})
    EXPECT_NEAR(scaled_back.data.at(row, "A.effort") / torque, back.data.at(row, "A.effort"), 1e-6);
}

TEST_P(Scaling, OfEquilibriumAndModes) {
  const auto base = load_scaled(linkage, {}), scaled = load_scaled(linkage, GetParam());
  const Scale& f = GetParam();
  const Equilibrium here = find_equilibrium(base), there = find_equilibrium(scaled);
  ASSERT_TRUE(here.ok) << here.failure;
  ASSERT_TRUE(there.ok) << there.failure;
  ASSERT_EQ(there.joint_positions.size(), here.joint_positions.size());
  for (std::size_t k = 0; k < here.joint_positions.size(); ++k) {
    const double size = here.joint_positions[k].name == "position" ? f.length : 1;
    EXPECT_NEAR(there.joint_positions[k].value / size, here.joint_positions[k].value, 1e-7)
        << here.joint_positions[k].joint;
  }
  EXPECT_EQ(there.stability, here.stability);
  const double force = f.mass * f.length / (f.time * f.time);
  EXPECT_NEAR(there.smallest_stiffness / (f.mass / (f.time * f.time)), here.smallest_stiffness,
              1e-5 * here.smallest_stiffness);
  EXPECT_NEAR(there.potential_energy / (force * f.length), here.potential_energy,
              1e-7 * std::abs(here.potential_energy));
  EXPECT_NEAR(there.reactions[0].values[0] / force, here.reactions[0].values[0], 1e-6);
  EXPECT_NEAR(there.bodies[1].center.x() / f.length, here.bodies[1].center.x(), 1e-7);

  ModesOptions at_rest;
  at_rest.at = ModesOptions::At::equilibrium;
  const Modes slow = find_modes(base, at_rest), other = find_modes(scaled, at_rest);
  ASSERT_TRUE(slow.ok) << slow.failure;
  ASSERT_TRUE(other.ok) << other.failure;
  ASSERT_EQ(other.modes.size(), slow.modes.size());
  ASSERT_FALSE(slow.modes.empty());
  for (std::size_t k = 0; k < slow.modes.size(); ++k) {
    EXPECT_LT(std::abs(other.modes[k].eigenvalue * f.time - slow.modes[k].eigenvalue),
              1e-5 * std::abs(slow.modes[k].eigenvalue));
    EXPECT_NEAR(other.modes[k].frequency * f.time, slow.modes[k].frequency, 1e-5 * slow.modes[k].frequency);
  }
  // The state matrix is what it says: its eigenvalues are those.
  const Eigen::VectorXcd of_matrix = other.linear.A.eigenvalues();
  double nearest = 1e300;
  for (const Complex& value : of_matrix)
    nearest = std::min(nearest, std::abs(value - other.modes[0].eigenvalue) / std::abs(other.modes[0].eigenvalue));
  EXPECT_LT(nearest, 1e-6);
}

TEST_P(Scaling, OfTheDiagnosis) {
  for (const std::string& text : {linkage, machine, rolling, belt, driven}) {
    const Diagnosis here = diagnose(load_scaled(text, {})), there = diagnose(load_scaled(text, GetParam()));
    EXPECT_TRUE(here.ok());
    EXPECT_TRUE(there.ok()) << there.assembly.message;
    EXPECT_EQ(there.structure.rank, here.structure.rank);
    EXPECT_EQ(there.structure.degrees_of_freedom, here.structure.degrees_of_freedom);
    EXPECT_EQ(there.structure.mass_is_singular, here.structure.mass_is_singular);
    EXPECT_EQ(there.coordinates, here.coordinates);
    EXPECT_EQ(there.groups.size(), here.groups.size());
    EXPECT_EQ(there.rank.lost_here(), here.rank.lost_here());
    EXPECT_NEAR(there.reaction_length / GetParam().length, here.reaction_length, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Scaling, ::testing::ValuesIn(scales));

// --- shipped models ---

const Scale sizes_of_shipped[] = {{1e-9, 1e-9, 1e-9}, {1e9, 1e9, 1e9}, {1e-6, 1e6, 1}};

std::shared_ptr<const Model> twin_of(const Model& model, const Scale& scale) {
  return measured_in(scale.units().inverse(), model);
}

std::vector<std::string> outputs_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, expression] : model.outputs) names.push_back(name);
  return names;
}

bool has_dry_friction(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& joint) { return joint.friction.coulomb != 0; });
}

/// All of them. Outputs of the user's are formulas in SI units, whose results stay as they are; of reactions that are a
/// convention (of least norm) only those that are unique scale.
class ShippedModelsScale : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedModelsScale, InLengthMassAndTime) {
  const auto base = testing_support::shipped(GetParam());
  Method method;
  // While dry friction sticks, its force is the slip (5e-6 m/s of a block on a belt) times a slope as steep as the
  // smoothing is short, which errors of the rates are multiplied by, too.
  method.tolerance = has_dry_friction(*base) ? 1e-12 : 1e-9;
  const double duration = std::isnan(base->simulation.duration) ? 10 : base->simulation.duration;
  method.duration = std::min(duration, 0.4), method.output_step = method.duration / 4;
  const SimulationResult here = simulate(base, method);
  ASSERT_TRUE(here.ok()) << here.summary.failure;
  for (const Scale& scale : sizes_of_shipped) {
    const auto twin = twin_of(*base, scale);
    Method scaled = method;
    for (double* of : {&scaled.duration, &scaled.output_step}) *of *= scale.time;
    const SimulationResult there = simulate(twin, scaled);
    ASSERT_TRUE(there.ok()) << there.summary.failure;
    SCOPED_TRACE(scale.length);
    expect_alike(*base, table_of(here.data), table_of(there.data), scale, 1e-5, outputs_of(*base),
                 here.summary.notes.not_unique);
    const Diagnosis diagnosis = diagnose(base, {.releases = false}), of_twin = diagnose(twin, {.releases = false});
    EXPECT_EQ(of_twin.structure.rank, diagnosis.structure.rank);
    EXPECT_EQ(of_twin.structure.mass_is_singular, diagnosis.structure.mass_is_singular);
    EXPECT_EQ(of_twin.assembly.ok, diagnosis.assembly.ok);
  }
}

/// Positions, reactions and stiffness of a stable equilibrium are those of the mechanism; of neutral and unstable ones,
/// which of many is found is a matter of rounding.
void expect_equilibrium_alike(const Model& model, const Equilibrium& here, const Equilibrium& there, const Scale& scale,
                              bool is_singular) {
  EXPECT_EQ(there.ok, here.ok) << there.failure;
  EXPECT_EQ(there.stability, here.stability);
  EXPECT_EQ(there.statically_determinate, here.statically_determinate);
  EXPECT_EQ(there.degrees_of_freedom, here.degrees_of_freedom);
  if (!here.stable || !there.stable) return;
  for (std::size_t k = 0; k < here.bodies.size(); ++k) {
    EXPECT_LT((there.bodies[k].center / scale.length - here.bodies[k].center).norm(),
              1e-6 * model.characteristic_length())
        << model.bodies[k].name;
  }
  for (std::size_t k = 0; k < here.joint_positions.size(); ++k) {
    const JointPosition& position = here.joint_positions[k];
    const std::string column = position.joint + "." + position.name, unit = column_unit(model, column);
    double difference = there.joint_positions[k].value / size_of_unit(unit, scale) - position.value;
    if (unit == "rad") difference = std::remainder(difference, 2 * M_PI);  // it may fall to either side
    EXPECT_NEAR(difference, 0, 1e-6 * (unit == "rad" ? 1 : model.characteristic_length())) << column;
  }
  std::map<std::string, double> largest;
  const auto unit_of = [&](const StaticReaction& reaction, std::size_t c) {
    return column_unit(model, reaction.joint + "." + reaction.components[c]);
  };
  for (const StaticReaction& reaction : here.reactions) {
    for (std::size_t c = 0; c < reaction.values.size(); ++c)
      largest[unit_of(reaction, c)] = std::max(largest[unit_of(reaction, c)], std::abs(reaction.values[c]));
  }
  largest["N m"] = std::max(largest["N m"], largest["N"] * model.characteristic_length());
  for (std::size_t k = 0; k < here.reactions.size(); ++k) {
    const StaticReaction& reaction = here.reactions[k];
    EXPECT_EQ(there.reactions[k].unique, reaction.unique) << reaction.joint;
    for (std::size_t c = 0; c < reaction.values.size(); ++c) {
      const std::string unit = unit_of(reaction, c);
      if (!reaction.unique[c] || unit.empty()) continue;
      EXPECT_NEAR(there.reactions[k].values[c] / size_of_unit(unit, scale), reaction.values[c], 1e-6 * largest[unit])
          << reaction.joint << "." << reaction.components[c];
    }
  }
  EXPECT_NEAR(there.potential_energy / size_of_unit("J", scale), here.potential_energy,
              1e-6 * std::abs(here.potential_energy));
  if (here.degrees_of_freedom == 0) return;  // nothing that stiffness could be measured of
  // Constraints determine a singular position to the root of their own errors only, which differ between processors.
  EXPECT_NEAR(there.smallest_stiffness * scale.time * scale.time / scale.mass, here.smallest_stiffness,
              (is_singular ? 1e-4 : 1e-5) * std::abs(here.smallest_stiffness));
  EXPECT_NEAR(there.growth * scale.time, here.growth, 1e-5 * std::abs(here.growth));
}

void expect_modes_alike(const Modes& here, const Modes& there, const Scale& scale) {
  EXPECT_EQ(there.ok, here.ok) << there.failure;
  EXPECT_EQ(there.stability, here.stability) << there.verdict << " instead of " << here.verdict;
  EXPECT_EQ(there.zero_eigenvalues, here.zero_eigenvalues);
  EXPECT_EQ(there.speed_eigenvalues.size(), here.speed_eigenvalues.size());
  ASSERT_EQ(there.modes.size(), here.modes.size());
  double largest = 0;
  for (const Mode& mode : here.modes) largest = std::max(largest, std::abs(mode.eigenvalue));
  for (const Mode& mode : here.modes) {  // two of one frequency may come in either order
    double nearest = std::numeric_limits<double>::infinity();
    for (const Mode& other : there.modes)
      nearest = std::min(nearest, std::abs(other.eigenvalue * scale.time - mode.eigenvalue));
    EXPECT_LT(nearest, 1e-6 * largest) << mode.eigenvalue;
  }
}

TEST_P(ShippedModelsScale, InEquilibriumAndModes) {
  const auto base = testing_support::shipped(GetParam());
  const Equilibrium here = find_equilibrium(base);
  const Modes at_start = find_modes(base);
  testing_support::Started start(base);
  const Structure structure = analyze_structure(start.system, start.assembly.q, start.assembly.v);
  const bool is_singular = here.degrees_of_freedom > structure.degrees_of_freedom;
  const ModesOptions at_rest = {.at = ModesOptions::At::equilibrium};
  const Modes resting = here.ok ? find_modes(base, at_rest) : Modes{};
  for (const Scale& scale : sizes_of_shipped) {
    SCOPED_TRACE(scale.length);
    const auto twin = twin_of(*base, scale);
    expect_modes_alike(at_start, find_modes(twin), scale);
    // To find that there is none takes long.
    if (here.ok || &scale == sizes_of_shipped)
      expect_equilibrium_alike(*base, here, find_equilibrium(twin), scale, is_singular);
    if (here.ok) expect_modes_alike(resting, find_modes(twin, at_rest), scale);
  }
}

// Closed and open chains, in a plane and in space, springs, drives, rolling, gears and a formula as constraint.
TEST(ShippedModelsScaleToo, WithOtherIntegrators) {
  for (const char* name : {"slider-crank", "modelica-four-bar", "five-bar", "mcpherson", "spring-platform", "car-axis",
                           "rolling-coin", "two-wheeled-cart", "geared-pair", "knife-edge", "satellite"}) {
    const auto base = testing_support::shipped(name);
    for (const char* integrator : {"adams", "bdf", "hht", "ida"}) {
      Method method;
      method.integrator = integrator;
      method.tolerance = 1e-9, method.duration = 0.2, method.output_step = 0.05;
      const SimulationResult here = simulate(base, method);
      ASSERT_TRUE(here.ok()) << here.summary.failure;
      for (const Scale& scale : sizes_of_shipped) {
        SCOPED_TRACE(fmt::format("{} by {}, {} m", name, integrator, scale.length));
        Method scaled = method;
        for (double* of : {&scaled.duration, &scaled.output_step}) *of *= scale.time;
        const SimulationResult there = simulate(twin_of(*base, scale), scaled);
        ASSERT_TRUE(there.ok()) << there.summary.failure;
        expect_alike(*base, table_of(here.data), table_of(there.data), scale, 2e-5, outputs_of(*base),
                     here.summary.notes.not_unique);
      }
    }
  }
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/models")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, ShippedModelsScale, ::testing::ValuesIn(shipped_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// --- one by one ---

TEST(OwnUnitsOfModels, AreSiForOrdinaryOnes) {
  for (const std::string& name : shipped_names()) {
    if (name == "exudyn-coin") continue;  // a coin of 10 g and 4 mm
    EXPECT_TRUE(own_units(*testing_support::shipped(name)).are_si()) << name;
  }
}

TEST(OwnUnitsOfModels, AreThoseOfTheMechanism) {
  const Units units = own_units(*load_scaled(linkage, {1e-9, 1e-12, 1e-6}));
  EXPECT_NEAR(std::log2(units.length / 1e-9), 0.2, 1);
  EXPECT_NEAR(std::log2(units.mass / 1e-12), 0.2, 1);
  EXPECT_LT(units.time, 1e-6);
  EXPECT_GT(units.time, 1e-7);
}

TEST(OwnUnitsOfModels, ShowInMessagesNot) {
  // A joint that stays open by the size of the mechanism, and a run that stops half way.
  const auto model = load_text(R"yaml(
bricard: 1
dimension: planar
gravity: [0, -9.81e-6]
bodies: {a: {rod: [[0, 0], [2e-6, 0]], mass: 1}}
joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}}
forces: {f: {type: torque, body: a, value: "sqrt(0.5 - t)*1e-12"}}
simulation: {duration: 1}
)yaml",
                               "stops");
  const SimulationResult stopped = simulate(model);
  EXPECT_FALSE(stopped.ok());
  EXPECT_NEAR(stopped.summary.time, 0.5, 1e-2);
  EXPECT_NE(stopped.summary.failure.find("t = 0.5"), std::string::npos) << stopped.summary.failure;

  const OwnUnits own(load_scaled(linkage, {1e-6, 1, 1e-6}));
  std::string text = "dopri5 stopped at t = 2 with a step of 0.5: open by 3, at 4 N m and 5 m, 6 rows";
  own.to_si(text);
  EXPECT_EQ(text, fmt::format("dopri5 stopped at t = {:.6g} with a step of {:.6g}: open by {:.6g}, at {:.6g} N m and "
                              "{:.6g} m, 6 rows",
                              2 * own.units().time, 0.5 * own.units().time, 3 * own.units().length,
                              4 * own.units().energy(), 5 * own.units().length));
}

TEST(OwnUnitsOfModels, AreNotNoticedByBatches) {
  const Scale scale = {1e-6, 1e-9, 1e-3};
  std::vector<std::shared_ptr<const Model>> models;
  for (int k = 0; k < 4; ++k) models.push_back(load_scaled(rolling, scale));
  const auto results = simulate_batch(models, {}, {});
  const SimulationResult alone = simulate(models[0]);
  for (const SimulationResult& result : results) {
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_EQ(result.data.rows.back(), alone.data.rows.back());
  }
}

// A screw on an arm: inertias that differ by 1e12 are both there.
TEST(LightBody, MovesAsAnyOther) {
  for (const double light : {1e-3, 1e-5, 1e-8}) {
    const auto model = load_text(fmt::format(R"(
bricard: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  beam: {{mass: 8, inertia: 0.7, center: [0.4, 0]}}
  flag: {{mass: {0}, inertia: {1}, center: [1.01, 0]}}
joints:
  A: {{type: revolute, bodies: [ground, beam], at: [0, 0]}}
  B: {{type: revolute, bodies: [beam, flag], at: [1, 0]}}
simulation: {{duration: 0.2, output_step: 0.05, tolerance: 1e-9}}
)",
                                             light, 1e-5 * light),
                                 "light");
    const Diagnosis diagnosis = diagnose(model);
    EXPECT_TRUE(diagnosis.ok()) << light;
    EXPECT_FALSE(diagnosis.structure.mass_is_singular) << light;
    EXPECT_TRUE(diagnosis.structure.massless.empty()) << light;
    for (const char* formulation :
         {"auto", "lagrange", "lagrange-block", "nullspace-svd", "nullspace-qr", "independent", "udwadia-kalaba"}) {
      const SimulationResult run = simulate(model, {.formulation = formulation});
      ASSERT_TRUE(run.ok()) << light << " " << formulation << ": " << run.summary.failure;
      // At the start: the beam falls as if alone, the flag with its hinge as a pendulum on it.
      const double alpha = -8 * 9.81 * 0.4 / (0.7 + 8 * 0.16);
      EXPECT_NEAR(run.data.at(1, "beam.omega") / 0.05, alpha, 0.02 * std::abs(alpha)) << light << " " << formulation;
      const SimulationResult reference = simulate(model, {.formulation = "lagrange", .tolerance = 1e-11});
      EXPECT_NEAR(run.data.at(4, "flag.angle"), reference.data.at(4, "flag.angle"), 1e-6) << light << formulation;
    }
    // Where a threshold on a matrix that holds the masses would drop the flag's inertia, it says so.
    if (light > 1e-4) continue;
    for (const char* formulation : {"lagrange-pseudoinverse", "least-squares-2", "udwadia-phohomsiri"})
      EXPECT_THROW(simulate(model, {.formulation = formulation}), InputError) << light << " " << formulation;
  }
}

}  // namespace scaling_test
}  // namespace bricard
