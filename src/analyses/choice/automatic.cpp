#include "analyses/choice/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "analyses/choice/choose_state.h"
#include "analyses/choice/start_traits.h"
#include "analyses/linear/stiffness.h"
#include "coordinates/spanning_tree.h"
#include "dynamics/dynamics.h"
#include "model/counted.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

// Small planar models stay with the coordinates that every formulation takes: recursion saves them little. In space it
// takes 0.4 to 0.8 of the time of an evaluation over the graph of the joints from one body on.
int smallest_tree(bool planar) { return planar ? 10 : 1; }

// --- trees ---

bool has_inertia(const Model& model, const Body& body) {
  return body.mass > 0 && (model.planar() ? body.inertia(2, 2) > 0 : body.inertia.llt().info() == Eigen::Success);
}

/// A body by itself resists what its joint lets it do, so that recursion can divide by its inertia: a thin rod does on
/// a hinge across it.
bool resists(const Model& model, const TreeEdge& edge) {
  const Body& body = model.bodies[static_cast<std::size_t>(edge.body)];
  if (has_inertia(model, body)) return true;
  if (!(body.mass > 0) || model.planar() || edge.links.size() != 1) return false;
  const ElementaryLink& link = edge.links.front();
  if (link.kind == JointLink::Kind::slide) return true;
  if (link.kind != JointLink::Kind::turn) return false;
  const Mat3 turned =
      body.orientation.toRotationMatrix() * body.inertia * body.orientation.toRotationMatrix().transpose();
  const double arm = link.direction.cross(body.center - link.place).norm(), length = model.characteristic_length();
  return link.direction.dot(turned * link.direction) + body.mass * arm * arm > 1e-6 * body.mass * length * length;
}

/// Nothing that recursion over a tree with loops takes by rows of their own only, at a higher cost: drives, friction,
/// and cut joints that are not made of points and axes. No body that by itself resists nothing.
bool recursion_is_plain(const Model& model, const SpanningTree& tree) {
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const Joint& joint = model.joints[k];
    if (joint.friction.law != Friction::Law::none || (!tree.in_tree[k] && type_of(joint).general_rows)) return false;
  }
  return model.motions.empty() &&
         std::all_of(tree.edges.begin(), tree.edges.end(), [&](const TreeEdge& edge) { return resists(model, edge); });
}

bool has_gears(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& joint) { return type_of(joint).gear_mesh; });
}

/// Joints are coupled by a ratio, and accelerations do not depend on the state.
bool has_steady_couplings(const Model& model, const StartTraits& start, double pace) {
  const auto is_slow = [&](const std::complex<double>& rate) { return std::abs(rate) < 0.1 * pace; };
  return std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& joint) { return joint.joint_a >= 0; }) &&
         !start.eigenvalues.empty() && std::all_of(start.eigenvalues.begin(), start.eigenvalues.end(), is_slow);
}

/// There are wheels, and all of them hang on joints of the tree about which they turn.
bool has_wheels_on_axles(const Model& model, const SpanningTree& tree) {
  bool found = false;
  for (const Joint& joint : model.joints) {
    if (!type_of(joint).rolls) continue;
    found = true;
    const auto edge = std::find_if(tree.edges.begin(), tree.edges.end(),
                                   [&](const TreeEdge& candidate) { return candidate.body == joint.j; });
    if (edge == tree.edges.end() || edge->joint < 0) return false;
  }
  return found;
}

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

