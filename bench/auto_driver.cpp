// How well `auto` chooses for one model: cost against error of what it takes, and of some forty settings.
//   bricard_auto_driver MODEL [quick]      prints one line of JSON a run
// The error of a run is the largest, over its rows and all bodies, of the error of the centre of mass in sizes of the
// model and of the angle in rad, against a run at a tolerance of 1e-13. The duration is that of the model, halved until
// a second such run, by another method, agrees. The cost is the least CPU time of several runs, without their setup.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "mechanism.h"

namespace {

using bricard::Method;
using bricard::Model;
using bricard::Vector;

constexpr int rows = 4;               // beside that of the start
constexpr double agreement = 2e-11;   // of two references
constexpr double longest_run = 0.15;  // s of CPU for a reference; durations are halved beyond it

/// Keeps positions of bodies at all rows, and the time between the first and the last.
class Positions : public bricard::Sink {
 public:
  void begin(const std::vector<std::string>& names) override {
    wanted_.assign(names.size(), false);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string end = names[k].substr(names[k].rfind('.') + 1);
      for (const char* one : {"x", "y", "z", "angle", "qw", "qx", "qy", "qz"}) wanted_[k] = wanted_[k] || end == one;
    }
    started = bench::cpu_seconds();
  }
  bool wants_column(int column) const override { return wanted_[static_cast<std::size_t>(column)]; }
  void row(const Vector& values) override { values_.push_back(values); }
  void end() override { ended = bench::cpu_seconds(); }

  const std::vector<Vector>& values() const { return values_; }
  double started = 0, ended = 0;

 private:
  std::vector<bool> wanted_;
  std::vector<Vector> values_;
};

struct Setting {
  const char *coordinates, *formulation, *stabilization, *integrator, *dynamics;
};
std::string text(const Setting& s) {
  return fmt::format("{} {} {} {} {}", s.coordinates, s.formulation, s.dynamics, s.stabilization, s.integrator);
}

struct Outcome {
  bool ok = false;
  std::string failure, chosen, dynamics;
  double cpu = 0;
  long evaluations = 0;
  std::vector<Vector> positions;
};

class Bench {
 public:
  explicit Bench(const std::string& file) : model_(std::make_shared<Model>(*bricard::load(file))) {
    duration_ = std::isnan(model_->simulation.duration) ? 10 : model_->simulation.duration;
    model_->outputs.clear();
    model_->simulation = Method();
  }

  Outcome run(const Setting& setting, double tolerance, double most_steps, double at_least = 0) const {
    Method method;
    method.coordinates = setting.coordinates, method.formulation = setting.formulation;
    method.stabilization = setting.stabilization, method.integrator = setting.integrator;
    method.dynamics = setting.dynamics;
    method.tolerance = tolerance;
    method.duration = duration_, method.output_step = duration_ / rows;
    method.max_steps = most_steps;  // not a limit of time, which other programs on the machine use up
    method.time_limit = 20;
    Outcome outcome;
    double spent = 0;
    for (int k = 0; k < 40 && (k == 0 || spent < at_least); ++k) {
      try {
        Positions sink;
        const bricard::Summary summary = bricard::simulate(model_, method, sink);
        outcome.ok = summary.ok(), outcome.failure = summary.failure;
        outcome.cpu = k == 0 ? sink.ended - sink.started : std::min(outcome.cpu, sink.ended - sink.started);
        outcome.evaluations = summary.evaluations;
        outcome.positions = sink.values();
        outcome.dynamics = summary.chosen.method.dynamics;
        columns_ = summary.columns;
        const Method& m = summary.chosen.method;
        outcome.chosen =
            fmt::format("{} {} {} {} {}", m.coordinates, m.formulation, m.dynamics, m.stabilization, m.integrator);
        spent += sink.ended - sink.started;
      } catch (const std::exception& error) {
        outcome.failure = error.what();
      }
      if (!outcome.ok) break;
    }
    return outcome;
  }

