// What every reproduced item must satisfy, and access to its cells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <string>

#include "papers/reproduction.h"

namespace bricard::testing_support {

inline bool has_number(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

inline void expect_number_text(const std::string& text) {
  for (const char* word : {"nan", "inf "}) EXPECT_EQ(text.find(word), std::string::npos) << text;
  EXPECT_NE(text, "inf");
}

/// Unless it is a page or a run too short to judge, it has verdicts.
inline void expect_sound(const Reproduction& item, bool judged = true) {
  SCOPED_TRACE(item.paper + " " + item.item);
  EXPECT_FALSE(item.title.empty());
  EXPECT_FALSE(item.tables.empty());
  EXPECT_FALSE(item.plots.empty());
  EXPECT_EQ(item.claims.empty(), !judged);
  EXPECT_FALSE(item.differences.empty());
  for (const ReproducedTable& table : item.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.caption;
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.header.size()) << table.caption;
      for (const std::string& cell : row) {
        EXPECT_FALSE(cell.empty()) << table.caption;
        expect_number_text(cell);
      }
    }
  }
  for (const ReproducedPlot& plot : item.plots) {
    EXPECT_FALSE(plot.curves.empty()) << plot.title;
    for (const auto& curve : plot.curves) {
      EXPECT_FALSE(curve.x.empty()) << plot.title << ": " << curve.name;
      ASSERT_EQ(curve.x.size(), curve.y.size()) << plot.title << ": " << curve.name;
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        EXPECT_TRUE(std::isfinite(curve.x[k]) && std::isfinite(curve.y[k])) << plot.title << ": " << curve.name;
        if (plot.y_logarithmic) {
          EXPECT_GT(curve.y[k], 0) << plot.title << ": " << curve.name;
        }
      }
    }
  }
  for (const Claim& claim : item.claims) {
    EXPECT_TRUE(has_number(claim.measured)) << claim.text;
    expect_number_text(claim.measured);
  }
}

inline Reproduction reproduce_fast(const Paper& paper, const std::string& name, bool paper_settings = false) {
  for (const PaperItem& item : paper.items) {
    if (name == item.name)
      return item.reproduce({.fast = true, .paper_settings = paper_settings, .repeats = 1, .progress = {}});
  }
  throw std::out_of_range("no item " + name);
}

inline const std::string& cell(const ReproducedTable& table, const std::string& row, const std::string& column) {
  const auto at = std::find(table.header.begin(), table.header.end(), column);
  if (at == table.header.end()) throw std::out_of_range("no column " + column);
  for (const auto& cells : table.rows) {
    if (cells.front() == row) return cells.at(at - table.header.begin());
  }
  throw std::out_of_range("no row " + row);
}
inline double value(const ReproducedTable& table, const std::string& row, const std::string& column) {
  return std::stod(cell(table, row, column));
}

/// The claim whose text has these words.
inline const Claim& claim(const Reproduction& item, const std::string& words) {
  for (const Claim& one : item.claims) {
    if (one.text.find(words) != std::string::npos) return one;
  }
  throw std::out_of_range("no claim with " + words);
}

}  // namespace bricard::testing_support
