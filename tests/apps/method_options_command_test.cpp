// The command line, the schema and the page know every option of a method.
#include "support/command_fixture.h"
#include "support/option_values.h"

namespace bricard {
namespace method_options_command_test {

using testing_support::bad_values;
using testing_support::contains;
using testing_support::models;
using testing_support::Outcome;

class MethodOptionsCommand : public testing_support::CommandFixture {
 protected:
  /// Help is wrapped: a text of words that a single blank parts.
  static std::string in_one_line(const std::string& text) {
    std::istringstream words(text);
    std::string line, word;
    while (words >> word) line += word + " ";
    return line;
  }
};

TEST_F(MethodOptionsCommand, RunListsEveryOption) {
  const std::string help = in_one_line(run("run --help").out), methods = in_one_line(run("methods").out);
  for (const MethodOption& option : method_options()) {
    EXPECT_TRUE(contains(help, option.command_option() + " " + option.placeholder)) << option.key;
    EXPECT_TRUE(contains(help, option.command_help())) << option.key;
    EXPECT_TRUE(contains(methods, option.help)) << option.key;
  }
}

TEST_F(MethodOptionsCommand, BadValuesAreRefusedByName) {
  for (const MethodOption& option : method_options()) {
    for (const std::string& value : bad_values(option)) {
      const Outcome outcome = run("run " + models + "pendulum.yaml " + option.command_option() + "=" + value);
      const std::string name = option.choices.empty() ? option.command_option() : option.words();
      EXPECT_EQ(outcome.code, 2) << option.key << " " << value;
      EXPECT_TRUE(contains(outcome.error, name)) << option.key << " " << value << ": " << outcome.error;
    }
  }
}

// Of names that lists of types know: each option has one that is not in its list.
TEST_F(MethodOptionsCommand, UnknownNamesAreRefusedByName) {
  for (const MethodOption& option : method_options()) {
    if (option.values() != "a name") continue;
    const Outcome outcome = run("run " + models + "pendulum.yaml " + option.command_option() + " no-such-name");
    EXPECT_EQ(outcome.code, 2) << option.key;
    EXPECT_TRUE(contains(outcome.error, "unknown " + option.words() + " 'no-such-name'")) << outcome.error;
  }
}

TEST_F(MethodOptionsCommand, FlagsOverrideTheModel) {
  const std::string file = folder_ / "m.yaml";
  std::ofstream(file) << "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0]}\n"
                         "bodies: {b: {rod: [A, B], mass: 1}}\n"
                         "joints: {A: {type: revolute, bodies: [ground, b], at: A}}\n"
                         "simulation: {duration: 0.1, diagnostics: true}\n";
  EXPECT_TRUE(contains(run("run --json " + file).out, "constraint.rank"));
  EXPECT_TRUE(contains(run("run --json --diagnostics " + file).out, "constraint.rank"));
  EXPECT_FALSE(contains(run("run --json --diagnostics=false " + file).out, "constraint.rank"));
}

// That their texts are the table's, too, is for scripts/update-options --check.
TEST_F(MethodOptionsCommand, SchemaAndPageHaveEveryOption) {
  const std::string schema = read(BRICARD_SOURCE_DIR "/share/bricard/model.schema.json"),
                    page = read(BRICARD_SOURCE_DIR "/docs/model-format.md");
  for (const MethodOption& option : method_options()) {
    EXPECT_TRUE(contains(schema, "\n        \"" + std::string(option.key) + "\": {")) << option.key;
    EXPECT_TRUE(contains(page, "\n| `" + std::string(option.key) + "` | ")) << option.key;
  }
}

}  // namespace method_options_command_test
}  // namespace bricard
