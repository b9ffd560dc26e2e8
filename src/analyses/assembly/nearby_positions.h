// The constraints at a position and at assembled positions beside it: what holds at all of them is a property of the
// mechanism, what holds at one alone is a property of that position. Dense: for models of moderate size.
#pragma once

#include <Eigen/SVD>

#include "analyses/assembly/scaled_constraints.h"
#include "linear/singular_values.h"

namespace bricard {

class NearbyPositions {
 public:
  /// (q, v): an assembled state.
  NearbyPositions(System& system, ConstVector q, ConstVector v) : system_(system), scaled_(system, q, v), v_(v) {}

  /// Of drives; 0 at first.
  void set_time(double t) { t_ = t; }
  void evaluate(ConstVector q);
  const Vector& singular_values() const { return svd_.values(); }
  int rank(double threshold) const { return svd_.rank(threshold); }

  /// An assembled position beside q, in a random direction that the constraints allow; `size`: of the largest rotation,
  /// or displacement in characteristic lengths. False if none is found.
  bool step_aside(ConstVector q, double size, unsigned seed, Vector& aside);
  /// Of a displacement, in that sense.
  double size_of(ConstVector displacement) const;
  /// The same in the direction of given velocities.
  bool step_along(ConstVector q, ConstVector velocities, double size, Vector& aside);

 private:
  System& system_;
  ScaledConstraints scaled_;
  Vector v_;
  double t_ = 0;
  SingularValues svd_;  // at decomposed_ and its time
  Vector decomposed_;
  double decomposed_at_ = 0;
  Matrix free_;  // allowed displacements, in scaled coordinates, at free_from_
  Vector free_from_;
};

}  // namespace bricard
