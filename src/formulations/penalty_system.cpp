#include "formulations/penalty_system.h"

#include <algorithm>
#include <limits>

#include "formulations/exhibit.h"

namespace bricard {

PenaltySystem::PenaltySystem(const Equations& pattern, const FormulationOptions& options)
    : factor_(options.penalty),
      a_(options.penalty_is_relative ? 0 : options.penalty),
      rate_gain_(Vector::Constant(pattern.rows(), 2 * options.omega * options.mu)),
      position_gain_(options.omega * options.omega),
      M_(pattern.M),
      P_(pattern.P),
      K_(pattern.M, pattern.P),
      feedback_(pattern.rows()),
      Q_(pattern.velocities()),
      w_(pattern.rows()),
      r_(pattern.rows()),
      d_(pattern.velocities()),
      Md_(pattern.velocities()) {
  for (std::size_t row = 0; row < options.velocity_rows.size(); ++row) {
    if (options.velocity_rows[row]) rate_gain_[static_cast<int>(row)] = options.omega * options.mu;
  }
}

bool PenaltySystem::factorize(const Equations& eq) {
  std::copy_n(eq.M.valuePtr(), M_.nonZeros(), M_.valuePtr());
  std::copy_n(eq.P.valuePtr(), P_.nonZeros(), P_.valuePtr());
  if (a_ == 0) {
    double largest = 0;
    for (int column = 0; column < M_.outerSize(); ++column) {
      for (SparseColumns::InnerIterator entry(M_, column); entry; ++entry) {
        if (entry.row() == column) largest = std::max(largest, entry.value());
      }
    }
    a_ = factor_ * (largest > 0 ? largest : 1);  // without any mass every penalty is exact
  }
  feedback_ = rate_gain_.cwiseProduct(eq.Phi_dot) + position_gain_ * eq.Phi;  // Phi is zero in velocity-level rows
  return K_.factorize(M_, P_, a_);
}

const char* PenaltySystem::failure() const {
  return "M + P^T a P is singular in double precision: a motion has no inertia, or next to none beside the penalty; "
         "try "
         "a smaller penalty";
}

void PenaltySystem::set_right_sides(ConstVector Q, ConstVector gamma) {
  Q_ = Q;
  w_ = feedback_ - gamma;
}

void PenaltySystem::solve_residual(const Vector& vdot, const Vector& lambda) {
  d_ = Q_;
  d_.noalias() -= M_ * vdot;
  d_.noalias() -= P_.transpose() * lambda;
  K_.solve(d_);
}

void PenaltySystem::advance(Vector& vdot, Vector& lambda) {
  r_ = w_;
  r_.noalias() += P_ * vdot;
  lambda += a_ * r_;
  refine(vdot, lambda);
}

void PenaltySystem::refine(Vector& vdot, Vector& lambda) {
  solve_residual(vdot, lambda);
  vdot += d_;
  r_.noalias() = P_ * d_;
  lambda += a_ * r_;
}

// lambda += a P K^-1 (Q - M v' - P^T lambda) from zero stays in the range of P, so it finds the multipliers of least
// norm; those that advance() adds up hold a times the rounding of r, and a times what contradictory rows leave of r.
void PenaltySystem::find_multipliers(Vector& vdot, Vector& lambda) {
  constexpr int most = 50;
  constexpr double tolerance = 1e-14;
  double previous = std::numeric_limits<double>::infinity();
  lambda.setZero();
  for (int k = 0; k < most; ++k) {
    solve_residual(vdot, lambda);
    r_.noalias() = P_ * d_;
    r_ *= a_;
    lambda += r_;
    const double change = r_.norm();
    // In exact arithmetic changes only get smaller: where they do not, they are rounding.
    if (change <= tolerance * lambda.norm() || change >= previous) {
      vdot += d_;  // has become a motion that the constraints allow: the rounding of v'
      return;
    }
    previous = change;
  }
}

double PenaltySystem::change_in_metric_of_M() {
  Md_.noalias() = M_ * d_;
  return d_.dot(Md_);
}

void PenaltySystem::show(Exhibit& exhibit) const {
  const Matrix M(M_), P(P_);
  const char* source = "Jalon-Bayo (5.37), (5.47)";
  exhibit.add("a", "the penalty", source, Matrix::Constant(1, 1, a_), Axis::one);
  exhibit.add("2 Omega mu", "gain of Phi', Omega mu of velocity-level rows", source, rate_gain_, Axis::rows);
  exhibit.add("Omega^2", "gain of Phi", source, Matrix::Constant(1, 1, position_gain_), Axis::one);
  exhibit.add("M + P^T a P", "positive definite, without multipliers", source, M + a_ * P.transpose() * P,
              Axis::velocities, Axis::velocities);
  exhibit.add("w", "-gamma + 2 Omega mu Phi' + Omega^2 Phi", source, w_, Axis::rows);
  exhibit.add("Q - P^T a w", "its right-hand side at lambda = 0", source, Q_ - a_ * P.transpose() * w_,
              Axis::velocities);
}

}  // namespace bricard
