// A = U diag(sigma) V^T by divide and conquer, for larger matrices (LAPACK's dgesdd).
#pragma once

#include <vector>

#include "bricard/types.h"

namespace bricard {

class SingularValues {
 public:
  /// V is square if A is wide, U thin. Not finite: all values are not numbers.
  void compute(const Matrix& A);
  const Vector& values() const { return sigma_; }  // descending
  /// V^T: right singular vectors as rows.
  const Matrix& Vt() const { return Vt_; }
  /// Values above the threshold, relative to the largest.
  int rank(double threshold) const;

 private:
  Matrix A_, U_, Vt_;
  Vector sigma_;
  std::vector<double> work_;
  std::vector<int> integers_;
};

}  // namespace bricard
