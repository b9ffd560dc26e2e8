// CPU times for tables: every candidate once, then all again, so that noise of the machine hits all alike; the smallest
// time of each counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bricard {

/// CPU seconds of this thread.
double thread_seconds();

/// A candidate returns the CPU seconds of one run of itself. `progress` gets the fraction done.
std::vector<double> smallest_times(int rounds, const std::vector<std::function<double()>>& candidates,
                                   const std::function<void(double fraction)>& progress = {});

/// Seconds of one call, from as many calls as take about a millisecond.
double seconds_per_call(const std::function<void()>& call);

}  // namespace bricard
