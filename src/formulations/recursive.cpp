// `recursive`: M^-1 by recursion over the tree of the coordinates, so that M is neither evaluated nor factorised; loops
// and drives by their multipliers,
//   v'_f = M^-1 Q,   (P M^-1 P^T) lambda = P v'_f - gamma,   v' = v'_f - M^-1 P^T lambda     [Jalon-Bayo section 5.3;
//                                                                                            Featherstone 2008, 8.5]
// An open tree costs time linear in its size; each closing row one more sweep, and the cube of their number.
#include "formulations/formulation.h"
#include "pseudoinverses/pseudoinverse.h"
#include "system/system.h"

namespace bricard::formulations {
namespace {

class Recursive : public Formulation {
 public:
  Recursive(const Equations& pattern, const FormulationOptions& options)
      : mass_(*options.mass_solver),
        P_(pattern.P),
        Y_(pattern.velocities(), pattern.rows()),
        S_(pattern.rows(), pattern.rows()),
        free_(pattern.velocities()),
        scale_(pattern.rows()),
        missing_(pattern.rows()),
        lambda_(pattern.rows()),
        S_plus_(find_pseudoinverse_type(options.pseudoinverse)->create(pattern.rows(), pattern.rows())),
        // S has the squares of the singular values that the threshold is about.
        threshold_(options.threshold * options.threshold) {}

  Status factorize(const Equations& eq) override {
    if (!mass_.factorize()) {
      failure_ = "a body of the tree can move in a direction without inertia";
      return Status::failed;
    }
    if (eq.rows() == 0) return Status::ok;
    P_ = eq.P;
    for (int row = 0; row < eq.rows(); ++row) {
      Y_.col(row).setZero();
      for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) Y_(entry.col(), row) = entry.value();
      mass_.solve(Y_.col(row));
    }
    S_.noalias() = P_ * Y_;
    // Rows of unit length in the metric of M^-1, so that rank does not depend on units; but a row that is zero up to
    // rounding stays so.
    const double largest = S_.diagonal().maxCoeff();
    scale_ = S_.diagonal().cwiseMax(1e-8 * largest).cwiseSqrt().cwiseInverse();
    S_.array().colwise() *= scale_.array();
    S_.array().rowwise() *= scale_.transpose().array();
    if (S_plus_->factorize(S_, threshold_)) return Status::ok;
    failure_ = "the pseudoinverse of P M^-1 P^T did not converge";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    free_ = Q;
    mass_.solve(free_);
    if (lambda.size() > 0) {
      missing_.noalias() = P_ * free_;
      missing_ -= gamma;
      missing_ = scale_.cwiseProduct(missing_);
      S_plus_->apply(missing_, lambda_);
      lambda = scale_.cwiseProduct(lambda_);
      free_.noalias() -= Y_ * lambda;
    }
    vdot = free_;
    if (vdot.allFinite() && lambda.allFinite()) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return P_.rows() > 0 ? S_plus_->rank() : 0; }

 private:
  MassSolver& mass_;
  SparseRows P_;
  Matrix Y_, S_;
  Vector free_, scale_, missing_, lambda_;
  std::unique_ptr<Pseudoinverse> S_plus_;
  double threshold_;
  const char* failure_ = "";
};

}  // namespace

FormulationType recursive() {
  return {.name = "recursive",
          .description = "recursion over the tree of relative coordinates (articulated bodies), loops by multipliers",
          .source = "Featherstone 2008, (7.37)-(7.45); Jalon-Bayo section 5.3",
          .traits = {.redundant_rows = true,
                     .singular_mass = false,
                     .unique_multipliers = false,
                     .tree_only = true,
                     .mass_matrix = false,
                     .smallest_rank_threshold = 1e-7,
                     .cost = "linear in bodies for trees; cubic in the rows that close loops"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<Recursive>(pattern, options);
          },
          .misfit = [](const System& system) -> std::string {
            return system.coordinates().mass_solver() ? ""
                                                      : std::string("coordinates '") + system.coordinates_type().name +
                                                            "' are not those of a tree; use coordinates 'relative'";
          }};
}

}  // namespace bricard::formulations
