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

void expect_nothing_judged(const Reproduction& item) {
  for (const Claim& one : item.claims) EXPECT_NE(one.not_judged.find("of 10 s"), std::string::npos) << one.text;
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
  expect_nothing_judged(item);
  for (const Claim& one : item.claims) EXPECT_TRUE(one.of_times) << one.text;
  // What the text says of partitioning is not what its table says.
  const std::string& half = claim(item, "half as long").measured;
  EXPECT_NE(half.find("1.50 to 1.81 times in print"), std::string::npos) << half;  // 1e-6 and 1e-3, computed by hand
  const auto& differences = item.differences;
  EXPECT_TRUE(std::any_of(differences.begin(), differences.end(),
                          [](const std::string& text) { return text.starts_with("Erratum"); }));
}

double largest(const ReproducedPlot& plot, const std::string& curve) {
  for (const auto& one : plot.curves) {
    if (one.name == curve) return *std::max_element(one.y.begin(), one.y.end());
  }
  throw std::out_of_range("no curve " + curve);
}

TEST(ReproducePekalFraczek, PartitioningIsThePapers) {
  const Reproduction item = reproduce_fast(paper_list::pekal_fraczek(), "figures-3-11");
  const ReproducedPlot &baumgarte = item.plots.at(7), &partitioning = item.plots.at(8);
  ASSERT_TRUE(partitioning.title.starts_with("Figure 11")) << partitioning.title;
  // Found to NormTol, a thousandth of the tolerance of 1e-6, and not to rounding; velocities by a linear system.
  EXPECT_LT(largest(partitioning, "position"), 1e-9);
  EXPECT_GT(largest(partitioning, "position"), 1e-12);
  EXPECT_LT(largest(partitioning, "velocity"), 1e-14);
  EXPECT_GT(largest(baumgarte, "position"), 1e-9);
  // Other steps than those of all coordinates.
  EXPECT_NE(cell_of(item.tables[0], "3", "1e-03", "direct"), cell_of(item.tables[0], "7", "1e-03", "direct"));
  const std::string& iterations = claim(item, "Newton-Raphson").measured;
  EXPECT_GT(std::stod(iterations), 1) << iterations;
  EXPECT_LT(std::stod(iterations), 4) << iterations;
}

TEST(ReproducePekalFraczek, Figures) {
  const Reproduction item = reproduce_fast(paper_list::pekal_fraczek(), "figures-3-11");
  expect_sound(item);
  EXPECT_EQ(item.plots.size(), 9U);
  expect_nothing_judged(item);
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
