#include "motions/canonical_basic_motion.h"

#include <algorithm>

#include "formulations/exhibit.h"

namespace bricard {
namespace {

Vector of_rows(const Vector& own, double common, int rows) {
  return own.size() > 0 ? own : Vector(Vector::Constant(rows, common));
}

}  // namespace

CanonicalBasicMotion::CanonicalBasicMotion(System& system, const FormulationOptions& options,
                                           std::unique_ptr<Formulation> solver,
                                           std::unique_ptr<Stabilization> stabilization)
    : CanonicalMotion(system, options, std::move(solver), std::move(stabilization), 0),
      penalty_(of_rows(options.row_penalty, options.penalty, system.row_count())),
      rate_gain_(2 * of_rows(options.row_omega, options.omega, system.row_count())
                         .cwiseProduct(of_rows(options.row_mu, options.mu, system.row_count()))),
      position_gain_(of_rows(options.row_omega, options.omega, system.row_count()).cwiseAbs2()),
      is_relative_(options.penalty_is_relative),
      Phi_(system.row_count()),
      force_(system.row_count()) {
  for (int row = 0; row < system.row_count(); ++row) {
    if (system.rows()[row].velocity_level) rate_gain_[row] *= 0.5;
  }
}

/// As the solver does: by the largest term of M at its first factorisation.
void CanonicalBasicMotion::set_penalties() {
  double largest = 0;
  for (int column = 0; column < eq_.M.outerSize(); ++column) {
    for (SparseColumns::InnerIterator entry(eq_.M, column); entry; ++entry) {
      if (entry.row() == column) largest = std::max(largest, entry.value());
    }
  }
  if (largest > 0) penalty_ *= largest;
  is_relative_ = false;
}

// The solver has the forces in its gamma: of velocities there is none.
Status CanonicalBasicMotion::find_velocities(ConstVector p, ConstVector integrals, VectorRef v) {
  if (is_relative_) set_penalties();
  Phi_ = eq_.Phi;
  eq_.Phi.setZero();
  eq_.Phi_dot.setZero();
  const Status status = CanonicalMotion::find_velocities(p, integrals, v);
  eq_.Phi = Phi_;
  return status;
}

void CanonicalBasicMotion::add_feedback(VectorRef pdot) {
  force_ = position_gain_.cwiseProduct(eq_.Phi) + rate_gain_.cwiseProduct(eq_.Phi_dot);
  force_.array() *= penalty_.array();
  pdot.noalias() -= eq_.P.transpose() * force_;
}

void CanonicalBasicMotion::show(Exhibit& exhibit) {
  exhibit.add("a (Omega^2 Phi + 2 Omega mu Phi')", "forces of springs and dampers that p' has beside",
              "Jalon-Bayo (5.116b)", force_, Axis::rows);
  CanonicalMotion::show(exhibit);
}

}  // namespace bricard
