#include "forces/friction.h"

#include <cmath>

namespace bricard {

JointFriction::JointFriction(const Model& model, ForceBuilder& builder) {
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const Friction& friction = model.joints[k].friction;
    if (friction.law == Friction::Law::none) continue;
    const auto& kinds = find_joint_type(model.joints[k].type)->coordinates(model.dimension);
    const bool slips_along_and_around = kinds.size() == 2 && kinds[0] != kinds[1];
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      Element e{.joint = static_cast<int>(k),
                .coordinate = static_cast<int>(c),
                .signal = 0,
                .load = 0,
                .turns = false,
                .friction = friction};
      e.signal = builder.coordinate(e.joint, e.coordinate);
      e.load = builder.effort(e.signal);
      e.turns = kinds[c] == JointCoordinate::angle;
      if (slips_along_and_around) e.partner = builder.coordinate(e.joint, 1 - e.coordinate);
      if (friction.law == Friction::Law::dahl) e.state = state_size_++;
      depends_on_load_ |= friction.coulomb != 0;
      elements_.push_back(e);
    }
  }
}

double JointFriction::limit(const Element& e, double load) {
  if (e.friction.limit > 0) return e.friction.limit;
  return e.friction.coulomb * load * (e.turns ? e.friction.radius : 1);
}

std::vector<int> JointFriction::loaded_joints() const {
  std::vector<int> joints;
  for (const Element& e : elements_) {
    if (e.friction.coulomb != 0 && e.state < 0 && (joints.empty() || joints.back() != e.joint))
      joints.push_back(e.joint);
  }
  return joints;
}

double JointFriction::rise(const Friction& friction, double slip) {
  if (friction.at_rest <= friction.coulomb) return 1;
  const double part = slip / friction.stribeck;
  return 1 + (friction.at_rest / friction.coulomb - 1) * std::exp(-part * part);
}

void JointFriction::take_efforts(const JointFriction& other, const Signals& signals, std::vector<Load>& loads) {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    elements_[k].effort = other.elements_[k].effort;
    apply_effort(signals, elements_[k].signal, elements_[k].effort, &loads[elements_[k].load]);
  }
}

void JointFriction::evaluate(const Signals& signals, ConstVector reaction_force, ConstVector states,
                             std::vector<Load>& loads) {
  for (Element& e : elements_) {
    const double rate = signals[e.signal].rate;
    e.effort = -e.friction.viscous * rate;
    if (e.state >= 0) {
      e.effort -= states[e.state];
    } else if (e.friction.coulomb != 0) {
      const double maximum = limit(e, reaction_force[e.joint]);
      if (e.partner < 0) {
        e.effort -= rise(e.friction, rate) * maximum * std::tanh(rate / e.friction.smoothing);
      } else {
        const double other = signals[e.partner].rate, r = e.friction.radius;
        const double along = e.turns ? r * rate : rate, across = e.turns ? other : r * other;
        const double slip = std::hypot(along, across);
        if (slip > 0)
          e.effort -= rise(e.friction, slip) * maximum * std::tanh(slip / e.friction.smoothing) * along / slip;
      }
    }
    apply_effort(signals, e.signal, e.effort, &loads[e.load]);
  }
}

void JointFriction::couple(const ForceContext& context, LoadCouplings& couplings) const {
  for (const Element& e : elements_) {
    const double slope = -e.friction.viscous;
    const EffortSlope slopes[] = {{e.signal, 0, slope}, {e.partner, 0, 0}};
    couple_effort(context, e.signal, slope * context.signals[e.signal].rate, slopes, e.partner < 0 ? 1 : 2, couplings);
  }
}

void JointFriction::state_rates(const Signals& signals, ConstVector reaction_force, ConstVector states,
                                VectorRef rates) const {
  for (const Element& e : elements_) {
    if (e.state < 0) continue;
    const double rate = signals[e.signal].rate;
    const double maximum =
        std::max(limit(e, reaction_force[e.joint]), 1e-12);  // an unloaded joint lets the bristles go
    rates[e.state] = e.friction.stiffness * (rate - std::abs(rate) * states[e.state] / maximum);
  }
}

}  // namespace bricard
