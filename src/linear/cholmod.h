// CHOLMOD and SuiteSparseQR as C++ wants them: what they allocate is given back, and what fails is thrown. They return
// a null pointer, and say why in their status, where memory runs out.
#pragma once

#include <cholmod.h>

#include <new>
#include <stdexcept>

#include "linear/blas_threads.h"

namespace bricard {

class Cholmod {
 public:
  Cholmod() {
    use_one_blas_thread();
    cholmod_l_start(&common_);
    common_.print = 0;  // its messages go to the standard output
  }
  ~Cholmod() { cholmod_l_finish(&common_); }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  cholmod_common* common() { return &common_; }

  /// The result of a call; std::bad_alloc or std::runtime_error instead of a null pointer or an error.
  template <typename T>
  T* checked(T* result) const {
    check(result != nullptr);
    return result;
  }
  void check(bool ok) const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE) throw std::bad_alloc();
    if (!ok || common_.status < CHOLMOD_OK) throw std::runtime_error("a sparse factorisation (CHOLMOD) failed");
  }

 private:
  cholmod_common common_{};
};

}  // namespace bricard
