// Which joint coordinates describe the freedoms of a mechanism best, in words for messages: those that are to be
// driven, measured or actuated. Chosen one after the other by Blajer's projective criterion,
//   cos^2 = |g V|^2/(g M^-1 g^T),   V^T M V = I,   g = ds/dv              [Blajer-Schiehlen-Schirm (23), for any g]
// with a preference for joints on the ground.
#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "system/system.h"

namespace bricard {

struct JointCoordinateId {
  int joint = 0, coordinate = 0;
  auto operator<=>(const JointCoordinateId&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// All joint coordinates of a model.
std::vector<JointCoordinateId> joint_coordinate_ids(const System& system);
/// "A.angle", as in the results; "A.rate"; "A.effort".
std::string coordinate_column(const Model& model, const JointCoordinateId& id);
std::string rate_column(const Model& model, const JointCoordinateId& id);
bool is_angle(const Model& model, const JointCoordinateId& id);
/// "A" for the only coordinate of a joint, else "A.angle".
std::string coordinate_label(const Model& model, const JointCoordinateId& id);
/// "A", "A and B", "A, B and C"
std::string enumeration(const std::vector<std::string>& names);

struct JointFreedoms {
  std::vector<JointCoordinateId> coordinates;  // that describe freedoms, in the order of the model
  std::vector<std::string> idle;               // bodies that move in freedoms which no joint coordinate shows
};

/// `V`: admissible velocities as columns. The system and `eq` were evaluated last at this state (Upto::dynamics).
JointFreedoms find_joint_freedoms(System& system, const Equations& eq, const Matrix& V,
                                  const std::vector<JointCoordinateId>& candidates);

/// The coordinate that shows best what a generalised force without constraint forces (DriveEfforts::residual) drives,
/// and the effort on it that has the same power; joint -1 if there is none.
std::pair<JointCoordinateId, double> strongest_coordinate(System& system, const Vector& force);

}  // namespace bricard
