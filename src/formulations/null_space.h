// Accelerations on a basis V of the null space of P, which eliminates the multipliers:
//   P V = 0,  P s = gamma;   (V^T M V) a = V^T (Q - M s),   v' = V a + s,   P^T lambda = Q - M v'
//                                                                           [Pennestri-Valentini (17), (32), (64)]
// (17) as printed lacks the minus sign before V^T M V' v'; V' is never needed, because s stands for V' v'. As V is
// computed anew every time, a is no derivative of anything: v' is integrated, not a.
// The methods nullspace-* differ in the decomposition of P alone.
#pragma once

#include <memory>

#include "formulations/dense_algebra.h"
#include "formulations/formulation.h"

namespace bricard {

/// One decomposition of P (rows x columns): its rank, its null space and the solutions of equations in P and P^T.
class NullSpaceBasis {
 public:
  NullSpaceBasis(int rows, int columns) : rows_(rows), columns_(columns), V_(columns, columns) {}
  virtual ~NullSpaceBasis() = default;

  /// Directions that P stretches by at most threshold * the most stretched one count as free. False if it did not
  /// converge.
  bool factorize(const Matrix& P, double threshold);
  int rank() const { return rank_; }
  /// columns x (columns - rank), P V = 0
  auto V() const { return V_.leftCols(columns_ - rank_); }

  /// Some s with P s = gamma; where gamma contradicts itself, with the least |P s - gamma|.
  void particular_solution(const Vector& gamma, Vector& s);
  /// lambda of least norm with P^T lambda = force, for a force that does no work on V.
  void least_norm_multipliers(const Vector& force, Vector& lambda);

 protected:
  // All of these are only called for a P with rows and columns.
  /// Sets rank_ and V().
  virtual bool decompose(const Matrix& P, double threshold) = 0;
  virtual void solve(const Vector& gamma, Vector& s) = 0;
  virtual void solve_transposed(const Vector& force, Vector& lambda) = 0;

  int rows_, columns_, rank_ = 0;
  Matrix V_;  // as many columns of it as there are
};

/// Pivoted QR, the basis of nullspace-qr.
std::unique_ptr<NullSpaceBasis> qr_basis(int rows, int columns);

std::unique_ptr<Formulation> null_space_formulation(const Equations& pattern, const FormulationOptions& options,
                                                    std::unique_ptr<NullSpaceBasis> basis);

}  // namespace bricard
