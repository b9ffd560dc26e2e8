// Jacobians by difference quotients. Columns without a common row are perturbed together, so that a chain of bodies
// costs a fixed number of evaluations however long it is.
// A. R. Curtis, M. J. D. Powell, J. K. Reid, On the estimation of sparse Jacobian matrices, IMA Journal of Applied
// Mathematics 13 (1974) 117-119.
#pragma once

#include <functional>
#include <vector>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class DifferenceJacobian {
 public:
  /// The value at a displacement from the point of interest; false if there is none.
  using Function = std::function<bool(const Vector& displacement, Vector& value)>;

  DifferenceJacobian(int rows, int columns);

  // --- pattern; freeze() after changes ---
  void add_all();
  void add(int row, int column) { pattern_.emplace_back(row, column, 0); }
  /// Adds the entries which do not vanish at the point of `function`, one evaluation a column. A value that ceases to
  /// exist counts as one that changes. False if there is none at the point itself.
  bool detect(const Function& function, const Vector& increments);
  void freeze();

  /// False if the function has no value somewhere.
  bool evaluate(const Function& function, const Vector& increments);
  const SparseColumns& values() const { return values_; }
  int evaluations() const { return static_cast<int>(groups_.size()) + 1; }

 private:
  int rows_, columns_;
  std::vector<Eigen::Triplet<double>> pattern_;
  std::vector<std::vector<int>> groups_;  // of columns without common rows
  SparseColumns values_;
  Vector displacement_, base_, value_;
};

}  // namespace bricard
