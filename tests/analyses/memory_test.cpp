// What a running simulation keeps in memory, by body: linear in the size of a mechanism, and little.
#include <gtest/gtest.h>
#include <malloc.h>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "support/models.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BRICARD_OTHER_ALLOCATOR
#endif

namespace bricard {
namespace memory_test {

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
  // What a program makes once belongs to no body.
  simulate(load_text(testing_support::generate(family, 6), family), {.tolerance = 1e-6, .duration = 0.01});
  const std::string text = testing_support::generate(family, size);
  const double before = heap();
  const auto model = std::make_shared<Model>(*load_text(text, family));
  HeapSink sink;
  const Summary summary = simulate(model, {.tolerance = 1e-6, .duration = 0.01, .output_step = 0.005}, sink);
  EXPECT_TRUE(summary.ok()) << summary.failure;
  const double bodies = static_cast<double>(model->bodies.size());
  return {(sink.at_start - before) / bodies, (sink.at_last_row - before) / bodies};
}

struct Case {
  const char* family;
  double at_last_row;  // with the integrator's stages
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.family; }

class Memory : public ::testing::TestWithParam<Case> {};

TEST_P(Memory, OfASpatialBodyIsAtMostFourKilobytes) {
#ifdef BRICARD_OTHER_ALLOCATOR
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  const HeapPerBody heap = heap_per_body(GetParam().family, 300);
  EXPECT_LE(heap.at_start, 4096);
  EXPECT_LE(heap.at_last_row, GetParam().at_last_row);
}

INSTANTIATE_TEST_SUITE_P(Chains, Memory, ::testing::Values(Case{"spatial-chain", 4700}, Case{"closed-chain", 4900}),
                         [](const auto& test) { return std::string(test.param.family[0] == 's' ? "open" : "closed"); });

}  // namespace memory_test
}  // namespace bricard
