// Epicyclic gear trains reduced to their independent speeds, about an operating point.  [Pennestri-Valentini section 6]
// With the speeds omega of all bodies about their parallel axes, the fundamental circuits give
//   Psi omega = 0,     w_i - w_k - ratio (w_j - w_k) = 0 each                                                   (41)
//   omega = V w,       V = -Gamma_omega^-1 Gamma_v,  Gamma = [Psi omega; w - B omega]                      (42), (43)
//   M dw' + K dw = V^T T,   M = V^T I V,   K = -V^T (dT/domega) V                                          (38), (44)
// w are the chosen speeds, I the moments of inertia with m r^2 of planets on their carriers, T the torques on the
// bodies. (45) as printed has the opposite sign for the driving torques: there K is on the left-hand side, so that the
// slopes of all speed-torque curves enter with a minus sign; the closed form of K_11 and K_22 inherits that slip.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/fundamental_circuit.h"
#include "bricard/stability.h"

namespace bricard {

struct Model;

struct GearTrainOptions {
  /// Bodies (speed) or turning pairs (rate) whose speeds are w; empty: those that torques act on, in their order.
  std::vector<std::string> independent = {};
  /// A formulation nullspace-* whose null space is brought to w; empty: (42).
  std::string null_space = {};
  /// Values of w at the operating point; empty: the model's own start.
  std::vector<double> speeds = {};
};

struct GearTrain {
  std::vector<FundamentalCircuit> circuits;
  std::vector<std::string> bodies, independent;  // names of the columns of Psi, and of V
  int redundant = 0;                             // rows of Psi that the others imply
  Matrix Psi, V;
  Matrix inertia, slopes;   // by body: I with m r^2, dT/domega
  Vector omega, torque;     // by body, at the operating point
  Matrix M, K;              // reduced
  Vector imbalance;         // V^T T at the operating point
  Eigen::VectorXcd lambda;  // of (lambda M + K) X = 0, largest real part first
  Stability stability = Stability::neutral;
  bool steady = false;                // T balances, so that the operating point is a motion
  std::vector<std::string> messages;  // what the reduction leaves out
};

/// Throws InputError for a model that is no gear train with parallel axes, and for speeds that do not determine it.
GearTrain reduce_gear_train(const std::shared_ptr<const Model>& model, const GearTrainOptions& options = {});

/// Circuits, matrices and eigenvalues, ready to print.
std::string gear_train_text(const Model& model, const GearTrain& train);
/// The same of a model at its start: empty without gear pairs, the circuits and the reason if it cannot be reduced.
std::string gear_train_text(const std::shared_ptr<const Model>& model);

}  // namespace bricard
