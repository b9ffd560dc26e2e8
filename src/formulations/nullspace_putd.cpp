// `nullspace-putd`: pseudo-upper-triangular decomposition.             [Amirouche-Ider; Pennestri-Valentini (66), (67)]
//   H^T P^T Pi = [R; 0],   R (r x m) upper trapezoidal;   D2 = [0 I],   D2 H^T P^T = 0,   V = H D2^T
// H is the product of Householder reflections I - tau w w^T, one for each independent column; Pi brings the longest of
// the remaining columns to the front, without which redundant rows would spoil D2. For redundant rows a second set of
// reflections, R^T = G [T; 0], makes s and lambda those of least norm:
//   s = H [T^-1 (G^T Pi^T gamma)_r; 0],   lambda = Pi G [T^-T (H^T force)_r; 0];   G = I, T = R^T for independent rows.
#include <cmath>
#include <numeric>
#include <vector>

#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

/// Reflections that bring a matrix to triangular form, each stored below the diagonal of its column with w_k = 1.
class Reflections {
 public:
  Reflections(int rows, int columns) : A(rows, columns), order(columns), tau_(std::min(rows, columns)) {}

  /// Reduces the first `columns` columns of A. Stops where the longest remaining column is at most threshold * the
  /// longest of all; returns the number of reflections. A negative threshold takes the columns as they come.
  int reduce(int columns, double threshold) {
    std::iota(order.begin(), order.end(), 0);
    double longest = 0;
    for (count_ = 0; count_ < std::min(static_cast<int>(A.rows()), columns); ++count_) {
      const int k = count_, below = static_cast<int>(A.rows()) - k;
      if (threshold >= 0) {
        Eigen::Index next = 0;
        const double length = std::sqrt(A.block(k, k, below, columns - k).colwise().squaredNorm().maxCoeff(&next));
        if (k == 0) longest = length;
        if (length <= threshold * longest) break;
        if (next > 0) A.col(k).swap(A.col(k + next));
        std::swap(order[k], order[k + next]);
      }
      reflect_to_first(A.col(k).tail(below), tau_[k]);
      for (int j = k + 1; j < columns; ++j) apply_one(k, A.col(j));
    }
    return count_;
  }

  /// C = H C, column by column, and C = H^T C.
  template <class Columns>
  void apply(Columns&& C) const {
    for (int j = 0; j < C.cols(); ++j) {
      for (int k = count_ - 1; k >= 0; --k) apply_one(k, C.col(j));
    }
  }
  template <class Columns>
  void apply_transposed(Columns&& C) const {
    for (int j = 0; j < C.cols(); ++j) {
      for (int k = 0; k < count_; ++k) apply_one(k, C.col(j));
    }
  }
  auto triangle() { return A.topLeftCorner(count_, count_).triangularView<Eigen::Upper>(); }

  Matrix A;
  std::vector<int> order;  // of the columns, as they were chosen

 private:
  /// x becomes (-sign(x_0) |x|, w_1, w_2, ...).
  template <class Column>
  static void reflect_to_first(Column&& x, double& tau) {
    const double length = x.norm();
    tau = 0;
    if (length == 0) return;
    const double first = x[0], image = first > 0 ? -length : length;  // of the other sign: no cancellation
    tau = (image - first) / image;
    x.tail(x.size() - 1) /= first - image;
    x[0] = image;
  }
  template <class Column>
  void apply_one(int k, Column&& c) const {
    const int tail = static_cast<int>(A.rows()) - k - 1;
    const auto w = A.col(k).tail(tail);
    const double part = tau_[k] * (c[k] + w.dot(c.tail(tail)));
    if (part == 0) return;
    c[k] -= part;
    c.tail(tail) -= part * w;
  }

  Vector tau_;
  int count_ = 0;
};

class PutdBasis : public NullSpaceBasis {
 public:
  PutdBasis(int rows, int columns)
      : NullSpaceBasis(rows, columns),
        H_(columns, rows),
        G_(rows, std::min(rows, columns)),
        of_rows_(rows),
        of_columns_(columns) {}

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    H_.A = P.transpose();
    rank_ = H_.reduce(rows_, threshold);
    auto V = V_.leftCols(columns_ - rank_);
    V.setZero();
    V.bottomRows(V.cols()).setIdentity();  // D2^T
    H_.apply(V);
    if (rank_ == rows_) return true;
    G_.A.leftCols(rank_) = H_.A.topRows(rank_).transpose();
    for (int k = 0; k < rank_; ++k) G_.A.col(k).head(k).setZero();  // there the reflections of H are stored
    G_.reduce(rank_, -1);
    return true;
  }

  void solve(const Vector& gamma, Vector& s) override {
    for (int k = 0; k < rows_; ++k) of_rows_[k] = gamma[H_.order[k]];
    s.setZero();
    if (rank_ == rows_) {
      s.head(rank_) = of_rows_;
      H_.triangle().transpose().solveInPlace(s.head(rank_));
    } else {
      G_.apply_transposed(of_rows_);
      s.head(rank_) = of_rows_.head(rank_);
      G_.triangle().solveInPlace(s.head(rank_));
    }
    H_.apply(s);
  }

  void solve_transposed(const Vector& force, Vector& lambda) override {
    of_columns_ = force;
    H_.apply_transposed(of_columns_);
    of_rows_.setZero();
    of_rows_.head(rank_) = of_columns_.head(rank_);
    if (rank_ == rows_) {
      H_.triangle().solveInPlace(of_rows_);
    } else {
      G_.triangle().transpose().solveInPlace(of_rows_.head(rank_));
      G_.apply(of_rows_);
    }
    for (int k = 0; k < rows_; ++k) lambda[H_.order[k]] = of_rows_[k];
  }

 private:
  Reflections H_, G_;
  Vector of_rows_, of_columns_;
};

}  // namespace

FormulationType nullspace_putd() {
  return {
      .name = "nullspace-putd",
      .description = "independent accelerations on a null space from the pseudo-upper-triangular decomposition",
      .source = "Amirouche, Ider 1988; Pennestri-Valentini (66)-(67), with column pivoting",
      .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return null_space_formulation(pattern, options,
                                      std::make_unique<PutdBasis>(pattern.rows(), pattern.velocities()));
      }};
}

}  // namespace bricard::formulations
