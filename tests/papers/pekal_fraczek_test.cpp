// Pekal and Fraczek: printed times typed from the paper, the motion of an independent solution.
#include "papers/reproduction_checks.h"

namespace bricard {
namespace paper_list {
Paper pekal_fraczek();
}
namespace pekal_fraczek_test {

using namespace testing_support;

const std::string& cell_of(const ReproducedTable& table, const std::string& figure, const std::string& tolerance,
                           const std::string& column) {
  const auto at = std::find(table.header.begin(), table.header.end(), column);
  if (at == table.header.end()) throw std::out_of_range("no column " + column);
  for (const auto& row : table.rows) {
    if (row[0] == figure && row[3] == tolerance) return row.at(at - table.header.begin());
  }
  throw std::out_of_range("no row " + figure + " " + tolerance);
}

TEST(ReproducePekalFraczek, Table1) {
  const Reproduction item = reproduce_fast(paper_list::pekal_fraczek(), "table-1");
  expect_sound(item);
  const ReproducedTable& table = item.tables[0];
  EXPECT_EQ(table.rows.size(), 12U);  // six figures, two tolerances: no run failed or was refused
  EXPECT_EQ(cell_of(table, "3", "1e-06", "direct (paper)"), "0.59");
  EXPECT_EQ(cell_of(table, "3", "1e-03", "Udwadia-Phohomsiri (paper)"), "0.29");
  EXPECT_EQ(cell_of(table, "4", "1e-03", "direct (paper)"), "0.40");
  EXPECT_EQ(cell_of(table, "5", "1e-06", "least squares 2 (paper)"), "2.28");
  EXPECT_EQ(cell_of(table, "6", "1e-06", "Udwadia-Kalaba (paper)"), "2.55");
  EXPECT_EQ(cell_of(table, "7", "1e-03", "least squares 1 (paper)"), "0.47");
  EXPECT_EQ(cell_of(table, "8", "1e-06", "Udwadia-Phohomsiri (paper)"), "1.17");
  EXPECT_EQ(item.plots.size(), 6U);
}

TEST(ReproducePekalFraczek, Figures) {
  const Reproduction item = reproduce_fast(paper_list::pekal_fraczek(), "figures-3-11");
  expect_sound(item);
  EXPECT_EQ(item.plots.size(), 9U);
  // All methods arrive at the reference, within what the tolerance allows.
  for (const auto& row : item.tables[0].rows) {
    if (row[3] == "1e-06") {
      EXPECT_LT(std::stod(row.back()), 1e-4) << row[0];
    }
  }
  EXPECT_TRUE(claim(item, "same number of right-hand sides").confirmed);
  // Places at 1 s, integrated independently in extended precision.
  const ReproducedTable& motion = item.tables[1];
  const struct {
    const char* coordinate;
    double value;
  } expected[] = {{"arm.z", -0.013008628831}, {"knuckle.x", 0.009574546895}, {"rack.y", -0.289634774977}};
  for (const auto& one : expected) {
    bool found = false;
    for (const auto& row : motion.rows) {
      if (row[1] != one.coordinate) continue;
      found = true;
      for (const int strut : {3, 4}) EXPECT_NEAR(std::stod(row[strut]), one.value, 1e-9) << one.coordinate;
    }
    EXPECT_TRUE(found) << one.coordinate;
  }
}

}  // namespace pekal_fraczek_test
}  // namespace bricard
