#include "motions/closing_motion.h"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/exhibit.h"
#include "motions/hermite.h"
#include "motions/work_scale.h"

namespace bricard {

ClosingMotion::ClosingMotion(System& system, const FormulationOptions& options)
    : MatrixMotion(system),
      graph_(system),
      options_(options),
      needs_multipliers_(!system.model().motions.empty() || system.friction_depends_on_load() || states_ > 0),
      force_(velocities_) {}

// --- the choice ---

ClosingSets ClosingMotion::sets(ConstVector q) {
  FormulationOptions options = options_;
  options.independent = {}, options.selection = "gauss";
  Partition partition(eq_, options);
  if (!partition.choose(eq_)) return {};
  return closing_sets(system_, graph_, eq_, partition.R(), q);
}

bool ClosingMotion::take(const std::vector<int>& coordinates, double t, ConstVector q) {
  auto conditions = std::make_unique<ClosingConditions>(system_, graph_, coordinates);
  if (!conditions->problem().empty() || !conditions->begin(t, q)) return false;
  FormulationOptions options = options_;
  const int F = static_cast<int>(coordinates.size());
  options.independent.setZero(F, velocities_);
  for (int k = 0; k < F; ++k) options.independent(k, coordinates[k]) = 1;
  if (F == 0) options.selection = "gauss";
  auto rows = std::make_unique<Partition>(eq_, options);
  if (!rows->choose(eq_, F)) return false;
  conditions_ = std::move(conditions), rows_ = std::move(rows);
  chosen_regularity_ = conditions_->regularity();
  zddot_.setZero(F), right_.setZero(F);
  MD_.resize(velocities_, F), reduced_.resize(F, F);
  if (F > 0) reduced_factor_.compute(Matrix::Identity(F, F));  // allocates now what later evaluations use
  return true;
}

bool ClosingMotion::begin(double t, ConstVector q, ConstVector v) {
  if (!graph_.problem.empty()) return false;
  system_.evaluate(t, q, v, Vector::Zero(states_), Upto::dynamics, eq_);
  const auto candidates = choose(q);
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const std::vector<int>& coordinates) { return take(coordinates, t, q); });
}

/// Sets in the order in which they are to be tried; those by hand and of other selections are alone.
std::vector<std::vector<int>> ClosingMotion::choose(ConstVector q) {
  if (options_.independent.rows() > 0) return {coordinates_of(options_.independent)};
  if (options_.selection != "projective") {
    Partition partition(eq_, options_);
    if (!partition.choose(eq_)) return {};
    return {partition.coordinates()};
  }
  std::vector<std::vector<int>> candidates;
  for (const ClosingSet& set : sets(q).admissible) candidates.push_back(set.coordinates);
  return candidates;
}

bool ClosingMotion::renew(double t, VectorRef x) {
  constexpr double worn = 0.1;
  const bool is_free = options_.independent.rows() == 0 && !options_.keep_partition;
  if (!is_free || unpack(t, x, q_, v_) != Status::ok) return false;
  if (conditions_->regularity() > worn * chosen_regularity_) return false;
  system_.evaluate(t, q_, v_, Vector::Zero(states_), Upto::dynamics, eq_);
  const auto candidates = choose(q_);
  if (candidates.empty() || candidates.front() == conditions_->independent()) return false;
  if (!take(candidates.front(), t, q_)) return false;
  ++switches_;
  const Vector rest = x.tail(states_ + 1);
  pack(t, q_, v_, x);
  x.tail(states_ + 1) = rest;
  return true;
}

// --- states ---

void ClosingMotion::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  system_.evaluate(t, q, v, Vector::Zero(states_), Upto::velocities, eq_);
  if (!conditions_->begin(t, q)) failure_ = conditions_->failure();
  x.setZero();
  for (int k = 0; k < freedoms(); ++k) {
    x[k] = q[conditions_->independent()[k]];
    x[freedoms() + k] = v[conditions_->independent()[k]];
  }
}

