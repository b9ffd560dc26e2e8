// Throughput of parameter studies on one thread: runs one by one, and in the lanes of vector registers. Read the
// counter `runs`: runs a second of CPU.
#include <benchmark/benchmark.h>

#include <cmath>

#include "bricard/load.h"
#include "bricard/simulate_batch.h"
#include "io/model/generate.h"

namespace bricard {
namespace {

constexpr int runs = 16;

std::shared_ptr<const Model> family(const std::string& name, int size) {
  for (const GeneratorType& type : generator_types()) {
    if (name == type.name) return load_text(type.generate(size), name);
  }
  return nullptr;
}

/// Models that differ in their masses.
std::vector<std::shared_ptr<const Model>> variations(const std::string& name, int size) {
  std::vector<std::shared_ptr<const Model>> models;
  for (int k = 0; k < runs; ++k) {
    Model model = *family(name, size);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const double factor = 1 + 0.3 * std::sin(1 + k + 2.0 * static_cast<double>(b));
      model.bodies[b].mass *= factor;
      model.bodies[b].inertia *= factor;
    }
    models.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return models;
}

void batch(benchmark::State& state, const std::string& name, int size, bool lanes, double output_step) {
  const auto models = variations(name, size);
  Method method;
  method.coordinates = "reference-point";
  method.formulation = "lagrange";
  method.stabilization = "projection";
  method.integrator = "dopri5";
  method.tolerance = 1e-6;
  method.duration = 5;
  method.output_step = output_step;
  double evaluations = 0;
  for (auto iteration : state) {
    (void)iteration;
    const auto results = simulate_batch(models, method, {.threads = 1, .lanes = lanes});
    for (const SimulationResult& result : results) {
      if (!result.ok()) state.SkipWithError(result.summary.failure.c_str());
      evaluations += static_cast<double>(result.summary.evaluations);
    }
  }
  state.counters["evaluations"] = evaluations / static_cast<double>(runs * state.iterations());
  state.counters["runs"] = benchmark::Counter(runs, benchmark::Counter::kIsIterationInvariantRate);
}

#define BRICARD_BATCH(label, name, size)                                                                     \
  BENCHMARK_CAPTURE(batch, label##_final_one_by_one, name, size, false, 5)->Unit(benchmark::kMillisecond);   \
  BENCHMARK_CAPTURE(batch, label##_final_lanes, name, size, true, 5)->Unit(benchmark::kMillisecond);         \
  BENCHMARK_CAPTURE(batch, label##_rows_one_by_one, name, size, false, 0.01)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(batch, label##_rows_lanes, name, size, true, 0.01)->Unit(benchmark::kMillisecond)

BRICARD_BATCH(four_bar, "n-four-bar", 1);
BRICARD_BATCH(four_bars_10, "n-four-bar", 10);
BRICARD_BATCH(chain_10, "spatial-chain", 10);

}  // namespace
}  // namespace bricard
