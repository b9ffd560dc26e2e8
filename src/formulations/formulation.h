// A formulation: accelerations and multipliers from the equations at one instant,
//   M v' + P^T lambda = Q,   P v' = gamma.
// Factorising and solving are apart, so that friction which depends on lambda can be iterated with one factorisation.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "system/equations.h"
#include "system/status.h"

namespace bricard {

class Exhibit;
class System;
class NonidealForces;

/// Squaring P squares its singular values too: below this, those of rank and rounding cannot be told apart.
inline constexpr double smallest_squared_threshold = 1e-7;

struct FormulationTraits {
  bool redundant_rows = false;      // survives rows that depend on each other
  bool singular_mass = false;       // does without M^-1
  bool unique_multipliers = false;  // refuses what has none; otherwise the least-norm ones
  bool feedback = true;             // takes stabilisation that changes gamma
  bool corrections = true;          // takes stabilisation that corrects states
  bool singular_positions = false;  // keeps its branch through singular positions without stabilisation
  bool tree_only = false;           // needs coordinates of a tree
  bool mass_matrix = true;          // evaluates M
  bool row_penalties = false;       // has a penalty, an Omega and a mu for each row
  bool velocity_rows = true;        // takes velocity-level (non-holonomic) rows
  bool pseudoinverse = false;       // takes the pseudoinverse that is chosen
  double smallest_rank_threshold =
      0;                    // where P is squared to decide its rank: a smaller threshold is raised to this one
  bool rates_only = false;  // needs coordinates whose velocities are q'
  double accuracy = 0;      // relative error of accelerations that the method itself makes, at its defaults; 0: none
  const char* cost = "";    // growth with the number of unknowns
};

struct FormulationOptions {
  std::string pseudoinverse = "svd";
  std::string greville = "all";        // its changes of the printed algorithm
  double threshold = 1e-9;             // relative rank threshold
  bool threshold_is_absolute = false;  // of pseudoinverses: not relative, for P M^-1/2 in its units
  bool threshold_is_fixed = false;     // of pseudoinverses: not raised with the drift
  double reuse = 0;  // null-space methods: an old null space serves while |P V| <= reuse |P| |V|; 0: never
  std::string selection = "gauss";  // of independent coordinates
  Matrix independent = {};          // or these, z' = independent v; empty: as the selection chooses
  bool keep_partition = false;      // the choice of the start serves to the end
  bool renew_by_speed = false;      // short steps are a reason to choose again
  double hysteresis = 0.5;          // the choice changes where its measure is below this times the best one's
  bool carry_history = false;       // a change leaves integrators their history: all of (q, v) is their state
  bool partition_basis = false;     // projection-r: R by independent coordinates, not by QR
  double position_tolerance = 0;    // of dependent positions: |Phi|, m; 0: as far as rounding lets it
  int correction_interval = 1;      // state (q, z'): positions are put back every so many steps; 0: never
  double correction_bound = 0;      // or where |Phi| is above this, m; 0: always
  double penalty = 1e7;             // penalty and augmented Lagrangian methods
  bool penalty_is_relative = true;  // to the largest term of M
  double omega = 10, mu = 1;        // frequency and damping ratio by which constraint errors decay
  Vector row_penalty = {}, row_omega = {}, row_mu = {};  // of each row; empty: the same for all
  int iterations = 20;                                   // augmented Lagrangian: at most
  double iteration_tolerance = 1e-12;
  std::string canonical_form = "modified";  // of canonical-augmented: modified, basic
  Vector typical_inertia = {};  // of each velocity coordinate: rank is decided on matrices made dimensionless with it
  std::vector<bool> velocity_rows = {};  // which rows are velocity-level; empty: none
  int redundant = 0;                     // rows that depend on others everywhere
};

class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual Status factorize(const Equations& equations) = 0;
  virtual Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) = 0;
  /// Why the last call failed.
  virtual const char* failure() const = 0;
  /// Rank of P at the last factorize(); -1 where the formulation does not find it.
  virtual int rank() const { return -1; }
  /// What there is to say of the run, for its summary; empty if nothing.
  virtual std::string report() const { return {}; }
  /// Its own matrices of the last factorize() and solve(), for people to look at.
  virtual void show(Exhibit& exhibit) { (void)exhibit; }
  /// Its place for forces of constraints that do work (nonideal_forces.h); null: they are forces like others.
  virtual NonidealForces* nonideal() { return nullptr; }
};

/// What of a motion is integrated (states.def).
enum class State {
#define STATE(name) name,
#include "formulations/states.def"
#undef STATE
};

struct FormulationType {
  const char* name;
  const char* description;
  const char* source;
  FormulationTraits traits;
  State state = State::full;
  /// `pattern` gives sizes and sparsity. Null if the algebra is the motion's (the state is not `full`) or its engine's.
  std::unique_ptr<Formulation> (*create)(const Equations& pattern, const FormulationOptions& options) = nullptr;
  /// The engine that has these equations, faster, for the systems that it fits (dynamics/dynamics.def).
  const char* engine = "whole";
  /// What else a system must have, in words for a refusal; empty if it has it. Null: nothing.
  std::string (*misfit)(const System& system) = nullptr;
};

/// All formulations, in the order of formulations.def.
const std::deque<FormulationType>& formulation_types();
const FormulationType* find_formulation_type(const std::string& name);

}  // namespace bricard
