// Bricard's driver of the benchmark, and the source of the numbers that all engines get:
//   bricard_bench_driver generate FAMILY N                    a model file
//   bricard_bench_driver describe MODEL                       the mechanism as mechanism.h has it
//   bricard_bench_driver integrators                          the names of the integrators
//   bricard_bench_driver run MODEL DESCRIPTION key=value ...  simulates and prints one line of JSON
#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "integrators/integrator.h"
#include "io/model/generate.h"
#include "mechanism.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

namespace {

using bricard::Joint;
using bricard::Mat3;
using bricard::Model;
using bricard::Vec3;

// --- the description ---

/// Keeps the first row and stops there.
class FirstRow : public bricard::Sink {
 public:
  struct Found {};
  void begin(const std::vector<std::string>& names) override {
    for (std::size_t k = 0; k < names.size(); ++k) number_[names[k]] = static_cast<int>(k);
  }
  void row(const bricard::Vector& values) override {
    values_ = values;
    throw Found();
  }
  double at(const std::string& name) const { return values_[number_.at(name)]; }
  bool has(const std::string& name) const { return number_.contains(name); }

 private:
  std::map<std::string, int> number_;
  bricard::Vector values_;
};

std::string text(const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

std::string name_of(const Model& model, int body) {
  return body == bricard::ground ? "ground" : model.bodies[static_cast<std::size_t>(body)].name;
}

int equations(const Model& model, const Joint& joint) {
  static const std::map<std::string, std::pair<int, int>> known = {
      {"revolute", {2, 5}}, {"prismatic", {2, 5}}, {"cylindrical", {0, 4}}, {"spherical", {0, 3}}};
  const auto found = known.find(joint.type);
  if (found == known.end()) throw bricard::InputError("the benchmark has no joint of type " + joint.type);
  return model.planar() ? found->second.first : found->second.second;
}

/// Joints of a spanning tree, parents first: those with most equations, and of these the ones nearest to the ground.
void describe_joints(const Model& model) {
  const auto joint_text = [&](int k, bool turned) {
    const Joint& joint = model.joints[static_cast<std::size_t>(k)];
    return fmt::format("{} {} {} {} {}\n", joint.type, name_of(model, turned ? joint.j : joint.i),
                       name_of(model, turned ? joint.i : joint.j), text(joint.at_j), text(joint.axis_j));
  };
  std::vector<std::vector<int>> joints_of(model.bodies.size() + 1);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    joints_of[static_cast<std::size_t>(model.joints[k].i + 1)].push_back(static_cast<int>(k));
    joints_of[static_cast<std::size_t>(model.joints[k].j + 1)].push_back(static_cast<int>(k));
  }
  std::vector<bool> reached(model.bodies.size() + 1), used(model.joints.size());
  std::set<std::tuple<int, int, int, int>> open;  // -equations, depth, joint, parent
  const auto reach = [&](int body, int depth) {
    reached[static_cast<std::size_t>(body + 1)] = true;
    for (const int k : joints_of[static_cast<std::size_t>(body + 1)])
      open.insert({-equations(model, model.joints[static_cast<std::size_t>(k)]), depth, k, body});
  };
  reach(bricard::ground, 0);
  while (!open.empty()) {
    const auto [rows, depth, k, parent] = *open.begin();
    open.erase(open.begin());
    const Joint& joint = model.joints[static_cast<std::size_t>(k)];
    const int child = joint.i == parent ? joint.j : joint.i;
    if (reached[static_cast<std::size_t>(child + 1)]) continue;
    used[static_cast<std::size_t>(k)] = true;
    fmt::print("tree {}", joint_text(k, joint.j == parent));
    reach(child, depth + 1);
  }
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    if (!used[k]) fmt::print("loop {}", joint_text(static_cast<int>(k), false));
  }
}

