#include "bricard/kinematics.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "analyses/drives/drive_efforts.h"
#include "analyses/drives/driven_motion.h"
#include "analyses/reactions/describe_reactions.h"
#include "analyses/run/budget.h"
#include "analyses/run/cpu_clock.h"
#include "analyses/run/output_times.h"
#include "analyses/run/own_units.h"
#include "analyses/run/row_recording.h"
#include "analyses/structure/joint_freedoms.h"
#include "analyses/structure/structure.h"
#include "analyses/structure/unique_columns.h"
#include "model/method_options.h"

namespace bricard {
namespace {

std::vector<int> rows_of_joints(const System& system) {
  std::vector<int> rows;
  for (int row = 0; row < system.row_count(); ++row) {
    if (system.rows()[row].owner != RowOwner::motion) rows.push_back(row);
  }
  return rows;
}

/// Forces count as they are, torques per characteristic length.
Vector weights_of_motions(const Model& model) {
  Vector weights = Vector::Ones(static_cast<int>(model.motions.size()));
  for (std::size_t k = 0; k < model.motions.size(); ++k) {
    const Motion& motion = model.motions[k];
    if (motion.joint >= 0 && is_angle(model, {motion.joint, motion.coordinate}))
      weights[static_cast<int>(k)] = 1 / model.characteristic_length();
  }
  return weights;
}

bool drives_share(System& system, const Structure& structure, const Assembly& assembly) {
  if (structure.rank == structure.constraints) return false;
  // More drives than the joints leave freedoms: the drives are part of the redundancy.
  Equations eq = system.empty_equations();
  system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  Matrix G(static_cast<int>(system.model().motions.size()), system.velocity_size());
  for (int k = 0; k < G.rows(); ++k) G.row(k) = Matrix(eq.P.row(system.motion_row(k)));
  DriveEfforts efforts(system, rows_of_joints(system), weights_of_motions(system.model()));
  efforts.find(eq, G, Vector::Zero(system.velocity_size()));
  return !efforts.efforts_are_unique();
}

class KinematicRun {
 public:
  KinematicRun(System& system, const KinematicsSummary& start, ReactionScheme scheme, const Method& method, bool shared,
               Sink& sink, const KinematicsOptions& options)
      : system_(system),
        summary_(start),
        sink_(sink),
        options_(options),
        time_limit_(method.time_limit),
        recorder_(system, scheme, method.reaction_length),
        motion_(system, nullptr),
        efforts_(system, rows_of_joints(system), weights_of_motions(system.model())),
        eq_(system.empty_equations()),
        no_states_(Vector::Zero(system.state_size())),
        G_(static_cast<int>(system.model().motions.size()), system.velocity_size()),
        shared_(shared) {
    const Model& model = system.model();
    summary_.columns = recorder_.columns();
    std::vector<std::string> watched;
    for (const Motion& motion : model.motions) {
      summary_.columns.push_back(motion.name + ".power");
      watched.push_back(motion.name + ".effort");
      watched.push_back(motion.name + ".power");
    }
    for (const Body& body : model.bodies) {
      const std::initializer_list<const char*> planar = {".ax", ".ay", ".alpha"},
                                               spatial = {".ax", ".ay", ".az", ".alphax", ".alphay", ".alphaz"};
      for (const char* name : model.planar() ? planar : spatial) summary_.columns.push_back(body.name + name);
    }
    summary_.efforts = EffortSummary(model, summary_.columns, watched);
    recorded_.resize(recorder_.column_count());
    row_.resize(static_cast<int>(summary_.columns.size()));
    refuse_duplicate_columns(summary_.columns);
    sink_.begin(summary_.columns);
  }

  KinematicsSummary run(const Assembly& assembly) {
    const double started = cpu_seconds();
    summary_.completed = motion_.start(0, assembly.q) ? is_driven() && go() : fail(motion_.failure());
    summary_.cpu_seconds = cpu_seconds() - started;
    summary_.steps = motion_.steps();
    summary_.singular_times = motion_.singular_times();
    report();
    return summary_;
  }

 private:
  bool fail(const std::string& reason) {
    summary_.failure = fmt::format("The motion cannot be followed beyond t = {:.9g} s: {}.", motion_.reached(), reason);
    return false;
  }

