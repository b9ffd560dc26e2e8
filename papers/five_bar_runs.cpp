// Exact motion: with phi = theta + pi/2 the reduced equation is a pendulum's, phi'' = -w^2 sin(phi), w^2 = 34.335/3.05,
//   sin(phi/2) = k sn(w t + K(k), k),   k = sin(phi_0/2)
// sn by the arithmetic-geometric mean [Abramowitz-Stegun 16.4].
//
// The paper's settings. Section 4: the rank threshold equals the tolerance of the integrator, read as absolute, for
// D = P M^-1/2, and it stays there; it is otherwise kept above the constraint errors, because off the constraints
// redundant rows are independent by the amount of the drift. Captions: the initial time step is 0.66e-2 s. One way of
// giving up is taken from the printed texts: "precision loss of constraints equations", taken as a sum of squares of
// 0.1, since all such runs are printed with 9.9e-2.
#include "papers/five_bar_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <numbers>
#include <thread>

#include "analyses/assembly/assembly.h"
#include "analyses/run/worker_threads.h"
#include "bricard/simulate.h"
#include "dynamics/whole.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "motions/full.h"
#include "papers/shipped_models.h"
#include "papers/timing.h"
#include "system/typical_inertia.h"

namespace bricard::reproduce {
namespace {

constexpr double alpha = 1000, beta = 100;
constexpr double output_step = 0.05;
constexpr int five_bar_rank = 11;
constexpr double papers_largest_violation = 0.1;
constexpr long most_evaluations = 250'000;  // twice what any run needs that does not stall

double jacobi_sn(double u, double k) {
  double a[16], c[16];
  double b = std::sqrt(1 - k * k);
  a[0] = 1, c[0] = k;
  int n = 0;
  for (; n < 15 && std::abs(c[n]) > 1e-17; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  return std::sin(phi);
}

/// Places of the four bodies of the five-bar at an instant: x, y, angle each.
using Places = Eigen::Matrix<double, 12, 1>;

Places exact_places(double t) {
  const double theta = exact_five_bar_angle(t), c = std::cos(theta), s = std::sin(theta);
  Places places;
  places << c / 2, s / 2, theta, 1 + c / 2, s / 2, theta, 2 + c / 2, s / 2, theta, 1 + c, s, 0;
  return places;
}

double distance(const Places& a, const Places& b) {
  double largest = 0;
  for (int body = 0; body < 4; ++body) {
    const auto difference = (a - b).segment<3>(3 * body);
    largest = std::max({largest, difference.head<2>().norm(), std::abs(difference[2])});
  }
  return largest;
}

/// Collects what is judged at each output.
class Judge {
 public:
  explicit Judge(FiveBarRun& run) : run_(run) {}

  void see(double t, const Places& places, double violation) {
    const double error = distance(places, exact_places(t));
    correct_ = correct_ && error <= correct_within;
    if (correct_) run_.correct_until = t;
    run_.error = std::max(run_.error, error);
    run_.violation = std::max(run_.violation, violation);
    run_.times.push_back(t);
    run_.violations.push_back(violation);
  }

 private:
  FiveBarRun& run_;
  bool correct_ = true;
};

Method method_of(const FiveBarCase& asked) {
  Method method;
  method.tolerance = asked.tolerance;
  method.duration = asked.duration;
  method.output_step = output_step;
  if (asked.pseudoinverse.empty()) return method;
  method.formulation = "udwadia-kalaba", method.dynamics = asked.dynamics;
  method.pseudoinverse = asked.pseudoinverse;
  method.integrator = "adams";
  method.stabilization = asked.baumgarte ? "baumgarte" : "none";
  if (asked.baumgarte) method.alpha = alpha, method.beta = beta;
  return method;
}

void run_ours(const std::shared_ptr<const Model>& model, FiveBarRun& run) {
  const SimulationResult result = simulate(model, method_of(run.asked));
  run.completed = result.ok();
  run.failure = result.summary.failure;
  run.stopped = result.summary.time;
  run.steps = result.summary.steps;
  run.evaluations = result.summary.evaluations - result.summary.outputs;
  run.cpu_seconds = result.summary.cpu_seconds;
  Judge judge(run);
  std::vector<int> columns;
  for (const char* body : {"link1", "link2", "link3", "coupler"})
    columns.push_back(result.data.index(std::string(body) + ".x"));
  const int norm = result.data.index("constraint.position");
  for (const auto& row : result.data.rows) {
    Places places;
    for (int body = 0; body < 4; ++body) places.segment<3>(3 * body) = row.segment<3>(columns[body]);
    judge.see(row[0], places, row[norm] * row[norm]);
  }
}

/// Counts the ranks that are found.
class RankCounter : public Formulation {
 public:
  RankCounter(std::unique_ptr<Formulation> inner, std::map<int, long>& ranks)
      : inner_(std::move(inner)), ranks_(ranks) {}
  Status factorize(const Equations& equations) override {
    const Status status = inner_->factorize(equations);
    ++ranks_[inner_->rank()];
    return status;
  }
  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    return inner_->solve(Q, gamma, vdot, lambda);
  }
  const char* failure() const override { return inner_->failure(); }
  int rank() const override { return inner_->rank(); }

 private:
  std::unique_ptr<Formulation> inner_;
  std::map<int, long>& ranks_;
};

/// The same mechanism with its last body, the coupler, as the first.
std::shared_ptr<const Model> with_coupler_first(const Model& model) {
  auto turned = std::make_shared<Model>(model);
  const auto count = static_cast<int>(turned->bodies.size());
  std::rotate(turned->bodies.begin(), turned->bodies.end() - 1, turned->bodies.end());
  for (Joint& joint : turned->joints) {
    for (int* body : {&joint.i, &joint.j}) {
      if (*body >= 0) *body = (*body + 1) % count;
    }
  }
  return turned;
}

std::shared_ptr<const Model> model_of(const FiveBarCase& asked) {
  const auto model = shipped_model("five-bar");
  return asked.coupler_first ? with_coupler_first(*model) : model;
}

/// P M^-1/2 where a model is put together, all masses on the diagonal of M.
Matrix scaled_jacobian(const std::shared_ptr<const Model>& model) {
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  const Assembly assembly = assemble(model, coordinates);
  System system(model, coordinates);
  start_at(system, assembly);
  Equations eq = system.empty_equations();
  system.evaluate(0, assembly.q, assembly.v, Vector(), Upto::dynamics, eq);
  Matrix P(eq.rows(), eq.velocities()), M(eq.velocities(), eq.velocities());
  eq.dense_jacobian(P);
  eq.dense_mass(M);
  return P * M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
}

class PapersRun {
 public:
  PapersRun(const std::shared_ptr<const Model>& model, FiveBarRun& run)
      : run_(run),
        judge_(run),
        coordinates_(*find_coordinates_type("reference-point")),
        assembly_(assemble(model, coordinates_)),
        system_(model, coordinates_),
        watched_(model, coordinates_),
        equations_(watched_.empty_equations()) {
    start_at(system_, assembly_);
    FormulationOptions options;
    options.pseudoinverse = run.asked.pseudoinverse;
    options.threshold = run.asked.tolerance;
    options.threshold_is_absolute = options.threshold_is_fixed = true;
    options.typical_inertia = typical_inertia(system_);
    auto formulation = find_formulation_type("udwadia-kalaba")->create(system_.empty_equations(), options);
    StabilizationOptions gains;
    gains.alpha = alpha, gains.beta = beta;
    const char* stabilization = run.asked.baumgarte ? "baumgarte" : "none";
    auto feedback = find_stabilization_type(stabilization)->create(system_, gains);
    auto whole = std::make_unique<Whole>(system_, std::make_unique<RankCounter>(std::move(formulation), ranks_),
                                         feedback->feedback());
    motion_ = std::make_unique<FullMotion>(system_, std::move(whole), std::move(feedback));
    integrator_ =
        find_integrator_type("adams")->create({.tolerance = run.asked.tolerance, .first_step = papers_first_step});
    x_.resize(motion_->size());
  }

