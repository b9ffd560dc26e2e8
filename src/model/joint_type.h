// What each joint type is called, needs and removes, and what the rest of the house wants to know of it: nothing else
// asks which type a joint is. One line in joints/joints.def and one file in joints/ for each, or register_joint().
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bricard/model.h"

namespace bricard {

class RowBuilder;

/// A joint coordinate: rotation about, or displacement along, the joint's axis.
enum class JointCoordinate { angle, position };

/// One of the elementary motions that make up what a joint leaves free.                     [Jalon-Bayo section 5.3]
struct JointLink {
  enum class Kind { turn, slide, screw, ball };
  // The axis on the body where the chain begins, that on the body where it ends, and two directions that are
  // perpendicular to the first and to each other. In the plane, what turns turns about z.
  enum class Along { axis, far_axis, across, across_both };
  Kind kind = Kind::turn;
  Along along = Along::axis;

  int freedoms() const { return kind == Kind::ball ? 3 : 1; }
};
using JointLinks = std::vector<JointLink>;

/// Points and unit vectors that the two bodies have in common, so that natural coordinates need not count them twice;
/// axes are of space alone. Two axes cross at the point, one on each body, and stay perpendicular.
/// [Jalon-Bayo, chapter 2]
enum class SharedElements { none, point, point_and_axis, point_and_two_axes };

/// What the axis fixed to i is to the joint: the joint moves along or about it, keeps a point or plane normal to it, or
/// has one axis on each body. None too where it says nothing about the joint's loads: the blade of a knife edge and the
/// axle of a rolling disc turn with j.
enum class JointAxis { none, along, normal, two };

/// A type with fewer rows, all of them implied by the joint's own, as a remedy for an overconstrained model.
struct WeakerType {
  // Where its axis may lie: as it is, across the joint's axis, along the world's axes, or in the directions in which
  // the joint's force is not determined; `second_across` leaves the axis on i and chooses the one on j across it.
  enum class Axis { kept, across, world, undetermined_force, second_across };
  const char* type;
  Axis axis = Axis::kept;
};

/// What is wrong with a joint of a model file: the value of a key, a key that should not be there, or ("") the whole.
struct JointProblem {
  std::string key, message;
  bool unwanted = false;
};

struct JointType {
  const char* name;
  const char* description;
  // Number of constraint rows; -1: the type does not exist in that dimension. `constraint` has one for each expression.
  int planar_rows = -1, spatial_rows = -1;
  // How many of those are velocity-level.
  int planar_velocity_rows = 0, spatial_velocity_rows = 0;
  // True if the rows are not made of points and unit vectors of the two bodies alone (Rows::has_general_rows).
  bool general_rows = false;
  // Keys of the model file beside `type`, `bodies` and `friction`: "axis@spatial" is of spatial models only, "length?"
  // is optional, "at2" is `at:` with two places, "surface" is `plane:` or `line:`, "no-bodies" means no `bodies:` that
  // it joins, "gears" is `bodies:` that it does not join.
  std::vector<std::string> keys = {};
  std::vector<JointCoordinate> planar_coordinates = {}, spatial_coordinates = {};

  // The motion of one body relative to the other as a chain of links, the same from i to j and from j to i; empty: they
  // are one rigid body. Without it the joint is never part of a spanning tree.
  std::optional<JointLinks> tree_links = {};
  SharedElements shared = SharedElements::none;
  JointAxis planar_axis = JointAxis::none, spatial_axis = JointAxis::none;
  // Bodies turn about an axis that both carry: an edge of the graph of a gear train (joints/fundamental_circuits.h).
  bool turning_pair = false;
  // Gears in mesh, which close one circuit of that graph.
  bool gear_mesh = false;
  // j is a wheel, which turns on and on.
  bool rolls = false;

  // Remedies in the order in which they are tried, and how hard the joint itself is to build: 1 is bought off the
  // shelf, 2 is common, 4 is rare.
  std::vector<WeakerType> planar_weaker = {}, spatial_weaker = {};
  int building_effort = 4;

  /// What the joint's own data must satisfy; null: anything. `given`: those of `keys` that are there, and "bodies".
  /// Numbers that could not be read are NaN, and no problem here.
  std::vector<JointProblem> (*check)(const Joint& joint, Dimension dimension,
                                     const std::set<std::string>& given) = nullptr;
  /// Defines the joint's coordinates as signals; null if it has none.
  void (*measure)(const Joint& joint, RowBuilder& builder) = nullptr;
  /// Adds the joint's rows.
  void (*build)(const Joint& joint, RowBuilder& builder) = nullptr;

  int rows(Dimension dimension) const { return dimension == Dimension::planar ? planar_rows : spatial_rows; }
  const std::vector<JointCoordinate>& coordinates(Dimension dimension) const {
    return dimension == Dimension::planar ? planar_coordinates : spatial_coordinates;
  }
  JointAxis axis(Dimension dimension) const { return dimension == Dimension::planar ? planar_axis : spatial_axis; }
  const std::vector<WeakerType>& weaker(Dimension dimension) const {
    return dimension == Dimension::planar ? planar_weaker : spatial_weaker;
  }
  /// Makes two bodies one.
  bool rigid() const { return tree_links && tree_links->empty(); }
  /// A key of the model file, optional or not, in any dimension.
  bool has_key(std::string_view key) const {
    return std::any_of(keys.begin(), keys.end(), [&](const std::string& known) {
      return std::string_view(known).substr(0, known.find_first_of("@?")) == key;
    });
  }
};

/// All joint types, in the order of joints.def.
const std::deque<JointType>& joint_types();
/// The type of that name, or nullptr.
const JointType* find_joint_type(const std::string& name);
/// The type of a joint of a model, which has one.
inline const JointType& type_of(const Joint& joint) { return *find_joint_type(joint.type); }
/// Column and signal names of a joint's coordinates: "angle", "position", "angle2".
std::vector<std::string> coordinate_names(const JointType& type, Dimension dimension);

}  // namespace bricard
