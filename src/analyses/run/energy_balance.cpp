#include "analyses/run/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "analyses/run/work_quadrature.h"

namespace bricard {

EnergyBalance::EnergyBalance(System& system, const Method& method, LadderMotion& steps, EnergyBounds& bounds,
                             RunStatistics& statistics)
    : system_(system),
      method_(method),
      adaptive_(!find_integrator_type(method.integrator)->fixed_step),
      steps_(steps),
      bounds_(bounds),
      statistics_(statistics),
      at_(steps.motion().size()),
      xdot_(steps.motion().size()),
      q_(system.position_size()),
      v_(system.velocity_size()) {}

bool EnergyBalance::has_jumped() {
  if (!adaptive_ || !bounds_.has_jumped(now())) return false;
  measure();
  return bounds_.has_jumped(now());
}

std::string EnergyBalance::growth() {
  if (bounds_.growth(now()).empty()) return {};
  measure();
  return bounds_.growth(now());
}

void EnergyBalance::measure() {
  const double t = steps_.integrator().time();
  MechanismMotion& motion = steps_.motion();
  at_ = steps_.integrator().state();
  if (motion.unpack(t, at_, q_, v_) != Status::ok) return;
  if (!vectors_) vectors_ = std::make_unique<Equations>(system_.empty_vectors());
  system_.evaluate(t, q_, v_, motion.friction_states(at_), Upto::velocities, *vectors_);
  bounds_.see(system_.kinetic_energy(), system_.potential_energy(t), motion.work(at_));
}

void EnergyBalance::check_work(double start, const Vector& x, double end, bool at_once) {
  const MechanismMotion& motion = steps_.motion();
  const double own = motion.work(steps_.integrator().state()) - motion.work(x), change = now() - bounds_.balance();
  const double size = std::max(bounds_.size(), std::abs(own));
  const double allowed =
      steps_.relaxation() * bounds_.tolerance() * size * (0.1 + 50 * (end - start) / method_.duration);
  if (!adaptive_ || own == 0 || !(std::abs(change) > allowed)) return;
  if (steps_without_check_ > 0 && !at_once) {
    --steps_without_check_;
    return;
  }
  const std::optional<double> work = WorkQuadrature::work(
      start, end, 0.1 * allowed, [this](double t) { return power(t); },
      [&](double estimate) {
        const double blame = std::abs(estimate - own);
        return blame < 0.1 * std::abs(change) || std::abs(change - (estimate - own)) < allowed;
      });
  if (work && std::abs(change - (*work - own)) < 0.5 * std::abs(change)) {
    work_missed_ += *work - own;
    check_interval_ = 8;
  } else {
    steps_without_check_ = check_interval_;
    check_interval_ = std::min(4 * check_interval_, 1L << 20);
  }
}

std::optional<double> EnergyBalance::power(double t) {
  if (steps_.integrator().interpolate(t, at_) != Status::ok) return std::nullopt;
  steps_.motion().correct(t, at_);
  statistics_.count_evaluation();
  if (steps_.motion().derivative(t, at_, xdot_) != Status::ok) return std::nullopt;
  return xdot_[xdot_.size() - 1];
}

}  // namespace bricard