Status ClosingMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  if (!conditions_->find_positions(t, x.head(freedoms()), q) || !conditions_->find_rates()) {
    failure_ = conditions_->failure();
    return Status::failed;
  }
  conditions_->find_velocities(x.segment(freedoms(), freedoms()), v);
  return v.allFinite() ? Status::ok : Status::failed;
}

bool ClosingMotion::accept(double t, ConstVector x) {
  if (!MatrixMotion::accept(t, x)) return false;
  conditions_->accept();
  return true;
}

StepChange ClosingMotion::after_step(double t, VectorRef x) {
  return accept(t, x) ? StepChange::none : StepChange::failed;
}

// --- equations ---

Status ClosingMotion::solve(const Vector& Q) {
  force_ = Q;
  force_.noalias() -= eq_.M * conditions_->xi();
  right_.noalias() = conditions_->DT().transpose() * force_;
  zddot_ = right_;
  if (freedoms() > 0) reduced_factor_.solveInPlace(zddot_);
  vdot_ = conditions_->xi();
  vdot_.noalias() += conditions_->DT() * zddot_;
  if (!vdot_.allFinite()) {
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }
  if (!find_multipliers_) return Status::ok;
  force_ = Q;
  force_.noalias() -= eq_.M * vdot_;
  rows_->multipliers(force_, lambda_);
  return Status::ok;
}

Status ClosingMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(2 * freedoms(), states_);
  find_multipliers_ = find_multipliers_ || needs_multipliers_;
  if (unpack(t, x, q_, v_) != Status::ok) return Status::failed;
  conditions_->find_biases();
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  if (!forces_are_finite()) return Status::failed;
  if (find_multipliers_ && !rows_->factorize(eq_)) {
    failure_ = "the independent coordinates no longer determine the others";
    return Status::failed;
  }
  MD_.noalias() = eq_.M * conditions_->DT();
  reduced_.noalias() = conditions_->DT().transpose() * MD_;
  if (freedoms() > 0) reduced_factor_.compute(reduced_);
  if (freedoms() > 0 && reduced_factor_.info() != Eigen::Success) {
    failure_ = "the reduced mass matrix is singular: a motion has no inertia";
    return Status::failed;
  }
  const Status status = settle_friction(states, [this](const Vector& Q) { return solve(Q); });
  if (status != Status::ok) return status;
  xdot.head(freedoms()) = x.segment(freedoms(), freedoms());
  xdot.segment(freedoms(), freedoms()) = zddot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(2 * freedoms(), states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

Status ClosingMotion::observe(double t, ConstVector x, VectorRef xdot) {
  find_multipliers_ = true;
  const Status status = derivative(t, x, xdot);
  find_multipliers_ = false;
  return status;
}

void ClosingMotion::error_scales(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  scales.setOnes();
  for (int k = 0; k < freedoms(); ++k)
    scales[k] = scales[freedoms() + k] = system_.coordinates().is_rotation(conditions_->independent()[k]) ? 1 : length;
  // Where the motion is given nothing but the work is integrated, and its error limits the steps.
  scales[size() - 1] = work_scale(system_.model()) / (freedoms() > 0 ? 1 : 100);
}

// q_I by the Hermite polynomial through q_I, v_I, v_I', and v_I from its derivative.
void ClosingMotion::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  MotionEquations::interpolate(points, t, x);
  const HermiteWeights weights(points, 3, t);
  const int F = freedoms(), count = static_cast<int>(points.size());
  x.head(2 * F).setZero();
  for (int i = 0; i < count; ++i) {
    const StepPoint& point = points[count - 1 - i];
    const auto z = point.x.head(F), zdot = point.xdot.head(F), zddot = point.xdot.segment(F, F);
    x.head(F) += weights.value(i, 0) * z + weights.value(i, 1) * zdot + weights.value(i, 2) * zddot;
    x.segment(F, F) += weights.rate(i, 0) * z + weights.rate(i, 1) * zdot + weights.rate(i, 2) * zddot;
  }
}

// --- to look at ---

