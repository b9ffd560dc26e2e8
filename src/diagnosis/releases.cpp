#include "diagnosis/releases.h"

#include <fmt/format.h>

#include <algorithm>

#include "bricard/input_error.h"
#include "diagnosis/direction_words.h"
#include "diagnosis/self_stress.h"
#include "linear/dense/dense.h"
#include "linear/dense/subspaces.h"
#include "linear/minimum_norm.h"
#include "model/joint_type.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr double release_threshold = 1e-7;
constexpr long most_trials = 20000;

/// One joint with another type, or taken out.
struct Candidate {
  int joint = -1, motion = -1;
  Joint changed = {};  // type empty: taken out
  Matrix taken = {};   // loads that it takes away, for each self-stress
  std::string words = {};
  int effort = 4;  // of building it (JointType::building_effort); of doing without it, as of a rare joint
};

class ReleaseSearch {
 public:
  ReleaseSearch(const std::shared_ptr<const Model>& model, ConstVector q, ConstVector v)
      : model_(model), system_(model, *find_coordinates_type("reference-point")), q_(q), v_(v) {
    Equations eq = system_.empty_equations();
    system_.evaluate(0, q_, v_, Vector::Zero(system_.state_size()), Upto::dynamics, eq);
    P_ = Matrix(eq.P);
    typical_ = typical_inertia(system_);
    stress_ = Matrix(balanced_multipliers(system_, eq));
    for (int k = 0; k < stress_.cols(); ++k) stress_.col(k) /= std::max(stress_.col(k).norm(), 1e-300);
    freedoms_ = system_.velocity_size() - (system_.row_count() - static_cast<int>(stress_.cols()));
    free_loads_ = find_self_stress(system_, eq);
    joints_are_named_ = std::any_of(model->joints.begin(), model->joints.end(),
                                    [](const Joint& joint) { return !joint.expressions.empty(); });
  }

  std::vector<Release> run(int most) {
    std::vector<Release> releases;
    const int excess = static_cast<int>(stress_.cols());
    if (excess == 0) return releases;
    find_candidates();
    // Joints are kept if that is possible.
    for (const bool taking_out : {false, true}) {
      for (std::size_t changes = 1; changes <= owners_.size() && releases.empty(); ++changes) {
        visits_ = 0;
        found_.clear();
        chosen_.clear();
        choose(0, changes, Matrix(0, excess), taking_out);
        std::stable_sort(found_.begin(), found_.end(),
                         [](const auto& a, const auto& b) { return effort(a) < effort(b); });
        for (const auto& choice : found_) {
          if (static_cast<int>(releases.size()) == most) break;
          if (Release release; verify(choice, release)) releases.push_back(std::move(release));
        }
        if (visits_ >= most_trials) break;
      }
      if (releases.empty()) {
        if (const auto choice = greedy(taking_out); !choice.empty()) {
          if (Release release; verify(choice, release)) releases.push_back(std::move(release));
        }
      }
      if (!releases.empty()) break;
    }
    return releases;
  }

 private:
  // --- what a joint could become ---
  std::vector<Joint> weaker(int number) const {
    using Axis = WeakerType::Axis;
    const Joint& joint = model_->joints[number];
    std::vector<Joint> result;
    for (const WeakerType& weaker : type_of(joint).weaker(model_->dimension)) {
      if (!find_joint_type(weaker.type))
        throw InputError(fmt::format("joint type {}: there is no weaker type '{}'", joint.type, weaker.type));
      Joint changed = joint;
      changed.type = weaker.type;
      changed.friction = {};
      if (weaker.axis == Axis::kept) result.push_back(changed);
      for (const Vec3& direction : directions(number, weaker.axis)) {
        if (weaker.axis != Axis::second_across) changed.axis_i = turned(system_, joint.i).transpose() * direction;
        changed.axis_j = turned(system_, joint.j).transpose() * direction;
        result.push_back(changed);
      }
    }
    return result;
  }

