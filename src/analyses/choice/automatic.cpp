#include "analyses/choice/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "analyses/choice/start_traits.h"
#include "analyses/linear/stiffness.h"
#include "coordinates/spanning_tree.h"
#include "dynamics/dynamics.h"
#include "model/counted.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

// Small models stay with the coordinates that every formulation takes.
constexpr int smallest_tree = 10;

// --- friction ---

/// The first joint whose friction turns around within a small rate, or null.
const Joint* joint_with_rough_friction(const Model& model) {
  for (const Joint& joint : model.joints) {
    if (joint.friction.law == Friction::Law::coulomb || joint.friction.law == Friction::Law::dahl) return &joint;
  }
  return nullptr;
}

std::string friction_text(const Joint& joint) {
  return fmt::format("the {} friction of joint {}", joint.friction.law == Friction::Law::dahl ? "Dahl" : "Coulomb",
                     joint.name);
}

/// BDF steps over a reversal of Coulomb friction that its error test cannot see.
bool reversal_is_finer_than(double tolerance, const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return joint.friction.law == Friction::Law::coulomb && joint.friction.smoothing < 100 * tolerance;
  });
}

// --- stiffness ---

// Evaluations over a run of length T, from what integrators were seen to need: accuracy asks an explicit method for
// about 6 steps a radian of the motion's fastest lasting rate at a tolerance of 1e-6, more as the fifth root of it, and
// BDF for 8 times as many; stability asks an explicit method for |lambda| h < 3.3.
struct Cost {
  double explicit_method, bdf;
};

Cost cost(const Stiffness& rates, double pace, double jacobian, double tolerance, double duration) {
  const double lasting = std::max({pace, rates.swinging, rates.lasting});
  const double accurate_steps = 50 + 6 * std::pow(1e-6 / tolerance, 0.2) * lasting * duration;
  const double stable_steps = rates.damped * duration / 3.3;
  // A Jacobian every twenty steps or so.
  return {7 * std::max(accurate_steps, stable_steps), 8 * accurate_steps * (2 + jacobian / 20)};
}

// --- tight tolerances ---

// Evaluations for an error of 1e-10 m in the positions of bodies:
//               four-bar  five-bar  double-pendulum  mcpherson  bennett  spinning-top  slider-crank-long-rod
//   dopri5         18632      1373             3667        174     1120         24802                   1609
//   verner6        11857       845             2340        210     1189         20936                   1449
//   dop853          7198       416              967        119      439          7362                    783
// and at 1e-9 dop853 needs 45 % of the evaluations of dopri5, verner6 86 % (geometric means; 38 % and 82 % here).
// States of other formulations hold no velocities, or not all: dense output between the long steps of dop853 is less
// accurate for them than its steps.
const char* high_order(const Method& method) {
  const FormulationType* formulation = find_formulation_type(method.formulation);
  return formulation && formulation->state != State::full ? "verner6" : "dop853";
}

}  // namespace

std::string redundancy(const Structure& s) {
  const int count = s.constraints - s.rank;
  return fmt::format("{} of the {} constraints {} implied by the others (for example {}, {})", count, s.constraints,
                     count == 1 ? "is" : "are", s.redundant.front().joint, s.redundant.front().equation);
}

