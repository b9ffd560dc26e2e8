// dF/dy + cj dF/dy' of the stabilised index-2 equations in y = (q, v, lambda, mu), sparse and with twists as velocity
// coordinates (body_twists.h): with displacements d = T dq,
//   [cj I - d(N u)/dq   -N         0     N P^T]   F_q   = q' - N u,  u = v - P^T mu
//   [K T                C + cj M   P^T   0    ]   F_v   = M v' + P^T lambda - Q
//   [(dPhi_dot/dq) T    P          0     0    ]   Phi_dot
//   [P T                0          0     0    ]   Phi
// What the positions do to P^T mu is left out: mu vanishes but for errors of integration.
#pragma once

#include "system/tangent.h"

namespace bricard {

class IdaJacobian {
 public:
  /// lambda belongs to `rows`, mu to `position_rows`.
  IdaJacobian(const Tangent& tangent, const Equations& equations, bool planar, std::vector<int> rows,
              std::vector<int> position_rows);

  /// At the state of the last update of the tangent; u is v - P^T mu.
  void update(const Equations& equations, ConstVector q, ConstVector u, double cj);
  const SparseColumns& values() const { return values_; }

 private:
  template <class Emit>
  void for_each_entry(const Equations& equations, ConstVector q, ConstVector u, double cj, const Emit& emit) const;

  const Tangent& tangent_;
  bool planar_;
  std::vector<int> rows_, position_rows_;
  int np_, n_, bodies_;
  SparseColumns values_;
  std::vector<int> places_;
};

}  // namespace bricard
