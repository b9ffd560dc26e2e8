// The smallest changes of joint types that make an overconstrained model exactly constrained and leave its motion as it
// is. With N the self-stresses as multipliers and X the rows of a joint's new type in terms of its old rows, the change
// takes from the joint the loads Z^T lambda, X Z = 0. A set of changes is right if it takes as many loads as there are
// redundant rows and no self-stress is left: Z^T N square and regular. What is proposed has been counted again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/diagnosis.h"
#include "system/system.h"

namespace bricard {

/// `q`, `v`: an assembled state of ordinary rank in reference-point coordinates. At most `most` proposals, those with
/// the fewest changes.
std::vector<Release> suggest_releases(const std::shared_ptr<const Model>& model, ConstVector q, ConstVector v,
                                      int most = 3);

}  // namespace bricard
