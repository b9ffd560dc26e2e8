#include "formulations/penalty_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/exhibit.h"

namespace bricard {
namespace {

Vector of_rows(const Vector& own, double common, int rows) {
  return own.size() > 0 ? own : Vector(Vector::Constant(rows, common));
}

}  // namespace

PenaltySystem::PenaltySystem(const Equations& pattern, const FormulationOptions& options)
    : is_uniform_(options.row_penalty.size() == 0),
      is_relative_(options.penalty_is_relative),
      a_(of_rows(options.row_penalty, options.penalty, pattern.rows())),
      rate_gain_(pattern.rows()),
      position_gain_(of_rows(options.row_omega, options.omega, pattern.rows()).cwiseAbs2()),
      M_(pattern.M),
      P_(pattern.P),
      K_(pattern.M, pattern.P),
      feedback_(pattern.rows()),
      Q_(pattern.velocities()),
      w_(pattern.rows()),
      r_(pattern.rows()),
      d_(pattern.velocities()),
      Md_(pattern.velocities()) {
  if (!is_uniform_) scaled_P_ = P_;
  const Vector omega = of_rows(options.row_omega, options.omega, pattern.rows()),
               mu = of_rows(options.row_mu, options.mu, pattern.rows());
  rate_gain_ = 2 * omega.cwiseProduct(mu);
  for (std::size_t row = 0; row < options.velocity_rows.size(); ++row) {
    if (options.velocity_rows[row]) rate_gain_[static_cast<int>(row)] *= 0.5;
  }
}

bool PenaltySystem::factorize(const Equations& eq) {
  std::copy_n(eq.M.valuePtr(), M_.nonZeros(), M_.valuePtr());
  std::copy_n(eq.P.valuePtr(), P_.nonZeros(), P_.valuePtr());
  if (is_relative_) {
    double largest = 0;
    for (int column = 0; column < M_.outerSize(); ++column) {
      for (SparseColumns::InnerIterator entry(M_, column); entry; ++entry) {
        if (entry.row() == column) largest = std::max(largest, entry.value());
      }
    }
    a_ *= largest > 0 ? largest : 1;  // without any mass every penalty is exact
    is_relative_ = false;
  }
  // Phi is zero in velocity-level rows.
  feedback_ = rate_gain_.cwiseProduct(eq.Phi_dot) + position_gain_.cwiseProduct(eq.Phi);
  if (is_uniform_) return K_.factorize(M_, P_, a_.size() > 0 ? a_[0] : 1);
  for (int row = 0; row < P_.outerSize(); ++row) {
    const double root = std::sqrt(a_[row]);
    for (int k = P_.outerIndexPtr()[row]; k < P_.outerIndexPtr()[row + 1]; ++k)
      scaled_P_.valuePtr()[k] = root * P_.valuePtr()[k];
  }
  return K_.factorize(M_, scaled_P_, 1);
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
  lambda += a_.cwiseProduct(r_);
  refine(vdot, lambda);
}

void PenaltySystem::refine(Vector& vdot, Vector& lambda) {
  solve_residual(vdot, lambda);
  vdot += d_;
  r_.noalias() = P_ * d_;
  lambda += a_.cwiseProduct(r_);
}

// lambda += a P K^-1 (Q - M v' - P^T lambda) from zero stays in the range of a P, so it finds the multipliers of least
// sum lambda_k^2/a_k; those that advance() adds up hold a times the rounding of r, and a times what contradictory rows leave of r.
void PenaltySystem::find_multipliers(Vector& vdot, Vector& lambda) {
  constexpr int most = 50;
  constexpr double tolerance = 1e-14;
  double previous = std::numeric_limits<double>::infinity();
  lambda.setZero();
  for (int k = 0; k < most; ++k) {
    solve_residual(vdot, lambda);
    r_.noalias() = P_ * d_;
    r_.array() *= a_.array();
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

std::string PenaltySystem::penalty_text() const {
  if (a_.size() == 0) return "no constraints";
  if (is_uniform_) return fmt::format("penalty {:.3g}", a_[0]);
  return fmt::format("penalties {:.3g} to {:.3g}", a_.minCoeff(), a_.maxCoeff());
}

void PenaltySystem::show(Exhibit& exhibit) const {
  const Matrix M(M_), P(P_), aP = a_.asDiagonal() * P;
  const char* source = "Jalon-Bayo (5.37), (5.47)";
  exhibit.add("a", "the penalties", source, a_, Axis::rows);
  exhibit.add("2 Omega mu", "gains of Phi', Omega mu of velocity-level rows", source, rate_gain_, Axis::rows);
  exhibit.add("Omega^2", "gains of Phi", source, position_gain_, Axis::rows);
  exhibit.add("M + P^T a P", "positive definite, without multipliers", source, M + P.transpose() * aP, Axis::velocities,
              Axis::velocities);
  exhibit.add("w", "-gamma + 2 Omega mu Phi' + Omega^2 Phi", source, w_, Axis::rows);
  exhibit.add("Q - P^T a w", "its right-hand side at lambda = 0", source, Q_ - aP.transpose() * w_, Axis::velocities);
}

}  // namespace bricard