/// c + s sin(t), or an error.
void describe_forces(const Model& model) {
  for (const bricard::Force& force : model.forces) {
    if (const auto* spring = std::get_if<bricard::Spring>(&force.law); spring && !spring->law) {
      fmt::print("spring {} {} {} {} {} {} {}\n", name_of(model, spring->from.body), text(spring->from.place),
                 name_of(model, spring->to.body), text(spring->to.place), spring->stiffness, spring->damping,
                 spring->free_length);
    } else if (const auto* applied = std::get_if<bricard::AppliedForce>(&force.law); applied) {
      Vec3 constant, sine;
      for (int k = 0; k < 3; ++k) {
        const bricard::Expression& component = applied->vector[static_cast<std::size_t>(k)];
        if (applied->in_body_frame || !component.signals().empty())
          throw bricard::InputError("the benchmark has forces c + s sin(t) only");
        constant[k] = component.value(0);
        sine[k] = (component.value(1) - constant[k]) / std::sin(1);
        if (std::abs(component.value(2) - constant[k] - sine[k] * std::sin(2)) > 1e-12)
          throw bricard::InputError("the benchmark has forces c + s sin(t) only");
      }
      fmt::print("force {} {} {} {}\n", name_of(model, applied->at.body), text(applied->at.place), text(constant),
                 text(sine));
    } else if (const auto* torque = std::get_if<bricard::AppliedTorque>(&force.law); torque) {
      Vec3 value;
      for (int k = 0; k < 3; ++k) {
        const bricard::Expression& component = torque->vector[static_cast<std::size_t>(k)];
        if (!component.is_constant()) throw bricard::InputError("the benchmark has constant torques only");
        value[k] = component.value(0);
      }
      fmt::print("torque {} {}\n", name_of(model, torque->body), text(value));
    } else {
      throw bricard::InputError("the benchmark does not know the force " + force.name);
    }
  }
}

/// Of each of some bodies, the place opposite to its first joint: the far end of a bar.
void describe_points(const Model& model) {
  const int count = static_cast<int>(model.bodies.size());
  std::set<int> chosen;
  constexpr int most = 24;
  for (int k = 0; k < most; ++k) chosen.insert(static_cast<int>((count - 1L) * k / (most - 1)));
  for (const int k : {1, 2, 3, count / 2, count - 2}) chosen.insert(std::clamp(k, 0, count - 1));
  for (const int body : chosen) {
    const auto first = std::find_if(model.joints.begin(), model.joints.end(),
                                    [body](const Joint& joint) { return joint.i == body || joint.j == body; });
    const Vec3& center = model.bodies[static_cast<std::size_t>(body)].center;
    fmt::print("point {} {}\n", name_of(model, body),
               text(first == model.joints.end() ? center : Vec3(2 * center - first->at_j)));
  }
}

void describe(const std::string& file) {
  const auto model = bricard::load(file);
  FirstRow start;  // all of it at rest in the reference configuration, unless the model says otherwise
  if (!model->initial.joint_positions.empty() || !model->initial.joint_rates.empty() ||
      !model->initial.placements.empty() || !model->initial.twists.empty()) {
    try {
      bricard::simulate(model, {}, start);
    } catch (const FirstRow::Found&) {
    }
  }
  fmt::print("planar {}\ngravity {}\nduration {}\n", model->planar() ? 1 : 0, text(model->gravity),
             model->simulation.duration);
  for (const bricard::Body& body : model->bodies) {
    const auto value = [&](const char* name) { return start.has(body.name + name) ? start.at(body.name + name) : 0; };
    Mat3 inertia = body.orientation.toRotationMatrix() * body.inertia * body.orientation.toRotationMatrix().transpose();
    if (model->planar()) inertia = Mat3::Identity() * body.inertia(2, 2);
    const Vec3 velocity(value(".vx"), value(".vy"), value(".vz"));
    const Vec3 spin = model->planar() ? Vec3(0, 0, value(".omega")) : Vec3(value(".wx"), value(".wy"), value(".wz"));
    const Vec3 center(value(".x"), value(".y"), value(".z"));
    if (start.has(body.name + ".x") && (center - body.center).norm() > 1e-10)
      throw bricard::InputError("the start is not the reference configuration");
    fmt::print("body {} {} {} {} {} {} {} {} {} {} {}\n", body.name, body.mass, text(body.center), inertia(0, 0),
               inertia(1, 1), inertia(2, 2), inertia(0, 1), inertia(0, 2), inertia(1, 2), text(velocity), text(spin));
  }
  describe_joints(*model);
  describe_forces(*model);
  describe_points(*model);
}

// --- the run ---

/// Keeps the last row, and the time between the first and the last.
class LastRow : public bricard::Sink {
 public:
  void begin(const std::vector<std::string>& columns) override {
    begin_unnamed([columns] { return columns; });
  }
  void begin_unnamed(const std::function<std::vector<std::string>()>& columns) override {
    columns_ = columns;
    heap = bench::heap_bytes();
    CALLGRIND_START_INSTRUMENTATION;
    started = bench::cpu_seconds();
  }
  void row(const bricard::Vector& values) override { last = values; }
  void end() override {
    ended = bench::cpu_seconds();
    CALLGRIND_STOP_INSTRUMENTATION;
    peak = bench::peak_memory();
    const std::vector<std::string> names = columns_();  // neither their time nor their memory is measured
    for (std::size_t k = 0; k < names.size(); ++k) number_[names[k]] = static_cast<int>(k);
  }
  double at(const std::string& name) const { return last[number_.at(name)]; }
  double started = 0, ended = 0, heap = 0;
  long peak = 0;
  bricard::Vector last;

