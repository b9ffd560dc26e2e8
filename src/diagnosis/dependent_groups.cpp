#include "diagnosis/dependent_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "diagnosis/direction_words.h"
#include "linear/dense/dense.h"
#include "linear/dense/subspaces.h"
#include "linear/rank_threshold.h"
#include "linear/sparse_triangle.h"

namespace bricard {
namespace {

constexpr double part_threshold = 1e-6;  // of unit self-stresses
constexpr std::size_t most_minimal = 30, most_visits = 3000;
constexpr double most_work = 3e7;
constexpr int largest_excess = 24;  // for which minimal sets are looked for: their number grows without limit

/// A group small enough for dense matrices: its blocks, and orthonormal self-stresses of them.
struct GroupStress {
  std::vector<StressBlock> blocks;
  Matrix basis;
};

Matrix rows_of(const GroupStress& stress, const std::vector<int>& blocks) {
  int rows = 0;
  for (int b : blocks) rows += stress.blocks[b].size;
  Matrix part(rows, stress.basis.cols());
  rows = 0;
  for (int b : blocks) {
    part.middleRows(rows, stress.blocks[b].size) =
        stress.basis.middleRows(stress.blocks[b].first, stress.blocks[b].size);
    rows += stress.blocks[b].size;
  }
  return part;
}

/// Coefficients of the self-stresses that vanish on `blocks`.
Matrix vanishing_on(const GroupStress& stress, const std::vector<int>& blocks) {
  return null_space_of(rows_of(stress, blocks), part_threshold);
}

/// The self-stresses of a group alone. The whole space is a sum over the groups, so that these are what its vectors
/// have there.
GroupStress restricted(const SelfStress& stress, const std::vector<int>& blocks, int dimension) {
  std::vector<int> states;
  for (int b : blocks) stress.add_states({&stress.blocks[b], 1}, states);
  GroupStress own;
  int rows = 0;
  for (int b : blocks) {
    own.blocks.push_back(stress.blocks[b]);
    own.blocks.back().first = rows;
    rows += stress.blocks[b].size;
  }
  Matrix all(rows, static_cast<int>(states.size()));
  for (std::size_t k = 0; k < blocks.size(); ++k)
    all.middleRows(own.blocks[k].first, own.blocks[k].size) = stress.carried(stress.blocks[blocks[k]], states);
  const Eigen::ColPivHouseholderQR<Matrix> factor(all);
  own.basis = orthogonal_columns(factor, dimension);
  return own;
}

std::vector<int> numbers_up_to(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct BlockGroup {
  std::vector<int> blocks;
  int excess = 0;
};

class Partition {
 public:
  explicit Partition(int count) : parent_(numbers_up_to(static_cast<std::size_t>(count))) {}
  void join(int a, int b) { parent_[root(a)] = root(b); }
  int root(int k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  /// `excess`: of each member, added up.
  std::vector<BlockGroup> groups(const std::vector<double>& excess) {
    std::map<int, std::pair<std::vector<int>, double>> by_root;
    for (int k = 0; k < static_cast<int>(parent_.size()); ++k) {
      auto& [members, sum] = by_root[root(k)];
      members.push_back(k);
      sum += excess[k];
    }
    std::vector<BlockGroup> result;
    for (auto& [key, group] : by_root) result.push_back({group.first, static_cast<int>(std::lround(group.second))});
    return result;
  }

 private:
  std::vector<int> parent_;
};

std::vector<BlockGroup> connected(const SelfStress& stress) {
  const int count = static_cast<int>(stress.blocks.size());
  Partition partition(count);
  std::vector<double> excess(count, 0.0);
  constexpr int largest_projector = 1500;  // rows
  if (stress.orthonormal && stress.basis.rows() <= largest_projector) {
    const Matrix N(stress.basis), projector = N * N.transpose();
    for (int a = 0; a < count; ++a) {
      const StressBlock& A = stress.blocks[a];
      excess[a] = projector.diagonal().segment(A.first, A.size).sum();  // the trace of a projector is its rank
      for (int b = a + 1; b < count; ++b) {
        const StressBlock& B = stress.blocks[b];
        if (projector.block(A.first, B.first, A.size, B.size).cwiseAbs().maxCoeff() > part_threshold)
          partition.join(a, b);
      }
    }
    return partition.groups(excess);
  }
  // Without the projector, which is not sparse: rows are joined that depend on each other in all self-stresses, each
  // dependent row and the independent ones that it is made of. These circuits connect what N N^T connects, and a group
  // has as many self-stresses as rows that are no combination of others.
  std::vector<int> owner(stress.basis.rows());
  for (int b = 0; b < count; ++b) {
    std::fill_n(owner.begin() + stress.blocks[b].first, stress.blocks[b].size, b);
    excess[b] = stress.blocks[b].size;
  }
  const SparseColumns circuits = sparse_null_space(SparseColumns(stress.basis.transpose()), rank_threshold);
  for (int k = 0; k < circuits.cols(); ++k) {
    int first = -1;
    for (SparseColumns::InnerIterator entry(circuits, k); entry; ++entry) {
      if (std::abs(entry.value()) <= part_threshold) continue;
      if (first >= 0) partition.join(first, owner[entry.row()]);
      first = owner[entry.row()];
    }
    excess[first] -= 1;
  }
  return partition.groups(excess);
}

/// All smallest sets of blocks that carry a self-stress: from the whole group, blocks are taken away as long as one is
/// left.
struct MinimalSets {
  const GroupStress& stress;
  std::set<std::vector<int>> visited = {}, found = {};
  bool complete = true;
  double work = 0;  // pairs of blocks looked at

  std::vector<int> others(const std::vector<int>& blocks) const {
    std::vector<int> rest;
    for (int b = 0; b < static_cast<int>(stress.blocks.size()); ++b) {
      if (!std::binary_search(blocks.begin(), blocks.end(), b)) rest.push_back(b);
    }
    return rest;
  }

  void visit(const std::vector<int>& blocks) {
    work += static_cast<double>(blocks.size()) * static_cast<double>(stress.blocks.size());
    if (visited.size() >= most_visits || found.size() >= most_minimal || work > most_work) {
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

/// What the blocks of one joint carry, in the same self-stresses each.
using Carried = std::function<std::vector<Matrix>(const std::vector<int>& blocks)>;

/// What each joint carries.
/// "y and z forces" and "y and z moments" are "y and z forces and moments".
void add_words(const std::string& forces, const std::string& moments, std::vector<std::string>& words) {
  const std::string force = "force", moment = "moment";
  const std::size_t noun = forces.find(force);
  if (noun != std::string::npos && !moments.empty()) {
    const bool several = forces.substr(noun + force.size()).starts_with('s');
    const std::string before = forces.substr(0, noun), after = forces.substr(noun + force.size() + several);
    const std::string ending = several ? "s" : "";
    if (moments == before + moment + ending + after) {
      words.push_back(before + force + ending + " and " + moment + ending + after);
      return;
    }
  }
  for (const std::string& each : {forces, moments}) {
    if (!each.empty()) words.push_back(each);
  }
}

std::vector<SharedLoad> loads_of(const DirectionWords& in_words, const std::vector<StressBlock>& of,
                                 const std::vector<int>& blocks, const Carried& carried) {
  struct Parts {
    int joint = -1;
    bool effort = false;
    Matrix forces, moments;
  };
  std::map<std::string, std::vector<int>> blocks_by_name;
  for (int b : blocks) blocks_by_name[of[b].name].push_back(b);
  std::map<std::string, Parts> by_name;
  for (const auto& [name, own] : blocks_by_name) {
    const std::vector<Matrix> each = carried(own);
    Parts& parts = by_name[name];
    for (std::size_t k = 0; k < own.size(); ++k) {
      const StressBlock& block = of[own[k]];
      const Matrix& part = each[k];
      parts.joint = block.joint;
      if (part.size() == 0 || part.cwiseAbs().maxCoeff() < part_threshold) continue;
      if (block.kind == StressBlock::Kind::effort) {
        parts.effort = true;
        continue;
      }
      Matrix& sum = block.kind == StressBlock::Kind::force ? parts.forces : parts.moments;
      if (sum.size() == 0) sum = Matrix::Zero(3, part.cols());
      sum += block.directions * part;
    }
  }
  std::vector<SharedLoad> loads;
  for (const auto& [name, parts] : by_name) {
    SharedLoad load;
    load.joint = name, load.effort = parts.effort;
    load.forces = parts.forces.size() > 0 ? range_of(parts.forces, part_threshold) : Matrix(3, 0);
    load.moments = parts.moments.size() > 0 ? range_of(parts.moments, part_threshold) : Matrix(3, 0);
    std::vector<std::string> words;
    if (load.effort) words.emplace_back("effort");
    add_words(load.forces.cols() > 0 ? in_words(parts.joint, load.forces, "force") : "",
              load.moments.cols() > 0 ? in_words(parts.joint, load.moments, "moment") : "", words);
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
  return fmt::format("over-constrained by {}: {}", excess, subject(loads));
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
  const std::vector<int> all = numbers_up_to(static_cast<std::size_t>(stress.dimension()));
  std::vector<Matrix> outside;
  int rows = 0;
  for (const StressBlock& block : stress.blocks) {
    if (wanted.contains({block.name, static_cast<int>(block.kind)})) continue;
    outside.push_back(stress.carried(block, all));
    rows += block.size;
  }
  Matrix stacked(rows, stress.dimension());
  rows = 0;
  for (const Matrix& part : outside) {
    stacked.middleRows(rows, part.rows()) = part;
    rows += static_cast<int>(part.rows());
  }
  return static_cast<int>(null_space_of(stacked, part_threshold).cols());
}

/// Smallest sets of blocks of a group that can be in self-stress by themselves.
void find_minimal(const DirectionWords& in_words, const GroupStress& own, DependentGroup& group) {
  const std::vector<int> all = numbers_up_to(own.blocks.size());
  MinimalSets sets{own};
  sets.visit(all);
  group.all_minimal = sets.complete;
  for (const std::vector<int>& minimal : sets.found) {
    if (minimal == all) continue;  // nothing smaller than the group itself
    const Matrix coefficients = vanishing_on(own, sets.others(minimal));
    MinimalGroup entry;
    entry.loads = loads_of(in_words, own.blocks, minimal, [&](const std::vector<int>& blocks) {
      std::vector<Matrix> parts;
      for (int b : blocks) parts.emplace_back(rows_of(own, {b}) * coefficients);
      return parts;
    });
    entry.sentence = sentence_of(entry.loads, static_cast<int>(coefficients.cols())) + " alone";
    group.minimal.push_back(std::move(entry));
  }
  std::sort(group.minimal.begin(), group.minimal.end(), [](const MinimalGroup& a, const MinimalGroup& b) {
    return a.loads.size() != b.loads.size() ? a.loads.size() < b.loads.size() : names(a.loads) < names(b.loads);
  });
}

}  // namespace

std::string DependentGroup::here_only() const {
  if (only_here == 0) return "";
  return only_here == excess ? " (at this position only)"
                             : fmt::format(" ({} of the {} at this position only)", only_here, excess);
}

std::vector<DependentGroup> find_dependent_groups(const System& system, const SelfStress& stress,
                                                  const SelfStress* beside) {
  std::vector<DependentGroup> groups;
  if (stress.dimension() == 0) return groups;
  const DirectionWords in_words(system);
  for (const auto& [blocks, excess] : connected(stress)) {
    DependentGroup group;
    group.excess = excess;
    if (group.excess <= 0) continue;
    if (beside) group.only_here = std::max(0, group.excess - dimension_on(*beside, stress, blocks));
    group.loads = loads_of(in_words, stress.blocks, blocks, [&stress](const std::vector<int>& own) {
      std::vector<int> states;
      for (int b : own) stress.add_states({&stress.blocks[b], 1}, states);
      std::vector<Matrix> parts;
      for (int b : own) parts.push_back(stress.carried(stress.blocks[b], states));
      return parts;
    });
    group.sentence = sentence_of(group.loads, group.excess);
    group.all_minimal = group.excess <= largest_excess;
    if (group.excess > 1 && group.all_minimal) find_minimal(in_words, restricted(stress, blocks, group.excess), group);
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(),
            [](const DependentGroup& a, const DependentGroup& b) { return names(a.loads) < names(b.loads); });
  return groups;
}

}  // namespace bricard
