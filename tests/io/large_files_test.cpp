// Files with thousands of entries, right and wrong ones: work that grows with the file and not with its square, told by
// the allocations that it makes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bricard/input_error.h"
#include "bricard/load.h"
#include "support/allocation_counter.h"

namespace bricard {
namespace large_files_test {

const std::string head = "bricard: 1\ndimension: planar\nbodies:\n  b: {mass: 1, inertia: 1, center: [0, 0]}\n";

long allocations(const std::string& text) {
  const AllocationCounter counter;
  try {
    load_text(text, "large");
  } catch (const InputError&) {
  }
  return counter.count();
}

std::vector<Diagnostic> problems_of(const std::string& text) {
  try {
    load_text(text, "large");
  } catch (const InputError& error) {
    return error.diagnostics;
  }
  return {};
}

/// p0 is 1, every other one twice the one before plus nothing.
std::string parameters(int count, const char* first = "1") {
  std::string text = head + fmt::format("parameters:\n  p0: {}\n", first);
  for (int k = 1; k < count; ++k) text += fmt::format("  p{}: p{} + 0\n", k, k - 1);
  return text;
}

std::string points_with_formulas(int count) {
  std::string text = parameters(count) + "points:\n";
  for (int k = 0; k < count; ++k) text += fmt::format("  q{}: [p1 + 0, p{} + 0]\n", k, k);
  return text;
}

std::string used_backwards(int count) {
  std::string text = head + "parameters:\n";
  for (int k = 0; k < count; ++k) text += fmt::format("  p{}: p{}\n", k, k + 1);
  return text + fmt::format("  p{}: 1\n", count);
}

std::string unknown_points(int count) {
  std::string text = head + "points:\n";
  for (int k = 0; k < count; ++k) text += fmt::format("  placenumber{}: [0, 0]\n", k);
  text += "joints:\n";
  for (int k = 0; k < count; ++k)
    text += fmt::format("  j{}: {{type: revolute, bodies: [ground, b], at: placenumbr{}}}\n", k, k);
  return text;
}

TEST(LargeFiles, WorkGrowsWithTheSize) {
  const auto grows_evenly = [](const auto& text, int size) {
    const double ratio =
        static_cast<double>(allocations(text(2 * size))) / static_cast<double>(allocations(text(size)));
    return ratio < 2.6;
  };
  EXPECT_TRUE(grows_evenly([](int n) { return parameters(n); }, 1500));
  EXPECT_TRUE(grows_evenly(points_with_formulas, 1500));
  EXPECT_TRUE(grows_evenly(used_backwards, 1500));
  EXPECT_TRUE(grows_evenly(unknown_points, 1500));
}

TEST(LargeFiles, FirstProblemsHaveASuggestionAndTheRestIsCounted) {
  const std::vector<Diagnostic> found = problems_of(unknown_points(1500));
  ASSERT_EQ(found.size(), 1001u);
  EXPECT_NE(found.front().message.find("did you mean 'placenumber0'"), std::string::npos) << found.front().message;
  EXPECT_NE(found[999].message.find("unknown point 'placenumbr999'"), std::string::npos) << found[999].message;
  EXPECT_EQ(found.back().message, "and 500 more problems");
}

TEST(LargeFiles, AFewProblemsHaveASuggestionEach) {
  const std::vector<Diagnostic> found = problems_of(unknown_points(30));
  ASSERT_EQ(found.size(), 30u);
  for (const Diagnostic& problem : found) EXPECT_NE(problem.message.find("did you mean"), std::string::npos);
}

TEST(LargeFiles, FormulasStillFindTheNearestParameter) {
  const std::vector<Diagnostic> found = problems_of(head + "parameters: {length: 1}\npoints:\n  q: [lenght + 1, 0]\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("did you mean 'length'"), std::string::npos) << found[0].message;
}

}  // namespace large_files_test
}  // namespace bricard
