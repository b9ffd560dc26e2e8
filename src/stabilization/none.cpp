// `none`: accelerations satisfy the constraints, positions and velocities drift as the integrator lets them.
#include "stabilization/stabilization.h"

namespace bricard::stabilizations {
namespace {

class None : public Stabilization {
 public:
  std::optional<GraphStabilization> in_graph() const override { return GraphStabilization{}; }
};

}  // namespace

StabilizationType none() {
  return {.name = "none",
          .description = "no stabilisation: constraints drift with the integration error",
          .source = "",
          .feedback = false,
          .corrections = false,
          .create = [](System&, const StabilizationOptions&) -> std::unique_ptr<Stabilization> {
            return std::make_unique<None>();
          }};
}

}  // namespace bricard::stabilizations
