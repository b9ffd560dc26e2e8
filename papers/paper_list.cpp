#include "papers/reproduction.h"

namespace bricard {

namespace paper_list {
#define PAPER(function) Paper function();
#include "papers/papers.def"
#undef PAPER
}  // namespace paper_list

const std::vector<Paper>& papers() {
  static const std::vector<Paper> list = {
#define PAPER(function) paper_list::function(),
#include "papers/papers.def"
#undef PAPER
  };
  return list;
}

const Paper* find_paper(const std::string& name) {
  for (const Paper& paper : papers()) {
    if (name == paper.name) return &paper;
  }
  return nullptr;
}

}  // namespace bricard
