// The matrices here are small: threads of the BLAS cost more than they save, two to four times on a 60 x 60 SVD.
#pragma once

extern "C" void openblas_set_num_threads(int num_threads);  // NOLINT(readability-redundant-declaration)

namespace bricard {

/// Call before using LAPACK.
inline void use_one_blas_thread() {
  static const bool once = (openblas_set_num_threads(1), true);
  (void)once;
}

}  // namespace bricard
