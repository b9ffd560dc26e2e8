// Motions over the graph of the joints against the equations of the whole system.
#include "motions/graph_motion.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "analyses/assembly/assembly.h"
#include "analyses/structure/structure.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "motions/dependent_motion.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/started.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace graph_motion_test {

const CoordinatesType& bodies() { return *find_coordinates_type("reference-point"); }

std::shared_ptr<const Model> read_or_generate(const std::string& name, int size = 6) {
  return testing_support::generated_or_shipped(name, size);
}

std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(BRICARD_SOURCE_DIR "/models")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GraphMotionModels : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    model_ = read_or_generate(GetParam());
    assembly_ = assemble(model_, bodies());
    ASSERT_TRUE(assembly_.ok);
    graph_system_ = std::make_unique<System>(model_, bodies());
    system_ = std::make_unique<System>(model_, bodies());
    start_at(*graph_system_, assembly_);
    start_at(*system_, assembly_);
    structure_ = analyze_structure(*system_, assembly_.q, assembly_.v);
    redundant_ = structure_.rank < structure_.constraints;
    const std::string misfit = graph_motion_misfit(*system_, structure_.constraints - structure_.rank);
    if (!misfit.empty()) GTEST_SKIP() << misfit;
  }
  /// Moves the assembled state a little; redundant rows agree only on the constraints, so those stay there.
  Vector state(MechanismMotion& motion, double size) {
    Vector x(motion.size());
    motion.pack(0, assembly_.q, assembly_.v, x);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-size, size);
    for (int k = 0; k + 1 < x.size(); ++k) x[k] += number(random);
    return x;
  }

  std::shared_ptr<const Model> model_;
  Assembly assembly_;
  std::unique_ptr<System> graph_system_, system_;
  Structure structure_;
  bool redundant_ = false;
};

TEST_P(GraphMotionModels, AccelerationsAndMultipliersAreThoseOfTheWholeSystem) {
  const auto graph =
      create_graph_motion(*graph_system_, {.projection = true, .redundant = structure_.constraints - structure_.rank});
  DependentMotion whole(*system_,
                        find_formulation_type(redundant_ ? "lagrange-pseudoinverse" : "lagrange")
                            ->create(system_->empty_equations(), {.typical_inertia = typical_inertia(*system_)}),
                        find_stabilization_type("none")->create(*system_, {}), CorrectionTimes::steps);
  Vector x = state(*graph, redundant_ ? 0 : 1e-3), of_graph(x.size()), of_whole(x.size());
  ASSERT_EQ(graph->observe(0, x, of_graph), Status::ok) << graph->failure();
  ASSERT_EQ(whole.observe(0, x, of_whole), Status::ok) << whole.failure();
  EXPECT_LT((of_graph - of_whole).lpNorm<Eigen::Infinity>(), 1e-8 * (1 + of_whole.lpNorm<Eigen::Infinity>()));
  if (redundant_) return;
  EXPECT_LT((graph->multipliers() - whole.multipliers()).lpNorm<Eigen::Infinity>(),
            1e-8 * (1 + whole.multipliers().lpNorm<Eigen::Infinity>()));
}

TEST_P(GraphMotionModels, ProjectionEndsOnTheConstraints) {
  const auto graph =
      create_graph_motion(*graph_system_, {.projection = true, .redundant = structure_.constraints - structure_.rank});
  if (system_->row_count() == 0) return;
  Vector x = state(*graph, 1e-6);
  const Vector before = x;
  ASSERT_EQ(graph->correct(0, x), StepChange::corrected) << graph->failure();
  const int n = system_->position_size(), m = system_->velocity_size();
  Equations eq = system_->empty_equations();
  system_->evaluate(0, x.head(n), x.segment(n, m), Vector::Zero(0), Upto::dynamics, eq);
  const double size = std::max(1.0, model_->characteristic_length());
  EXPECT_LT(eq.Phi.lpNorm<Eigen::Infinity>(), 1e-11 * size);
  EXPECT_LT(eq.Phi_dot.lpNorm<Eigen::Infinity>(), 1e-10 * size * (1 + x.segment(n, m).lpNorm<Eigen::Infinity>()));
  EXPECT_LT((x - before).lpNorm<Eigen::Infinity>(), 1e-3 * (1 + before.lpNorm<Eigen::Infinity>()));
}

