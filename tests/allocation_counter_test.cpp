#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace allocation_counter_test {

struct alignas(64) Aligned {
  double values[8];
};

// A compiler may leave out allocations that nobody looks at; it must not where the pointer passes through this.
template <class T>
T* seen(T* pointer) {
  T* volatile result = pointer;
  return result;
}

template <class Allocate>
long allocations_of(const Allocate& allocate) {
  const AllocationCounter counter;
  allocate();
  return counter.count();
}

TEST(AllocationCounter, CountsEveryFormOfNew) {
  EXPECT_EQ(allocations_of([] { delete seen(new int(1)); }), 1);
  EXPECT_EQ(allocations_of([] { delete[] seen(new int[10]); }), 1);
  EXPECT_EQ(allocations_of([] { delete seen(new (std::nothrow) int(1)); }), 1);
  EXPECT_EQ(allocations_of([] { delete seen(new Aligned); }), 1);
  EXPECT_EQ(allocations_of([] { delete[] seen(new Aligned[3]); }), 1);
  EXPECT_EQ(allocations_of([] { seen(std::vector<double>(100).data()); }), 1);
}

TEST(AllocationCounter, CountsMalloc) {
  EXPECT_EQ(allocations_of([] { std::free(seen(std::malloc(10))); }), 1);
  EXPECT_EQ(allocations_of([] { std::free(seen(std::calloc(10, 4))); }), 1);
  EXPECT_EQ(allocations_of([] { std::free(seen(std::realloc(seen(std::malloc(10)), 1000))); }), 2);
  EXPECT_EQ(allocations_of([] { std::free(seen(std::aligned_alloc(64, 128))); }), 1);
}

TEST(AllocationCounter, CountsNothingWhenNothingIsAllocated) {
  int local = 0;
  EXPECT_EQ(allocations_of([&local] { *seen(&local) = 1; }), 0);
}

TEST(AllocationCounter, CountsTheCurrentThreadOnly) {
  const AllocationCounter counter;
  std::thread([] {
    for (int i = 0; i < 1000; ++i) delete seen(new int(i));
  }).join();
  EXPECT_LT(counter.count(), 10);  // the thread itself
}

}  // namespace allocation_counter_test
