// The rows of Phi, made of a few kinds of equations between markers. A joint is a list of such rows (see RowBuilder);
// rows of one kind lie together, so that evaluating is a handful of plain loops.
//   Phi_dot = sum gradient . rate + Phi_t,   gamma = -(sum gradient . bias + quadratic velocity terms + time terms)
#pragma once

#include <string>
#include <vector>

#include "joints/signals.h"

namespace bricard {

enum class RowOwner : unsigned char { joint, motion, initial, coordinates };

struct RowInfo {
  int index = 0;   // number of the joint or motion
  int label = -1;  // what it says, in Rows::labels; System::row_name() has the whole name
  RowOwner owner = RowOwner::joint;
  bool velocity_level = false;
};

/// Where rows write their results, each array indexed by row.
struct RowValues {
  double* Phi;
  double* Phi_t;    // velocity-level rows: the part of the residual that is free of v, where it is known apart
  double* Phi_dot;  // velocity-level rows: the residual
  double* gamma;
};

class Rows {
 public:
  int size() const { return static_cast<int>(info.size()); }
  /// Gives back memory after the last row.
  void shrink();
  /// Phi and the gradients; with `velocities` also Phi_t, Phi_dot and gamma.
  void evaluate(double t, const Markers& markers, const Signals& signals, bool velocities, const RowValues& out);
  /// Only those which are not made of points and unit vectors alone: expressions, drives, gears, rolling, knife edges.
  void evaluate_general_rows(double t, const Markers& markers, const Signals& signals, const RowValues& out);
  bool has_general_rows() const {
    return !combination.empty() || !formula.empty() || !rolling.empty() || !knife_edge.empty();
  }

  std::vector<RowInfo> info;
  std::vector<std::string> labels;     // "x", "axis perpendicular 1"; of initial values with what they are of
  std::vector<GradientEntry> entries;  // sorted by nothing: each row kind owns a stretch
  std::vector<Vec3> gradients;

  struct Coincide {
    int row, i, j, dimensions;
  };  // r_j - r_i
  struct Dot {
    int row, u, w;
    double constant;
    int entry;
  };  // u . w - constant
  struct Along {
    int row, u, from, to;
    double constant;
    int entry;
  };  // u . (to - from) - constant
  struct Distance {
    int row, from, to;
    double length;
    int entry;
  };  // |to - from| - length
  struct Term {
    int signal;
    double coefficient;
  };
  struct Combination {
    int row;
    std::vector<Term> terms;
    BoundExpression law;  // of time alone
    bool velocity_level;
    int entry;
  };  // sum coefficient signal - law(t), or of their rates
  struct Formula {
    int row;
    BoundExpression expression;
    bool velocity_level;
    int entry;
  };  // expression = 0
  /// Knife-edge disc on a plane: contact, and no slip along two directions of the plane.
  struct Rolling {
    int row, center, axis, spin, origin, normal, tangent1, tangent2, base;
    double radius;
    int entry;
    Vec3 contact;
  };
  /// The point has no velocity relative to `base` along the direction u.
  struct KnifeEdge {
    int row, point, u, origin, base;
    int entry;
  };

  void evaluate_general_kinds(double t, const Markers& markers, const Signals& signals, bool velocities,
                              const RowValues& out);

  std::vector<Coincide> coincide;
  std::vector<Dot> dot;
  std::vector<Along> along;
  std::vector<Distance> distance;
  std::vector<Combination> combination;
  std::vector<Formula> formula;
  std::vector<Rolling> rolling;
  std::vector<KnifeEdge> knife_edge;
};

}  // namespace bricard
