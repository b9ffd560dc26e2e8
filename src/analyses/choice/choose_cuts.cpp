#include "analyses/choice/choose_cuts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyses/assembly/assembly.h"
#include "bricard/input_error.h"
#include "coordinates/spanning_tree.h"
#include "formulations/dense_equations.h"
#include "linear/dense/dense.h"
#include "selections/projective.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

/// Below this part of its largest eigenvalue M is singular.
constexpr double singular_mass = 1e-10;
/// Values that differ less are the same.
constexpr double equal_values = 0.01;

/// The joints that the tree of this model leaves out although it could hold them.
std::vector<int> cuts_of(const Model& model, const SpanningTree& tree) {
  std::vector<int> cuts;
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    if (!tree.in_tree[k] && may_be_in_tree(model.joints[k]) && tree_links(model, model.joints[k], false))
      cuts.push_back(k);
  }
  return cuts;
}

int floating_bodies(const SpanningTree& tree) {
  return static_cast<int>(
      std::count_if(tree.edges.begin(), tree.edges.end(), [](const TreeEdge& edge) { return edge.joint < 0; }));
}

/// The model with these joints cut as well.
std::shared_ptr<const Model> cut_at(const Model& model, const std::vector<int>& joints) {
  auto cut = std::make_shared<Model>(model);
  for (const int joint : joints) cut->joints[joint].cut = true;
  return cut;
}

/// Joints on the way from a body to the root of its tree.
std::vector<int> way_to_root(const SpanningTree& tree, int body) {
  std::vector<int> joints;
  while (body != ground) {
    const auto edge =
        std::find_if(tree.edges.begin(), tree.edges.end(), [&](const TreeEdge& e) { return e.body == body; });
    if (edge->joint >= 0) joints.push_back(edge->joint);
    body = edge->parent;
  }
  return joints;
}

std::vector<int> loop_of(const Model& model, const SpanningTree& tree, int cut) {
  std::vector<int> loop = {cut};
  const std::vector<int> one = way_to_root(tree, model.joints[cut].i), other = way_to_root(tree, model.joints[cut].j);
  const auto common = [](const std::vector<int>& way, int joint) {
    return std::find(way.begin(), way.end(), joint) != way.end();
  };
  for (const int joint : one) {
    if (!common(other, joint)) loop.push_back(joint);
  }
  for (const int joint : other) {
    if (!common(one, joint)) loop.push_back(joint);
  }
  return loop;
}

/// The value of the tree of a model at its start.
CutValue value_of(const std::shared_ptr<const Model>& model, int joint, unsigned seed) {
  CutValue value{joint, -1, 0};
  const CoordinatesType& relative = *find_coordinates_type("relative");
  const Assembly start = assemble(model, relative, seed);
  if (!start.ok) return value;
  System system(model, relative);
  start_at(system, start);
  if (!system.has_mass_matrix()) return value;
  Equations eq = system.empty_equations();
  system.evaluate(0, start.q, start.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  const FormulationOptions options{.typical_inertia = typical_inertia(system)};
  DenseEquations dense(eq, options);
  dense.set_matrices(eq);
  const Vector inertias = symmetric_eigenpairs_of(dense.M).values;
  if (!(inertias.minCoeff() > singular_mass * inertias.maxCoeff())) return value;
  value.condition = inertias.maxCoeff() / inertias.minCoeff();
  Eigen::ColPivHouseholderQR<Matrix> rows(dense.P.transpose());
  rows.setThreshold(dense.threshold);
  Matrix P(rows.rank(), dense.velocities());
  for (Eigen::Index k = 0; k < P.rows(); ++k) P.row(k) = dense.P.row(rows.colsPermutation().indices()[k]);
  value.projective = best_projective_product(P, dense.M);
  return value;
}

const CutValue& best_of(const std::vector<CutValue>& values) {
  const auto smaller = [](const CutValue& a, const CutValue& b) { return a.projective < b.projective; };
  const CutValue* best = &*std::max_element(values.begin(), values.end(), smaller);
  const double least = (1 - equal_values) * best->projective;
  for (const CutValue& value : values) {
    if (value.projective >= least && value.condition < best->condition) best = &value;
  }
  return *best;
}

}  // namespace

std::vector<CutValue> cut_values(const std::shared_ptr<const Model>& model, int cut, unsigned seed) {
  const SpanningTree tree = choose_tree(*model);
  std::vector<int> others = cuts_of(*model, tree);
  others.erase(std::remove(others.begin(), others.end(), cut), others.end());
  std::vector<CutValue> values;
  for (const int joint : loop_of(*model, tree, cut)) {
    others.push_back(joint);
    const auto candidate = cut_at(*model, others);
    others.pop_back();
    const bool spans = floating_bodies(choose_tree(*candidate)) == floating_bodies(tree);
    values.push_back(spans ? value_of(candidate, joint, seed) : CutValue{joint, -1, 0});
  }
  return values;
}

std::shared_ptr<const Model> choose_cuts(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates,
                                         unsigned seed, std::string& message) {
  if (coordinates.name != std::string("relative")) {
    throw InputError(fmt::format("cut 'projective' is for coordinates 'relative', which open loops, not for '{}'",
                                 coordinates.name));
  }
  std::vector<int> cuts = cuts_of(*model, choose_tree(*model));
  std::vector<std::string> words;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    // The other loops are cut as found so far; this one where the tree of that model closes it.
    std::vector<int> others = cuts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const auto opened = cut_at(*model, others);
    const std::vector<int> closing = cuts_of(*opened, choose_tree(*opened));
    if (closing.size() != 1) continue;
    const CutValue best = best_of(cut_values(opened, closing.front(), seed));
    if (best.projective < 0) continue;
    cuts[k] = best.joint;
    words.push_back(fmt::format("{} (cos^2 {:.4f})", model->joints[best.joint].name, best.projective));
  }
  if (words.empty()) throw InputError("cut 'projective': there is no loop whose cut could be chosen");
  message = fmt::format("loops are cut by the projective criterion at {}", fmt::join(words, ", "));
  return cut_at(*model, cuts);
}

}  // namespace bricard
