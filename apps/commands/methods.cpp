// `bricard methods`: what can be chosen, from the lists of the engine itself.
#include <fmt/format.h>

#include "analyses/choice/choose_dynamics.h"
#include "analyses/reactions/physical_reactions.h"
#include "commands/command.h"
#include "coordinates/coordinates.h"
#include "forces/force_element.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "io/results/json_writer.h"
#include "model/joint_type.h"
#include "pseudoinverses/pseudoinverse.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace {

struct Entry {
  std::string name, description, source;
  std::vector<std::pair<std::string, std::string>> traits;
};

std::string yes_no(bool value) { return value ? "yes" : "no"; }
/// "5", "3 (2 at the velocity level)", "-" where the type does not exist.
std::string rows_text(int rows, int velocity_rows) {
  if (rows < 0) return "-";
  return std::to_string(rows) + (velocity_rows > 0 ? fmt::format(" ({} at the velocity level)", velocity_rows) : "");
}

std::vector<std::pair<std::string, std::vector<Entry>>> all_entries() {
  std::vector<std::pair<std::string, std::vector<Entry>>> groups(11);
  groups[0].first = "coordinates";
  for (const auto& type : coordinates_types()) {
    groups[0].second.push_back({type.name,
                                type.description,
                                type.source,
                                {{"planar", yes_no(type.planar)},
                                 {"spatial", yes_no(type.spatial)},
                                 {"regular mass matrix", yes_no(!type.singular_mass)}}});
  }
  groups[1].first = "formulations";
  for (const auto& type : formulation_types()) {
    const FormulationTraits& traits = type.traits;
    groups[1].second.push_back(
        {type.name,
         type.description,
         type.source,
         {{"redundant constraints", yes_no(traits.redundant_rows)},
          {"singular mass matrix", yes_no(traits.singular_mass)},
          {"velocity-level constraints", yes_no(traits.velocity_rows)},
          {"singular positions", traits.singular_positions ? "passes" : "needs projection or a rescue"},
          {"multipliers", traits.unique_multipliers ? "unique"
                          : traits.accuracy > 0     ? "estimate"
                                                    : "least norm"},
          {"cost", traits.cost}}});
  }
  groups[2].first = "pseudoinverses";
  for (const auto& type : pseudoinverse_types()) {
    const PseudoinverseTraits& traits = type.traits;
    groups[2].second.push_back({type.name,
                                type.description,
                                type.source,
                                {{"matrices without full rank", traits.any_rank ? "yes" : "wrong or refused"},
                                 {"rank", !traits.decides_rank   ? "taken for full"
                                          : traits.chooses_order ? "by the threshold"
                                                                 : "by the threshold, in the order given"},
                                 {"error grows with", traits.squares_condition ? "condition^2" : "condition"}}});
  }
  groups[3].first = "stabilizations";
  for (const auto& type : stabilization_types())
    groups[3].second.push_back({type.name, type.description, type.source, {}});
  groups[4].first = "integrators";
  for (const auto& type : integrator_types()) {
    groups[4].second.push_back({type.name,
                                type.description,
                                type.source,
                                {{"order", type.order == 0 ? "variable" : std::to_string(type.order)},
                                 {"step", type.fixed_step ? "fixed" : "adaptive"},
                                 {"for stiff models", yes_no(type.implicit)}}});
  }
  groups[5].first = "selections";
  for (const auto& type : selection_types()) groups[5].second.push_back({type.name, type.description, type.source, {}});
  groups[9].first = "dynamics";
  for (const auto& type : dynamics_types()) groups[9].second.push_back({type.name, type.description, "", {}});
  groups[8].first = "reactions";
  for (const auto& type : reaction_scheme_types()) {
    groups[8].second.push_back({type.name,
                                type.description,
                                type.source,
                                {{"redundant constraints", yes_no(type.redundant_rows)},
                                 {"singular mass matrix", yes_no(type.singular_mass)}}});
  }
  groups[6].first = "joints";
  for (const auto& type : joint_types()) {
    groups[6].second.push_back({type.name,
                                type.description,
                                "",
                                {{"planar rows", rows_text(type.planar_rows, type.planar_velocity_rows)},
                                 {"spatial rows", rows_text(type.spatial_rows, type.spatial_velocity_rows)}}});
  }
  groups[7].first = "forces";
  for (const auto& type : force_types()) groups[7].second.push_back({type.name, type.description, "", {}});
  groups[10].first = "options";
  for (const MethodOption& option : method_options()) {
    groups[10].second.push_back(
        {option.key,
         option.help,
         "",
         {{"option", option.command_option() + (*option.placeholder ? " " : "") + option.placeholder},
          {"values", option.values()},
          {"default", option.default_words()}}});
  }
  return groups;
}

int methods(bool json_wanted) {
  if (json_wanted) {
    JsonWriter json;
    json.begin_object();
    for (const auto& [group, entries] : all_entries()) {
      json.key(group).begin_array();
      for (const Entry& entry : entries) {
        json.begin_object()
            .member("name", entry.name)
            .member("description", entry.description)
            .member("source", entry.source);
        json.key("traits").begin_object();
        for (const auto& [name, value] : entry.traits) json.member(name, value);
        json.end_object().end_object();
      }
      json.end_array();
    }
    json.end_object();
    fmt::print("{}\n", json.text());
    return success;
  }
  for (const auto& [group, entries] : all_entries()) {
    fmt::print("{}\n", group);
    for (const Entry& entry : entries) {
      fmt::print("  {:<24}{}\n", entry.name, wrapped(entry.description, 26));
      std::string traits;
      for (const auto& [name, value] : entry.traits) traits += (traits.empty() ? "" : ", ") + name + ": " + value;
      if (!traits.empty()) fmt::print("  {:<24}{}\n", "", wrapped(traits, 26));
      if (!entry.source.empty()) fmt::print("  {:<24}[{}]\n", "", wrapped(entry.source, 27));
    }
    fmt::print("\n");
  }
  fmt::print("`auto`, the default everywhere, chooses from the model and says why in the summary of a run.\n");
  return success;
}

}  // namespace

void add_methods(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "methods", "List what can be chosen: coordinates, formulations, pseudoinverses, integrators, options ...");
  command->add_flag("--json", *json, "Print one JSON object instead of text");
  command->footer(
      "Each entry has its source and what it can and cannot handle. Options are those of `run` and keys "
      "under\n`simulation:` of a model.\n\nExample:\n  bricard methods --json");
  command->callback([json, &action] { action = [json] { return methods(*json); }; });
}

}  // namespace bricard
