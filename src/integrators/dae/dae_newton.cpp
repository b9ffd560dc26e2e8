#include "integrators/dae/dae_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "system/typical_inertia.h"

namespace bricard {

namespace {

// Relative to the largest term of P (m M)^-1 P^T: what redundant rows need, and no more. Measured on Bricard's linkage
// (redundant: steps get shorter below 1e-11) and the slider-crank with equal lengths (stops above 1e-10).
constexpr double smallest_epsilon = 1e-10;
// k times the penalty, relative to the largest mass. With less, multipliers take too many iterations to follow, and at
// singular positions the branch may be lost (n-four-bar with a step of 1 ms: below 1e4).
constexpr double smallest_penalty = 1e6;
constexpr int most_augmentations = 100;
const double relative_increment = std::sqrt(std::numeric_limits<double>::epsilon());

}  // namespace

DaeNewton::DaeNewton(DaeEquations& dae, const Options& options)
    : dae_(dae),
      options_(options),
      n_(dae.velocities()),
      rows_(dae.rows()),
      dense_(n_ <= options.largest_dense),
      length_(dae.system().model().characteristic_length()),
      scale_(n_),
      inertia_(typical_inertia(dae.system())),
      tangent_(dae.system()),
      K_(n_, n_),
      C_(n_, n_),
      F_(n_, rows_),
      velocity_increments_(n_),
      multiplier_increments_(rows_),
      q_(dae.positions()),
      v_(n_),
      r_(n_),
      g_(rows_),
      y_(rows_),
      dx_(n_),
      dy_(rows_),
      lambda_(rows_) {
  for (int k = 0; k < n_; ++k) scale_[k] = dae.coordinates().is_rotation(k) ? 1 : length_;
  position_increments_ = relative_increment * scale_;
}

DaeMatrix::Terms DaeNewton::terms(double m, double c, double k) const {
  return {dae_.values().M, m, C(), c, K(), k, dae_.values().P, F_.values(), epsilon_};
}

// --- derivatives ---

DifferenceJacobian::Function DaeNewton::of_positions(const Residual& residual, const Vector& q, const Vector& v) {
  return [this, &residual, &q, &v](const Vector& displacement, Vector& r) {
    q_ = q;
    dae_.coordinates().advance(q_, displacement);
    return residual(q_, v, r);
  };
}

DifferenceJacobian::Function DaeNewton::of_velocities(const Residual& residual, const Vector& q, const Vector& v) {
  return [this, &residual, &q, &v](const Vector& displacement, Vector& r) {
    v_ = v + displacement;
    return residual(q, v_, r);
  };
}

DifferenceJacobian::Function DaeNewton::of_multipliers(const Vector& lambda, const Vector& states) {
  return [this, &lambda, &states](const Vector& displacement, Vector& Q) {
    lambda_ = lambda + displacement;
    dae_.friction(lambda_, states, Q);
    return true;
  };
}

void DaeNewton::set_increments(const Vector& v, const Vector& lambda) {
  velocity_increments_ = position_increments_ + relative_increment * v.cwiseAbs();
  const double largest = rows_ > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0;
  multiplier_increments_.setConstant(relative_increment * (largest > 0 ? largest : 1));
}

bool DaeNewton::linearize(const Residual& residual, const Vector& q, const Vector& v, const Vector& vdot,
                          const Vector& lambda, const Vector& states) {
  ++linearizations_;
  if (tangent_.exact()) {
    if (!residual(q, v, r_)) return false;
    tangent_.update(dae_.values().t, vdot, lambda);
    return true;
  }
  set_increments(v, lambda);
  if (!K_.evaluate(of_positions(residual, q, v), position_increments_)) return false;
  if (!C_.evaluate(of_velocities(residual, q, v), velocity_increments_)) return false;
  if (!residual(q, v, r_)) return false;
  return !dae_.system().friction_depends_on_load() ||
         F_.evaluate(of_multipliers(lambda, states), multiplier_increments_);
}

bool DaeNewton::detect(const Residual& residual, const Vector& q, const Vector& v) {
  velocity_increments_ = position_increments_ + relative_increment * v.cwiseAbs();
  return K_.detect(of_positions(residual, q, v), position_increments_) &&
         C_.detect(of_velocities(residual, q, v), velocity_increments_);
}

void DaeNewton::find_patterns(const Residual& residual, const Vector& q, const Vector& v, const Vector& lambda,
                              const Vector& states) {
  Vector q_near = q, v_near = v, lambda_near = lambda;
  if (tangent_.has_pattern()) {
    const SparseColumns& pattern = tangent_.K();
    for (int column = 0; column < n_ && !tangent_.exact(); ++column)
      for (SparseColumns::InnerIterator entry(pattern, column); entry; ++entry) {
        K_.add(static_cast<int>(entry.row()), column);
        C_.add(static_cast<int>(entry.row()), column);
      }
  } else if (dense_) {
    K_.add_all(), C_.add_all();
  } else {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Vector displacement(n_);
    for (int k = 0; k < n_; ++k) {
      displacement[k] = 1e-3 * scale_[k] * uniform(generator);
      v_near[k] += scale_[k] * uniform(generator);
    }
    for (int row = 0; row < rows_; ++row) lambda_near[row] += uniform(generator);
    dae_.coordinates().advance(q_near, displacement);
    if (!detect(residual, q_near, v_near) && !detect(residual, q, v)) K_.add_all(), C_.add_all();
    for (int k = 0; k < n_; ++k) K_.add(k, k), C_.add(k, k);
    const SparseRows& P = dae_.values().P;
    for (int row = 0; row < rows_; ++row)
      for (SparseRows::InnerIterator one(P, row); one; ++one)
        for (SparseRows::InnerIterator other(P, row); other; ++other)
          K_.add(static_cast<int>(one.col()), static_cast<int>(other.col()));
  }
  if (dae_.system().friction_depends_on_load()) {
    if (dense_) {
      F_.add_all();
    } else if (tangent_.has_pattern()) {
      add_friction_pattern();
    } else {
      residual(q_near, v_near, r_);
      set_increments(v, lambda_near);
      F_.detect(of_multipliers(lambda_near, states), multiplier_increments_);
    }
  }
  F_.freeze();
  build_matrix();
}

void DaeNewton::add_friction_pattern() {
  const System& system = dae_.system();
  std::vector<int> columns;
  for (int element = 0; element < system.friction().size(); ++element) {
    const int joint = system.friction().joint(element);
    const int signal = system.joint_coordinates()[joint][system.friction().coordinate(element)];
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    for (int e = 0; e < system.signals().entries(signal); ++e) {
      system.coordinates().columns(system.markers().list[system.signals().markers_of(signal)[e]], columns);
      for (int column : columns)
        for (int row = first; row < last; ++row) F_.add(column, row);
    }
  }
}

bool DaeNewton::extend_patterns(const Residual& residual, const Vector& q, const Vector& v) {
  if (dense_ || tangent_.has_pattern()) return false;
  const Eigen::Index before = K_.values().nonZeros() + C_.values().nonZeros();
  if (!detect(residual, q, v)) return false;
  build_matrix();
  return K_.values().nonZeros() + C_.values().nonZeros() > before;
}

void DaeNewton::build_matrix() {
  K_.freeze(), C_.freeze();
  matrix_ = std::make_unique<DaeMatrix>(terms(1, 1, 1), dense_);
}

// --- solutions ---

bool DaeNewton::factorize(double m, double c, double k) {
  const Equations& eq = dae_.values();
  double largest_mass = 0, typical = 0;
  for (int j = 0; j < n_; ++j) largest_mass = std::max(largest_mass, eq.M.coeff(j, j));
  for (int row = 0; row < rows_; ++row)
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
      const double mass = eq.M.coeff(entry.col(), entry.col()) + metric_part * inertia_[entry.col()];
      typical = std::max(typical, entry.value() * entry.value() / (m * mass));
    }
  if (typical == 0) typical = 1 / (m * std::max(largest_mass, std::numeric_limits<double>::min()));  // no row binds
  const double penalty = options_.penalty * (options_.penalty_is_relative ? largest_mass : 1);
  epsilon_ = penalty > 0 ? 1 / std::max(k * penalty, smallest_penalty * largest_mass) : smallest_epsilon * typical;
  factor_m_ = m, factor_c_ = c, factor_k_ = k;
  return matrix_->factorize(terms(m, c, k));
}

