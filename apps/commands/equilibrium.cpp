// `bricard equilibrium`: where a mechanism can rest, and what its joints carry there.
#include "bricard/equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bricard/input_error.h"
#include "bricard/load.h"
#include "commands/command.h"
#include "io/results/file_sink.h"
#include "io/results/json_writer.h"

namespace bricard {
namespace {

struct CommandOptions {
  ModelOptions model;
  EquilibriumOptions search;
  bool any = false;
  std::string output;
};

const char* stability_name(Stability stability) {
  switch (stability) {
    case Stability::stable: return "stable";
    case Stability::neutral: return "neutral";
    default: return "unstable";
  }
}

std::string stability_text(const Equilibrium& found) {
  std::string name = stability_name(found.stability);
  if (found.degrees_of_freedom == 0) return name + ": nothing can move";
  if (!found.conservative)
    return fmt::format("{}: forces without a potential, fastest growth {:.6g} 1/s", name, found.growth);
  if (!std::isfinite(found.smallest_stiffness)) return name;
  return fmt::format("{}, smallest stiffness {:.6g} N/m ({})", name, found.smallest_stiffness, found.softest);
}

/// The columns of `run` at this instant, as far as they make sense at rest.
void write_row(const Model& model, const Equilibrium& found, Sink& sink) {
  std::vector<std::string> names;
  std::vector<double> values;
  const auto put = [&](const std::string& name, double value) { names.push_back(name), values.push_back(value); };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const std::string& name = model.bodies[b].name;
    const BodyState& body = found.bodies[b];
    put(name + ".x", body.center.x()), put(name + ".y", body.center.y());
    if (model.planar()) {
      put(name + ".angle", body.angle);
      continue;
    }
    put(name + ".z", body.center.z());
    put(name + ".qw", body.orientation.w()), put(name + ".qx", body.orientation.x());
    put(name + ".qy", body.orientation.y()), put(name + ".qz", body.orientation.z());
  }
  for (const JointPosition& position : found.joint_positions) put(position.joint + "." + position.name, position.value);
  for (const StaticReaction& reaction : found.reactions) {
    for (std::size_t k = 0; k < reaction.values.size(); ++k)
      put(reaction.joint + "." + reaction.components[k], reaction.values[k]);
  }
  for (const DriveEffort& drive : found.drives) put(drive.motion + ".effort", drive.effort);
  put("energy.potential", found.potential_energy);
  sink.begin(names);
  sink.row(Eigen::Map<const Vector>(values.data(), static_cast<int>(values.size())));
  sink.end();
}

std::string number(double value, double scale) {
  return fmt::format("{:>13.6g}", std::abs(value) < 1e-12 * scale ? 0 : value);
}

void print_text(const Model& model, const Equilibrium& found, const std::string& output) {
  fmt::print("{}\n", title(model));
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("  {:<20}{}\n", label, wrapped(text, 22));
  };
  if (found.ok) {
    line("found by", fmt::format("{}, {} iterations, unbalanced by {:.1e} of a typical force", found.how,
                                 found.iterations, found.residual));
    line("equilibrium", stability_text(found));
    line("degrees of freedom", std::to_string(found.degrees_of_freedom));
    line("potential energy", fmt::format("{:.10g} J", found.potential_energy));
    const double length = model.characteristic_length();
    const auto width_of = [](const auto& items, auto name) {
      std::size_t width = 4;
      for (const auto& item : items) width = std::max(width, name(item).size());
      return width;
    };
    std::size_t width = width_of(model.bodies, [](const Body& body) { return body.name; });
    fmt::print("  bodies{:>{}}{:>13}{}\n", "x", width + 11, "y",
               model.planar() ? fmt::format("{:>13}", "angle")
                              : fmt::format("{:>13}{:>13}{:>13}{:>13}{:>13}", "z", "qw", "qx", "qy", "qz"));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const BodyState& body = found.bodies[b];
      fmt::print("    {:<{}}{}{}", model.bodies[b].name, width, number(body.center.x(), length),
                 number(body.center.y(), length));
      if (model.planar()) {
        fmt::print("{}\n", number(body.angle, 1));
        continue;
      }
      const Quaternion& p = body.orientation;
      fmt::print("{}{}{}{}{}\n", number(body.center.z(), length), number(p.w(), 1), number(p.x(), 1), number(p.y(), 1),
                 number(p.z(), 1));
    }
    if (!found.joint_positions.empty()) {
      fmt::print("  joint coordinates\n");
      width = width_of(found.joint_positions, [](const JointPosition& p) { return p.joint + "." + p.name; });
      for (const JointPosition& p : found.joint_positions)
        fmt::print("    {:<{}}{}\n", p.joint + "." + p.name, width, number(p.value, p.name == "position" ? length : 1));
    }
    double force = 0;
    for (const StaticReaction& reaction : found.reactions) {
      for (double value : reaction.values) force = std::max(force, std::abs(value));
    }
    if (!found.reactions.empty()) {
      fmt::print("  reactions (i on j, world axes; * is not unique)\n");
      width = width_of(found.reactions, [](const StaticReaction& reaction) { return reaction.joint; });
      for (const StaticReaction& reaction : found.reactions) {
        std::string text;
        for (std::size_t k = 0; k < reaction.values.size(); ++k)
          text += fmt::format("  {}{}{}", reaction.components[k], number(reaction.values[k], 10 * force),
                              reaction.unique[k] ? " " : "*");
        fmt::print("    {:<{}}{}\n", reaction.joint, width, text);
      }
    }
    for (const DriveEffort& drive : found.drives) {
      const double effort = std::abs(drive.effort) < 1e-12 * force ? 0 : drive.effort;
      line("drive", fmt::format("{}: effort {:.6g}{}", drive.motion, effort, drive.unique ? "" : " (not unique)"));
    }
    if (!output.empty()) line("output", output);
  }
  for (const std::string& message : found.messages) line("note", message);
}

