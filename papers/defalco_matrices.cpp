#include "papers/defalco_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "linear/dense/dense.h"
#include "papers/five_bar_runs.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::reproduce {
namespace {

constexpr double rank_threshold = 1e-10;
constexpr double link_angle = 1;  // rad, of the links

std::string printed_error(double error) { return std::isfinite(error) ? fmt::format("{:.1e}", error) : "not found"; }

/// A+ of a type; infinite where it is not found.
Matrix inverse_by(const PseudoinverseType& type, const Matrix& A) {
  const auto rows = static_cast<int>(A.rows()), columns = static_cast<int>(A.cols());
  const auto pseudoinverse = type.create(rows, columns, {});
  if (pseudoinverse->factorize(A, rank_threshold)) return dense(*pseudoinverse, rows, columns);
  return Matrix::Constant(columns, rows, std::numeric_limits<double>::infinity());
}

/// The largest entry by which one of Penrose's four conditions is missed.
double penrose_error(const PseudoinverseType& type, const Matrix& A) {
  const Matrix X = inverse_by(type, A);
  if (!X.allFinite()) return std::numeric_limits<double>::infinity();
  const Matrix AX = product_of(A, X), XA = product_of(X, A);
  const auto largest = [](const Matrix& difference) { return difference.cwiseAbs().maxCoeff(); };
  return std::max({largest(product_of(AX, A) - A), largest(product_of(XA, X) - X), largest(AX - AX.transpose()),
                   largest(XA - XA.transpose())});
}

/// 8 x 12 with singular values from 1 to 1/condition, and its pseudoinverse.
std::pair<Matrix, Matrix> graded(double condition) {
  constexpr int m = 8, n = 12;
  const auto wave = [](Eigen::Index i, Eigen::Index j) { return std::cos(static_cast<double>((i + 1) * (3 * j + 2))); };
  const Matrix U = orthogonal_factor(Matrix::NullaryExpr(m, m, wave)),
               V = orthogonal_factor(Matrix::NullaryExpr(n, n, wave)).leftCols(m);
  const Vector s = Vector::NullaryExpr(m, [&](Eigen::Index k) { return std::pow(condition, -double(k) / (m - 1)); });
  return {product_of(U * s.asDiagonal(), V.transpose()), product_of(V * s.cwiseInverse().asDiagonal(), U.transpose())};
}

double relative_error(const PseudoinverseType& type, const std::pair<Matrix, Matrix>& given) {
  return (inverse_by(type, given.first) - given.second).norm() / given.second.norm();
}

ReproducedTable errors_on_five_bar() {
  ReproducedTable table{
      .caption = "Penrose's conditions, D of the five-bar (12 x 12, rank 11): the largest entry that is missed",
      .header = {"pseudoinverse", "coupler last, 1 rad", "coupler last, 2.2 rad", "coupler first, 1 rad",
                 "rank, coupler last, 1 rad"},
      .rows = {},
      .note =
          "Threshold 1e-10. The coupler does not turn: numbered last, its angle is an independent column after the "
          "dependent one, which rounding tells from zero in its way: so large an error is a matter of chance."};
  for (const PseudoinverseType& type : pseudoinverse_types()) {
    const Matrix D = five_bar_matrix(link_angle, false);
    const auto pseudoinverse = type.create(12, 12, {});
    const bool found = pseudoinverse->factorize(D, rank_threshold);
    table.rows.push_back({type.name, printed_error(penrose_error(type, D)),
                          printed_error(penrose_error(type, five_bar_matrix(2.2, false))),
                          printed_error(penrose_error(type, five_bar_matrix(link_angle, true))),
                          !found                     ? "not found"
                          : type.traits.decides_rank ? std::to_string(pseudoinverse->rank())
                                                     : "taken for full"});
  }
  return table;
}

ReproducedTable errors_by_condition() {
  ReproducedTable table{.caption = "|X - A+| / |A+| of 8 x 12 matrices of full rank",
                        .header = {"pseudoinverse", "condition 1e4", "condition 1e8"},
                        .rows = {}};
  const auto mild = graded(1e4), hard = graded(1e8);
  for (const PseudoinverseType& type : pseudoinverse_types())
    table.rows.push_back(
        {type.name, printed_error(relative_error(type, mild)), printed_error(relative_error(type, hard))});
  return table;
}

const char* five_of_paper(const std::string& name) {
  if (name == "svd") return "SVD";
  if (name == "greville-plain") return "Greville";
  if (name == "householder") return "LS-Householder";
  return nullptr;
}

/// The square matrices of (12) and (14).
Claim singular_squares() {
  const Matrix D = five_bar_matrix(link_angle, false);
  const double normal = penrose_error(*find_pseudoinverse_type("normal-equations"), D),
               augmented = penrose_error(*find_pseudoinverse_type("augmented"), D);
  return {.text = "Section 2.2: the square matrices of (12) and (14) are singular or ill conditioned",
          .confirmed = normal > 1e-6 && augmented > 1e-6,
          .measured = fmt::format("Penrose's conditions on D of the five-bar at {} rad: (12) {}, (14) {}", link_angle,
                                  printed_error(normal), printed_error(augmented))};
}

std::string result_of(const FiveBarRun& run) {
  if (run.correct()) return "correct";
  return fmt::format("correct for {:.4g} s{}", run.correct_until,
                     run.completed ? "" : fmt::format(", stops at {:.4g} s", run.stopped));
}

}  // namespace

