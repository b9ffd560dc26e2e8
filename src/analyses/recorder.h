// The result columns of a run: what they are called and how a state fills them.
#pragma once

#include <string>
#include <vector>

#include "stabilization/dependent_motion.h"

namespace bricard {

class Recorder {
 public:
  explicit Recorder(const System& system);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Values at the state at which the motion's derivative was evaluated last.
  void record(double t, System& system, const DependentMotion& motion, ConstVector v, Vector& row) const;

  /// Columns that the run itself watches.
  int energy_total() const { return energy_ + 2; }
  int constraint_position() const { return energy_ + 3; }
  int constraint_velocity() const { return energy_ + 4; }

 private:
  std::vector<std::string> columns_;
  int energy_ = 0;
};

}  // namespace bricard
