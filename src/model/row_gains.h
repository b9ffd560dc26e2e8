// Gains and penalties of single joints and constraints, as text: "A.penalty=1e9, hinge: x.alpha=20".
#pragma once

#include <string>
#include <vector>

#include "model/units.h"

namespace bricard {

struct RowGain {
  std::string name;  // of a joint, a motion or a constraint
  std::string key;   // alpha, beta, penalty, omega, mu
  double value = 0;
};

/// Throws InputError for what cannot be read, and for values that the option of that key does not take.
std::vector<RowGain> parse_row_gains(const std::string& text);
/// "A.penalty=1e9", to be appended to others after a comma; every digit is kept.
std::string row_gain_text(const RowGain& gain);
/// The same measured in other units.
std::string row_gains_in(const Units& units, const std::string& text, bool absolute_penalties);

}  // namespace bricard
