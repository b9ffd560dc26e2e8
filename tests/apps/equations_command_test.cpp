// `bricard equations` as users call it.
#include "support/command_fixture.h"

namespace equations_command_test {

using namespace bricard::testing_support;

class EquationsCommand : public CommandFixture {
 protected:
  Outcome call(const std::string& arguments) const { return run("equations " + arguments); }
};

TEST_F(EquationsCommand, PrintsNamedMatricesAndResiduals) {
  const Outcome outcome = call(models + "pendulum.yaml --coordinates reference-point --formulation nullspace-svd");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* part : {"M v' + P^T lambda = Q", "pendulum.omega", "rank of P: 2 of 2", "What nullspace-svd makes",
                           "V^T M V", "[Pennestri-Valentini (17), (32)]", "residual of P v' = gamma"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
}

TEST_F(EquationsCommand, DrawsLargeMatricesAsPatterns) {
  const Outcome outcome = call(models + "n-four-bar.yaml --coordinates reference-point --formulation lagrange");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "entries that are not zero")) << outcome.out;
}

TEST_F(EquationsCommand, WritesJsonLatexMatrixMarketAndAReport) {
  const std::string json = folder_ / "e.json", tex = folder_ / "e.tex", page = folder_ / "e.html",
                    folder = folder_ / "matrices";
  const Outcome outcome =
      call(models + "four-bar.yaml --at 0.1 --coordinates reference-point --formulation independent --json --output " +
           json + " --latex " + tex + " --matrix-market " + folder + " --report " + page);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, read(json));
  EXPECT_EQ(std::system(("/usr/bin/python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); "
                         "M = next(m for m in d[\"system\"] if m[\"symbol\"] == \"M\"); "
                         "assert len(M[\"values\"]) == len(M[\"rows\"]) == len(M[\"columns\"]) > 0; "
                         "assert d[\"rank\"] == len(M[\"rows\"]) - 1 and abs(d[\"time\"] - 0.1) < 1e-12' " +
                         json)
                            .c_str()),
            0);
  const std::string market = read(folder + "/M.mtx");
  EXPECT_TRUE(market.starts_with("%%MatrixMarket matrix coordinate real general\n")) << market;
  EXPECT_TRUE(contains(read(folder + "/gamma.mtx"), "%%MatrixMarket matrix array real general"));
  EXPECT_TRUE(contains(read(tex), "\\begin{bmatrix}"));
  EXPECT_TRUE(contains(read(tex), "\\dot v = "));
  EXPECT_TRUE(contains(read(page), "R^T M R"));
}

TEST_F(EquationsCommand, BadInputIsExitCodeTwo) {
  EXPECT_EQ(call(models + "pendulum.yaml --at -1").code, 2);
  EXPECT_EQ(call(models + "pendulum.yaml --output e.csv").code, 2);
  const Outcome unknown = call(models + "pendulum.yaml --formulation nullspace-rq");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.error, "nullspace-qr")) << unknown.error;
}

}  // namespace equations_command_test
