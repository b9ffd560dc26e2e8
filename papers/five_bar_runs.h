// Runs of deFalco-Pennestri-Vita's study: the overconstrained five-bar linkage by the Udwadia-Kalaba formulation with
// one pseudoinverse, one tolerance, with or without Baumgarte's stabilisation, judged against the exact motion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard::reproduce {

struct FiveBarCase {
  std::string pseudoinverse;  // empty: everything but the tolerance is left to the program
  double tolerance = 1e-8;
  bool baumgarte = false;  // alpha = 1000, beta = 100
  double duration = 20;
  bool paper_settings = false;  // rank threshold = tolerance whatever the drift, the first step, the ways of giving up
  std::string dynamics = "whole";
  bool coupler_first = false;  // among the bodies, whose columns D has in their order
};

struct FiveBarRun {
  FiveBarCase asked;
  bool completed = false;
  std::string failure = {};
  double stopped = 0;        // time reached
  double correct_until = 0;  // the last output up to which all bodies are within `correct_within` of the exact motion
  double error = 0;          // largest, m or rad
  double violation = 0;      // largest sum of squares of the constraints
  long evaluations = 0, steps = 0;
  double cpu_seconds = 0;       // least of the rounds
  double wrong_rank_share = 0;  // paper_settings: part of the evaluations that found another rank than 11
  std::vector<double> times = {}, violations = {};

  bool correct() const { return completed && correct_until >= asked.duration * (1 - 1e-9); }
  double microseconds_per_evaluation() const {
    return evaluations > 0 ? 1e6 * cpu_seconds / static_cast<double>(evaluations) : 0;
  }
};

/// The paper's initial time step, s.
inline constexpr double papers_first_step = 0.66e-2;

/// Centres (m) and angles (rad) further from the exact ones than this are not the motion any more.
inline constexpr double correct_within = 0.05;

/// Angle of the links at a time, from the closed form of 3.05 theta'' = -34.335 cos(theta), theta(0) = -30 deg at rest.
double exact_five_bar_angle(double t);

/// D = P M^-1/2 with the links at an angle (rad) to the x axis.
Matrix five_bar_matrix(double angle, bool coupler_first);
/// The same of a pendulum of one of these links: 2 x 3.
Matrix pendulum_matrix(double angle);

/// Every case once on all cores, then `repeats` rounds one at a time for the CPU times.
std::vector<FiveBarRun> run_five_bars(const std::vector<FiveBarCase>& cases, int repeats,
                                      const std::function<void(double, const std::string&)>& progress);

}  // namespace bricard::reproduce
