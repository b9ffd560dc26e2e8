// S = P M^-1 P^T, Delassus' matrix, of any engine: where its blocks are written, how it is factorised, and how systems
// with it are solved where rows depend on others.
// Redundant rows: S is singular. On the constraints elimination finds rows that depend on those before, and leaves them
// out until it is asked to choose anew: off the constraints, within a step, no row then contradicts another, so that
// accelerations stay as smooth as the motion.
// Packs of runs choose together: a row is left out in all lanes or in none.
// Singular positions, and multipliers of least norm: proximal refinement (linear/proximal_settings.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "bricard/types.h"
#include "linear/block/block_cholesky.h"
#include "linear/proximal_settings.h"

namespace bricard {

template <class Real>
class Delassus {
 public:
  /// A pivot of S that has lost this much of its diagonal is zero: its square root is what P has lost.
  static constexpr double least_pivot = 1e-13;

  /// `redundant`: rows that depend on others everywhere.
  explicit Delassus(const BlockSchedule& schedule, int redundant = 0)
      : diagonal_(schedule.rows(), Real(0)),
        least_(schedule.rows(), least_pivot),
        redundant_(redundant),
        cholesky_(schedule) {}

  // --- for who assembles S: all blocks, and the diagonal by which pivots are judged ---
  Real* values() { return cholesky_.values(); }
  Real* diagonal() { return diagonal_.data(); }
  void clear_fill() { cholesky_.clear_fill(); }

  // --- factors ---
  void set_redundant(int rows) { redundant_ = rows; }
  bool leaves_out() const { return left_out_ > 0; }
  bool is_proximal() const { return is_proximal_; }
  /// Nothing is left out any more: solutions are refined.
  void make_proximal() { is_proximal_ = true; }
  /// Rows to leave out are chosen anew: off the constraints they are independent by the amount of the drift.
  void forget_choice() { is_chosen_ = false; }

  /// `assemble()` writes S. False if it is singular.
  template <class Assemble>
  bool factorize(const Assemble& assemble) {
    if constexpr (is_one_number) {
      if (is_proximal_) return factorize_shifted(assemble), true;
    }
    if (redundant_ > 0 && !is_chosen_) return choose(assemble);
    assemble();
    if (cholesky_.factorize(diagonal_.data(), 0, least_.data()) == lanes * left_out_) return true;
    // The choice may have grown old: a run that goes back starts with that of another place.
    return redundant_ > 0 && choose(assemble);
  }
  /// The same and x := S^-1 right, on the way while blocks are at hand; `apply(x, y)`: y = S x.
  template <class Assemble, class Apply>
  bool factorize_and_solve(const Assemble& assemble, const Real* right, Real* x, const Apply& apply) {
    if (!is_proximal_ && (redundant_ == 0 || is_chosen_)) {
      assemble();
      std::copy_n(right, rows(), x);
      if (cholesky_.factorize(diagonal_.data(), 0, least_.data(), x) == lanes * left_out_) {
        cholesky_.backward(x);
        return true;
      }
      if (redundant_ == 0) return false;
    }
    if (!is_proximal_ && !choose(assemble)) return false;
    if constexpr (is_one_number) {
      if (is_proximal_) factorize_shifted(assemble);
    }
    solve(right, x, apply);
    return true;
  }

  // --- solutions ---
  /// x = S^-1 right: as factorised, or refined.
  template <class Apply>
  void solve(const Real* right, Real* x, const Apply& apply) {
    if constexpr (is_one_number) {
      if (is_proximal_) return refine(right, x, apply);
    }
    std::copy_n(right, rows(), x);
    cholesky_.solve(x);
  }
  /// x := one solution with the factors: a step of an iteration that repeats it.
  void step(Real* x) const { cholesky_.solve(x); }
  /// x of least norm, where rows are left out. False if the factors are others afterwards.
  template <class Assemble, class Apply>
  bool solve_least_norm(const Assemble& assemble, const Real* right, Real* x, const Apply& apply) {
    if (left_out_ <= few) {
      std::copy_n(right, rows(), x);
      cholesky_.solve(x);
      remove_null_part(x, apply);
      return true;
    }
    factorize_shifted(assemble);
    refine(right, x, apply);
    return false;
  }

