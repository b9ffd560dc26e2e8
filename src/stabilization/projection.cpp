// `projection`: after each step q and v move to the nearest state on the constraints, nearest in the metric of M. Every
// engine does it in its own way (Dynamics::project).                        [Bayo-Ledesma 1996; Eich 1993; Blajer 2002]
#include "stabilization/stabilization.h"

namespace bricard::stabilizations {
namespace {

class Projection : public Stabilization {
 public:
  bool corrects() const override { return true; }
  StepChange correct(Dynamics& dynamics, double t, VectorRef q, VectorRef v) override {
    const StepChange change = dynamics.project(t, q, v);
    if (change == StepChange::failed) failure_ = dynamics.failure();
    return change;
  }
  std::string failure() const override { return failure_; }

 private:
  std::string failure_;
};

}  // namespace

StabilizationType projection() {
  return {.name = "projection",
          .description = "mass-orthogonal projection of positions and velocities after each step",
          .source = "Bayo, Ledesma 1996; Eich 1993; Blajer 2002",
          .feedback = false,
          .corrections = true,
          .create = [](System&, const StabilizationOptions&) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Projection>();
          }};
}

}  // namespace bricard::stabilizations
