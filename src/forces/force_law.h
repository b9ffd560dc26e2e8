// Force along one coordinate as a function of its displacement x and rate v: -k x - c v, or any expression of x and v.
#pragma once

#include <optional>

#include "forces/force_element.h"

namespace bricard {

class ForceLaw {
 public:
  ForceLaw(double stiffness, double damping, const std::optional<Expression>& law, ForceBuilder& builder);

  double value(const ForceContext& context, double x, double v) const;
  /// Energy stored between 0 and x at rest. A law that changes with time or with other signals stores none.
  double potential(const ForceContext& context, double x) const;
  double potential_rate(const ForceContext& context, double x, double v) const;
  /// Derivatives of the loads by which the force acts on a signal, for x = signal - offset.
  void couple(const ForceContext& context, int signal, double offset, LoadCouplings& couplings) const;

 private:
  double free_value(const ForceContext& context, double x) const;
  /// Minus the integral of the law over a stretch without kinks, of `whole` in all.
  double stored_between(const ForceContext& context, double from, double to, double whole) const;
  /// Knows the kinks and jumps of the law at rest between 0 and x.
  void find_kinks(const ForceContext& context, double x) const;

  double stiffness_, damping_;
  bool has_law_, conservative_;
  BoundExpression law_;
  mutable std::vector<double> kinks_;        // ascending
  mutable double lowest_ = 0, highest_ = 0;  // between which they are known
};

}  // namespace bricard
