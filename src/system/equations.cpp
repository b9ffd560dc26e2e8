#include "system/equations.h"

namespace bricard {

void Equations::dense_mass(Matrix& target) const {
  target.setZero();
  for (int column = 0; column < M.outerSize(); ++column) {
    for (SparseColumns::InnerIterator entry(M, column); entry; ++entry) target(entry.row(), column) = entry.value();
  }
}

void Equations::dense_jacobian(Matrix& target) const {
  target.setZero();
  for (int row = 0; row < P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(P, row); entry; ++entry) target(row, entry.col()) = entry.value();
  }
}

Matrix Equations::saddle_point(double mu) const {
  const int n = velocities(), m = rows();
  Matrix K = Matrix::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M;
  K.bottomLeftCorner(m, n) = P;
  K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
  K.bottomRightCorner(m, m).diagonal().setConstant(-mu);
  return K;
}

}  // namespace bricard
