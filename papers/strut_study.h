// The runs of Pekal and Fraczek's study: two McPherson struts, five formulations, three stabilisations, four
// tolerances.
#pragma once

#include <array>
#include <vector>

#include "bricard/compare.h"
#include "papers/reproduction.h"

namespace bricard::reproduce {

enum class Strut { simplified, overconstrained };
enum class StrutStabilization { none, baumgarte, partitioning };

inline constexpr int strut_methods = 5;  // direct, Udwadia-Kalaba, least squares 1 and 2, Udwadia-Phohomsiri

/// One of the paper's figures 3 to 8.
struct StrutFigure {
  int number;
  Strut strut;
  StrutStabilization stabilization;
};
inline constexpr std::array<StrutFigure, 6> strut_figures = {{
    {3, Strut::simplified, StrutStabilization::none},
    {4, Strut::overconstrained, StrutStabilization::none},
    {5, Strut::simplified, StrutStabilization::baumgarte},
    {6, Strut::overconstrained, StrutStabilization::baumgarte},
    {7, Strut::simplified, StrutStabilization::partitioning},
    {8, Strut::overconstrained, StrutStabilization::partitioning},
}};

struct StrutStudy {
  double duration = 10;
  std::vector<double> tolerances;         // tightest first, as in the paper's table
  std::array<Comparison, 2> comparisons;  // of the two struts
  std::array<MemorySink, 2> references;   // rows of the automatic method at 1e-12

  /// Null if the run did not complete.
  const ComparedRun* find(const StrutFigure& figure, int method, double tolerance) const;
};

/// Computed once in a process for equal options: both items of the paper need the same runs.
const StrutStudy& strut_study(const ReproduceOptions& options);

}  // namespace bricard::reproduce
