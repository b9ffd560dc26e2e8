// Whole runs: every formulation takes the same way.
#include "reference/reference.h"

namespace bricard::testing_support {
namespace whole_runs_test {

Method by(const std::string& formulation, double duration, double tolerance) {
  Method method = accurate(duration, 1, tolerance);
  method.formulation = formulation, method.dynamics = "whole";  // its own class
  return method;
}

/// A completed run by the class of the formulation itself.
SimulationResult run_class(const std::shared_ptr<const Model>& model, const Method& method) {
  SimulationResult result = run(model, method);
  EXPECT_TRUE(result.summary.dynamics.starts_with("matrices of the whole system")) << result.summary.dynamics;
  EXPECT_EQ(result.summary.dynamics.find(";"), std::string::npos) << result.summary.dynamics;
  return result;
}

// --- de Falco, Pennestri, Vita: overconstrained five-bar, 20 s ---

TEST(EveryFormulation, FiveBarFor20Seconds) {
  const auto model = shipped("five-bar");
  SimulationResult first;
  for (const FormulationType& type : formulation_types()) {
    if (!type.create || !type.traits.redundant_rows) continue;
    SCOPED_TRACE(type.name);
    Method method = by(type.name, 20, 1e-10);
    method.stabilization = "projection";
    const SimulationResult result = run_class(model, method);
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(result.data.rows.size(), 21u);
    const double tolerance = std::max<double>(1e-6, type.traits.accuracy);
    expect_close("angle of the exact solution", value_at(result, 20, "link1.angle"), -0.569406625134, tolerance);
    if (first.data.rows.empty()) first = result;
    for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
      for (const std::string body : {"link1", "link2", "link3", "coupler"}) {
        for (const std::string column : {".x", ".y", ".angle", ".vx", ".vy", ".omega"}) {
          expect_close(body + column, result.data.at(row, body + column), first.data.at(row, body + column), tolerance);
        }
      }
    }
  }
}

TEST(EveryFormulation, FiveBarThroughSingularPositionsWithProjection) {
  // 15 crossings of theta = 0 or -180 deg, where the rank falls by one. Without projection every formulation leaves the
  // branch or its steps collapse.
  const auto model = shipped("five-bar", {{"theta0", "30 deg"}});
  for (const FormulationType& type : formulation_types()) {
    if (!type.create || !type.traits.redundant_rows) continue;
    SCOPED_TRACE(type.name);
    // At 1e-10 rounding at the crossings exceeds the tolerance for some, and their steps collapse there.
    // In relative coordinates they do at 1e-9 already.
    Method method = by(type.name, 20, type.traits.tree_only ? 1e-8 : 1e-9);
    method.stabilization = "projection";
    // Near a crossing an error of the accelerations counts for more.
    const double tolerance = std::max<double>(type.traits.tree_only ? 2e-5 : 2e-6, 10 * type.traits.accuracy);
    expect_close("angle of the exact solution", value_at(run_class(model, method), 20, "link1.angle"), -1.138806343268,
                 tolerance);
  }
}

// --- Pekal, Fraczek: both struts by the paper's formulations, no stabilisation, Euler angles ---

void expect_strut(const SimulationResult& result, const Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.at(row, "time") != 1) continue;
    const std::string body = table.text(row, "body");
    for (const std::string column : {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"}) {
      expect_close(body + "." + column, value_at(result, 1, body + "." + column), table.at(row, column), 1e-6);
    }
  }
}

TEST(PaperFormulations, StrutsTakeTheSameStepsAndArriveAtTheSamePlace) {
  const std::vector<std::string> struts = {"mcpherson", "mcpherson-overconstrained"};
  const Table table = read_table(struts.front());
  for (const std::string& name : struts) {
    long evaluations = 0;
    const std::string direct = name == "mcpherson" ? "lagrange" : "lagrange-pseudoinverse";
    const std::vector<std::string> formulations = {direct, "udwadia-kalaba", "least-squares-1", "least-squares-2",
                                                   "udwadia-phohomsiri"};
    for (const std::string& formulation : formulations) {
      SCOPED_TRACE(name + " by " + formulation);
      Method method = by(formulation, 1, 1e-8);
      method.coordinates = "euler-zxz";
      method.stabilization = "none";
      const SimulationResult result = run_class(shipped(name), method);
      ASSERT_TRUE(result.ok());
      expect_strut(result, table);
      if (evaluations == 0) evaluations = result.summary.evaluations;
      EXPECT_NEAR(result.summary.evaluations, evaluations, 0.03 * evaluations);
    }
  }
}

}  // namespace whole_runs_test
}  // namespace bricard::testing_support
