// I - gamma df/dx for motion in dependent coordinates, x = (q, v, work), as a sparse matrix: f has a full Jacobian, but
// v' and lambda are solutions of sparse equations, r = M v' + P^T lambda - Q = 0 and G = P v' - gamma_rows = 0, so that
// with d the displacement of q in velocity coordinates
//   M dv' + P^T dlambda + K d + C dv = 0,   P dv' + G_q d + G_v dv = 0,   dv - gamma dv' = r_v.
// q' = N(q) v gives dq = A^-1 (r_q + gamma N dv) with A = I - gamma d(N v)/dq, hence d = T dq = gamma E dv + e with
// E = T A^-1 N, e = T A^-1 r_q, body by body. What is left has the size of [M P^T; P 0]:
//   [M + gamma C + gamma^2 K E,      P^T] [dv           ]   [M r_v - gamma K e  ]
//   [P + gamma G_v + gamma^2 G_q E,  0  ] [gamma dlambda] = [P r_v - gamma G_q e]
// The feedback of a stabilisation is in G. The work is taken to depend on nothing: nothing
// depends on it, and its error is not controlled.
#pragma once

#include <memory>
#include <vector>

#include "dynamics/feedback.h"
#include "linear/sparse_lu.h"
#include "motions/implicit_operator.h"
#include "motions/mechanism_motion.h"
#include "system/tangent.h"

namespace bricard {

class NewtonOperator : public ImplicitOperator {
 public:
  /// The motion's state is (q, v, friction states, work). The feedback is that of its stabilisation, and lives as long.
  NewtonOperator(MechanismMotion& motion, System& system, const Feedback& feedback);

  /// True if derivatives are known exactly and the motion's accelerations, near x and off the constraints too, are
  /// those of r = 0 and G = 0: not of redundant rows, nor of penalty methods.
  bool serves(double t, ConstVector x);

  Status linearize(double t, ConstVector x) override;
  bool factorize(double gamma) override;
  bool solve(ConstVector r, VectorRef dx) override;
  long factor_nonzeros() const override { return lu_ ? lu_->factor_nonzeros() : 0; }
  long linearizations() const { return linearizations_; }

 private:
  void build_matrix();
  void add_feedback();
  /// Rotations of one body: A^-1 = (I + gamma Z)/(1 + gamma^2 |omega|^2/4).
  struct Turning {
    Eigen::Matrix<double, 4, 3> N;
    Eigen::Matrix<double, 3, 4> T;
    Eigen::Matrix4d Z, A_inverse;
    Mat3 E;
  };

  MechanismMotion& motion_;
  System& system_;
  Tangent tangent_;
  Equations eq_;
  const Feedback& feedback_;
  int np_, n_, rows_, bodies_;
  bool spatial_;
  double gamma_ = 0;
  long linearizations_ = 0;
  SparseRows G_q_, G_v_;
  std::unique_ptr<SparseLu> lu_;
  std::vector<int> M_places_, K_places_, P_places_, transpose_places_, G_places_, P_in_G_;
  std::vector<Turning> turning_;
  Vector stiff_, xdot_, right_side_, e_, f_, g_;
};

}  // namespace bricard