void ClosingMotion::show(Exhibit& exhibit) {
  const Coordinates& coordinates = system_.coordinates();
  const std::vector<int>&I = conditions_->independent(), &D = conditions_->dependent();
  const auto names = [&](const std::vector<int>& of) {
    std::vector<std::string> list;
    for (const int k : of) list.push_back(coordinates.position_name(k));
    return list;
  };
  std::vector<std::string> all;
  for (int k = 0; k < velocities_; ++k) all.push_back(coordinates.position_name(k));
  const int F = freedoms(), m = static_cast<int>(D.size());
  Matrix A(m, F), C(m, velocities_);
  Vector eta(m), xi(m), closing(m);
  const Vector residual = eq_.M * vdot_ - eq_.Q - friction_forces();
  C.setZero();
  for (int k = 0; k < m; ++k) {
    A.row(k) = conditions_->DT().row(D[k]);
    eta[k] = conditions_->eta()[D[k]], xi[k] = conditions_->xi()[D[k]], closing[k] = residual[D[k]];
    for (int i = 0; i < F; ++i) C(k, I[i]) = -A(k, i);
    C(k, D[k]) = 1;
  }
  const char* source = "Blajer-Schiehlen-Schirm (7), (8)";
  exhibit.add_named("A", "v_D = A v_I + eta, by lines, without C_D^-1", source, A, names(D), names(I));
  exhibit.add_named("eta", "of what is driven", source, eta, names(D));
  exhibit.add_named("xi", "v_D' = A v_I' + xi", source, xi, names(D));
  exhibit.add_named("D", "[I A^T]:  v = D^T v_I + [0; eta]", "Blajer-Schiehlen-Schirm (9), (10)",
                    conditions_->DT().transpose(), names(I), all);
  exhibit.add_named("D M D^T", "mass matrix of the minimal equations", "Blajer-Schiehlen-Schirm (13)", reduced_,
                    names(I), names(I));
  exhibit.add_named("D (Q - M [0; xi])", "their right-hand side", "Blajer-Schiehlen-Schirm (14), (28)", right_,
                    names(I));
  exhibit.add_named("v_I'", "(D M D^T) v_I' = D (Q - M [0; xi])", "Blajer-Schiehlen-Schirm (28)", zddot_, names(I));
  exhibit.add_named("C^", "[-A I], of Phi^ = q_D - g(q_I)", "Blajer-Schiehlen-Schirm (29)-(31), (45)", C, names(D),
                    all);
  exhibit.add_named("lambda^", "(M v' - Q)_D, without solving: C^^T lambda^ = M v' - Q", "Blajer-Schiehlen-Schirm (32)",
                    closing, names(D));
  const ClosingSets sets = this->sets(q_);
  Matrix judged(static_cast<Eigen::Index>(sets.admissible.size()), 2);
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < sets.admissible.size(); ++k) {
    judged.row(static_cast<Eigen::Index>(k)) << sets.admissible[k].regularity, sets.admissible[k].cosines;
    rows.push_back(names_of(system_, sets.admissible[k].coordinates));
  }
  exhibit.add_named("q_I",
                    sets.complete ? "every choice from which all loops close: distance from a dead point, product of "
                                    "cos^2 alpha"
                                  : "choices from which all loops close, the first that were tried: distance from a "
                                    "dead point, product of cos^2 alpha",
                    "Blajer-Schiehlen-Schirm (23), section 4", judged, rows, {"|l . S_a|", "cos^2"});
}

std::string ClosingMotion::report() const {
  const std::string now = names_of(system_, conditions_->independent());
  if (switches_ == 0)
    return now.empty() ? "every coordinate is driven"
                       : "the independent coordinates were " + now + " from start to end";
  return fmt::format("the independent coordinates were changed {} time{}, at last to {}", switches_,
                     switches_ == 1 ? "" : "s", now);
}

std::unique_ptr<MechanismMotion> motions::closing(MotionSetting setting) {
  auto motion = std::make_unique<ClosingMotion>(setting.system, setting.options);
  return motion->begin(setting.t, setting.q, setting.v) ? std::move(motion) : nullptr;
}

}  // namespace bricard
