// `svd`: A = U S V^T, A+ = V S+ U^T with the singular values up to threshold * s_1 dropped.
// [deFalco-Pennestri-Vita 2.2]
#include <lapacke.h>

#include <algorithm>

#include "linear/blas_threads.h"
#include "pseudoinverses/flops.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

class SvdPseudoinverse : public Pseudoinverse {
 public:
  SvdPseudoinverse(int rows, int columns)
      : small_(std::min(rows, columns)),
        A_(rows, columns),
        U_(rows, small_),
        Vt_(small_, columns),
        s_(small_),
        coefficients_(small_),
        integers_(8 * std::max(small_, 1)) {
    use_one_blas_thread();
    // Workspace query, so that factorising does not allocate.
    double wanted = 1;
    if (small_ > 0) run(&wanted, -1);
    work_.resize(static_cast<std::size_t>(wanted));
  }

  bool factorize(const Matrix& A, RankThreshold threshold) override {
    rank_ = 0;
    if (small_ == 0) return true;
    if (!A.allFinite()) return false;
    A_ = A;
    if (run(work_.data(), static_cast<int>(work_.size())) != 0) return false;
    while (rank_ < small_ && s_[rank_] > threshold.least(s_[0])) ++rank_;
    return true;
  }

  void apply(const Vector& b, Vector& x) override {
    coefficients_.head(rank_).noalias() = U_.leftCols(rank_).transpose() * b;
    coefficients_.head(rank_).array() /= s_.head(rank_).array();
    x.noalias() = Vt_.topRows(rank_).transpose() * coefficients_.head(rank_);
  }

  void apply_transposed(const Vector& b, Vector& x) override {
    coefficients_.head(rank_).noalias() = Vt_.topRows(rank_) * b;
    coefficients_.head(rank_).array() /= s_.head(rank_).array();
    x.noalias() = U_.leftCols(rank_) * coefficients_.head(rank_);
  }

  int rank() const override { return rank_; }

 private:
  int run(double* work, int size) {
    const int rows = static_cast<int>(A_.rows()), columns = static_cast<int>(A_.cols());
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, A_.data(), rows, s_.data(), U_.data(), rows,
                               Vt_.data(), small_, work, size, integers_.data());
  }

  int small_, rank_ = 0;
  Matrix A_, U_, Vt_;
  Vector s_, coefficients_;
  std::vector<lapack_int> integers_;
  std::vector<double> work_;
};

}  // namespace

PseudoinverseType svd() {
  return {.name = "svd",
          .description = "singular value decomposition (divide and conquer)",
          .source = "deFalco, Pennestri, Vita 2009, section 2.2",
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<SvdPseudoinverse>(rows, columns);
          },
          .operations =
              [](const Matrix& A, RankThreshold threshold) {
                SvdPseudoinverse svd(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
                svd.factorize(A, threshold);
                const auto m = static_cast<double>(A.rows()), n = static_cast<double>(A.cols());
                return Operations{.count = flops::svd(m, n) + flops::product(m, svd.rank(), n), .counted = false};
              }};
}

}  // namespace bricard::pseudoinverses
