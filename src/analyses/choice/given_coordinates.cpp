#include "analyses/choice/given_coordinates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>

#include "bricard/input_error.h"
#include "formulations/dense_equations.h"
#include "model/counted.h"
#include "model/nearest_name.h"
#include "selections/selection.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

/// Below this part of the largest pivot of [P; B] a choice does not serve.
constexpr double smallest_pivot = 1e-6;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Of each velocity coordinate: by its own name, or by that of the position whose rate it is.
std::map<std::string, int> coordinate_numbers(const System& system) {
  const Coordinates& coordinates = system.coordinates();
  std::map<std::string, int> numbers;
  for (int k = 0; k < system.velocity_size(); ++k) {
    numbers.emplace(coordinates.velocity_name(k), k);
    if (coordinates.velocities_are_rates()) numbers.emplace(coordinates.position_name(k), k);
  }
  return numbers;
}

/// "2*a.x - b.x": signs that stand between blanks, so that names may have a hyphen.
class Combination {
 public:
  Combination(const std::string& text, const std::map<std::string, int>& numbers) : numbers_(numbers) {
    std::size_t begin = 0;
    double sign = 1;
    while (true) {
      const std::size_t plus = text.find(" + ", begin), minus = text.find(" - ", begin), end = std::min(plus, minus);
      add(sign, trimmed(text.substr(begin, end == std::string::npos ? end : end - begin)));
      if (end == std::string::npos) break;
      sign = end == minus ? -1 : 1;
      begin = end + 3;
    }
  }
  void put(Matrix& B, Eigen::Index row) const {
    for (const auto& [number, factor] : terms_) B(row, number) += factor;
  }

 private:
  void add(double factor, std::string name) {
    if (const std::size_t times = name.find('*'); times != std::string::npos) {
      const std::string given = trimmed(name.substr(0, times));
      double value = 0;
      const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
      if (problem != std::errc() || end != given.data() + given.size())
        throw InputError(fmt::format("selection: '{}' is no number", given));
      factor *= value;
      name = trimmed(name.substr(times + 1));
    } else if (name.starts_with('-')) {
      factor = -factor;
      name = trimmed(name.substr(1));
    }
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, number] : numbers_) names.push_back(known);
      throw InputError(
          fmt::format("selection: no coordinate '{}' in this coordinate set{}", name, suggestion(name, names)));
    }
    terms_.emplace_back(found->second, factor);
  }

  const std::map<std::string, int>& numbers_;
  std::vector<std::pair<int, double>> terms_;
};

std::string name_of(const System& system, int velocity) {
  const Coordinates& coordinates = system.coordinates();
  return coordinates.velocities_are_rates() ? coordinates.position_name(velocity) : coordinates.velocity_name(velocity);
}

}  // namespace

bool gives_coordinates(const std::string& selection) {
  return selection.find_first_of(".,") != std::string::npos && !find_selection_type(selection);
}

Matrix given_coordinates(const System& system, const std::string& selection) {
  const std::map<std::string, int> numbers = coordinate_numbers(system);
  std::vector<Combination> rows;
  for (std::size_t begin = 0; begin <= selection.size();) {
    const std::size_t end = std::min(selection.find(',', begin), selection.size());
    rows.emplace_back(trimmed(selection.substr(begin, end - begin)), numbers);
    begin = end + 1;
  }
  Matrix B = Matrix::Zero(static_cast<Eigen::Index>(rows.size()), system.velocity_size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].put(B, static_cast<Eigen::Index>(k));
  return B;
}

void refuse_poor_coordinates(System& system, ConstVector q, ConstVector v, const Matrix& B, int freedoms) {
  if (B.rows() != freedoms) {
    throw InputError(
        fmt::format("selection: {} given, but the mechanism has {}",
                    counted(static_cast<std::size_t>(B.rows()), "coordinate is", "coordinates are"),
                    counted(static_cast<std::size_t>(freedoms), "degree of freedom", "degrees of freedom")));
  }
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  const FormulationOptions options{.typical_inertia = typical_inertia(system)};
  DenseEquations dense(eq, options);
  dense.set_matrices(eq);
  const Eigen::Index n = B.cols(), rank = n - B.rows();
  // Independent rows of P, then B, each row of length one, so that pivots measure directions.
  const Eigen::ColPivHouseholderQR<Matrix> rows(dense.P.transpose());
  Matrix P(rank, n), A(n, n);
  for (Eigen::Index k = 0; k < rank; ++k) P.row(k) = dense.P.row(rows.colsPermutation().indices()[k]).normalized();
  A << P, (B * dense.scale_v()).rowwise().normalized();
  const Eigen::FullPivLU<Matrix> lu(A);
  const Vector pivots = lu.matrixLU().diagonal().cwiseAbs();
  const double least = n > 0 ? pivots[n - 1] / pivots[0] : 1;
  if (least >= smallest_pivot) return;
  const int column = lu.permutationQ().indices()[n - 1];
  std::vector<std::string> better;
  for (const int k : find_selection_type("gauss")->create()->choose(P, dense.M).coordinates)
    better.push_back(name_of(system, k));
  throw InputError(fmt::format(
      "selection: these coordinates do not determine the motion at the start: with them fixed, {} can still move (its "
      "pivot is {:.2g} of the largest). Gauss elimination leaves {}",
      name_of(system, column), least, fmt::join(better, ", ")));
}

}  // namespace bricard
