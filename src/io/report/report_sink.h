// Keeps the rows of a run for a report: thinned, so that long runs give readable files, and with the extremes of all
// rows.
#pragma once

#include "bricard/simulate.h"

namespace bricard {

class ReportSink : public Sink {
 public:
  /// `next` gets every row too; may be null.
  explicit ReportSink(Sink* next = nullptr, int most_rows = 4000) : next_(next), most_rows_(most_rows) {}

  void describe(const RunDescription& description) override {
    if (next_) next_->describe(description);
  }
  void begin(const std::vector<std::string>& columns) override;
  void row(const Vector& values) override;
  void end() override {
    if (next_) next_->end();
  }

  const std::vector<std::string>& columns() const { return columns_; }
  /// Number of a column, -1 if there is none of that name.
  int find(const std::string& name) const;
  /// What was kept: every stride()-th row, and the last one.
  std::vector<double> values(int column) const;
  int stride() const { return stride_; }

  /// Of all rows.
  struct Extent {
    double least = 0, greatest = 0, root_mean_square = 0;
  };
  Extent extent(int column) const;

 private:
  Sink* next_;
  int most_rows_, stride_ = 1;
  long count_ = 0;
  std::vector<std::string> columns_;
  std::vector<Vector> rows_;
  Vector last_, least_, greatest_, squares_;
};

}  // namespace bricard
