#include "bricard/stepper.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "analyses/run/no_sink.h"
#include "analyses/run/own_units.h"
#include "analyses/run/stepped_run.h"
#include "model/nearest_name.h"

namespace bricard {

class Stepper::State {
 public:
  explicit State(RunState state) : run(std::move(state)) {}
  const RunState run;  // in the run's own units
};

struct Stepper::Content {
  Content(const std::shared_ptr<const Model>& given, const Method& method)
      : own(given, method),
        model(own.differ() ? own.model() : given),
        unit(own.differ() ? own.units().time : 1),
        prepared(translated([&] { return prepare_run(model, own.differ() ? own.method(method) : method); })) {
    run = translated([&] { return create_run(prepared, sink, options); });
    columns = run->columns();
    going = run->begin();
  }

  /// The run begins anew at `from`, in a system of its own.
  void begin(const std::shared_ptr<const State>& from) {
    const RunState& there = from->run;
    const CoordinatesType& coordinates = prepared.system->coordinates_type();
    const std::shared_ptr<const Model> cut_model = prepared.system->shared_model();
    run.reset();
    prepared.system = std::make_unique<System>(cut_model, coordinates);
    System& system = *prepared.system;
    for (const RunState::Turn& turn : there.turns)
      system.set_turn(turn.joint, turn.coordinate, turn.value, there.time, turn.rate);
    system.coordinates().from_bodies(there.bodies, prepared.assembly.q, prepared.assembly.v);
    system.evaluate_signals(there.time, prepared.assembly.q, prepared.assembly.v);
    system.accept(there.time);
    run = create_run(prepared, sink, options, &there);
    going = run->begin();
    restored = from;
  }

  /// Numbers in messages of errors are in SI units.
  template <class Call>
  std::invoke_result_t<Call> translated(const Call& call) const {
    return own.differ() ? own.translate_errors(call) : call();
  }

  bool step(double until) {
    if (!going || run->is_over()) return false;
    restored.reset();
    return going = run->step(until);
  }

  OwnUnits own;
  std::shared_ptr<const Model> model;  // in its own units
  double unit;                         // of time
  PreparedRun prepared;
  NoSink sink;
  SimulationOptions options;
  std::unique_ptr<SteppedRun> run;
  std::vector<std::string> columns;
  bool going = false;
  std::shared_ptr<const State> restored;  // and no step has been taken since
};

Stepper::Stepper(const std::shared_ptr<const Model>& model, const Method& method)
    : content_(std::make_unique<Content>(model, method)) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

double Stepper::time() const { return content_->unit * content_->run->time(); }

bool Stepper::done() const { return !content_->going || content_->run->is_over(); }

bool Stepper::step() { return content_->step(std::numeric_limits<double>::infinity()); }

bool Stepper::advance(double t) {
  const double until = t / content_->unit;
  while (content_->run->time() < until && content_->step(until)) {
  }
  return content_->run->time() >= until;
}

const std::vector<std::string>& Stepper::columns() const { return content_->columns; }

int Stepper::index(const std::string& column) const {
  const std::vector<std::string>& names = content_->columns;
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) throw std::out_of_range("no column '" + column + "'" + suggestion(column, names));
  return static_cast<int>(found - names.begin());
}

Vector Stepper::row() {
  Vector row;
  if (!content_->run->observe_row(row)) content_->going = false;
  if (row.size() > 0 && content_->own.differ()) row = row.cwiseProduct(content_->own.sizes_of(content_->columns));
  return row;
}

std::shared_ptr<const Stepper::State> Stepper::state() {
  return content_->restored ? content_->restored : std::make_shared<const State>(content_->run->state());
}

void Stepper::restore(const std::shared_ptr<const State>& state) { content_->begin(state); }

Summary Stepper::finish() {
  Summary summary = content_->run->finish();
  content_->going = false;
  if (content_->own.differ()) content_->own.to_si(summary);
  return summary;
}

}  // namespace bricard
