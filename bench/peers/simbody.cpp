// Simbody: joint coordinates of the spanning tree (recursive, linear in bodies), loops by constraint equations.
// Settings: integrator=merson|fehlberg|kutta3|verlet|cpodes-adams|cpodes-bdf, accuracy=, project=1 (after every step),
// duration=
#include <Simbody.h>

#include <memory>

#include "mechanism.h"

namespace {

using namespace SimTK;
using bench::Mechanism;
using bench::Triple;

Vec3 vector(const Triple& a) { return Vec3(a[0], a[1], a[2]); }

/// A frame whose x or z axis points along `axis`, at a place relative to a body's centre of mass.
Transform frame(const bench::Joint& joint, const Triple& place) {
  const bool slides = joint.type == "prismatic";
  return Transform(Rotation(UnitVec3(vector(joint.axis)), slides ? CoordinateAxis(XAxis) : CoordinateAxis(ZAxis)),
                   vector(place));
}

/// c + s sin(t) at a place of a body.
class AppliedForce : public SimTK::Force::Custom::Implementation {
 public:
  AppliedForce(MobilizedBody body, const Vec3& station, const Vec3& constant, const Vec3& sine)
      : body_(std::move(body)), station_(station), constant_(constant), sine_(sine) {}
  void calcForce(const State& state, Vector_<SpatialVec>& bodies, Vector_<Vec3>&, Vector&) const override {
    body_.applyForceToBodyPoint(state, station_, constant_ + std::sin(state.getTime()) * sine_, bodies);
  }
  Real calcPotentialEnergy(const State&) const override { return 0; }