/// At larger ones, the error test of BDF does not see a reversal of Coulomb friction that it steps over.
double tolerance_for_reversals(const Model& model) {
  double largest = INFINITY;
  for (const Joint& joint : model.joints) {
    if (joint.friction.law == Friction::Law::coulomb) largest = std::min(largest, joint.friction.smoothing / 100);
  }
  return largest;
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

// --- no degrees of freedom ---

// What the work is integrated with; projection stays on its branch with far longer steps.
constexpr double tolerance_of_determined_steps = 1e-6;

/// The state is (q, v).
bool has_all_velocities(const Method& method) {
  const FormulationType* formulation = find_formulation_type(method.formulation);
  return !formulation || state_of(method, *formulation) == State::full;
}

bool is_determined(const Structure& s, const StartTraits& start, const Method& method) {
  const FormulationType* formulation = find_formulation_type(method.formulation);
  const bool projects =
      method.stabilization.empty() || method.stabilization == "auto" || method.stabilization == "projection";
  return s.coordinates > 0 && s.rank == s.coordinates && !start.is_near_singular_position() &&
         s.velocity_constraints == 0 && projects && has_all_velocities(method) &&
         (!formulation || formulation->traits.corrections);
}

bool model_has_no_states(const Model& model) {
  return std::none_of(model.joints.begin(), model.joints.end(),
                      [](const Joint& joint) { return joint.friction.law == Friction::Law::dahl; });
}

// --- orders ---

// Evaluations for an error of 1e-10 m in the positions of bodies:
//               four-bar  five-bar  double-pendulum  mcpherson  bennett  spinning-top  slider-crank-long-rod
//   dopri5         18632      1373             3667        174     1120         24802                   1609
//   verner6        11857       845             2340        210     1189         20936                   1449
//   dop853          7198       416              967        119      439          7362                    783
// and at 1e-9 dop853 needs 45 % of the evaluations of dopri5, verner6 86 % (geometric means; 38 % and 82 % here). At
// the errors that tolerances of 1e-4, 1e-6 and 1e-8 give, dopri5 takes 1.3, 1.7 and 2.3 times the time of dop853
// (medians of the shipped models, `make bench ARGUMENTS=--auto`). States of other formulations hold no velocities, or
// not all: dense output between the long steps of dop853 is less accurate for them than its steps.
Choice smooth_integrator(const Method& method) {
  const bool dense_output = has_all_velocities(method);
  constexpr double rounding = 1.001;  // 1e-4 may have been computed
  if (dense_output && method.tolerance <= 1e-4 * rounding) return {"dop853", "a higher order pays at this tolerance"};
  if (!dense_output && method.tolerance < 1e-8) return {"verner6", "a higher order pays at this tolerance"};
  return {"dopri5", "it is efficient at this tolerance"};
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
  traits.recursion_is_plain = recursion_is_plain(model, tree);
  traits.forces = !model.forces.empty();
  traits.gears = has_gears(model);
  traits.wheels_on_axles = !model.planar() && has_wheels_on_axles(model, tree);
  traits.tree_takes_all = std::find(tree.in_tree.begin(), tree.in_tree.end(), false) == tree.in_tree.end();
  for (const Joint& joint : model.joints) {
    const int i = root(joint.i), j = root(joint.j);
    if (i == j) ++traits.loops;  // gears and constraints by expressions, which join no bodies, close something too
    parent[i] = j;
  }
  return traits;
}

Choice automatic_coordinates(const ModelTraits& traits, const FormulationType* formulation, const std::string& dynamics,
                             const IntegratorType* integrator) {
  if (formulation && formulation->traits.tree_only)
    return {"relative", fmt::format("{} needs the coordinates of a tree", formulation->name)};
  if (formulation && formulation->traits.rates_only && !traits.planar)
    return {"euler-zxz", fmt::format("{} needs coordinates whose velocities are their rates", formulation->name)};
  if (!formulation && dynamics == "tree") return {"relative", "dynamics over a tree need its coordinates"};
  if (!formulation && dynamics == "bodies") return {"reference-point", "dynamics of bodies need their coordinates"};
  if (integrator && (integrator->implicit || integrator->create_for))
    return {"reference-point", fmt::format("{} has exact derivatives in them", integrator->name)};
  // What turns evenly is a straight line in the coordinates of joints, which any step follows; in coordinates of bodies
  // every turn takes steps: 3 to 20 times as many evaluations for the shipped gear trains and carts.
  if (!formulation && traits.gears)
    return {"relative", "gears make the angles of joints steadier than the places of bodies"};
  if (!formulation && traits.wheels_on_axles)
    return {"relative", "the angles of wheels on their axles are steadier than the places of bodies"};
  const bool tree_is_cheaper =
      traits.cost.tree < traits.cost.graph && traits.bodies >= smallest_tree(traits.planar) && dynamics != "whole";
  if (traits.loops > 0) {
    const std::string loops = counted(static_cast<std::size_t>(traits.loops), "loop", "loops");
    if (!formulation && tree_is_cheaper && traits.recursion_is_plain && !(traits.planar && traits.forces))
      return {"relative",
              fmt::format("the joints close {}, and recursion over a tree of the bodies is cheapest", loops)};
    return {"reference-point", fmt::format("the joints close {}", loops)};
  }
  if (!formulation && traits.tree_takes_all && tree_is_cheaper) {
    return {"relative", traits.bodies == 1 ? std::string("recursion over its joint is cheapest")
                                           : fmt::format("the {} bodies form an open tree", traits.bodies)};
  }
  return {"reference-point", "it describes any tree of bodies"};
}

Choice automatic_formulation(const System& system, const Structure& s, const StartTraits& start, const Method& method) {
  const Model& model = system.model();
  const std::string& dynamics = method.dynamics;
  const std::string bodies = counted(model.bodies.size(), "body", "bodies");
  const bool near = s.constraints > 0 && start.is_near_singular_position();
  const bool singular = s.constraints > 0 && start.is_singular_position(s);
  const std::string at_start = near ? " and the start is near a singular position" : "";
  if (dynamics == "tree") return {"recursive", "dynamics over a tree have its equations"};
  if (dynamics == "bodies" && (singular || near || s.rank < s.constraints)) {
    return {"lagrange-proximal", s.rank < s.constraints ? redundancy(s) : "the start is near a singular position"};
  }
  if (system.coordinates().spanning_tree() && !s.mass_is_singular && !singular && !state_needs_matrices(method))
    return {"recursive", fmt::format("its cost is linear in the {} of the tree", bodies)};
  if (singular) {
    return {"nullspace-svd",
            fmt::format("the start is a singular position (rank {} of the constraints, {} beside it), where the least "
                        "constraint decides the way",
                        s.rank, start.rank_beside)};
  }
  const bool has_graph = dynamics != "whole" && !state_needs_matrices(method) &&
                         find_dynamics_type("bodies")->misfit(system, s.constraints - s.rank).empty();
  if (s.rank < s.constraints) {
    if (has_graph) {
      const IntegratorType* integrator = find_integrator_type(method.integrator);
      const bool over_graph = !integrator || !(integrator->implicit || integrator->create_for);
      return {"lagrange-proximal", redundancy(s) + at_start +
                                       (over_graph ? fmt::format(", and its cost is linear in the {}", bodies)
                                                   : std::string(" and it needs no decision on their rank"))};
    }
    if (s.coordinates > largest_dense_start && find_formulation_type("augmented-lagrangian"))
      return {"augmented-lagrangian", redundancy(s) + fmt::format(" and its matrix is sparse ({})", bodies)};
    return {"nullspace-svd", redundancy(s) + at_start};
  }
  if (near) {
    const std::string reason = fmt::format(
        "the start is near a singular position (singular values of the constraints down to {:.0e} of the largest)",
        start.singular_value);
    // Where it is passed with projection, neither decides a rank; the second is for what has no graph.
    return {has_graph ? "lagrange-proximal" : "nullspace-svd", reason};
  }
  std::string reason = s.constraints == 0 ? "there are no constraints" : "the constraints are independent";
  if (s.mass_is_singular) {
    reason += fmt::format(" and it needs no inverse of the mass matrix, which is singular{}",
                          s.massless.empty() ? "" : " (" + s.massless.front() + ")");
  }
  return {"lagrange", reason};
}

Choice automatic_stabilization(const Structure& s, const StartTraits& start, const FormulationType& formulation,
                               const IntegratorType& integrator, const Method& method) {
  if (integrator.create_for) return {"none", fmt::format("{} satisfies the constraints itself", integrator.name)};
  if (!formulation.traits.corrections)
    return {"none", fmt::format("{} satisfies the constraints itself", formulation.name)};
  if (s.constraints == 0) return {"none", "there are no constraints"};
  if (state_needs_matrices(method))
    return {"none", fmt::format("state {} satisfies the constraints itself", method.state)};
  std::string reason = "it keeps every constraint to round-off at any tolerance";
  if (start.is_singular_position(s) || start.is_near_singular_position())
    reason += " and the branch at singular positions";
  return {"projection", reason};
}

Choice automatic_integrator(const Model& model, const Structure& s, const StartTraits& start, const Method& method) {
  const double tolerance = method.tolerance, duration = method.duration;
  if (is_determined(s, start, method) && model_has_no_states(model)) {
    // Drives by functions of time, or nothing that moves: projection finds positions and velocities whatever the steps
    // were, the constraints alone give the accelerations, and the work is found again where it is wrong.
    return {"dopri5", "the constraints determine the motion, which projection finds to round-off: long steps will do",
            std::max(tolerance, tolerance_of_determined_steps)};
  }
  Stiffness rates = stiffness(start.eigenvalues, duration);
  rates.damped = std::max(rates.damped, stiffness(start.moving_eigenvalues, duration).damped);
  const double pace = std::max(start.pace, 1 / duration);
  // Exact Jacobians (system/tangent.h) cost about as much as an evaluation, differences one for each state.
  const bool exact = method.coordinates == "reference-point" && joint_with_rough_friction(model) == nullptr;
  const Cost evaluations = cost(rates, pace, exact ? 1 : s.positions + s.coordinates, tolerance, duration);
  const Joint* rough = joint_with_rough_friction(model);
  const bool stiff = evaluations.explicit_method > 2 * evaluations.bdf;
  if (stiff) {
    Choice choice{"bdf",
                  fmt::format("{} makes it stiff (rates of about {:.0e}/s, which an explicit method would have to "
                              "follow, in a motion of about {:.2g}/s)",
                              rough ? friction_text(*rough) : "damping", rates.damped,
                              std::max({pace, rates.swinging, rates.lasting}))};
    if (const double largest = tolerance_for_reversals(model); largest < tolerance) {
      choice.step_tolerance = largest;
      choice.reason +=
          fmt::format("; its steps keep a tolerance of {:.0e}, at which they see friction turn around", largest);
    }
    return choice;
  }
  if (rough)
    return {"dopri5",
            friction_text(*rough) + " is not smooth enough for a higher order (bdf is faster where it sticks)"};
  // The shipped gear trains turn at rates that change evenly: dop853 takes 1.7 to 3 times the time of dopri5 for the
  // same error.
  Choice choice = has_gears(model) || has_steady_couplings(model, start, pace)
                      ? Choice{"dopri5", "gears turn so evenly that a higher order gains nothing"}
                      : smooth_integrator(method);
  if (rates.swinging > 30 * pace) {
    choice.reason +=
        fmt::format(" and has to follow stiff springs (about {:.2g} Hz)", rates.swinging / (2 * std::numbers::pi));
  }
  return choice;
}

}  // namespace bricard
