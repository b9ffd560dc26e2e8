#include "bricard/inverse_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/drives/drive_efforts.h"
#include "analyses/drives/driven_motion.h"
#include "analyses/drives/prescribed_motion.h"
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
#include "model/nearest_name.h"

namespace bricard {
namespace {

template <class List, class Value>
bool has(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The coordinates that a name means: all of a joint, or one of its columns.
std::vector<JointCoordinateId> named_coordinates(const System& system, const std::string& name) {
  std::vector<JointCoordinateId> found;
  std::vector<std::string> valid;
  for (const JointCoordinateId& id : joint_coordinate_ids(system)) {
    const std::string& joint = system.model().joints[id.joint].name;
    if (name == joint || name == coordinate_column(system.model(), id)) found.push_back(id);
    valid.push_back(joint);
    valid.push_back(coordinate_column(system.model(), id));
  }
  if (found.empty())
    throw InputError(fmt::format("'{}' is no joint with a coordinate{}", name, suggestion(name, valid)));
  return found;
}

/// Coordinates of the model's motions and actuators.
std::vector<JointCoordinateId> driven_in_model(const Model& model) {
  std::vector<JointCoordinateId> ids;
  for (const Motion& motion : model.motions) {
    if (motion.joint >= 0) ids.push_back({motion.joint, motion.coordinate});
  }
  for (const Force& force : model.forces) {
    if (const Actuator* actuator = std::get_if<Actuator>(&force.law))
      ids.push_back({actuator->joint, actuator->coordinate});
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The model without what the unknown efforts and the given motion take the place of.
std::shared_ptr<const Model> without_drives(const Model& model, const std::vector<JointCoordinateId>& actuated,
                                            const std::vector<JointCoordinateId>& given) {
  auto result = std::make_shared<Model>(model);
  std::erase_if(result->motions, [&](const Motion& motion) {
    const JointCoordinateId id{motion.joint, motion.coordinate};
    return has(actuated, id) || has(given, id);
  });
  result->forces.clear();  // copied one by one: GCC 12 has false alarms about moving them within the list
  for (const Force& force : model.forces) {
    const Actuator* actuator = std::get_if<Actuator>(&force.law);
    if (!actuator || !has(actuated, JointCoordinateId{actuator->joint, actuator->coordinate}))
      result->forces.push_back(force);
  }
  return result;
}

std::vector<int> all_rows(const System& system) {
  std::vector<int> rows(system.row_count());
  for (int row = 0; row < system.row_count(); ++row) rows[row] = row;
  return rows;
}

std::string second(const JointCoordinateId& id) { return id.coordinate == 0 ? "" : std::to_string(id.coordinate + 1); }

class InverseRun {
 public:
  InverseRun(System& system, PrescribedMotion& given, const std::vector<JointCoordinateId>& actuated, Vector weights,
             ReactionScheme scheme, double reaction_length, const InverseSummary& start, Sink& sink,
             const InverseOptions& options)
      : system_(system),
        given_(given),
        actuated_(actuated),
        summary_(start),
        sink_(sink),
        options_(options),
        recorder_(system, scheme, reaction_length),
        motion_(system, &given),
        efforts_(system, all_rows(system), std::move(weights)),
        eq_(system.empty_equations()),
        no_states_(Vector::Zero(system.state_size())),
        G_(static_cast<int>(actuated.size()), system.velocity_size()) {
    const Model& model = system.model();
    summary_.columns = {"time"};
    for (const char* quantity : {".effort", ".power"}) {
      for (const JointCoordinateId& id : actuated)
        summary_.columns.push_back(model.joints[id.joint].name + quantity + second(id));
    }
    const std::vector<std::string> watched(summary_.columns.begin() + 1, summary_.columns.end());
    const std::vector<std::string> recorded = recorder_.columns();
    summary_.columns.insert(summary_.columns.end(), recorded.begin() + 1, recorded.end());
    for (const JointCoordinateId& id : actuated) summary_.actuated.push_back(coordinate_column(model, id));
    summary_.efforts = EffortSummary(model, summary_.columns, watched);
    recorded_.resize(recorder_.column_count());
    row_.resize(static_cast<int>(summary_.columns.size()));
    refuse_duplicate_columns(summary_.columns);
    sink_.begin(summary_.columns);
  }

  InverseSummary run(const std::vector<double>& times, const Assembly& assembly) {
    const double started = cpu_seconds();
    summary_.completed = go(times, assembly);
    summary_.cpu_seconds = cpu_seconds() - started;
    summary_.length_correction = given_.largest_length();
    summary_.angle_correction = given_.largest_angle();
    report();
    return summary_;
  }

 private:
  bool fail(const std::string& reason) {
    summary_.failure = fmt::format("The motion cannot be followed beyond t = {:.9g} s: {}.", motion_.reached(), reason);
    return false;
  }

  bool go(const std::vector<double>& times, const Assembly& assembly) {
    if (!motion_.start(times.front(), assembly.q)) return fail(motion_.failure());
    evaluate();
    summary_.freedoms = static_cast<int>(motion_.free_velocities(false).cols());
    if (motion_.freedoms() > 0) return refuse_incomplete_motion();
    for (double t : times) {
      if (!motion_.advance(t)) return fail(motion_.failure());
      if (!record(t)) return false;
      summary_.end = t;
      if (options_.progress) options_.progress((t - times.front()) / std::max(times.back() - times.front(), 1e-300));
      if (options_.interrupted && t < times.back() && options_.interrupted()) {
        summary_.interrupted = true;
        summary_.failure = fmt::format("The motion was interrupted at t = {:.9g} s.", t);
        return false;
      }
    }
    return residual_is_small();
  }

  bool refuse_incomplete_motion() {
    const JointFreedoms found =
        find_joint_freedoms(system_, eq_, motion_.free_velocities(true), joint_coordinate_ids(system_));
    std::vector<std::string> names;
    for (const JointCoordinateId& id : found.coordinates) names.push_back(coordinate_column(system_.model(), id));
    const int count = motion_.freedoms();
    summary_.failure = fmt::format("{} does not determine {} of the mechanism", summary_.motion,
                                   count == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", count));
    if (!names.empty())
      summary_.failure += fmt::format(": add column{} {}", names.size() == 1 ? "" : "s", enumeration(names));
    if (!found.idle.empty()) summary_.failure += fmt::format("; add places of {}", enumeration(found.idle));
    summary_.failure += ".";
    return false;
  }

  void evaluate() {
    const DrivenState& state = motion_.state();
    system_.evaluate(state.t, state.q, state.v, no_states_, Upto::dynamics, eq_);
    Vector gradient(system_.velocity_size());
    for (std::size_t k = 0; k < actuated_.size(); ++k) {
      signal_gradient(system_, system_.joint_coordinates()[actuated_[k].joint][actuated_[k].coordinate], gradient);
      G_.row(static_cast<int>(k)) = gradient.transpose();
    }
  }

  bool record(double t) {
    const DrivenState& state = motion_.state();
    evaluate();
    if (!eq_.Q.allFinite()) {
      const std::string name = system_.force_without_value();
      return fail(name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number");
    }
    given_.watch(system_, t);
    if (!efforts_.find(eq_, G_, state.vdot)) return fail(efforts_.failure());
    summary_.efforts_are_unique = summary_.efforts_are_unique && efforts_.efforts_are_unique();
    load_ = std::max(load_, efforts_.load_size());
    if (efforts_.residual_size() > lacking_) {
      lacking_ = efforts_.residual_size();
      lacking_coordinate_ = strongest_coordinate(system_, efforts_.residual());
      summary_.residual_time = t;
    }
    forces_ = efforts_.friction() + G_.transpose() * efforts_.efforts();
    recorder_.record(t, system_, {eq_, state.q, state.v, state.vdot, efforts_.multipliers(), forces_}, no_states_,
                     recorded_);
    const int efforts = static_cast<int>(actuated_.size());
    row_[0] = t;
    for (int k = 0; k < efforts; ++k) {
      row_[1 + k] = efforts_.efforts()[k];
      row_[1 + efforts + k] = efforts_.efforts()[k] * G_.row(k).dot(state.v);
    }
    row_.tail(recorded_.size() - 1) = recorded_.tail(recorded_.size() - 1);
    if (const std::string wrong = value_that_is_none(row_, [this] { return summary_.columns; }); !wrong.empty())
      return fail(wrong);
    summary_.efforts.add(row_);
    sink_.row(row_);
    summary_.final = row_;
    ++summary_.outputs;
    return true;
  }

  bool residual_is_small() {
    summary_.residual = load_ > 0 ? lacking_ / load_ : 0;
    if (summary_.residual <= options_.largest_residual) return true;
    const auto& [id, effort] = lacking_coordinate_;
    summary_.failure = fmt::format(
        "The motion needs efforts that these actuators cannot give: {} actuated coordinate{} for {} degree{} of "
        "freedom. The "
        "residual is {:.3g} of the load at t = {:.6g} s",
        actuated_.size(), actuated_.size() == 1 ? "" : "s", summary_.freedoms, summary_.freedoms == 1 ? "" : "s",
        summary_.residual, summary_.residual_time);
    if (id.joint >= 0) {
      summary_.failure +=
          fmt::format(", as much as {:.4g} {} on {}", effort, is_angle(system_.model(), id) ? "N m" : "N",
                      coordinate_column(system_.model(), id));
    }
    summary_.failure += ".";
    return false;
  }

  void report() {
    const double length = system_.model().characteristic_length();
    const Correction &by_length = summary_.length_correction, &by_angle = summary_.angle_correction;
    if (by_length.size > 1e-4 * length) {
      summary_.messages.push_back(
          fmt::format("the given motion violates the constraints: {} by {:.3g} m at t = {:.6g} s; "
                      "the nearest possible one was taken",
                      by_length.column, by_length.size, by_length.time));
    }
    if (by_angle.size > 1e-4) {
      summary_.messages.push_back(
          fmt::format("the given motion violates the constraints: {} by {:.3g} rad at t = {:.6g} s; "
                      "the nearest possible one was taken",
                      by_angle.column, by_angle.size, by_angle.time));
    }
    if (!summary_.efforts_are_unique && summary_.outputs > 0) {
      summary_.messages.push_back(fmt::format(
          "more actuators than degrees of freedom: the efforts are not unique; those of least norm are reported, "
          "torques counted per {:.3g} m{}",
          length, options_.weights.empty() ? "" : ", with the given weights"));
    }
    if (summary_.completed && summary_.residual > 1e-9) {
      summary_.messages.push_back(
          fmt::format("fewer actuators than degrees of freedom, but the motion needs no more: what is left is {:.2g} "
                      "of the load",
                      summary_.residual));
    }
    for (double t : motion_.singular_times())
      summary_.messages.push_back(
          fmt::format("singular position at t = {:.6g} s: its efforts are the least-norm ones", t));
  }

  System& system_;
  PrescribedMotion& given_;
  const std::vector<JointCoordinateId>& actuated_;
  InverseSummary summary_;
  Sink& sink_;
  const InverseOptions& options_;
  Recorder recorder_;
  DrivenMotion motion_;
  DriveEfforts efforts_;
  Equations eq_;
  Vector no_states_, forces_, recorded_, row_;
  Matrix G_;
  double lacking_ = 0, load_ = 0;
  std::pair<JointCoordinateId, double> lacking_coordinate_{{-1, 0}, 0};
};

void check_inverse(const System& system, double rows, const Method& limits) {
  check_dense(
      {.what = fmt::format("inverse dynamics of {} coordinates at {:.0f} instants", system.velocity_size(), rows),
       .seconds_per_cube = 1e-8,
       .matrices = 8,
       .size = static_cast<double>(system.velocity_size()),
       .times = rows,
       .usual_time_limit = 600},
      limits.time_limit, limits.memory_limit);
}

/// The motion of the model itself, as a table.
MotionTable simulated_motion(const std::shared_ptr<const Model>& model, const Method& method,
                             const InverseOptions& options, InverseSummary& summary) {
  Method accurate = method;
  if (std::isnan(accurate.tolerance)) accurate.tolerance = 1e-10;
  MemorySink rows;
  const Summary run = simulate(model, accurate, rows, {.interrupted = options.interrupted});
  summary.interrupted = run.interrupted;
  if (!run.ok()) summary.failure = "There is no motion to start from: " + run.failure;
  return {rows.columns, rows.rows, "the simulated motion"};
}

std::vector<JointCoordinateId> choose_actuated(const std::shared_ptr<const Model>& model, const Assembly& assembly,
                                               const PrescribedMotion& given, bool from_table,
                                               const std::vector<std::string>& names, System& system) {
  std::vector<JointCoordinateId> actuated;
  for (const std::string& name : names) {
    for (const JointCoordinateId& id : named_coordinates(system, name)) {
      if (!has(actuated, id)) actuated.push_back(id);
    }
  }
  if (!actuated.empty()) return actuated;
  for (const JointCoordinateId& id : driven_in_model(*model)) {
    if (!from_table || has(given.coordinates(), id)) actuated.push_back(id);
  }
  if (!actuated.empty()) return actuated;
  // As many as there are freedoms, of those given.
  Equations eq = system.empty_equations();
  DrivenMotion free(system, nullptr);
  if (!free.start(0, assembly.q)) throw InputError(free.failure());
  system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  const auto candidates = given.coordinates().empty() ? joint_coordinate_ids(system) : given.coordinates();
  actuated = find_joint_freedoms(system, eq, free.free_velocities(false), candidates).coordinates;
  if (actuated.empty()) throw InputError("nothing is actuated: name joint coordinates with --actuate");
  return actuated;
}

void to_si(const OwnUnits& own, InverseSummary& summary) {
  const Units& units = own.units();
  own.to_si(summary.failure);
  for (double* of : {&summary.start, &summary.end, &summary.residual_time, &summary.length_correction.time,
                     &summary.angle_correction.time})
    *of *= units.time;
  summary.length_correction.size *= units.length;
  if (summary.final.size() > 0) summary.final = summary.final.cwiseProduct(own.sizes_of(summary.columns));
  summary.efforts.measure([&](const std::string& column) { return own.size_of(column); });
  own.to_si(summary.messages);
}

}  // namespace

InverseSummary inverse_dynamics(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                                const InverseOptions& options) {
  if (const OwnUnits own(model, method); own.differ()) {
    SinkInSi in_si(sink, own, *model);
    InverseSummary summary = own.translate_errors([&] {
      InverseOptions measured = options;
      if (measured.motion) {
        const Vector sizes = own.sizes_of(measured.motion->columns);
        for (Vector& row : measured.motion->rows) {
          if (row.size() == sizes.size()) row = row.cwiseQuotient(sizes);
        }
      }
      return inverse_dynamics(own.model(), own.method(method), in_si, measured);
    });
    to_si(own, summary);
    return summary;
  }
  Method requested = method;
  requested.complete_from(model->simulation);
  const unsigned seed = seed_of(requested);
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  System whole(model, coordinates);
  if (whole.state_size() > 0)
    throw InputError(
        "Dahl friction has a memory, which inverse dynamics does not follow: give the joints other friction");
  const bool from_table = options.motion.has_value();
  if (!from_table && requested.duration > 0 && requested.output_step > 0)
    check_inverse(whole, requested.duration / requested.output_step + 1, requested);
  InverseSummary start;
  const MotionTable table = from_table ? *options.motion : simulated_motion(model, method, options, start);
  if (!start.failure.empty()) return start;
  const std::vector<std::string> result_columns = Recorder(whole, ReactionScheme::multipliers).columns();
  const Assembly whole_assembly = assemble(model, coordinates, seed);
  if (!whole_assembly.ok) throw InputError(whole_assembly.message);
  start_at(whole, whole_assembly);
  const PrescribedMotion preview(whole, table, result_columns);
  if (preview.empty())
    throw InputError(fmt::format("{}: no column gives a joint coordinate or the place of a body", table.name));
  const std::vector<JointCoordinateId> actuated =
      choose_actuated(model, whole_assembly, preview, from_table, options.actuate, whole);
  Vector weights(static_cast<int>(actuated.size()));
  for (std::size_t k = 0; k < actuated.size(); ++k)
    weights[static_cast<int>(k)] = is_angle(*model, actuated[k]) ? 1 / model->characteristic_length() : 1;
  for (const auto& [name, weight] : options.weights) {
    if (!(weight > 0) || !std::isfinite(weight)) throw InputError(fmt::format("weight of {} must be positive", name));
    for (const JointCoordinateId& id : named_coordinates(whole, name)) {
      const auto found = std::find(actuated.begin(), actuated.end(), id);
      if (found == actuated.end()) throw InputError(fmt::format("weight of {}, which is not actuated", name));
      weights[static_cast<int>(found - actuated.begin())] *= weight;
    }
  }

  const std::shared_ptr<const Model> bare =
      without_drives(*model, actuated, from_table ? preview.coordinates() : std::vector<JointCoordinateId>{});
  System system(bare, coordinates);
  const Assembly assembly = assemble(bare, coordinates, seed);
  if (!assembly.ok) throw InputError(assembly.message);
  start_at(system, assembly);
  PrescribedMotion given(system, table, result_columns);

  start.motion = table.name;
  start.messages = model->warnings;
  start.messages.insert(start.messages.end(), given.notes().begin(), given.notes().end());
  std::vector<double> times = given.times();
  const double end =
      std::isnan(method.duration) ? times.back() : std::min(times.back(), times.front() + method.duration);
  if (!std::isnan(method.output_step) && from_table) {
    const OutputTimes outputs(times.front(), end, method.output_step);
    times.clear();
    for (long k = 0; k < outputs.count(); ++k) times.push_back(outputs[k]);
  }
  std::erase_if(times, [&](double t) { return t > end; });
  check_inverse(whole, static_cast<double>(times.size()), requested);
  start.start = start.end = times.front();
  const Structure structure = analyze_structure(system, assembly.q, assembly.v);
  const bool redundant = structure.rank < structure.constraints;
  if (redundant) {
    start.messages.push_back(fmt::format(
        "some joint reactions are not unique (bricard check names them): the set of least norm is reported, "
        "moments counted per {:.3g} m",
        requested.reaction_length > 0 ? requested.reaction_length : model->characteristic_length()));
  }
  const ReactionScheme scheme = redundant ? ReactionScheme::blajer_38 : ReactionScheme::multipliers;
  describe_reactions(sink, *model, structure, scheme, requested.reaction_length);
  InverseSummary summary =
      InverseRun(system, given, actuated, weights, scheme, requested.reaction_length, start, sink, options)
          .run(times, assembly);
  sink.end();
  return summary;
}

InverseResult inverse_dynamics(const std::shared_ptr<const Model>& model, const Method& method,
                               const InverseOptions& options) {
  InverseResult result;
  result.summary = inverse_dynamics(model, method, result.data, options);
  return result;
}

}  // namespace bricard
