#include "diagnosis/dependent_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "diagnosis/direction_words.h"
#include "linear/subspaces.h"

namespace bricard {
namespace {

constexpr double part_threshold = 1e-6;  // of unit self-stresses
constexpr std::size_t most_minimal = 30, most_visits = 3000;
constexpr int largest_excess = 24;  // for which minimal sets are looked for: their number grows without limit

Matrix rows_of(const SelfStress& stress, const std::vector<int>& blocks) {
  int rows = 0;
  for (int b : blocks) rows += stress.blocks[b].size;
  Matrix part(rows, stress.dimension());
  rows = 0;
  for (int b : blocks) {
    part.middleRows(rows, stress.blocks[b].size) =
        stress.basis.middleRows(stress.blocks[b].first, stress.blocks[b].size);
    rows += stress.blocks[b].size;
  }
  return part;
}

/// Coefficients of the self-stresses that vanish on `blocks`.
Matrix vanishing_on(const SelfStress& stress, const std::vector<int>& blocks) {
  return null_space_of(rows_of(stress, blocks), part_threshold);
}

/// The self-stresses that live on some blocks alone.
SelfStress restricted(const SelfStress& stress, const std::vector<int>& blocks) {
  std::vector<int> outside;
  for (int b = 0; b < static_cast<int>(stress.blocks.size()); ++b) {
    if (!std::binary_search(blocks.begin(), blocks.end(), b)) outside.push_back(b);
  }
  SelfStress own;
  own.length = stress.length;
  own.basis = rows_of(stress, blocks) * vanishing_on(stress, outside);
  int row = 0;
  for (int b : blocks) {
    own.blocks.push_back(stress.blocks[b]);
    own.blocks.back().first = row;
    row += stress.blocks[b].size;
  }
  return own;
}

std::vector<int> numbers_up_to(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::vector<int>> connected(const SelfStress& stress) {
  const int count = static_cast<int>(stress.blocks.size());
  std::vector<int> parent(count);
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<int(int)> root = [&](int k) { return parent[k] == k ? k : parent[k] = root(parent[k]); };
  const Matrix projector = stress.basis * stress.basis.transpose();
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const StressBlock &A = stress.blocks[a], &B = stress.blocks[b];
      if (projector.block(A.first, B.first, A.size, B.size).cwiseAbs().maxCoeff() > part_threshold)
        parent[root(a)] = root(b);
    }
  }
  std::map<int, std::vector<int>> groups;
  for (int k = 0; k < count; ++k) groups[root(k)].push_back(k);
  std::vector<std::vector<int>> result;
  for (auto& [key, members] : groups) result.push_back(std::move(members));
  return result;
}

/// All smallest sets of blocks that carry a self-stress: from the whole group, blocks are taken away as long as one is
/// left.
struct MinimalSets {
  const SelfStress& stress;
  std::set<std::vector<int>> visited = {}, found = {};
  bool complete = true;

  std::vector<int> others(const std::vector<int>& blocks) const {
    std::vector<int> rest;
    for (int b = 0; b < static_cast<int>(stress.blocks.size()); ++b) {
      if (!std::binary_search(blocks.begin(), blocks.end(), b)) rest.push_back(b);
    }
    return rest;
  }

  void visit(const std::vector<int>& blocks) {
    if (visited.size() >= most_visits || found.size() >= most_minimal) {
      complete = false;
      return;
    }
    if (!visited.insert(blocks).second) return;
    bool is_minimal = true;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      std::vector<int> fewer = blocks;
      fewer.erase(fewer.begin() + static_cast<long>(k));
      const Matrix left = vanishing_on(stress, others(fewer));
      if (left.cols() == 0) continue;
      is_minimal = false;
      std::vector<int> carrying;  // of those, the ones that take part
      for (int b : fewer) {
        const Matrix part = rows_of(stress, {b}) * left;
        if (part.size() > 0 && part.cwiseAbs().maxCoeff() > part_threshold) carrying.push_back(b);
      }
      visit(carrying);
    }
    if (is_minimal) found.insert(blocks);
  }
};

/// What each joint carries in the self-stresses with the given coefficients.
std::vector<SharedLoad> loads_of(const System& system, const SelfStress& stress, const std::vector<int>& blocks,
                                 const Matrix& coefficients) {
  struct Parts {
    int joint = -1;
    bool effort = false;
    Matrix forces, moments;
  };
  std::map<std::string, Parts> by_name;
  for (int b : blocks) {
    const StressBlock& block = stress.blocks[b];
    Parts& parts = by_name[block.name];
    parts.joint = block.joint;
    const Matrix part = rows_of(stress, {b}) * coefficients;
    if (part.size() == 0 || part.cwiseAbs().maxCoeff() < part_threshold) continue;
    if (block.kind == StressBlock::Kind::effort) {
      parts.effort = true;
      continue;
    }
    Matrix& sum = block.kind == StressBlock::Kind::force ? parts.forces : parts.moments;
    if (sum.size() == 0) sum = Matrix::Zero(3, part.cols());
    sum += block.directions * part;
  }
  std::vector<SharedLoad> loads;
  for (const auto& [name, parts] : by_name) {
    SharedLoad load;
    load.joint = name, load.effort = parts.effort;
    load.forces = parts.forces.size() > 0 ? range_of(parts.forces, part_threshold) : Matrix(3, 0);
    load.moments = parts.moments.size() > 0 ? range_of(parts.moments, part_threshold) : Matrix(3, 0);
    std::vector<std::string> words;
    if (load.effort) words.emplace_back("effort");
    if (load.forces.cols() > 0) words.push_back(direction_words(system, parts.joint, load.forces, "force"));
    if (load.moments.cols() > 0) words.push_back(direction_words(system, parts.joint, load.moments, "moment"));
    if (words.empty()) continue;
    load.words = listed(words);
    loads.push_back(std::move(load));
  }
  return loads;
}

