#include "linear/sparse_triangle.h"

#include <SuiteSparseQR.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linear/cholmod.h"

namespace bricard {
namespace {

constexpr double rounding_of_factor = 1e-13;  // of the largest entry: what a factorisation leaves of zeros
constexpr double rounding_of_basis = 1e-11;   // of the largest entry of a vector

/// Columns in the order of a dissection: the rows are halved again and again, and columns that touch both halves come
/// after those that touch one. So a column can only depend on others of its own part, which are few for most: what
/// orders for little fill go along a chain from its ends, and let each column depend on all that came before.
/// [George 1973; for null spaces Coleman, Pothen 1987]
class Dissection {
 public:
  explicit Dissection(const SparseColumns& A)
      : A_(A), by_row_(A), part_(A.rows(), 0), place_(A.rows(), -1), walked_(A.cols(), 0) {}

  std::vector<int> order() {
    std::vector<int> columns(A_.cols());
    std::iota(columns.begin(), columns.end(), 0);
    std::vector<int> rows(A_.rows());
    std::iota(rows.begin(), rows.end(), 0);
    order_.reserve(columns.size());
    dissect(std::move(rows), columns);
    return std::move(order_);
  }

 private:
  static constexpr std::size_t smallest = 32;  // columns; so few are in no need of an order

  /// `rows` have this part's number; `columns` touch no others.
  void dissect(std::vector<int> rows, const std::vector<int>& columns) {
    if (columns.size() <= smallest || rows.size() < 2) {
      order_.insert(order_.end(), columns.begin(), columns.end());
      return;
    }
    // Neighbours one after another, from a row at the rim, which is the last one seen from any.
    walk(rows, rows.front());
    walk(rows, rows.back());
    for (std::size_t k = 0; k < rows.size(); ++k) place_[rows[k]] = static_cast<int>(k);
    const int cut = best_cut(static_cast<int>(rows.size()), columns);
    std::vector<int> half[2], across;
    for (int column : columns) {
      const auto [first, last] = reach(column);
      (first >= cut ? half[1] : last < cut ? half[0] : across).push_back(column);
    }
    const int own = parts_ + 1;
    parts_ += 2;
    for (std::size_t k = 0; k < rows.size(); ++k) part_[rows[k]] = own + (static_cast<int>(k) >= cut);
    std::vector<int> rest(rows.begin() + cut, rows.end());
    rows.resize(cut);
    dissect(std::move(rows), half[0]);
    dissect(std::move(rest), half[1]);
    order_.insert(order_.end(), across.begin(), across.end());
  }

  /// The rows of a part breadth first, from one of them; what is not connected with it follows.
  void walk(std::vector<int>& rows, int from) {
    const int part = part_[from];
    ++walks_;
    std::vector<int> found;
    found.reserve(rows.size());
    const auto visit = [&](int row) {
      if (part_[row] != part) return;
      part_[row] = -1;
      found.push_back(row);
    };
    std::size_t next = 0;
    const auto spread = [&] {
      for (; next < found.size(); ++next) {
        for (SparseRows::InnerIterator entry(by_row_, found[next]); entry; ++entry) {
          const int column = static_cast<int>(entry.col());
          if (std::exchange(walked_[column], walks_) == walks_) continue;
          for (SparseColumns::InnerIterator other(A_, column); other; ++other) visit(static_cast<int>(other.row()));
        }
      }
    };
    visit(from), spread();
    for (int row : rows) visit(row), spread();
    for (int row : found) part_[row] = part;
    rows = std::move(found);
  }

  /// The first and the last place of a column's rows.
  std::pair<int, int> reach(int column) const {
    int first = std::numeric_limits<int>::max(), last = -1;
    for (SparseColumns::InnerIterator entry(A_, column); entry; ++entry) {
      first = std::min(first, place_[entry.row()]);
      last = std::max(last, place_[entry.row()]);
    }
    return {first, last};
  }

