// `lagrange-proximal`: multipliers of rows that may depend on each other, without deciding a rank:
//   [M P^T; P -mu I] [v'; lambda_k+1] = [Q; gamma - mu lambda_k]
// converges to the accelerations, with multipliers of least norm.
//                                                      [Jalon-Bayo (5.51) in dual form; Parikh, Boyd 2014, section 4.1]
// In reference-point coordinates the engine `bodies` does the same on P M^-1 P^T.
#include <fmt/format.h>

#include <algorithm>

#include "formulations/exhibit.h"
#include "formulations/formulation.h"
#include "linear/kkt_solver.h"
#include "linear/proximal_settings.h"

namespace bricard::formulations {
namespace {

class LagrangeProximal : public Formulation {
 public:
  LagrangeProximal(const Equations& pattern, const FormulationOptions& options)
      : solver_(pattern.M, pattern.P),
        shift_(0),
        inertia_(options.typical_inertia.size() > 0 ? options.typical_inertia : Vector::Ones(pattern.velocities())),
        right_(pattern.rows()),
        lambda_(pattern.rows()),
        previous_lambda_(pattern.rows()),
        vdot_(Vector::Zero(pattern.velocities())),
        previous_vdot_(pattern.velocities()) {}

  Status factorize(const Equations& eq) override {
    failure_ = "";
    equations_ = &eq;
    // mu relative to the size of P M^-1 P^T, M by the typical inertias.
    double largest = 0;
    for (int row = 0; row < eq.P.outerSize(); ++row) {
      double sum = 0;
      for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
        sum += entry.value() * entry.value() / inertia_[entry.col()];
      largest = std::max(largest, sum);
    }
    mu_ = proximal::formulation.mu * (largest > 0 ? largest : 1);
    if (solver_.factorize(eq.M, eq.P, shift_, mu_)) return Status::ok;
    failure_ = "a direction without inertia is not held by any constraint";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    lambda_.setZero();
    double last_change = 0, last_growth = 0;
    int iteration = 0;
    for (; iteration < proximal::formulation.passes; ++iteration) {
      previous_lambda_ = lambda_, previous_vdot_ = vdot_;
      right_ = gamma - mu_ * previous_lambda_;
      if (!solver_.solve(Q, right_, vdot_, lambda_)) {
        failure_ = "the accelerations are not finite";
        return Status::failed;
      }
      // Where rows contradict each other (a singular position) multipliers grow evenly, but accelerations settle.
      const double change = (vdot_ - previous_vdot_).norm(), growth = (lambda_ - previous_lambda_).norm();
      const bool vdot_settled = change <= proximal::formulation.tolerance * vdot_.norm() ||
                                (change < 1e-8 * vdot_.norm() && change > 0.5 * last_change);
      const bool lambda_settled = growth <= 1e-12 * lambda_.norm() || growth > 0.999 * last_growth;
      if (iteration > 1 && vdot_settled && lambda_settled) break;
      last_change = change, last_growth = growth;
    }
    ++solutions_, refinements_ += iteration, largest_ = std::max(largest_, iteration);
    vdot = vdot_;
    lambda = lambda_;
    return Status::ok;
  }

  void show(Exhibit& exhibit) override {
    exhibit.add("K", "[M P^T; P -mu I]: one symmetric system for [v'; lambda]", "Jalon-Bayo (5.51) in dual form",
                equations_->saddle_point(mu_), Axis::velocities_and_rows, Axis::velocities_and_rows);
    exhibit.add("mu", "lambda_k+1 from lambda_k until they settle", "Parikh, Boyd 2014, section 4.1",
                Matrix::Constant(1, 1, mu_), Axis::one);
  }
  const char* failure() const override { return failure_; }
  std::string report() const override {
    return fmt::format("multipliers by {:.1f} proximal refinements on average, {} at most",
                       solutions_ > 0 ? static_cast<double>(refinements_) / static_cast<double>(solutions_) : 0.0,
                       largest_);
  }

 private:
  KktSolver solver_;
  Vector shift_, inertia_, right_, lambda_, previous_lambda_, vdot_, previous_vdot_;
  double mu_ = 0;
  long solutions_ = 0, refinements_ = 0;
  int largest_ = 0;
  const Equations* equations_ = nullptr;  // of the last factorize()
  const char* failure_ = "";
};

}  // namespace

FormulationType lagrange_proximal() {
  return {.name = "lagrange-proximal",
          .description = "Lagrange multipliers of rows that may be redundant or singular, by proximal refinement",
          .source = "Jalon-Bayo (5.51) in dual form; Parikh, Boyd 2014",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .accuracy = 1e-7,  // of multipliers: rounding errors divided by mu
                     .cost = "linear in bodies for chains, trees, ladders; a few refinements"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<LagrangeProximal>(pattern, options);
          },
          .engine = "bodies"};
}

}  // namespace bricard::formulations
