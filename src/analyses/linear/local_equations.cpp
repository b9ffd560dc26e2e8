#include "analyses/linear/local_equations.h"

#include <cmath>

#include "dynamics/friction_solver.h"
#include "system/typical_inertia.h"

namespace bricard {

LocalEquations::LocalEquations(System& system, const NamedCoordinates& named, double t, ConstVector q, ConstVector v,
                               ConstVector states)
    : system_(system),
      named_(named),
      t_(t),
      q_(q),
      v_(v),
      states_(states),
      eq_(system.empty_equations()),
      metric_(typical_inertia(system)),
      a_(Vector::Zero(v.size())),
      lambda_(Vector::Zero(system.row_count())),
      Q_(v.size()),
      M_(v.size(), v.size()),
      P_(system.row_count(), v.size()),
      length_(system.model().characteristic_length()) {
  system_.evaluate(t_, q_, v_, states_, Upto::dynamics, eq_);
  eq_.dense_mass(M_);
  eq_.dense_jacobian(P_);
  stacked_.resize(row_count(), v_.size());
  stacked_ << P_, named_.gradients(system_);
  if (!eq_.Q.allFinite()) {
    const std::string name = system_.force_without_value();
    failure_ = name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number";
    return;
  }
  rows_ = ConstraintInverse(P_, metric_);
  solve();
  if (!ok()) return;
  pace_ = std::max(size_of(v_), std::sqrt(size_of(a_)));
  packed_.resize(packed_size());
  evaluate(t_, q_, v_, states_, lambda_, packed_);
  terms_ = Vector::Zero(packed_size());
  terms_.segment(force_at(), v_.size()) =
      Q_.cwiseAbs() + M_.cwiseAbs() * a_.cwiseAbs() + P_.cwiseAbs().transpose() * lambda_.cwiseAbs();
}

// a = P^+ gamma + Y u,  Y^T M Y u = Y^T (Q - M P^+ gamma),  lambda = (P^+)^T (Q - M a).
void LocalEquations::solve() {
  const Matrix &Y = rows_.null(), &inverse = rows_.inverse();
  Eigen::FullPivLU<Matrix> mass;
  if (Y.cols() > 0) {
    mass.setThreshold(1e-13);
    mass.compute(Matrix(Y.transpose() * M_ * Y));
    if (!mass.isInvertible()) {
      failure_ = "the accelerations are not determined: a motion has neither inertia nor a constraint";
      return;
    }
  }
  const Vector forced = inverse * eq_.gamma;
  FrictionSolver friction(system_);
  const Status status = friction.settle(eq_, states_, lambda_, [&](const Vector& Q) {
    a_ = forced;
    if (Y.cols() > 0) a_ += Y * Vector(mass.solve(Vector(Y.transpose() * (Q - M_ * forced))));
    lambda_ = inverse.transpose() * (Q - M_ * a_);
    return Status::ok;
  });
  Q_ = friction.is_needed() ? friction.Q() : eq_.Q;
  if (status != Status::ok) failure_ = friction.failure();
}

void LocalEquations::evaluate(double t, ConstVector q, ConstVector v, ConstVector states, ConstVector lambda,
                              VectorRef packed) {
  const int m = constraints(), named = named_.size(), n = static_cast<int>(v_.size());
  system_.evaluate(t, q, v, states, Upto::dynamics, eq_);
  packed.head(m) = eq_.Phi_dot;
  packed.segment(curvature_at(), m) = eq_.gamma - eq_.P * a_;
  if (named > 0) {
    named_.rates(system_, v, packed.segment(m, named));
    Vector bias(named);
    named_.biases(system_, bias);
    packed.segment(curvature_at() + m, named) = -bias - named_.gradients(system_) * a_;
  }
  system_.add_friction(lambda, states, eq_, Q_);
  packed.segment(force_at(), n) = Q_ - eq_.M * a_ - eq_.P.transpose() * lambda_;
  if (states.size() > 0) system_.state_rates(lambda, states, packed.tail(states.size()));
}

double LocalEquations::size_of(const Vector& v) const {
  double size = 0;
  for (int k = 0; k < v.size(); ++k)
    size = std::max(size, std::abs(v[k]) / (system_.coordinates().is_rotation(k) ? 1 : length_));
  return size;
}

namespace {

LocalEquations::Derivatives differentiate(const Vector& terms, int columns,
                                          const std::function<double(int)>& first_step,
                                          const std::function<void(int, double, VectorRef)>& f) {
  const int size = static_cast<int>(terms.size());
  LocalEquations::Derivatives result{Matrix::Zero(size, columns), Matrix::Zero(size, columns)};
  Romberg romberg(size, terms);
  for (int k = 0; k < columns; ++k) {
    const double step = first_step(k);
    if (step == 0) continue;  // no direction
    result.value.col(k) = romberg.differentiate([&](double s, VectorRef value) { f(k, s, value); }, step);
    result.error.col(k) = romberg.error();
  }
  return result;
}

}  // namespace

LocalEquations::Derivatives LocalEquations::along_displacements(const Matrix& directions) {
  Vector q(q_.size());
  return differentiate(
      terms_, static_cast<int>(directions.cols()), [&](int k) { return displacement_step(size_of(directions.col(k))); },
      [&](int k, double s, VectorRef value) {
        q = q_;
        system_.coordinates().advance(q, s * directions.col(k));
        evaluate(t_, q, v_, states_, lambda_, value);
      });
}

LocalEquations::Derivatives LocalEquations::along_velocities(const Matrix& directions) {
  // Large steps lose no digits: as fast as the forces that act, balanced or not, would make it.
  const double gravity = system_.model().gravity.norm() / length_;
  const double accelerations = size_of((M_ * a_ + P_.transpose() * lambda_).cwiseQuotient(metric_));
  double pace = std::max(pace_, std::sqrt(std::max(gravity, accelerations)));
  if (pace == 0) pace = 1;
  return differentiate(
      terms_, static_cast<int>(directions.cols()),
      [&](int k) {
        const double size = size_of(directions.col(k));
        return size > 0 ? power_of_two_below(pace / size) : 0.0;
      },
      [&](int k, double s, VectorRef value) { evaluate(t_, q_, v_ + s * directions.col(k), states_, lambda_, value); });
}

LocalEquations::Derivatives LocalEquations::along_states() {
  const double step = power_of_two_below(std::max(1.0, states_.size() > 0 ? states_.lpNorm<Eigen::Infinity>() : 0));
  Vector states(states_.size());
  return differentiate(
      terms_, static_cast<int>(states_.size()), [&](int) { return step; },
      [&](int k, double s, VectorRef value) {
        states = states_;
        states[k] += s;
        evaluate(t_, q_, v_, states, lambda_, value);
      });
}

LocalEquations::Derivatives LocalEquations::along_multipliers() {
  const double size = lambda_.size() > 0 ? lambda_.lpNorm<Eigen::Infinity>() : 0;
  Vector lambda(lambda_.size());
  return differentiate(
      terms_, constraints(), [&](int) { return power_of_two_below(size > 0 ? size / 8 : 1); },
      [&](int k, double s, VectorRef value) {
        lambda = lambda_;
        lambda[k] += s;
        evaluate(t_, q_, v_, states_, lambda, value);
      });
}

Matrix LocalEquations::jacobian_derivative(const Vector& displacement, const Vector& dv, double dt) {
  Matrix result = Matrix::Zero(P_.rows(), P_.cols());
  const double size = std::max(size_of(displacement), pace_ > 0 ? size_of(dv) / pace_ : 0);
  if (P_.rows() == 0 || (size == 0 && dt == 0)) return result;
  Romberg romberg(static_cast<int>(eq_.P.nonZeros()));
  Vector q(q_.size());
  const Vector& values = romberg.differentiate(
      [&](double s, VectorRef value) {
        q = q_;
        system_.coordinates().advance(q, s * displacement);
        system_.evaluate(t_ + s * dt, q, v_ + s * dv, states_, Upto::velocities, eq_);
        value = Eigen::Map<const Vector>(eq_.P.valuePtr(), eq_.P.nonZeros());
      },
      displacement_step(size));
  int place = 0;
  for (int row = 0; row < eq_.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry, ++place) result(row, entry.col()) = values[place];
  }
  return result;
}

}  // namespace bricard
