// `independent` whose changes of coordinates restart nothing: the integrator's state is all of (q, v), and its right-hand
// side reads only z = B q, z' = B v of it, finds q and v from them and returns (v, v'). The history of every coordinate is
// then there, that of z = B q is B times it whatever B is, and another choice is another B: no transformation, no
// restart. After each accepted step the state is overwritten by the (q, v) that belong to z, z', which multistep methods
// take as a corrected history.                                          [Blajer-Schiehlen-Schirm, end of 3 and section 6]
// All components are in the error test: any of them may be the next independent one.
#pragma once

#include <utility>

#include "dynamics/prepared_state.h"
#include "motions/independent_motion.h"

namespace bricard {

class CarriedMotion : public IndependentMotion {
 public:
  CarriedMotion(System& system, const FormulationOptions& options)
      : IndependentMotion(system, options), corrected_(2 * velocities_) {}

  int size() const override { return 2 * velocities_ + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return true; }
  StepChange correct_candidate(double t, VectorRef x) override;
  StepChange after_step(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;
  long take_changes() override { return std::exchange(changes_, 0); }

 private:
  Vector reduced_;           // (z, z', friction states, work)
  PreparedState corrected_;  // the candidate corrected last
  long changes_ = 0;
};

}  // namespace bricard
