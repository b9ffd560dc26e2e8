// Motion of an open tree in its joint coordinates: derivatives by recursion (tree_dynamics.h), for which the System
// evaluates force elements alone, or nothing where there are none. State and everything else are those of
// DependentMotion, which serves the outputs.
#pragma once

#include <vector>

#include "coordinates/tree_dynamics.h"
#include "motions/dependent_motion.h"

namespace bricard {

class TreeMotion : public DependentMotion {
 public:
  /// True if nothing but weights and force elements acts on the tree: no rows, no friction.
  static bool suits(const System& system);
  /// Starts at (q, v), where the System knows on which turns its joints are.
  TreeMotion(System& system, std::unique_ptr<Formulation> formulation, std::unique_ptr<Stabilization> stabilization,
             ConstVector q, ConstVector v);

  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  Status observe(double t, ConstVector x, VectorRef xdot) override;
  bool accept(double t, ConstVector x) override;
  void forget_instant() override { moved_ = false; }

 protected:
  /// Puts the tree at a state and evaluates the force elements there.
  void move(double t, ConstVector x, double* qdot);
  void set_turns(double t);
  /// Generalised forces of the elements, for the tree: null if there are none. False if one is not a number.
  bool find_forces(const double*& Q);

  TreeDynamics* tree_;  // of the coordinates
  bool has_forces_;
  bool moved_ = false;  // the tree is at (q_, v_)

 private:
  /// A joint's angle is a position coordinate, so that its turns need not be counted at every step.
  struct Turn {
    int joint, coordinate;  // of the model
    int position, velocity;
    double sign, offset;
  };
  void find_turns(ConstVector q, ConstVector v);

  std::vector<Turn> turns_;
  Vector rates_;
};

}  // namespace bricard
