#include "motions/partitioned_motion.h"

#include <fmt/format.h>

#include "formulations/exhibit.h"

namespace bricard {

PartitionedMotion::PartitionedMotion(System& system, const FormulationOptions& options)
    : MatrixMotion(system),
      partition_(eq_, options),
      rounding_(1e-13 * std::max(1.0, system.model().characteristic_length())),
      tolerance_(options.position_tolerance > 0 ? options.position_tolerance : rounding_),
      by_speed_(options.renew_by_speed),
      particular_(velocities_),
      force_(velocities_) {}

bool PartitionedMotion::begin(double t, ConstVector q, ConstVector v) {
  system_.evaluate(t, q, v, Vector::Zero(states_), Upto::dynamics, eq_);
  if (!partition_.choose(eq_)) return false;
  const int F = freedoms();
  zddot_.setZero(F);
  right_.setZero(F);
  no_freedoms_.setZero(F);
  MR_.resize(velocities_, F);
  reduced_.resize(F, F);
  if (F > 0) reduced_factor_.compute(Matrix::Identity(F, F));  // allocates now what later evaluations use
  return true;
}

void PartitionedMotion::scale_independent(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < freedoms(); ++k) {
    // Combinations are dimensionless lengths: of the size of the model as well.
    const bool turns =
        !partition_.coordinates().empty() && system_.coordinates().is_rotation(partition_.coordinates()[k]);
    scales[k] = turns ? 1 : length;
  }
}

Status PartitionedMotion::solve(const Vector& Q) {
  force_ = Q;
  force_.noalias() -= eq_.M * particular_;
  right_.noalias() = partition_.R().transpose() * force_;
  zddot_ = right_;
  if (freedoms() > 0) reduced_factor_.solveInPlace(zddot_);
  vdot_ = particular_;
  vdot_.noalias() += partition_.R() * zddot_;
  force_ = Q;
  force_.noalias() -= eq_.M * vdot_;
  partition_.multipliers(force_, lambda_);
  if (vdot_.allFinite() && lambda_.allFinite()) return Status::ok;
  failure_ = "the accelerations are not finite";
  return Status::failed;
}

Status PartitionedMotion::find_accelerations(ConstVector states) {
  if (!forces_are_finite()) return Status::failed;
  if (!partition_.factorize(eq_)) {
    failure_ = "the independent coordinates no longer determine the others";
    return Status::failed;
  }
  partition_.solve(eq_.gamma, no_freedoms_, particular_);
  MR_.noalias() = eq_.M * partition_.R();
  reduced_.noalias() = partition_.R().transpose() * MR_;
  if (freedoms() > 0) reduced_factor_.compute(reduced_);
  if (freedoms() > 0 && reduced_factor_.info() != Eigen::Success) {
    failure_ = "the reduced mass matrix is singular: a motion has no inertia";
    return Status::failed;
  }
  return settle_friction(states, [this](const Vector& Q) { return solve(Q); });
}

bool PartitionedMotion::choose_again() {
  system_.evaluate(eq_.t, q_, v_, Vector::Zero(states_), Upto::dynamics, eq_);
  if (!partition_.factorize(eq_) || !is_outdated()) return false;
  const std::vector<int> before = partition_.coordinates();
  if (!partition_.choose(eq_, freedoms())) return false;  // at a singular position: keep the old choice and go on
  if (!before.empty() && before == partition_.coordinates()) return false;
  ++switches_;
  watch_.forget();
  return true;
}

void PartitionedMotion::show_choice(Exhibit& exhibit) {
  const char* source = "Jalon-Bayo (5.59)";
  Matrix A(velocities_, velocities_);
  for (int k = 0; k < partition_.rank(); ++k) A.row(k) = eq_.P.row(partition_.independent_rows()[k]);
  A.bottomRows(freedoms()) = partition_.B();
  const std::vector<int>& rows = partition_.independent_rows();
  std::string chosen;
  for (const int k : partition_.coordinates()) chosen += ' ' + system_.coordinates().velocity_name(k);
  exhibit.add("B", "z' = B v: " + (chosen.empty() ? "combinations of velocities" : "independent velocities" + chosen),
              source, partition_.B(), Axis::freedoms, Axis::velocities);
  exhibit.add_of_rows(rows, "[P; B]", "regular while the choice serves; independent rows of P", source, A,
                      Axis::rows_and_freedoms, Axis::velocities);
}

void PartitionedMotion::show(Exhibit& exhibit) {
  const char* source = "Jalon-Bayo (5.59)-(5.67)";
  show_choice(exhibit);
  exhibit.add("R", "[P; B]^-1 [0; I]", source, partition_.R(), Axis::velocities, Axis::freedoms);
  exhibit.add("S gamma", "[P; B]^-1 [gamma; 0]", source, particular_, Axis::velocities);
  exhibit.add("R^T M R", "reduced mass matrix", source, reduced_, Axis::freedoms, Axis::freedoms);
  exhibit.add("R^T (Q - M S gamma)", "reduced right-hand side", source, right_, Axis::freedoms);
  exhibit.add("z''", "(R^T M R) z'' = R^T (Q - M S gamma),  v' = R z'' + S gamma", source, zddot_, Axis::freedoms);
}

std::string PartitionedMotion::report() const {
  if (switches_ == 0) return "the independent coordinates served from start to end";
  return fmt::format("the independent coordinates were changed {} time{}", switches_, switches_ == 1 ? "" : "s");
}

}  // namespace bricard
