// One step of a plan in numbers: unknown joints of a loop from the known ones, and what their rates have to satisfy.
//   positions   in closed form, on one of two branches for each square root; the branch is kept, never clamped: where
//               the links do not meet there is no solution
//   rates       sum p_k x'_k = 0,   sum p_k x''_k + bias = 0   over the joints of the loop
// p_k is what joint k does to the loop at unit rate: its twist (w, s) in the plane, s the velocity at a pivot; its axis,
// where all of them meet in a point; the velocity
// of the point that a ball keeps; the rate of a rod's length. Three unknown joints a, b, c have l = p_b x p_c, which
// neither b nor c feels: the line through both pivots (R, R), through the pivot across the slide (R, P), a couple (P, P):
//   x'_a = -(l . sum p_k x'_k)/(l . p_a),   x''_a = -(l . (sum p_k x''_k + bias))/(l . p_a),   k: known joints
// l . p_a, in lengths of the loop, says how far the choice of independent coordinates is from a dead point.
//                                                                 [Blajer-Schiehlen-Schirm (7), (8), without C_D^-1]
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "dynamics/closing/closing_plan.h"

namespace bricard {

class ClosingLoop {
 public:
  ClosingLoop(const LoopGraph& graph, const ClosingStep& step);

  const ClosingStep& step() const { return step_; }
  /// Unknown values of x, from the known ones. Angles are between -pi and pi.
  bool solve(std::vector<double>& x);
  /// How many branches there are, and which is taken.
  int branches() const { return branches_; }
  void take_branch(int branch) { branch_ = branch; }

  // --- rates, at the values x of all joints of the way ---
  /// Fills p, and the lines of the unknowns. False at a dead point.
  bool find_lines(const std::vector<double>& x);
  /// Of the place on the way: -l . p/(l . p_a) for each unknown a.
  const Vec3& influence(std::size_t place) const { return influence_[place]; }
  /// The same of the bias.
  Vec3 find_bias(const std::vector<double>& rates);
  /// |l . p_a| over |l| and the size of the loop: 0 at a dead point.
  double regularity() const { return regularity_; }

 private:
  using Complex = std::complex<double>;
  /// A joint as met on the way.
  struct Part {
    int edge = 0;
    double sign = 1;  // of its coordinate on the way
    bool slides = false;
    Complex near = {}, far = {}, direction = {};                               // in the plane
    double turns = 1;                                                          // about the normal, or against it
    Vec3 near_at = Vec3::Zero(), far_at = Vec3::Zero(), axis = Vec3::UnitZ();  // in space
    // Now, as seen from where the way begins.
    Complex r = {}, u = {};
    Vec3 place = Vec3::Zero(), direction_now = Vec3::UnitZ();
    Vec3 p = Vec3::Zero();
  };
  struct Pose {
    Complex d = 0, e = 1;
    double theta = 0;
  };
  struct SpatialPose {
    Vec3 d = Vec3::Zero();
    Mat3 R = Mat3::Identity();
  };
  Part& unknown(int k) { return parts_[step_.unknowns[k]]; }
  static void pass(const Part& part, double x, Pose& pose);
  static void pass(const Part& part, double x, SpatialPose& pose);
  bool solve_plane(std::vector<double>& x);
  bool solve_rod(std::vector<double>& x, double length, const Vec3& end_at, std::size_t end, double branch);
  bool solve_ball(std::vector<double>& x);
  bool solve_about_point(std::vector<double>& x);
  void place_in_plane(const std::vector<double>& x);
  void place_in_space(const std::vector<double>& x);
  bool invert();

  ClosingStep step_;
  std::vector<Part> parts_;
  std::vector<Vec3> influence_;
  Vec3 start_ = Vec3::Zero(), end_ = Vec3::Zero();  // points of a pair, in their bodies
  Vec3 end_now_ = Vec3::Zero();
  double length_ = 0;  // of a rod, or from the universal joint to the ball
  double size_ = 1;    // of the loop
  int branches_ = 1, branch_ = 0;
  double regularity_ = 0;
  Mat3 lines_ = Mat3::Zero();  // one row an unknown: l/(l . p_a)
};

}  // namespace bricard