ModelTraits model_traits(const Model& model) {
  // Bodies and the ground (the last one) as sets that joints unite; a joint within a set closes a loop.
  std::vector<int> parent(model.bodies.size() + 1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int body) {
    int k = body == ground ? static_cast<int>(model.bodies.size()) : body;
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  ModelTraits traits{.planar = model.planar(), .bodies = static_cast<int>(model.bodies.size())};
  traits.cost = evaluation_cost(model);
  const SpanningTree tree = choose_tree(model);
  const auto has_inertia = [&](const Body& body) {
    return body.mass > 0 && (model.planar() ? body.inertia(2, 2) > 0 : body.inertia.llt().info() == Eigen::Success);
  };
  const auto is_plain = [](const Joint& joint) {
    return !type_of(joint).general_rows && joint.friction.law == Friction::Law::none;
  };
  traits.joints_alone = model.motions.empty() && model.forces.empty() &&
                        std::all_of(model.bodies.begin(), model.bodies.end(), has_inertia) &&
                        std::all_of(model.joints.begin(), model.joints.end(), is_plain);
  traits.tree_takes_all = std::find(tree.in_tree.begin(), tree.in_tree.end(), false) == tree.in_tree.end();
  for (const Joint& joint : model.joints) {
    const int i = root(joint.i), j = root(joint.j);
    if (i == j) ++traits.loops;  // gears and constraints by expressions, which join no bodies, close something too
    parent[i] = j;
  }
  return traits;
}

Choice automatic_coordinates(const ModelTraits& traits, const FormulationType* formulation,
                             const std::string& dynamics) {
  if (formulation && formulation->traits.tree_only)
    return {"relative", fmt::format("{} needs the coordinates of a tree", formulation->name)};
  if (formulation && formulation->traits.rates_only && !traits.planar)
    return {"euler-zxz", fmt::format("{} needs coordinates whose velocities are their rates", formulation->name)};
  if (!formulation && dynamics == "tree") return {"relative", "dynamics over a tree need its coordinates"};
  if (!formulation && dynamics == "bodies") return {"reference-point", "dynamics of bodies need their coordinates"};
  const bool tree_is_cheaper =
      traits.cost.tree < traits.cost.graph && traits.bodies >= smallest_tree && dynamics != "whole";
  if (traits.loops > 0) {
    const std::string loops = counted(static_cast<std::size_t>(traits.loops), "loop", "loops");
    if (!formulation && tree_is_cheaper && traits.joints_alone)
      return {"relative",
              fmt::format("the joints close {}, and recursion over a tree of the bodies is cheapest", loops)};
    return {"reference-point", fmt::format("the joints close {}", loops)};
  }
  if (!formulation && traits.tree_takes_all && tree_is_cheaper)
    return {"relative", fmt::format("the {} bodies form an open tree", traits.bodies)};
  return {"reference-point", "it describes any tree of bodies"};
}

Choice automatic_formulation(const System& system, const Structure& s, const StartTraits& start, const Method& method) {
  const Model& model = system.model();
  const std::string& dynamics = method.dynamics;
  const std::string bodies = counted(model.bodies.size(), "body", "bodies");
  const bool singular = s.constraints > 0 && (start.is_singular_position(s) || start.is_near_singular_position());
  if (dynamics == "tree") return {"recursive", "dynamics over a tree have its equations"};
  if (dynamics == "bodies" && (singular || s.rank < s.constraints)) {
    return {"lagrange-proximal", s.rank < s.constraints ? redundancy(s) : "the start is near a singular position"};
  }
  if (system.coordinates().spanning_tree() && !s.mass_is_singular && !singular && model.bodies.size() >= smallest_tree)
    return {"recursive", fmt::format("its cost is linear in the {} bodies of the tree", model.bodies.size())};
  if (start.is_singular_position(s)) {
    return {"nullspace-svd",
            fmt::format("the start is a singular position (rank {} of the constraints, {} beside it), where the least "
                        "constraint decides the way",
                        s.rank, start.rank_beside)};
  }
  if (s.rank < s.constraints) {
    const bool has_graph =
        dynamics != "whole" && find_dynamics_type("bodies")->misfit(system, s.constraints - s.rank).empty();
    if (!start.is_near_singular_position() && has_graph) {
      const IntegratorType* integrator = find_integrator_type(method.integrator);
      const bool over_graph = !integrator || !(integrator->implicit || integrator->create_for);
      return {"lagrange-proximal",
              redundancy(s) + (over_graph ? fmt::format(", and its cost is linear in the {}", bodies)
                                          : std::string(" and it needs no decision on their rank"))};
    }
    if (s.coordinates > largest_dense_start && find_formulation_type("augmented-lagrangian"))
      return {"augmented-lagrangian", redundancy(s) + fmt::format(" and its matrix is sparse ({})", bodies)};
    return {"nullspace-svd",
            redundancy(s) + (start.is_near_singular_position() ? " and the start is near a singular position" : "")};
  }
  if (start.is_near_singular_position()) {
    return {"nullspace-svd", fmt::format("the start is near a singular position (singular values of the constraints "
                                         "down to {:.0e} of the largest)",
                                         start.singular_value)};
  }
  std::string reason = s.constraints == 0 ? "there are no constraints" : "the constraints are independent";
  if (s.mass_is_singular) {
    reason += fmt::format(" and it needs no inverse of the mass matrix, which is singular{}",
                          s.massless.empty() ? "" : " (" + s.massless.front() + ")");
  }
  return {"lagrange", reason};
}

Choice automatic_stabilization(const Structure& s, const StartTraits& start, const FormulationType& formulation,
                               const IntegratorType& integrator) {
  if (integrator.create_for) return {"none", fmt::format("{} satisfies the constraints itself", integrator.name)};
  if (!formulation.traits.corrections)
    return {"none", fmt::format("{} satisfies the constraints itself", formulation.name)};
  if (s.constraints == 0) return {"none", "there are no constraints"};
  std::string reason = "it keeps every constraint to round-off at any tolerance";
  if (start.is_singular_position(s) || start.is_near_singular_position())
    reason += " and the branch at singular positions";
  return {"projection", reason};
}

Choice automatic_integrator(const Model& model, const Structure& s, const StartTraits& start, const Method& method) {
  const double tolerance = method.tolerance, duration = method.duration;
  Stiffness rates = stiffness(start.eigenvalues, duration);
  rates.damped = std::max(rates.damped, stiffness(start.moving_eigenvalues, duration).damped);
  const double pace = std::max(start.pace, 1 / duration);
  // Exact Jacobians (system/tangent.h) cost about as much as an evaluation, differences one for each state.
  const bool exact = method.coordinates == "reference-point" && joint_with_rough_friction(model) == nullptr;
  const Cost evaluations = cost(rates, pace, exact ? 1 : s.positions + s.coordinates, tolerance, duration);
  const Joint* rough = joint_with_rough_friction(model);
  const bool stiff = evaluations.explicit_method > 2 * evaluations.bdf;
  if (stiff && !reversal_is_finer_than(tolerance, model)) {
    return {"bdf", fmt::format("{} makes it stiff (rates of about {:.0e}/s, which an explicit method would have to "
                               "follow, in a motion of about {:.2g}/s)",
                               rough ? friction_text(*rough) : "damping", rates.damped,
                               std::max({pace, rates.swinging, rates.lasting}))};
  }
  const bool tight = tolerance < 1e-8;
  if (rough) {
    std::string reason = friction_text(*rough);
    if (stiff) {
      reason += " turns around within a rate that bdf would not see at this tolerance";
    } else {
      reason += tight ? " is not smooth enough for a higher order" : " is not smooth";
      reason += " (bdf is faster where it sticks)";
    }
    return {"dopri5", reason};
  }
  Choice choice = tight ? Choice{high_order(method), "a tight tolerance pays for a higher order"}
                        : Choice{"dopri5", "it is efficient at this tolerance"};
  if (rates.swinging > 30 * pace) {
    choice.reason +=
        fmt::format(" and has to follow stiff springs (about {:.2g} Hz)", rates.swinging / (2 * std::numbers::pi));
  }
  return choice;
}

}  // namespace bricard
