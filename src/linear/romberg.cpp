#include "linear/romberg.h"

#include <cmath>
#include <limits>
#include <utility>

namespace bricard {

Romberg::Romberg(int size, Vector terms)
    : terms_(terms.size() > 0 ? std::move(terms) : Vector::Zero(size)),
      plus_(size),
      minus_(size),
      derivative_(size),
      error_(size),
      magnitude_(size),
      age_(size),
      row_(columns, Vector(size)),
      previous_(columns, Vector(size)) {}

const Vector& Romberg::differentiate(const Function& f, double first_step) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  derivative_.setZero();
  error_.setConstant(std::numeric_limits<double>::infinity());
  magnitude_ = terms_;
  age_.setZero();
  int rows = 0;  // of the table so far
  double h = first_step;
  for (int level = 0; level < levels; ++level, h /= 2) {
    f(h, plus_);
    f(-h, minus_);
    if (!plus_.allFinite() || !minus_.allFinite()) {
      rows = 0;
      continue;
    }
    magnitude_ = magnitude_.cwiseMax(plus_.cwiseAbs()).cwiseMax(minus_.cwiseAbs());
    row_[0] = (plus_ - minus_) / (2 * h);
    double factor = 4;
    for (int j = 1; j <= rows && j < columns; ++j, factor *= 4)
      row_[j] = row_[j - 1] + (row_[j - 1] - previous_[j - 1]) / (factor - 1);

    // The smallest steps see nothing but rounding: no entry is trusted beyond that.
    bool finished = rows > 0;
    for (int k = 0; k < derivative_.size(); ++k) {
      const double noise = rounding * magnitude_[k] / h;
      ++age_[k];
      for (int j = 0; j <= rows && j < columns && rows > 0; ++j) {
        double difference = std::abs(row_[j][k] - previous_[std::max(j - 1, 0)][k]);
        if (j > 0) difference = std::max(difference, std::abs(row_[j][k] - row_[j - 1][k]));
        difference = std::max(difference, noise);
        if (difference < error_[k]) {
          error_[k] = difference;
          derivative_[k] = row_[j][k];
          age_[k] = 0;
        }
      }
      // Where f is a small difference of large terms the noise is above this estimate of it: then nothing improves.
      const double size = std::max(std::abs(derivative_[k]), magnitude_[k] / first_step);
      finished &= error_[k] <= 2 * noise || (age_[k] >= 4 && error_[k] <= 1e-8 * size);
    }
    if (finished) break;
    row_.swap(previous_);
    ++rows;
  }
  return derivative_;
}

double power_of_two_below(double value) {
  return std::isfinite(value) && value > 0 ? std::exp2(std::floor(std::log2(value))) : 1.0;
}

}  // namespace bricard
