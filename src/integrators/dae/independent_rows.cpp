#include "integrators/dae/independent_rows.h"

#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"

namespace bricard {

IndependentRows choose_independent_rows(DaeEquations& dae, double t, ConstVector q, ConstVector v, ConstVector states,
                                        ConstVector lambda) {
  dae.forget();
  dae.evaluate(t, q, v, states);
  SparseRows P = dae.values().P;
  const double length = dae.system().model().characteristic_length();
  for (int row = 0; row < P.outerSize(); ++row)
    for (SparseRows::InnerIterator entry(P, row); entry; ++entry)
      if (!dae.coordinates().is_rotation(static_cast<int>(entry.col()))) entry.valueRef() *= length;
  std::vector<bool> dependent(dae.rows(), false);
  if (dae.rows() > 0) {
    MinimumNorm decomposition;
    decomposition.factorize(P, rank_threshold);
    for (int row : decomposition.dependent_rows()) dependent[row] = true;
  }
  IndependentRows chosen;
  for (int row = 0; row < dae.rows(); ++row) {
    if (!dependent[row]) chosen.rows.push_back(row);
  }
  chosen.multipliers = lambda;
  chosen.redundant = static_cast<int>(chosen.rows.size()) < dae.rows();
  if (!chosen.redundant) return chosen;
  SparseRows transposed(dae.velocities(), static_cast<int>(chosen.rows.size()));
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < chosen.rows.size(); ++k)
    for (SparseRows::InnerIterator entry(dae.values().P, chosen.rows[k]); entry; ++entry)
      entries.emplace_back(static_cast<int>(entry.col()), static_cast<int>(k), entry.value());
  transposed.setFromTriplets(entries.begin(), entries.end());
  MinimumNorm loads;
  loads.factorize(transposed, rank_threshold);
  const Vector load = dae.values().P.transpose() * lambda;
  Vector of_chosen;
  loads.solve(load, of_chosen);
  chosen.multipliers.setZero();
  for (std::size_t k = 0; k < chosen.rows.size(); ++k)
    chosen.multipliers[chosen.rows[k]] = of_chosen[static_cast<int>(k)];
  return chosen;
}

}  // namespace bricard
