// Derivatives of vector functions of one variable by central differences with halved steps, extrapolated to step zero:
//   T(i, 0) = (f(h_i) - f(-h_i)) / (2 h_i),  h_i = h / 2^i
//   T(i, j) = T(i, j-1) + (T(i, j-1) - T(i-1, j-1)) / (4^j - 1)                  [Romberg 1955; Ridders 1982]
// Each component keeps the entry of the table whose neighbours agree best. Functions that are linear or quadratic in
// the variable come out exact up to rounding, so that the first step may be large: powers of two lose no digits.
#pragma once

#include <functional>
#include <vector>

#include "bricard/types.h"

namespace bricard {

class Romberg {
 public:
  using Function = std::function<void(double s, VectorRef value)>;

  /// `terms`: sizes of the terms that components are sums of. Of sums that vanish nothing but their rounding is seen,
  /// which must not be taken for a function that changes as fast as steps are short.
  explicit Romberg(int size, Vector terms = {});

  /// f'(0). Steps at which f is not finite are passed over.
  const Vector& differentiate(const Function& f, double first_step);
  /// Estimated error of each component; infinite where f has no finite values near 0.
  const Vector& error() const { return error_; }

 private:
  static constexpr int levels = 30, columns = 6;

  Vector terms_, plus_, minus_, derivative_, error_, magnitude_;
  Eigen::VectorXi age_;  // levels since the component's best entry
  std::vector<Vector> row_, previous_;
};

/// The largest power of two that is not larger; 1 for what has none.
double power_of_two_below(double value);

}  // namespace bricard
