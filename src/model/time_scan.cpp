#include "model/time_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bricard {
namespace {

using Jets = std::vector<Jet>;

constexpr int coarse_cells = 256;
constexpr int most_halvings = 24;    // of a cell of the grid
constexpr long most_looks = 400000;  // after which cells are taken as they are

int sign_of(double x) { return (x > 0) - (x < 0); }

/// True if the polynomial of degree five through both ends meets value and slope in the middle.
bool is_followed(const Jet& a, const Jet& m, const Jet& b, double h) {
  constexpr double of_value = 0.03, of_slope = 0.3;
  const double range =
      std::max({std::abs(a.value - m.value), std::abs(b.value - m.value), std::abs(a.value - b.value)});
  const double value =
      0.5 * (a.value + b.value) + 5.0 / 32 * h * (a.rate - b.rate) + h * h / 64 * (a.acceleration + b.acceleration);
  const double slope = 15.0 / 8 * (b.value - a.value) - 7.0 / 16 * h * (a.rate + b.rate) +
                       h * h / 32 * (b.acceleration - a.acceleration);
  const double rounding = 1e-13 * std::max({std::abs(a.value), std::abs(b.value), std::abs(m.value)});
  return std::abs(m.value - value) <= of_value * range + rounding &&
         std::abs(h * m.rate - slope) <= of_slope * range + 16 * rounding;
}

class SwitchScan {
 public:
  SwitchScan(const Expression& expression, double end, double resolution, std::vector<double>& roots)
      : expression_(expression), roots_(roots), left_(most_looks) {
    const double cells = expression.switches_tamely() ? coarse_cells : std::ceil(end / resolution);
    const long count = static_cast<long>(std::clamp(cells, 1.0 * coarse_cells, 65536.0));
    Jets from = at(0), to;
    for (long k = 0; k < count; ++k, from = to) {
      const double a = end * static_cast<double>(k) / static_cast<double>(count);
      const double b = k + 1 == count ? end : end * static_cast<double>(k + 1) / static_cast<double>(count);
      to = at(b);
      examine(a, from, b, to, most_halvings);
    }
  }

 private:
  Jets at(double t) {
    --left_;
    Jets values(expression_.switch_count());
    expression_.switching_by_time(t, values.data());
    return values;
  }

  void examine(double a, const Jets& ga, double b, const Jets& gb, int halvings) {
    const double middle = 0.5 * (a + b);
    if (!(a < middle && middle < b)) return find_roots(a, ga, b, gb);
    const Jets gm = at(middle);
    bool followed = true;
    for (int k = 0; k < expression_.switch_count() && followed; ++k)
      followed = !expression_.switches_by_time(k) || is_followed(ga[k], gm[k], gb[k], b - a);
    if (followed || halvings == 0 || left_ < 0) {
      find_roots(a, ga, middle, gm);
      find_roots(middle, gm, b, gb);
      return;
    }
    examine(a, ga, middle, gm, halvings - 1);
    examine(middle, gm, b, gb, halvings - 1);
  }

  void find_roots(double a, const Jets& ga, double b, const Jets& gb) {
    for (int k = 0; k < expression_.switch_count(); ++k) {
      if (!expression_.switches_by_time(k)) continue;
      const int left = sign_of(ga[k].value), right = sign_of(gb[k].value);
      if (left * right < 0) {
        roots_.push_back(root(k, a, left, b));
      } else if (left == 0 && right != 0) {
        roots_.push_back(a);
      } else if (left != 0 && right == 0) {
        roots_.push_back(b);
      } else if (left * ga[k].rate < 0 && left * gb[k].rate > 0) {
        // It comes nearer and goes away again: through zero and back?
        const double turn = turning_point(k, a, b, sign_of(ga[k].rate));
        if (sign_of(value(k, turn)) * left >= 0) continue;
        roots_.push_back(root(k, a, left, turn));
        roots_.push_back(root(k, turn, -left, b));
      }
    }
  }

  double value(int k, double t) { return at(t)[k].value; }

  double turning_point(int k, double a, double b, int slope) {
    for (int i = 0; i < 60 && 0.5 * (a + b) > a && 0.5 * (a + b) < b; ++i) {
      const double middle = 0.5 * (a + b);
      (sign_of(at(middle)[k].rate) == slope ? a : b) = middle;
    }
    return a;
  }

  /// Newton's method, kept between a and b: exact where the function is linear.
  double root(int k, double a, int left, double b) {
    double t = 0.5 * (a + b);
    for (int i = 0; i < 200; ++i) {
      const Jet g = at(t)[k];
      if (g.value == 0) return t;
      (sign_of(g.value) == left ? a : b) = t;
      double next = t - g.value / g.rate;
      if (!(next > a && next < b) || i % 4 == 3) {
        next = 0.5 * (a + b);
        if (!(next > a && next < b)) break;
      }
      t = next;
    }
    return b;
  }

  const Expression& expression_;
  std::vector<double>& roots_;
  long left_;
};

class StretchScan {
 public:
  StretchScan(const Expression& expression, int part, double resolution)
      : expression_(expression), part_(part), resolution_(resolution), left_(most_looks) {}

