// How independent velocities are chosen: a matrix B with z' = B w such that [P; B] is regular. Works on the
// dimensionless M and P of an instant (see DenseEquations), so that no choice depends on units.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

struct Selected {
  /// Boolean choices: the numbers of the chosen coordinates, ascending; empty for others.
  std::vector<int> coordinates;
  /// B, one row for each independent coordinate.
  Matrix B;
};

class Selection {
 public:
  virtual ~Selection() = default;
  /// `P` has independent rows. Returns columns - rows coordinates.
  virtual Selected choose(const Matrix& P, const Matrix& M) const = 0;
  /// True if an earlier choice should be made again: what measures it is below `limit`. By default that are `pivots`,
  /// the smallest over the largest pivot of [P; B], now over then.
  virtual bool is_outdated(const Selected& present, const Matrix& P, const Matrix& M, double pivots,
                           double limit) const {
    (void)present, (void)P, (void)M;
    return pivots < limit;
  }
};

struct SelectionType {
  const char* name;
  const char* description;
  const char* source;
  std::unique_ptr<Selection> (*create)();
};

/// All selections, in the order of selections.def.
const std::deque<SelectionType>& selection_types();
const SelectionType* find_selection_type(const std::string& name);

/// B of a Boolean choice: rows of the identity.
Selected boolean_selection(std::vector<int> coordinates, int columns);

}  // namespace bricard
