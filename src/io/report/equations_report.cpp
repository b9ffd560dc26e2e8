#include "io/report/equations_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bricard {
namespace {

constexpr Eigen::Index widest_table = 40;

std::string note_of(const NamedMatrix& matrix) {
  return matrix.formula + (matrix.source.empty() ? "" : fmt::format("  [{}]", matrix.source));
}

ReportTable table_of(const NamedMatrix& matrix) {
  using Kind = ReportTable::Kind;
  ReportTable table{.caption = matrix.symbol, .note = note_of(matrix), .header = {""}, .kinds = {Kind::text}};
  if (matrix.is_vector) {
    table.header.emplace_back("value");
  } else {
    table.header.insert(table.header.end(), matrix.columns.begin(), matrix.columns.end());
  }
  table.kinds.resize(table.header.size(), Kind::number);
  const double rounding = matrix.values.size() > 0 ? 1e-14 * matrix.values.cwiseAbs().maxCoeff() : 0;
  for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
    std::vector<std::string> row = {matrix.rows[i]};
    for (Eigen::Index j = 0; j < matrix.values.cols(); ++j) {
      const double value = matrix.values(i, j);
      row.push_back(std::abs(value) <= rounding ? "0" : fmt::format("{:.6g}", value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The places of what is not zero, first row on top.
ReportPlot pattern_of(const NamedMatrix& matrix) {
  const Matrix& A = matrix.values;
  ReportPlot plot{.title = fmt::format("{}: pattern, {} x {}", matrix.symbol, A.rows(), A.cols()),
                  .x_label = "column",
                  .y_label = "row, counted upwards",
                  .note = note_of(matrix)};
  ReportPlot::Curve entries{.name = "not zero", .x = {}, .y = {}, .line = false};
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) == 0) continue;
      entries.x.push_back(static_cast<double>(j + 1));
      entries.y.push_back(-static_cast<double>(i + 1));
    }
  }
  plot.curves.push_back(std::move(entries));
  return plot;
}

}  // namespace

ReportData equations_report(const std::shared_ptr<const Model>& model, const EquationsResult& e,
                            const std::string& command) {
  ReportData data;
  data.title = "Equations: " + (model->name.empty() ? model->file : model->name);
  data.command = command;
  data.failure = e.failure;
  data.messages = e.messages;
  data.summary = {{"equations", "M v' + P^T lambda = Q,  P v' = gamma"},
                  {"time", fmt::format("{:.9g} s", e.time)},
                  {"coordinates", e.coordinates},
                  {"formulation", e.formulation + ": " + e.description},
                  {"source", e.source},
                  {"rank of P", fmt::format("{} of {}", e.rank, e.pivots.size())}};
  if (!e.solution.empty()) {
    data.summary.push_back({"residual of M v' + P^T lambda = Q", fmt::format("{:.3g}", e.motion_residual)});
    data.summary.push_back({"residual of P v' = gamma", fmt::format("{:.3g}", e.constraint_residual)});
  }
  for (const auto* list : {&e.system, &e.formulated, &e.solution}) {
    for (const NamedMatrix& matrix : *list) {
      if (matrix.values.size() == 0) continue;
      if (matrix.is_vector || matrix.values.cols() <= widest_table) {
        data.tables.push_back(table_of(matrix));
      } else {
        data.plots.push_back(pattern_of(matrix));
      }
    }
  }
  return data;
}

}  // namespace bricard
