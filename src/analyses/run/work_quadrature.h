// The work of a step from the power along it, by Gauss's rule with five points on ever shorter parts of the step.
// Integrators carry the work along without controlling its error: where nothing else limits their steps, as with a
// mechanism whose motion is given, what they find may be wrong by any amount though the motion is right.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <optional>

namespace bricard {

class WorkQuadrature {
 public:
  /// Power at a time within the step; none if it has no value there.
  using Power = std::function<std::optional<double>(double t)>;

  /// The work from `start` to `end`, to within `allowed`; none if the power has no value somewhere, or changes so
  /// abruptly that parts of a thousandth of the step do not settle it. `enough(work)`: true if a first estimate will
  /// do.
  static std::optional<double> work(double start, double end, double allowed, const Power& power,
                                    const std::function<bool(double)>& enough) {
    const std::optional<double> first = gauss(start, end, power);
    if (!first || enough(*first)) return first;
    return refine(start, end, *first, allowed, power, 10);
  }

 private:
  static std::optional<double> gauss(double start, double end, const Power& power) {
    static constexpr std::array<double, 5> points = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                                     0.9061798459386640};
    static constexpr std::array<double, 5> weights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                                      0.4786286704993665, 0.2369268850561891};
    const double half = 0.5 * (end - start), middle = 0.5 * (start + end);
    double sum = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::optional<double> value = power(middle + half * points[k]);
      if (!value || !std::isfinite(*value)) return std::nullopt;
      sum += weights[k] * *value;
    }
    return half * sum;
  }

  static std::optional<double> refine(double start, double end, double whole, double allowed, const Power& power,
                                      int depth) {
    const double middle = 0.5 * (start + end);
    const std::optional<double> left = gauss(start, middle, power);
    const std::optional<double> right = left ? gauss(middle, end, power) : std::nullopt;
    if (!left || !right) return std::nullopt;
    if (std::abs(*left + *right - whole) <= allowed) return *left + *right;
    if (depth == 0) return std::nullopt;
    const std::optional<double> first = refine(start, middle, *left, 0.5 * allowed, power, depth - 1);
    if (!first) return std::nullopt;
    const std::optional<double> second = refine(middle, end, *right, 0.5 * allowed, power, depth - 1);
    return second ? std::optional(*first + *second) : std::nullopt;
  }
};

}  // namespace bricard
