// A sink for runs of which only the summary is wanted.
#pragma once

#include "bricard/simulate.h"

namespace bricard {

class NoSink : public Sink {
 public:
  void begin(const std::vector<std::string>&) override {}
  void begin_unnamed(const std::function<std::vector<std::string>()>&) override {}
  bool wants_rows() const override { return false; }
  void row(const Vector&) override {}
};

}  // namespace bricard
