// What a formulation made of the equations at one instant: its own matrices and vectors, for people to look at. In the
// coordinates' own units: what was computed without dimensions (dense_equations.h) is brought back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bricard/types.h"

namespace bricard {

/// What numbers the rows or columns of a matrix.
enum class Axis {
  one,                  // a vector has no columns to name
  velocities,           // of the system
  rows,                 // its constraints
  velocities_and_rows,  // one after the other, as in [M P^T; P 0]
  rows_and_freedoms,    // as in [P; B]
  freedoms,             // of a null space or of independent coordinates: numbers
};

class Exhibit {
 public:
  struct Item {
    std::string symbol, formula, source;
    Matrix value;
    Axis rows, columns;
    std::vector<int> chosen_rows = {};                           // of the constraints, in their order; empty: all
    std::vector<std::string> row_names = {}, column_names = {};  // its own, where no axis has them
  };

  void add(std::string symbol, std::string formula, std::string source, Matrix value, Axis rows,
           Axis columns = Axis::one) {
    items_.push_back({std::move(symbol), std::move(formula), std::move(source), std::move(value), rows, columns});
  }
  /// The same for a matrix that has some of the constraints alone.
  void add_of_rows(std::vector<int> chosen, std::string symbol, std::string formula, std::string source, Matrix value,
                   Axis rows, Axis columns = Axis::one) {
    add(std::move(symbol), std::move(formula), std::move(source), std::move(value), rows, columns);
    items_.back().chosen_rows = std::move(chosen);
  }
  /// The same for a matrix whose rows and columns nothing else numbers; without columns a vector.
  void add_named(std::string symbol, std::string formula, std::string source, Matrix value,
                 std::vector<std::string> rows, std::vector<std::string> columns = {}) {
    const bool is_vector = columns.empty() && value.cols() == 1;
    add(std::move(symbol), std::move(formula), std::move(source), std::move(value), Axis::freedoms,
        is_vector ? Axis::one : Axis::freedoms);
    items_.back().row_names = std::move(rows), items_.back().column_names = std::move(columns);
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

}  // namespace bricard
