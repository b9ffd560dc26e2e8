#include "io/report/report_sink.h"

#include <algorithm>
#include <cmath>

namespace bricard {

void ReportSink::begin(const std::vector<std::string>& columns) {
  columns_ = columns;
  squares_ = Vector::Zero(static_cast<int>(columns.size()));
  if (next_) next_->begin(columns);
}

void ReportSink::row(const Vector& values) {
  if (next_) next_->row(values);
  if (count_ == 0) {
    least_ = greatest_ = values;
  } else {
    least_ = least_.cwiseMin(values);
    greatest_ = greatest_.cwiseMax(values);
  }
  squares_ += values.cwiseAbs2();
  last_ = values;
  if (count_++ % stride_ != 0) return;
  rows_.push_back(values);
  if (static_cast<int>(rows_.size()) <= most_rows_) return;
  for (std::size_t k = 0; 2 * k < rows_.size(); ++k) rows_[k].swap(rows_[2 * k]);
  rows_.resize((rows_.size() + 1) / 2);
  stride_ *= 2;
}

int ReportSink::find(const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

std::vector<double> ReportSink::values(int column) const {
  std::vector<double> result;
  for (const Vector& row : rows_) result.push_back(row[column]);
  if (count_ > 0 && (count_ - 1) % stride_ != 0) result.push_back(last_[column]);
  return result;
}

ReportSink::Extent ReportSink::extent(int column) const {
  if (count_ == 0) return {};
  return {least_[column], greatest_[column], std::sqrt(squares_[column] / static_cast<double>(count_))};
}

}  // namespace bricard