  double error(const std::vector<Vector>& some, const std::vector<Vector>& others) const {
    if (some.size() != rows + 1 || others.size() != some.size()) return INFINITY;
    const double length = model_->characteristic_length();
    double most = 0;
    for (std::size_t r = 0; r < some.size(); ++r) {
      const Vector &a = some[r], &b = others[r];
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const long c = static_cast<long>(k);
        const std::size_t dot = columns_[k].rfind('.');
        if (dot == std::string::npos || !is_body(columns_[k].substr(0, dot))) continue;
        const std::string end = columns_[k].substr(dot + 1);
        if (end == "x" || end == "y" || end == "z") most = std::max(most, std::abs(a[c] - b[c]) / length);
        if (end == "angle") most = std::max(most, std::abs(a[c] - b[c]));
        if (end == "qw") {
          const auto p = a.segment<4>(c), q = b.segment<4>(c);
          most = std::max(most, 2 * std::min((p - q).norm(), (p + q).norm()));
        }
      }
    }
    return most;
  }

  /// Two runs at 1e-13 that agree over as long a duration as possible.
  void find_reference() {
    static const Setting ways[] = {{"reference-point", "lagrange-proximal", "auto", "dop853", "auto"},
                                   {"relative", "recursive", "auto", "dop853", "auto"},
                                   {"reference-point", "nullspace-svd", "auto", "abm", "auto"},
                                   {"reference-point", "lagrange-proximal", "auto", "verner6", "auto"}};
    double best = INFINITY, best_duration = duration_;
    std::vector<Vector> best_reference;
    for (int halved = 0; halved < 9; ++halved, duration_ /= 2) {
      std::vector<Outcome> found;
      for (const Setting& way : ways) {
        Outcome outcome = run(way, 1e-13, 1e5);
        if (outcome.ok) found.push_back(std::move(outcome));
        if (found.size() == 3) break;
      }
      if (found.size() < 2) continue;
      double apart = INFINITY;
      for (std::size_t a = 0; a < found.size(); ++a) {
        for (std::size_t b = a + 1; b < found.size(); ++b) {
          const double e = error(found[a].positions, found[b].positions);
          if (e < apart) apart = e, reference_ = found[a].positions;
        }
      }
      if (apart < best) best = apart, best_reference = reference_, best_duration = duration_;
      const double cpu = std::min(found[0].cpu, found[1].cpu);
      if (apart < agreement && cpu < longest_run) break;
    }
    reference_ = best_reference, duration_ = best_duration, uncertainty_ = best;
  }

  const std::vector<Vector>& reference() const { return reference_; }
  double duration() const { return duration_; }
  double uncertainty() const { return uncertainty_; }
  bool planar() const { return model_->planar(); }

 private:
  bool is_body(const std::string& name) const {
    return std::any_of(model_->bodies.begin(), model_->bodies.end(),
                       [&](const auto& body) { return body.name == name; });
  }
  std::shared_ptr<Model> model_;
  mutable std::vector<std::string> columns_;
  std::vector<Vector> reference_;
  double duration_ = 0, uncertainty_ = 0;
};

