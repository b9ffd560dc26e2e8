// What an expression does with time alone, found before a run so that nothing of it is stepped over.
//   Breakpoints: the times at which a switching function of time changes its sign (step(t, ..), if(t < ..),
//   abs(sin(t))). Stretches: where a part that depends on time alone changes, pieces of time over each of which a
//   polynomial of degree five through its ends, with slopes and curvatures, follows it. Pieces are halved until one
//   does, and joined while one still does. A pulse has short ones, however long the run; what stays constant has none.
#pragma once

#include <vector>

#include "bricard/expression.h"

namespace bricard {

struct TimeStretch {
  double begin, end;
};

struct TimeScan {
  std::vector<double> breakpoints;     // ascending, within the scanned time but not its ends
  std::vector<TimeStretch> stretches;  // ascending
};

/// From t = 0 to `end`. What is not made of polynomials and sines is looked at in steps of `resolution` at the least.
TimeScan scan_time(const Expression& expression, double end, double resolution);

/// Sorts; numbers within 8 units in the last place are one.
void unite_times(std::vector<double>& times);

}  // namespace bricard
