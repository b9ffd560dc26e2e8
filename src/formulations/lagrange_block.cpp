// `lagrange-block`: block factorisation of [M P^T; P 0] by two Cholesky factorisations.   [Pennestri-Valentini (3)-(8)]
//   M = L L^T,  H = L^-1 P^T,  H^T H = L1^T L1,  y = L^-1 Q,
//   lambda = L1^-1 L1^-T (H^T y - gamma),  v' = L^-T (y - H lambda)
// The paper prints H = L^-T P^T in (5), which is right only for a symmetric root of M.
#include "formulations/exhibit.h"
#include "formulations/formulation.h"

namespace bricard::formulations {
namespace {

class LagrangeBlock : public Formulation {
 public:
  explicit LagrangeBlock(const Equations& pattern)
      : M_(pattern.velocities(), pattern.velocities()),
        P_(pattern.rows(), pattern.velocities()),
        H_(pattern.velocities(), pattern.rows()),
        HtH_(pattern.rows(), pattern.rows()),
        mass_(pattern.velocities()),
        constraint_(pattern.rows()),
        y_(pattern.velocities()),
        right_(pattern.rows()) {}

  Status factorize(const Equations& eq) override {
    failure_ = "";
    eq.dense_mass(M_);
    eq.dense_jacobian(P_);
    mass_.compute(M_);
    if (!is_regular(mass_, M_)) {
      failure_ = "the mass matrix is singular";
      return Status::failed;
    }
    H_ = P_.transpose();
    mass_.matrixL().solveInPlace(H_);
    if (HtH_.rows() == 0) return Status::ok;  // no constraints
    HtH_.noalias() = H_.transpose() * H_;
    constraint_.compute(HtH_);
    if (!is_regular(constraint_, HtH_)) {
      failure_ =
          "P M^-1 P^T is singular here (a singular position?): try stabilisation projection, or formulation "
          "lagrange-pseudoinverse";
      return Status::failed;
    }
    return Status::ok;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    y_ = Q;
    mass_.matrixL().solveInPlace(y_);
    if (right_.size() > 0) {
      right_.noalias() = H_.transpose() * y_;
      right_ -= gamma;
      constraint_.matrixL().solveInPlace(right_);  // L1^-T, L1 upper
      constraint_.matrixU().solveInPlace(right_);  // L1^-1
      y_.noalias() -= H_ * right_;
    }
    mass_.matrixU().solveInPlace(y_);  // L^-T
    vdot = y_;
    lambda = right_;
    return vdot.allFinite() ? Status::ok : Status::failed;
  }

  const char* failure() const override { return failure_; }
  void show(Exhibit& exhibit) override {
    const char* source = "Pennestri-Valentini (3)-(8)";
    exhibit.add("L", "M = L L^T", source, mass_.matrixL(), Axis::velocities, Axis::velocities);
    exhibit.add("H", "L^-1 P^T", source, H_, Axis::velocities, Axis::rows);
    exhibit.add("H^T H", "= P M^-1 P^T", source, HtH_, Axis::rows, Axis::rows);
    if (HtH_.rows() > 0) exhibit.add("L1", "H^T H = L1^T L1", source, constraint_.matrixU(), Axis::rows, Axis::rows);
  }

 private:
  /// Cholesky that succeeded, with pivots of the size of the diagonal terms, whose units differ. They are squares:
  /// 1e-14 means singular to 1e-7 in P.
  static bool is_regular(const Eigen::LLT<Matrix>& factor, const Matrix& of) {
    if (factor.info() != Eigen::Success) return false;
    return (factor.matrixLLT().diagonal().array() > 1e-7 * of.diagonal().array().sqrt()).all();
  }

  Matrix M_, P_, H_, HtH_;
  Eigen::LLT<Matrix> mass_, constraint_;
  Vector y_, right_;
  const char* failure_ = "";
};

}  // namespace

FormulationType lagrange_block() {
  return {
      .name = "lagrange-block",
      .description = "Lagrange multipliers by two Cholesky factorisations, of M and of P M^-1 P^T",
      .source = "Pennestri-Valentini (3)-(8), H corrected",
      .traits = {.redundant_rows = false, .singular_mass = false, .unique_multipliers = true, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions&) -> std::unique_ptr<Formulation> {
        return std::make_unique<LagrangeBlock>(pattern);
      }};
}

}  // namespace bricard::formulations
