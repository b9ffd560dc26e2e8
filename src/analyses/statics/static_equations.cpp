#include "analyses/statics/static_equations.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analyses/assembly/least_norm_newton.h"

namespace bricard {
namespace {

constexpr double displacement_increment = 1e-5;  // of displacements without units: truncation 1e-10, rounding 1e-11

}  // namespace

StaticEquations::StaticEquations(System& system, const Vector& q, unsigned seed)
    : system_(system),
      n_(system.velocity_size()),
      m_(system.row_count()),
      length_(system.model().characteristic_length()),
      scale_(n_),
      row_length_(Vector::Ones(m_)),
      eq_(system.empty_equations()),
      no_velocity_(Vector::Zero(n_)),
      no_states_(Vector::Zero(system.state_size())),
      b_(Vector::Zero(n_)),
      Phi_(Vector::Zero(m_)),
      trial_(q),
      increments_(Vector::Constant(n_, displacement_increment)),
      Ps_(system.empty_equations().P),
      identity_(n_, n_),
      jacobian_(n_, n_),
      displacement_(n_),
      multipliers_(m_) {
  for (int k = 0; k < n_; ++k) scale_[k] = system.coordinates().is_rotation(k) ? 1 : length_;
  identity_.setIdentity();
  rows_solver_ = std::make_unique<KktSolver>(identity_, Ps_);

  evaluate(q);
  for (int row = 0; row < m_; ++row) {
    const double size = Ps_.row(row).norm();
    if (size > 0) row_length_[row] = size;
  }
  double mass = 0;
  for (const Body& body : system.model().bodies) mass += body.mass;
  mass /= static_cast<double>(std::max<std::size_t>(system.model().bodies.size(), 1));
  force_ = mass * system.model().gravity.norm();
  if (b_.allFinite() && n_ > 0) force_ = std::max(force_, b_.lpNorm<Eigen::Infinity>() / length_);
  if (force_ == 0) force_ = 1;
  find_pattern(q, seed);
  // Springs at rest without gravity: their stiffness is all there is.
  if (tangent(q, Vector::Zero(m_)) && b_.isZero(0) && system.model().gravity.isZero() && largest_stiffness() > 0)
    force_ *= largest_stiffness();
  evaluate(q);
}

void StaticEquations::advance(Vector& q, const Vector& u) const {
  system_.coordinates().advance(q, scale_.cwiseProduct(u));
}

Vector StaticEquations::difference(const Vector& q0, const Vector& q1) const {
  Vector u(n_);
  system_.coordinates().difference(q0, q1, u);
  return u.cwiseQuotient(scale_);
}

bool StaticEquations::evaluate(const Vector& q) {
  system_.evaluate(0, q, no_velocity_, no_states_, Upto::forces, eq_);
  b_ = scale_.cwiseProduct(eq_.Q) / (force_ * length_);
  Phi_ = eq_.Phi.cwiseQuotient(row_length_);
  const double* from = eq_.P.valuePtr();
  double* to = Ps_.valuePtr();
  for (int row = 0; row < m_; ++row) {
    for (int k = Ps_.outerIndexPtr()[row]; k < Ps_.outerIndexPtr()[row + 1]; ++k)
      to[k] = from[k] * scale_[Ps_.innerIndexPtr()[k]] / row_length_[row];
  }
  return b_.allFinite() && Phi_.allFinite() &&
         std::all_of(to, to + Ps_.nonZeros(), [](double value) { return std::isfinite(value); });
}

void StaticEquations::multipliers(Vector& mu) {
  mu.setZero(m_);
  if (!rows_solver_->factorize(identity_, Ps_, Vector(), row_relaxation)) return;
  // The second time, for what the relaxation has left.
  Vector rest = b_;
  for (int pass = 0; pass < 2; ++pass) {
    if (!rows_solver_->solve(rest, Vector::Zero(m_), displacement_, multipliers_)) return;
    mu += multipliers_;
    rest.noalias() -= Ps_.transpose() * multipliers_;
  }
}

bool StaticEquations::close(Vector& q) {
  if (m_ == 0) return evaluate(q);
  const double error = least_norm_newton(
      q, {.tolerance = 1e-13, .iterations = 30, .stalled = 1},
      [&](const Vector& place) { return evaluate(place) ? Phi_.lpNorm<Eigen::Infinity>() : INFINITY; },
      [&]() -> double {
        if (!rows_solver_->factorize(identity_, Ps_, Vector(), row_relaxation) ||
            !rows_solver_->solve(Vector::Zero(n_), -Phi_, displacement_, multipliers_))
          return INFINITY;
        const double length = displacement_.lpNorm<Eigen::Infinity>();
        return length > 1 ? INFINITY : length;  // not near
      },
      [&](Vector& place, double factor) { advance(place, factor * displacement_); });
  return error <= 1e-9;
}

DifferenceJacobian::Function StaticEquations::residual_near(const Vector& q, const Vector& mu) {
  return [this, &q, &mu](const Vector& u, Vector& r) {
    trial_ = q;
    advance(trial_, u);
    const bool exists = evaluate(trial_);
    r = -b_;
    r.noalias() += Ps_.transpose() * mu;
    return exists;
  };
}

/// At a position nearby with loads in all rows, so that no zero by chance hides a coupling; and at the start itself.
void StaticEquations::find_pattern(const Vector& q, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector away(n_), mu(m_);
  for (const double size : {1e-2, 0.0}) {
    for (double& component : away) component = size * uniform(generator);
    for (double& component : mu) component = uniform(generator);
    Vector point = q;
    advance(point, away);
    if (!jacobian_.detect(residual_near(point, mu), increments_) && size == 0) jacobian_.add_all();
  }
  jacobian_.freeze();
  // Both triangles of what is there, and the diagonal: the descent works with the symmetric part.
  const SparseColumns found = jacobian_.values();
  for (int column = 0; column < n_; ++column) {
    jacobian_.add(column, column);
    for (SparseColumns::InnerIterator entry(found, column); entry; ++entry)
      jacobian_.add(column, static_cast<int>(entry.row()));
  }
  jacobian_.freeze();
}

bool StaticEquations::tangent(const Vector& q, const Vector& mu) {
  const DifferenceJacobian::Function residual = residual_near(q, mu);
  const bool forwards = jacobian_.evaluate(residual, increments_);
  H_ = jacobian_.values();
  const bool backwards = jacobian_.evaluate(residual, -increments_);
  if (forwards && backwards) {
    H_ = 0.5 * (H_ + jacobian_.values());
  } else if (backwards) {
    H_ = jacobian_.values();
  }
  return evaluate(q) && (forwards || backwards);
}

double StaticEquations::largest_stiffness() const { return H_.nonZeros() == 0 ? 0 : H_.coeffs().abs().maxCoeff(); }

double StaticEquations::noise(const Vector& mu) const {
  return 2e-14 * (1 + largest_stiffness() + (m_ > 0 ? mu.lpNorm<Eigen::Infinity>() : 0));
}

}  // namespace bricard