  /// Where a new axis may lie, in the world.
  std::vector<Vec3> directions(int joint, WeakerType::Axis choice) const {
    using Axis = WeakerType::Axis;
    if (choice == Axis::kept) return {};
    if (choice == Axis::undetermined_force) return force_directions(joint);
    if (choice == Axis::world && model_->planar()) return {Vec3::UnitX(), Vec3::UnitY()};
    if (choice == Axis::world) return {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    const Vec3 axis = axis_now(system_, joint);
    if (axis.isZero()) return {};
    if (model_->planar()) return {Vec3::UnitZ().cross(axis)};
    const AxisFrame frame(axis);
    return {frame.first, frame.second};
  }

  /// Directions in which the joint's force is not determined.
  std::vector<Vec3> force_directions(int joint) const {
    std::vector<Vec3> directions;
    for (const StressBlock& block : free_loads_.blocks) {
      if (block.joint != joint || block.kind != StressBlock::Kind::force) continue;
      std::vector<int> states;
      free_loads_.add_states({&block, 1}, states);
      const Matrix forces = block.directions * free_loads_.carried(block, states);
      const Matrix range = range_of(forces, release_threshold);
      for (int k = 0; k < range.cols(); ++k) directions.emplace_back(range.col(k));
    }
    if (directions.size() == 2) return {Vec3::UnitX(), Vec3::UnitY()};
    return directions;
  }

  // --- loads that a change takes away ---
  void find_candidates() {
    std::vector<std::pair<std::string, std::pair<int, int>>> owners;  // name, (joint, motion): in the order of names
    for (int k = 0; k < static_cast<int>(model_->joints.size()); ++k)
      owners.push_back({model_->joints[k].name, {k, -1}});
    for (int k = 0; k < static_cast<int>(model_->motions.size()); ++k)
      owners.push_back({model_->motions[k].name, {-1, k}});
    std::sort(owners.begin(), owners.end());
    for (const auto& [name, which] : owners) {
      const auto [joint, motion] = which;
      const auto [first, last] = joint >= 0 ? system_.reactions().rows_of_joint(joint)
                                            : std::pair(system_.motion_row(motion), system_.motion_row(motion) + 1);
      if (stress_.middleRows(first, last - first).norm() < release_threshold) continue;
      std::vector<Candidate> candidates;
      if (joint >= 0 && !is_coupled(joint)) {
        for (const Joint& changed : weaker(joint)) add(joint, changed, first, last, candidates);
      }
      Candidate out{.joint = joint, .motion = motion, .changed = {}, .taken = stress_.middleRows(first, last - first)};
      out.words = fmt::format("{}: take it out", name);
      if (joint < 0 || (!is_coupled(joint) && !joints_are_named_)) candidates.push_back(out);
      owners_.push_back(std::move(candidates));
    }
  }

  /// Gears and drives need the joint's coordinate.
  bool is_coupled(int joint) const {
    const auto names = [&](int k) { return k == joint; };
    for (const Joint& other : model_->joints) {
      if (names(other.joint_a) || names(other.joint_b)) return true;
    }
    return std::any_of(model_->motions.begin(), model_->motions.end(),
                       [&](const Motion& m) { return names(m.joint); }) ||
           system_.model().joints[joint].friction.law != Friction::Law::none || !may_lose_coordinates(joint);
  }
  bool may_lose_coordinates(int joint) const {
    for (const Force& force : model_->forces) {
      if (const auto* spring = std::get_if<RotationalSpring>(&force.law); spring && spring->joint == joint)
        return false;
      if (const auto* actuator = std::get_if<Actuator>(&force.law); actuator && actuator->joint == joint) return false;
      if (const auto* custom = std::get_if<CustomForce>(&force.law); custom && custom->joint == joint) return false;
    }
    return true;
  }

  void add(int joint, const Joint& changed, int first, int last, std::vector<Candidate>& candidates) {
    auto model = without_expressions();
    model->joints = {changed};
    model->joints[0].cut = false;
    Matrix rows;
    {
      System system(model, *find_coordinates_type("reference-point"));
      Equations eq = system.empty_equations();
      system.evaluate(0, q_, v_, Vector::Zero(system.state_size()), Upto::velocities, eq);
      rows = Matrix(eq.P);
    }
    const Vector scale = typical_.cwiseSqrt().cwiseInverse();
    const Matrix old_rows = P_.middleRows(first, last - first) * scale.asDiagonal();
    const Matrix new_rows = rows * scale.asDiagonal();
    // new_rows = X old_rows; a type that is not weaker leaves a rest.
    const Matrix X = least_norm_solution(old_rows.transpose(), new_rows.transpose()).transpose();
    if ((X * old_rows - new_rows).norm() > 1e-8 * new_rows.norm()) return;
    const Matrix Z = null_space_of(X, release_threshold);
    Candidate candidate{.joint = joint, .motion = -1, .changed = changed};
    candidate.taken = Z.transpose() * stress_.middleRows(first, last - first);
    const Vec3 axis = turned(system_, changed.i) * changed.axis_i;
    const Joint& old = model_->joints[joint];
    const Vec3 old_axis = axis_now(system_, joint);
    const JointType& type = type_of(changed);
    const JointAxis meaning = type.axis(model_->dimension);
    candidate.effort = type.building_effort;
    std::string where;
    if (meaning == JointAxis::two) {
      where = fmt::format(" about its axis and {}", vector_words(turned(system_, changed.j) * changed.axis_j, false));
    } else if (meaning != JointAxis::none) {
      const bool is_new = old_axis.isZero() || old_axis.cross(axis).norm() > 1e-6 || model_->planar();
      if (is_new || meaning == JointAxis::normal) {
        where = fmt::format(" {} {}", meaning == JointAxis::normal ? "normal to" : "along",
                            is_new ? vector_words(axis, model_->planar()) : "its axis");
      }
    }
    candidate.words = fmt::format("{}: {} -> {}{}", old.name, old.type, changed.type, where);
    candidates.push_back(std::move(candidate));
  }

  std::shared_ptr<Model> without_expressions() const {
    auto model = std::make_shared<Model>(*model_);
    model->motions.clear(), model->forces.clear(), model->outputs.clear(), model->initial = {};
    return model;
  }

  // --- sets of changes ---
  static bool independent(const Matrix& taken) { return rank_of(taken, release_threshold) == taken.rows(); }

  /// Common joints are easier to build than rare ones.
  static int effort(const std::vector<const Candidate*>& choice) {
    int sum = 0;
    for (const Candidate* candidate : choice) sum += candidate->effort;
    return sum;
  }

  void choose(std::size_t owner, std::size_t changes, const Matrix& taken, bool taking_out) {
    const auto excess = stress_.cols();
    if (changes == 0) {
      if (taken.rows() == excess) found_.push_back(chosen_);
      return;
    }
    for (; owner + changes <= owners_.size(); ++owner) {
      for (const Candidate& candidate : owners_[owner]) {
        if (++visits_ >= most_trials) return;
        if (candidate.changed.type.empty() && !taking_out) continue;
        const auto rows = taken.rows() + candidate.taken.rows();
        if (rows > excess || (changes == 1 && rows != excess)) continue;
        Matrix more(rows, excess);
        more << taken, candidate.taken;
        if (!independent(more)) continue;
        chosen_.push_back(&candidate);
        choose(owner + 1, changes - 1, more, taking_out);
        chosen_.pop_back();
      }
    }
  }

  /// For many redundant rows: the change of each joint that takes most.
  std::vector<const Candidate*> greedy(bool taking_out) const {
    std::vector<const Candidate*> choice;
    const auto excess = stress_.cols();
    Matrix taken(0, excess);
    for (const std::vector<Candidate>& candidates : owners_) {
      const Candidate* best = nullptr;
      Matrix best_taken;
      for (const Candidate& candidate : candidates) {
        if (candidate.changed.type.empty() && !taking_out) continue;
        if (best && candidate.taken.rows() <= best->taken.rows()) continue;
        const auto rows = taken.rows() + candidate.taken.rows();
        if (rows > excess) continue;
        Matrix more(rows, excess);
        more << taken, candidate.taken;
        if (independent(more)) best = &candidate, best_taken = more;
      }
      if (!best) continue;
      choice.push_back(best);
      taken = best_taken;
    }
    if (taken.rows() != excess) choice.clear();
    return choice;
  }

  // --- counting again ---
  bool verify(const std::vector<const Candidate*>& choice, Release& release) const {
    auto model = without_expressions();
    model->motions = model_->motions;
    std::vector<int> out, out_motions;
    for (const Candidate* candidate : choice) {
      JointChange change;
      change.words = candidate->words;
      if (candidate->motion >= 0) {
        change.joint = model_->motions[candidate->motion].name, change.from = "motion", change.to = "none";
        out_motions.push_back(candidate->motion);
      } else {
        const Joint& old = model_->joints[candidate->joint];
        change.joint = old.name, change.from = old.type;
        change.to = candidate->changed.type.empty() ? "none" : candidate->changed.type;
        change.axis = turned(system_, candidate->changed.i) * candidate->changed.axis_i;
        if (candidate->changed.type.empty()) {
          out.push_back(candidate->joint);
        } else {
          model->joints[candidate->joint] = candidate->changed;
        }
      }
      release.changes.push_back(std::move(change));
    }
    // From the last one on, so that numbers stay right; what refers to a later joint moves up.
    std::sort(out.rbegin(), out.rend());
    for (int joint : out) {
      model->joints.erase(model->joints.begin() + joint);
      for (Joint& other : model->joints) other.joint_a -= other.joint_a > joint, other.joint_b -= other.joint_b > joint;
      for (Motion& motion : model->motions) motion.joint -= motion.joint > joint;
    }
    std::sort(out_motions.rbegin(), out_motions.rend());
    for (int motion : out_motions) model->motions.erase(model->motions.begin() + motion);

    System system(model, *find_coordinates_type("reference-point"));
    Equations eq = system.empty_equations();
    system.evaluate(0, q_, v_, Vector::Zero(system.state_size()), Upto::velocities, eq);
    MinimumNorm rows;
    rows.factorize(dimensionless_rows(eq.P, typical_inertia(system)), 1e-8);
    release.constraints = system.row_count();
    release.rank = rows.rank();
    release.degrees_of_freedom = system.velocity_size() - rows.rank();
    release.model = model;
    return release.rank == release.constraints && release.degrees_of_freedom == freedoms_;
  }

  std::shared_ptr<const Model> model_;
  System system_;
  Vector q_, v_, typical_;
  Matrix P_, stress_;
  SelfStress free_loads_;
  int freedoms_ = 0;
  bool joints_are_named_ = false;  // in expressions, by number
  std::vector<std::vector<Candidate>> owners_;
  std::vector<const Candidate*> chosen_;
  std::vector<std::vector<const Candidate*>> found_;
  long visits_ = 0;
};

}  // namespace

std::vector<Release> suggest_releases(const std::shared_ptr<const Model>& model, ConstVector q, ConstVector v,
                                      int most) {
  return ReleaseSearch(model, q, v).run(most);
}

}  // namespace bricard