void print_json(const Model& model, const Equilibrium& found) {
  JsonWriter json;
  json.begin_object();
  json.member("status", found.ok ? "ok" : "failed").member("model", model.name);
  if (found.ok) {
    json.member("how", found.how).member("iterations", found.iterations).member("residual", found.residual);
    json.member("stability", stability_name(found.stability)).member("conservative", found.conservative);
    json.member("smallest_stiffness", found.smallest_stiffness).member("softest", found.softest);
    json.member("growth", found.conservative ? NAN : found.growth);
    json.member("degrees_of_freedom", found.degrees_of_freedom);
    json.member("statically_determinate", found.statically_determinate);
    json.member("potential_energy", found.potential_energy);
    json.key("bodies").begin_object();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const BodyState& body = found.bodies[b];
      json.key(model.bodies[b].name).begin_object();
      json.member("x", body.center.x()).member("y", body.center.y());
      if (model.planar()) {
        json.member("angle", body.angle);
      } else {
        const Quaternion& p = body.orientation;
        json.member("z", body.center.z())
            .member("qw", p.w())
            .member("qx", p.x())
            .member("qy", p.y())
            .member("qz", p.z());
      }
      json.end_object();
    }
    json.end_object();
    json.key("joint_coordinates").begin_object();
    for (const JointPosition& p : found.joint_positions) json.member(p.joint + "." + p.name, p.value);
    json.end_object();
    json.key("reactions").begin_object();
    for (const StaticReaction& reaction : found.reactions) {
      json.key(reaction.joint).begin_object();
      for (std::size_t k = 0; k < reaction.values.size(); ++k) {
        json.key(reaction.components[k]).begin_object();
        json.member("value", reaction.values[k]).member("unique", static_cast<bool>(reaction.unique[k])).end_object();
      }
      json.end_object();
    }
    json.end_object();
    json.key("drives").begin_object();
    for (const DriveEffort& drive : found.drives) {
      json.key(drive.motion).begin_object();
      json.member("effort", drive.effort).member("unique", drive.unique).end_object();
    }
    json.end_object();
    json.key("moved").begin_array();
    for (const Displacement& moved : found.moved) {
      json.begin_object().member("body", moved.body).member("distance", moved.distance);
      json.member("angle", moved.angle).end_object();
    }
    json.end_array();
  }
  json.key("messages").begin_array();
  for (const std::string& message : found.messages) json.value(message);
  if (!found.ok) json.value(found.failure);
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

int equilibrium(CommandOptions options) {
  if (!(options.search.tolerance > 0 && options.search.tolerance < 1))
    throw InputError("--tolerance must be positive and below 1");
  check_files({{"--output", options.output}}, {{"MODEL", options.model.file}});
  options.search.stable = !options.any;
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const auto sink = options.output.empty() ? nullptr : open_file_sink(options.output, {});
  const Equilibrium found = find_equilibrium(model, options.search);
  if (found.ok && sink) write_row(*model, found, *sink);
  if (options.model.json) {
    print_json(*model, found);
  } else {
    print_text(*model, found, options.output);
  }
  if (found.ok) return success;
  if (!options.model.json) fmt::print(stderr, "{}\n", found.failure);
  return failed_analysis;
}

}  // namespace

void add_equilibrium(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommandOptions>();
  CLI::App* command =
      app.add_subcommand("equilibrium", "Find where a model can rest, whether stably, and what its joints carry there");
  options->model.add_to(*command);
  command->add_flag("--any", options->any, "Take the first equilibrium that is found, also an unstable one");
  command
      ->add_option(
          "--tolerance", options->search.tolerance,
          "Unbalanced force against a typical one, and position errors against a typical length (default 1e-10)")
      ->check(within(positive_numbers))
      ->type_name("T");
  add_method_option(*command, "seed", options->search.seed, "Which way to leave unstable positions (default 1)");
  command->add_option("-o,--output", options->output, "Write positions and reactions to FILE.csv, FILE.json or FILE.h5")
      ->type_name("FILE");
  add_limits(*command, options->search.time_limit, options->search.memory_limit);
  command->footer(
      "Starts from the model's initial position, which may be far away: Newton's method first; where it fails or ends\n"
      "in an unstable equilibrium, a descent along the constraints. Drives and forces that depend on time are held at\n"
      "t = 0; friction is left out. Exit code 1 if there is no equilibrium.\n\n"
      "Examples:\n"
      "  bricard equilibrium models/hanging-chain.yaml\n"
      "  bricard equilibrium models/four-legged-table.yaml --set x0=0.2 --json\n"
      "  bricard equilibrium models/pendulum.yaml --set theta0='90 deg' --any");
  command->callback([options, &action] { action = [options] { return equilibrium(*options); }; });
}

}  // namespace bricard