 private:
  static constexpr bool is_one_number = std::is_same_v<Real, double>;  // packs refine nothing
  static constexpr int lanes = sizeof(Real) / sizeof(double);          // each has its pivots
  int rows() const { return static_cast<int>(diagonal_.size()); }

  /// S + mu I
  template <class Assemble>
  void factorize_shifted(const Assemble& assemble) {
    assemble();
    const Real largest = *std::max_element(diagonal_.begin(), diagonal_.end());
    shift_.assign(diagonal_.size(), largest);
    nothing_.assign(diagonal_.size(), 0.0);
    cholesky_.factorize(shift_.data(), proximal::multipliers.mu, nothing_.data());
  }

  /// On the constraints: finds the rows that depend on those before. False if there are more than everywhere, or not
  /// the same in all lanes.
  template <class Assemble>
  bool choose(const Assemble& assemble) {
    // Told by pivots below the first of these that finds no more of them than there are.
    int missing = 0;
    for (const double least : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      std::fill(least_.begin(), least_.end(), least);
      assemble();
      missing = cholesky_.factorize(diagonal_.data(), 0, least_.data());
      if (missing <= lanes * redundant_) break;
    }
    std::fill(least_.begin(), least_.end(), least_pivot);
    left_out_ = 0;
    cholesky_.each_left_out([this](int row) { least_[row] = INFINITY, ++left_out_; });
    is_chosen_ = true;
    return left_out_ <= redundant_ && missing == lanes * left_out_;
  }

  /// Null vectors of S, one for each row i left out: e_i - S_kept^-1 S e_i. x -= N (N^T N)^-1 N^T x.
  template <class Apply>
  void remove_null_part(Real* x, const Apply& apply) {
    null_.resize(rows(), few);
    step_.resize(rows());
    int count = 0;
    for (int row = 0; row < rows() && count < left_out_; ++row) {
      if (std::isfinite(least_[row])) continue;
      step_.setZero();
      step_[row] = 1;
      auto vector = null_.col(count++);
      apply(step_.data(), vector.data());
      cholesky_.solve(vector.data());
      vector = step_ - vector;
    }
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, few, few>;
    const auto N = null_.leftCols(count);
    Eigen::Map<Vector> multipliers(x, rows());
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, few, 1> along(count);
    Small gram(count, count);
    for (int i = 0; i < count; ++i) {
      along[i] = N.col(i).dot(multipliers);
      for (int j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = N.col(i).dot(N.col(j));
    }
    along = gram.llt().solve(along).eval();
    for (int i = 0; i < count; ++i) multipliers -= along[i] * N.col(i);
  }

  /// Until the accelerations, measured by x^T S x, do not change any more.
  template <class Apply>
  void refine(const Real* right, Real* x, const Apply& apply) {
    missing_ = Eigen::Map<const Vector>(right, rows());
    step_.resize(rows());
    product_.resize(rows());
    std::fill_n(x, rows(), 0.0);
    double total = 0;
    for (int k = 0; k < proximal::multipliers.passes; ++k) {
      step_ = missing_;
      cholesky_.solve(step_.data());
      Eigen::Map<Vector>(x, rows()) += step_;
      apply(step_.data(), product_.data());
      missing_ -= product_;
      const double change = step_.dot(product_);
      total = std::max(total, change);
      if (!(change > proximal::multipliers.tolerance * total)) break;
    }
  }

  std::vector<Real> diagonal_, shift_;
  std::vector<double> least_, nothing_;  // pivots that count as zero, relative to the diagonal of S
  int redundant_, left_out_ = 0;
  bool is_chosen_ = false, is_proximal_ = false;
  BlockCholesky<Real> cholesky_;
  static constexpr int few = 4;  // rows left out, for which null vectors cost less than refinement
  Matrix null_;
  Vector missing_, step_, product_;
};

inline constexpr const char* singular_text =
    "the matrix P M^-1 P^T is singular here (a singular position?): try formulation lagrange-pseudoinverse";

}  // namespace bricard
