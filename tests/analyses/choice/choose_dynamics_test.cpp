// What runs is what it says: the engine of a run, named and forced.
#include "analyses/choice/choose_dynamics.h"

#include "bricard/compare.h"
#include "bricard/simulate_batch.h"
#include "reference/reference.h"

namespace bricard::testing_support {
namespace choose_dynamics_test {

/// Two rods on a cart that runs on a rail, tied by a third: 5 bodies' worth of joints, one loop.
std::shared_ptr<const Model> swing(const std::string& more = "") {
  return load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
      "bodies:\n"
      "  cart: {mass: 3, inertia: 0.4, center: [0.2, 0]}\n"
      "  left: {mass: 1, inertia: 0.2, center: [-0.6, -0.5]}\n"
      "  right: {mass: 1.5, inertia: 0.3, center: [1.1, -0.6]}\n"
      "  tie: {mass: 0.7, inertia: 0.9, center: [0.3, -1.05]}\n"
      "joints:\n"
      "  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
      "  A: {type: revolute, bodies: [cart, left], at: [-0.4, 0]}\n"
      "  B: {type: revolute, bodies: [cart, right], at: [0.8, 0]}\n"
      "  C: {type: revolute, bodies: [left, tie], at: [-0.8, -1]}\n"
      "  D: {type: revolute, bodies: [right, tie], at: [1.4, -1.1]}\n" +
          more,
      "swing");
}

std::string refusal(const std::shared_ptr<const Model>& model, const Method& method) {
  try {
    simulate(model, method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string proximal_report(const SimulationResult& result) {
  for (const std::string& message : result.summary.messages) {
    if (contains(message, "proximal refinements")) return message;
  }
  return "";
}

TEST(Dynamics, SummariesNameTheEngineAndItsSize) {
  // 12 coordinates and 10 constraints; 5 joints; 4 bodies.
  const std::string whole = "matrices of the whole system, 22 unknowns",
                    bodies = "bodies over the joint graph, 5 blocks", tree = "recursion over the tree, 4 bodies";
  Method method = accurate(0.2, 0.1, 1e-6);
  EXPECT_EQ(run(swing(), method).summary.dynamics, bodies);
  for (const auto& [engine, text] : {std::pair{"whole", whole}, {"bodies", bodies}, {"tree", tree}}) {
    method.dynamics = engine;
    const SimulationResult result = run(swing(), method);
    EXPECT_EQ(result.summary.dynamics, text);
    EXPECT_EQ(result.summary.chosen.method.dynamics, engine);
  }
  method = accurate(0.2, 0.1, 1e-6);
  for (const char* formulation : {"nullspace-svd", "independent", "penalty", "canonical-lagrange"}) {
    method.formulation = formulation;
    EXPECT_EQ(run(swing(), method).summary.dynamics, whole) << formulation;
  }
  method.formulation = "lagrange", method.integrator = "bdf";
  EXPECT_EQ(run(swing(), method).summary.dynamics, bodies);
  method.integrator = "hht";
  EXPECT_EQ(run(swing(), method).summary.dynamics, whole + ", solved by hht itself");
  // An open tree.
  const auto chain = generated("spatial-chain", 12);
  EXPECT_EQ(run(chain, accurate(0.01, 0.01, 1e-6)).summary.dynamics, "recursion over the tree, 12 bodies");
}

TEST(Dynamics, AllEnginesHaveTheSameMotion) {
  Method method = accurate(1, 1, 1e-10);
  method.dynamics = "whole", method.formulation = "nullspace-svd";
  const double exact = value_at(run(swing(), method), 1, "tie.angle");
  EXPECT_GT(std::abs(exact), 1e-3);
  for (const auto& [formulation, engine] : {std::pair{"lagrange", "whole"},
                                            {"lagrange-proximal", "whole"},
                                            {"lagrange", "bodies"},
                                            {"recursive", "tree"}}) {
    method.formulation = formulation, method.dynamics = engine;
    EXPECT_NEAR(value_at(run(swing(), method), 1, "tie.angle"), exact, 1e-7) << formulation << engine;
  }
}

// Over the joint graph, `lagrange` and `lagrange-proximal` are one program, and no multiplier is refined; as classes of
// their own they are two.
TEST(Dynamics, WholeRunsTheClassOfTheFormulation) {
  Method method = accurate(0.5, 0.5, 1e-8);
  method.formulation = "lagrange-proximal", method.dynamics = "bodies";
  EXPECT_EQ(proximal_report(run(swing(), method)), "");
  method.dynamics = "whole";
  const SimulationResult proximal = run(swing(), method);
  EXPECT_NE(proximal_report(proximal), "");
  method.formulation = "lagrange";
  const SimulationResult lagrange = run(swing(), method);
  EXPECT_EQ(proximal_report(lagrange), "");
  EXPECT_NE(lagrange.summary.final, proximal.summary.final);
}

TEST(Dynamics, EnginesThatDoNotFitAreRefusedWithTheReason) {
  Method method = accurate(0.1, 0.1, 1e-6);
  method.dynamics = "bodies", method.formulation = "nullspace-qr";
  EXPECT_TRUE(contains(refusal(swing(), method), "nullspace-qr"));
  method.formulation = "lagrange", method.integrator = "hht";
  EXPECT_TRUE(contains(refusal(swing(), method), "integrator 'hht'"));
  method.integrator = "dopri5", method.stabilization = "partitioning";
  EXPECT_TRUE(contains(refusal(swing(), method), "stabilization 'partitioning'"));
  method.stabilization = "", method.coordinates = "natural";
  EXPECT_TRUE(contains(refusal(swing(), method), "reference-point"));
  method.coordinates = "", method.dynamics = "tree";
  EXPECT_TRUE(contains(refusal(swing(), method), "recursive"));
  method.formulation = "recursive", method.dynamics = "whole";
  EXPECT_TRUE(contains(refusal(swing(), method), "formulation 'recursive' has no algebra of matrices"));
  // Drives and friction are no reason.
  method.formulation = "", method.dynamics = "tree";
  EXPECT_EQ(refusal(swing("motions: {m: {joint: rail, position: '0.1*sin(t)'}}\n"), method), "");
  EXPECT_EQ(refusal(swing(), method), "");
}

TEST(Dynamics, UnknownNamesAreRefusedWithTheNearest) {
  Method method = accurate(0.1, 0.1, 1e-6);
  method.dynamics = "bodys";
  EXPECT_TRUE(contains(refusal(swing(), method), "unknown dynamics 'bodys'; did you mean 'bodies'?"));
  method.dynamics = "", method.rescue = "of";
  EXPECT_TRUE(contains(refusal(swing(), method), "unknown rescue 'of'"));
}

TEST(Dynamics, ReasonsAreTrueOfTheEngineThatRuns) {
  const auto ladder = generated("n-four-bar", 40);
  const Method method = accurate(0.01, 0.01, 1e-6);
  const std::string fast = run(ladder, method).summary.chosen.reason;
  EXPECT_FALSE(contains(fast, "sparse")) << fast;
  Method implicit = method;
  implicit.integrator = "hht", implicit.step = 1e-3;
  const SimulationResult whole = run(ladder, implicit);
  EXPECT_TRUE(contains(whole.summary.chosen.reason, "its matrix of 485 unknowns is sparse"))
      << whole.summary.chosen.reason;
  EXPECT_TRUE(contains(whole.summary.dynamics, "485 unknowns"));
}

TEST(Dynamics, BatchesNameTheirLanes) {
  const std::vector<std::shared_ptr<const Model>> models(4, swing());
  Method method = accurate(0.1, 0.1, 1e-6);
  for (const SimulationResult& result : simulate_batch(models, method))
    EXPECT_EQ(result.summary.dynamics, "lanes of 4 runs, bodies over the joint graph, 5 blocks");
  method.dynamics = "whole";
  for (const SimulationResult& result : simulate_batch(models, method))
    EXPECT_EQ(result.summary.dynamics, "matrices of the whole system, 22 unknowns");
}

TEST(Dynamics, ComparisonsRunFormulationsAsTheyAreAndFastEnginesBesideThem) {
  CompareOptions options;
  options.stabilizations = {"projection"};
  options.common = accurate(0.1, 0.05, 1e-6);
  options.repeats = 0;
  const Comparison all = compare(swing(), options);
  int fast = 0;
  for (const ComparedRun& run : all.runs) {
    if (!run.ran()) continue;
    const bool named = contains(run.name, "(bodies)") || contains(run.name, "(tree)");
    fast += named;
    EXPECT_EQ(contains(run.summary.dynamics, "matrices of the whole system"), !named) << run.name;
  }
  EXPECT_EQ(fast, 3);
  options.formulations = {"lagrange", "lagrange (bodies)"};
  const Comparison two = compare(swing(), options);
  ASSERT_EQ(two.runs.size(), 2U);
  EXPECT_EQ(two.runs[0].name, "lagrange");
  EXPECT_TRUE(contains(two.runs[0].summary.dynamics, "whole"));
  EXPECT_EQ(two.runs[1].name, "lagrange (bodies)");
  EXPECT_TRUE(contains(two.runs[1].summary.dynamics, "joint graph"));
  options.formulations = {"lagrange", "nullspace-svd"}, options.dynamics = {"whole", "bodies"};
  const Comparison four = compare(swing(), options);
  ASSERT_EQ(four.runs.size(), 4U);
  EXPECT_EQ(four.runs[0].name, "lagrange (whole)");
  EXPECT_FALSE(four.runs[3].ran());
}

}  // namespace choose_dynamics_test
}  // namespace bricard::testing_support