  bool is_driven() {
    const int freedoms = motion_.freedoms();
    if (freedoms == 0) {
      if (motion_.position_freedoms() == 0) return true;
      summary_.failure =
          "Velocity-level constraints (rolling, knife edges) hold a part of the motion, so that positions depend on "
          "the "
          "way there: use bricard run.";
      return false;
    }
    evaluate();
    const JointFreedoms found =
        find_joint_freedoms(system_, eq_, motion_.free_velocities(false), joint_coordinate_ids(system_));
    std::vector<std::string> names;
    for (const JointCoordinateId& id : found.coordinates) names.push_back(coordinate_label(system_.model(), id));
    std::string text = freedoms == 1 ? "1 degree of freedom is not driven"
                                     : fmt::format("{} degrees of freedom are not driven", freedoms);
    if (options_.hold) {
      summary_.messages.push_back(
          text + fmt::format(" and held: {} with the least velocities that the drives allow",
                             found.idle.empty() ? "the mechanism moves" : enumeration(found.idle) + " moves"));
      return true;
    }
    if (!names.empty())
      text += fmt::format(": add {} {}", names.size() == 1 ? "a motion for joint" : "motions for joints",
                          enumeration(names));
    if (!found.idle.empty()) {
      text += fmt::format("{} {} without moving any joint coordinate (use --hold to keep {} at rest)",
                          names.empty() ? ":" : ";",
                          enumeration(found.idle) + (found.idle.size() == 1 ? " moves" : " move"),
                          found.idle.size() == 1 ? "it" : "them");
    }
    summary_.failure = text + ".";
    return false;
  }

  bool go() {
    const OutputTimes times(0, summary_.duration, summary_.output_step);
    for (long k = 0; k < times.count(); ++k) {
      const double t = times[k];
      if (k > 0 && !motion_.advance(t)) return fail(motion_.failure());
      if (!record(t)) return false;
      summary_.time = t;
      if (options_.progress) options_.progress(t / summary_.duration);
      if (k + 1 < times.count() && seconds() > time_limit_)
        return fail(fmt::format("the time limit of {:g} s is used up (--time-limit)", time_limit_));
      if (options_.interrupted && k + 1 < times.count() && options_.interrupted()) {
        summary_.interrupted = true;
        summary_.failure = fmt::format("The motion was interrupted at t = {:.9g} s.", t);
        return false;
      }
    }
    return true;
  }

  void evaluate() {
    const DrivenState& state = motion_.state();
    system_.evaluate(state.t, state.q, state.v, no_states_, Upto::dynamics, eq_);
    for (int k = 0; k < G_.rows(); ++k) G_.row(k) = Matrix(eq_.P.row(system_.motion_row(k)));
  }

  bool record(double t) {
    const DrivenState& state = motion_.state();
    const Model& model = system_.model();
    evaluate();
    if (!eq_.Q.allFinite()) {
      const std::string name = system_.force_without_value();
      return fail(name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number");
    }
    if (!efforts_.find(eq_, G_, state.vdot)) return fail(efforts_.failure());
    lambda_ = efforts_.multipliers();
    const int motions = static_cast<int>(model.motions.size());
    for (int k = 0; k < motions; ++k) lambda_[system_.motion_row(k)] = -efforts_.efforts()[k];
    lacking_ = std::max(lacking_, efforts_.residual_size());
    load_ = std::max(load_, efforts_.load_size());
    recorder_.record(t, system_, {eq_, state.q, state.v, state.vdot, lambda_, efforts_.friction()}, no_states_,
                     recorded_);
    row_.head(recorded_.size()) = recorded_;
    double* value = row_.data() + recorded_.size();
    for (int k = 0; k < motions; ++k) {
      const int row = system_.motion_row(k);
      *value++ = lambda_[row] * eq_.Phi_t[row];  // effort times the rate of the law
    }
    system_.body_accelerations(state.q, state.v, state.vdot, linear_, angular_);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      for (int c = 0; c < (model.planar() ? 2 : 3); ++c) *value++ = linear_[b][c];
      for (int c = model.planar() ? 2 : 0; c < 3; ++c) *value++ = angular_[b][c];
    }
    if (const std::string wrong = value_that_is_none(row_, [this] { return summary_.columns; }); !wrong.empty())
      return fail(wrong);
    summary_.constraint_position_max = std::max(summary_.constraint_position_max, eq_.Phi.norm());
    summary_.constraint_velocity_max = std::max(summary_.constraint_velocity_max, eq_.Phi_dot.norm());
    summary_.efforts.add(row_);
    sink_.row(row_);
    summary_.final = row_;
    ++summary_.outputs;
    return true;
  }

  void report() {
    if (shared_) {
      summary_.messages.push_back(
          fmt::format("more drives than degrees of freedom: their efforts are not unique; those of least norm are "
                      "reported, torques counted per {:.3g} m, and reactions of the least-norm multipliers",
                      system_.model().characteristic_length()));
    }
    const std::vector<double>& times = summary_.singular_times;
    if (!times.empty()) {
      std::string list;
      for (std::size_t k = 0; k < times.size() && k < 5; ++k) list += fmt::format("{}{:.6g}", k ? ", " : "", times[k]);
      summary_.messages.push_back(
          fmt::format("singular position at t = {}{} s: the constraints lose rank there; the motion continues on the "
                      "smooth branch, "
                      "efforts and reactions of that instant are the least-norm ones",
                      list, times.size() > 5 ? ", .." : ""));
    }
    if (lacking_ > 1e-6 * load_ && motion_.freedoms() > 0) {
      summary_.messages.push_back(
          fmt::format("the degrees of freedom that are held take up to {:.4g} N m that no drive gives", lacking_));
    }
  }