// The strongest first: others are given up when they are far behind.
const Setting settings[] = {
    {"reference-point", "lagrange-proximal", "projection", "dop853", "bodies"},
    {"reference-point", "lagrange-proximal", "projection", "dopri5", "bodies"},
    {"relative", "recursive", "projection", "dop853", "tree"},
    {"relative", "recursive", "projection", "dopri5", "tree"},
    {"reference-point", "lagrange-proximal", "projection", "abm", "bodies"},
    {"relative", "recursive", "projection", "abm", "tree"},
    {"reference-point", "lagrange", "projection", "dop853", "whole"},
    {"reference-point", "lagrange", "projection", "dopri5", "whole"},
    {"reference-point", "lagrange", "projection", "abm", "whole"},
    {"reference-point", "lagrange", "projection", "bdf", "whole"},
    {"reference-point", "lagrange-proximal", "projection", "bdf", "whole"},
    {"reference-point", "lagrange-proximal", "projection", "verner6", "bodies"},
    {"relative", "recursive", "projection", "verner6", "tree"},
    {"reference-point", "lagrange-proximal", "projection", "adams", "bodies"},
    {"relative", "recursive", "projection", "adams", "tree"},
    {"relative", "recursive", "projection", "bdf", "auto"},
    {"relative", "recursive", "projection", "dop853", "whole"},
    {"relative", "recursive", "projection", "dopri5", "whole"},
    {"reference-point", "lagrange-proximal", "baumgarte", "dopri5", "bodies"},
    {"reference-point", "lagrange-proximal", "baumgarte", "dop853", "bodies"},
    {"reference-point", "lagrange-proximal", "none", "dopri5", "bodies"},
    {"reference-point", "lagrange-proximal", "none", "dop853", "bodies"},
    {"reference-point", "lagrange-proximal", "none", "abm", "bodies"},
    {"natural", "lagrange", "projection", "dopri5", "whole"},
    {"natural", "lagrange", "projection", "dop853", "whole"},
    {"natural", "lagrange", "projection", "abm", "whole"},
    {"relative", "lagrange", "projection", "dop853", "whole"},
    {"relative", "lagrange", "projection", "dopri5", "whole"},
    {"relative", "independent", "auto", "dopri5", "auto"},
    {"relative", "independent", "auto", "dop853", "auto"},
    {"relative", "independent", "auto", "abm", "auto"},
    {"reference-point", "independent-extended", "auto", "dopri5", "auto"},
    {"reference-point", "independent-extended", "auto", "verner6", "auto"},
    {"reference-point", "nullspace-qr", "projection", "dopri5", "whole"},
    {"reference-point", "nullspace-qr", "projection", "dop853", "whole"},
    {"reference-point", "nullspace-svd", "projection", "dop853", "whole"},
    {"reference-point", "augmented-lagrangian", "projection", "dop853", "whole"},
    {"euler-zxz", "lagrange", "projection", "dop853", "whole"},
    {"reference-point", "auto", "auto", "ida", "auto"},
    {"reference-point", "auto", "auto", "hht", "auto"},
};

void print(const std::string& setting, double tolerance, const Outcome& outcome, double error) {
  fmt::print(
      "{{\"setting\": \"{}\", \"tolerance\": {}, \"cpu\": {:.4g}, \"evaluations\": {}, \"error\": {}, \"chosen\": "
      "\"{}\"}}\n",
      setting, tolerance, outcome.cpu, outcome.evaluations,
      std::isfinite(error) ? fmt::format("{:.3g}", error) : "null", outcome.chosen);
  std::fflush(stdout);
}

void sweep(Bench& bench, bool quick) {
  bench.find_reference();
  fmt::print("{{\"duration\": {:.6g}, \"uncertainty\": {:.3g}}}\n", bench.duration(), bench.uncertainty());
  if (!std::isfinite(bench.uncertainty())) return;
  const double enough = quick ? 0.002 : 0.006;
  struct Point {
    double error, cpu;
  };
  std::vector<Point> points;
  long most_steps = 1000;  // more than the evaluations of `auto` are too many
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Setting all_auto = {"auto", "auto", "auto", "auto", "auto"};
    const Outcome outcome = bench.run(all_auto, tolerance, 1e7, 2 * enough);
    const double error = outcome.ok ? bench.error(outcome.positions, bench.reference()) : INFINITY;
    print("auto", tolerance, outcome, error);
    most_steps = std::max(most_steps, outcome.evaluations);
    if (outcome.ok) points.push_back({std::max(error, bench.uncertainty()), outcome.cpu});
  }
  for (const Setting& setting : settings) {
    int behind = 0;
    for (double tolerance = 1e-3; tolerance > 2e-13 && behind < 2; tolerance /= quick ? 100 : 10) {
      const Outcome outcome = bench.run(setting, tolerance, static_cast<double>(most_steps), enough);
      if (!outcome.ok) {
        if (outcome.cpu == 0) break;  // refused
        ++behind;
        continue;
      }
      const double error = std::max(bench.error(outcome.positions, bench.reference()), bench.uncertainty());
      print(text(setting), tolerance, outcome, error);
      const bool beaten = std::any_of(points.begin(), points.end(),
                                      [&](const Point& p) { return p.error <= error && p.cpu < 0.4 * outcome.cpu; });
      behind = beaten ? behind + 1 : 0;
      points.push_back({error, outcome.cpu});
      if (error < 1.5 * bench.uncertainty()) break;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: bricard_auto_driver MODEL [quick]\n");
    return 2;
  }
  try {
    Bench bench(arguments[1]);
    sweep(bench, count > 2);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
