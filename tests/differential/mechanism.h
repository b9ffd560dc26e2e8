// Random mechanisms as model files, each from one number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bricard::differential {

/// An entry of a section of a model file, and the names of other entries that it needs.
struct Entry {
  std::string section, name, text;
  std::vector<std::string> needs;  // "bodies/b1"
};

struct Mechanism {
  bool planar = true;
  std::string kind;     // how it was built
  std::string gravity;  // empty: the default
  double duration = 0.2;
  std::vector<Entry> entries;

  std::string yaml() const;
  /// Without an entry and everything that needs it.
  Mechanism without(std::size_t entry) const;
};

/// `joints_twice`: some joints are given a second time.
Mechanism random_mechanism(std::uint64_t seed, bool joints_twice);

/// Numbers that are the same on every machine.
class Dice {
 public:
  /// Seeds are scrambled: neighbours would otherwise give the same numbers, shifted.
  explicit Dice(std::uint64_t seed) : state_(seed) {
    const std::uint64_t high = next(), low = next();
    state_ = (high << 17) ^ (low * 0xD6E8FEB86659FD93ull) ^ (high >> 5);
  }
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double between(double a, double b) { return a + (b - a) * static_cast<double>(next() >> 11) * 0x1p-53; }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return between(0, 1) < p; }
  template <class List>
  const auto& one_of(const List& list) {
    return *(std::begin(list) + below(static_cast<int>(std::size(list))));
  }

 private:
  std::uint64_t state_;
};

}  // namespace bricard::differential
