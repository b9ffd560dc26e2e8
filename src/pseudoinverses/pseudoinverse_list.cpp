#include "pseudoinverses/pseudoinverse.h"

namespace bricard {

namespace pseudoinverses {
#define PSEUDOINVERSE(function) PseudoinverseType function();
#include "pseudoinverses/pseudoinverses.def"
#undef PSEUDOINVERSE
}  // namespace pseudoinverses

const std::vector<PseudoinverseType>& pseudoinverse_types() {
  static const std::vector<PseudoinverseType> types = {
#define PSEUDOINVERSE(function) pseudoinverses::function(),
#include "pseudoinverses/pseudoinverses.def"
#undef PSEUDOINVERSE
  };
  return types;
}

const PseudoinverseType* find_pseudoinverse_type(const std::string& name) {
  for (const PseudoinverseType& type : pseudoinverse_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

}  // namespace bricard
