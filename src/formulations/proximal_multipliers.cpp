#include "formulations/proximal_multipliers.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace bricard {
namespace {

// Small against every eigenvalue that means something, large against the rounding of S.
constexpr double smallest_mu = 1e-10;
constexpr int most_passes = 12;

double dot(const double* a, const double* b, int count) {
  return Eigen::Map<const Vector>(a, count).dot(Eigen::Map<const Vector>(b, count));
}

}  // namespace

ProximalMultipliers::ProximalMultipliers(const SparseRows& pattern, TreeDynamics& tree,
                                         const FormulationOptions& options)
    : tree_(tree),
      Z_(pattern),
      paths_(pattern.rows()),
      scale_(pattern.rows()),
      lambda_(pattern.rows()),
      missing_(pattern.rows()),
      step_(pattern.rows()),
      change_(pattern.rows()),
      work_(Vector::Zero(pattern.cols())),
      // S has the squares of the singular values that the threshold is about.
      mu_(std::max(smallest_mu, options.threshold * options.threshold)),
      threshold_(options.threshold * options.threshold) {
  for (int row = 0; row < rows(); ++row) {
    for (SparseRows::InnerIterator entry(Z_, row); entry; ++entry) {
      const int link = tree_.link_of(static_cast<int>(entry.col()));
      if (paths_[row].empty() || paths_[row].back() != link) paths_[row].push_back(link);
    }
  }
  find_envelope();
  if (rows() > 0 && options.pseudoinverse != FormulationOptions().pseudoinverse) {
    S_plus_ = find_pseudoinverse_type(options.pseudoinverse)->create(rows(), rows());
    dense_.resize(rows(), rows());
  }
}

void ProximalMultipliers::find_envelope() {
  std::vector<int> first_row(Z_.cols(), -1);  // that has the column
  std::ptrdiff_t size = 0;
  for (int row = 0; row < rows(); ++row) {
    int first = row;
    for (SparseRows::InnerIterator entry(Z_, row); entry; ++entry) {
      int& before = first_row[entry.col()];
      if (before < 0) before = row;
      first = std::min(first, before);
    }
    first_.push_back(first);
    start_.push_back(size - first);
    size += row - first + 1;
  }
  S_.resize(size);
  L_.resize(size);
  for (int row = 0; row < rows(); ++row) {
    for (int column = first_[row]; column <= row; ++column) common_.push_back(common_columns(row, column));
  }
}

ProximalMultipliers::Common ProximalMultipliers::common_columns(int row, int other) const {
  const auto columns = [&](int of) {
    const int* const inner = Z_.innerIndexPtr();
    return std::span(inner + Z_.outerIndexPtr()[of], inner + Z_.outerIndexPtr()[of + 1]);
  };
  const auto a = columns(row), b = columns(other);
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto left = differ.first, right = differ.second;
  const bool more = std::any_of(left, a.end(), [&](int c) { return std::binary_search(right, b.end(), c); });
  return {static_cast<int>(left - a.begin()), more};
}

bool ProximalMultipliers::factorize(const SparseRows& P) {
  if (rows() == 0) return true;
  std::copy_n(P.valuePtr(), P.nonZeros(), Z_.valuePtr());
  for (int row = 0; row < rows(); ++row) tree_.reduce(paths_[row], Z_.valuePtr() + Z_.outerIndexPtr()[row]);
  multiply_out();
  if (!S_plus_) return decompose();
  for (int row = 0; row < rows(); ++row) {
    for (int column = 0; column <= row; ++column)
      dense_(row, column) = dense_(column, row) = column < first_[row] ? 0 : row_of(S_, row)[column];
  }
  if (!S_plus_->factorize(dense_, threshold_)) {
    failure_ = "the pseudoinverse of P M^-1 P^T did not converge";
    return false;
  }
  rank_ = S_plus_->rank();
  return true;
}

