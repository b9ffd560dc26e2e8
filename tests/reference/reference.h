// Compares runs of models with tables of reference values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyses/assembly/assembly.h"
#include "analyses/structure/structure.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "support/models.h"
#include "system/typical_inertia.h"

namespace bricard::testing_support {

// --- tables of tests/data ---

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> cells;

  std::size_t rows() const { return cells.size(); }
  const std::string& text(std::size_t row, const std::string& column) const {
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) throw std::out_of_range("no column " + column);
    return cells.at(row).at(found - columns.begin());
  }
  double at(std::size_t row, const std::string& column) const { return std::stod(text(row, column)); }
};

inline Table read_table(const std::string& name) {
  std::ifstream file(std::string(BRICARD_SOURCE_DIR) + "/tests/data/" + name + ".csv");
  if (!file) throw std::runtime_error("no table " + name);
  Table table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream fields(line);
    for (std::string cell; std::getline(fields, cell, ',');) cells.push_back(cell);
    if (table.columns.empty()) {
      table.columns = cells;
    } else {
      table.cells.push_back(cells);
    }
  }
  return table;
}

// --- runs ---

inline Method accurate(double duration, double output_step, double tolerance = 1e-11) {
  Method method;
  method.duration = duration, method.output_step = output_step, method.tolerance = tolerance;
  return method;
}

/// A completed run; a failed one fails the test.
inline SimulationResult run(const std::shared_ptr<const Model>& model, const Method& method) {
  SimulationResult result = simulate(model, method);
  EXPECT_TRUE(result.ok()) << result.summary.failure;
  return result;
}

inline std::size_t row_at(const SimulationResult& result, double time) {
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    if (std::abs(result.data.rows[row][0] - time) < 1e-9) return row;
  }
  throw std::out_of_range("no output at t = " + std::to_string(time));
}

inline double value_at(const SimulationResult& result, double time, const std::string& column) {
  return result.data.at(row_at(result, time), column);
}

// --- comparisons ---

inline void expect_close(const std::string& what, double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance) << what;
}

/// Compares columns that the run and the table both have.
inline void expect_table(const SimulationResult& result, const Table& table, const std::vector<std::string>& columns,
                         double tolerance) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    for (const std::string& column : columns) {
      expect_close(column + " at t = " + table.text(row, "time"), result.data.at(at, column), table.at(row, column),
                   tolerance);
    }
  }
}

inline Vec3 vector_at(const SimulationResult& result, std::size_t row, const std::string& x, const std::string& y,
                      const std::string& z) {
  return {result.data.at(row, x), result.data.at(row, y), z.empty() ? 0.0 : result.data.at(row, z)};
}
inline Vec3 center_at(const SimulationResult& result, std::size_t row, const std::string& body) {
  return vector_at(result, row, body + ".x", body + ".y", body + ".z");
}
inline Quaternion quaternion_at(const SimulationResult& result, std::size_t row, const std::string& body) {
  return {result.data.at(row, body + ".qw"), result.data.at(row, body + ".qx"), result.data.at(row, body + ".qy"),
          result.data.at(row, body + ".qz")};
}

// --- the start: structure, accelerations and multipliers ---

struct Start {
  std::shared_ptr<const Model> model;
  Structure structure;
  Vector accelerations, multipliers;

  /// Planar: (x'', y'', angle''). Reference-point coordinates only.
  Vec3 planar(const std::string& body) const { return accelerations.segment<3>(3 * number(body)); }
  Vec3 linear(const std::string& body) const { return accelerations.segment<3>(6 * number(body)); }
  Vec3 angular(const std::string& body) const { return accelerations.segment<3>(6 * number(body) + 3); }
  /// True if a component of a joint's reaction is unique.
  bool unique(const std::string& joint, const std::string& component) const {
    for (const auto& [name, components] : structure.reactions) {
      for (const auto& [label, is_unique] : components) {
        if (name == joint && label == component) return is_unique;
      }
    }
    throw std::out_of_range("no reaction " + joint + "." + component);
  }

 private:
  int number(const std::string& name) const {
    for (std::size_t k = 0; k < model->bodies.size(); ++k) {
      if (model->bodies[k].name == name) return static_cast<int>(k);
    }
    throw std::out_of_range("no body " + name);
  }
};

inline Start start_of(const std::shared_ptr<const Model>& model, const std::string& coordinates = "reference-point") {
  const CoordinatesType& type = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, type);
  if (!assembly.ok) throw std::runtime_error(assembly.message);
  System system(model, type);
  start_at(system, assembly);
  Start start{model, analyze_structure(system, assembly.q, assembly.v), Vector(system.velocity_size()),
              Vector(system.row_count())};
  Equations equations = system.empty_equations();
  system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, equations);
  const auto formulation =
      find_formulation_type("lagrange-pseudoinverse")->create(equations, {.typical_inertia = typical_inertia(system)});
  EXPECT_EQ(formulation->factorize(equations), Status::ok);
  EXPECT_EQ(formulation->solve(equations.Q, equations.gamma, start.accelerations, start.multipliers), Status::ok);
  return start;
}

inline void expect_counts(const Structure& structure, int coordinates, int constraints, int rank) {
  EXPECT_EQ(structure.coordinates, coordinates);
  EXPECT_EQ(structure.constraints, constraints);
  EXPECT_EQ(structure.rank, rank);
  EXPECT_EQ(structure.degrees_of_freedom, coordinates - rank);
  EXPECT_EQ(static_cast<int>(structure.redundant.size()), constraints - rank);
}

/// Integral of f over [a, b] by Simpson's rule.
inline double integral(const std::function<double(double)>& f, double a, double b, int intervals = 4000) {
  const double h = (b - a) / intervals;
  double sum = f(a) + f(b);
  for (int k = 1; k < intervals; ++k) sum += (k % 2 ? 4 : 2) * f(a + k * h);
  return sum * h / 3;
}

}  // namespace bricard::testing_support
