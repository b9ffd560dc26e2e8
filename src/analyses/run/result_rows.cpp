#include "bricard/result_rows.h"

#include <stdexcept>

namespace bricard {

ResultRows::Row ResultRows::at(std::size_t k) const {
  if (k >= size()) throw std::out_of_range("no row " + std::to_string(k));
  return (*this)[k];
}

bool ResultRows::operator==(const ResultRows& other) const {
  return size_ == other.size_ && (size_ == 0 || columns_ == other.columns_) &&
         std::equal(begin(), end(), other.begin(), [](const Row& a, const Row& b) { return a == b; });
}

void ResultRows::reserve(Eigen::Index capacity) {
  std::vector<double> wider(static_cast<std::size_t>(capacity * columns_));
  for (Eigen::Index k = 0; k < columns_; ++k)
    std::copy_n(values_.data() + k * capacity_, size_, wider.data() + k * capacity);
  values_ = std::move(wider);
  capacity_ = capacity;
}

}  // namespace bricard
