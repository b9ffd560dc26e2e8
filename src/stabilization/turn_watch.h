// When turns of joints are to be counted: angles of joints in space are known but for full turns, which the System
// counts by evaluating them. That takes time, and is needed only before one of them can have turned by half a turn.
#pragma once

namespace bricard {

class TurnWatch {
 public:
  /// Must turns be counted at time t, where no joint turns faster than `rate`?
  bool is_due(double t, double rate) const {
    constexpr double little = 0.1;  // radians; steps may turn joints by more, which the count itself allows for
    return t < counted_ || rate * (t - counted_) > little;
  }
  void count(double t) { counted_ = t; }

 private:
  double counted_ = 0;
};

}  // namespace bricard
