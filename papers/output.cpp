#include "papers/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/results/json_writer.h"

namespace bricard {
namespace {

std::string table_text(const ReproducedTable& table) {
  std::vector<std::size_t> width;
  for (const std::string& title : table.header) width.push_back(title.size());
  for (const std::vector<std::string>& row : table.rows) {
    for (std::size_t k = 0; k < row.size() && k < width.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text = fmt::format("  {}\n", table.caption);
  const auto line = [&](const std::vector<std::string>& cells) {
    text += "   ";
    for (std::size_t k = 0; k < cells.size() && k < width.size(); ++k)
      text += k == 0 ? fmt::format(" {:<{}}", cells[k], width[k]) : fmt::format("  {:>{}}", cells[k], width[k]);
    text += '\n';
  };
  line(table.header);
  for (const std::vector<std::string>& row : table.rows) line(row);
  if (!table.note.empty()) text += fmt::format("    {}\n", table.note);
  return text;
}

}  // namespace

std::string verdict_of(const Claim& claim) {
  if (!claim.not_judged.empty()) return "not judged: " + claim.not_judged;
  return claim.confirmed ? "confirmed" : "not confirmed here";
}

void mark_times(Reproduction& result, const std::vector<std::string>& claims, const std::vector<std::string>& columns) {
  const auto has_one = [](const std::string& text, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text.find(word) != std::string::npos; });
  };
  for (Claim& claim : result.claims) claim.of_times = claim.of_times || has_one(claim.text, claims);
  for (ReproducedTable& table : result.tables) {
    for (const std::string& title : table.header) {
      if (has_one(title, columns) && title.find("paper") == std::string::npos) table.timed.push_back(title);
    }
  }
}

std::string reproduction_text(const Reproduction& r) {
  std::string text = fmt::format("{} {}: {}\n", r.paper, r.item, r.title);
  for (const ReproducedTable& table : r.tables) text += table_text(table);
  for (const Claim& claim : r.claims)
    text += fmt::format("  claim: {}\n    {}: {}\n", claim.text, verdict_of(claim), claim.measured);
  for (const std::string& difference : r.differences) text += fmt::format("  differs: {}\n", difference);
  return text;
}

std::string reproductions_json(const std::vector<Reproduction>& reproductions) {
  JsonWriter json;
  json.begin_array();
  for (const Reproduction& r : reproductions) {
    json.begin_object().member("paper", r.paper).member("item", r.item).member("title", r.title);
    json.key("tables").begin_array();
    for (const ReproducedTable& table : r.tables) {
      json.begin_object().member("caption", table.caption).member("note", table.note).key("header");
      json.array(table.header);
      json.key("timed");
      json.array(table.timed);
      json.key("rows").begin_array();
      for (const std::vector<std::string>& row : table.rows) json.array(row);
      json.end_array().end_object();
    }
    json.end_array().key("plots").begin_array();
    for (const ReproducedPlot& plot : r.plots) {
      json.begin_object().member("title", plot.title).key("curves").begin_array();
      for (const ReproducedPlot::Curve& curve : plot.curves) {
        json.begin_object().member("name", curve.name).member("published", curve.published);
        json.key("x").array(curve.x);
        json.key("y").array(curve.y);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().key("claims").begin_array();
    for (const Claim& claim : r.claims) {
      json.begin_object().member("text", claim.text).key("confirmed");
      if (claim.not_judged.empty())
        json.value(claim.confirmed);
      else
        json.value(std::nan(""));  // null
      json.member("verdict", verdict_of(claim))
          .member("measured", claim.measured)
          .member("of_times", claim.of_times)
          .end_object();
    }
    json.end_array().key("differences");
    json.array(r.differences);
    json.end_object();
  }
  json.end_array();
  return json.text();
}

ReportData reproductions_report(const std::vector<Reproduction>& reproductions, const std::string& command) {
  ReportData data;
  data.title = "Published tables, computed anew";
  data.command = command;
  long claims = 0, judged = 0, confirmed = 0;
  for (const Reproduction& r : reproductions) {
    const std::string name = fmt::format("{} {}: {}", r.paper, r.item, r.title);
    ReportSection section{.heading = name, .sentences = {}};
    for (const Claim& claim : r.claims) {
      const bool is_judged = claim.not_judged.empty();
      ++claims, judged += is_judged, confirmed += is_judged && claim.confirmed;
      section.sentences.push_back(fmt::format("{}: {} ({})", claim.text, verdict_of(claim), claim.measured));
    }
    for (const std::string& difference : r.differences) section.sentences.push_back("Differs: " + difference);
    data.sections.push_back(std::move(section));
    for (const ReproducedTable& table : r.tables) {
      ReportTable copy{.caption = fmt::format("{} {}: {}", r.paper, r.item, table.caption), .header = table.header};
      copy.note = table.note;
      copy.rows = table.rows;
      data.tables.push_back(std::move(copy));
    }
    for (const ReproducedPlot& plot : r.plots) {
      ReportPlot copy{.title = fmt::format("{} {}: {}", r.paper, r.item, plot.title),
                      .x_label = plot.x_label,
                      .y_label = plot.y_label};
      copy.x_logarithmic = plot.x_logarithmic, copy.y_logarithmic = plot.y_logarithmic;
      for (const ReproducedPlot::Curve& curve : plot.curves) {
        copy.curves.push_back({.name = curve.published ? curve.name + " (published)" : curve.name,
                               .x = curve.x,
                               .y = curve.y,
                               .line = !curve.published,
                               .points = curve.published || curve.x.size() < 20});
      }
      data.plots.push_back(std::move(copy));
    }
  }
  data.summary = {{"items", std::to_string(reproductions.size())},
                  {"claims", fmt::format("{} of {} confirmed by our measurements", confirmed, judged) +
                                 (judged < claims ? fmt::format(", {} not judged", claims - judged) : "")}};
  return data;
}

}  // namespace bricard
