#include "analyses/structure/friction_uniqueness.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace bricard {

std::vector<std::string> joints_with_undetermined_friction(const Model& model, const Structure& structure) {
  std::set<std::string> with_friction;
  for (const Joint& joint : model.joints) {
    if (joint.friction.coulomb != 0) with_friction.insert(joint.name);
  }
  std::vector<std::string> names;
  for (const auto& [name, components] : structure.reactions) {
    if (!with_friction.contains(name)) continue;
    if (std::any_of(components.begin(), components.end(),
                    [](const auto& component) { return component.first[0] == 'f' && !component.second; }))
      names.push_back(name);
  }
  return names;
}

std::string undetermined_friction_text(const std::vector<std::string>& joints) {
  if (joints.empty()) return {};
  return fmt::format(
      "the motion itself is not unique: the friction of joint{} {} depends on a reaction that is not (the one of least "
      "norm is taken)",
      joints.size() == 1 ? "" : "s", fmt::join(joints, ", "));
}

}  // namespace bricard
