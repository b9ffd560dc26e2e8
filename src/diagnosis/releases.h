// The smallest changes of joint types that make an overconstrained model exactly constrained and leave its motion as it
// is. With N the self-stresses as multipliers and X the rows of a joint's new type in terms of its old rows, the change
// takes from the joint the loads Z^T lambda, X Z = 0. A set of changes is right if it takes as many loads as there are
// redundant rows and no self-stress is left: Z^T N square and regular. What is proposed has been counted again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

struct JointChange {
  std::string joint;         // or motion
  std::string from, to;      // types; to: "none" if it is to be taken out
  Vec3 axis = Vec3::Zero();  // of the new type, where it has one that the old one has not
  std::string words;         // "P1B: revolute -> point_on_line along x"
};

struct Release {
  std::vector<JointChange> changes;
  int constraints = 0, rank = 0, degrees_of_freedom = 0;  // counted on the changed model
  std::shared_ptr<const Model> model;                     // the changed one, without forces, outputs and start values
};

/// `q`, `v`: an assembled state of ordinary rank in reference-point coordinates. At most `most` proposals, those with
/// the fewest changes.
std::vector<Release> suggest_releases(const std::shared_ptr<const Model>& model, ConstVector q, ConstVector v,
                                      int most = 3);

}  // namespace bricard
