// `nullspace-qr`: V from the QR factorisation of P^T.                                   [Pennestri-Valentini (58)-(65)]
//   P^T Pi = [Q1 Q2] [R; 0],   V = Q2
// The column pivoting Pi, which the paper lacks, makes it right for redundant rows: without it a zero on the diagonal
// of R may appear before the last of the independent columns. s = P+ gamma; (65) with the inverse of [P; Q2^T] is the
// same for independent rows and has no meaning for redundant ones.
#include "formulations/null_space.h"

namespace bricard {
namespace {

class QrBasis : public NullSpaceBasis {
 public:
  QrBasis(int rows, int columns) : NullSpaceBasis(rows, columns), qr_(rows, columns) {}

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    qr_.compute(P, threshold);
    rank_ = qr_.rank();
    qr_.null_space(V_.leftCols(columns_ - rank_));
    return true;
  }
  void solve(const Vector& gamma, Vector& s) override { qr_.solve(gamma, s); }
  void solve_transposed(const Vector& force, Vector& lambda) override { qr_.solve_transposed(force, lambda); }

 private:
  PivotedQr qr_;
};

}  // namespace

std::unique_ptr<NullSpaceBasis> qr_basis(int rows, int columns) { return std::make_unique<QrBasis>(rows, columns); }

namespace formulations {

FormulationType nullspace_qr() {
  return {
      .name = "nullspace-qr",
      .description = "independent accelerations on a null space of the Jacobian from its QR factorisation",
      .source = "Pennestri-Valentini (58)-(65), with column pivoting",
      .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return null_space_formulation(pattern, options, qr_basis(pattern.rows(), pattern.velocities()));
      }};
}

}  // namespace formulations
}  // namespace bricard
