#include "integrators/dae/dae_newmark.h"

#include <algorithm>
#include <cmath>

namespace bricard {

NewmarkRule NewmarkRule::generalized_alpha(double spectral_radius) {
  const double alpha_m = (2 * spectral_radius - 1) / (spectral_radius + 1);
  const double alpha_f = spectral_radius / (spectral_radius + 1);
  const double gamma = 0.5 - alpha_m + alpha_f;
  return {alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

NewmarkRule NewmarkRule::hht(double spectral_radius) {
  const double alpha_f = (1 - spectral_radius) / (1 + spectral_radius);
  return {0, alpha_f, 0.25 * (1 + alpha_f) * (1 + alpha_f), 0.5 + alpha_f};
}

NewmarkStep::NewmarkStep(DaeEquations& dae, const NewmarkRule& rule, const Options& options)
    : dae_(dae),
      rule_(rule),
      options_(options),
      np_(dae.positions()),
      n_(dae.velocities()),
      rows_(dae.rows()),
      ns_(dae.states()),
      newton_(dae, options.newton),
      residual_([this](const Vector& q, const Vector& v, Vector& r) { return evaluate(q, v, r); }),
      exact_(1e-12 * std::max(1.0, newton_.length())) {
  for (Vector* vector :
       {&v0_, &a0_, &vdot0_, &jerk_, &earlier_vdot_, &a_start_, &D_, &v_, &a_, &vdot_, &r_, &f_, &dx_, &correction_})
    *vector = Vector::Zero(n_);
  for (Vector* vector : {&q0_, &q_, &q_trial_}) *vector = Vector::Zero(np_);
  for (Vector* vector : {&s0_, &sdot0_, &earlier_sdot_, &s_, &sdot_, &rates0_, &rates1_, &none_})
    *vector = Vector::Zero(ns_);
  for (Vector* vector : {&lambda0_, &lambda_, &g_, &dy_}) *vector = Vector::Zero(rows_);
  for (Vector* vector : {&x0_, &xdot0_, &x1_, &xdot1_}) *vector = Vector::Zero(np_ + n_ + ns_ + 1);
  one_ = Vector::Ones(ns_);
}

void NewmarkStep::start(double t, ConstVector x, ConstVector xdot, ConstVector lambda) {
  t0_ = t;
  x1_ = x, xdot1_ = xdot;
  q_ = x.head(np_), v_ = x.segment(np_, n_), s_ = x.segment(np_ + n_, ns_);
  a_ = vdot_ = xdot.segment(np_, n_), sdot_ = xdot.segment(np_ + n_, ns_);
  lambda_ = lambda;
  work_end_.start(t, xdot[xdot.size() - 1], x[x.size() - 1]);
  h_ = last_h_ = 0;
  dae_.forget();
  if (!newton_.has_patterns()) {
    // Unlike in a real motion, everything pulls at everything: a zero by chance would hide a coupling.
    s0_ = s_, sdot0_ = sdot_;
    vdot_.setOnes();
    lambda_.setOnes();
    newton_.find_patterns(residual_, q_, v_, lambda_, s_);
    vdot_ = a_, lambda_ = lambda, s_ = s0_;
  }
  accept();
  has_earlier_ = jerk_is_known_ = false;
  derivatives_are_due_ = true;
  rate_ = 1;
}

void NewmarkStep::accept() {
  has_earlier_ = last_h_ > 0;
  earlier_vdot_ = vdot0_, earlier_sdot_ = sdot0_;
  t0_ += h_, last_h_ = h_;
  q0_ = q_, v0_ = v_, a0_ = a_, vdot0_ = vdot_, s0_ = s_, sdot0_ = sdot_, lambda0_ = lambda_;
  x0_ = x1_, xdot0_ = xdot1_;
  work_ = work_end_;
  jerk_is_known_ = patterns_extended_ = false;
}

// --- one step ---

NewmarkStep::Outcome NewmarkStep::attempt(double h) {
  h_ = h;
  dae_.forget();
  // The time to which a belongs depends on the length of the step [Arnold, Bruels, Cardona, Numerische Mathematik 129
  // (2015) 149-179].
  if (jerk_is_known_)
    a_start_ = vdot0_ + rule_.shift() * h * jerk_;
  else if (last_h_ > 0)
    a_start_ = vdot0_ + h / last_h_ * (a0_ - vdot0_);
  else
    a_start_ = a0_;

  Outcome outcome = Outcome::diverged;
  for (;;) {
    const bool derivatives = derivatives_are_due_;
    predict();
    if (!evaluate(q_, v_, r_)) return Outcome::not_finite;
    if (derivatives && !newton_.linearize(residual_, q_, v_, vdot_, lambda_, s_)) return Outcome::not_finite;
    if (!newton_.factorize((1 - rule_.alpha_m) / (1 - rule_.alpha_f), rule_.gamma * h_, rule_.beta * h_ * h_))
      return Outcome::singular;
    outcome = iterate();
    if (outcome == Outcome::converged) {
      if (derivatives) fresh_rate_ = rate_;
      derivatives_are_due_ = rate_ > std::max(0.3, 3 * fresh_rate_);
      return outcome;
    }
    // Not with derivatives of another instant: with those of this one; then with what they may have missed.
    derivatives_are_due_ = true;
    if (!derivatives) continue;
    if (patterns_extended_) return outcome;
    patterns_extended_ = true;
    predict();
    if (!newton_.extend_patterns(residual_, q_, v_)) return outcome;
  }
}

void NewmarkStep::predict() {
  a_ = a_start_;
  lambda_ = lambda0_;
  if (has_earlier_) a_ += h_ / last_h_ * (vdot0_ - earlier_vdot_);
  set_kinematics();
}

void NewmarkStep::set_kinematics() {
  D_ = h_ * v0_ + h_ * h_ * ((0.5 - rule_.beta) * a_start_ + rule_.beta * a_);
  q_ = q0_;
  dae_.coordinates().advance(q_, D_);
  v_ = v0_ + h_ * ((1 - rule_.gamma) * a_start_ + rule_.gamma * a_);
  vdot_ = ((1 - rule_.alpha_m) * a_ + rule_.alpha_m * a_start_ - rule_.alpha_f * vdot0_) / (1 - rule_.alpha_f);
}

bool NewmarkStep::evaluate(const Vector& q, const Vector& v, Vector& r) {
  const double t = t0_ + h_;
  if (ns_ > 0) {
    // s = s0 + h/2 (s0' + s') with s' linear in s, component by component.
    dae_.evaluate_velocities(t, q, v);
    dae_.state_rates(lambda_, none_, rates0_);
    dae_.state_rates(lambda_, one_, rates1_);
    for (int k = 0; k < ns_; ++k)
      s_[k] = (s0_[k] + 0.5 * h_ * (sdot0_[k] + rates0_[k])) / (1 - 0.5 * h_ * (rates1_[k] - rates0_[k]));
  }
  if (!dae_.evaluate(t, q, v, s_)) return false;
  dae_.residual(vdot_, lambda_, s_, r);
  return r.allFinite();
}

NewmarkStep::Outcome NewmarkStep::iterate() {
  // Changes of velocities below this are rounding errors of positions.
  const double tolerance = std::max(options_.tolerance, 1e-14 * rule_.gamma / (rule_.beta * h_));
  double last = 0, rate = std::clamp(rate_, 0.05, 0.9);
  for (int k = 0;; ++k) {
    if (k > 0) {
      set_kinematics();
      if (!evaluate(q_, v_, r_)) return Outcome::not_finite;
      const double constraints = position_error();
      if (rate / (1 - rate) * last <= tolerance && constraints <= exact_) return Outcome::converged;
      // Near a singular position there is a direction in which the constraints pull so weakly that epsilon holds it.
      if (((k > 1 && rate > 0.8) || k >= options_.iterations) && last <= options_.tolerable_change &&
          constraints <= options_.tolerable_error)
        return Outcome::converged;
      if (k >= options_.iterations) return Outcome::diverged;
    }
    set_right_sides();
    const double accuracy = rows_ > 0 ? std::max(1e-3 * g_.lpNorm<Eigen::Infinity>(), 0.1 * exact_) : 0;
    ++iterations_;
    if (!newton_.solve(f_, g_, accuracy, dx_, dy_)) return Outcome::not_finite;
    const double size = velocity_change(dx_);
    if (k > 0 && last > 0) {
      rate_ = size / last;
      rate = std::clamp(rate_, 0.05, 0.9);
      const double at_best = std::pow(rate_, options_.iterations - k) * size;
      if (at_best > tolerance && size > std::max(1e3 * tolerance, options_.tolerable_change)) return Outcome::diverged;
    }
    take_increments();
    last = size;
  }
}

void NewmarkStep::set_right_sides() {
  f_ = -rule_.beta * h_ * h_ * r_;
  for (int row = 0; row < rows_; ++row)
    g_[row] = dae_.is_velocity_level(row) ? -rule_.beta * h_ / rule_.gamma * dae_.values().Phi_dot[row]
                                          : -dae_.values().Phi[row];
}

// q moved by dx is q0 moved by D + dD. For rotations dD is not dx; the difference is found to first order.
void NewmarkStep::take_increments() {
  const double square = rule_.beta * h_ * h_;
  D_ += dx_;
  q_trial_ = q0_;
  dae_.coordinates().advance(q_trial_, D_);
  dae_.coordinates().advance(q_, dx_);
  dae_.coordinates().difference(q_trial_, q_, correction_);
  a_ += (dx_ + correction_) / square;
  lambda_ += dy_ / square;
}

double NewmarkStep::position_error() const {
  double largest = 0;
  for (int row = 0; row < rows_; ++row)
    if (!dae_.is_velocity_level(row)) largest = std::max(largest, std::abs(dae_.values().Phi[row]));
  return largest;
}

// Of an increment of positions, relative to the velocities: small errors of positions are larger ones of velocities.
double NewmarkStep::velocity_change(const Vector& displacement) const {
  double largest = 0;
  for (int k = 0; k < n_; ++k)
    largest = std::max(largest, std::abs(displacement[k]) / (newton_.scales()[k] + std::abs(v_[k])));
  return rule_.gamma / (rule_.beta * h_) * largest;
}

// --- after the step ---

bool NewmarkStep::project_velocities() {
  if (rows_ == 0) return true;
  dae_.velocity_errors(v_, g_);
  g_ = -g_;
  if (!newton_.project(g_, 0.1 * exact_ * std::max(1.0, v_.lpNorm<Eigen::Infinity>()), dx_, dy_)) return false;
  v_ += dx_;
  return true;
}

bool NewmarkStep::project_accelerations() {
  if (rows_ == 0) return true;
  dae_.evaluate_velocities(t0_ + h_, q_, v_);
  const Equations& eq = dae_.values();
  g_ = eq.gamma;
  g_.noalias() -= eq.P * vdot_;
  if (!newton_.project(g_, 1e-3 * exact_ * std::max(1.0, vdot_.lpNorm<Eigen::Infinity>()), dx_, dy_)) return false;
  vdot_ += dx_;
  // What moves v' by dx are constraint forces: m M dx = -P^T dy.
  lambda_ += (1 - rule_.alpha_f) / (1 - rule_.alpha_m) * dy_;
  a_ = ((1 - rule_.alpha_f) * vdot_ + rule_.alpha_f * vdot0_ - rule_.alpha_m * a_start_) / (1 - rule_.alpha_m);
  return true;
}

void NewmarkStep::settle_multipliers() {
  // epsilon y = P x with (m M + ..) x = (P^T - F) (lambda - y): y is lambda without the part that loads nothing.
  if (rows_ == 0) return;
  newton_.loads(lambda_, f_);
  g_.setZero();
  if (newton_.solve_once(f_, g_, dx_, dy_)) lambda_ = dy_;
}

void NewmarkStep::finish() {
  dae_.state_rates(lambda_, s_, sdot_);
  const double power = dae_.power(lambda_);
  const int last = np_ + n_ + ns_;
  xdot1_.segment(np_, n_) = vdot_;
  xdot1_.segment(np_ + n_, ns_) = sdot_;
  xdot1_[last] = power;
  dae_.coordinates().position_rate(q_, v_, xdot1_.head(np_));
  x1_.head(np_) = q_;
  x1_.segment(np_, n_) = v_;
  x1_.segment(np_ + n_, ns_) = s_;
  work_end_ = work_;
  work_end_.add(t0_ + h_, power);
  x1_[last] = work_end_.at(t0_ + h_);
}

// Terms of Taylor's series that the rule gets wrong, with the derivatives of v' from differences:
//   positions (beta + shift/2 - 1/6) h^3 d(v')/dt,
//   velocities (1/6 - (1 - gamma) shift^2/2 - gamma (1 + shift)^2/2) h^3 d^2(v')/dt^2,
//   friction states h^3/12 d^2(s')/dt^2.
// Of velocities, vibrations too fast to be followed are filtered out with the Newton matrix,
// (m M + gamma h C + beta h^2 K) filtered = m M error  [after Hairer-Wanner, Solving ODEs II, IV.8 (8.20)].
double NewmarkStep::error(double tolerance) {
  const double shift = rule_.shift(), of_positions = std::abs(rule_.beta + 0.5 * shift - 1.0 / 6);
  const double of_velocities =
      std::abs(1.0 / 6 - 0.5 * (1 - rule_.gamma) * shift * shift - 0.5 * rule_.gamma * (1 + shift) * (1 + shift));
  const auto third = [this](double now, double start, double earlier) {
    return 2 * h_ * h_ * h_ * ((now - start) / h_ - (start - earlier) / last_h_) / (h_ + last_h_);
  };
  const Vector& scale = newton_.scales();
  double positions = 0, velocities = 0, states = 0;
  for (int k = 0; k < n_; ++k) positions += std::pow(of_positions * h_ * h_ * (a_[k] - a_start_[k]) / scale[k], 2);
  if (has_earlier_) {
    for (int k = 0; k < n_; ++k) correction_[k] = of_velocities * third(vdot_[k], vdot0_[k], earlier_vdot_[k]);
    f_.noalias() = (1 - rule_.alpha_m) / (1 - rule_.alpha_f) * (dae_.values().M * correction_);
    g_.setZero();
    if (!newton_.solve_once(f_, g_, dx_, dy_)) return std::numeric_limits<double>::infinity();
    for (int k = 0; k < n_; ++k) velocities += std::pow(dx_[k] / (scale[k] + std::abs(v_[k])), 2);
    for (int k = 0; k < ns_; ++k)
      states += std::pow(third(sdot_[k], sdot0_[k], earlier_sdot_[k]) / 12 / (1 + std::abs(s_[k])), 2);
  }
  return std::sqrt(std::max({positions / std::max(n_, 1), velocities / std::max(n_, 1), states / std::max(ns_, 1)})) /
         tolerance;
}

std::string NewmarkStep::cause(Outcome outcome) const {
  switch (outcome) {
    case Outcome::converged: return {};
    case Outcome::diverged: return "the implicit equations of the step do not converge";
    case Outcome::singular: return "the matrix of the implicit equations is singular";
    case Outcome::not_finite: break;
  }
  return dae_.values().Q.allFinite() ? "the implicit equations of the step have no finite solution" : dae_.failure();
}

}  // namespace bricard
