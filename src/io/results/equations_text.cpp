#include "io/results/equations_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "io/results/json_writer.h"

namespace bricard {
namespace {

/// What rounding leaves beside the largest entry is zero to a reader.
double rounding_of(const Matrix& values) { return values.size() > 0 ? 1e-14 * values.cwiseAbs().maxCoeff() : 0; }

std::string number(double value, double rounding) {
  return std::abs(value) <= rounding ? "0" : fmt::format("{:.6g}", value);
}

void put_heading(std::string& text, const NamedMatrix& matrix) {
  text += fmt::format("\n  {}", matrix.symbol);
  if (!matrix.formula.empty()) text += (matrix.formula.starts_with("=") ? "  " : ":  ") + matrix.formula;
  if (!matrix.source.empty()) text += fmt::format("  [{}]", matrix.source);
  text += '\n';
}

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  return width;
}

void put_whole(std::string& text, const NamedMatrix& matrix) {
  const Matrix& A = matrix.values;
  const double rounding = rounding_of(A);
  const std::size_t names = width_of(matrix.rows);
  std::vector<std::size_t> widths(A.cols(), 1);
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    if (!matrix.is_vector) widths[j] = matrix.columns[j].size();
    for (Eigen::Index i = 0; i < A.rows(); ++i) widths[j] = std::max(widths[j], number(A(i, j), rounding).size());
  }
  if (!matrix.is_vector) {
    text += fmt::format("    {:<{}}", "", names);
    for (Eigen::Index j = 0; j < A.cols(); ++j) text += fmt::format("  {:>{}}", matrix.columns[j], widths[j]);
    text += '\n';
  }
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    text += fmt::format("    {:<{}}", matrix.rows[i], names);
    for (Eigen::Index j = 0; j < A.cols(); ++j) text += fmt::format("  {:>{}}", number(A(i, j), rounding), widths[j]);
    text += '\n';
  }
}

/// At most 64 x 64 characters, each of which stands for a block of entries.
void put_pattern(std::string& text, const NamedMatrix& matrix) {
  const Matrix& A = matrix.values;
  const double rounding = rounding_of(A);
  const Eigen::Index block = (std::max(A.rows(), A.cols()) + 63) / 64;
  text += fmt::format("    {} x {}, {} entries that are not zero, the largest {:.6g}{}\n", A.rows(), A.cols(),
                      (A.array().abs() > rounding).count(), A.cwiseAbs().maxCoeff(),
                      block > 1 ? fmt::format("; a character stands for {} x {}", block, block) : std::string());
  for (Eigen::Index i = 0; i < A.rows(); i += block) {
    text += "    ";
    for (Eigen::Index j = 0; j < A.cols(); j += block) {
      const auto part = A.block(i, j, std::min(block, A.rows() - i), std::min(block, A.cols() - j));
      text += (part.array().abs() > rounding).any() ? 'x' : '.';
    }
    text += '\n';
  }
}

void put_matrix(std::string& text, const NamedMatrix& matrix, int widest) {
  put_heading(text, matrix);
  if (matrix.values.size() == 0) {
    text += fmt::format("    {} x {}\n", matrix.values.rows(), matrix.values.cols());
  } else if (matrix.is_vector || (matrix.values.cols() <= widest && matrix.values.rows() <= 4 * widest)) {
    put_whole(text, matrix);
  } else {
    put_pattern(text, matrix);
  }
}