  void go() {
    const double started = thread_seconds();
    motion_->pack(0, assembly_.q, assembly_.v, x_);
    see(0);
    run_.completed = integrator_->start(*motion_, 0, x_) == Status::ok && advance();
    run_.cpu_seconds = thread_seconds() - started - output_seconds_;
    run_.stopped = integrator_->time();
    run_.steps = integrator_->counts().steps;
    run_.evaluations = integrator_->counts().evaluations;
    long all = 0;
    for (const auto& [rank, count] : ranks_) all += count;
    if (all > 0) run_.wrong_rank_share = 1 - static_cast<double>(ranks_[five_bar_rank]) / static_cast<double>(all);
  }

 private:
  bool advance() {
    const double end = run_.asked.duration;
    const long last = std::lround(end / output_step);
    for (long next = 1; next <= last; ++next) {
      const double at = next == last ? end : static_cast<double>(next) * output_step;
      while (integrator_->time() < at) {
        if (integrator_->step(end) != Status::ok) return fail(integrator_->failure());
        if (integrator_->counts().evaluations > most_evaluations)
          return fail(fmt::format("more than {} evaluations", most_evaluations));
      }
      if (integrator_->interpolate(at, x_) != Status::ok) return fail(integrator_->failure());
      if (!see(at)) return fail("the precision of the constraint equations is lost");
    }
    return true;
  }

