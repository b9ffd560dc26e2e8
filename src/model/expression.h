// Formulas of the model file: "m*L^2/12", "2 + 0.01*sin(t)", "-20*angle(A) - 3*rate(A)".
// An expression is parsed once into a flat program; evaluating it never allocates, and its derivatives are exact.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/types.h"

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

  /// `signals` holds one entry for each of signals(); it may be null if there are none.
  double value(double t, const double* signals = nullptr) const;
  /// Value and exact time derivatives along a motion whose signals have the given time derivatives.
  Jet jet(double t, const Jet* signals = nullptr) const;
  /// Value; partials[k] = d value / d signal k; *time_partial = d value / d t (may be null).
  double gradient(double t, const double* signals, double* partials, double* time_partial) const;

 private:
  struct Instruction {
    int operation;
    int argument;  // number of the signal, where the operation is one
    double constant;
  };
  friend class ExpressionBuilder;
  template <class Scalar, class SignalValue>
  Scalar run(const Scalar& time, const SignalValue& signal_value) const;

  std::vector<Instruction> program_;
  std::vector<Signal> signals_;
  std::string text_;
};

}  // namespace bricard
