// Coordinate partitioning as a correction: the independent coordinates keep their integrated values, the dependent
// positions follow by Newton-Raphson and the dependent velocities from the partitioned equations.
//                                                                                   [Wehage-Haug 1982; Pekal-Fraczek 2]
#pragma once

#include <string>

#include "formulations/partition.h"
#include "stabilization/stabilization.h"

namespace bricard {

class PartitioningCorrection {
 public:
  PartitioningCorrection(System& system, const StabilizationOptions& options);
  StepChange correct(double t, VectorRef q, VectorRef v);
  const std::string& failure() const { return failure_; }
  long choices() const { return choices_; }
  long corrections() const { return corrections_; }

 private:
  System& system_;
  Equations eq_;
  Partition partition_;
  Vector no_states_, no_change_, step_;
  double tolerance_;
  long choices_ = 0, corrections_ = 0;
  std::string failure_;
};

}  // namespace bricard
