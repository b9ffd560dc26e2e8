// A report: one HTML file that needs nothing else, with the moving mechanism, plots that follow it, tables and the
// model's text. Commands fill a ReportData with what they have; every part may be left empty and is then not shown.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

class OutputFile;

/// One line of the summary: "method", "relative, nullspace-svd, ..."
struct ReportFact {
  std::string label, text;
};

/// A column of a time series. Columns of one `quantity` share a plot.
struct ReportColumn {
  std::string name = {};            // "link1.x", as in CSV files: the animation finds the bodies' placements by it
  std::string group = {};           // of the list of columns: "Bodies"
  std::string owner = {};           // part of the group: "link1"; may be empty
  std::string quantity = {};        // title of the plot: "Force"
  std::string unit = {};            // "N"; may be empty
  bool logarithmic = false;         // axis of the plot
  bool shown = false;               // from the start
  std::string mark = {};            // "unique", "not unique" or empty
  std::vector<double> values = {};  // as many as there are times
};

struct ReportSeries {
  std::vector<double> time;
  std::vector<ReportColumn> columns;
  std::string note = {};  // "every 4th row"
  bool empty() const { return time.empty(); }
};

/// Where a body is. Planar bodies: rotated about z.
struct ReportPlacement {
  Vec3 center = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
};

/// A small motion about the placements: displacement = Re(amplitude * shape * exp(i phase)).
struct ReportMode {
  std::string label = {};  // "1: 2.41 Hz, damping 3 %"
  double frequency = 0;    // Hz, for the speed of the animation; 0: shown slowly
  /// By body: translation x y z of the centre of mass, then rotation about the world axes x y z; the largest
  /// displacement should be about 1 rad or 1 characteristic length of the model.
  std::vector<std::array<std::complex<double>, 6>> shape;
};

struct ReportTable {
  enum class Kind { text, number, mark };  // number: aligned to the right; mark: "unique", "not unique" as badges
  std::string caption = {};
  std::string note = {};  // a sentence below the caption
  std::vector<std::string> header;
  std::vector<Kind> kinds = {};  // of columns; missing ones are text
  std::vector<std::vector<std::string>> rows = {};
};

/// A plot of curves with abscissae of their own, such as work against precision.
struct ReportPlot {
  struct Curve {
    std::string name;
    std::vector<double> x, y;
    bool line = true;    // joined
    bool points = true;  // marked
  };
  std::string title = {};
  std::string x_label, y_label;
  bool x_logarithmic = false, y_logarithmic = false;
  std::string note = {};
  std::vector<Curve> curves = {};
};

/// Sentences below a heading: what a diagnosis says.
struct ReportSection {
  std::string heading = {};
  std::vector<std::string> sentences;
};

struct ReportData {
  std::string title = {};
  std::string command;  // "bricard run five-bar.yaml": how it came about
  std::string failure;  // why the analysis failed; empty if it did not
  std::vector<ReportFact> summary;
  std::vector<std::string> messages;
  std::shared_ptr<const Model> model;       // drawn, and its text shown; null: no animation
  std::vector<ReportPlacement> placements;  // by body, where there is no time series; empty: the reference
  ReportSeries series;                      // moves the mechanism if it has the placements of all bodies
  std::vector<ReportMode> modes;            // moves the mechanism about the placements
  std::vector<ReportPlot> plots;
  std::vector<ReportSection> sections;
  std::vector<ReportTable> tables;
};

/// Throws InputError if a report cannot be given that name; nothing happens if it is empty. For before a long run.
void check_report_name(const std::string& file);

/// Throws InputError if the file cannot be written.
void write_report(OutputFile& file, const ReportData& data);
void write_report(const std::string& file, const ReportData& data);

/// The page's data as it stands in the file: one JSON object, with no `<`.
std::string report_json(const ReportData& data);

}  // namespace bricard
