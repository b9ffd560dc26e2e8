// Counts memory allocations, for the tests of "evaluating never allocates".
#pragma once

/// Counts the allocations of the current thread since the counter's construction: operator new in every form, malloc,
/// calloc, realloc and the aligned forms. Freeing does not count. What the BLAS takes for itself does not count either:
/// kernels of some processors (OpenBLAS: SkylakeX, Cooperlake) allocate in every call, and those of others never do.
struct AllocationCounter {
  AllocationCounter();
  long count() const;
  long bytes() const;  // asked for

 private:
  long start_, start_bytes_;
};

/// Whether an address of code is in the BLAS.
bool is_in_blas(const void* code);
