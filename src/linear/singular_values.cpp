#include "linear/singular_values.h"

#include <lapacke.h>

#include <algorithm>
#include <limits>

#include "linear/blas_threads.h"

namespace bricard {

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
}

void SingularValues::compute(const Matrix& A) {
  use_one_blas_thread();
  const int rows = static_cast<int>(A.rows()), columns = static_cast<int>(A.cols()), small = std::min(rows, columns);
  const bool is_wide = rows < columns;
  A_ = A;
  sigma_ = Vector::Constant(small, not_a_number);
  U_.resize(rows, small);
  Vt_.setIdentity(is_wide ? columns : small, columns);
  if (small == 0 || !A.allFinite()) return;
  integers_.resize(8 * static_cast<std::size_t>(small));
  const auto run = [&](double* work, int size) {
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, is_wide ? 'A' : 'S', rows, columns, A_.data(), rows, sigma_.data(),
                               U_.data(), rows, Vt_.data(), static_cast<int>(Vt_.rows()), work, size, integers_.data());
  };
  double wanted = 1;
  run(&wanted, -1);
  work_.resize(static_cast<std::size_t>(wanted));
  if (run(work_.data(), static_cast<int>(work_.size())) != 0) sigma_.setConstant(not_a_number);
}

int SingularValues::rank(double threshold) const {
  int count = 0;
  while (count < sigma_.size() && sigma_[count] > threshold * sigma_[0]) ++count;
  return count;
}

}  // namespace bricard
