// When rows of an analysis are due.
#pragma once

namespace bricard {

/// Times of outputs: k steps from `start`, and the end, also when it is no multiple of the step.
class OutputTimes {
 public:
  OutputTimes(double start, double end, double step);
  long count() const { return last_ + 1; }
  double at(long k) const;

 private:
  double start_, end_, step_;
  long last_;
};

}  // namespace bricard
