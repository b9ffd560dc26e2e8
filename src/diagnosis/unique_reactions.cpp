#include "diagnosis/unique_reactions.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analyses/structure/structure.h"
#include "diagnosis/direction_words.h"
#include "linear/dense/subspaces.h"

namespace bricard {
namespace {

constexpr double share_threshold = 1e-6;  // of unit self-stresses

using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Force and moment (divided by the length) of a joint in some states of self-stress: 3 x states each.
struct Wrenches {
  Matrix forces, moments;
};
Wrenches wrenches_of(const SelfStress& stress, int joint, const std::vector<int>& states) {
  const Matrix none = Matrix::Zero(3, static_cast<int>(states.size()));
  Wrenches w{none, none};
  for (const StressBlock& block : stress.of_joint(joint)) {
    if (block.kind == StressBlock::Kind::effort) continue;
    Matrix& part = block.kind == StressBlock::Kind::force ? w.forces : w.moments;
    part += block.directions * stress.carried(block, states);
  }
  return w;
}

}  // namespace

std::vector<UniqueReaction> find_unique_reactions(const System& system, const SelfStress& stress) {
  const Model& model = system.model();
  const DirectionWords in_words(system);
  std::vector<UniqueReaction> result;
  const auto is_unique = [&](const StressBlock& block) {
    return stress.basis.row(block.first).norm() < share_threshold;
  };
  const auto effort_is_unique = [&](int joint, int number) {
    for (const StressBlock& block : stress.of_joint(joint)) {
      if (block.kind == StressBlock::Kind::effort && block.number == number) return is_unique(block);
    }
    return true;
  };
  std::set<std::string> undetermined_motions;
  for (const StressBlock& block : stress.of_joint(-1)) {
    if (!is_unique(block)) undetermined_motions.insert(block.name);
  }
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    UniqueReaction reaction;
    reaction.joint = model.joints[joint].name;
    const std::vector<std::string> names = reaction_components(system, joint);
    if (!system.reactions().has_reaction(joint)) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        const bool unique = effort_is_unique(joint, static_cast<int>(k));
        reaction.components.emplace_back(names[k], unique);
        reaction.unique &= unique;
      }
      if (!reaction.unique) reaction.words = "its effort is not unique";
      result.push_back(std::move(reaction));
      continue;
    }
    std::vector<int> states;
    stress.add_states(stress.of_joint(joint), states);
    const Wrenches w = wrenches_of(stress, joint, states);
    for (const std::string& name : names) {
      const int axis = name[1] - 'x';
      const bool unique = (name[0] == 'f' ? w.forces : w.moments).row(axis).norm() < share_threshold;
      reaction.components.emplace_back(name, unique);
      reaction.unique &= unique;
    }
    reaction.free_forces = range_of(w.forces, share_threshold);
    reaction.free_moments = range_of(w.moments, share_threshold);
    if (!reaction.unique) {
      std::vector<std::string> words;
      if (reaction.free_forces.cols() > 0) words.push_back("the " + in_words(joint, reaction.free_forces, "force"));
      if (reaction.free_moments.cols() > 0) words.push_back("the " + in_words(joint, reaction.free_moments, "moment"));
      const auto free = reaction.free_forces.cols() + reaction.free_moments.cols();
      reaction.words = listed(words) + (free == 1 ? " is not unique" : " are not unique");
    }
    result.push_back(std::move(reaction));
  }
  for (const Motion& motion : model.motions) {
    const bool unique = !undetermined_motions.contains(motion.name);
    result.push_back({.joint = motion.name,
                      .unique = unique,
                      .components = {{"effort", unique}},
                      .free_forces = Directions(3, 0),
                      .free_moments = Directions(3, 0),
                      .words = unique ? "" : "its effort is not unique"});
  }
  return result;
}

std::vector<UniqueResultant> find_unique_resultants(const System& system, const SelfStress& stress) {
  const Model& model = system.model();
  std::map<std::pair<int, int>, std::vector<int>> pairs;
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    if (!system.reactions().has_reaction(k)) continue;
    const Joint& joint = model.joints[k];
    pairs[{std::min(joint.i, joint.j), std::max(joint.i, joint.j)}].push_back(k);
  }
  std::vector<UniqueResultant> result;
  const Vector nothing = Vector::Zero(system.row_count());
  for (const auto& [bodies, joints] : pairs) {
    if (joints.size() < 2) continue;
    std::vector<int> states;
    for (int k : joints) stress.add_states(stress.of_joint(k), states);
    Matrix force = Matrix::Zero(3, static_cast<int>(states.size())), moment = force;
    UniqueResultant resultant;
    resultant.body_i = model.body_name(bodies.first), resultant.body_j = model.body_name(bodies.second);
    double largest = 0;
    for (int k : joints) {
      resultant.joints.push_back(model.joints[k].name);
      const Wrenches w = wrenches_of(stress, k, states);
      largest = std::max({largest, w.forces.norm(), w.moments.norm()});
      const double sign = model.joints[k].j == bodies.second ? 1 : -1;
      const Vec3 place = system.reaction(k, nothing).place / stress.length;
      force += sign * w.forces;
      for (int c = 0; c < moment.cols(); ++c)
        moment.col(c) += sign * (w.moments.col(c) + place.cross(Vec3(w.forces.col(c))));
    }
    if (largest < share_threshold) continue;
    resultant.unique = force.norm() < share_threshold && moment.norm() < share_threshold;
    result.push_back(std::move(resultant));
  }
  return result;
}

}  // namespace bricard
