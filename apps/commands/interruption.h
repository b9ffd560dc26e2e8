// SIGINT (Ctrl-C), SIGTERM and SIGHUP.
#pragma once

namespace bricard {

/// Once, by the program: a signal ends it, and files that are not finished are removed. Writing to a pipe that nobody
/// reads, or beyond a limit of file sizes, is an error of that write.
void handle_signals();

/// While it lives, a first signal is only noted, so that the work can end with what it has; a second one ends the
/// program at once, and leaves unfinished files.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool noted();
  /// As shells count: 128 and the signal.
  static int exit_code();
};

}  // namespace bricard
