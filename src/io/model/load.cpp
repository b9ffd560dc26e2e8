#include "bricard/load.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "io/model/loader.h"
#include "io/model/model_file.h"
#include "io/model/yaml_reader.h"
#include "io/model/yaml_tree.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

const std::vector<std::string> top_level_keys = {"bricard",    "name",    "description", "dimension", "gravity",
                                                 "parameters", "points",  "bodies",      "joints",    "motions",
                                                 "forces",     "initial", "simulation",  "outputs"};

[[noreturn]] void refuse(const std::string& file, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{{file, 0, 0, "", message}});
}

std::string read_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) refuse(file, "is a folder, not a model file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text, buffer(1 << 16, '\0');
  // In pieces, because the size of what is not a regular file is not known before.
  while (stream && text.size() <= max_file_size) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) refuse(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

// The version decides how to understand all the rest, so nothing else is looked at if it is wrong.
void check_version(const InputNode& root, const Problems& problems) {
  const std::optional<InputNode> version = find_entry(root, "bricard");
  if (!version) {
    root.error("the format version is missing; a model begins with 'bricard: 1'");
  } else if (!version->is_scalar() || version->text() != "1") {
    version->expected("format version 1, the only one that this program reads");
  }
  if (!version || version->text() != "1") problems.throw_if_any();
}

std::string load_text_value(const Fields& fields, const std::string& key) {
  const std::optional<InputNode> node = fields.find(key);
  if (!node || node->is_null()) return "";
  if (!node->is_scalar()) node->expected("a text");
  return node->text();
}

Dimension load_dimension(const Fields& fields) {
  const std::optional<InputNode> node = fields.find("dimension");
  if (!node) return Dimension::spatial;
  const std::string name = node->word("'planar' or 'spatial'");
  if (!name.empty() && name != "planar" && name != "spatial") {
    node->error(fmt::format("unknown dimension '{}'{}", name, suggestion(name, {"planar", "spatial"})));
  }
  return name == "planar" ? Dimension::planar : Dimension::spatial;
}

void load_section(Loader& loader, const Fields& fields, const std::string& key,
                  void (*load_part)(Loader&, const InputNode&)) {
  if (const std::optional<InputNode> node = fields.find(key)) load_part(loader, *node);
}

}  // namespace

void load_model(Model& model, const InputNode& root, const LoadOptions& options, Problems& problems) {
  const Fields fields(root, "a model", top_level_keys);
  model.name = load_text_value(fields, "name");
  if (model.name.empty()) model.name = std::filesystem::path(model.file).stem().string();
  model.description = load_text_value(fields, "description");
  model.dimension = load_dimension(fields);
  Loader loader(model, problems);
  load_parameters(loader, fields.find("parameters"), options, problems);
  model.gravity = model.planar() ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81);
  if (const std::optional<InputNode> gravity = fields.find("gravity")) model.gravity = loader.vector(*gravity);
  load_section(loader, fields, "points", load_points);
  load_section(loader, fields, "bodies", load_bodies);
  load_section(loader, fields, "joints", load_joints);
  load_section(loader, fields, "motions", load_motions);
  load_section(loader, fields, "forces", load_forces);
  load_section(loader, fields, "initial", load_initial);
  load_section(loader, fields, "simulation", load_simulation);
  load_section(loader, fields, "outputs", load_outputs);
  loader.finish();
  if (model.bodies.empty()) root.error("a model needs at least one body under 'bodies'");
}

ModelFile::ModelFile(std::string text, const std::string& name)
    : text_(std::move(text)), problems_(name), tree_(parse_yaml(text_, name, problems_.found())) {}

ModelFile ModelFile::read(const std::string& file) { return {read_file(file), file}; }

std::shared_ptr<const Model> ModelFile::load(const LoadOptions& options) const {
  Problems problems = problems_;
  const InputNode root(tree_, "", problems);
  if (!root.is_map()) {
    root.expected("a map that begins with 'bricard: 1'");
    problems.throw_if_any();
  }
  check_version(root, problems);
  auto model = std::make_shared<Model>();
  model->file = problems.file();
  model->text = text_;
  load_model(*model, root, options, problems);
  problems.throw_if_any();
  return model;
}

std::vector<std::pair<std::string, double>> ModelFile::parameter_values(const LoadOptions& options) const {
  Problems problems = problems_;
  const InputNode root(tree_, "", problems);
  Model model;
  Loader loader(model, problems);
  if (root.is_map()) load_parameters(loader, find_entry(root, "parameters"), options, problems);
  return model.parameters;
}

std::shared_ptr<const Model> load_text(const std::string& text, const std::string& name, const LoadOptions& options) {
  return ModelFile(text, name).load(options);
}

std::vector<std::pair<std::string, double>> load_parameter_values(const std::string& file, const LoadOptions& options) {
  return ModelFile::read(file).parameter_values(options);
}

std::shared_ptr<const Model> load(const std::string& file, const LoadOptions& options) {
  return ModelFile::read(file).load(options);
}

}  // namespace bricard
