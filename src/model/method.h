// How a model is to be simulated: the separate choices and their options as one plain value. The model file, the
// command line and every other front end build this value. An empty name or a NaN means "not chosen here".
#pragma once

#include <limits>
#include <string>

namespace bricard {

inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

struct Method {
  std::string coordinates = {};
  std::string formulation = {};
  std::string pseudoinverse = {};
  std::string stabilization = {};
  std::string integrator = {};
  std::string selection = {};  // of independent coordinates
  std::string reactions = {};  // how joint reactions are found

  double tolerance = unset;  // relative and absolute error per step of adaptive integrators
  double step = unset;       // step of fixed-step integrators; largest step of adaptive ones
  double alpha = unset;      // Baumgarte
  double beta = unset;
  double threshold = unset;  // relative rank threshold of pseudoinverses
  double reuse = unset;      // null-space methods: how far an old null space may be off before a new one is computed
  double seed = unset;       // of the assembly's way out of a singular reference
  double duration = unset;
  double output_step = unset;

  /// Fills what is not chosen here from `fallback`.
  void complete_from(const Method& fallback);
};

}  // namespace bricard
