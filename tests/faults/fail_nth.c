// Makes the n-th call of one kind fail, once. Loaded before everything else (LD_PRELOAD):
//   FAIL_KIND   allocation | matrix | open | write | finish (rename, fsync, fflush, fclose, ..)
//   FAIL_AT     n, from 1; 0 or absent: none
//   FAIL_COUNT  file to which the number of calls is written at the end
// Calls count from the beginning of main. Not counted: what the loader and OpenBLAS (with its threads) do for
// themselves, which the program cannot catch; memory that HDF5 takes, whose failures crash HDF5 itself; and everything
// that goes to standard error, where failures are told. `matrix` is what the program itself takes by malloc, which
// Eigen does and nothing else: Eigen 3.4 frees a matrix before it takes a larger one, so that a failure there leaves it
// with memory that is freed twice. `allocation` is all else.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { allocation, matrix, opening, writing, finishing };

static struct range {
  const char *begin, *end;
  int memory_only;  // its files count
} excluded[32], program[8];
static int excluded_count, program_count;
static atomic_long calls;
static long fail_at;
static int kind = -1;
static atomic_int armed;
static const char* count_file;

static int collect(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  const int own = info->dlpi_name[0] == 0;  // the program
  const int hdf5 = strstr(info->dlpi_name, "hdf5") != NULL;
  if (!own && !hdf5 && !strstr(info->dlpi_name, "openblas") && !strstr(info->dlpi_name, "ld-linux")) return 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    if (info->dlpi_phdr[k].p_type != PT_LOAD) continue;
    const char* begin = (const char*)info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    const struct range range = {begin, begin + info->dlpi_phdr[k].p_memsz, hdf5};
    if (own && program_count < 8) program[program_count++] = range;
    if (!own && excluded_count < 32) excluded[excluded_count++] = range;
  }
  return 0;
}

static int within(const char* place, const struct range* ranges, int count, int memory) {
  for (int k = 0; k < count; ++k) {
    if (place >= ranges[k].begin && place < ranges[k].end && (memory || !ranges[k].memory_only)) return 1;
  }
  return 0;
}

static int fails(enum kind which, const void* caller) {
  if (kind < 0 || !atomic_load_explicit(&armed, memory_order_relaxed)) return 0;
  if (which == allocation && within(caller, program, program_count, 1)) which = matrix;
  if (kind != (int)which || within(caller, excluded, excluded_count, which <= matrix)) return 0;
  return atomic_fetch_add(&calls, 1) + 1 == fail_at;
}

#define REAL(name)               \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define CALLER __builtin_return_address(0)

// --- memory ---

// dlsym itself may allocate before the real functions are known.
static char early[4096];
static size_t early_used;
static void* early_memory(size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (early_used + size > sizeof early) abort();
  void* result = early + early_used;
  early_used += size;
  return result;
}
static int is_early(const void* memory) {
  return (const char*)memory >= early && (const char*)memory < early + sizeof early;
}

static void* (*real_malloc)(size_t);
static void* (*real_calloc)(size_t, size_t);
static void* (*real_realloc)(void*, size_t);
static void (*real_free)(void*);
static int resolving;
static void resolve(void) {
  resolving = 1;
  real_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  real_calloc = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  real_realloc = (void* (*)(void*, size_t))dlsym(RTLD_NEXT, "realloc");
  real_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  resolving = 0;
}

