#include "dynamics/closing/closing_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bricard {

ClosingConditions::ClosingConditions(const System& system, const LoopGraph& graph, std::vector<int> independent)
    : system_(system),
      graph_(graph),
      independent_(std::move(independent)),
      plan_(graph, independent_),
      length_(system.model().characteristic_length()),
      x_(graph.edges.size(), 0),
      near_(graph.edges.size(), 0),
      rates_(graph.edges.size(), 0),
      laws_(graph.relations.size()) {
  if (!problem().empty()) return;
  const auto edges = static_cast<Eigen::Index>(graph.edges.size()),
             n = static_cast<Eigen::Index>(system.velocity_size());
  const auto F = static_cast<Eigen::Index>(independent_.size());
  for (int k = 0; k < n; ++k) {
    if (!std::binary_search(independent_.begin(), independent_.end(), k)) dependent_.push_back(k);
  }
  for (const ClosingStep& step : plan_.steps) {
    loop_of_step_.push_back(step.kind == ClosingStep::Kind::relation ? -1 : static_cast<int>(loops_.size()));
    if (loop_of_step_.back() >= 0) loops_.emplace_back(graph, step);
  }
  G_.setZero(edges, F), eta_.setZero(edges), xi_.setZero(edges);
  DT_.setZero(n, F), eta_q_.setZero(n), xi_q_.setZero(n);
  for (Eigen::Index k = 0; k < F; ++k) G_(graph.edge_of_coordinate[independent_[k]], k) = 1;
}

std::string ClosingConditions::names_of(const ClosingStep& step) const {
  std::vector<std::string> names;
  for (const int k : step.unknowns) {
    const std::string& name = graph_.edges[step.way[k].edge].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Of all angles that are the same position, the one nearest to the last accepted.
void ClosingConditions::continue_angle(int edge) {
  constexpr double turn = 2 * std::numbers::pi;
  if (!graph_.edges[edge].slides) x_[edge] += turn * std::round((near_[edge] - x_[edge]) / turn);
}

bool ClosingConditions::solve(std::size_t s) {
  const ClosingStep& step = plan_.steps[s];
  if (loop_of_step_[s] < 0) {
    const LoopRelation& relation = graph_.relations[step.index];
    double rest = laws_[step.index].value, factor = 1;
    for (const auto& [edge, f] : relation.terms) {
      if (edge == step.unknown) {
        factor = f;
      } else {
        rest -= f * x_[edge];
      }
    }
    x_[step.unknown] = rest / factor;
    return true;
  }
  if (!loops_[loop_of_step_[s]].solve(x_)) {
    failure_ = fmt::format("the loop of joints {} cannot be closed for these independent coordinates", names_of(step));
    return false;
  }
  for (const int k : step.unknowns) continue_angle(step.way[k].edge);
  return true;
}

bool ClosingConditions::find_positions(double t, ConstVector q_I, VectorRef q) {
  for (std::size_t r = 0; r < laws_.size(); ++r) laws_[r] = graph_.relations[r].law.jet(t, system_.signals());
  for (std::size_t k = 0; k < independent_.size(); ++k)
    x_[graph_.edge_of_coordinate[independent_[k]]] = q_I[static_cast<Eigen::Index>(k)];
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    if (!solve(s)) return false;
  }
  for (Eigen::Index k = 0; k < q.size(); ++k) q[k] = x_[graph_.edge_of_coordinate[k]];
  return true;
}

/// The branch whose coordinates are nearest to those of the assembled position.
void ClosingConditions::take_nearest_branch(std::size_t s, ConstVector q) {
  ClosingLoop& loop = loops_[loop_of_step_[s]];
  int best = 0;
  double least = INFINITY;
  for (int branch = 0; branch < loop.branches(); ++branch) {
    loop.take_branch(branch);
    if (!solve(s)) continue;
    double distance = 0;
    for (const int k : plan_.steps[s].unknowns) {
      const int edge = plan_.steps[s].way[k].edge, coordinate = graph_.edges[edge].coordinate;
      if (coordinate < 0) continue;
      const double scale = graph_.edges[edge].slides ? length_ : 1;
      distance += std::abs(x_[edge] - q[coordinate]) / scale;
    }
    if (distance < least) least = distance, best = branch;
  }
  loop.take_branch(best);
}

bool ClosingConditions::begin(double t, ConstVector q) {
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const LoopEdge& edge = graph_.edges[e];
    near_[e] = edge.coordinate >= 0 ? q[edge.coordinate]
               : edge.signal >= 0   ? edge.signal_sign * system_.signals()[edge.signal].value
                                    : 0;
  }
  for (std::size_t r = 0; r < laws_.size(); ++r) laws_[r] = graph_.relations[r].law.jet(t, system_.signals());
  for (const int k : independent_) x_[graph_.edge_of_coordinate[k]] = q[k];
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    if (loop_of_step_[s] >= 0) take_nearest_branch(s, q);
    if (!solve(s)) return false;
  }
  for (const int k : dependent_) {
    const int edge = graph_.edge_of_coordinate[k];
    // Near a dead point the positions that fit lie as far apart as the root of rounding.
    if (!(std::abs(x_[edge] - q[k]) < 1e-6 * (graph_.edges[edge].slides ? length_ : 1))) {
      failure_ = fmt::format("joint {} is not where the closing conditions put it", graph_.edges[edge].name);
      return false;
    }
  }
  accept();
  return find_rates();
}

