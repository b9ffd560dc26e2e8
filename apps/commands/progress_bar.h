// A bar on a terminal, for work that takes more than a second.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace bricard {

/// A bar on a terminal, once work takes more than a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted) : shown_(wanted && isatty(STDERR_FILENO)) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void operator()(double fraction) { (*this)(fraction, ""); }
  void operator()(double fraction, const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    if (!shown_ || elapsed < 1 || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const int filled = static_cast<int>(40 * fraction);
    fmt::print(stderr, "\r[{:<40}] {:3.0f} %  {:.0f} s left  {:<30.30}", std::string(filled, '#'), 100 * fraction,
               fraction > 0 ? elapsed * (1 - fraction) / fraction : 0.0, what);
    std::fflush(stderr);
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r{:100}\r", "");
    drawn_ = false;
  }

 private:
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

}  // namespace bricard