 private:
  MobilizedBody body_;
  Vec3 station_, constant_, sine_;
};

class Simulation {
 public:
  explicit Simulation(const Mechanism& mechanism) : mechanism_(mechanism), matter_(system_), forces_(system_) {
    SimTK::Force::Gravity(forces_, matter_, vector(mechanism.gravity));
    bodies_.resize(mechanism.bodies.size());
    for (const bench::Joint& joint : mechanism.tree) add_tree_joint(joint);
    for (const bench::Joint& joint : mechanism.loops) add_loop_joint(joint);
    for (const bench::Spring& spring : mechanism.springs) {
      const Vec3 from = vector(spring.from - mechanism.center(spring.i));
      const Vec3 to = vector(spring.to - mechanism.center(spring.j));
      SimTK::Force::TwoPointLinearSpring(forces_, body(spring.i), from, body(spring.j), to, spring.stiffness,
                                         spring.free_length);
      if (spring.damping != 0)
        SimTK::Force::TwoPointLinearDamper(forces_, body(spring.i), from, body(spring.j), to, spring.damping);
    }
    for (const bench::Torque& torque : mechanism.torques)
      SimTK::Force::ConstantTorque(forces_, body(torque.body), vector(torque.value));
    for (const bench::Force& force : mechanism.forces) {
      SimTK::Force::Custom(forces_, new AppliedForce(body(force.body), vector(force.at - mechanism.center(force.body)),
                                                     vector(force.constant), vector(force.sine)));
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    set_velocities();
    system_.realize(state_, Stage::Acceleration);
  }

  bench::Outcome run(const bench::Settings& settings) {
    const std::string name = settings.text("integrator", "merson");
    std::unique_ptr<Integrator> integrator;
    if (name == "merson") {
      integrator = std::make_unique<RungeKuttaMersonIntegrator>(system_);
    } else if (name == "fehlberg") {
      integrator = std::make_unique<RungeKuttaFeldbergIntegrator>(system_);
    } else if (name == "kutta3") {
      integrator = std::make_unique<RungeKutta3Integrator>(system_);
    } else if (name == "verlet") {
      integrator = std::make_unique<VerletIntegrator>(system_);
    } else if (name == "cpodes-adams") {
      integrator = std::make_unique<CPodesIntegrator>(system_, CPodes::Adams, CPodes::Functional);
    } else if (name == "cpodes-bdf") {
      integrator = std::make_unique<CPodesIntegrator>(system_, CPodes::BDF, CPodes::Newton);
    } else {
      throw std::runtime_error("unknown integrator " + name);
    }
    const double duration = settings.number("duration", mechanism_.duration);
    integrator->setAccuracy(settings.number("accuracy", 1e-6));
    if (settings.number("project", 1) != 0) integrator->setProjectEveryStep(true);
    const double constraint = settings.number("constraint", 0);
    if (constraint > 0) integrator->setConstraintTolerance(constraint);
    integrator->setFinalTime(duration);
    bench::Outcome outcome;
    outcome.energy_start = system_.calcEnergy(state_);
    const double started = bench::cpu_seconds();
    integrator->initialize(state_);
    while (integrator->getTime() < duration) {
      const Integrator::SuccessfulStepStatus status = integrator->stepTo(duration);
      if (status == Integrator::EndOfSimulation || status == Integrator::ReachedScheduledEvent) break;
    }
    outcome.cpu = bench::cpu_seconds() - started;
    const State& end = integrator->getState();
    outcome.ok = std::abs(end.getTime() - duration) < 1e-12 * duration;
    outcome.steps = integrator->getNumStepsTaken();
    outcome.evaluations = integrator->getNumRealizations();
    system_.realize(end, Stage::Dynamics);
    outcome.energy_end = system_.calcEnergy(end);
    for (const bench::Point& point : mechanism_.points) {
      const Vec3 at =
          body(point.body).findStationLocationInGround(end, vector(point.at - mechanism_.center(point.body)));
      outcome.points.push_back({at[0], at[1], at[2]});
    }
    return outcome;
  }

 private:
  MobilizedBody& body(int number) {
    return number < 0 ? static_cast<MobilizedBody&>(matter_.updGround()) : bodies_[static_cast<std::size_t>(number)];
  }

  void add_tree_joint(const bench::Joint& joint) {
    const bench::Body& child = mechanism_.bodies[static_cast<std::size_t>(joint.j)];
    const auto& I = child.inertia;
    const Body::Rigid rigid(MassProperties(child.mass, Vec3(0), Inertia(I[0], I[1], I[2], I[3], I[4], I[5])));
    const Transform outer = frame(joint, joint.at - mechanism_.center(joint.i));
    const Transform inner = frame(joint, joint.at - child.center);
    MobilizedBody& parent = body(joint.i);
    MobilizedBody& added = bodies_[static_cast<std::size_t>(joint.j)];
    if (joint.type == "revolute") {
      added = MobilizedBody::Pin(parent, outer, rigid, inner);
    } else if (joint.type == "prismatic") {
      added = MobilizedBody::Slider(parent, outer, rigid, inner);
    } else if (joint.type == "cylindrical") {
      added = MobilizedBody::Cylinder(parent, outer, rigid, inner);
    } else if (joint.type == "spherical") {
      added = MobilizedBody::Ball(parent, outer, rigid, inner);
    } else {
      throw std::runtime_error("no joint " + joint.type);
    }
  }

  /// As few equations as the joint has: in the plane two, a hinge in space five.
  void add_loop_joint(const bench::Joint& joint) {
    MobilizedBody &i = body(joint.i), &j = body(joint.j);
    const Vec3 at_i = vector(joint.at - mechanism_.center(joint.i));
    const Vec3 at_j = vector(joint.at - mechanism_.center(joint.j));
    if (mechanism_.planar && joint.type == "revolute") {
      Constraint::PointInPlane(i, UnitVec3(1, 0, 0), at_i[0], j, at_j);
      Constraint::PointInPlane(i, UnitVec3(0, 1, 0), at_i[1], j, at_j);
      return;
    }
    Constraint::Ball(i, at_i, j, at_j);
    if (joint.type == "revolute") {
      const Rotation axes(UnitVec3(vector(joint.axis)), ZAxis);
      Constraint::ConstantAngle(i, axes.x(), j, axes.z());
      Constraint::ConstantAngle(i, axes.y(), j, axes.z());
    } else if (joint.type != "spherical") {
      throw std::runtime_error("no loop with a joint " + joint.type);
    }
  }

  void set_velocities() {
    for (const bench::Joint& joint : mechanism_.tree) {
      const Vec3 spin = vector(bench::relative_spin(mechanism_, joint));
      const Vec3 velocity = vector(bench::relative_velocity(mechanism_, joint));
      const Vec3 axis = UnitVec3(vector(joint.axis));
      MobilizedBody& b = body(joint.j);
      if (joint.type == "revolute") {
        b.setOneU(state_, 0, ~axis * spin);
      } else if (joint.type == "prismatic") {
        b.setOneU(state_, 0, ~axis * velocity);
      } else if (spin.norm() + velocity.norm() > 0) {
        throw std::runtime_error("no initial velocities of joints " + joint.type);
      }
    }
  }

  const Mechanism& mechanism_;
  MultibodySystem system_;
  SimbodyMatterSubsystem matter_;
  GeneralForceSubsystem forces_;
  std::vector<MobilizedBody> bodies_;
  State state_;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::run_driver(count, arguments, [](const Mechanism& mechanism, const bench::Settings& settings) {
    const double heap = bench::heap_bytes(), begun = bench::cpu_seconds();
    Simulation simulation(mechanism);
    const double ready = bench::cpu_seconds(), used = bench::heap_bytes() - heap;
    bench::Outcome outcome = simulation.run(settings);
    outcome.setup = ready - begun;
    outcome.heap = used;
    return outcome;
  });
}
