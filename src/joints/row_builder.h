// With this a joint type says, once and in terms of markers, which rows it adds and which coordinates it has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coordinates/rotation_algebra.h"
#include "joints/rows.h"
#include "model/joint_type.h"

namespace bricard {

/// The place where a joint's reaction acts: a marker, displaced along a vector, or the contact point of a rolling disc.
struct ReactionPlace {
  int marker = -1;
  int vector = -1;
  double distance = 0;
  int rolling = -1;
};

/// A right-handed frame around an axis of the reference configuration.
struct AxisFrame {
  explicit AxisFrame(const Vec3& direction)
      : axis(direction), first(any_perpendicular(direction)), second(axis.cross(first)) {}
  Vec3 axis, first, second;
};

class RowBuilder {
 public:
  RowBuilder(const Model& model, Markers& markers, Signals& signals, Rows& rows);

  const Model& model() const { return model_; }
  bool planar() const { return model_.planar(); }
  /// The rows that follow belong to this joint, motion or initial value; `name`: of the last, which has no other.
  void begin(RowOwner owner, int index, const std::string& name = {});
  /// Gives back all memory after the last row, force and output.
  void finish();

  // --- markers, given in the reference configuration ---
  int point(int body, const Vec3& place) { return markers_.point(body, place); }
  int vector(int body, const Vec3& direction) { return markers_.vector(body, direction); }
  int rotation(int body) { return markers_.rotation(body); }

  // --- rows ---
  void coincide(int i, int j);                                                        // x, y (, z)
  void dot(int u, int w, const std::string& name, double constant = 0);               // u . w = constant
  void along(int u, int from, int to, const std::string& name, double constant = 0);  // u . (to - from) = constant
  void distance(int from, int to, double length);
  void combination(std::vector<Rows::Term> terms, const Expression& law, const std::string& name,
                   bool velocity_level = false);
  void formula(const Expression& expression, const std::string& name);
  void rolling(const Rows::Rolling& disc);
  void knife_edge(const Rows::KnifeEdge& edge);

  // Frequent groups, for the frame of a joint's axis on i and on j.
  void axes_parallel(const Joint& joint);  // axis of j perpendicular to two directions of i
  void no_twist(const Joint& joint);       // and no rotation about it
  void on_axis(const Joint& joint);        // the point of j on the axis of i

  // --- joint coordinates ---
  void measure_angle(const Joint& joint);
  void measure_position(const Joint& joint);
  int own_coordinate(int k) const { return coordinates[index_][k]; }
  void measure(int signal) { coordinates[index_].push_back(signal); }

  /// The signal of a model's reference to it; `variables` (spring laws) become -1 - n.
  int find(const Signal& signal);
  BoundExpression bind(const Expression& expression);
  /// The same for an expression that acts on the motion: it is in the list of laws.
  BoundExpression act(const Expression& expression);
  /// The laws that follow belong to this force.
  void begin_force(const std::string& name) { law_owner_ = "force " + name, laws_are_rows_ = false; }

  /// Signals that rows and forces need at every evaluation; those of outputs alone are not among them.
  void use(int signal) { used.push_back(signal); }
  int use_marker(int marker) {
    used_markers.push_back(marker);
    return marker;
  }

  void reaction_at(const ReactionPlace& place) { reactions[index_] = place; }

  Signals& signals() { return signals_; }

  // Results by joint.
  std::vector<std::vector<int>> coordinates;
  std::vector<ReactionPlace> reactions;
  std::vector<int> used, used_markers;
  std::vector<ActingLaw> laws;

 private:
  std::size_t find_coordinate(int joint, JointCoordinate kind) const;
  int add_row(const std::string& name, bool velocity_level = false);
  int add_entries(int row, std::initializer_list<int> markers);
  void add_signal_entries(int row, int signal);

  const Model& model_;
  Markers& markers_;
  Signals& signals_;
  Rows& rows_;
  RowOwner owner_ = RowOwner::joint;
  int index_ = 0;
  std::string name_, law_owner_;
  bool laws_are_rows_ = true;
  std::map<std::string, int> labels_;          // numbers of Rows::labels
  std::vector<std::pair<Signal, int>> known_;  // signals that are shared between expressions
};

}  // namespace bricard
