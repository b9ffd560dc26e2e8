// The command `bricard`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "commands/command.h"
#include "model/input_error.h"

int main(int count, char** arguments) {
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
      "  bricard kinematics models/driven-four-bar.yaml                 a driven mechanism, and its motor's torque\n"
      "  bricard inverse models/planar-2r-robot.yaml                    efforts that a given motion needs\n"
      "  bricard methods                                                what can be chosen\n"
      "  bricard COMMAND --help                                         options and examples of a command\n\n"
      "Exit codes: 0 success, 1 a failed analysis (partial results are kept), 2 bad input.");
  Action action;
  add_run(app, action);
  add_batch(app, action);
  add_check(app, action);
  add_compare(app, action);
  add_equilibrium(app, action);
  add_modes(app, action);
  add_kinematics(app, action);
  add_inverse(app, action);
  add_methods(app, action);
  add_reproduce(app, action);
  add_generate(app, action);

  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? success : bad_input;
  }
  try {
    return action();
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bricard: out of memory\n");
    return failed_analysis;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bricard: internal error: {}\n", error.what());
    return failed_analysis;
  }
}
