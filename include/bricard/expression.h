// Formulas of the model file: "m*L^2/12", "2 + 0.01*sin(t)", "-20*angle(A) - 3*rate(A)".
// An expression is parsed once into a flat program; evaluating it never allocates, and its derivatives are exact.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bricard/types.h"

namespace bricard {

/// What a name in an expression stands for when it is neither a number nor time.
enum class Quantity {
  angle,
  angle2,
  position,  // joint coordinates
  rate,
  rate2,  // their time derivatives
  x,
  y,
  z,  // place of a body's centre of mass, or of a point fixed to a body
  vx,
  vy,
  vz,  // velocity of that place
  wx,
  wy,
  wz,        // angular velocity of a body, world axes
  distance,  // between two points
  variable,  // a free variable of the expression, such as x and v in a spring's law
};

/// A resolved signal: indices into the model instead of names.
struct Signal {
  Quantity quantity = Quantity::variable;
  int target = 0;             // joint for joint quantities; body for body quantities; number of the variable
  Vec3 place = Vec3::Zero();  // x..vz, distance: the place on `target`, world frame, reference configuration
  int other_target = ground;  // distance: the second body
  Vec3 other_place = Vec3::Zero();
  bool operator==(const Signal& other) const = default;
};

/// True for signals that are velocities: a constraint that uses one is a velocity-level constraint.
bool is_velocity(Quantity quantity);

/// Names that mean something in every expression (pi, deg, t, functions, signals): no parameter may be called so.
bool is_reserved_name(const std::string& name);

/// An expression that cannot be understood: what is wrong, and at which character of the text.
struct ExpressionError : std::runtime_error {
  ExpressionError(const std::string& message, std::size_t at) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

/// The names that an expression may use.
struct ExpressionScope {
  /// Value of a parameter, or nullptr. Required (may always return nullptr).
  std::function<const double*(const std::string& name)> parameter;
  /// Names of all parameters, for "did you mean".
  std::vector<std::string> parameter_names;
  bool time = false;                   // may `t` be used?
  std::vector<std::string> variables;  // free variables in order: Quantity::variable with target 0, 1, ...
  /// Resolves `angle(A)`; throws std::runtime_error with a message for an unknown name. Empty: signals are not allowed
  /// here.
  std::function<Signal(Quantity quantity, const std::vector<std::string>& arguments)> signal;
};

/// Of a switching function: -1, 0 or 1.
using Sign = signed char;

class Expression {
 public:
  Expression() : Expression(0.0) {}
  explicit Expression(double constant);
  /// Parses; throws ExpressionError.
  static Expression parse(std::string_view text, const ExpressionScope& scope);

  bool is_constant() const;  // no time, no signals
  bool uses_time() const;
  bool uses_velocity() const;
  const std::vector<Signal>& signals() const { return signals_; }
  const std::string& text() const { return text_; }

  /// `signals` holds one entry for each of signals(); it may be null if there are none. `signs`: see below.
  double value(double t, const double* signals = nullptr, const Sign* signs = nullptr) const;
  /// Value and exact time derivatives along a motion whose signals have the given time derivatives.
  Jet jet(double t, const Jet* signals = nullptr, const Sign* signs = nullptr) const;
  /// Value; partials[k] = d value / d signal k; *time_partial = d value / d t (may be null).
  double gradient(double t, const double* signals, double* partials, double* time_partial,
                  const Sign* signs = nullptr) const;

  // --- switching functions ---
  // abs, sign, min, max, comparisons, `if` and `step` have branches. Which one they take is the sign of a switching
  // function (of `step` two). With `signs` of all of them, each keeps the branch of its sign whatever its argument:
  // what is evaluated is smooth. Without, each follows its argument.
  int switch_count() const { return static_cast<int>(switches_.size()); }
  /// Its function depends on no signal.
  bool switches_by_time(int k) const { return switches_[k].by_time; }
  /// Values of all switching functions.
  void switching(double t, const double* signals, const Sign* signs, double* values) const;
  /// The same with time derivatives, of those alone that depend on time alone.
  void switching_by_time(double t, Jet* values) const;

  // --- parts that depend on time alone, each as large as it can be ---
  int time_part_count() const { return static_cast<int>(time_parts_.size()); }
  Jet time_part(int k, double t, const Sign* signs) const;
  /// Made of polynomials alone; of polynomials, sines and cosines alone: such parts have no narrow pulses.
  bool is_polynomial(int k) const { return time_parts_[k].is_polynomial; }
  bool is_tame(int k) const { return time_parts_[k].is_tame; }
  /// The same of the arguments of all switches that depend on time alone.
  bool switches_tamely() const { return switches_tamely_; }

 private:
  struct Switch {
    bool by_time;
  };
  struct TimePart {
    int begin, end;  // of its instructions
    bool is_polynomial, is_tame;
  };
  struct Instruction {
    int operation;
    int argument;  // number of the signal, or of the first of its switching functions, where the operation has one
    double constant;
  };
  friend class ExpressionBuilder;
  template <class Scalar, class SignalValue, class Branches>
  Scalar run(int begin, int end, const Scalar& time, const SignalValue& signal_value, const Branches& branches) const;
  template <class Scalar, class SignalValue>
  Scalar run(const Scalar& time, const SignalValue& signal_value, const Sign* signs) const;
  /// Numbers the switching functions and finds the parts that depend on time alone.
  void find_switches();

  std::vector<Instruction> program_;
  std::vector<Switch> switches_;
  std::vector<TimePart> time_parts_;
  bool switches_tamely_ = true;
  std::vector<Signal> signals_;
  std::string text_;
};

}  // namespace bricard
