// How a model is to be simulated: the separate choices and their options as one plain value. The model file, the
// command line and every other front end build this value. An empty name or a NaN means "not chosen here". Every member
// has a line in the table of src/model/method_options.cpp: default, range, help.
#pragma once

#include <limits>
#include <optional>
#include <string>

namespace bricard {

inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

struct Method {
  std::string coordinates = {};
  std::string formulation = {};
  std::string pseudoinverse = {};
  std::string stabilization = {};
  std::string integrator = {};
  std::string selection = {};       // of independent coordinates, or these themselves: "slider.x, crank.angle"
  std::string partition = {};       // `renewed` when pivots say so, or chosen `once`, at the start
  std::string reactions = {};       // how joint reactions are found
  std::string penalty_kind = {};    // `relative` to the largest term of the mass matrix, or `absolute`
  std::string dynamics = {};        // the engine that computes accelerations: whole, bodies, tree
  std::string rescue = {};          // `on` or `off`: help at singular positions and failures
  std::string state = {};           // what is integrated: full, independent, extended
  std::string cut = {};             // where loops are opened
  std::string renewal = {};         // what makes independent coordinates change: pivots, speed
  std::string threshold_kind = {};  // of pseudoinverses: relative, absolute
  std::string greville = {};        // changes of Greville's algorithm: all, none, or some
  std::string gains = {};           // Baumgarte's: fixed, stability, adaptive
  std::string row_gains = {};       // alpha, beta, penalty, omega, mu of single joints: "A.penalty=1e9, B.alpha=20"
  std::string canonical_form = {};
  std::string projection_basis = {};  // R of projection-r: qr, or that of the partition

  double tolerance = unset;  // relative and absolute error per step of adaptive integrators
  double step = unset;       // step of fixed-step integrators; largest step of adaptive ones
  double alpha = unset;      // Baumgarte
  double beta = unset;
  double threshold = unset;  // relative rank threshold of pseudoinverses
  double reuse = unset;      // null-space methods: how far an old null space may be off before a new one is computed
  double penalty = unset;    // penalty and augmented Lagrangian methods: the factor
  double omega = unset;      // their natural frequency (1/s) and damping ratio by which constraint errors decay
  double mu = unset;
  double position_tolerance = unset;   // of dependent positions: |Phi|, m; 0: as far as rounding lets it
  double iterations = unset;           // augmented Lagrangian: at most so many iterations
  double iteration_tolerance = unset;  // and no more once the relative change is below this
  double spectral_radius = unset;      // implicit integrators of index-3 equations: 1 no damping, 0 most
  double seed = unset;                 // of the assembly's way out of a singular reference
  double duration = unset;
  double output_step = unset;
  double reaction_length = unset;  // by which moments are divided where reactions of least norm are chosen
  double max_steps = unset;        // budgets: a run that needs more stops, with its rows
  double time_limit = unset;       // s of wall-clock time
  double memory_limit = unset;     // MB
  double max_events = unset;
  double hysteresis = unset;
  double correction_interval = unset;
  double correction_bound = unset;
  double hybrid_bound = unset;
  double gain_fraction = unset;
  std::optional<bool> threshold_fixed = {};  // of pseudoinverses: not raised above the drift
  std::optional<bool> carry_history = {};
  std::optional<bool> diagnostics = {};  // more columns: rank, singularity, projective criterion
  std::optional<bool> row_columns = {};  // more columns: lambda, phi and phi_dot of every constraint

  /// Fills what is not chosen here from `fallback`.
  void complete_from(const Method& fallback);
};

}  // namespace bricard
