// Loops that motions with a factorised S = P M^-1 P^T share, whatever S is the matrix of.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "bricard/types.h"

namespace bricard {

/// Of proximal refinement, relative to the diagonal of S: small enough for few iterations.
inline constexpr double proximal_mu = 1e-6;
/// A pivot of S that has lost this much of its diagonal is zero: its square root is what P has lost.
inline constexpr double least_pivot = 1e-13;

/// Puts positions onto the constraints: one factorisation serves all iterations, since states are near the constraints
/// to begin with. `errors()`: the largest |Phi| here; `factorize()`: false if it cannot; `step()`: one iteration.
/// `is_factorized`: near enough for a simplified Newton iteration. Empty, or why it failed.
template <class Errors, class Factorize, class Step>
std::string project_positions(double tolerance, bool& is_factorized, const Errors& errors, const Factorize& factorize,
                              const Step& step) {
  double error = errors();
  bool fresh = false;
  constexpr int most = 20;
  for (int iteration = 0; iteration < most && error > tolerance; ++iteration) {
    if (!fresh && !is_factorized) {
      if (std::string failure = factorize(); !failure.empty()) return failure;
      fresh = true;
    }
    step();
    const double next = errors();
    if (!std::isfinite(next) || next > 1e3 * error) return "the projection onto the constraints diverged";
    const double ratio = next / error;
    error = next;
    if (ratio > 0.5 && fresh) break;                    // as far as rounding lets it
    if (ratio > 0.05 && !fresh) is_factorized = false;  // the derivatives are too old
  }
  return error <= 1e9 * tolerance
             ? ""
             : "the projection onto the constraints does not converge: the state is too far from them";
}

/// Proximal refinement of S x = right with the factors of S + mu I, until the accelerations, measured by x^T S x, do
/// not change any more. `step` and `product` are workspace; `right` is used up.
template <class Solve, class Multiply>
void refine(Vector& x, Vector& right, Vector& step, Vector& product, const Solve& solve, const Multiply& multiply) {
  constexpr int most = 40;
  x.setZero();
  double total = 0;
  for (int k = 0; k < most; ++k) {
    step = right;
    solve(step.data());
    x += step;
    multiply(step.data(), product.data());
    right -= product;
    const double change = step.dot(product);
    total = std::max(total, change);
    if (!(change > 1e-28 * total)) break;
  }
}

/// INFINITY if a value is not finite.
inline double largest_size(const double* values, int count) {
  double most = 0, sum = 0;
  for (int k = 0; k < count; ++k) most = std::max(most, std::abs(values[k])), sum += values[k];
  return std::isfinite(sum) ? most : INFINITY;
}

/// Which rows of a factorised S are left out because they depend on others.
class RowChoice {
 public:
  /// `redundant`: rows that depend on others everywhere.
  RowChoice(int rows, int redundant) : least_(Vector::Constant(rows, least_pivot)), redundant_(redundant) {}

  /// To be made anew: off the constraints, rows are independent by the amount of the drift.
  void forget() { is_made_ = false; }
  bool leaves_out() const { return left_out_ > 0; }
  /// S of the solver's P, factorised without the rows left out. False if it is singular.
  template <class Solver>
  bool factorize(Solver& solver) {
    if (redundant_ > 0 && !is_made_) return choose(solver);
    solver.assemble();
    if (solver.factorize(0, least_.data()) == left_out_) return true;
    // The choice may have grown old: a run that goes back starts with that of another place.
    return redundant_ > 0 && choose(solver);
  }
  /// The same, and y = L^-1 right for S = L L^T.
  template <class Solver>
  bool factorize(Solver& solver, const double* right, double* y) {
    if (redundant_ == 0 || is_made_) {
      solver.assemble();
      std::copy_n(right, least_.size(), y);
      if (solver.factorize(0, least_.data(), y) == left_out_) return true;
    }
    if (redundant_ == 0 || !choose(solver)) return false;
    std::copy_n(right, least_.size(), y);
    solver.forward(y);
    return true;
  }

 private:
  /// On the constraints: finds the rows that depend on those before.
  template <class Solver>
  bool choose(Solver& solver) {
    // Told by pivots below the first of these that finds no more of them than there are.
    for (double least : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      least_.setConstant(least);
      solver.assemble();
      left_out_ = solver.factorize(0, least_.data());
      if (left_out_ <= redundant_) break;
    }
    least_.setConstant(least_pivot);
    solver.each_left_out([this](int row) { least_[row] = INFINITY; });
    is_made_ = true;
    return left_out_ <= redundant_;
  }

  Vector least_;  // pivots that count as zero, relative to the diagonal of S
  int redundant_;
  int left_out_ = 0;
  bool is_made_ = false;
};

inline constexpr const char* singular_text =
    "the matrix P M^-1 P^T is singular here (a singular position?): try formulation lagrange-pseudoinverse";

}  // namespace bricard
