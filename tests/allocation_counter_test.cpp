#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

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

// The BLAS as the engine uses it, of a size that its kernels for AVX-512 allocate for.
extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                       const int*, const double*, const int*, const double*, double*, const int*);
void multiply(const std::vector<double>& a, std::vector<double>& c, int n) {
  const double one = 1, zero = 0;
  dgemm_("N", "T", &n, &n, &n, &one, a.data(), &n, a.data(), &n, &zero, c.data(), &n);
}

TEST(AllocationCounter, TellsTheBlasFromOurCode) {
  const void* const of_blas = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  ASSERT_NE(of_blas, nullptr);
  EXPECT_TRUE(is_in_blas(of_blas));
  EXPECT_FALSE(is_in_blas(reinterpret_cast<const void*>(&multiply)));
  EXPECT_FALSE(is_in_blas(reinterpret_cast<const void*>(&std::qsort)));
  EXPECT_FALSE(is_in_blas(dlsym(RTLD_DEFAULT, "LAPACKE_dgesvd")));  // whose drivers with memory of their own we avoid
}

TEST(AllocationCounter, CountsWhatIsOursAroundTheBlas) {
  for (const int n : {3, 12, 60, 200}) {
    const std::vector<double> a(static_cast<std::size_t>(n * n), 1.0);
    std::vector<double> c(a.size());
    multiply(a, c, n);
    EXPECT_EQ(allocations_of([&] { multiply(a, c, n); }), 0) << n;
    EXPECT_EQ(allocations_of([&] {
                multiply(a, c, n);
                seen(std::vector<double>(a).data());
                multiply(a, c, n);
              }),
              1)
        << n;
  }
}

}  // namespace allocation_counter_test
