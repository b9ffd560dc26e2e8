// A partition of the velocities by independent ones, z' = B v, and all that follows from the regular matrix [P_r; B],
// where P_r are rank(P) independent rows:
//   v = R z' - S Phi_t,   v' = R z'' + S gamma,   R = [P_r; B]^-1 [0; I],   S = [P_r; B]^-1 [I; 0]
//                                                                                            [Jalon-Bayo (5.59)-(5.67)]
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formulations/dense_equations.h"
#include "selections/selection.h"

namespace bricard {

class Partition {
 public:
  Partition(const Equations& pattern, const FormulationOptions& options);

  /// Chooses independent rows and coordinates for this instant and factorises. False if P has another rank than
  /// `freedoms` says (negative: any).
  bool choose(const Equations& equations, int freedoms = -1);
  /// Factorises [P_r; B] with the present choice. False if it is singular.
  bool factorize(const Equations& equations);
  /// The selection would choose again at the instant of the last factorize().
  bool is_outdated() const;
  bool is_chosen() const { return chosen_quality_ > 0; }
  /// Smallest over largest pivot of [P; B] at the last factorize(), over that when it was chosen.
  double pivots() const { return quality_ / chosen_quality_; }

  int freedoms() const { return static_cast<int>(B_.rows()); }
  int rank() const { return static_cast<int>(rows_.size()); }
  bool redundant() const { return rank() < static_cast<int>(all_rows_); }
  const std::vector<int>& coordinates() const { return selected_.coordinates; }  // of a Boolean choice
  const std::vector<int>& independent_rows() const { return rows_; }
  const Matrix& B() const { return B_; }  // in terms of v

  /// x = [P_r; B]^-1 [row_part; free_part], row_part given for all rows.
  void solve(ConstVector row_part, ConstVector free_part, Vector& x);
  /// R of the last factorisation.
  const Matrix& R();
  /// The least-norm lambda with P^T lambda = force, for a force that the constraints can exert.
  void multipliers(const Vector& force, Vector& lambda);

 private:
  void solve_in_place(Vector& x) const;

  DenseEquations dense_;
  std::unique_ptr<Selection> selection_;
  double limit_;
  Eigen::Index all_rows_;
  std::vector<int> rows_, dependent_rows_;
  Selected selected_;  // in dimensionless velocities
  Matrix B_, A_, R_, N_;
  Vector scale_;  // v = scale * dimensionless
  double row_scale_;
  Eigen::PartialPivLU<Matrix> factor_;
  bool R_is_current_ = false;
  double quality_ = 0, chosen_quality_ = 0;
  Vector work_, reduced_;
};

}  // namespace bricard
