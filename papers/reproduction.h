// Published tables and figures, computed anew and set beside the printed numbers.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace bricard {

/// How errors are written in tables.
inline std::string small(double value) { return fmt::format("{:.1e}", value); }

/// A table with our numbers beside the published ones; published cells are marked by their column titles.
struct ReproducedTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string note = {};
  std::vector<std::string> timed = {};  // titles of columns that hold times, or ratios of them: of one machine's run
};

struct ReproducedPlot {
  struct Curve {
    std::string name;
    std::vector<double> x, y;
    bool published = false;  // numbers of the paper: drawn as points
  };
  std::string title, x_label, y_label;
  bool x_logarithmic = false, y_logarithmic = false;
  std::vector<Curve> curves = {};
};

/// What the paper concludes, and whether our measurements say the same.
struct Claim {
  std::string text;  // "direct is fastest without redundancy and slowest with it"
  bool confirmed = false;
  std::string measured;         // the figures that decide it
  std::string not_judged = {};  // why they decide nothing: "the run ends before a motion is lost"; empty: they do
  bool of_times = false;        // times decide: another machine may say otherwise
};

/// "confirmed", "not confirmed here", "not judged: the run ends before a motion is lost".
std::string verdict_of(const Claim& claim);

struct Reproduction {
  std::string paper, item;  // "defalco", "table-2"
  std::string title;
  std::vector<ReproducedTable> tables;
  std::vector<ReproducedPlot> plots;
  std::vector<Claim> claims;
  std::vector<std::string> differences;  // what differs from the paper and why
};

/// Marks what times decide: claims whose texts have one of the words, and columns whose titles have.
void mark_times(Reproduction& result, const std::vector<std::string>& claims, const std::vector<std::string>& columns);

struct ReproduceOptions {
  bool fast = false;  // a subset that takes seconds: shorter runs, fewer combinations; says so in `differences`
  bool paper_settings = false;  // restore settings of the paper that we do better by default (threshold = tolerance ..)
  int repeats = 3;              // timing rounds
  /// The engine of the papers' formulations: `whole` is the algebra that they print. Runs that leave everything to the
  /// program leave this to it, too, and name what it took.
  std::string dynamics = "whole";
  std::function<void(double fraction, const std::string& what)> progress = {};
};

struct PaperItem {
  const char* name;   // "table-2"
  const char* title;  // "Table 2: seven methods on the pendulum"
  Reproduction (*reproduce)(const ReproduceOptions& options);
};

struct Paper {
  const char* name;      // "pennestri-valentini"
  const char* citation;  // authors, title, year
  std::vector<PaperItem> items;
};

/// All papers, in the order of papers.def.
const std::vector<Paper>& papers();
const Paper* find_paper(const std::string& name);

}  // namespace bricard
