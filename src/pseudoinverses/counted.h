// A number that counts the operations made with it: + - * / and square roots, one each; comparisons, signs and copies
// are free [Arabyan-Wu 1998]. Code that is a template of its scalar is counted as it stands.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <compare>
#include <type_traits>

namespace bricard {

class Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value) {}  // NOLINT(google-explicit-constructor): stands for a double

  Counted& operator+=(Counted b) { return count(value_ += b.value_); }
  Counted& operator-=(Counted b) { return count(value_ -= b.value_); }
  Counted& operator*=(Counted b) { return count(value_ *= b.value_); }
  Counted& operator/=(Counted b) { return count(value_ /= b.value_); }
  friend Counted operator+(Counted a, Counted b) { return a += b; }
  friend Counted operator-(Counted a, Counted b) { return a -= b; }
  friend Counted operator*(Counted a, Counted b) { return a *= b; }
  friend Counted operator/(Counted a, Counted b) { return a /= b; }
  friend Counted operator-(Counted a) { return -a.value_; }
  friend bool operator==(Counted a, Counted b) { return a.value_ == b.value_; }
  friend auto operator<=>(Counted a, Counted b) { return a.value_ <=> b.value_; }
  friend Counted abs(Counted a) { return std::abs(a.value_); }
  friend Counted sqrt(Counted a) {
    ++operations();
    return std::sqrt(a.value_);
  }
  double value() const { return value_; }

  /// Made so far by this thread.
  static long& operations() {
    thread_local long made = 0;
    return made;
  }

 private:
  Counted& count(double) {
    ++operations();
    return *this;
  }

  double value_ = 0;
};

/// A B; of counted numbers element by element, because Eigen's kernels for larger products multiply by one besides.
template <class Left, class Right>
auto counted_product(const Left& A, const Right& B) {
  if constexpr (std::is_same_v<typename Left::Scalar, Counted>) {
    return A.lazyProduct(B);
  } else {
    return A * B;
  }
}

}  // namespace bricard

namespace Eigen {
template <>
struct NumTraits<bricard::Counted> : NumTraits<double> {
  using Real = bricard::Counted;
  using NonInteger = bricard::Counted;
  using Nested = bricard::Counted;
  using Literal = bricard::Counted;
};
}  // namespace Eigen