std::string in_latex(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_%&#$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// "V^T M V" is mathematics already, but for its names of several letters.
std::string symbol_in_latex(std::string symbol) {
  static const std::pair<const char*, const char*> words[] = {
      {"Phi'", "\\dot\\Phi"}, {"Phi", "\\Phi"},  {"gamma", "\\gamma"}, {"lambda", "\\lambda"},
      {"sigma", "\\sigma"},   {"mu", "\\mu"},    {"+", "^{+}"},        {"^-1", "^{-1}"},
      {"v'_f", "\\dot v_f"},  {"v'", "\\dot v"}, {"z''", "\\ddot z"},  {"z'", "\\dot z"}};
  const bool is_sum = symbol.find(" + ") != std::string::npos;
  for (const auto& [word, latex] : words) {
    if (std::string_view(word) == "+" && is_sum) continue;
    for (std::size_t at = 0; (at = symbol.find(word, at)) != std::string::npos; at += std::string_view(latex).size())
      symbol.replace(at, std::string_view(word).size(), latex);
  }
  return symbol;
}

std::string number_in_latex(double value, double rounding) {
  std::string text = number(value, rounding);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

void put_list(JsonWriter& json, const std::string& key, const std::vector<NamedMatrix>& list) {
  json.key(key).begin_array();
  for (const NamedMatrix& matrix : list) {
    json.begin_object().member("symbol", matrix.symbol).member("formula", matrix.formula);
    if (!matrix.source.empty()) json.member("source", matrix.source);
    json.key("rows").array(matrix.rows);
    if (!matrix.is_vector) json.key("columns").array(matrix.columns);
    json.key("values").begin_array();
    for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
      if (!matrix.is_vector) json.begin_array();
      for (Eigen::Index j = 0; j < matrix.values.cols(); ++j) json.value(matrix.values(i, j));
      if (!matrix.is_vector) json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string equations_text(const EquationsResult& e, int widest) {
  std::string text =
      fmt::format("  {:<13}{:.9g} s\n  {:<13}{}\n  {:<13}{}: {}\n  {:<13}{}\n", "time", e.time, "coordinates",
                  e.coordinates, "formulation", e.formulation, e.description, "source", e.source);
  for (const std::string& message : e.messages) text += fmt::format("  {:<13}{}\n", "note", message);
  text += "\n  M v' + P^T lambda = Q,   P v' = gamma\n";
  for (const NamedMatrix& matrix : e.system) put_matrix(text, matrix, widest);
  text += fmt::format("\n  rank of P: {} of {}", e.rank, e.pivots.size());
  if (e.pivots.size() > 0) {
    text +=
        fmt::format(", by pivots of Gauss elimination without dimensions, above {:.3g} of the first\n", e.threshold);
    const std::size_t rows = width_of(e.pivot_rows), columns = width_of(e.pivot_columns);
    for (Eigen::Index k = 0; k < e.pivots.size(); ++k) {
      text += k < e.rank
                  ? fmt::format("    {:<{}}  {:<{}}  {:.6g}\n", e.pivot_rows[k], rows, e.pivot_columns[k], columns,
                                e.pivots[k])
                  : fmt::format("    {:<{}}  depends on the others: {:.3g}\n", e.pivot_rows[k], rows, e.pivots[k]);
    }
  } else {
    text += '\n';
  }
  if (!e.formulated.empty()) text += fmt::format("\n  What {} makes of them\n", e.formulation);
  for (const NamedMatrix& matrix : e.formulated) put_matrix(text, matrix, widest);
  if (!e.solution.empty()) {
    text += "\n  Solution\n";
    for (const NamedMatrix& matrix : e.solution) put_matrix(text, matrix, widest);
    text += fmt::format("\n  {:<34}{:.3g}\n  {:<34}{:.3g}\n", "residual of M v' + P^T lambda = Q", e.motion_residual,
                        "residual of P v' = gamma", e.constraint_residual);
  }
  return text;
}

std::string equations_latex(const EquationsResult& e) {
  std::string text = fmt::format("%% {}, coordinates {}, t = {:.9g} s. Needs \\usepackage{{amsmath}}.\n", e.formulation,
                                 e.coordinates, e.time);
  for (const auto* list : {&e.system, &e.formulated, &e.solution}) {
    for (const NamedMatrix& matrix : *list) {
      if (matrix.values.size() == 0) continue;
      const double rounding = rounding_of(matrix.values);
      text +=
          fmt::format("%% {}\n\\setcounter{{MaxMatrixCols}}{{{}}}\n\\begin{{equation*}}\n  {} = \\begin{{bmatrix}}\n",
                      matrix.source, std::max<Eigen::Index>(10, matrix.values.cols()), symbol_in_latex(matrix.symbol));
      for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
        text += "    ";
        for (Eigen::Index j = 0; j < matrix.values.cols(); ++j)
          text += (j > 0 ? " & " : "") + number_in_latex(matrix.values(i, j), rounding);
        text += fmt::format(" \\\\  % {}\n", matrix.rows[i]);
      }
      text += fmt::format("  \\end{{bmatrix}}\\quad\\text{{{}}}\n\\end{{equation*}}\n", in_latex(matrix.formula));
    }
  }
  return text;
}

std::string matrix_market(const NamedMatrix& matrix) {
  const Matrix& A = matrix.values;
  std::string text = matrix.is_vector ? "%%MatrixMarket matrix array real general\n"
                                      : "%%MatrixMarket matrix coordinate real general\n";
  text += fmt::format("% {}: {}\n", matrix.symbol, matrix.formula);
  for (std::size_t k = 0; k < matrix.rows.size(); ++k) text += fmt::format("% row {}: {}\n", k + 1, matrix.rows[k]);
  for (std::size_t k = 0; k < matrix.columns.size(); ++k)
    text += fmt::format("% column {}: {}\n", k + 1, matrix.columns[k]);
  if (matrix.is_vector) {
    text += fmt::format("{} {}\n", A.rows(), A.cols());
    for (Eigen::Index i = 0; i < A.rows(); ++i) text += fmt::format("{:.17g}\n", A(i, 0));
    return text;
  }
  text += fmt::format("{} {} {}\n", A.rows(), A.cols(), (A.array() != 0).count());
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) != 0) text += fmt::format("{} {} {:.17g}\n", i + 1, j + 1, A(i, j));
    }
  }
  return text;
}

std::string matrix_market_name(const NamedMatrix& matrix) {
  std::string name;
  for (std::size_t k = 0; k < matrix.symbol.size(); ++k) {
    const char c = matrix.symbol[k];
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += c;
    } else if (c == '+') {
      name += k > 0 && matrix.symbol[k - 1] != ' ' ? "plus" : "_plus";
    } else if (c == '\'') {
      name += "dot";
    } else if (c == '-') {
      name += k + 1 < matrix.symbol.size() && matrix.symbol[k + 1] != ' ' ? "m" : "_minus";
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name + ".mtx";
}

std::string equations_json(const Model& model, const EquationsResult& e) {
  JsonWriter json;
  json.begin_object();
  json.member("status", e.ok ? "ok" : "failed").member("model", model.name).member("time", e.time);
  if (!e.failure.empty()) json.member("failure", e.failure);
  json.member("coordinates", e.coordinates).member("formulation", e.formulation).member("source", e.source);
  put_list(json, "system", e.system);
  json.member("rank", e.rank).member("threshold", e.threshold);
  json.key("pivots").begin_array();
  for (Eigen::Index k = 0; k < e.pivots.size(); ++k)
    json.begin_object()
        .member("row", e.pivot_rows[k])
        .member("column", e.pivot_columns[k])
        .member("pivot", e.pivots[k])
        .end_object();
  json.end_array();
  put_list(json, "formulated", e.formulated);
  put_list(json, "solution", e.solution);
  if (!e.solution.empty())
    json.member("motion_residual", e.motion_residual).member("constraint_residual", e.constraint_residual);
  json.key("messages").array(e.messages);
  json.end_object();
  return json.text();
}

}  // namespace bricard
