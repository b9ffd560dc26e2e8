// The command `bricard`.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>

#include "bricard/input_error.h"
#include "commands/command.h"
#include "commands/interruption.h"
#include "model/printable.h"

namespace bricard {
namespace {

int run(CLI::App& app, int count, char** arguments, const Action& action) {
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, problem;
    const int code = app.exit(error, out, problem);
    fmt::print(stderr, "{}", printable_lines(problem.str()));
    std::fputs(out.str().c_str(), stdout);
    return code == 0 ? success : bad_input;
  }
  try {
    return action();
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", printable_lines(error.what()));
    return bad_input;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "{}\n", printable_lines(error.what()));
    return bad_input;
  } catch (const std::system_error& error) {  // printing failed
    if (!std::ferror(stdout)) fmt::print(stderr, "cannot write to standard output: {}\n", error.code().message());
    errno = error.code().value();
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bricard: internal error: {}\n", printable_lines(error.what()));
    return failed_analysis;
  }
}

}  // namespace
}  // namespace bricard

int bricard_command(int count, char** arguments) {
  using namespace bricard;
  CLI::App app{
      "Bricard: dynamics of constrained multibody systems, planar and spatial, with closed loops, redundant\n"
      "constraints, singular positions, driven and non-holonomic constraints."};
  app.set_version_flag("--version", "bricard " BRICARD_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Examples:\n"
      "  bricard run models/five-bar.yaml --output out/five-bar.csv     simulate, write every column\n"
      "  bricard batch models/four-bar.yaml --sweep l2=1.6:2:41         many values of a parameter\n"
      "  bricard check models/bricard.yaml                              count, find redundant constraints\n"
      "  bricard equilibrium models/hanging-chain.yaml                  where it rests, and what joints carry\n"
      "  bricard modes models/whipple-bicycle.yaml                      frequencies, damping, stability\n"
      "  bricard equations models/four-bar.yaml                         M, P, gamma, and what a formulation makes of "
      "them\n"
      "  bricard kinematics models/driven-four-bar.yaml                 a driven mechanism, and its motor's torque\n"
      "  bricard inverse models/planar-2r-robot.yaml                    efforts that a given motion needs\n"
      "  bricard methods                                                what can be chosen\n"
      "  bricard COMMAND --help                                         options and examples of a command\n\n"
      "Exit codes: 0 success, 1 a failed analysis (partial results are kept), 2 bad input or output,\n"
      "130 and 143 interrupted (Ctrl-C, SIGTERM; partial results are kept).");
  Action action;
  add_run(app, action);
  add_batch(app, action);
  add_check(app, action);
  add_compare(app, action);
  add_equilibrium(app, action);
  add_equations(app, action);
  add_modes(app, action);
  add_kinematics(app, action);
  add_inverse(app, action);
  add_methods(app, action);
  add_reproduce(app, action);
  add_generate(app, action);

  handle_signals();
  const int code = run(app, count, arguments, action);
  // What is left in the buffer is lost without a word if nobody asks.
  const bool failed_before = std::ferror(stdout) != 0;
  const int reason = errno;
  if (std::fflush(stdout) == 0 && !failed_before) return code;
  fmt::print(stderr, "cannot write to standard output: {}\n", std::strerror(failed_before ? reason : errno));
  return bad_input;
}
