#include "papers/timing.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace bricard {

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<double> smallest_times(int rounds, const std::vector<std::function<double()>>& candidates,
                                   const std::function<void(double fraction)>& progress) {
  std::vector<double> smallest(candidates.size(), std::numeric_limits<double>::infinity());
  const double total = static_cast<double>(std::max(rounds, 1)) * static_cast<double>(candidates.size());
  double done = 0;
  for (int round = 0; round < std::max(rounds, 1); ++round) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      smallest[k] = std::min(smallest[k], candidates[k]());
      if (progress) progress(++done / total);
    }
  }
  return smallest;
}

double seconds_per_call(const std::function<void()>& call) {
  for (long calls = 1;; calls *= 4) {
    const double start = thread_seconds();
    for (long k = 0; k < calls; ++k) call();
    const double seconds = thread_seconds() - start;
    if (seconds > 5e-4) return seconds / static_cast<double>(calls);
  }
}

}  // namespace bricard
