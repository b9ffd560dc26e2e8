// Two gears in mesh, turning on a common carrier k:  angle_i/k = ratio * angle_j/k.     [Pennestri-Valentini section 6]
// Each angle is the sum of the angles of the turning pairs between carrier and gear, so that full turns count.
#include "bricard/input_error.h"
#include "joints/fundamental_circuits.h"
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

namespace {

std::vector<JointProblem> check_gears(const Joint&, Dimension, const std::set<std::string>& given) {
  const bool teeth = given.contains("teeth"), ratio = given.contains("ratio");
  if (!teeth && !ratio) return {{"", "needs the key 'teeth' or 'ratio'"}};
  if (teeth && ratio) return {{"ratio", "follows from the teeth; give only one of them", true}};
  if (ratio && given.contains("internal")) return {{"internal", "a ratio has its own sign", true}};
  return {};
}

}  // namespace

JointType gear_pair() {
  return {.name = "gear_pair",
          .description = "two gears in mesh on a carrier",
          .planar_rows = 1,
          .spatial_rows = 1,
          .general_rows = true,
          .keys = {"no-bodies", "gears", "teeth?", "internal?", "ratio?", "carrier?"},
          .gear_mesh = true,
          .check = check_gears,
          .build = [](const Joint& joint, RowBuilder& builder) {
            const Model& model = builder.model();
            const TurningPairs::Search search =
                TurningPairs(model).circuit(static_cast<int>(&joint - model.joints.data()));
            if (!search.circuit) throw InputError("joint " + joint.name + ": " + search.problem);
            std::vector<Rows::Term> terms;
            const auto add = [&](const std::vector<TurningStep>& path, double factor) {
              for (const TurningStep& step : path) {
                const int angle = builder.find({.quantity = Quantity::angle, .target = step.joint});
                terms.push_back({angle, factor * step.sign});
              }
            };
            add(search.circuit->path_i, 1);
            add(search.circuit->path_j, -search.circuit->ratio);
            builder.combination(std::move(terms), Expression(0), "ratio");
          }};
}

}  // namespace bricard::joint_kinds
