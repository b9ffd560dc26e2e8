#include "integrators/dae/ida_jacobian.h"

#include <algorithm>

#include "coordinates/body_twists.h"

namespace bricard {

IdaJacobian::IdaJacobian(const Tangent& tangent, const Equations& equations, bool planar, std::vector<int> rows,
                         std::vector<int> position_rows)
    : tangent_(tangent),
      planar_(planar),
      rows_(std::move(rows)),
      position_rows_(std::move(position_rows)),
      np_(planar ? equations.velocities() : equations.velocities() / 6 * 7),
      n_(equations.velocities()),
      bodies_(equations.velocities() / (planar ? 3 : 6)) {
  const Vector q = Vector::Ones(np_), u = Vector::Ones(n_);
  const int size = np_ + n_ + static_cast<int>(rows_.size() + position_rows_.size());
  std::vector<Eigen::Triplet<double>> entries;
  for_each_entry(equations, q, u, 1, [&](int row, int column, double) { entries.emplace_back(row, column, 0); });
  values_.resize(size, size);
  values_.setFromTriplets(entries.begin(), entries.end());
  const int *outer = values_.outerIndexPtr(), *inner = values_.innerIndexPtr();
  for_each_entry(equations, q, u, 1, [&](int row, int column, double) {
    const int* found = std::lower_bound(inner + outer[column], inner + outer[column + 1], row);
    places_.push_back(static_cast<int>(found - inner));
  });
}

void IdaJacobian::update(const Equations& equations, ConstVector q, ConstVector u, double cj) {
  double* values = values_.valuePtr();
  std::fill_n(values, values_.nonZeros(), 0.0);
  const int* place = places_.data();
  for_each_entry(equations, q, u, cj, [&](int, int, double value) { values[*place++] += value; });
}

// The same entries in the same order every time, whatever their values.
template <class Emit>
void IdaJacobian::for_each_entry(const Equations& eq, ConstVector q, ConstVector u, double cj, const Emit& emit) const {
  const int first_lambda = np_ + n_, first_mu = first_lambda + static_cast<int>(rows_.size());
  const auto emit_block = [&](int row, int column, const auto& block) {
    for (int c = 0; c < block.cols(); ++c)
      for (int r = 0; r < block.rows(); ++r) emit(row + r, column + c, block(r, c));
  };
  const auto rates = [&](int b) { return QuaternionRates(q.data() + 7 * b + 3, u.data() + 6 * b + 3); };
  // A row by displacements as one by positions.
  const auto emit_row = [&](const SparseRows& part, int row, int target) {
    const double* values = part.valuePtr();
    for (int k = part.outerIndexPtr()[row]; k < part.outerIndexPtr()[row + 1];) {
      const int column = part.innerIndexPtr()[k], b = column / 6;
      if (planar_ || column % 6 < 3) {
        emit(target, planar_ ? column : column + b, values[k++]);
        continue;
      }
      emit_block(target, 7 * b + 3, Eigen::Map<const Eigen::RowVector3d>(values + k) * rates(b).T);
      k += 3;
    }
  };

  for (int k = 0; planar_ && k < n_; ++k) emit(k, k, cj), emit(k, np_ + k, -1);
  for (int b = 0; !planar_ && b < bodies_; ++b) {
    for (int k = 0; k < 3; ++k) emit(7 * b + k, 7 * b + k, cj), emit(7 * b + k, np_ + 6 * b + k, -1);
    const QuaternionRates turning = rates(b);
    emit_block(7 * b + 3, 7 * b + 3, cj * Eigen::Matrix4d::Identity() - turning.Z);
    emit_block(7 * b + 3, np_ + 6 * b + 3, -turning.N);
  }
  const SparseColumns& K = tangent_.K();
  const int* outer = K.outerIndexPtr();
  for (int column = 0; column < n_;) {
    const int b = column / 6, height = outer[column + 1] - outer[column];
    const bool turns = !planar_ && column % 6 == 3;
    const Eigen::Map<const Matrix> values(K.valuePtr() + outer[column], height, turns ? 3 : 1);
    const int* rows = K.innerIndexPtr() + outer[column];
    if (turns) {
      const Eigen::Matrix<double, 3, 4> T = rates(b).T;
      for (int c = 0; c < 4; ++c)
        for (int r = 0; r < height; ++r) emit(np_ + rows[r], 7 * b + 3 + c, values.row(r).dot(T.col(c)));
    } else {
      for (int r = 0; r < height; ++r) emit(np_ + rows[r], planar_ ? column : column + b, values(r, 0));
    }
    column += turns ? 3 : 1;
  }
  for (const auto& [part, factor] : {std::pair{&tangent_.C(), 1.0}, std::pair{&eq.M, cj}}) {
    for (int column = 0; column < n_; ++column)
      for (SparseColumns::InnerIterator entry(*part, column); entry; ++entry)
        emit(np_ + static_cast<int>(entry.row()), np_ + column, factor * entry.value());
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const int target = first_lambda + static_cast<int>(k);
    for (SparseRows::InnerIterator entry(eq.P, rows_[k]); entry; ++entry) {
      emit(np_ + static_cast<int>(entry.col()), target, entry.value());
      emit(target, np_ + static_cast<int>(entry.col()), entry.value());
    }
    emit_row(tangent_.Phi_dot_q(), rows_[k], target);
  }
  for (std::size_t k = 0; k < position_rows_.size(); ++k) {
    const int target = first_mu + static_cast<int>(k), row = position_rows_[k];
    emit_row(eq.P, row, target);
    for (int e = eq.P.outerIndexPtr()[row]; e < eq.P.outerIndexPtr()[row + 1];) {
      const int column = eq.P.innerIndexPtr()[e], b = column / 6;
      if (planar_ || column % 6 < 3) {
        emit(planar_ ? column : column + b, target, eq.P.valuePtr()[e++]);
        continue;
      }
      emit_block(7 * b + 3, target, rates(b).N * Eigen::Map<const Vec3>(eq.P.valuePtr() + e));
      e += 3;
    }
  }
}

}  // namespace bricard
