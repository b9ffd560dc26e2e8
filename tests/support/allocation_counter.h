// Counts memory allocations, for the tests of "evaluating never allocates".
#pragma once

/// Counts the allocations of the current thread since the counter's construction: operator new in every form, malloc,
/// calloc, realloc and the aligned forms. Freeing does not count.
struct AllocationCounter {
  AllocationCounter();
  long count() const;
  long bytes() const;  // asked for

 private:
  long start_, start_bytes_;
};
