// Singular values and pivots of dimensionless constraints below this part of the largest count as zero: far above
// rounding, far below those of mechanisms that are not at a singular position.
#pragma once

namespace bricard {

inline constexpr double rank_threshold = 1e-8;

}  // namespace bricard