// Rows of unit length in the metric of M^-1, so that rank does not depend on units; but a row that is zero up to
// rounding stays so.
void ProximalMultipliers::multiply_out() {
  const int *outer = Z_.outerIndexPtr(), *inner = Z_.innerIndexPtr();
  const double* values = Z_.valuePtr();
  for (int row = 0; row < rows(); ++row) {
    const int begin = outer[row], end = outer[row + 1];
    for (int k = begin; k < end; ++k) work_[inner[k]] = values[k];
    double* const S = row_of(S_, row);
    for (int column = first_[row]; column <= row; ++column) {
      const Common& common = common_[start_[row] + column];
      double sum = dot(values + begin, values + outer[column], common.beginning);
      for (int k = outer[column] + common.beginning; common.more && k < outer[column + 1]; ++k)
        sum += values[k] * work_[inner[k]];
      S[column] = sum;
    }
    for (int k = begin; k < end; ++k) work_[inner[k]] = 0;
  }
  double largest = 0;
  for (int row = 0; row < rows(); ++row) largest = std::max(largest, row_of(S_, row)[row]);
  for (int row = 0; row < rows(); ++row)
    scale_[row] = largest > 0 ? 1 / std::sqrt(std::max(row_of(S_, row)[row], 1e-8 * largest)) : 1;
  for (int row = 0; row < rows(); ++row) {
    double* const S = row_of(S_, row);
    for (int column = first_[row]; column <= row; ++column) S[column] *= scale_[row] * scale_[column];
  }
}

bool ProximalMultipliers::decompose() {
  rank_ = 0;
  for (int row = 0; row < rows(); ++row) {
    const double* const S = row_of(S_, row);
    double* const L = row_of(L_, row);
    for (int column = first_[row]; column < row; ++column) {
      const double* const other = row_of(L_, column);
      const int from = std::max(first_[row], first_[column]);
      L[column] = (S[column] - dot(L + from, other + from, column - from)) * other[column];
    }
    const double pivot = S[row] + mu_ - dot(L + first_[row], L + first_[row], row - first_[row]);
    if (!(pivot > 0)) {
      failure_ = "the equations that close the loops have no finite coefficients";
      return false;
    }
    L[row] = 1 / std::sqrt(pivot);
    if (pivot > 100 * mu_) ++rank_;
  }
  return true;
}

void ProximalMultipliers::apply_inverse(Vector& x) const {
  for (int row = 0; row < rows(); ++row) {
    const double* const L = row_of(L_, row);
    const int first = first_[row];
    x[row] = (x[row] - dot(L + first, x.data() + first, row - first)) * L[row];
  }
  for (int row = rows() - 1; row >= 0; --row) {
    const double* const L = row_of(L_, row);
    const int first = first_[row];
    const double value = x[row] *= L[row];
    x.segment(first, row - first) -= value * Eigen::Map<const Vector>(L + first, row - first);
  }
}

void ProximalMultipliers::apply(const Vector& x, Vector& y) const {
  for (int row = 0; row < rows(); ++row) {
    const double* const S = row_of(S_, row);
    const int first = first_[row], before = row - first;
    y[row] = dot(S + first, x.data() + first, before + 1);
    y.segment(first, before) += x[row] * Eigen::Map<const Vector>(S + first, before);
  }
}

void ProximalMultipliers::solve(ConstVector gamma, VectorRef z, VectorRef lambda) {
  if (rows() == 0) return;
  missing_.noalias() = Z_ * z;
  missing_ = scale_.cwiseProduct(missing_ - gamma);
  if (S_plus_) {
    S_plus_->apply(missing_, lambda_);
  } else {
    // Ends when the next change would be rounding, or changes shrink no more: what is still missing is beyond the reach
    // of S.
    const double enough = 1e-15 * missing_.norm();
    double before = missing_.norm();
    lambda_.setZero();
    for (int pass = 0; pass < most_passes; ++pass) {
      step_ = missing_;
      apply_inverse(step_);
      apply(step_, change_);
      lambda_ += step_;
      missing_ -= change_;
      const double moved = change_.norm();
      if (!(moved * moved > enough * before) || (pass > 1 && moved > 0.5 * before)) break;
      before = moved;
    }
    if (rank_ < rows()) {
      // What rounding has put into directions that S does not reach.
      step_ = lambda_;
      apply_inverse(step_);
      step_ *= mu_;
      apply_inverse(step_);
      lambda_ -= mu_ * step_;
    }
  }
  lambda = scale_.cwiseProduct(lambda_);
  for (int row = 0; row < rows(); ++row) {
    for (SparseRows::InnerIterator entry(Z_, row); entry; ++entry) z[entry.col()] -= lambda[row] * entry.value();
  }
}

}  // namespace bricard
