#include "analyses/statics/static_descent.h"

#include <algorithm>
#include <cmath>

#include "linear/sparse_ldlt.h"

namespace bricard {
namespace {

constexpr int most_steps = 2000;
constexpr double at_rest = 1e-8;        // largest unbalanced load that is left to Newton's method
constexpr double newton_region = 1e-3;  // steps without sigma that are shorter than this, rad or lengths
constexpr double no_step = 1e-13;
constexpr double far_away = 1e5;      // characteristic lengths
constexpr double far_turned = 500;    // rad
constexpr double longest_turn = 0.5;  // rad, in one step
constexpr double longest_move = 0.5;  // of the way already gone and one length, in one step
constexpr double rows_weight = 1e6;   // of the rows against the largest stiffness

class Downhill {
 public:
  Downhill(StaticEquations& equations, const Vector& start)
      : equations_(equations), n_(equations.displacements()), q_(start), nothing_(Vector::Zero(equations.rows())) {}

  Descent run() {
    Descent result;
    const bool exists = equations_.close(q_);
    while (exists && result.steps < most_steps) {
      equations_.accept();
      equations_.multipliers(mu_);
      if (!equations_.tangent(q_, mu_)) break;
      r_ = equations_.b();
      r_.noalias() -= equations_.Ps().transpose() * mu_;
      if (n_ == 0 || r_.lpNorm<Eigen::Infinity>() <= std::max(at_rest, 10 * equations_.noise(mu_))) {
        result.end = DescentEnd::at_rest;
        break;
      }
      if (travelled_ > far_away || turned_ > far_turned) {
        result.end = DescentEnd::runs_away;
        break;
      }
      if (!step()) break;
      ++result.steps;
      if (near_) {
        result.end = DescentEnd::at_rest;
        break;
      }
    }
    result.q = q_;
    result.mu = mu_;
    result.unbalanced = r_;
    return result;
  }

 private:
  bool step() {
    const SparseColumns H = 0.5 * (equations_.H() + SparseColumns(equations_.H().transpose()));
    const SparseRows Ps = equations_.Ps();
    const Vector b = equations_.b();
    const double stiffness = std::max(equations_.largest_stiffness(), 1e-3 * r_.lpNorm<Eigen::Infinity>());
    const SparseColumns penalty =
        (rows_weight * std::max(stiffness, 1.0)) * SparseColumns(SparseColumns(Ps.transpose()) * Ps);
    if (!solver_) solver_ = std::make_unique<KktSolver>(H, Ps);

    Vector p(n_), ignored(Ps.rows()), trial;
    if (sigma_ < 1e-10 * stiffness) sigma_ = 0;
    for (int attempt = 0; attempt < 60; ++attempt, sigma_ = std::max(4 * sigma_, 1e-4 * stiffness)) {
      if (!is_positive(H + penalty)) continue;
      const Vector shift = Vector::Constant(n_, sigma_);
      if (!solver_->factorize(H, Ps, shift, row_relaxation) || !solver_->solve(r_, nothing_, p, ignored)) continue;
      const double factor = allowed(p);
      p *= factor;
      trial = q_;
      equations_.advance(trial, p);
      if (!equations_.close(trial)) continue;
      const double expected = r_.dot(p) - 0.5 * p.dot(H * p);
      const Vector way = equations_.difference(q_, trial);
      const double work = 0.5 * (b + equations_.b()).dot(way);
      if (!(work > 0.05 * std::min(expected, r_.dot(p))) || !(r_.dot(p) > 0)) continue;
      travel(way);
      q_ = trial;
      const double size = p.lpNorm<Eigen::Infinity>();
      const bool small = factor == 1 && size < newton_region;
      near_ = (small && sigma_ == 0) || size < no_step;
      if (small)
        sigma_ = 0;  // if that is still downhill
      else if (factor == 1 && work < 2 * expected)
        sigma_ /= work > 0.5 * expected ? 10 : 2;
      return true;
    }
    equations_.evaluate(q_);
    return false;
  }

  bool is_positive(SparseColumns A) {
    for (int k = 0; k < n_; ++k) A.coeffRef(k, k) += sigma_;
    return SparseLdlt(A).least_pivot() > 0;
  }

  /// The part of the step that stays near.
  double allowed(const Vector& p) const {
    const Coordinates& coordinates = equations_.system().coordinates();
    double turn = 1e-300, move = 1e-300;
    for (int k = 0; k < n_; ++k) {
      double& largest = coordinates.is_rotation(k) ? turn : move;
      largest = std::max(largest, std::abs(p[k]));
    }
    return std::min({1.0, longest_turn / turn, longest_move * (1 + travelled_) / move});
  }

  void travel(const Vector& way) {
    const Coordinates& coordinates = equations_.system().coordinates();
    double turn = 0, move = 0;
    for (int k = 0; k < n_; ++k) {
      double& largest = coordinates.is_rotation(k) ? turn : move;
      largest = std::max(largest, std::abs(way[k]));
    }
    turned_ += turn;
    travelled_ += move;
  }

  StaticEquations& equations_;
  int n_;
  Vector q_, mu_, r_, nothing_;
  double sigma_ = 0, travelled_ = 0, turned_ = 0;
  bool near_ = false;  // Newton's method will not go elsewhere
  std::unique_ptr<KktSolver> solver_;
};

}  // namespace

Descent descend(StaticEquations& equations, const Vector& start) { return Downhill(equations, start).run(); }

}  // namespace bricard
