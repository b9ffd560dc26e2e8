#include "commands/interruption.h"

#include <csignal>

#include "io/results/output_file.h"

namespace bricard {
namespace {

volatile std::sig_atomic_t signal_noted = 0, signals_are_noted = 0;

extern "C" void note_signal(int signal) {
  if (signals_are_noted && signal_noted == 0) {
    signal_noted = signal;
    return;
  }
  if (!signals_are_noted) remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before, action = {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    // What the caller told to be ignored (nohup, jobs in the background) stays so.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

Interruption::Interruption() { signals_are_noted = 1; }
Interruption::~Interruption() { signals_are_noted = 0; }

bool Interruption::noted() { return signal_noted != 0; }
int Interruption::exit_code() { return 128 + static_cast<int>(signal_noted); }

}  // namespace bricard
