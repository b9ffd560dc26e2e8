// Friction in joints: efforts on joint coordinates that oppose their rates and may depend on the joint's load, which
// makes the constraint non-ideal.
//   viscous:  -c v          coulomb: -mu N r tanh(v / v0)          dahl: -F, F' = s (v - |v| F / F_max)   [Dahl 1968]
//   with a coefficient at rest: mu(v) = mu + (mu_static - mu) exp(-(v / v_s)^2)                 [Stribeck; Tustin 1947]
// N is the magnitude of the joint's reaction force, r the lever arm (1 for sliding). A cylindrical joint slips in the
// direction of (v, r w) together.
#pragma once

#include <vector>

#include "forces/force_element.h"
#include "joints/reactions.h"

namespace bricard {

class JointFriction {
 public:
  JointFriction(const Model& model, ForceBuilder& builder);

  bool empty() const { return elements_.empty(); }
  /// True if an effort depends on multipliers, so that accelerations and friction must be found together.
  bool depends_on_load() const { return depends_on_load_; }
  /// Internal states (deflected bristles), one for each coordinate with Dahl friction.
  int state_size() const { return state_size_; }

  /// Loads of all friction efforts, given the size of each joint's reaction force.
  void evaluate(const Signals& signals, ConstVector reaction_force, ConstVector states, std::vector<Load>& loads);
  void state_rates(const Signals& signals, ConstVector reaction_force, ConstVector states, VectorRef rates) const;
  /// Derivatives of the loads of viscous friction; of all other friction only the pattern, with zeros.
  void couple(const ForceContext& context, LoadCouplings& couplings) const;
  /// Takes over the efforts that another table of the same joints has found.
  void take_efforts(const JointFriction& other, const Signals& signals, std::vector<Load>& loads);
  /// Joints whose efforts are proportional to their loads.
  std::vector<int> loaded_joints() const;
  /// Effort of friction on a joint's coordinate at the last evaluation.
  double effort(int element) const { return elements_[element].effort; }
  int size() const { return static_cast<int>(elements_.size()); }
  int joint(int element) const { return elements_[element].joint; }
  int coordinate(int element) const { return elements_[element].coordinate; }

 private:
  struct Element {
    int joint, coordinate;  // of the model
    int signal, load;
    bool turns;        // an angle: forces act with the lever arm
    int partner = -1;  // cylindrical: signal of the other coordinate
    int state = -1;
    Friction friction;
    double effort = 0;
  };
  static double limit(const Element& element, double load);
  /// Coefficient at a rate of slip, in parts of the one of fast slip.
  static double rise(const Friction& friction, double slip);

  std::vector<Element> elements_;
  bool depends_on_load_ = false;
  int state_size_ = 0;
};

}  // namespace bricard
