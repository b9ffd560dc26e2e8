// What LAPACK's parts take, by the leading terms of their operations: + - * / one each. [Golub-Van Loan; LAPACK Users'
// Guide, appendix C]
#pragma once

#include <algorithm>

namespace bricard::flops {

inline double product(double rows, double inner, double columns) { return 2 * rows * inner * columns; }
inline double lu(double n) { return 2 * n * n * n / 3; }
inline double inverse_from_lu(double n) { return 4 * n * n * n / 3; }
inline double cholesky(double n) { return n * n * n / 3; }
inline double triangular_solve(double n, double right_sides) { return n * n * right_sides; }
/// Householder reflections of `pivots` columns.
inline double qr(double rows, double columns, double pivots) {
  return 4 * (pivots * rows * columns - (rows + columns) * pivots * pivots / 2 + pivots * pivots * pivots / 3);
}
inline double qr(double rows, double columns) { return qr(rows, columns, std::min(rows, columns)); }
/// So many reflections of vectors of that size.
inline double reflect(double size, double reflections, double vectors) {
  return (4 * size - 2 * reflections) * reflections * vectors;
}
/// R-SVD with both sets of vectors [Golub-Van Loan, table 8.6.1].
inline double svd(double rows, double columns) {
  const double M = std::max(rows, columns), N = std::min(rows, columns);
  return 4 * M * M * N + 8 * M * N * N + 9 * N * N * N;
}

}  // namespace bricard::flops