INSTANTIATE_TEST_SUITE_P(Shipped, GraphMotionModels, testing::ValuesIn(shipped_models()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});
INSTANTIATE_TEST_SUITE_P(Generated, GraphMotionModels, testing::Values("n-four-bar", "spatial-chain", "hanging-chain"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GraphMotion, FitsWhatItIsFor) {
  for (const char* name : {"four-bar", "five-bar", "slider-crank", "mcpherson", "mcpherson-overconstrained", "bennett",
                           "parallelogram-3", "double-pendulum"}) {
    const auto model = read_or_generate(name);
    testing_support::Started start(model);
    auto& [assembly, system, _] = start;
    const Structure structure = analyze_structure(system, assembly.q, assembly.v);
    EXPECT_EQ(graph_motion_misfit(system, structure.constraints - structure.rank), "") << name;
  }
}

TEST(GraphMotion, AllocatesNothingInAStep) {
  for (const char* name : {"n-four-bar", "spatial-chain", "four-bar", "mcpherson", "bennett"}) {
    const auto model = read_or_generate(name, 10);
    testing_support::Started start(model);
    auto& [assembly, system, _] = start;
    const auto motion =
        create_graph_motion(system, {.projection = true, .redundant = std::string(name) == "bennett" ? 3 : 0});
    Vector x(motion->size()), xdot(motion->size());
    motion->pack(0, assembly.q, assembly.v, x);
    ASSERT_EQ(motion->derivative(0, x, xdot), Status::ok) << name << ": " << motion->failure();
    const VectorRef state = x, rate = xdot;
    const AllocationCounter counter;
    for (int k = 1; k < 5; ++k) {
      motion->derivative(1e-6 * k, state, rate);
      x += 1e-6 * xdot;
      motion->correct_candidate(1e-6 * k, state);
      motion->derivative(1e-6 * k, state, rate);
      motion->after_step(1e-6 * k, state);
    }
    EXPECT_EQ(counter.count(), 0) << name;
  }
}

/// Drifts of a run by the graph and by the dense equations of the whole system.
struct Drifts {
  double energy, position, velocity;
};
Drifts drifts(const std::shared_ptr<const Model>& model, const std::string& formulation, double tolerance,
              double duration) {
  Method method;
  method.coordinates = "reference-point";
  method.formulation = formulation;
  method.stabilization = "projection";
  method.integrator = "dopri5";
  method.tolerance = tolerance;
  method.duration = duration;
  method.output_step = 0.1;
  const SimulationResult result = simulate(model, method);
  EXPECT_TRUE(result.summary.completed) << result.summary.failure;
  return {result.summary.energy_drift, result.summary.constraint_position_max, result.summary.constraint_velocity_max};
}

TEST(GraphMotion, DriftsNoMoreThanTheDensePath) {
  for (const char* name : {"n-four-bar", "spatial-chain", "four-bar", "double-pendulum", "bennett"}) {
    const auto model = read_or_generate(name);
    const bool redundant = std::string(name) == "bennett";
    for (double tolerance : {1e-4, 1e-8}) {
      const Drifts graph = drifts(model, redundant ? "lagrange-proximal" : "lagrange", tolerance, 2);
      const Drifts dense = drifts(model, "lagrange-pseudoinverse", tolerance, 2);
      // Rounding decides below these.
      EXPECT_LE(graph.energy, 1.1 * dense.energy + 1e-11) << name << " " << tolerance;
      EXPECT_LE(graph.position, 1.1 * dense.position + 1e-12) << name << " " << tolerance;
      EXPECT_LE(graph.velocity, 1.1 * dense.velocity + 1e-11) << name << " " << tolerance;
    }
  }
}

}  // namespace graph_motion_test
}  // namespace bricard
