#include "linear/dense/subspaces.h"

#include <algorithm>

namespace bricard {
namespace {

int count_above(const Vector& values, double threshold) {
  int count = 0;
  while (count < values.size() && values[count] > threshold) ++count;
  return count;
}

}  // namespace

Vector singular_values(const Matrix& A) {
  if (A.size() == 0) return Vector(0);
  return Eigen::JacobiSVD<Matrix>(A).singularValues();
}

int rank_of(const Matrix& A, double threshold) { return count_above(singular_values(A), threshold); }

Matrix range_of(const Matrix& A, double threshold) {
  if (A.size() == 0) return Matrix(A.rows(), 0);
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeThinU);
  return svd.matrixU().leftCols(count_above(svd.singularValues(), threshold));
}

Matrix null_space_of(const Matrix& A, double threshold) {
  const auto columns = A.cols();
  if (A.size() == 0) return Matrix::Identity(columns, columns);
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(columns - count_above(svd.singularValues(), threshold));
}

}  // namespace bricard