Reproduction defalco_table_1(const ReproduceOptions&) {
  Reproduction result;
  result.title = "Table 1: four formulations in the opinion of students";
  result.tables.push_back(
      {.caption = "Opinions of students, as printed (section 7)",
       .header = {"", "CP (nullspace-partitioning)", "SVD (nullspace-svd)", "QR (nullspace-qr)", "UK (udwadia-kalaba)"},
       .rows = {{"linear algebra required", "average", "extra", "extra", "extra"},
                {"algebraic manipulation", "medium", "medium", "medium", "high"},
                {"computer programming", "medium", "medium", "medium", "low, given a pseudoinverse"}},
       .note = "Coordinate partitioning is grasped at once, since Gauss elimination is known; for teaching the "
               "derivation (20) to (29) of the Udwadia-Kalaba formulation is recommended, after Arabyan and Wu."});
  result.differences.emplace_back(
      "Opinions are shown, not judged. Each column can be looked at: bricard equations MODEL --formulation NAME.");
  return result;
}

Reproduction defalco_flops(const ReproduceOptions&) {
  Reproduction result;
  result.title = "Operations that a pseudoinverse takes (the measure of Arabyan and Wu)";
  const Matrix D = five_bar_matrix(link_angle, false);
  const std::array<Matrix, 3> matrices = {D, D.topRows(8), pendulum_matrix(link_angle)};
  ReproducedTable table{.caption = "Operations (+ - * / and square roots) to form D+",
                        .header = {"pseudoinverse", "five-bar 12 x 12", "its ground pins and one more 8 x 12",
                                   "pendulum 2 x 3", "over Gram-Schmidt, 12 x 12", "how found"},
                        .rows = {},
                        .note =
                            "Counted: by a number that counts, in the templates that run; Gram-Schmidt without its "
                            "refinement. Formula: leading terms of what LAPACK does."};
  const auto count = [&](const PseudoinverseType& type, std::size_t k) {
    return type.operations(matrices[k], rank_threshold).count;
  };
  const double gram_schmidt = count(*find_pseudoinverse_type("gram-schmidt"), 0);
  double least = 1e300;
  for (const PseudoinverseType& type : pseudoinverse_types()) {
    const double ratio = count(type, 0) / gram_schmidt;
    table.rows.push_back({type.name, fmt::format("{:.0f}", count(type, 0)), fmt::format("{:.0f}", count(type, 1)),
                          fmt::format("{:.0f}", count(type, 2)), fmt::format("{:.2f}", ratio),
                          type.operations(D, rank_threshold).counted ? "counted" : "formula"});
    const char* method = five_of_paper(type.name);
    if (!method) continue;
    least = std::min(least, ratio);
    result.claims.push_back({.text = fmt::format("{} takes about twice the arithmetic of Gram-Schmidt", method),
                             .confirmed = ratio > 1.4 && ratio < 3,
                             .measured = fmt::format("{:.2f} times, on the five-bar", ratio)});
  }
  result.claims.push_back({.text = "Gram-Schmidt takes less arithmetic than SVD, Greville and Householder",
                           .confirmed = least > 1,
                           .measured = fmt::format("the cheapest of them takes {:.2f} of its operations", least)});
  result.tables.push_back(std::move(table));
  result.differences.emplace_back(
      "The paper prints no counts, and those of Arabyan and Wu are for their own implementations. Gram-Schmidt is "
      "pivoted here, orthogonalises twice, and has a second factorisation for missing rank.");
  return result;
}

Reproduction defalco_as_printed(const ReproduceOptions& options) {
  Reproduction result;
  result.title = "Pseudoinverses as printed on the overconstrained five-bar";
  result.tables = {errors_on_five_bar(), errors_by_condition()};
  result.claims.push_back(singular_squares());

  constexpr double tolerance = 1e-8;
  const double duration = options.fast ? 2 : 20;
  std::vector<FiveBarCase> cases;
  for (const char* name :
       {"varga-unpivoted", "greville-plain", "left-inverse", "right-inverse", "normal-equations", "augmented", "svd"}) {
    for (const bool coupler_first : {false, true})
      cases.push_back({name, tolerance, false, duration, true, options.dynamics, coupler_first});
  }
  const std::vector<FiveBarRun> runs = run_five_bars(cases, 0, options.progress);
  ReproducedTable table{
      .caption =
          fmt::format("Motions: udwadia-kalaba, TOL = threshold = {:.0e}, {} s, no stabilisation", tolerance, duration),
      .header = {"pseudoinverse", "coupler last", "coupler first", "sum of squares, last", "sum of squares, first"},
      .rows = {},
      .note = "Settings of the paper, as with --paper-settings."};
  for (std::size_t k = 0; k < runs.size(); k += 2)
    table.rows.push_back({runs[k].asked.pseudoinverse, result_of(runs[k]), result_of(runs[k + 1]),
                          fmt::format("{:.1e}", runs[k].violation), fmt::format("{:.1e}", runs[k + 1].violation)});
  result.tables.push_back(std::move(table));
  result.differences.push_back(
      fmt::format("The paper does not say how its bodies are numbered. Varga's method as printed depends on it: {} "
                  "with the coupler "
                  "last, {} with the coupler first (printed in Table 3: fails after 8.06 s).",
                  result_of(runs[0]), result_of(runs[1])));
  if (options.fast) result.differences.push_back(fmt::format("Fast subset: motions of {} s.", duration));
  return result;
}

}  // namespace bricard::reproduce
