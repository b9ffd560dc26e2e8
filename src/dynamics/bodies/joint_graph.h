// A mechanism as a graph: bodies are nodes, joints are edges that couple the rows of their constraints to two bodies.
// Everything here is index work, done once; BodyKernel does the numbers. Rows are in the order in which their joints
// are eliminated (BlockSchedule), so that the numeric loops run through memory forwards.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "linear/block/block_schedule.h"
#include "system/system.h"

namespace bricard {

struct JointGraph {
  /// Why the graph cannot be used for a system; empty if it can.
  static std::string misfit(const System& system);
  explicit JointGraph(const System& system);
  /// Another matrix S: joint blocks are coupled that share one of the nodes which `reach` gives for the bodies of a
  /// joint block.
  using Reach = std::function<std::vector<int>(const std::vector<int>& bodies)>;
  JointGraph(const System& system, int nodes, const Reach& reach);

  /// A point or a unit vector fixed to one of the two bodies of a joint.
  struct Place {
    signed char side = 0;
  };
  enum class Kind : char { dot, along, distance };
  /// A row beside those by which two points coincide.
  struct Extra {
    Kind kind = Kind::dot;
    bool same_b = false;  // b is that of the row before
    Place a, b, c;        // dot: a . b; along: a . (c - b); distance: |c - b|
  };
  /// Where they are, in axes of their bodies (the world for the ground). JointRows copies it.
  struct Geometry {
    struct Extra {
      Vec3 a = Vec3::Zero(), b = Vec3::Zero(), c = Vec3::Zero();
      double constant = 0;
    };
    std::vector<std::array<Vec3, 2>> points;  // that coincide, of each joint block
    std::vector<Extra> extras;
  };
  /// The rows of one joint or motion.
  struct JointBlock {
    int rows = 0, start = 0;
    // Of joints two, of body i and of body j; of general rows one of each of their bodies.
    int jacobian = 0, jacobian_end = 0;
    bool coincide = false;  // the first rows, as many as the space has dimensions
    bool general = false;   // the system evaluates its rows
    int body[2] = {0, 0};   // of joints; the ground has the number of bodies
    int extras = 0, extras_end = 0;
  };
  /// The columns of P of one body in the rows of a joint block.
  struct JacobianBlock {
    int body = 0;
    int joint_block = 0;
    double sign = 1;  // of the points' coincidence
    int angular = 0;  // offset of 1 or 3 columns of padded rows
    int linear = -1;  // offset of 2 or 3 columns; -1: sign times unit vectors, then zeros
  };
  /// Two Jacobian blocks on one body: a block of S = P M^-1 P^T below the diagonal, the rows of `a` by the rows of `b`.
  struct Pair {
    int a = 0, b = 0;
    int destination = 0;
    bool first = true;  // of those with this destination
  };

  int dimensions = 3, angular = 3;
  int bodies = 0;
  std::vector<JointBlock> joint_blocks;  // in the order of elimination
  std::vector<Extra> extras;
  Geometry geometry;
  std::vector<JacobianBlock> jacobian;
  std::vector<Pair> pairs;
  BlockSchedule schedule;
  std::vector<int> system_row;  // of each row here; -1: padding
  int angular_size = 0, linear_size = 0;
  bool simple = false;  // all joint blocks alike: points that coincide, then products of unit vectors
  bool has_general_rows = false;

  int rows() const { return schedule.rows(); }

 private:
  void list_pairs();
};

}  // namespace bricard
