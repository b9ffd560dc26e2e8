// Closing conditions by inverse kinematics: with a choice q_I of joint coordinates all others follow without solving
// constraint equations,
//   q_D = g(q_I, t),   v_D = A v_I + eta,   v_D' = A v_I' + xi                     [Blajer-Schiehlen-Schirm (27), (7), (8)]
// loop by loop (closing_loop.h), in the order of a plan; what a loop gives is known in the next.
//   v = D^T v_I + [0; eta],   v' = D^T v_I' + [0; xi],   D = [I A^T]                                            (9), (10)
#pragma once

#include "dynamics/closing/closing_loop.h"

namespace bricard {

class ClosingConditions {
 public:
  /// Coordinates of the system: `independent`, ascending.
  ClosingConditions(const System& system, const LoopGraph& graph, std::vector<int> independent);

  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& dependent() const { return dependent_; }
  /// Why the choice does not serve; empty: it does.
  const std::string& problem() const { return plan_.problem; }
  const ClosingPlan& plan() const { return plan_; }

  /// Reads the branches at an assembled position, at which the system was evaluated last. False if no branch leads there,
  /// or it is a dead point of this choice.
  bool begin(double t, ConstVector q);
  /// q from q_I. False where loops cannot be closed.
  bool find_positions(double t, ConstVector q_I, VectorRef q);
  /// D^T and eta there. False at a dead point.
  bool find_rates();
  /// v from v_I, then xi there.
  void find_velocities(ConstVector v_I, VectorRef v);
  void find_biases();
  /// The last positions are those of an accepted step: angles are counted from them.
  void accept() { near_ = x_; }

  const Matrix& DT() const { return DT_; }      // in the order of the system's coordinates
  const Vector& eta() const { return eta_q_; }  // of all of them, zero for q_I
  const Vector& xi() const { return xi_q_; }
  /// The smallest |l . p_a| of all loops, 1 without loops: 0 at a dead point.
  double regularity() const { return regularity_; }
  /// Why the last call failed.
  const std::string& failure() const { return failure_; }

 private:
  bool solve(std::size_t step);
  void continue_angle(int edge);
  void take_nearest_branch(std::size_t loop, ConstVector q);
  std::string names_of(const ClosingStep& step) const;

  const System& system_;
  const LoopGraph& graph_;
  std::vector<int> independent_, dependent_;
  ClosingPlan plan_;
  std::vector<ClosingLoop> loops_;
  std::vector<int> loop_of_step_;  // -1: a relation
  double length_;
  std::vector<double> x_, near_;  // of every edge; where angles are counted from
  Matrix G_;                      // rates of edges: x' = G v_I + eta, x'' = G v_I' + xi
  Vector eta_, xi_;
  std::vector<double> rates_;
  std::vector<Jet> laws_;  // of relations
  Matrix DT_;
  Vector eta_q_, xi_q_;
  double regularity_ = 1;
  std::string failure_;
};

}  // namespace bricard
