#include "model/registry.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {

namespace pseudoinverses {
#define PSEUDOINVERSE(function) PseudoinverseType function();
#include "pseudoinverses/pseudoinverses.def"
#undef PSEUDOINVERSE
}  // namespace pseudoinverses

namespace {

const Registry<PseudoinverseType>& registry() {
  static const Registry<PseudoinverseType> types = {
#define PSEUDOINVERSE(function) pseudoinverses::function(),
#include "pseudoinverses/pseudoinverses.def"
#undef PSEUDOINVERSE
  };
  return types;
}

}  // namespace

const std::deque<PseudoinverseType>& pseudoinverse_types() { return registry().all(); }
const PseudoinverseType* find_pseudoinverse_type(const std::string& name) { return registry().find(name); }

Matrix dense(Pseudoinverse& pseudoinverse, int rows, int columns) {
  Matrix inverse(columns, rows);
  Vector unit(rows), column(columns);
  for (int k = 0; k < rows; ++k) {
    unit = Vector::Unit(rows, k);
    pseudoinverse.apply(unit, column);
    inverse.col(k) = column;
  }
  return inverse;
}

}  // namespace bricard
