#include "analyses/run/budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "bricard/input_error.h"

namespace bricard {
namespace {

constexpr double most_result_megabytes = 16e3, most_rows = 1e8;
constexpr double usual_memory_limit = 8e3;
constexpr double usual_max_steps = 1e7;

double or_usual(double value, double usual) { return std::isnan(value) ? usual : value; }

/// Of this process, in MB; 0 if it cannot be found.
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  return file >> all >> resident ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6 : 0;
}

double most_steps(const Method& method, bool fixed_step) {
  if (!std::isnan(method.max_steps)) return method.max_steps;
  // Steps of a given length are known before; twice that, for restarts and rejected ones.
  const double planned = fixed_step && method.step > 0 ? 2 * method.duration / method.step : 0;
  return std::max(usual_max_steps, planned + 1000);
}

}  // namespace

std::string time_words(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return seconds < 172800 ? fmt::format("{:.3g} h", seconds / 3600) : fmt::format("{:.3g} d", seconds / 86400);
}

std::string memory_words(double megabytes) {
  return megabytes < 1e3 ? fmt::format("{:.3g} MB", megabytes) : fmt::format("{:.3g} GB", megabytes * 1e-3);
}

void check_rows(double duration, double output_step, long columns, double memory_limit) {
  const double rows = std::floor(duration / output_step) + 1;
  const double megabytes = 8e-6 * rows * static_cast<double>(columns);
  if (megabytes <= or_usual(memory_limit, most_result_megabytes) && (rows <= most_rows || !std::isnan(memory_limit)))
    return;
  throw InputError(fmt::format(
      "a row every {:g} s for {:g} s makes {:.4g} rows of {} numbers, {}, which is more than {}: raise the "
      "output step, shorten the duration, or allow it with --memory-limit {:.0f}",
      output_step, duration, rows, columns, memory_words(megabytes),
      rows > most_rows && std::isnan(memory_limit) ? fmt::format("{:g} rows", most_rows)
                                                   : memory_words(or_usual(memory_limit, most_result_megabytes)),
      std::ceil(1.01 * megabytes)));
}

void check_dense(const DenseWork& work, double time_limit, double memory_limit) {
  check_work({.what = work.what,
              .because = "for the matrices are dense",
              .seconds = work.seconds(),
              .megabytes = work.megabytes(),
              .usual_time_limit = work.usual_time_limit},
             time_limit, memory_limit);
}

void check_work(const Work& work, double time_limit, double memory_limit) {
  const double seconds = work.seconds, megabytes = work.megabytes;
  const bool long_time = seconds > or_usual(time_limit, work.usual_time_limit),
             much = megabytes > or_usual(memory_limit, usual_memory_limit);
  if (!long_time && !much) return;
  std::string how;
  if (long_time) how += fmt::format(" --time-limit {:.0f}", std::ceil(1.1 * seconds));
  if (much) how += fmt::format(" --memory-limit {:.0f}", std::ceil(1.1 * megabytes));
  throw InputError(fmt::format("{} would take about {} and {}, {}: it is not begun without{}", work.what,
                               time_words(seconds), memory_words(megabytes), work.because, how));
}

bool Pace::is_hopeless(long steps, double t, double end) {
  if (steps < every || (!marks_.empty() && steps < marks_.back().steps + every)) return false;
  marks_.push_back({steps, t});
  // The last mark before half of the steps.
  const auto half =
      std::partition_point(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.steps <= steps / 2; });
  const Mark from = half == marks_.begin() ? Mark{0, 0} : *(half - 1);
  if (half == marks_.begin()) return false;
  recent_step_ = std::max(t - from.t, 0.0) / static_cast<double>(steps - from.steps);
  steps_left_ = (end - t) / std::max(recent_step_, 1e-300);
  return steps_left_ > most_ * (most_ / static_cast<double>(steps));
}

RunBudget::RunBudget(const Method& method, bool fixed_step)
    : max_steps_(most_steps(method, fixed_step)),
      time_limit_(method.time_limit),
      memory_limit_(method.memory_limit),
      end_(method.duration),
      steps_were_given_(!std::isnan(method.max_steps)),
      pace_(max_steps_) {
  if (max_steps_ < 1e5 || !std::isnan(time_limit_)) stride_ = 1;
}

std::string RunBudget::spent(long steps, double t) {
  if (static_cast<double>(steps) >= max_steps_) {
    return fmt::format("{} steps were taken, {}; the rest would need about {:.2g} more at this pace: {}", steps,
                       steps_were_given_ ? "as many as --max-steps allows" : "more than a run may take unasked",
                       t > 0 ? static_cast<double>(steps) * (end_ - t) / t : INFINITY,
                       "loosen the tolerance, choose an integrator for stiff equations, or raise --max-steps");
  }
  if (!std::isnan(time_limit_)) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    if (seconds > time_limit_)
      return fmt::format("its time of {} is over after {} steps (--time-limit)", time_words(time_limit_), steps);
  }
  if (!std::isnan(memory_limit_) && calls_ % 256 == 0) {
    const double megabytes = resident_megabytes();
    if (megabytes > memory_limit_)
      return fmt::format("it needs {} of memory, more than the {} of --memory-limit: rows that are kept grew",
                         memory_words(megabytes), memory_words(memory_limit_));
  }
  if (pace_.is_hopeless(steps, t, end_)) {
    stalled_ = true;
    return fmt::format(
        "the steps shrink, lately to {:.2g} s, and the rest would take {:.2g} of them: something grows "
        "without bound here (a pole of a law?), or is far faster than the run is long",
        pace_.recent_step(), pace_.steps_left());
  }
  return {};
}

}  // namespace bricard