  /// Near the middle, where the fewest columns reach across.
  int best_cut(int rows, const std::vector<int>& columns) const {
    std::vector<int> change(rows + 1, 0);  // of the columns across, from one cut to the next
    for (int column : columns) {
      if (const auto [first, last] = reach(column); last > first) ++change[first + 1], --change[last + 1];
    }
    const int from = std::max(1, rows / 3), to = std::min(rows - 1, rows - rows / 3);
    int best = from, fewest = std::numeric_limits<int>::max(), across = 0;
    for (int cut = 0; cut <= to; ++cut) {
      across += change[cut];
      if (cut >= from && across < fewest) best = cut, fewest = across;
    }
    return best;
  }

  const SparseColumns& A_;
  SparseRows by_row_;
  std::vector<int> part_, place_, order_;
  std::vector<int> walked_;  // by the walk of this number
  int parts_ = 0, walks_ = 0;
};

/// A matrix with the long integers of SuiteSparseQR.
struct LongView {
  explicit LongView(const SparseColumns& A)
      : outer(A.outerIndexPtr(), A.outerIndexPtr() + A.cols() + 1),
        inner(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros()) {
    matrix.nrow = A.rows(), matrix.ncol = A.cols(), matrix.nzmax = A.nonZeros();
    matrix.p = outer.data(), matrix.i = inner.data(), matrix.x = const_cast<double*>(A.valuePtr());
    matrix.stype = 0, matrix.itype = CHOLMOD_LONG, matrix.xtype = CHOLMOD_REAL, matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = 1, matrix.packed = 1;
  }
  std::vector<SuiteSparse_long> outer, inner;
  cholmod_sparse matrix{};
};

SparseColumns in_order(const SparseColumns& A, const std::vector<int>& order) {
  SparseColumns result(A.rows(), A.cols());
  result.reserve(A.nonZeros());
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    result.startVec(k);
    for (SparseColumns::InnerIterator entry(A, order[k]); entry; ++entry)
      result.insertBack(entry.row(), k) = entry.value();
  }
  result.finalize();
  return result;
}

}  // namespace

double qr_numbers(const SparseColumns& A) {
  if (A.rows() == 0 || A.cols() == 0 || A.nonZeros() == 0) return 0;
  LongView view(A);
  Cholmod cholmod;
  SuiteSparseQR_factorization<double>* factor =
      SuiteSparseQR_symbolic<double>(SPQR_ORDERING_DEFAULT, 1, &view.matrix, cholmod.common());
  cholmod.checked(factor);
  SuiteSparseQR_free(&factor, cholmod.common());
  return static_cast<double>(cholmod.common()->SPQR_istat[0] + cholmod.common()->SPQR_istat[1]);
}

