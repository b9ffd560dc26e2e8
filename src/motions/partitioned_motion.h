// What motions in independent velocities share: accelerations by the partition,
//   (R^T M R) z'' = R^T (Q - M S gamma),   v' = R z'' + S gamma,   P^T lambda = Q - M v' (least norm)
//                                                                                                   [Jalon-Bayo (5.67)]
// and the change to another partition when what measures the present one, or the speed of integration, says that it has
// gone bad.
#pragma once

#include "formulations/partition.h"
#include "motions/create_motion.h"
#include "motions/step_watch.h"

namespace bricard {

class PartitionedMotion : public MatrixMotion {
 public:
  PartitionedMotion(System& system, const FormulationOptions& options);
  std::string report() const override;
  void show(Exhibit& exhibit) override;
  /// Chooses a partition at an assembled state, before size() is asked for. False if the rank of P cannot be told.
  bool begin(double t, ConstVector q, ConstVector v);

 protected:
  int freedoms() const { return partition_.freedoms(); }
  /// Scales of z or z': the coordinates' own for a Boolean choice.
  void scale_independent(VectorRef scales) const;
  /// Finds z'', v' and lambda for the equations in eq_.
  virtual Status find_accelerations(ConstVector states);
  /// Chooses anew if the choice has gone bad; true if it is another one.
  bool choose_again();
  /// B and [P; B].
  void show_choice(Exhibit& exhibit);

  Partition partition_;
  double rounding_;   // size of rounding errors of Phi
  double tolerance_;  // of dependent positions
  Vector zddot_;
  /// -rows, for a right side: an expression would be evaluated into memory of its own.
  const Vector& negative(const Vector& rows) {
    negative_ = -rows;
    return negative_;
  }
  long switches_ = 0;

 private:
  Status solve(const Vector& Q);
  /// At the end of a step, of the last factorisation.
  bool is_outdated() { return by_speed_ ? watch_.is_slow_at(eq_.t) : partition_.is_outdated(); }

  Matrix MR_, reduced_;
  Eigen::LLT<Matrix> reduced_factor_;
  bool by_speed_;
  StepWatch watch_;
  Vector particular_, right_, force_, no_freedoms_, negative_;
};

template <class Motion>
std::unique_ptr<MechanismMotion> create_partitioned(const MotionSetting& s) {
  auto motion = std::make_unique<Motion>(s.system, s.options);
  return motion->begin(s.t, s.q, s.v) ? std::move(motion) : nullptr;
}

}  // namespace bricard
