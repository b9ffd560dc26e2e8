#include "dynamics/closing/closing_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <queue>

namespace bricard {
namespace {

using Kind = ClosingStep::Kind;

/// Axes are one within rounding of what a file says.
constexpr double parallel = 1e-9;

bool is_parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < parallel; }
bool is_across(const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) < parallel; }

/// All turn, about axes through one point.
bool meet_in_a_point(const std::vector<const LoopEdge*>& axes) {
  // The point nearest to all axes: sum (1 - u u^T) (x - at) = 0.
  Mat3 across = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  double size = 0;
  for (const LoopEdge* axis : axes) {
    if (axis->slides) return false;
    const Mat3 A = Mat3::Identity() - axis->direction * axis->direction.transpose();
    across += A, right += A * (axis->at_from - axes.front()->at_from);
    size = std::max(size, (axis->at_from - axes.front()->at_from).norm());
  }
  if (std::abs(across.determinant()) < parallel) return false;  // parallel axes
  const Vec3 center = axes.front()->at_from + across.inverse() * right;
  return std::all_of(axes.begin(), axes.end(), [&](const LoopEdge* axis) {
    return (center - axis->at_from).cross(axis->direction).norm() < parallel * std::max(size, center.norm());
  });
}

}  // namespace

ClosingPlan::ClosingPlan(const LoopGraph& graph, const std::vector<int>& independent)
    : graph_(&graph),
      known_(graph.edges.size(), false),
      relation_used_(graph.relations.size(), false),
      pair_used_(graph.pairs.size(), false),
      cluster_(graph.nodes) {
  problem = graph.problem;
  if (!ok()) return;
  std::iota(cluster_.begin(), cluster_.end(), 0);
  for (const int coordinate : independent) learn(graph.edge_of_coordinate[coordinate], false);
  while (ok() && (take_relation() || take_pair() || take_cycle())) continue;
  if (!ok()) return;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (!known_[e] && std::find(left_over.begin(), left_over.end(), graph.edges[e].name) == left_over.end())
      left_over.push_back(graph.edges[e].name);
  }
  if (!left_over.empty()) {
    problem = fmt::format(
        "{} {}: no loop is left that has three unknown freedoms and closes in a plane, about a point, "
        "or that a link with balls at both ends closes: there is no closed form",
        left_over.size() == 1 ? "joint" : "joints", fmt::join(left_over, ", "));
  }
}

int ClosingPlan::cluster(int node) const { return cluster_[node]; }

void ClosingPlan::over_determine(const std::string& name) {
  problem = fmt::format(
      "joint {} is given twice: a loop through it has fewer unknown freedoms than conditions "
      "(redundant constraints, or more independent coordinates in it than it has freedoms)",
      name);
}

/// `closes`: the edge is the one that closes the loop from which it is known.
void ClosingPlan::learn(int edge, bool closes) {
  if (known_[edge]) return over_determine(graph_->edges[edge].name);
  known_[edge] = true;
  const int kept = cluster(graph_->edges[edge].from), gone = cluster(graph_->edges[edge].to);
  if (kept == gone && !closes) return over_determine(graph_->edges[edge].name);
  std::replace(cluster_.begin(), cluster_.end(), gone, kept);
}

void ClosingPlan::solve(ClosingStep step) {
  const bool is_cycle = step.index < 0;
  for (std::size_t k = 0; k < step.unknowns.size(); ++k)
    learn(step.way[step.unknowns[k]].edge, is_cycle && k + 1 == step.unknowns.size());
  steps.push_back(std::move(step));
}

bool ClosingPlan::take_relation() {
  for (std::size_t r = 0; r < graph_->relations.size(); ++r) {
    if (relation_used_[r]) continue;
    std::vector<int> unknown;
    for (const auto& [edge, factor] : graph_->relations[r].terms) {
      if (!known_[edge]) unknown.push_back(edge);
    }
    if (unknown.size() > 1) continue;
    relation_used_[r] = true;
    if (unknown.empty()) {
      over_determine(graph_->relations[r].name);
      return false;
    }
    steps.push_back({.kind = ClosingStep::Kind::relation, .index = static_cast<int>(r), .unknown = unknown.front()});
    learn(unknown.front(), false);
    return true;
  }
  return false;
}

bool ClosingPlan::take_pair() {
  for (std::size_t p = 0; p < graph_->pairs.size(); ++p) {
    if (pair_used_[p]) continue;
    const PointPair& pair = graph_->pairs[p];
    const int needed = pair.length > 0 ? 1 : 3;
    bool taken = false;
    for (int count = 0; count <= needed && ok() && !taken; ++count) {
      for (const bool reversed : {false, true}) {
        const int from = reversed ? pair.to : pair.from, to = reversed ? pair.from : pair.to;
        std::vector<LoopStep> path;
        taken = taken || each_path(from, to, count, path, [&](const std::vector<LoopStep>& unknown) {
                  if (count < needed) {
                    over_determine(pair.name);
                    return true;
                  }
                  ClosingStep step{.kind = count == 1 ? ClosingStep::Kind::rod : ClosingStep::Kind::ball,
                                   .index = static_cast<int>(p),
                                   .way = complete(from, unknown, to),
                                   .reversed = reversed};
                  if (!classify(step)) return false;
                  solve(std::move(step));
                  return true;
                });
      }
    }
    if (!ok()) return false;
    if (taken) {
      pair_used_[p] = true;
      return true;
    }
  }
  return false;
}

