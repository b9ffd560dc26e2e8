// The malloc family is replaced by versions that count and hand on to glibc; operator new of the standard library
// calls them. The sanitizers need these functions, and operator new, for themselves, but tell of every call.
#include "support/allocation_counter.h"

#include <cerrno>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BRICARD_SANITIZER_HOOKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BRICARD_SANITIZER_HOOKS
#endif
#endif

namespace {
// Of each thread, so that threads in the background (of a linear algebra library) do not disturb.
thread_local long allocations = 0, allocated_bytes = 0;

[[maybe_unused]] void count_one(size_t size) {
  ++allocations;
  allocated_bytes += static_cast<long>(size);
}
}  // namespace

AllocationCounter::AllocationCounter() : start_(allocations), start_bytes_(allocated_bytes) {}
long AllocationCounter::count() const { return allocations - start_; }
long AllocationCounter::bytes() const { return allocated_bytes - start_bytes_; }

#ifdef BRICARD_SANITIZER_HOOKS

// Of <sanitizer/allocator_interface.h>, which GCC does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void* memory, size_t size),
                                                         void (*on_free)(const volatile void* memory));
namespace {
[[maybe_unused]] const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t size) { count_one(size); }, [](const volatile void*) {});
}  // namespace

#else

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  count_one(size);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  count_one(count * size);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  count_one(size);
  return __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  count_one(size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  count_one(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  count_one(size);
  void* const result = __libc_memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}
}

#endif
