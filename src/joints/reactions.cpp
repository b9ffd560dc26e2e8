#include "joints/reactions.h"

namespace bricard {

Reactions::Reactions(const Model& model, const Rows& rows, const std::vector<ReactionPlace>& places, Markers& markers)
    : places_(places), rows_of_joint_(model.joints.size(), {0, 0}), entries_of_joint_(model.joints.size(), {0, 0}) {
  body_j_.reserve(model.joints.size());
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const Joint& joint = model.joints[k];
    has_reaction_.push_back(!type_of(joint).has_key("no-bodies"));
    body_j_.push_back(joint.j);
    if (places_[k].marker < 0 && places_[k].rolling < 0) places_[k].marker = markers.point(joint.j, joint.at_j);
  }
  for (int row = 0; row < rows.size(); ++row) {
    if (rows.info[row].owner != RowOwner::joint) continue;
    auto& [first, last] = rows_of_joint_[rows.info[row].index];
    if (first == last) first = row;
    last = row + 1;
  }
  for (std::size_t e = 0; e < rows.entries.size(); ++e) {
    const RowInfo& info = rows.info[rows.entries[e].row];
    if (info.owner != RowOwner::joint || !has_reaction_[info.index]) continue;
    auto& [first, last] = entries_of_joint_[info.index];
    if (first == last) first = static_cast<int>(e);
    last = static_cast<int>(e) + 1;
  }
}

Reaction Reactions::of_joint(int joint, const Rows& rows, const Markers& markers, ConstVector lambda) const {
  Reaction reaction;
  const ReactionPlace& place = places_[joint];
  if (place.rolling >= 0) {
    reaction.place = rows.rolling[place.rolling].contact;
  } else {
    reaction.place = markers.value[place.marker];
    if (place.vector >= 0) reaction.place += place.distance * markers.value[place.vector];
  }
  for (int e = entries_of_joint_[joint].first; e < entries_of_joint_[joint].second; ++e) {
    const auto& [row, marker] = rows.entries[e];
    if (markers.list[marker].body != body_j_[joint]) continue;
    const Vec3 load = -lambda[row] * rows.gradients[e];
    switch (markers.list[marker].kind) {
      case MarkerKind::point:
        reaction.force += load;
        reaction.moment += (markers.value[marker] - reaction.place).cross(load);
        break;
      case MarkerKind::vector: reaction.moment += markers.value[marker].cross(load); break;
      case MarkerKind::rotation: reaction.moment += load; break;
    }
  }
  return reaction;
}

}  // namespace bricard
