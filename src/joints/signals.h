// Scalars that joints, forces and outputs measure: joint coordinates, places, velocities, distances. Each is a function
// of markers with value, rate, bias (its second derivative at constant velocity coordinates) and gradient.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bricard/expression.h"
#include "coordinates/coordinates.h"

namespace bricard {

class Signals {
 public:
  // --- structure ---
  /// Angle from a to the projection of c on the plane of the unit vectors a, b; continuous along a motion.
  int angle(int a, int b, int c, double sign = 1);
  /// u . (to - from) - offset
  int along(int u, int from, int to, double offset);
  /// Component of a point along a fixed direction of the world, minus offset.
  int component(int point, const Vec3& direction, double offset = 0);
  int distance(int from, int to);
  /// Component of the velocity of a point, or of an angular velocity (rotation marker).
  int velocity(int marker, const Vec3& direction);
  /// Time derivative of another signal, as a velocity-level signal.
  int rate_of(int signal);

  /// Gives back memory after the last signal.
  void finish();
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_velocity(int signal) const { return nodes_[signal].kind >= Kind::velocity; }
  bool is_angle(int signal) const { return nodes_[signal].kind == Kind::angle; }
  bool has_angles() const;
  /// The signal of which this one is the rate; -1 if it is none.
  int source_of(int signal) const { return nodes_[signal].kind == Kind::rate ? nodes_[signal].a : -1; }
  /// Markers on which a signal depends; gradients are in the same order from gradient(signal).
  const int* markers_of(int signal) const { return entry_marker_.data() + nodes_[signal].entry; }
  const Vec3* gradient(int signal) const { return entry_gradient_.data() + nodes_[signal].entry; }
  int entries(int signal) const { return nodes_[signal].entries; }
  static constexpr int most_entries = 3;

  // --- evaluation: values and gradients, then rates and biases ---
  /// Those that are evaluated: all, unless exchanged for a list of the caller's, ascending.
  void exchange_active(std::vector<int>& signals) { active_.swap(signals); }
  void update_positions(double t, const Markers& markers);
  void update_velocities(const Markers& markers);
  /// A velocity-level signal has its value in `value` and its bias in `rate`.
  const Jet& operator[](int signal) const { return jets_[signal]; }

  // --- derivatives of gradients, at the last update ---
  /// d gradient_e/d marker_f, at [e * entries(signal) + f]; a rate has those of its signal.
  void hessian(int signal, const Markers& markers, Mat3* blocks) const;
  /// First and second time derivatives of the gradients while the markers have these accelerations (by marker).
  void gradient_rates(int signal, const Markers& markers, const std::vector<Vec3>& accelerations, Vec3* first,
                      Vec3* second) const;
  /// The first alone.
  void gradient_rates(int signal, const Markers& markers, Vec3* first) const;

  /// Full turns are counted from here on: call for the start and for every accepted step.
  void accept(double t);
  /// False if an angle may have made more turns since the last accepted instant than can be told from its rates.
  bool turns_are_certain(double t) const;
  /// Both of these for one angle whose vectors a, b, c and their rates the caller knows.
  bool count_turn(int signal, double t, const std::array<Vec3, 3>& values, const std::array<Vec3, 3>& rates);
  /// States on which revolution an angle is.
  void set_turn(int signal, double t, double angle, double rate);
  /// Turns are counted from the instant before the last accepted one, which is given up.
  void take_back();

 private:
  enum class Kind { angle, along, component, distance, velocity, rate };
  /// Where the coordinates do not count turns, an angle is on the revolution nearest to what is expected of it.
  struct Turn {
    double time = 0, angle = 0, rate = 0;
    double expected(double t) const { return angle + rate * (t - time); }
  };
  struct Node {
    Kind kind;
    int a = -1, b = -1, c = -1;
    double constant = 0;  // offset; sign of an angle
    Vec3 direction = Vec3::Zero();
    int entry = 0, entries = 0;
    Turn known = {}, before = {};  // at the last accepted instant, and at the one before it
  };
  int add(Node node, std::initializer_list<int> markers);
  static bool is_uncertain(const Node& node, double t, double rate);

  std::vector<Node> nodes_;
  std::vector<int> active_;
  std::vector<Jet> jets_;
  std::vector<int> entry_marker_;
  std::vector<Vec3> entry_gradient_;
  bool counted_ = false;  // by the coordinates
};

/// Signs of an expression's switching functions, which it keeps between events; while they are not held, it follows its
/// arguments.
struct HeldSigns {
  std::vector<Sign> signs;
  bool are_held = false;
};

/// An expression with its signals found in a Signals table. Copies share the signs that are held.
class BoundExpression {
 public:
  BoundExpression() = default;
  /// ids[k]: the signal of expression.signals()[k]; -1 - n for the free variable n.
  BoundExpression(Expression expression, std::vector<int> ids);

  const Expression& expression() const { return expression_; }
  const std::vector<int>& ids() const { return ids_; }
  /// Null if it has no switches.
  HeldSigns* held() const { return held_.get(); }
  /// With free branches.
  double free_value(double t, const Signals& signals, const double* variables) const;
  /// Values of the switching functions, for the signs that are held or for given ones.
  void switching(double t, const Signals& signals, const double* variables, double* functions) const;
  double value(double t, const Signals& signals, const double* variables = nullptr) const;
  Jet jet(double t, const Signals& signals) const;
  /// Value and partial derivatives; partials() keeps them until the next call.
  double gradient(double t, const Signals& signals, double& time_partial) const;
  double gradient(double t, const Signals& signals, const double* variables, double& time_partial) const;
  const std::vector<double>& partials() const { return partials_; }
  /// Second partial derivatives, at [k * ids().size() + l]: exact.
  void hessian(double t, const Signals& signals, double* second) const;
  /// First and second time derivatives of the partial derivatives along the motion whose signals have these jets. The
  /// first are exact, the second are difference quotients of extrapolated order 4.
  void partial_rates(double t, const Jet* signals, double* first, double* second) const;
  /// The first alone.
  void partial_rates(double t, const Jet* signals, double* first) const;

 private:
  void gather(const Signals& signals, const double* variables) const;
  double acceleration_slope(double t, double& variable, double step) const;
  const Sign* signs() const { return held_ && held_->are_held ? held_->signs.data() : nullptr; }

  Expression expression_;
  std::shared_ptr<HeldSigns> held_;
  std::vector<int> ids_;
  mutable std::vector<double> values_, partials_;  // workspaces, so that evaluating does not allocate
  mutable std::vector<Jet> jets_;
};

/// An expression that acts on the motion.
struct ActingLaw {
  BoundExpression expression;
  std::string owner;    // "force kick", "motion d", "constraint slot"
  bool is_row = false;  // of a motion or a constraint
  int measured = -1;    // the signal whose value, less the offset, and rate are the free variables x and v
  double offset = 0;
};

}  // namespace bricard
