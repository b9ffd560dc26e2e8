// `bricard generate`: writes models of any size.
#include <fmt/format.h>

#include "bricard/input_error.h"
#include "commands/command.h"
#include "io/model/generate.h"

namespace bricard {
namespace {

struct GenerateOptions {
  std::string output;
  int size = 0;
};

int generate(const GeneratorType& type, const GenerateOptions& options) {
  if (options.size < 1 || options.size > 1'000'000)
    throw InputError(fmt::format("--{} must be between 1 and 1000000", type.size_name));
  const std::unique_ptr<OutputFile> file = open_output(options.output);
  const std::string text = type.generate(options.size);
  if (file) {
    write_file(*file, text);
  } else {
    fmt::print("{}", text);
  }
  return success;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", "Write a model file of a family of mechanisms, for any size");
  command->require_subcommand(1);
  for (const GeneratorType& type : generator_types()) {
    auto options = std::make_shared<GenerateOptions>();
    options->size = type.default_size;
    CLI::App* family = command->add_subcommand(type.name, type.description);
    family
        ->add_option(std::string("--") + type.size_name, options->size,
                     fmt::format("How many (default {})", type.default_size))
        ->type_name("N");
    family->add_option("-o,--output", options->output, "File to write (default: standard output)")->type_name("FILE");
    family->footer(fmt::format("Example:\n  bricard generate {0} --{1} {2} --output {0}.yaml && bricard run {0}.yaml",
                               type.name, type.size_name, type.default_size));
    family->callback([options, &type, &action] { action = [options, &type] { return generate(type, *options); }; });
  }
  command->footer(
      "Example:\n  bricard generate n-four-bar --loops 40 --output n-four-bar-40.yaml && bricard run "
      "n-four-bar-40.yaml");
}

}  // namespace bricard