std::string plural(const std::string& words, std::size_t count) {
  if (count < 2) return words;
  std::istringstream stream(words);
  std::string result;
  for (std::string word; stream >> word;) {
    const bool noun = word == "force" || word == "moment" || word == "effort";
    result += fmt::format("{}{}{}", result.empty() ? "" : " ", word, noun ? "s" : "");
  }
  return result;
}

/// "the z forces of P1A and P1B", joints with the same words together.
std::string subject(const std::vector<SharedLoad>& loads) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_words;
  for (const SharedLoad& load : loads) {
    auto known =
        std::find_if(by_words.begin(), by_words.end(), [&](const auto& entry) { return entry.first == load.words; });
    if (known == by_words.end()) known = by_words.insert(known, {load.words, {}});
    known->second.push_back(load.joint);
  }
  std::string text;
  for (std::size_t k = 0; k < by_words.size(); ++k) {
    const auto& [words, joints] = by_words[k];
    text += fmt::format("{}the {} of {}",
                        k == 0                     ? ""
                        : k + 1 == by_words.size() ? " and "
                                                   : ", ",
                        plural(words, joints.size()), listed(joints));
  }
  return text;
}

std::string sentence_of(const std::vector<SharedLoad>& loads, int excess) {
  return excess == 1 ? subject(loads) + " cannot be told apart"
                     : fmt::format("{} share loads that {} constraints fewer would carry", subject(loads), excess);
}

std::vector<std::string> names(const std::vector<SharedLoad>& loads) {
  std::vector<std::string> result;
  for (const SharedLoad& load : loads) result.push_back(load.joint + " " + load.words);
  return result;
}

/// Dimension of the part of `stress` that lives on the blocks of the same names and kinds.
int dimension_on(const SelfStress& stress, const SelfStress& of, const std::vector<int>& blocks) {
  std::set<std::pair<std::string, int>> wanted;
  for (int b : blocks) wanted.insert({of.blocks[b].name, static_cast<int>(of.blocks[b].kind)});
  std::vector<int> outside;
  for (int b = 0; b < static_cast<int>(stress.blocks.size()); ++b) {
    if (!wanted.contains({stress.blocks[b].name, static_cast<int>(stress.blocks[b].kind)})) outside.push_back(b);
  }
  return static_cast<int>(vanishing_on(stress, outside).cols());
}

}  // namespace

std::string DependentGroup::here_only() const {
  if (only_here == 0) return "";
  return only_here == excess ? " (at this position only)"
                             : fmt::format(" ({} of them at this position only)", only_here);
}

std::vector<DependentGroup> find_dependent_groups(const System& system, const SelfStress& stress,
                                                  const SelfStress* beside) {
  std::vector<DependentGroup> groups;
  if (stress.dimension() == 0) return groups;
  for (const std::vector<int>& blocks : connected(stress)) {
    const SelfStress own = restricted(stress, blocks);
    if (own.dimension() == 0) continue;
    const std::vector<int> all = numbers_up_to(own.blocks.size());
    const Matrix every = Matrix::Identity(own.dimension(), own.dimension());
    DependentGroup group;
    group.excess = own.dimension();
    if (beside) group.only_here = std::max(0, group.excess - dimension_on(*beside, stress, blocks));
    group.loads = loads_of(system, own, all, every);
    group.sentence = sentence_of(group.loads, group.excess);
    group.all_minimal = group.excess <= largest_excess;
    if (group.excess > 1 && group.all_minimal) {
      MinimalSets sets{own};
      sets.visit(all);
      group.all_minimal = sets.complete;
      for (const std::vector<int>& minimal : sets.found) {
        if (minimal == all) continue;  // nothing smaller than the group itself
        const Matrix coefficients = vanishing_on(own, sets.others(minimal));
        MinimalGroup entry;
        entry.loads = loads_of(system, own, minimal, coefficients);
        entry.sentence = sentence_of(entry.loads, static_cast<int>(coefficients.cols()));
        group.minimal.push_back(std::move(entry));
      }
      std::sort(group.minimal.begin(), group.minimal.end(), [](const MinimalGroup& a, const MinimalGroup& b) {
        return a.loads.size() != b.loads.size() ? a.loads.size() < b.loads.size() : names(a.loads) < names(b.loads);
      });
    }
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(),
            [](const DependentGroup& a, const DependentGroup& b) { return names(a.loads) < names(b.loads); });
  return groups;
}

}  // namespace bricard