bool ClosingConditions::find_rates() {
  regularity_ = 1;
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    const ClosingStep& step = plan_.steps[s];
    if (loop_of_step_[s] < 0) {
      const LoopRelation& relation = graph_.relations[step.index];
      double factor = 1;
      G_.row(step.unknown).setZero();
      eta_[step.unknown] = laws_[step.index].rate;
      for (const auto& [edge, f] : relation.terms) {
        if (edge == step.unknown) {
          factor = f;
        } else {
          G_.row(step.unknown) -= f * G_.row(edge);
          eta_[step.unknown] -= f * eta_[edge];
        }
      }
      G_.row(step.unknown) /= factor;
      eta_[step.unknown] /= factor;
      continue;
    }
    ClosingLoop& loop = loops_[loop_of_step_[s]];
    const bool regular = loop.find_lines(x_);
    regularity_ = std::min(regularity_, loop.regularity());
    if (!regular) {
      failure_ = fmt::format("a dead point of the loop of joints {}: these independent coordinates do not move it",
                             names_of(step));
      return false;
    }
    for (std::size_t u = 0; u < step.unknowns.size(); ++u) {
      const int unknown = step.way[step.unknowns[u]].edge;
      G_.row(unknown).setZero();
      eta_[unknown] = 0;
      for (std::size_t k = 0; k < step.way.size(); ++k) {
        if (std::find(step.unknowns.begin(), step.unknowns.end(), static_cast<int>(k)) != step.unknowns.end()) continue;
        const double factor = loop.influence(k)[static_cast<Eigen::Index>(u)];
        G_.row(unknown) += factor * G_.row(step.way[k].edge);
        eta_[unknown] += factor * eta_[step.way[k].edge];
      }
    }
  }
  for (Eigen::Index k = 0; k < DT_.rows(); ++k) {
    DT_.row(k) = G_.row(graph_.edge_of_coordinate[k]);
    eta_q_[k] = eta_[graph_.edge_of_coordinate[k]];
  }
  return true;
}

void ClosingConditions::find_velocities(ConstVector v_I, VectorRef v) {
  for (std::size_t e = 0; e < rates_.size(); ++e)
    rates_[e] = G_.row(static_cast<Eigen::Index>(e)).dot(v_I) + eta_[static_cast<Eigen::Index>(e)];
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = rates_[graph_.edge_of_coordinate[k]];
}

void ClosingConditions::find_biases() {
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    const ClosingStep& step = plan_.steps[s];
    if (loop_of_step_[s] < 0) {
      double rest = laws_[step.index].acceleration, factor = 1;
      for (const auto& [edge, f] : graph_.relations[step.index].terms) {
        if (edge == step.unknown) {
          factor = f;
        } else {
          rest -= f * xi_[edge];
        }
      }
      xi_[step.unknown] = rest / factor;
      continue;
    }
    ClosingLoop& loop = loops_[loop_of_step_[s]];
    const Vec3 bias = loop.find_bias(rates_);
    for (std::size_t u = 0; u < step.unknowns.size(); ++u) {
      const auto component = static_cast<Eigen::Index>(u);
      double& xi = xi_[step.way[step.unknowns[u]].edge];
      xi = bias[component];
      for (std::size_t k = 0; k < step.way.size(); ++k) {
        if (std::find(step.unknowns.begin(), step.unknowns.end(), static_cast<int>(k)) == step.unknowns.end())
          xi += loop.influence(k)[component] * xi_[step.way[k].edge];
      }
    }
  }
  for (Eigen::Index k = 0; k < xi_q_.size(); ++k) xi_q_[k] = xi_[graph_.edge_of_coordinate[k]];
}

}  // namespace bricard