SparseTriangle triangle_of(const SparseColumns& given, double threshold) {
  SparseTriangle result;
  const int columns = static_cast<int>(given.cols());
  result.order.resize(columns);
  std::iota(result.order.begin(), result.order.end(), 0);
  result.R.resize(0, columns);
  if (given.rows() == 0 || columns == 0 || given.nonZeros() == 0) return result;
  const std::vector<int> dissected = Dissection(given).order();
  const SparseColumns A = in_order(given, dissected);

  LongView view(A);
  double largest = 0;
  for (int column = 0; column < columns; ++column) largest = std::max(largest, A.col(column).norm());

  Cholmod cholmod;
  cholmod_sparse* R = nullptr;
  const SuiteSparse_long rank =
      SuiteSparseQR<double>(SPQR_ORDERING_FIXED, threshold * largest, 0, &view.matrix, &R, nullptr, cholmod.common());
  struct Freed {
    Cholmod& cholmod;
    cholmod_sparse*& R;
    ~Freed() { cholmod_l_free_sparse(&R, cholmod.common()); }
  } const freed{cholmod, R};
  cholmod.check(rank >= 0 && R != nullptr);
  result.rank = static_cast<int>(rank);

  // R comes as stairs: the step of an independent column is one row below the last one, others have none. The
  // independent columns first make it a triangle.
  const auto* p = static_cast<const SuiteSparse_long*>(R->p);
  const auto* rows = static_cast<const SuiteSparse_long*>(R->i);
  const auto* values = static_cast<const double*>(R->x);
  std::vector<int> from, dependent;  // columns of the stairs
  for (int column = 0; column < columns; ++column) {
    const SuiteSparse_long* const lowest = std::max_element(rows + p[column], rows + p[column + 1]);
    const bool steps = p[column] < p[column + 1] && *lowest == static_cast<SuiteSparse_long>(from.size());
    (steps ? from : dependent).push_back(column);
  }
  cholmod.check(static_cast<SuiteSparse_long>(from.size()) == rank);
  from.insert(from.end(), dependent.begin(), dependent.end());
  const double rounding = rounding_of_factor * largest;
  result.R.resize(result.rank, columns);
  result.R.reserve(p[columns]);
  std::vector<std::pair<int, double>> entries;
  for (int column = 0; column < columns; ++column) {
    result.order[column] = dissected[from[column]];
    entries.clear();
    for (SuiteSparse_long k = p[from[column]]; k < p[from[column] + 1]; ++k) {
      if (rows[k] < rank && (rows[k] == column || std::abs(values[k]) > rounding))
        entries.emplace_back(static_cast<int>(rows[k]), values[k]);
    }
    std::sort(entries.begin(), entries.end());
    result.R.startVec(column);
    for (const auto& [row, value] : entries) result.R.insertBack(row, column) = value;
  }
  result.R.finalize();
  return result;
}

SparseSubstitution::SparseSubstitution(const SparseColumns& T)
    : T_(T), diagonal_(T_.diagonal()), x_(Vector::Zero(T_.rows())), waits_(T_.rows(), 0) {
  T_.makeCompressed();
}

void SparseSubstitution::add(int row, double value) {
  x_[row] += value;
  if (waits_[row]) return;
  waits_[row] = 1;
  heap_.push_back(row);
  std::push_heap(heap_.begin(), heap_.end());
}

void SparseSubstitution::solve(const Entries& b, Entries& x) {
  x.clear();
  for (const auto& [row, value] : b) add(row, value);
  double largest = 0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const int row = heap_.back();
    heap_.pop_back();
    const double value = x_[row] / diagonal_[row];
    x_[row] = 0;
    waits_[row] = 0;
    largest = std::max(largest, std::abs(value));
    if (std::abs(value) <= rounding_of_factor * largest) continue;
    for (SparseColumns::InnerIterator entry(T_, row); entry; ++entry) {
      if (entry.row() != row) add(static_cast<int>(entry.row()), -entry.value() * value);
    }
    x.emplace_back(row, value);
  }
}

SparseColumns sparse_null_space(const SparseColumns& A, double threshold) {
  const SparseTriangle triangle = triangle_of(A, threshold);
  const int columns = static_cast<int>(A.cols()), nullity = columns - triangle.rank;
  SparseColumns basis(columns, nullity);
  SparseSubstitution substitution(triangle.R.leftCols(triangle.rank));
  std::vector<Eigen::Triplet<double>> entries;
  SparseSubstitution::Entries b, x;
  for (int k = 0; k < nullity; ++k) {
    b.clear();
    for (SparseColumns::InnerIterator entry(triangle.R, triangle.rank + k); entry; ++entry)
      b.emplace_back(static_cast<int>(entry.row()), entry.value());
    substitution.solve(b, x);
    double largest = 1;
    for (const auto& [row, value] : x) largest = std::max(largest, std::abs(value));
    entries.emplace_back(triangle.order[triangle.rank + k], k, 1);
    for (const auto& [row, value] : x) {
      if (std::abs(value) > rounding_of_basis * largest) entries.emplace_back(triangle.order[row], k, -value);
    }
  }
  basis.setFromTriplets(entries.begin(), entries.end());
  return basis;
}

}  // namespace bricard
