// `bricard reproduce` of a command that was built without papers (BRICARD_PAPERS=OFF): says so.
#include "bricard/input_error.h"
#include "commands/command.h"

namespace bricard {

void add_reproduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reproduce", "Published tables: not in this build (make build has them)");
  command->allow_extras();
  command->callback([&action] {
    action = []() -> int {
      throw InputError(
          "this bricard was built without the published tables, as by `make run`: `make build` builds them too "
          "(cmake: -DBRICARD_PAPERS=ON)");
    };
  });
}

}  // namespace bricard
