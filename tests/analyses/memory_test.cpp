// What a running simulation keeps in memory, by body: linear in the size of a mechanism, and little.
#include <gtest/gtest.h>
#include <malloc.h>

#include "analyses/simulate.h"
#include "io/generate.h"
#include "io/load.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BRICARD_OTHER_ALLOCATOR
#endif

namespace bricard {
namespace {

double heap() {
  const struct mallinfo2 use = mallinfo2();
  return static_cast<double>(use.uordblks + use.hblkhd);
}

/// Heap in use before the first row, and at the last.
class HeapSink : public Sink {
 public:
  void begin(const std::vector<std::string>&) override {}
  void begin_unnamed(const std::function<std::vector<std::string>()>&) override { at_start = heap(); }
  void row(const Vector&) override { at_last_row = heap(); }
  double at_start = 0, at_last_row = 0;
};

struct HeapPerBody {
  double at_start, at_last_row;
};

HeapPerBody heap_per_body(const std::string& family, int size) {
  std::string text;
  for (const GeneratorType& type : generator_types()) {
    if (family == type.name) text = type.generate(size);
  }
  const double before = heap();
  const auto model = std::make_shared<Model>(*load_text(text, family));
  HeapSink sink;
  const Summary summary = simulate(model, {.tolerance = 1e-6, .duration = 0.01, .output_step = 0.005}, sink);
  EXPECT_TRUE(summary.ok()) << summary.failure;
  const double bodies = static_cast<double>(model->bodies.size());
  return {(sink.at_start - before) / bodies, (sink.at_last_row - before) / bodies};
}

TEST(Memory, OpenSpatialChain) {
#ifdef BRICARD_OTHER_ALLOCATOR
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  const HeapPerBody heap = heap_per_body("spatial-chain", 300);
  EXPECT_LE(heap.at_start, 4096);
  EXPECT_LE(heap.at_last_row, 4700);  // with the integrator's stages
}

TEST(Memory, ClosedSpatialChain) {
#ifdef BRICARD_OTHER_ALLOCATOR
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  const HeapPerBody heap = heap_per_body("closed-chain", 300);
  EXPECT_LE(heap.at_start, 4096);
  EXPECT_LE(heap.at_last_row, 4900);  // with the integrator's stages
}

}  // namespace
}  // namespace bricard
