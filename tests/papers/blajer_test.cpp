// Blajer, Schiehlen and Schirm: cosines against values in extended precision, closed forms, forces of the reference
// motion.
#include "papers/reproduction_checks.h"

namespace bricard {
namespace paper_list {
Paper blajer();
}
namespace blajer_test {

using namespace testing_support;

TEST(ReproduceBlajer, Figure3) {
  const Reproduction item = reproduce_fast(paper_list::blajer(), "figure-3");
  expect_sound(item);
  // cos^2 at alpha1 = 0, 60, 210 and 330 deg, integrated independently in extended precision.
  const ReproducedTable& table = item.tables[0];
  const struct {
    const char* angle;
    double cosines[3];
  } expected[] = {{"0", {0.9405827695142608, 0.7348103377395135, 0.15515986938080448}},
                  {"60", {0.9704876108794674, 0.8705377451171211, 0.2644314397647033}},
                  {"210", {0.9549986315285257, 0.9019008600378985, 0.2564469776950652}},
                  {"330", {0.9450469545528913, 0.81689341746565, 0.11176477483177992}}};
  for (const auto& row : expected) {
    EXPECT_NEAR(value(table, row.angle, "alpha1"), row.cosines[0], 6e-5) << row.angle;
    EXPECT_NEAR(value(table, row.angle, "alpha2"), row.cosines[1], 6e-5) << row.angle;
    EXPECT_NEAR(value(table, row.angle, "alpha3"), row.cosines[2], 6e-5) << row.angle;
  }
  // Between alpha1 = 60 and 90 deg the best coordinate changes.
  EXPECT_EQ(cell(table, "60", "best"), "alpha1");
  EXPECT_EQ(cell(table, "90", "best"), "alpha2");
  for (const char* words : {"acceptable", "whole turn", "singularities", "worst", "(23a)", "singular values"})
    EXPECT_TRUE(claim(item, words).confirmed) << claim(item, words).measured;
  for (const char* words : {"necessary", "order and step size", "errors"})
    EXPECT_TRUE(claim(item, words).confirmed) << claim(item, words).measured;
  // Every choice reaches the reference alpha1(10 s).
  const ReproducedTable& runs = item.tables[2];
  for (const auto& row : runs.rows) EXPECT_LT(std::stod(row.back()), 1e-3) << row[0] << row[2];
  // Numbers of changes: an independent program that carries the history in the same way.
  const struct {
    const char* chosen;
    int changes;
  } expected_changes[] = {{"projective, X = 1", 50}, {"projective, X = 0.9", 25}, {"projective, X = 0.8", 0}};
  for (const auto& [chosen, number] : expected_changes) {
    for (const auto& row : runs.rows) {
      if (row[1] == "relative" && row[2] == chosen) {
        EXPECT_EQ(row[3], std::to_string(number)) << row[0] << chosen;
      }
    }
  }
}

TEST(ReproduceBlajer, Pendulum) {
  const Reproduction item = reproduce_fast(paper_list::blajer(), "pendulum");
  expect_sound(item);
  // m rho^2 = J: cos^2 gamma = 1/2, and x at 30 deg 1/2 * 1/4.
  const ReproducedTable& table = item.tables.back();
  EXPECT_NE(table.caption.find("J = 2.5"), std::string::npos);
  for (const char* column : {"x, (26)", "x"}) EXPECT_NEAR(value(table, "30", column), 0.125, 1e-9) << column;
  for (const char* column : {"y, (26)", "y"}) EXPECT_NEAR(value(table, "30", column), 0.375, 1e-9) << column;
  for (const char* column : {"gamma, (26)", "gamma"}) EXPECT_NEAR(value(table, "30", column), 0.5, 1e-9) << column;
  for (const Claim& one : item.claims) EXPECT_TRUE(one.confirmed) << one.text << ": " << one.measured;
}

TEST(ReproduceBlajer, Reactions) {
  const Reproduction item = reproduce_fast(paper_list::blajer(), "reactions");
  expect_sound(item);
  const ReproducedTable& forces = item.tables[0];
  for (const char* column : {"fx, reference", "fx, (35)", "fx, (37)", "fx, (38)"})
    EXPECT_NEAR(value(forces, "0.5", column), 12.509484255569841, 1e-6) << column;
  for (const char* column : {"fy, reference", "fy, (35)", "fy, (37)", "fy, (38)"})
    EXPECT_NEAR(value(forces, "10", column), 40.890132340371096, 1e-6) << column;
  EXPECT_EQ(cell(item.tables[1], "mcpherson, reference-point", "n"), "30");
  EXPECT_EQ(cell(item.tables[1], "mcpherson, reference-point", "m"), "26");
  EXPECT_EQ(cell(item.tables[1], "mcpherson, reference-point", "(38), paper"), "2");
  EXPECT_TRUE(claim(item, "equivalent").confirmed) << claim(item, "equivalent").measured;
}

}  // namespace blajer_test
}  // namespace bricard
