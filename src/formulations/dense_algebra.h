// The dense algebra that several formulations share, by BLAS and LAPACK in memory of their own: the sizes of V and of
// what is built on it change with the rank, where Eigen's decompositions would allocate, as would its products above
// 128 KB.
#pragma once

#include <vector>

#include "bricard/types.h"

namespace bricard {

using MatrixRef = Eigen::Ref<Matrix>;
using ConstMatrix = Eigen::Ref<const Matrix>;

/// C = A B
void multiply(const ConstMatrix& A, const ConstMatrix& B, MatrixRef C);
/// C = A^T B
void multiply_transposed(const ConstMatrix& A, const ConstMatrix& B, MatrixRef C);
/// B = U^-1 B with the upper triangle U of a matrix.
void solve_upper_triangular(const ConstMatrix& U, MatrixRef B);

/// Cholesky factorisation A = L L^T of matrices of at most a given size.
class Cholesky {
 public:
  explicit Cholesky(int largest_size);

  /// False unless every pivot, a diagonal entry of L, is above smallest_pivot * the root of A's diagonal entry.
  bool compute(const ConstMatrix& A, double smallest_pivot);
  /// B = A^-1 B, L^-1 B, L^-T B
  void solve(MatrixRef B) const;
  void solve_lower(MatrixRef B) const;
  void solve_upper(MatrixRef B) const;

 private:
  void solve_triangular(bool transposed, MatrixRef B) const;
  Matrix L_;
  int size_ = 0;
};

/// Householder QR of P^T with column pivoting, P^T Pi = H [R; 0], continued from the right where rows of P depend on
/// each other: P^T Pi = H [T 0; 0 0] Z,  T (rank x rank) upper triangular, H and Z orthogonal (LAPACK: dgeqp3, dtzrzf)
class PivotedQr {
 public:
  /// Sizes of P.
  PivotedQr(int rows, int columns);

  /// Rows of P whose diagonal entry of R is at most threshold * the first one depend on the others.
  void compute(const Matrix& P, double threshold);
  int rank() const { return rank_; }
  /// Row of P that was chosen as the k-th.
  int chosen_row(int k) const { return pivots_[k] - 1; }

  /// V = the last columns of H, as many as there are beyond the rank: P V = 0.
  void null_space(MatrixRef V);
  /// x of least norm among the minimisers of |P x - b|, and of |P^T x - b|.
  void solve(const Vector& b, Vector& x);
  void solve_transposed(const Vector& b, Vector& x);

 private:
  void apply_H(char transposed, double* C, int columns);
  void apply_Z(char transposed, Vector& c);
  int rows_, columns_, rank_ = 0;
  Matrix QR_;
  Vector reflectors_, right_reflectors_, of_columns_, of_rows_;
  std::vector<int> pivots_;
  std::vector<double> work_;
};

}  // namespace bricard
