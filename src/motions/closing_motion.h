// `closing-conditions`: state (q_I, v_I). All other coordinates, velocities and biases follow explicitly, loop by loop
// (dynamics/closing), so that no constraint equation is solved and none is violated:
//   (D M D^T) v_I' = D (Q - M [0; xi]),   q_I' = v_I                                [Blajer-Schiehlen-Schirm (28), (12)-(14)]
//   C^ = [-A I],   lambda^ = (M v' - Q)_D                                                                        (30)-(32)
#pragma once

#include <memory>

#include "dynamics/closing/closing_choice.h"
#include "formulations/partition.h"
#include "motions/create_motion.h"

namespace bricard {

class ClosingMotion : public MatrixMotion {
 public:
  ClosingMotion(System& system, const FormulationOptions& options);
  /// Chooses q_I at an assembled state. False if no choice serves, or the given one does not.
  bool begin(double t, ConstVector q, ConstVector v);

  int size() const override { return 2 * freedoms() + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  Status observe(double t, ConstVector x, VectorRef xdot) override;
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool accept(double t, ConstVector x) override;
  bool renew(double t, VectorRef x) override;
  void show(Exhibit& exhibit) override;
  std::string report() const override;

 private:
  int freedoms() const { return static_cast<int>(conditions_->independent().size()); }
  /// Takes a set of coordinates at the position at which the system was evaluated last.
  bool take(const std::vector<int>& coordinates, double t, ConstVector q);
  ClosingSets sets(ConstVector q);
  std::vector<std::vector<int>> choose(ConstVector q);
  Status solve(const Vector& Q);

  LoopGraph graph_;
  FormulationOptions options_;
  std::unique_ptr<ClosingConditions> conditions_;
  std::unique_ptr<Partition> rows_;  // [P; B] of the same choice, for the multipliers of the rows
  bool needs_multipliers_, find_multipliers_ = false;
  double chosen_regularity_ = 1;
  long switches_ = 0;
  Matrix MD_, reduced_;
  Eigen::LLT<Matrix> reduced_factor_;
  Vector zddot_, right_, force_;
};

}  // namespace bricard