 private:
  std::function<std::vector<std::string>()> columns_;
  std::map<std::string, int> number_;
};

std::string output_of(const std::string& body, const char* axis) { return fmt::format("point_{}_{}", body, axis); }

/// The coordinates of a measured point as outputs of the model.
void measure(Model& model, const std::string& body, const bench::Triple& at) {
  const auto found = std::find_if(model.bodies.begin(), model.bodies.end(),
                                  [&](const bricard::Body& other) { return other.name == body; });
  if (found == model.bodies.end()) throw bricard::InputError("the model has no body " + body);
  bricard::ExpressionScope scope;
  scope.parameter = [](const std::string&) { return nullptr; };
  scope.signal = [&](bricard::Quantity quantity, const std::vector<std::string>&) {
    bricard::Signal signal;
    signal.quantity = quantity;
    signal.target = static_cast<int>(found - model.bodies.begin());
    signal.place = Vec3(at[0], at[1], at[2]);
    return signal;
  };
  for (const char* axis : {"x", "y", "z"}) {
    if (model.planar() && *axis == 'z') continue;
    model.outputs.emplace_back(output_of(body, axis), bricard::Expression::parse(fmt::format("{}(P)", axis), scope));
  }
}

bench::Outcome run(const std::string& file, const bench::Mechanism& mechanism, const bench::Settings& settings) {
  const double heap = bench::heap_bytes(), begun = bench::cpu_seconds();
  auto model = std::make_shared<Model>(*bricard::load(file));
  model->outputs.clear();
  for (const bench::Point& point : mechanism.points) measure(*model, mechanism.name(point.body), point.at);
  bricard::Method method;
  method.coordinates = settings.text("coordinates", "");
  method.formulation = settings.text("formulation", "");
  method.stabilization = settings.text("stabilization", "");
  method.integrator = settings.text("integrator", "");
  if (method.integrator == "auto") method.integrator.clear();
  method.tolerance = settings.number("tolerance", bricard::unset);
  method.step = settings.number("step", bricard::unset);
  method.duration = settings.number("duration", mechanism.duration);
  method.output_step = method.duration;
  LastRow sink;
  const bricard::Summary summary = bricard::simulate(model, method, sink);
  bench::Outcome outcome;
  outcome.ok = summary.ok();
  outcome.failure = summary.failure;
  outcome.setup = sink.started - begun;
  outcome.cpu = sink.ended - sink.started;
  outcome.heap = sink.heap - heap;
  outcome.steps = summary.steps;
  outcome.evaluations = summary.evaluations;
  outcome.energy_drift = summary.energy_drift;
  const bricard::Method& chosen = summary.chosen.method;
  outcome.note =
      fmt::format("{}, {}, {}, {}", chosen.coordinates, chosen.formulation, chosen.stabilization, chosen.integrator);
  outcome.rss_kb = sink.peak;
  if (sink.last.size() == 0) return outcome;
  for (const bench::Point& point : mechanism.points) {
    const auto value = [&](const char* axis) { return sink.at(output_of(mechanism.name(point.body), axis)); };
    outcome.points.push_back({value("x"), value("y"), model->planar() ? 0 : value("z")});
  }
  return outcome;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    if (words.size() == 3 && words[0] == "generate") {
      for (const bricard::GeneratorType& type : bricard::generator_types()) {
        if (words[1] == type.name) fmt::print("{}", type.generate(std::stoi(words[2])));
      }
    } else if (words.size() == 2 && words[0] == "describe") {
      describe(words[1]);
    } else if (words.size() == 1 && words[0] == "integrators") {
      for (const bricard::IntegratorType& type : bricard::integrator_types()) fmt::print("{}\n", type.name);
    } else if (words.size() >= 3 && words[0] == "run") {
      const bench::Settings settings(count, arguments, 4);
      bench::Outcome outcome;
      bench::Mechanism mechanism;
      try {
        mechanism = bench::read_mechanism(words[2]);
        outcome = bench::repeated(settings, [&] { return run(words[1], mechanism, settings); });
      } catch (const std::exception& error) {
        outcome.failure = error.what();
      }
      bench::print(outcome, mechanism);
    } else {
      fmt::print(stderr,
                 "usage: generate FAMILY N | describe MODEL | integrators | run MODEL DESCRIPTION key=value ...\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
