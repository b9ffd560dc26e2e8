// The malloc family is replaced by versions that count and hand on to glibc; operator new of the standard library
// calls them. The sanitizers need these functions, and operator new, for themselves, but tell of every call.
#include "support/allocation_counter.h"

#include <link.h>
#include <unwind.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

/// Where code of a library is in memory. Found once, when the program starts: asking costs locks.
struct CodeRange {
  explicit CodeRange(const char* name) : library(name) { dl_iterate_phdr(look, this); }
  bool holds(const void* code) const {
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    return address >= first && address < last;
  }

  const char* library;
  std::uintptr_t first = UINTPTR_MAX, last = 0;

 private:
  static int look(dl_phdr_info* object, size_t, void* data) {
    CodeRange& range = *static_cast<CodeRange*>(data);
    const char* const slash = std::strrchr(object->dlpi_name, '/');
    const char* const file = slash ? slash + 1 : object->dlpi_name;
    if (std::strncmp(file, range.library, std::strlen(range.library)) != 0) return 0;
    for (int k = 0; k < object->dlpi_phnum; ++k) {
      const ElfW(Phdr)& part = object->dlpi_phdr[k];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
      range.first = start < range.first ? start : range.first;
      range.last = start + part.p_memsz > range.last ? start + part.p_memsz : range.last;
    }
    return 1;
  }
};

const CodeRange& blas() {
  static const CodeRange range("libopenblas");
  return range;
}
[[maybe_unused]] const bool blas_is_found = (blas(), true);  // before anything is counted
}  // namespace

bool is_in_blas(const void* code) { return blas().holds(code); }

AllocationCounter::AllocationCounter() : start_(allocations), start_bytes_(allocated_bytes) {}
long AllocationCounter::count() const { return allocations - start_; }
long AllocationCounter::bytes() const { return allocated_bytes - start_bytes_; }

#ifdef BRICARD_SANITIZER_HOOKS

// Of <sanitizer/allocator_interface.h>, which GCC does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void* memory, size_t size),
                                                         void (*on_free)(const volatile void* memory));
namespace {

/// Of the frames above the hook, past the sanitizer's own: who has asked for memory.
bool blas_asks() {
  static const CodeRange sanitizers[] = {CodeRange("libasan"), CodeRange("libtsan"), CodeRange("libclang_rt")};
  struct Search {
    bool hook = true, found = false;
  } search;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        Search& of = *static_cast<Search*>(data);
        const void* const code = reinterpret_cast<const void*>(_Unwind_GetIP(context));
        bool inside = false;
        for (const CodeRange& range : sanitizers) inside = inside || range.holds(code);
        if (inside) of.hook = false;
        if (of.hook || inside) return _URC_NO_REASON;
        of.found = is_in_blas(code);
        return _URC_END_OF_STACK;
      },
      &search);
  return search.found;
}

thread_local bool looking = false;

void on_malloc(const volatile void*, size_t size) {
  if (looking) return;
  looking = true;  // unwinding may allocate
  if (!blas_asks()) count_one(size);
  looking = false;
}

[[maybe_unused]] const int hooks = __sanitizer_install_malloc_and_free_hooks(on_malloc, [](const volatile void*) {});
}  // namespace

#else

namespace {
inline void count_for(const void* caller, size_t size) {
  // Allocations before main() may come before the BLAS is found; nobody counts them.
  if (!blas_is_found || !is_in_blas(caller)) count_one(size);
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  count_for(__builtin_return_address(0), size);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  count_for(__builtin_return_address(0), count * size);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  count_for(__builtin_return_address(0), size);
  return __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  count_for(__builtin_return_address(0), size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  count_for(__builtin_return_address(0), size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  count_for(__builtin_return_address(0), size);
  void* const result = __libc_memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}
}

#endif
