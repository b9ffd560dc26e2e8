// `lagrange`: solves  [M P^T; P 0] [v'; lambda] = [Q; gamma]  directly.    [Pennestri-Valentini (2), Jalon-Bayo (5.10)]
#include "formulations/exhibit.h"
#include "formulations/formulation.h"
#include "linear/kkt_solver.h"

namespace bricard::formulations {
namespace {

class Lagrange : public Formulation {
 public:
  explicit Lagrange(const Equations& pattern) : solver_(pattern.M, pattern.P), no_shift_(0) {}

  Status factorize(const Equations& eq) override {
    failure_ = "";
    equations_ = &eq;
    if (solver_.factorize(eq.M, eq.P, no_shift_, 0)) return Status::ok;
    failure_ =
        "the matrix [M P^T; P 0] is singular here (a singular position?): try stabilisation projection, or formulation "
        "lagrange-pseudoinverse";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    if (solver_.solve(Q, gamma, vdot, lambda)) return Status::ok;
    failure_ = "the solution of [M P^T; P 0] is not finite";
    return Status::failed;
  }

  void show(Exhibit& exhibit) override {
    exhibit.add("K", "[M P^T; P 0]: one symmetric system for [v'; lambda]",
                "Pennestri-Valentini (2), Jalon-Bayo (5.10)", equations_->saddle_point(0), Axis::velocities_and_rows,
                Axis::velocities_and_rows);
  }
  const char* failure() const override { return failure_; }

 private:
  KktSolver solver_;
  Vector no_shift_;
  const Equations* equations_ = nullptr;  // of the last factorize()
  const char* failure_ = "";
};

}  // namespace

FormulationType lagrange() {
  return {
      .name = "lagrange",
      .description =
          "Lagrange multipliers; in reference-point coordinates P M^-1 P^T over the graph of the joints, otherwise one "
          "symmetric indefinite system (dense LDL^T for small, sparse LU for large models)",
      .source = "Pennestri-Valentini (2); Jalon-Bayo (5.10); Pekal-Fraczek (8)",
      .traits = {.redundant_rows = false,
                 .singular_mass = true,
                 .unique_multipliers = true,
                 .cost = "linear in bodies for chains, trees, ladders"},
      .create = [](const Equations& pattern, const FormulationOptions&) -> std::unique_ptr<Formulation> {
        return std::make_unique<Lagrange>(pattern);
      },
      .engine = "bodies"};
}

}  // namespace bricard::formulations
