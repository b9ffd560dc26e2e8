// What an analysis may take, so that every command ends: rows, steps, time and memory. The limits follow from the
// request unless they are given (Method::max_steps, time_limit, memory_limit). What is known before is refused before,
// with the figures; what shows on the way ends the run there, with its rows and the reason.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bricard/method.h"

namespace bricard {

/// Refuses (InputError) results of more numbers than the memory limit or, without one, than most_result_bytes.
void check_rows(double duration, double output_step, long columns, double memory_limit);

/// What an analysis would take.
struct Work {
  std::string what, because;  // "for the matrices are dense"
  double seconds, megabytes;
  double usual_time_limit = 60;  // s
};
/// Refuses (InputError) what would take longer than the time limit (without one: its usual one) or more memory than the
/// memory limit (without one: 8 GB), and says how long and how much.
void check_work(const Work& work, double time_limit, double memory_limit);

/// A dense analysis: its time grows with the cube of the size, its memory with the square.
struct DenseWork {
  std::string what;         // "modes of 6000 coordinates"
  double seconds_per_cube;  // measured: time = seconds_per_cube * size^3 * times
  double matrices;          // of size x size numbers that it keeps at once
  double size = 0, times = 1;
  double usual_time_limit = 60;  // s

  double seconds() const { return seconds_per_cube * size * size * size * times; }
  double megabytes() const { return matrices * 8e-6 * size * size; }
};
void check_dense(const DenseWork& work, double time_limit, double memory_limit);

/// Notices steps that shrink for good, as towards a pole of a law: at the pace of the latter half of all steps the rest
/// would take more than most^2/(steps so far) of them. So a short phase of short steps passes, and a long one need not
/// be waited for.
class Pace {
 public:
  explicit Pace(double most_steps) : most_(most_steps) {}
  /// After `steps`, at t. True: hopeless.
  bool is_hopeless(long steps, double t, double end);
  double recent_step() const { return recent_step_; }
  double steps_left() const { return steps_left_; }

 private:
  static constexpr long every = 4096;
  struct Mark {
    long steps;
    double t;
  };
  double most_, recent_step_ = 0, steps_left_ = 0;
  std::vector<Mark> marks_;
};

/// The steps, time and memory of one run.
class RunBudget {
 public:
  /// `method`: complete, its limits as they were asked for.
  explicit RunBudget(const Method& method, bool fixed_step);

  /// Asked before every step: whether to ask spent(). Looking has its price.
  bool is_due() { return ++calls_ % stride_ == 0; }
  /// Why the run ends here; empty: it goes on. `steps`: so far, rejected ones included.
  std::string spent(long steps, double t);
  /// It ended because steps shrink: something grows without bound.
  bool is_stalled() const { return stalled_; }

 private:
  double max_steps_, time_limit_, memory_limit_, end_;
  bool steps_were_given_;
  long calls_ = 0, stride_ = 64;
  bool stalled_ = false;
  Pace pace_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// "20 s", "4 min", "3 h", "2 d"
std::string time_words(double seconds);
/// "20 MB", "3.1 GB"
std::string memory_words(double megabytes);

}  // namespace bricard
