// Cost of one evaluation of the equations of motion, accelerations included, against the size of a mechanism. Read the
// counter per_body: it is constant where the cost is linear.
#include <benchmark/benchmark.h>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "io/model/generate.h"
#include "motions/create_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

std::shared_ptr<const Model> family(const std::string& name, int size) {
  for (const GeneratorType& type : generator_types()) {
    if (name == type.name) return load_text(type.generate(size), name);
  }
  return nullptr;
}

void evaluation(benchmark::State& state, const std::string& name, const std::string& coordinates,
                const std::string& formulation) {
  const auto model = family(name, static_cast<int>(state.range(0)));
  const CoordinatesType& set = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, set);
  System system(model, set);
  const FormulationType& type = *find_formulation_type(formulation);
  FormulationOptions options;
  options.typical_inertia = typical_inertia(system);
  const auto motion = create_motion({.system = system,
                                     .formulation = type,
                                     .options = options,
                                     .stabilization = find_stabilization_type("none")->create(system, {}),
                                     .q = assembly.q,
                                     .v = assembly.v,
                                     .dynamics = *find_dynamics_type(type.engine)});
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(0, assembly.q, assembly.v, x);
  for (auto iteration : state) {
    (void)iteration;
    if (motion->derivative(0, x, xdot) != Status::ok) state.SkipWithError(motion->failure().c_str());
    benchmark::DoNotOptimize(xdot.data());
  }
  state.counters["per_body"] =
      benchmark::Counter(static_cast<double>(model->bodies.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(evaluation, chain_recursive, "spatial-chain", "relative", "recursive")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluation, chain_lagrange, "spatial-chain", "reference-point", "lagrange")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluation, loops_lagrange, "n-four-bar", "reference-point", "lagrange")
    ->Arg(10)
    ->Arg(40)
    ->Arg(160)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluation, loops_augmented_lagrangian, "n-four-bar", "reference-point", "augmented-lagrangian")
    ->Arg(10)
    ->Arg(40)
    ->Arg(160)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bricard