  bool fail(const std::string& why) {
    run_.failure = why;
    return false;
  }

  bool see(double t) {
    const double started = thread_seconds();
    q_ = x_.head(watched_.position_size());
    v_ = x_.segment(watched_.position_size(), watched_.velocity_size());
    watched_.evaluate(t, q_, v_, Vector(), Upto::positions, equations_);
    const double violation = equations_.Phi.squaredNorm();
    judge_.see(t, in_order(q_), violation);
    output_seconds_ += thread_seconds() - started;
    return violation < papers_largest_violation;
  }

  /// Links first, whatever the order of the bodies.
  Places in_order(const Vector& q) const {
    Places places;
    if (run_.asked.coupler_first) {
      places << q.tail<9>(), q.head<3>();
    } else {
      places = q;
    }
    return places;
  }

  FiveBarRun& run_;
  Judge judge_;
  const CoordinatesType& coordinates_;
  Assembly assembly_;
  System system_, watched_;  // the second one evaluates outputs
  Equations equations_;
  std::map<int, long> ranks_;
  std::unique_ptr<FullMotion> motion_;
  std::unique_ptr<Integrator> integrator_;
  Vector x_, q_, v_;
  double output_seconds_ = 0;  // no part of what is timed
};

bool follows_paper(const FiveBarCase& asked) { return asked.paper_settings && !asked.pseudoinverse.empty(); }

void run_once(FiveBarRun& run) {
  const auto model = model_of(run.asked);
  if (follows_paper(run.asked)) {
    PapersRun(model, run).go();
  } else {
    run_ours(model, run);
  }
}

/// Without outputs, which are no part of what is timed.
double time_once(const FiveBarCase& asked) {
  const auto model = model_of(asked);
  if (follows_paper(asked)) {
    FiveBarRun again{.asked = asked};
    PapersRun(model, again).go();
    return again.cpu_seconds;
  }
  Method method = method_of(asked);
  method.output_step = asked.duration;
  return simulate(model, method).summary.cpu_seconds;
}

}  // namespace

double exact_five_bar_angle(double t) {
  static const double w = std::sqrt(34.335 / 3.05), k = std::sin(std::numbers::pi / 6), K = std::comp_ellint_1(k);
  return 2 * std::asin(k * jacobi_sn(w * t + K, k)) - std::numbers::pi / 2;
}

Matrix five_bar_matrix(double angle, bool coupler_first) {
  const auto model = shipped_model("five-bar", {{"theta0", fmt::format("{:.17g}", angle)}});
  return scaled_jacobian(coupler_first ? with_coupler_first(*model) : model);
}

Matrix pendulum_matrix(double angle) { return five_bar_matrix(angle, false).topLeftCorner(2, 3); }

std::vector<FiveBarRun> run_five_bars(const std::vector<FiveBarCase>& cases, int repeats,
                                      const std::function<void(double, const std::string&)>& progress) {
  std::vector<FiveBarRun> runs;
  for (const FiveBarCase& asked : cases) runs.push_back({.asked = asked});
  const auto all = static_cast<double>(runs.size() * static_cast<std::size_t>(1 + repeats));
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex speaking;
  const auto tell = [&](const FiveBarRun& run) {
    const std::lock_guard lock(speaking);
    if (progress) progress(static_cast<double>(++done) / all, run.asked.pseudoinverse);
  };
  std::exception_ptr problem;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < runs.size(); k = next++) {
        run_once(runs[k]);
        tell(runs[k]);
      }
    } catch (...) {
      const std::lock_guard lock(speaking);
      if (!problem) problem = std::current_exception();
      next = runs.size();
    }
  };
  run_on_threads(std::min(static_cast<int>(std::thread::hardware_concurrency()), static_cast<int>(runs.size())), work);
  if (problem) std::rethrow_exception(problem);
  for (int round = 0; round < repeats; ++round) {
    for (FiveBarRun& run : runs) {
      const double seconds = time_once(run.asked);
      run.cpu_seconds = round == 0 ? seconds : std::min(run.cpu_seconds, seconds);
      tell(run);
    }
  }
  return runs;
}

}  // namespace bricard::reproduce
