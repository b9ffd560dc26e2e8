#include "integrators/dae/dae_differences.h"

#include <algorithm>

namespace bricard {

DifferenceJacobian::DifferenceJacobian(int rows, int columns)
    : rows_(rows),
      columns_(columns),
      values_(rows, columns),
      displacement_(Vector::Zero(columns)),
      base_(Vector::Zero(rows)),
      value_(Vector::Zero(rows)) {}

void DifferenceJacobian::add_all() {
  pattern_.clear();
  for (int column = 0; column < columns_; ++column)
    for (int row = 0; row < rows_; ++row) add(row, column);
}

bool DifferenceJacobian::detect(const Function& function, const Vector& increments) {
  displacement_.setZero();
  if (!function(displacement_, base_)) return false;
  for (int column = 0; column < columns_; ++column) {
    displacement_[column] = increments[column];
    const bool exists = function(displacement_, value_);
    displacement_[column] = 0;
    for (int row = 0; row < rows_; ++row)
      if (!exists || value_[row] != base_[row]) add(row, column);
  }
  return true;
}

void DifferenceJacobian::freeze() {
  values_.setFromTriplets(pattern_.begin(), pattern_.end());
  pattern_.clear();
  for (int column = 0; column < columns_; ++column)
    for (SparseColumns::InnerIterator entry(values_, column); entry; ++entry)
      pattern_.emplace_back(static_cast<int>(entry.row()), column, 0);
  // Each column joins the first group whose rows it leaves alone.
  groups_.clear();
  std::vector<std::vector<bool>> taken;
  for (int column = 0; column < columns_; ++column) {
    if (values_.outerIndexPtr()[column] == values_.outerIndexPtr()[column + 1]) continue;
    std::size_t group = 0;
    const auto collides = [&] {
      for (SparseColumns::InnerIterator entry(values_, column); entry; ++entry)
        if (taken[group][entry.row()]) return true;
      return false;
    };
    while (group < groups_.size() && collides()) ++group;
    if (group == groups_.size()) {
      groups_.emplace_back();
      taken.emplace_back(rows_, false);
    }
    groups_[group].push_back(column);
    for (SparseColumns::InnerIterator entry(values_, column); entry; ++entry) taken[group][entry.row()] = true;
  }
}

bool DifferenceJacobian::evaluate(const Function& function, const Vector& increments) {
  displacement_.setZero();
  if (!function(displacement_, base_)) return false;
  for (const std::vector<int>& group : groups_) {
    for (int column : group) displacement_[column] = increments[column];
    const bool exists = function(displacement_, value_);
    for (int column : group) {
      displacement_[column] = 0;
      for (SparseColumns::InnerIterator entry(values_, column); entry; ++entry)
        entry.valueRef() = (value_[entry.row()] - base_[entry.row()]) / increments[column];
    }
    if (!exists) return false;
  }
  return true;
}

}  // namespace bricard