bool DaeNewton::solve(const Vector& f, const Vector& g, double accuracy, Vector& x, Vector& y) {
  if (!matrix_->solve(f, g, x, y)) return false;
  if (options_.penalty == 0 || rows_ == 0) return true;
  // P x - epsilon y = g - epsilon (y before): what is missing is epsilon times the change of y.
  double missing = epsilon_ * y.lpNorm<Eigen::Infinity>();
  for (int k = 0; k < most_augmentations && missing > accuracy; ++k) {
    y_ = y;
    g_ = g - epsilon_ * y_;
    if (!matrix_->solve(f, g_, x, y)) return false;
    const double now = epsilon_ * (y - y_).lpNorm<Eigen::Infinity>();
    if (now > 0.99 * missing) break;  // a direction in which the rows do not bind
    missing = now;
  }
  return true;
}

// The factorised matrix has epsilon, friction, and P of an earlier iteration in it; the residual has not. A projection
// in a direction that is off by a fixed angle would lower the order of the method.
bool DaeNewton::project(const Vector& g, double accuracy, Vector& x, Vector& y) {
  const Equations& eq = dae_.values();
  x.setZero();
  y.setZero();
  g_ = g;
  r_.setZero();
  double first = 0, last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_augmentations; ++k) {
    if (!matrix_->solve(r_, g_, dx_, dy_)) return false;
    x += dx_;
    y += dy_;
    r_.noalias() = -factor_m_ * (eq.M * x);
    r_.noalias() -= factor_c_ * (C() * x);
    r_.noalias() -= factor_k_ * (K() * x);
    r_.noalias() -= eq.P.transpose() * y;
    g_ = g;
    g_.noalias() -= eq.P * x;
    const double size = dx_.cwiseQuotient(scale_).lpNorm<Eigen::Infinity>(), missing = g_.lpNorm<Eigen::Infinity>();
    if (k == 0) first = size;
    if (missing <= accuracy && size <= 1e-4 * first) break;
    if (size > 0.99 * last) break;  // a direction in which the rows do not bind
    last = size;
  }
  return x.allFinite();
}

}  // namespace bricard