bool ClosingPlan::take_cycle() {
  for (int e = 0; e < static_cast<int>(graph_->edges.size()); ++e) {
    if (known_[e]) continue;
    const LoopEdge& edge = graph_->edges[e];
    for (const int others : {0, 1, 2}) {
      std::vector<LoopStep> path = {{e, 1}};
      const bool taken = each_path(edge.to, edge.from, others, path, [&](const std::vector<LoopStep>& unknown) {
        if (others < 2) {
          over_determine(edge.name);
          return true;
        }
        ClosingStep step{.kind = ClosingStep::Kind::planar, .way = complete(edge.from, unknown, edge.from)};
        if (!classify(step)) return false;
        solve(std::move(step));
        return true;
      });
      if (taken) return ok();
    }
  }
  return false;
}

template <class Take>
bool ClosingPlan::each_path(int from, int to, int count, std::vector<LoopStep>& path, const Take& take) const {
  if (count == 0) return cluster(from) == cluster(to) && take(path);
  for (int e = 0; e < static_cast<int>(graph_->edges.size()); ++e) {
    if (known_[e] || std::any_of(path.begin(), path.end(), [&](const LoopStep& s) { return s.edge == e; })) continue;
    const LoopEdge& edge = graph_->edges[e];
    for (const double sign : {1.0, -1.0}) {
      const int near = sign > 0 ? edge.from : edge.to, far = sign > 0 ? edge.to : edge.from;
      if (cluster(near) != cluster(from) || cluster(far) == cluster(from)) continue;
      // A body is passed once: the end is reached by the last edge only.
      if (count > 1 && cluster(far) == cluster(to)) continue;
      path.push_back({e, sign});
      const bool done = each_path(far, to, count - 1, path, take);
      path.pop_back();
      if (done) return true;
    }
  }
  return false;
}

/// The whole way: through known edges from one unknown edge to the next.
std::vector<LoopStep> ClosingPlan::complete(int from, const std::vector<LoopStep>& unknown, int to) const {
  std::vector<LoopStep> way;
  int at = from;
  for (const LoopStep& step : unknown) {
    const LoopEdge& edge = graph_->edges[step.edge];
    append_known(at, step.sign > 0 ? edge.from : edge.to, way);
    way.push_back(step);
    at = step.sign > 0 ? edge.to : edge.from;
  }
  append_known(at, to, way);
  return way;
}

void ClosingPlan::append_known(int from, int to, std::vector<LoopStep>& way) const {
  std::vector<LoopStep> by(graph_->nodes, {-1, 0});
  std::queue<int> waiting;
  waiting.push(to);  // backwards, so that the steps come out in order
  std::vector<bool> seen(graph_->nodes, false);
  seen[to] = true;
  while (!waiting.empty() && !seen[from]) {
    const int node = waiting.front();
    waiting.pop();
    for (int e = 0; e < static_cast<int>(graph_->edges.size()); ++e) {
      if (!known_[e]) continue;
      const LoopEdge& edge = graph_->edges[e];
      for (const double sign : {1.0, -1.0}) {
        const int near = sign > 0 ? edge.from : edge.to, far = sign > 0 ? edge.to : edge.from;
        if (far != node || seen[near]) continue;
        seen[near] = true;
        by[near] = {e, sign};
        waiting.push(near);
      }
    }
  }
  for (int node = from; node != to;) {
    way.push_back(by[node]);
    const LoopEdge& edge = graph_->edges[by[node].edge];
    node = by[node].sign > 0 ? edge.to : edge.from;
  }
}

/// Finds the places of the unknown edges, and how the loop closes; false: not in a way that is known.
bool ClosingPlan::classify(ClosingStep& step) const {
  for (std::size_t k = 0; k < step.way.size(); ++k) {
    if (!known_[step.way[k].edge]) step.unknowns.push_back(static_cast<int>(k));
  }
  const auto edge = [&](const LoopStep& s) -> const LoopEdge& { return graph_->edges[s.edge]; };
  const auto all = [&](const auto& test) {
    return std::all_of(step.way.begin(), step.way.end(), [&](const LoopStep& s) { return test(edge(s)); });
  };
  if (step.kind == Kind::rod) return true;
  if (step.kind == Kind::ball) {
    // Next to the ball two turns that cross: a universal joint, or what is like one.
    const LoopEdge &second = edge(step.way[step.unknowns[1]]), &third = edge(step.way[step.unknowns[2]]);
    return step.unknowns[1] + 1 == step.unknowns[2] && step.unknowns[2] + 1 == static_cast<int>(step.way.size()) &&
           !second.slides && !third.slides && (second.at_from - third.at_from).norm() == 0 &&
           is_across(second.direction, third.direction);
  }
  const auto turns = std::find_if(step.way.begin(), step.way.end(), [&](const LoopStep& s) { return !edge(s).slides; });
  if (turns == step.way.end()) return false;  // slides alone do not close
  step.axis = edge(*turns).direction;
  if (all([&](const LoopEdge& e) {
        return e.slides ? is_across(e.direction, step.axis) : is_parallel(e.direction, step.axis);
      })) {
    step.kind = Kind::planar;
    return std::any_of(step.unknowns.begin(), step.unknowns.end(), [&](int k) { return !edge(step.way[k]).slides; });
  }
  std::vector<const LoopEdge*> axes;
  for (const LoopStep& s : step.way) axes.push_back(&edge(s));
  if (!meet_in_a_point(axes)) return false;
  step.kind = Kind::spherical;
  return true;
}

}  // namespace bricard
