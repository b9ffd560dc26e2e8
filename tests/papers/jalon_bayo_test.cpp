// Garcia de Jalon and Bayo, table 5.1: the numbers as printed, and ours against what a penalty must leave.
#include "papers/reproduction_checks.h"

namespace bricard {
namespace paper_list {
Paper jalon_bayo();
}
namespace reproduce_jalon_bayo_test {

using namespace testing_support;

TEST(ReproduceJalonBayo, Table51) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "table-5.1");
  expect_sound(item);
  const ReproducedTable &errors = item.tables[0], &times = item.tables[1];
  ASSERT_EQ(errors.rows.size(), 6u);
  EXPECT_EQ(value(errors, "1e1", "0: book"), 0.7e-1);
  EXPECT_EQ(value(errors, "1e1", "2: book"), 0.9e-3);
  EXPECT_EQ(value(errors, "1e3", "0: book"), 0.7e-3);
  EXPECT_EQ(value(errors, "1e3", "1: book"), 0.6e-5);
  EXPECT_EQ(value(errors, "1e5", "0: book"), 0.1e-4);
  EXPECT_EQ(value(errors, "1e11", "1: book"), 0.9e-5);
  EXPECT_EQ(value(errors, "1e11", "2: book"), 0.2e-4);
  EXPECT_EQ(value(times, "1e1", "0: book, s"), 10.5);
  EXPECT_EQ(value(times, "1e7", "1: book, s"), 13.3);
  EXPECT_EQ(value(times, "1e11", "2: book, s"), 21.9);

  // Without iterations the penalty alone carries the reactions: error proportional to 1/penalty until the integrator's
  // own error; one iteration removes it from 1e3 up.
  EXPECT_NEAR(value(errors, "1e1", "0: ours at 1e-06") / value(errors, "1e3", "0: ours at 1e-06"), 100, 15);
  for (const char* penalty : {"1e3", "1e5", "1e7", "1e9", "1e11"}) {
    for (const char* column : {"1: ours at 1e-06", "2: ours at 1e-06"})
      EXPECT_LT(value(errors, penalty, column), 3e-5) << penalty;
  }
  for (const char* words : {"smallest); at tolerance 1e-06", "1e3); at tolerance 1e-06", "1e11); at tolerance 1e-06"})
    EXPECT_TRUE(claim(item, words).confirmed) << claim(item, words).measured;
  // At the book's own tolerance the integrator's errors hide those of a penalty of 1e3: the verdict flips, and is said.
  const Claim& of_book = claim(item, "smallest); at tolerance 1e-04");
  EXPECT_FALSE(of_book.confirmed) << of_book.measured;
  EXPECT_EQ(
      std::count_if(item.differences.begin(), item.differences.end(),
                    [](const std::string& text) { return text.find("considerably widens") != std::string::npos; }),
      1);
}

TEST(ReproduceJalonBayo, TheBooksToleranceIsJudgedAlone) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "table-5.1", true);
  for (const Claim& one : item.claims) EXPECT_EQ(one.text.find("1e-06"), std::string::npos) << one.text;
}

// Without stabilisation joints open, with Baumgarte's they do not, whoever integrates.
TEST(ReproduceJalonBayo, Section513) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "section-5.1.3");
  expect_sound(item);
  const ReproducedTable& table = item.tables[0];
  EXPECT_EQ(table.rows.size(), 12u);
  for (const char* model : {"pendulum", "double-pendulum", "four-bar"}) {
    const double none = value(table, std::string(model) + ", (5.10), none", "largest |Phi|");
    EXPECT_GT(none, 10 * value(table, std::string(model) + ", (5.10), Baumgarte", "largest |Phi|")) << model;
  }
  EXPECT_TRUE(claim(item, "twice as efficient").of_times);
}

TEST(ReproduceJalonBayo, Section524) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "section-5.2.4");
  expect_sound(item);
  // As in the table of docs/formulations.md: penalties of accelerations are lost or stop, whatever their size.
  const Claim& passes = claim(item, "goes through singular positions");
  EXPECT_FALSE(passes.confirmed) << passes.measured;
  for (const char* way : {"independent coordinates (5.55)", "extended, Algorithms 5-4, 5-5"})
    EXPECT_EQ(cell(item.tables[0], way, "result"), "right");
  EXPECT_EQ(item.tables[1].rows.size(), 2u);
}

TEST(ReproduceJalonBayo, Section54) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "section-5.4");
  expect_sound(item);
  EXPECT_EQ(item.claims.size(), 5u);
  for (const auto& row : item.tables[0].rows) EXPECT_EQ(row[1], "right") << row[0];
}

TEST(ReproduceJalonBayo, PaperSettingsKeepToThePrintedTolerance) {
  const Reproduction item = reproduce_fast(paper_list::jalon_bayo(), "table-5.1", true);
  expect_sound(item);
  EXPECT_EQ(item.tables[0].header.size(), 7u);
  EXPECT_EQ(item.tables[0].header[2], "0: ours at 1e-04");
}

}  // namespace reproduce_jalon_bayo_test
}  // namespace bricard
