// `lagrange-proximal`: multipliers of rows that may depend on each other, without deciding a rank:
//   [M P^T; P -mu E] [v'; lambda_k+1] = [Q; gamma - mu E lambda_k],   E = diag(P M^-1 P^T)
// converges to the accelerations, with multipliers of least norm in the metric E.    [Jalon-Bayo (5.51) in dual form;
// Parikh, Boyd 2014, section 4.1] In reference-point coordinates GraphMotion does the same on P M^-1 P^T.
#include <cmath>

#include "formulations/formulation.h"
#include "linear/kkt_solver.h"

namespace bricard::formulations {
namespace {

class LagrangeProximal : public Formulation {
 public:
  LagrangeProximal(const Equations& pattern, const FormulationOptions& options)
      : rows_(pattern.rows()),
        P_(pattern.P),
        solver_(pattern.M, pattern.P),
        shift_(0),
        inertia_(options.typical_inertia.size() > 0 ? options.typical_inertia : Vector::Ones(pattern.velocities())),
        scale_(rows_),
        scaled_gamma_(rows_),
        right_(rows_),
        y_(rows_),
        previous_(pattern.velocities()),
        vdot_(pattern.velocities()) {}

  Status factorize(const Equations& eq) override {
    failure_ = "";
    // Rows of unit length in the metric of typical inertias, so that E is the unit matrix.
    P_ = eq.P;
    for (int row = 0; row < rows_; ++row) {
      double sum = 0;
      for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
        sum += entry.value() * entry.value() / inertia_[entry.col()];
      scale_[row] = sum > 0 ? 1 / std::sqrt(sum) : 1;
      for (SparseRows::InnerIterator entry(P_, row); entry; ++entry) entry.valueRef() *= scale_[row];
    }
    if (solver_.factorize(eq.M, P_, shift_, mu)) return Status::ok;
    failure_ = "a direction without inertia is not held by any constraint";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    scaled_gamma_ = scale_.cwiseProduct(gamma);
    y_.setZero();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      right_ = scaled_gamma_ - mu * y_;
      if (!solver_.solve(Q, right_, vdot_, y_)) {
        failure_ = "the accelerations are not finite";
        return Status::failed;
      }
      if (iteration > 0 && (vdot_ - previous_).norm() <= 1e-14 * vdot_.norm()) break;
      previous_ = vdot_;
    }
    vdot = vdot_;
    lambda = scale_.cwiseProduct(y_);
    return Status::ok;
  }

  const char* failure() const override { return failure_; }

 private:
  static constexpr double mu = 1e-6;
  static constexpr int most_iterations = 40;
  int rows_;
  SparseRows P_;
  KktSolver solver_;
  Vector shift_, inertia_, scale_, scaled_gamma_, right_, y_, previous_, vdot_;
  const char* failure_ = "";
};

}  // namespace

FormulationType lagrange_proximal() {
  return {.name = "lagrange-proximal",
          .description =
              "Lagrange multipliers of rows that may be redundant or singular, by proximal refinement; in "
              "reference-point coordinates over the graph of the joints, in linear time",
          .source = "Jalon-Bayo (5.51) in dual form; Parikh, Boyd 2014",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .cost = "linear in bodies for chains, trees, ladders; a few refinements"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<LagrangeProximal>(pattern, options);
          },
          .linear_time = true};
}

}  // namespace bricard::formulations
