// A motion given by samples.
#pragma once

#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

/// A table of numbers with named columns; `time` is one of them.
struct MotionTable {
  std::vector<std::string> columns;
  std::vector<Vector> rows;
  std::string name = "the motion";  // in messages

  int column(const std::string& wanted) const;  // -1: there is none
};

/// How far the motion that the constraints allow is from the one that is given.
struct Correction {
  std::string column;
  double size = 0, time = 0;
};

}  // namespace bricard
