// Divergence: what a run may not do, however loose its tolerance. Bounds are relative to the mechanism's own scales,
// and wide: drift that is only visible (no stabilisation, soft penalties, long fixed steps) is the method's own affair,
// but a motion most of whose energy came from nowhere, or whose joints are a good part of the mechanism's size apart,
// is no motion of this mechanism any more.
#pragma once

#include <memory>
#include <string>

#include "system/system.h"

namespace bricard {

class Divergence {
 public:
  /// (q, v): the start of the run; they must outlive this object.
  Divergence(const System& system, double tolerance, const Vector& q, const Vector& v);

  /// Energies below this are errors that the tolerance allows: it lets velocities be off by about the mechanism's size
  /// a second, times the tolerance.
  double least_energy() const { return least_energy_; }

  /// What has grown, in words; empty while it is bounded. `gain`: energy minus work since the start; `size`: what the
  /// motion exchanged. Energy that is lost is damping, which integrators may have.
  std::string of_energy(double gain, double size) const;
  /// `Phi`: errors of the position-level constraints, and its norm.
  std::string of_constraints(const Vector& Phi, double norm);

 private:
  /// What a displacement by the mechanism's size would make of each row.
  void find_row_sizes();

  const System& system_;
  const Vector &start_q_, &start_v_;
  double length_, least_energy_;
  Vector row_sizes_;  // since errors were first large
};

/// The weight of a model over its length: what its energies are of the size of, if it has weight.
double weight_over_length(const Model& model);

}  // namespace bricard