  System& system_;
  KinematicsSummary summary_;
  Sink& sink_;
  const KinematicsOptions& options_;
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  const double time_limit_;  // of the wall clock; NaN: none
  Recorder recorder_;
  DrivenMotion motion_;
  DriveEfforts efforts_;
  Equations eq_;
  Vector no_states_, lambda_, recorded_, row_;
  Matrix G_;
  bool shared_;  // drives are redundant
  double lacking_ = 0, load_ = 0;
  std::vector<Vec3> linear_, angular_;
};

void to_si(const OwnUnits& own, KinematicsSummary& summary) {
  const Units& units = own.units();
  own.to_si(summary.failure);
  own.to_si(summary.moved_by_assembly);
  for (double* of : {&summary.duration, &summary.output_step, &summary.time}) *of *= units.time;
  for (double& time : summary.singular_times) time *= units.time;
  summary.constraint_position_max *= units.length;
  summary.constraint_velocity_max *= units.velocity();
  if (summary.final.size() > 0) summary.final = summary.final.cwiseProduct(own.sizes_of(summary.columns));
  summary.efforts.measure([&](const std::string& column) { return own.size_of(column); });
  own.to_si(summary.messages);
}

}  // namespace

KinematicsSummary kinematics(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                             const KinematicsOptions& options) {
  if (const OwnUnits own(model, method); own.differ()) {
    SinkInSi in_si(sink, own, *model);
    KinematicsSummary summary =
        own.translate_errors([&] { return kinematics(own.model(), own.method(method), in_si, options); });
    to_si(own, summary);
    return summary;
  }
  Method requested = method;
  requested.complete_from(model->simulation);
  complete_by_defaults(requested);
  const std::size_t columns = 20 * model->bodies.size() + 8 * model->joints.size() + 2 * model->motions.size();
  check_rows(requested.duration, requested.output_step, static_cast<long>(columns), requested.memory_limit);

  // Free bodies: every joint has rows, and the rank of the rows is all that matters.
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  System system(model, coordinates);
  if (system.state_size() > 0) {
    throw InputError(
        "Dahl friction has a memory, which a motion given by laws of time alone does not follow: use bricard run");
  }
  const Assembly assembly = assemble(model, coordinates, seed_of(requested));
  if (!assembly.ok) throw InputError(assembly.message);
  start_at(system, assembly);

  KinematicsSummary start;
  start.duration = requested.duration, start.output_step = requested.output_step;
  start.structure = analyze_structure(system, assembly.q, assembly.v);
  start.moved_by_assembly = assembly.moved;
  start.messages = model->warnings;
  const bool redundant = start.structure.rank < start.structure.constraints;
  const bool shared = drives_share(system, start.structure, assembly);
  ReactionScheme scheme = redundant && !shared ? ReactionScheme::blajer_38 : ReactionScheme::multipliers;
  if (!requested.reactions.empty() && requested.reactions != "auto") {
    const ReactionSchemeType* type = find_reaction_scheme_type(requested.reactions);
    if (!type) throw InputError(fmt::format("unknown reactions '{}'", requested.reactions));
    if (redundant && !type->redundant_rows)
      throw InputError(fmt::format("reactions '{}' cannot be used here: constraints are redundant", type->name));
    scheme = type->scheme;
  }
  if (redundant && !shared) {
    start.messages.push_back(
        scheme == ReactionScheme::blajer_38
            ? fmt::format("some joint reactions are not unique (bricard check names them): the set of least norm is "
                          "reported, moments counted per {:.3g} m",
                          requested.reaction_length > 0 ? requested.reaction_length : model->characteristic_length())
            : "some joint reactions are not unique (bricard check names them): those of the least-norm multipliers are "
              "reported");
  }
  describe_reactions(sink, *model, start.structure, scheme, requested.reaction_length);
  KinematicsSummary summary = KinematicRun(system, start, scheme, requested, shared, sink, options).run(assembly);
  sink.end();
  return summary;
}

KinematicsResult kinematics(const std::shared_ptr<const Model>& model, const Method& method,
                            const KinematicsOptions& options) {
  KinematicsResult result;
  result.summary = kinematics(model, method, result.data, options);
  return result;
}

}  // namespace bricard