  /// Between two breakpoints, where the switches of time have these signs.
  void piece(double begin, double end, const std::vector<Sign>& signs) {
    signs_ = signs.data();
    int levels = 0;
    const double cell = expression_.is_tame(part_) ? end : std::max(resolution_, end / 65536);
    while ((end - begin) / std::exp2(levels) > cell && levels < 17) ++levels;
    const Jet first = at(begin), last = at(end);
    build(begin, first, end, last, levels + 1, most_halvings);
  }

  /// The same where it is a polynomial: short against the piece, which an integrator begins with little knowledge.
  void polynomial_piece(double begin, double end, const std::vector<Sign>& signs) {
    constexpr int steps = 8;
    signs_ = signs.data();
    const Jet first = at(begin), middle = at(0.5 * (begin + end)), last = at(end);
    const double range = std::max(std::abs(first.value - middle.value), std::abs(last.value - middle.value));
    const auto time = [&](int k) { return k == steps ? end : begin + (end - begin) * k / steps; };
    for (int k = 0; k < steps; ++k) append({time(k), time(k + 1), range, first, last});
  }

  void take(std::vector<TimeStretch>& stretches) const {
    // Far below the largest changes it does not matter how it changes.
    for (const Found& found : found_) {
      if (found.range > 1e-12 * largest_) stretches.push_back({found.begin, found.end});
    }
  }

 private:
  struct Found {
    double begin, end, range;
    Jet first, last;
  };

  Jet at(double t) {
    --left_;
    return expression_.time_part(part_, t, signs_);
  }

  /// Appends the stretches of [a, b]; `levels`: halvings that are made in any case.
  void build(double a, const Jet& fa, double b, const Jet& fb, int levels, int halvings) {
    const double middle = 0.5 * (a + b);
    const Jet fm = at(middle);
    const auto is_finite = [](const Jet& f) {
      return std::isfinite(f.value) && std::isfinite(f.rate) && std::isfinite(f.acceleration);
    };
    const bool followed = !is_finite(fa) || !is_finite(fb) || !is_finite(fm) || is_followed(fa, fm, fb, b - a);
    const double range =
        std::max({std::abs(fa.value - fm.value), std::abs(fb.value - fm.value), std::abs(fa.value - fb.value)});
    const bool ends =
        (followed && levels <= 0) || (levels <= 0 && halvings == 0) || left_ < 0 || !(a < middle && middle < b);
    if (ends) return append({a, b, range, fa, fb});
    const std::size_t before = found_.size();
    build(a, fa, middle, fm, levels - 1, levels > 0 ? halvings : halvings - 1);
    const std::size_t between = found_.size();
    build(middle, fm, b, fb, levels - 1, levels > 0 ? halvings : halvings - 1);
    const bool one_each = between == before + 1 && found_.size() == between + 1 && found_[before].begin == a &&
                          found_[before].end == middle && found_[between].begin == middle && found_[between].end == b;
    const bool none = found_.size() == before;
    if (none || !one_each || !followed) return;
    found_.resize(before);
    append({a, b, range, fa, fb});
  }

  void append(const Found& found) {
    largest_ = std::max(largest_, std::isfinite(found.range) ? found.range : 0);
    const double size = std::max(std::abs(found.first.value), std::abs(found.last.value));
    if (found.range > 1e-14 * size) found_.push_back(found);
  }

  const Expression& expression_;
  const int part_;
  const double resolution_;
  const Sign* signs_ = nullptr;
  long left_;
  std::vector<Found> found_;
  double largest_ = 0;
};

}  // namespace

void unite_times(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  const auto are_one = [](double a, double b) {
    return b - a <= 8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
  };
  times.erase(std::unique(times.begin(), times.end(), are_one), times.end());
}

TimeScan scan_time(const Expression& expression, double end, double resolution) {
  TimeScan scan;
  bool by_time = false;
  for (int k = 0; k < expression.switch_count(); ++k) by_time |= expression.switches_by_time(k);
  if (by_time) SwitchScan(expression, end, resolution, scan.breakpoints);
  unite_times(scan.breakpoints);
  std::erase_if(scan.breakpoints, [end](double t) { return t <= 0 || t >= end; });

  std::vector<double> ends = {0};
  ends.insert(ends.end(), scan.breakpoints.begin(), scan.breakpoints.end());
  ends.push_back(end);
  std::vector<Jet> values(expression.switch_count());
  std::vector<Sign> signs(expression.switch_count());
  for (int part = 0; part < expression.time_part_count(); ++part) {
    const bool is_polynomial = expression.is_polynomial(part);
    if (is_polynomial && scan.breakpoints.empty()) continue;
    StretchScan stretches(expression, part, resolution);
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      expression.switching_by_time(0.5 * (ends[k] + ends[k + 1]), values.data());
      std::transform(values.begin(), values.end(), signs.begin(),
                     [](const Jet& g) { return static_cast<Sign>(sign_of(g.value)); });
      if (is_polynomial) {
        stretches.polynomial_piece(ends[k], ends[k + 1], signs);
      } else {
        stretches.piece(ends[k], ends[k + 1], signs);
      }
    }
    stretches.take(scan.stretches);
  }
  std::sort(scan.stretches.begin(), scan.stretches.end(),
            [](const TimeStretch& a, const TimeStretch& b) { return a.begin < b.begin; });
  return scan;
}

}  // namespace bricard
