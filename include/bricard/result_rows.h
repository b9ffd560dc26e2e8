// The numbers of a run, row by row as they came, each column contiguous in memory.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "bricard/types.h"

namespace bricard {

/// Behaves as a std::vector of rows, which are views: they and columns are valid until a row is added.
class ResultRows {
 public:
  using Row = Eigen::Map<const Vector, Eigen::Unaligned, Eigen::InnerStride<>>;
  using Column = Eigen::Map<const Vector>;

  ResultRows() = default;
  ResultRows(const std::vector<Vector>& rows) { append(rows.begin(), rows.end()); }
  ResultRows(std::initializer_list<Vector> rows) { append(rows.begin(), rows.end()); }
  operator std::vector<Vector>() const { return {begin(), end()}; }

  /// All rows have the size of the first.
  void push_back(const Vector& row) {
    if (size_ == 0) columns_ = row.size();
    if (size_ == capacity_) reserve(8 + capacity_ * 3 / 2);
    Eigen::Map<Vector, 0, Eigen::InnerStride<>>(values_.data() + size_, columns_, Eigen::InnerStride<>(capacity_)) =
        row;
    ++size_;
  }

  std::size_t size() const { return static_cast<std::size_t>(size_); }
  bool empty() const { return size_ == 0; }
  Row operator[](std::size_t k) const { return {values_.data() + k, columns_, Eigen::InnerStride<>(capacity_)}; }
  Row at(std::size_t k) const;
  Row front() const { return (*this)[0]; }
  Row back() const { return (*this)[size() - 1]; }
  Column column(int k) const { return {values_.data() + k * capacity_, size_}; }
  bool operator==(const ResultRows& other) const;

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Vector;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Row;
    Iterator() = default;
    Iterator(const ResultRows& of, difference_type k) : of_(&of), k_(k) {}
    Row operator*() const { return (*of_)[static_cast<std::size_t>(k_)]; }
    Row operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() { return ++k_, *this; }
    Iterator& operator--() { return --k_, *this; }
    Iterator operator++(int) { return {*of_, k_++}; }
    Iterator operator--(int) { return {*of_, k_--}; }
    Iterator& operator+=(difference_type n) { return k_ += n, *this; }
    Iterator& operator-=(difference_type n) { return k_ -= n, *this; }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.k_ - b.k_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.k_ == b.k_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.k_ <=> b.k_; }

   private:
    const ResultRows* of_ = nullptr;
    difference_type k_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  template <class From>
  void append(From first, From last) {
    for (; first != last; ++first) push_back(*first);
  }
  /// Columns move apart, so that each has room for so many rows. Never a power of two, by which lines of all columns
  /// would share one place of the cache.
  void reserve(Eigen::Index capacity);

  std::vector<double> values_;  // column by column, each of the capacity
  Eigen::Index size_ = 0, columns_ = 0, capacity_ = 0;
};

}  // namespace bricard
