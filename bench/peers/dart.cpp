// DART: joint coordinates of the spanning tree (articulated bodies, semi-implicit Euler), loops by its impulse-based
// ball joint constraints (a hinge in space by two of them). Settings: step=, erp= (share of a constraint error removed
// in a step), duration=
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "mechanism.h"

namespace {

using bench::Joint;
using bench::Mechanism;
using bench::Triple;
using namespace dart;

Eigen::Vector3d vector(const Triple& a) { return {a[0], a[1], a[2]}; }
Eigen::Isometry3d place(const Triple& a) { return Eigen::Isometry3d(Eigen::Translation3d(vector(a))); }

class Simulation {
 public:
  Simulation(const Mechanism& mechanism, const bench::Settings& settings)
      : mechanism_(mechanism), world_(simulation::World::create()), skeleton_(dynamics::Skeleton::create()) {
    nodes_.resize(mechanism.bodies.size());
    for (const Joint& joint : mechanism.tree) add_body(joint);
    skeleton_->setGravity(vector(mechanism.gravity));
    skeleton_->disableSelfCollisionCheck();
    world_->setGravity(vector(mechanism.gravity));
    world_->addSkeleton(skeleton_);
    duration_ = settings.number("duration", mechanism.duration);
    steps_ = std::lround(duration_ / settings.number("step", 1e-3));
    world_->setTimeStep(duration_ / static_cast<double>(steps_));
    constraint::DynamicJointConstraint::setErrorAllowance(0);
    constraint::DynamicJointConstraint::setErrorReductionParameter(settings.number("erp", 0.2));
    for (const Joint& joint : mechanism.loops) add_loop(joint);
    set_velocities();
  }

  bench::Outcome run() {
    bench::Outcome outcome;
    outcome.energy_start = energy();
    const double started = bench::cpu_seconds();
    for (long k = 0; k < steps_; ++k) {
      apply_forces();
      world_->step();
    }
    outcome.cpu = bench::cpu_seconds() - started;
    outcome.ok = true;
    outcome.steps = outcome.evaluations = steps_;
    outcome.energy_end = energy();
    for (const bench::Point& point : mechanism_.points) {
      const Eigen::Vector3d at = node(point.body)->getTransform() * vector(point.at - mechanism_.center(point.body));
      outcome.points.push_back({at.x(), at.y(), at.z()});
    }
    return outcome;
  }

 private:
  dynamics::BodyNode* node(int body) { return body < 0 ? nullptr : nodes_[static_cast<std::size_t>(body)]; }

  /// Frames of bodies are at their centres of mass, along the world's axes at the start.
  template <class JointType>
  dynamics::BodyNode* add(const Joint& joint, dynamics::BodyNode* parent, const Triple& parent_center,
                          const Triple& center, typename JointType::Properties properties, double mass,
                          const std::array<double, 6>& inertia) {
    properties.mT_ParentBodyToJoint = place(joint.at - parent_center);
    properties.mT_ChildBodyToJoint = place(joint.at - center);
    properties.mName = "j" + std::to_string(skeleton_->getNumBodyNodes());
    dynamics::BodyNode::AspectProperties body("b" + std::to_string(skeleton_->getNumBodyNodes()));
    body.mInertia = dynamics::Inertia(mass, Eigen::Vector3d::Zero(), matrix(inertia));
    return skeleton_->createJointAndBodyNodePair<JointType>(parent, properties, dynamics::BodyNode::Properties(body))
        .second;
  }

  static Eigen::Matrix3d matrix(const std::array<double, 6>& I) {
    Eigen::Matrix3d result;
    result << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    return result;
  }

  void add_body(const Joint& joint) {
    const bench::Body& body = mechanism_.bodies[static_cast<std::size_t>(joint.j)];
    dynamics::BodyNode*& added = nodes_[static_cast<std::size_t>(joint.j)];
    dynamics::BodyNode* parent = node(joint.i);
    const Triple parent_center = mechanism_.center(joint.i);
    dynamics::RevoluteJoint::Properties turns;
    turns.mAxis = vector(joint.axis);
    dynamics::PrismaticJoint::Properties slides;
    slides.mAxis = vector(joint.axis);
    if (joint.type == "revolute") {
      added = add<dynamics::RevoluteJoint>(joint, parent, parent_center, body.center, turns, body.mass, body.inertia);
    } else if (joint.type == "prismatic") {
      added = add<dynamics::PrismaticJoint>(joint, parent, parent_center, body.center, slides, body.mass, body.inertia);
    } else if (joint.type == "spherical") {
      added = add<dynamics::BallJoint>(joint, parent, parent_center, body.center, {}, body.mass, body.inertia);
    } else if (joint.type == "cylindrical") {
      // There is no such joint: a slider and a hinge with a body of hardly any mass between them.
      constexpr double little = 1e-9;
      dynamics::BodyNode* between = add<dynamics::PrismaticJoint>(
          joint, parent, parent_center, joint.at, slides, little * body.mass, {little, little, little, 0, 0, 0});
      added = add<dynamics::RevoluteJoint>(joint, between, joint.at, body.center, turns, body.mass, body.inertia);
    } else {
      throw std::runtime_error("no joint " + joint.type);
    }
  }

