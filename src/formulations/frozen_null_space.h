// A null space from an earlier instant as the projector B = V_old^T of the present one ("Maggi-like" delay):
//   [P_r; B] [S V] = I,   s = S gamma_r                                     [Pennestri-Valentini (26)-(33), section 8]
// P_r: as many rows of P as its rank, chosen when B was computed. One LU instead of a decomposition that reveals the
// rank; P V = 0 and P s = gamma hold for the present P, however old B is.
// The other rows are P_d = C P_r. With them gamma is first replaced by the nearest one that does not contradict itself,
//   gamma_r + C^T (I + C C^T)^-1 (gamma_d - C gamma_r),
// and the multipliers l of P_r are spread over all rows with the least norm,
//   lambda_d = (I + C C^T)^-1 C l,   lambda_r = l - C^T lambda_d.
#pragma once

#include <vector>

#include "formulations/null_space.h"

namespace bricard {

class FrozenNullSpace : public NullSpaceBasis {
 public:
  FrozenNullSpace(int rows, int columns);

  void freeze(const Matrix& P, const NullSpaceBasis& basis);
  /// How far B is from the null space of this P: |P B^T| / (|P| |B|), Frobenius norms.
  double distance(const Matrix& P);

 protected:
  /// False if the rank has changed since B was frozen, or B has become a poor choice.
  bool decompose(const Matrix& P, double threshold) override;
  void solve(const Vector& gamma, Vector& s) override;
  void solve_transposed(const Vector& force, Vector& lambda) override;

 private:
  void solve_LU(char transposed, double* B, int columns);

  Matrix old_V_, LU_, PV_, C_transposed_, I_CCt_;
  Cholesky dependent_;
  PivotedQr row_choice_;
  std::vector<int> order_;  // the rows r, then the rows d
  std::vector<int> exchanges_, integers_;
  std::vector<double> work_;
  Vector right_, dependent_right_;
};

}  // namespace bricard
