#include "bricard/simulate.h"

#include <limits>

#include "analyses/run/own_units.h"
#include "analyses/run/stepped_run.h"

namespace bricard {

Summary simulate(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                 const SimulationOptions& options) {
  if (const OwnUnits own(model, method); own.differ()) {
    SinkInSi to_si(sink, own, *model);
    Summary summary = own.translate_errors([&] { return simulate(own.model(), own.method(method), to_si, options); });
    own.to_si(summary);
    return summary;
  }
  PreparedRun prepared = prepare_run(model, method);
  const std::unique_ptr<SteppedRun> run = create_run(prepared, sink, options);
  for (bool going = run->begin(); going && !run->is_over();) going = run->step(std::numeric_limits<double>::infinity());
  return run->finish();
}

SimulationResult simulate(const std::shared_ptr<const Model>& model, const Method& method) {
  SimulationResult result;
  result.summary = simulate(model, method, result.data);
  return result;
}

}  // namespace bricard
