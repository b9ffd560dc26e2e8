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

}  // namespace bricard
