// Pseudoinverses that are formed as a matrix by a formula for full rank, of matrices of one kind of shape; of the other
// kind by their transpose, (A^T)+ = (A+)^T. There is no test of the rank.
#pragma once

#include <algorithm>

#include "pseudoinverses/pseudoinverse.h"

namespace bricard {

class FormedPseudoinverse : public Pseudoinverse {
 public:
  FormedPseudoinverse(int rows, int columns, bool transposed);

  bool factorize(const Matrix& A, RankThreshold threshold) override;
  void apply(const Vector& b, Vector& x) override;
  void apply_transposed(const Vector& b, Vector& x) override;
  int rank() const override { return static_cast<int>(std::min(A_.rows(), A_.cols())); }

 protected:
  /// Fills X from A, of which the largest entry is about one. False if the formula breaks down.
  virtual bool form(const Matrix& A, Matrix& X) = 0;
  /// C = A B, either of them transposed; by BLAS, which needs no memory of ours.
  static void multiply(const Matrix& A, bool transpose_A, const Matrix& B, bool transpose_B, Matrix& C);
  int rows() const { return static_cast<int>(A_.rows()); }
  int columns() const { return static_cast<int>(A_.cols()); }

 private:
  bool transposed_;
  double scale_ = 1;
  Matrix A_, X_;  // in the formula's shape
  Vector argument_;
};

}  // namespace bricard
