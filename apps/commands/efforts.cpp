#include "commands/efforts.h"

#include <fmt/format.h>

#include "commands/command.h"

namespace bricard {

void print_line(const char* label, const std::string& text) { fmt::print("  {:<13}{}\n", label, wrapped(text, 15)); }

void print_efforts(const EffortSummary& efforts) {
  const PeakReaction* largest = efforts.largest_reaction();
  bool first = true;
  for (const ColumnRange& range : efforts.ranges()) {
    if (efforts.empty()) break;
    fmt::print("  {:<13}{:<20} {:>12.6g} (t = {:.4g} s) to {:>12.6g} (t = {:.4g} s)\n", first ? "efforts" : "",
               range.name, range.least, range.least_time, range.most, range.most_time);
    first = false;
  }
  if (largest)
    print_line("reactions",
               fmt::format("largest {:.6g} N in {} at t = {:.4g} s", largest->force, largest->joint, largest->time));
}

void write_efforts(const EffortSummary& efforts, JsonWriter& json) {
  json.key("ranges").begin_object();
  for (const ColumnRange& range : efforts.ranges()) {
    if (efforts.empty()) break;
    json.key(range.name).begin_object();
    json.member("least", range.least).member("least_time", range.least_time);
    json.member("most", range.most).member("most_time", range.most_time).end_object();
  }
  json.end_object();
  json.key("reactions").begin_object();
  for (const PeakReaction& peak : efforts.reactions()) {
    if (efforts.empty()) break;
    json.key(peak.joint).begin_object().member("force", peak.force).member("time", peak.time).end_object();
  }
  json.end_object();
}

}  // namespace bricard
