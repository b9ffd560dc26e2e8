// Pennestri and Valentini: table 2 as printed, the pendulum against its closed form, the gear train against matrices
// computed independently.
#include "papers/reproduction_checks.h"

namespace bricard {
namespace paper_list {
Paper pennestri_valentini();
}
namespace pennestri_valentini_test {

using namespace testing_support;

TEST(ReproducePennestriValentini, Table2) {
  const Reproduction item = reproduce_fast(paper_list::pennestri_valentini(), "table-2");
  expect_sound(item);
  const ReproducedTable& table = item.tables[0];
  ASSERT_EQ(table.rows.size(), 7u);
  EXPECT_EQ(value(table, "Coordinate partitioning", "paper, s"), 11.45);
  EXPECT_EQ(value(table, "QR", "paper, s"), 2.64);
  EXPECT_EQ(value(table, "PUTD", "paper, s"), 4.83);
  EXPECT_EQ(value(table, "SVD", "paper, s"), 2.73);
  EXPECT_EQ(value(table, "Zero Eigenvalue", "paper, s"), 2.72);
  EXPECT_EQ(value(table, "Schur", "paper, s"), 2.74);
  EXPECT_EQ(value(table, "Udwadia-Kalaba", "paper, s"), 3.17);
  for (const auto& row : table.rows) {
    // The same equations and the same steps: equal counts and errors.
    EXPECT_EQ(cell(table, row.front(), "steps"), cell(table, "QR", "steps"));
    EXPECT_EQ(cell(table, row.front(), "error, 10 s"), cell(table, "QR", "error, 10 s"));
    EXPECT_GT(value(table, row.front(), "10 s, ms"), 0);
  }
  EXPECT_TRUE(claim(item, "accuracy").confirmed) << claim(item, "accuracy").measured;
  // Verdicts on times say so, and the columns that they rest on.
  for (const Claim& one : item.claims)
    EXPECT_EQ(one.of_times, one.text.find("accuracy") == std::string::npos) << one.text;
  const ReproducedTable& sizes = item.tables[1];
  EXPECT_EQ(value(sizes, "QR", "n = 60, over QR"), 1);
  EXPECT_GT(value(sizes, "SVD", "n = 60, over QR"), 1.5);
  EXPECT_EQ(sizes.timed.size(), sizes.header.size() - 1);
}

TEST(ReproducePennestriValentini, Table2WithPaperSettings) {
  const Reproduction item = reproduce_fast(paper_list::pennestri_valentini(), "table-2", true);
  expect_sound(item);
  EXPECT_EQ(item.tables.size(), 2u);  // nothing that the paper does not do but other sizes
}

TEST(ReproducePennestriValentini, Figures) {
  const Reproduction item = reproduce_fast(paper_list::pennestri_valentini(), "figures");
  expect_sound(item);
  const ReproducedTable& table = item.tables[0];
  ASSERT_EQ(table.rows.size(), 8u);
  EXPECT_NEAR(value(table, "closed form", "theta(10 s)"), -2.061263848058, 1e-6);
  for (const auto& row : table.rows) EXPECT_NEAR(value(table, row.front(), "theta(10 s)"), -2.061264, 0.05);
  // The curves start at -45 deg and swing symmetrically about -90 deg.
  for (const auto& curve : item.plots[0].curves) {
    EXPECT_NEAR(curve.y.front(), -0.785398163397, 1e-9);
    EXPECT_NEAR(*std::min_element(curve.y.begin(), curve.y.end()), -2.356194490192, 0.02);
  }
  for (const Claim& one : item.claims) EXPECT_TRUE(one.confirmed) << one.text << ": " << one.measured;
}

TEST(ReproducePennestriValentini, Section61) {
  const Reproduction item = reproduce_fast(paper_list::pennestri_valentini(), "section-6.1");
  expect_sound(item);
  const ReproducedTable& table = item.tables[1];
  const struct {
    const char* entry;
    double printed, ours;
  } expected[] = {{"M11", 0.16918, 0.16918},
                  {"M12", -0.00384, -0.00384},
                  {"M22", 0.03192, 0.03192},
                  {"K11", -1.34124, 1.65876},
                  {"K12", -0.06048, -0.06048},
                  {"K22", -0.77696, 0.82304},
                  {"lambda1, 1/s", 24.607484681113327, -9.79865517517738},
                  {"lambda2, 1/s", 7.835855559682294, -25.80170728090824}};
  for (const auto& row : expected) {
    EXPECT_NEAR(value(table, row.entry, "printed"), row.printed, 1e-5 * std::abs(row.printed)) << row.entry;
    EXPECT_NEAR(value(table, row.entry, "sign put right"), row.ours, 1e-5 * std::abs(row.ours)) << row.entry;
    EXPECT_NEAR(value(table, row.entry, "ours"), row.ours, 1e-5 * std::abs(row.ours)) << row.entry;
  }
  EXPECT_EQ(cell(item.tables[0], "gear6", "omega_2, ours"), "-0.42");
  EXPECT_EQ(cell(item.tables[0], "gear6", "omega_4, paper"), "0.16");
  // The printed K is the only statement that does not hold.
  for (const Claim& one : item.claims)
    EXPECT_EQ(one.confirmed, one.text.find("printed K") == std::string::npos) << one.text << ": " << one.measured;
}

}  // namespace pennestri_valentini_test
}  // namespace bricard
