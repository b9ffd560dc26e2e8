#include "dynamics/closing/closing_choice.h"

#include <algorithm>
#include <cmath>

#include "linear/dense/dense.h"

namespace bricard {
namespace {

constexpr long most_sets = 2000;

/// The next combination of as many of 0 .. n-1, ascending; false after the last.
bool advance(std::vector<int>& chosen, int n) {
  const int F = static_cast<int>(chosen.size());
  for (int k = F - 1; k >= 0; --k) {
    if (chosen[k] >= n - F + k) continue;
    ++chosen[k];
    for (int j = k + 1; j < F; ++j) chosen[j] = chosen[j - 1] + 1;
    return true;
  }
  return false;
}

/// Columns L^-1 basis^T diag(M^-1)^-1/2 with L L^T = basis^T M basis: their determinants are products of cosines.
Matrix directions(const Equations& eq, const Matrix& basis) {
  const Matrix M = Matrix(eq.M), D = basis.transpose();
  const Vector inverse = cholesky_solution(M, Matrix::Identity(M.rows(), M.cols())).diagonal();
  return cholesky_reduced(product_of(D, product_of(M, basis)), D) * inverse.cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

ClosingSets closing_sets(const System& system, const LoopGraph& graph, const Equations& eq, const Matrix& basis,
                         ConstVector q) {
  ClosingSets result;
  result.problem = graph.problem;
  if (!result.problem.empty()) return result;
  const int n = static_cast<int>(basis.rows()), F = static_cast<int>(basis.cols());
  const Matrix G = F > 0 ? directions(eq, basis) : Matrix();
  std::vector<int> chosen(F);
  for (int k = 0; k < F; ++k) chosen[k] = k;
  std::size_t fewest = n + graph.edges.size() + 1;
  long tried = 0;
  do {
    if (++tried > most_sets) {
      result.complete = false;
      break;
    }
    ClosingConditions conditions(system, graph, chosen);
    const std::size_t left = conditions.plan().left_over.size();
    const bool resolved = conditions.problem().empty();
    if (!resolved && left > 0 && left < fewest) result.problem = conditions.problem(), fewest = left;
    if (!resolved && result.problem.empty()) result.problem = conditions.problem();
    if (!resolved) continue;
    if (!conditions.begin(eq.t, q)) {
      if (fewest > 0) result.problem = conditions.failure(), fewest = 0;
      continue;
    }
    Matrix columns(F, F);
    for (int k = 0; k < F; ++k) columns.col(k) = G.col(chosen[k]);
    const double cosines = F > 0 ? std::pow(determinant_of(columns), 2) : 1;
    result.admissible.push_back({chosen, conditions.regularity(), std::isfinite(cosines) ? cosines : 0});
  } while (advance(chosen, n));
  std::stable_sort(result.admissible.begin(), result.admissible.end(), [](const ClosingSet& a, const ClosingSet& b) {
    return a.cosines != b.cosines ? a.cosines > b.cosines : a.regularity > b.regularity;
  });
  return result;
}

std::vector<int> coordinates_of(const Matrix& B) {
  std::vector<int> coordinates;
  for (Eigen::Index row = 0; row < B.rows(); ++row) {
    Eigen::Index column = 0;
    B.row(row).cwiseAbs().maxCoeff(&column);
    if ((B.row(row).array() != 0).count() != 1) return {};
    coordinates.push_back(static_cast<int>(column));
  }
  std::sort(coordinates.begin(), coordinates.end());
  return coordinates;
}

std::string names_of(const System& system, const std::vector<int>& coordinates) {
  std::string names;
  for (const int k : coordinates) names += (names.empty() ? "" : ", ") + system.coordinates().position_name(k);
  return names;
}

}  // namespace bricard
