// A f = b by Gauss elimination with full pivoting of [A | b]: the pivots' rows are independent, back-substitution on them
// gives f. What depends on other columns is left at zero, and what the other rows keep of b is the residual, zero if the
// equations agree.                                                                    [Blajer-Schiehlen-Schirm (38)]
#pragma once

#include <vector>

#include "bricard/types.h"

namespace bricard {

struct GaussElimination {
  /// `row_scale`, one a row: brings rows of different units to one before pivots are compared. Pivots below `threshold`
  /// of the first count as zero.
  GaussElimination(const Matrix& A, const Vector& b, const Vector& row_scale, double threshold);

  std::vector<int> rows, columns;  // of the pivots, in order
  std::vector<double> pivots;      // scaled
  std::vector<int> undetermined;   // columns without a pivot
  Vector f;
  Vector residual;  // one a row, zero on the pivots' rows
};

}  // namespace bricard
