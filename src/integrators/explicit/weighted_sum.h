// Sums of vectors over which memory is passed once.
#pragma once

#include <cstddef>
#include <utility>

#include "bricard/types.h"

namespace bricard {

namespace weighted_sum_detail {

using Values = Eigen::Map<const Eigen::ArrayXd>;

template <class Use, std::size_t... K>
auto use_sum(const double* const* vectors, const double* weights, Eigen::Index begin, Eigen::Index size, const Use& use,
             std::index_sequence<K...>) {
  return use((... + (weights[K] * Values(vectors[K] + begin, size))));
}

}  // namespace weighted_sum_detail

/// use(sum_k weights[k] vectors[k]) with `terms` terms, at least one and at most `Most`, of a range of components: one
/// expression, which the compiler makes one loop of.
template <std::size_t Most, class Use>
auto with_weighted_sum(int terms, const double* const* vectors, const double* weights, Eigen::Index begin,
                       Eigen::Index size, const Use& use) {
  if constexpr (Most > 1) {
    if (terms < static_cast<int>(Most)) return with_weighted_sum<Most - 1>(terms, vectors, weights, begin, size, use);
  }
  return weighted_sum_detail::use_sum(vectors, weights, begin, size, use, std::make_index_sequence<Most>());
}

}  // namespace bricard
