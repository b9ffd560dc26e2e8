#include "io/results/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "bricard/input_error.h"

namespace bricard {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream fields(line);
  for (std::string cell; std::getline(fields, cell, ',');) {
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
  }
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

}  // namespace

MotionTable read_motion_text(const std::string& text, const std::string& name) {
  MotionTable table;
  table.name = name;
  std::istringstream lines(text);
  int number = 0;
  const auto refuse = [&](int column, const std::string& message) {
    throw InputError(std::vector<Diagnostic>{{name, number, column, "", message}});
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line);
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line = line.substr(3);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (table.columns.empty()) {
      for (auto cell = cells.begin(); cell != cells.end(); ++cell) {
        if (cell->empty()) refuse(1, "a column without a name");
        if (std::find(cells.begin(), cell, *cell) != cell) refuse(1, fmt::format("column '{}' is there twice", *cell));
      }
      table.columns = cells;
      continue;
    }
    if (cells.size() != table.columns.size())
      refuse(1, fmt::format("{} numbers for {} columns", cells.size(), table.columns.size()));
    Vector row(static_cast<int>(cells.size()));
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const char* const end = cells[k].data() + cells[k].size();
      double value = 0;
      const auto result = std::from_chars(cells[k].data() + (cells[k].starts_with('+') ? 1 : 0), end, value);
      if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value))
        refuse(static_cast<int>(k) + 1, fmt::format("'{}' in column {} is not a number", cells[k], table.columns[k]));
      row[static_cast<int>(k)] = value;
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) throw InputError(fmt::format("{}: no rows of numbers", name));
  return table;
}

MotionTable read_motion(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("cannot read '{}'", file));
  std::ostringstream text;
  text << stream.rdbuf();
  return read_motion_text(text.str(), file);
}

}  // namespace bricard
