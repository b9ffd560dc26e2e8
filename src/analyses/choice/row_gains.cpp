#include "analyses/choice/row_gains.h"

#include <fmt/format.h>

#include <algorithm>

#include "bricard/input_error.h"
#include "model/nearest_name.h"
#include "model/row_gains.h"

namespace bricard {
namespace {

/// The joint or motion that a row belongs to; empty: none.
std::string owner_name(const System& system, int row) {
  const RowInfo& info = system.rows()[row];
  if (info.owner == RowOwner::joint) return system.model().joints[info.index].name;
  if (info.owner == RowOwner::motion) return system.model().motions[info.index].name;
  return {};
}

[[noreturn]] void refuse(const System& system, const RowGain& gain) {
  const auto& joints = system.model().joints;
  const bool is_joint = std::any_of(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == gain.name; });
  if (is_joint) {
    throw InputError(
        fmt::format("{} of '{}': coordinates '{}' satisfy this joint, which has no constraints left; use coordinates "
                    "'reference-point'",
                    gain.key, gain.name, system.coordinates_type().name));
  }
  std::vector<std::string> names;
  for (int row = 0; row < system.row_count(); ++row) {
    names.push_back(system.row_name(row));
    const std::string owner = owner_name(system, row);
    if (!owner.empty() && (names.size() < 2 || names[names.size() - 2] != owner)) names.push_back(owner);
  }
  throw InputError(
      fmt::format("{}: no joint, motion or constraint '{}'{}", gain.key, gain.name, suggestion(gain.name, names)));
}

}  // namespace

GainsByRow gains_by_row(const System& system, const Method& method) {
  GainsByRow gains;
  if (method.row_gains.empty()) return gains;
  const std::vector<RowGain> given = parse_row_gains(method.row_gains);
  const struct {
    const char* key;
    double standard;
    Vector& values;
  } kinds[] = {{"alpha", method.alpha, gains.alpha},
               {"beta", method.beta, gains.beta},
               {"penalty", method.penalty, gains.penalty},
               {"omega", method.omega, gains.omega},
               {"mu", method.mu, gains.mu}};
  for (const bool of_constraints : {false, true}) {
    for (const RowGain& gain : given) {
      const auto& kind =
          *std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return k.key == gain.key; });
      bool found = false;
      for (int row = 0; row < system.row_count(); ++row) {
        const bool own = system.row_name(row) == gain.name;
        if (!own && owner_name(system, row) != gain.name) continue;
        found = true;
        if (own != of_constraints) continue;
        if (kind.values.size() == 0) kind.values.setConstant(system.row_count(), kind.standard);
        kind.values[row] = gain.value;
      }
      if (!found) refuse(system, gain);
    }
  }
  return gains;
}

}  // namespace bricard
