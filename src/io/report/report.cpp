#include "io/report/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "bricard/input_error.h"
#include "io/report/report_parts.h"
#include "io/report/report_template.h"
#include "io/results/output_file.h"

namespace bricard {
namespace {

void put_table(JsonWriter& json, const ReportTable& table) {
  json.begin_object().member("caption", table.caption).member("note", table.note);
  json.key("header");
  json.array(table.header);
  json.key("kinds").begin_array();
  for (ReportTable::Kind kind : table.kinds) {
    json.value(kind == ReportTable::Kind::number ? "number" : kind == ReportTable::Kind::mark ? "mark" : "text");
  }
  json.end_array();
  json.key("rows").begin_array();
  for (const std::vector<std::string>& row : table.rows) json.array(row);
  json.end_array().end_object();
}

void put_plot(JsonWriter& json, const ReportPlot& plot) {
  json.begin_object().member("title", plot.title).member("note", plot.note);
  json.member("x_label", plot.x_label).member("y_label", plot.y_label);
  json.member("x_logarithmic", plot.x_logarithmic).member("y_logarithmic", plot.y_logarithmic);
  json.key("curves").begin_array();
  for (const ReportPlot::Curve& curve : plot.curves) {
    json.begin_object().member("name", curve.name).member("line", curve.line).member("points", curve.points);
    json.key("x").array(curve.x);
    json.key("y").array(curve.y);
    json.end_object();
  }
  json.end_array().end_object();
}

void put_mode(JsonWriter& json, const Model& model, const ReportMode& mode) {
  json.begin_object().member("label", mode.label).member("frequency", mode.frequency);
  json.key("shape").begin_object();
  for (std::size_t k = 0; k < mode.shape.size(); ++k) {
    json.key(model.bodies[k].name).begin_array();
    for (const std::complex<double>& number : mode.shape[k]) json.value(number.real()).value(number.imag());
    json.end_array();
  }
  json.end_object().end_object();
}

template <class T, class Put>
void put_list(JsonWriter& json, const std::string& key, const std::vector<T>& items, Put put) {
  json.key(key).begin_array();
  for (const T& item : items) put(json, item);
  json.end_array();
}

}  // namespace

std::string report_json(const ReportData& data) {
  JsonWriter json;
  json.begin_object().member("title", data.title).member("command", data.command).member("version", BRICARD_VERSION);
  json.member("failure", data.failure);
  put_list(json, "summary", data.summary, [](JsonWriter& to, const ReportFact& fact) {
    to.array<std::string>({fact.label, fact.text});
  });
  json.key("messages");
  json.array(data.messages);
  if (data.model) {
    json.key("mechanism");
    put_mechanism(json, *data.model, data.placements);
  }
  if (!data.series.empty()) {
    json.key("series");
    put_series(json, data.series);
  }
  put_list(json, "modes", data.model ? data.modes : std::vector<ReportMode>(),
           [&](JsonWriter& to, const ReportMode& mode) { put_mode(to, *data.model, mode); });
  put_list(json, "plots", data.plots, put_plot);
  put_list(json, "sections", data.sections, [](JsonWriter& to, const ReportSection& section) {
    to.begin_object().member("heading", section.heading).key("sentences");
    to.array(section.sentences);
    to.end_object();
  });
  put_list(json, "tables", data.tables, put_table);
  json.end_object();

  // Inside <script> a text must not be able to end the element.
  std::string safe;
  for (const char c : json.text()) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void check_report_name(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (!file.empty() && ending != ".html" && ending != ".htm")
    throw InputError(fmt::format("a report is a page: the name '{}' must end in .html", file));
}

void write_report(OutputFile& file, const ReportData& data) {
  for (std::string_view piece : report_template().before) file.write(piece);
  file.write(report_json(data));
  for (std::string_view piece : report_template().after) file.write(piece);
  file.commit();
}

void write_report(const std::string& name, const ReportData& data) {
  OutputFile file(name);
  write_report(file, data);
}

}  // namespace bricard
