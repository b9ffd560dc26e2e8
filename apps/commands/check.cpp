// `bricard check`: reads, validates, assembles and counts.
#include <fmt/format.h>

#include "analyses/assembly.h"
#include "analyses/choose_method.h"
#include "commands/command.h"
#include "io/json_writer.h"
#include "io/load.h"

namespace bricard {
namespace {

struct CheckOptions {
  ModelOptions model;
  Method method;
};

void print_text(const Model& model, const System& system, const Assembly& assembly, const Structure& s,
                const std::vector<std::string>& messages) {
  fmt::print("{}\n", model.name.empty() ? model.file : model.name);
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("  {:<20}{}\n", label, wrapped(text, 22));
  };
  line("dimension", model.planar() ? "planar" : "spatial");
  line("bodies", std::to_string(model.bodies.size()));
  line("coordinates", fmt::format("{} ({})", s.coordinates, system.coordinates_type().name));
  line("constraints",
       fmt::format(
           "{}{}", s.constraints,
           s.velocity_constraints ? fmt::format(", {} of them at the velocity level", s.velocity_constraints) : ""));
  line("rank", std::to_string(s.rank));
  line("degrees of freedom", std::to_string(s.degrees_of_freedom));
  line("consistent", assembly.ok ? fmt::format("yes (positions to {:.1e}, velocities to {:.1e})",
                                               assembly.position_error, assembly.velocity_error)
                                 : "no");
  for (const Displacement& moved : assembly.moved) {
    line("moved by assembly", fmt::format("{} by {:.4g} m and {:.4g} rad", moved.body, moved.distance, moved.angle));
  }
  if (!s.redundant.empty()) {
    fmt::print("  redundant constraints (implied by the others; another choice of rows may serve as well)\n");
    for (const RedundantRow& row : s.redundant) fmt::print("    {}: {}\n", row.joint, row.equation);
    fmt::print(
        "  reactions that are not unique (a convention: runs report those of least norm, moments per characteristic "
        "length)\n");
    for (const auto& [joint, components] : s.reactions) {
      std::string names;
      for (const auto& [name, unique] : components) names += unique ? "" : " " + name;
      if (!names.empty()) fmt::print("    {}:{}\n", joint, names);
    }
  }
  for (const std::string& message : messages) line("note", message);
}

void print_json(const Model& model, const System& system, const Assembly& assembly, const Structure& s,
                const std::vector<std::string>& messages) {
  JsonWriter json;
  json.begin_object();
  json.member("model", model.name)
      .member("coordinate_set", system.coordinates_type().name)
      .member("coordinates", s.coordinates);
  json.member("constraints", s.constraints)
      .member("velocity_constraints", s.velocity_constraints)
      .member("rank", s.rank);
  json.member("degrees_of_freedom", s.degrees_of_freedom);
  json.key("redundant").begin_array();
  for (const RedundantRow& row : s.redundant)
    json.begin_object().member("joint", row.joint).member("equation", row.equation).end_object();
  json.end_array();
  json.key("reactions").begin_object();
  for (const auto& [joint, components] : s.reactions) {
    json.key(joint).begin_object();
    for (const auto& [name, unique] : components) json.member(name, unique ? "unique" : "not-unique");
    json.end_object();
  }
  json.end_object();
  json.member("consistent", assembly.ok)
      .member("constraint_position", assembly.position_error)
      .member("constraint_velocity", assembly.velocity_error);
  json.key("moved").begin_array();
  for (const Displacement& moved : assembly.moved) {
    json.begin_object()
        .member("body", moved.body)
        .member("distance", moved.distance)
        .member("angle", moved.angle)
        .end_object();
  }
  json.end_array();
  json.key("massless").begin_array();
  for (const std::string& body : s.massless) json.value(body);
  json.end_array();
  json.key("messages").begin_array();
  for (const std::string& message : messages) json.value(message);
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

int check(const CheckOptions& options) {
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  Method requested = options.method;
  requested.complete_from(model->simulation);
  const CoordinatesType& coordinates = choose_coordinates(*model, requested);
  const Assembly assembly = assemble(model, coordinates);
  System system(model, coordinates);
  start_at(system, assembly);
  const Structure structure = analyze_structure(system, assembly.q, assembly.v);

  std::vector<std::string> messages = model->warnings;
  if (!assembly.ok)
    messages.push_back(assembly.message + "; the counts above are those of the position where the assembly gave up");
  if (structure.mass_is_singular) {
    std::string bodies;
    for (const std::string& body : structure.massless) bodies += (bodies.empty() ? "" : ", ") + body;
    messages.push_back(
        bodies.empty()
            ? "the mass matrix is singular in these coordinates: formulations that need its inverse are refused"
            : "the mass matrix is singular (" + bodies +
                  " without mass or some inertia): formulations that need its inverse are refused");
  }
  if (!structure.accelerations_are_unique)
    messages.emplace_back("the accelerations are not determined: a motion has neither inertia nor a constraint");
  if (assembly.ok && structure.degrees_of_freedom == 0)
    messages.emplace_back("no degree of freedom is left: the motion follows from the drives alone, or nothing moves");
  (options.model.json ? print_json : print_text)(*model, system, assembly, structure, messages);
  return assembly.ok && structure.accelerations_are_unique ? success : failed_analysis;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Read, assemble and count a model: rank, freedom, redundant constraints");
  options->model.add_to(*command);
  command->add_option("--coordinates", options->method.coordinates, "Coordinate set; see bricard methods")
      ->type_name("NAME");
  command->footer(
      "Says whether the constraints can be satisfied, how many are independent, which are implied by others, and\n"
      "which joint reactions are therefore not unique. Exit code 1 if the model cannot be assembled.\n\n"
      "Examples:\n"
      "  bricard check models/bricard.yaml\n"
      "  bricard check models/mcpherson-overconstrained.yaml --coordinates euler-zxz --json");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace bricard
