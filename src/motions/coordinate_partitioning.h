// `--state independent`: coordinate partitioning with the accelerations of any formulation. The state is (z, z') with
// z = B q; at every evaluation
//   Phi(q_d, z) = 0 by Newton-Raphson, from the positions accepted last, until |Phi| < the position tolerance:
//     q_d += -P_d^+ Phi
//   P_d v_d = -Phi_t - P_i z'
// P_d^+: the columns of P that belong to dependent coordinates, with all rows; where rows are redundant its
// pseudoinverse.        [Wehage-Haug 1982; Jalon-Bayo (5.55)-(5.57); Nikravesh 1988; Pekal-Fraczek sections 2 and 4]
// B may be any combination: what is dependent are then the directions N with B N = 0, and P_d stands for P N.
#pragma once

#include <memory>
#include <string>

#include "formulations/dense_algebra.h"
#include "motions/independent_motion.h"
#include "motions/over_formulation.h"

namespace bricard {

class CoordinatePartitioning : public OverFormulation<IndependentMotion> {
 public:
  CoordinatePartitioning(System& system, const FormulationType& type, const FormulationOptions& options)
      : OverFormulation(system, type, options), is_kept_(options.keep_partition || options.independent.rows() > 0) {}

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool accept(double t, ConstVector x) override;
  std::string report() const override;

 private:
  /// N and B^+ of the present choice.
  void find_directions();
  /// x = B^+ free_part + N y with the least |P x - row_part|. False if P N is singular.
  bool solve(const Vector& row_part, ConstVector free_part, Vector& x);

  Matrix N_, B_inverse_, PN_;
  std::unique_ptr<PivotedQr> least_squares_;  // for redundant rows
  Vector no_change_, rest_, y_, last_;
  bool is_kept_;
  double least_pivots_ = 1;
  long unpacked_ = 0, iterations_ = 0;
};

}  // namespace bricard