  void add_loop(const Joint& joint) {
    const auto connect = [&](const Triple& at) {
      const int first = joint.i < 0 ? joint.j : joint.i, second = joint.i < 0 ? joint.i : joint.j;
      constraint::ConstraintBasePtr ball;
      if (second < 0) {
        ball = std::make_shared<constraint::BallJointConstraint>(node(first), vector(at));
      } else {
        ball = std::make_shared<constraint::BallJointConstraint>(node(first), node(second), vector(at));
      }
      world_->getConstraintSolver()->addConstraint(ball);
    };
    if (joint.type == "revolute" && !mechanism_.planar) {
      const Triple arm = joint.at - mechanism_.center(joint.i < 0 ? joint.j : joint.i);
      const double half = 0.5 * std::sqrt(bench::dot(arm, arm));
      connect(joint.at + half * joint.axis);
      connect(joint.at - half * joint.axis);
    } else if (joint.type == "revolute" || joint.type == "spherical") {
      connect(joint.at);
    } else {
      throw std::runtime_error("no loop with a joint " + joint.type);
    }
  }

  void set_velocities() {
    for (const Joint& joint : mechanism_.tree) {
      const Triple spin = bench::relative_spin(mechanism_, joint);
      const Triple velocity = bench::relative_velocity(mechanism_, joint);
      dynamics::Joint* parent = node(joint.j)->getParentJoint();
      if (joint.type == "revolute") {
        parent->setVelocity(0, bench::dot(spin, joint.axis));
      } else if (joint.type == "prismatic") {
        parent->setVelocity(0, bench::dot(velocity, joint.axis));
      } else if (bench::dot(spin, spin) + bench::dot(velocity, velocity) > 0) {
        throw std::runtime_error("no initial velocities of joints " + joint.type);
      }
    }
  }

  Eigen::Vector3d position(int body, const Triple& at) {
    return body < 0 ? vector(at) : Eigen::Vector3d(node(body)->getTransform() * vector(at - mechanism_.center(body)));
  }

  void apply_forces() {
    const double t = world_->getTime();
    for (const bench::Force& force : mechanism_.forces) {
      node(force.body)
          ->addExtForce(vector(force.constant) + std::sin(t) * vector(force.sine),
                        vector(force.at - mechanism_.center(force.body)), false, true);
    }
    for (const bench::Torque& torque : mechanism_.torques) node(torque.body)->addExtTorque(vector(torque.value), false);
    for (const bench::Spring& spring : mechanism_.springs) {
      if (spring.damping != 0) throw std::runtime_error("no dampers");
      const Eigen::Vector3d along = position(spring.j, spring.to) - position(spring.i, spring.from);
      const double length = along.norm();
      const Eigen::Vector3d pull = spring.stiffness * (length - spring.free_length) / length * along;
      if (spring.i >= 0)
        node(spring.i)->addExtForce(pull, vector(spring.from - mechanism_.center(spring.i)), false, true);
      if (spring.j >= 0)
        node(spring.j)->addExtForce(-pull, vector(spring.to - mechanism_.center(spring.j)), false, true);
    }
  }

  double energy() {
    double springs = 0;
    for (const bench::Spring& spring : mechanism_.springs) {
      const double stretch =
          (position(spring.j, spring.to) - position(spring.i, spring.from)).norm() - spring.free_length;
      springs += 0.5 * spring.stiffness * stretch * stretch;
    }
    return skeleton_->computeKineticEnergy() + skeleton_->computePotentialEnergy() + springs;
  }

  const Mechanism& mechanism_;
  simulation::WorldPtr world_;
  dynamics::SkeletonPtr skeleton_;
  std::vector<dynamics::BodyNode*> nodes_;
  double duration_ = 0;
  long steps_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::run_driver(count, arguments, [](const Mechanism& mechanism, const bench::Settings& settings) {
    const double heap = bench::heap_bytes(), begun = bench::cpu_seconds();
    Simulation simulation(mechanism, settings);
    const double ready = bench::cpu_seconds(), used = bench::heap_bytes() - heap;
    bench::Outcome outcome = simulation.run();
    outcome.setup = ready - begun;
    outcome.heap = used;
    return outcome;
  });
}
