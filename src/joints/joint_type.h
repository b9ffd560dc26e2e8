// What each joint type is called, needs, and removes. One line in joints.def and one file for each.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

class RowBuilder;

/// A joint coordinate: rotation about, or displacement along, the joint's axis.
enum class JointCoordinate { angle, position };

struct JointType {
  const char* name;
  const char* description;
  // Number of constraint rows; -1: the type does not exist in that dimension. `constraint` has one for each expression.
  int planar_rows = -1, spatial_rows = -1;
  // How many of those are velocity-level.
  int planar_velocity_rows = 0, spatial_velocity_rows = 0;
  // Keys of the model file beside `type`, `bodies` and `friction`: "axis@spatial" is of spatial models only, "length?"
  // is optional, "at2" is `at:` with two places, "surface" is `plane:` or `line:`, "no-bodies" means no `bodies:` that
  // it joins, "gears" is `bodies:` that it does not join.
  std::vector<std::string> keys = {};
  std::vector<JointCoordinate> planar_coordinates = {}, spatial_coordinates = {};
  /// Defines the joint's coordinates as signals; null if it has none.
  void (*measure)(const Joint& joint, RowBuilder& builder) = nullptr;
  /// Adds the joint's rows.
  void (*build)(const Joint& joint, RowBuilder& builder) = nullptr;

  const std::vector<JointCoordinate>& coordinates(Dimension dimension) const {
    return dimension == Dimension::planar ? planar_coordinates : spatial_coordinates;
  }
};

/// All joint types, in the order of joints.def.
const std::deque<JointType>& joint_types();
/// The type of that name, or nullptr.
const JointType* find_joint_type(const std::string& name);
/// Column and signal names of a joint's coordinates: "angle", "position", "angle2".
std::vector<std::string> coordinate_names(const JointType& type, Dimension dimension);

}  // namespace bricard