void* malloc(size_t size) {
  if (!real_malloc) {
    if (resolving) return early_memory(size);
    resolve();
  }
  if (fails(allocation, CALLER)) return errno = ENOMEM, (void*)0;
  return real_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (!real_calloc) {
    if (resolving) return early_memory(count * size);
    resolve();
  }
  if (fails(allocation, CALLER)) return errno = ENOMEM, (void*)0;
  return real_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  if (!real_realloc) resolve();
  if (is_early(memory)) abort();
  if (fails(allocation, CALLER)) return errno = ENOMEM, (void*)0;
  return real_realloc(memory, size);
}
void free(void* memory) {
  if (!memory || is_early(memory)) return;
  if (!real_free) resolve();
  real_free(memory);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  REAL(posix_memalign);
  if (fails(allocation, CALLER)) return ENOMEM;
  return real(memory, alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  REAL(aligned_alloc);
  if (fails(allocation, CALLER)) return errno = ENOMEM, (void*)0;
  return real(alignment, size);
}

// --- files ---

int open(const char* file, int flags, ...) {
  REAL(open);
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(opening, CALLER)) return errno = EMFILE, -1;
  return real(file, flags, mode);
}
int open64(const char* file, int flags, ...) {
  REAL(open64);
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(opening, CALLER)) return errno = EMFILE, -1;
  return real(file, flags, mode);
}
FILE* fopen(const char* file, const char* mode) {
  REAL(fopen);
  if (fails(opening, CALLER)) return errno = EMFILE, (FILE*)0;
  return real(file, mode);
}
FILE* fopen64(const char* file, const char* mode) {
  REAL(fopen64);
  if (fails(opening, CALLER)) return errno = EMFILE, (FILE*)0;
  return real(file, mode);
}

ssize_t write(int fd, const void* data, size_t size) {
  REAL(write);
  if (fd != 2 && fails(writing, CALLER)) return errno = ENOSPC, -1;
  return real(fd, data, size);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  REAL(writev);
  if (fd != 2 && fails(writing, CALLER)) return errno = ENOSPC, -1;
  return real(fd, parts, count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  REAL(pwrite);
  if (fails(writing, CALLER)) return errno = ENOSPC, -1;
  return real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  REAL(pwrite64);
  if (fails(writing, CALLER)) return errno = ENOSPC, -1;
  return real(fd, data, size, at);
}
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  REAL(fwrite);
  if (file != stderr && fails(writing, CALLER)) return errno = ENOSPC, 0;
  return real(data, size, count, file);
}

int rename(const char* from, const char* to) {
  REAL(rename);
  if (fails(finishing, CALLER)) return errno = EACCES, -1;
  return real(from, to);
}
int fsync(int fd) {
  REAL(fsync);
  if (fails(finishing, CALLER)) return errno = EIO, -1;
  return real(fd);
}
int fdatasync(int fd) {
  REAL(fdatasync);
  if (fails(finishing, CALLER)) return errno = EIO, -1;
  return real(fd);
}
int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  if (fails(finishing, CALLER)) return errno = EIO, -1;
  return real(fd, size);
}
int fflush(FILE* file) {
  REAL(fflush);
  if (file != stderr && fails(finishing, CALLER)) return errno = ENOSPC, EOF;
  return real(file);
}
int fclose(FILE* file) {
  REAL(fclose);
  const int failed = file != stderr && fails(finishing, CALLER);
  const int result = real(file);
  return failed ? (errno = ENOSPC, EOF) : result;
}

// --- beginning and end ---

static int (*real_main)(int, char**, char**);
static int armed_main(int count, char** arguments, char** environment) {
  atomic_store(&armed, 1);
  const int result = real_main(count, arguments, environment);
  atomic_store(&armed, 0);
  return result;
}
int __libc_start_main(int (*begin)(int, char**, char**), int count, char** arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void* stack_end) {
  __typeof__(&__libc_start_main) real = (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
  const char* name = getenv("FAIL_KIND");
  const char* at = getenv("FAIL_AT");
  count_file = getenv("FAIL_COUNT");
  fail_at = at ? atol(at) : 0;
  static const char* const names[] = {"allocation", "matrix", "open", "write", "finish"};
  for (int k = 0; name && k < 5; ++k) {
    if (strcmp(name, names[k]) == 0) kind = k;
  }
  dl_iterate_phdr(collect, NULL);
  real_main = begin;
  return real(armed_main, count, arguments, init, fini, loader_fini, stack_end);
}
__attribute__((destructor)) static void tell(void) {
  if (!count_file) return;
  atomic_store(&armed, 0);
  FILE* file = fopen(count_file, "w");
  if (!file) return;
  fprintf(file, "%ld\n", (long)calls);
  fclose(file);
}
