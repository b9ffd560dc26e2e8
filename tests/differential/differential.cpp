// Random mechanisms by many methods, against each other and against the plain reference of reference.h. Each mechanism
// comes from one number and is tried in a process of its own, so that a crash is a finding like any other.
//   differential --count 2000 --seed 1              mechanisms 1 to 2000
//   differential --seed 17 --verbose                one, with every combination
//   differential --model found.yaml                 a model file (combinations of --seed)
//   differential --count 200 --shard 2/4            the second quarter of them
// A combination agrees with the reference, or is refused by InputError, or its run stops with a message. Anything else
// is a finding, printed with its seed, its method and a model that shows it, made as small as leaving parts out can.
// Exit codes: 0 nothing found, 1 findings.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "analyses/reactions/physical_reactions.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "coordinates/coordinates.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "mechanism.h"
#include "pseudoinverses/pseudoinverse.h"
#include "reference.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard::differential {
namespace {

constexpr double tolerance = 1e-8;
constexpr int seconds_for_one = 60;  // a run of 0.4 s takes milliseconds
constexpr std::uint64_t other_draw = 1'000'000'007;

enum class Verdict { agrees, refused, stopped, wrong };

struct Outcome {
  Verdict verdict = Verdict::agrees;
  std::string text;
  double ratio = 0;  // largest error by its bound
};

/// What a mechanism does, by the reference.
struct Expected {
  ReferenceState start, end;
  ReferenceAccelerations begin;
  double uncertainty = 0;  // of `end`
  double speed = 1;        // largest velocity, angular ones times 1 m
  double jerk = 1;         // how fast accelerations change, for methods of second order
};

ReferenceState state_of(const Model& model, const MemorySink& data, std::size_t row) {
  ReferenceState s;
  s.t = data.at(row, "time");
  for (const Body& body : model.bodies) {
    const auto value = [&](const char* what) { return data.at(row, body.name + "." + what); };
    if (model.planar()) {
      s.place.push_back({value("x"), value("y"), 0});
      s.velocity.push_back({value("vx"), value("vy"), 0});
      s.spin.push_back({0, 0, value("omega")});
      s.orientation.push_back(Quaternion(Eigen::AngleAxisd(value("angle"), Vec3::UnitZ())));
    } else {
      s.place.push_back({value("x"), value("y"), value("z")});
      s.velocity.push_back({value("vx"), value("vy"), value("vz")});
      s.spin.push_back({value("wx"), value("wy"), value("wz")});
      s.orientation.push_back(Quaternion(value("qw"), value("qx"), value("qy"), value("qz")));
    }
  }
  return s;
}

double largest(const std::vector<Vec3>& list) {
  double size = 0;
  for (const Vec3& v : list) size = std::max(size, v.norm());
  return size;
}

/// The reference cannot say: near a singular position, or too wild a motion.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The mechanism itself is refused, by any method.
struct RefusedWhole : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Found : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Method default_method() {
  Method method;
  method.tolerance = tolerance;
  return method;
}

/// The motion from a start that has to satisfy the constraints and what `initial` gives.
Expected expected_from(const Model& model, const Reference& reference, const ReferenceState& start) {
  Expected expected;
  expected.start = start;
  expected.start.bristles = Vector::Zero(reference.bristle_count());
  try {
    expected.begin = reference.accelerations(expected.start, true);
  } catch (const std::runtime_error& error) {
    throw Unfit(error.what());
  }
  const ReferenceAccelerations& begin = expected.begin;
  if (begin.least_singular < 1e-3 || begin.first_dropped > 1e-12) throw Unfit("near a singular position");
  if (begin.constraint_error > 1e-9 || begin.velocity_error > 1e-9)
    throw Found(fmt::format("the start violates constraints by {:.2e} (positions), {:.2e} (velocities)",
                            begin.constraint_error, begin.velocity_error));
  const double initial_error = reference.initial_error(expected.start);
  if (initial_error > 1e-9) throw Found(fmt::format("the start is off what `initial` says by {:.2e}", initial_error));
  try {
    ReferenceState coarse = reference.advance(expected.start, model.simulation.duration, 20);
    for (int steps = 40;; steps *= 2) {
      expected.end = reference.advance(expected.start, model.simulation.duration, steps);
      const StateDifference d = difference(coarse, expected.end);
      expected.uncertainty = std::max(d.position, d.velocity) / 15;
      if (expected.uncertainty < 1e-8) break;
      if (steps >= 320) throw Unfit("too wild for the reference");
      coarse = expected.end;
    }
  } catch (const Unfit&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Unfit(error.what());
  }
  const ReferenceAccelerations at_end = reference.accelerations(expected.end, true);
  if (at_end.least_singular < 1e-3 || at_end.rank != begin.rank) throw Unfit("near a singular position at the end");
  expected.speed = std::max({1.0, largest(expected.start.velocity), largest(expected.end.velocity),
                             largest(expected.start.spin), largest(expected.end.spin)});
  const double accelerations =
      std::max({1.0, largest(begin.linear), largest(begin.angular), largest(at_end.linear), largest(at_end.angular)});
  // Frequencies of the motion are of the size of accelerations over speeds.
  const double rate = std::max(10.0, accelerations / expected.speed);
  expected.jerk = accelerations * rate;
  return expected;
}

/// The start is the default's.
Expected expected_of(const std::shared_ptr<const Model>& model) {
  const Reference reference(*model);
  SimulationResult run;
  try {
    run = simulate(model, default_method());
  } catch (const InputError& error) {
    throw RefusedWhole(error.what());
  }
  if (run.data.rows.empty()) throw RefusedWhole(run.summary.failure);
  const Expected expected = expected_from(*model, reference, state_of(*model, run.data, 0));
  const int freedoms = (model->planar() ? 3 : 6) * static_cast<int>(model->bodies.size()) - expected.begin.rank;
  if (run.summary.structure.degrees_of_freedom != freedoms)
    throw Found(fmt::format("{} degrees of freedom, the reference counts {}", run.summary.structure.degrees_of_freedom,
                            freedoms));
  return expected;
}

/// Bounds of errors at the end: a small multiple of the tolerance for what controls its error, the second-order error
/// of the step for what does not, and the approximation that a method makes by its nature.
double bound_of(const Method& method, const Expected& expected) {
  double bound = 100 * tolerance * expected.speed + 10 * expected.uncertainty;
  const std::string& integrator = method.integrator;
  if (integrator == "ida" || integrator == "bdf" || integrator == "adams") bound *= 20;
  if (integrator == "hht") bound *= 300;  // its tolerance is 100 times larger
  if (integrator == "alf3") bound += method.step * method.step * expected.jerk * 10;
  if (method.formulation == "penalty") bound += 1e-4 * expected.speed;
  return bound;
}

/// `same_start`: one that `initial` leaves open has to be the default's as well.
Outcome try_method(const std::shared_ptr<const Model>& model, const Method& method, const Expected& of_default,
                   bool is_default, bool same_start) {
  SimulationResult run;
  try {
    run = simulate(model, method);
  } catch (const InputError& error) {
    if (std::strlen(error.what()) == 0) return {Verdict::wrong, "refused without a reason"};
    return {is_default ? Verdict::wrong : Verdict::refused, error.what()};
  } catch (const std::exception& error) {
    return {Verdict::wrong, std::string("an exception that is no InputError: ") + error.what()};
  }
  const Summary& summary = run.summary;
  for (const Vector& row : run.data.rows) {
    if (!row.allFinite()) return {Verdict::wrong, "a row with a number that is not finite"};
  }
  if (!summary.ok()) {
    if (summary.failure.empty()) return {Verdict::wrong, "stopped without a reason"};
    return {is_default ? Verdict::wrong : Verdict::stopped, summary.failure};
  }
  if (run.data.rows.size() < 2) return {Verdict::wrong, "completed with fewer than two rows"};
  const ReferenceState start = state_of(*model, run.data, 0),
                       end = state_of(*model, run.data, run.data.rows.size() - 1);
  const StateDifference at_start = difference(start, of_default.start);
  Outcome outcome;
  const auto compare = [&](const std::string& what, double error, double limit) {
    outcome.ratio = std::max(outcome.ratio, error / limit);
    if (error <= limit || outcome.verdict == Verdict::wrong) return;
    outcome.verdict = Verdict::wrong;
    outcome.text = fmt::format("{} differ from the reference by {:.2e} (bound {:.1e})", what, error, limit);
  };
  Expected of_start;
  const bool other_start = at_start.position > 1e-9 || at_start.velocity > 1e-8 * of_default.speed;
  if (other_start && same_start) {
    compare("positions at the start", at_start.position, 1e-9);
    compare("velocities at the start", at_start.velocity, 1e-8 * of_default.speed);
  } else if (other_start) {
    try {
      of_start = expected_from(*model, Reference(*model), start);
    } catch (const Unfit&) {
      return {Verdict::stopped, "another start, for which the reference has no motion"};
    } catch (const Found& what) {
      return {Verdict::wrong, what.what()};
    }
  }
  const Expected& expected = other_start && !same_start ? of_start : of_default;
  const double bound = bound_of(summary.chosen.method, expected);
  const StateDifference at_end = difference(end, expected.end);
  compare("positions at the end", at_end.position, bound);
  compare("velocities at the end", at_end.velocity, 10 * bound);
  // Reactions at the start: no error of integration is in them.
  double reaction_bound = 1e-6 * std::max(1.0, expected.begin.loads);
  if (method.formulation == "penalty") reaction_bound = 1e-3 * std::max(1.0, expected.begin.loads);
  for (const ReferenceReaction& reaction : expected.begin.reactions) {
    const auto column = std::find(run.data.columns.begin(), run.data.columns.end(), reaction.column);
    if (column == run.data.columns.end()) return {Verdict::wrong, "no column " + reaction.column};
    if (!reaction.unique) continue;
    const double value = run.data.rows[0][column - run.data.columns.begin()];
    compare("reactions at the start (" + reaction.column + ")", std::abs(value - reaction.value), reaction_bound);
  }
  return outcome;
}

// --- combinations ---

template <class Types>
std::string some_name(Dice& dice, const Types& types) {
  return dice.one_of(types).name;
}

Method random_method(Dice& dice, bool planar) {
  Method m = default_method();
  if (dice.chance(0.8)) {
    do {
      m.coordinates = some_name(dice, coordinates_types());
    } while (planar && !find_coordinates_type(m.coordinates)->planar);
  }
  if (dice.chance(0.85)) m.formulation = some_name(dice, formulation_types());
  if (dice.chance(0.5)) m.stabilization = some_name(dice, stabilization_types());
  if (dice.chance(0.6)) m.integrator = some_name(dice, integrator_types());
  if (dice.chance(0.5)) m.reactions = some_name(dice, reaction_scheme_types());
  if (dice.chance(0.3)) {
    // Those as printed lose digits, or are wrong where rank is missing, as they say.
    const PseudoinverseTraits* traits = nullptr;
    do {
      m.pseudoinverse = some_name(dice, pseudoinverse_types());
      traits = &find_pseudoinverse_type(m.pseudoinverse)->traits;
    } while (!traits->any_rank || traits->squares_condition);
  }
  if (dice.chance(0.3)) m.selection = some_name(dice, selection_types());
  if (dice.chance(0.3)) m.rescue = dice.chance(0.5) ? "on" : "off";
  if (!m.integrator.empty() && find_integrator_type(m.integrator)->fixed_step) m.step = 1e-3;
  // The tolerance of second-order methods is dear: theirs is checked by the bound of their own.
  if (m.integrator == "hht") m.tolerance = 1e-6;
  return m;
}

std::string options_of(const Method& m) {
  std::string text;
  const auto option = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" --{} {}", name, value);
  };
  option("coordinates", m.coordinates);
  option("formulation", m.formulation);
  option("stabilization", m.stabilization);
  option("integrator", m.integrator);
  option("reactions", m.reactions);
  option("pseudoinverse", m.pseudoinverse);
  option("selection", m.selection);
  option("dynamics", m.dynamics);
  option("rescue", m.rescue);
  option("tolerance", fmt::format("{:g}", m.tolerance));
  if (m.step > 0) option("step", fmt::format("{:g}", m.step));
  return text;
}

// --- processes ---

/// What a process wrote, and how it ended.
struct Process {
  std::string text, end;  // `end` is empty for a normal one
};

template <class Work>
Process in_a_process(const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    alarm(seconds_for_one);
    const auto say = [&ends](const std::string& line) {
      const std::string whole = line + "\n";
      [[maybe_unused]] const auto written = write(ends[1], whole.data(), whole.size());
    };
    try {
      work(say);
    } catch (const std::exception& error) {
      say(std::string("FOUND an exception: ") + error.what());
    }
    _exit(0);
  }
  close(ends[1]);
  Process process;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    process.text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    process.end = WTERMSIG(status) == SIGALRM ? fmt::format("no end within {} s", seconds_for_one)
                                              : fmt::format("crashed: {}", strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    process.end = fmt::format("exit code {}", WEXITSTATUS(status));
  return process;
}

struct Settings {
  std::uint64_t seed = 1;
  int count = 1, combinations = 8;
  int shard = 1, shards = 1;
  bool verbose = false, shrink = true, same_start = false, joints_twice = false;
  std::string model;
};

/// Tries a model by `combinations` methods that are not refused, or three times as many. Lines: RUN options, then one
/// of AGREES ratio, REFUSED, STOPPED, FOUND.
template <class Say>
void try_model(const std::string& yaml, std::uint64_t seed, const Settings& settings, const Say& say,
               const std::optional<Method>& only = {}) {
  std::shared_ptr<const Model> model;
  try {
    model = load_text(yaml, "random");
  } catch (const InputError& error) {
    return say(std::string("FOUND a model that cannot be read: ") + error.what());
  }
  Expected expected;
  try {
    say("RUN" + options_of(default_method()));
    expected = expected_of(model);
  } catch (const Unfit& why) {
    return say(std::string("UNFIT ") + why.what());
  } catch (const RefusedWhole& why) {
    return say(std::string("REFUSED_WHOLE ") + why.what());
  } catch (const Found& what) {
    return say(std::string("FOUND ") + what.what());
  }
  const auto report = [&](const Method& method, bool is_default) {
    say("RUN" + options_of(method));
    const Outcome outcome = try_method(model, method, expected, is_default, settings.same_start);
    std::string text = outcome.text;
    std::replace(text.begin(), text.end(), '\n', ' ');
    switch (outcome.verdict) {
      case Verdict::agrees: say(fmt::format("AGREES {:.2e}", outcome.ratio)); break;
      case Verdict::refused: say("REFUSED " + text); break;
      case Verdict::stopped: say("STOPPED " + text); break;
      case Verdict::wrong: say("FOUND " + text); break;
    }
    return outcome.verdict;
  };
  if (only) {
    report(*only, false);
    return;
  }
  report(default_method(), true);
  Dice dice(seed ^ 0xABCDEF);
  int done = 0;
  for (int k = 0; k < 3 * settings.combinations && done < settings.combinations; ++k) {
    if (report(random_method(dice, model->planar()), false) != Verdict::refused) ++done;
  }
}

/// The method that `number` combinations of a seed come to.
Method method_of(std::uint64_t seed, bool planar, int number) {
  if (number < 0) return default_method();
  Dice dice(seed ^ 0xABCDEF);
  Method method;
  for (int k = 0; k <= number; ++k) method = random_method(dice, planar);
  return method;
}

/// "FOUND positions" without its numbers: what a smaller mechanism has to show as well.
std::string kind_of(const std::string& text) { return text.substr(0, text.find_first_of("0123456789(:")); }

std::optional<std::string> finding_of(const Process& process) {
  if (!process.end.empty()) return process.end;
  std::istringstream lines(process.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("FOUND ")) return line.substr(6);
  }
  return {};
}

Mechanism shrunk(Mechanism mechanism, std::uint64_t seed, const Settings& settings, const std::optional<Method>& method,
                 const std::string& kind) {
  int tries = 0;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t k = mechanism.entries.size(); k-- > 0 && tries < 100;) {
      const Mechanism candidate = mechanism.without(k);
      if (candidate.yaml().find("\nbodies:") == std::string::npos) continue;
      ++tries;
      const Process process =
          in_a_process([&](const auto& say) { try_model(candidate.yaml(), seed, settings, say, method); });
      const std::optional<std::string> found = finding_of(process);
      if (!found || kind_of(*found) != kind) continue;
      mechanism = candidate;
      smaller = true;
      k = std::min(k, mechanism.entries.size());
    }
  }
  return mechanism;
}

struct Totals {
  int mechanisms = 0, unfit = 0, refused_whole = 0;
  int agrees = 0, refused = 0, stopped = 0, findings = 0;
  double ratio = 0;
  std::map<std::string, int> kinds;
};

/// Tries one seed; false if the mechanism is unfit and another has to be drawn.
bool try_seed(std::uint64_t seed, const Settings& settings, Totals& totals) {
  const Mechanism mechanism = random_mechanism(seed, settings.joints_twice);
  const std::string yaml = mechanism.yaml();
  const Process process = in_a_process([&](const auto& say) { try_model(yaml, seed, settings, say); });
  if (settings.verbose) fmt::print("{}{}", yaml, process.text);
  std::istringstream lines(process.text);
  std::string options, line;
  int number = -3;  // the first two are the default, for the start and then compared
  bool fit = true;
  const auto found = [&](const std::string& text) {
    ++totals.findings;
    fmt::print("\nFOUND with seed {} ({}):\n  run{}\n  {}\n", seed, mechanism.kind, options, text);
    Mechanism small = mechanism;
    if (settings.shrink) {
      std::optional<Method> method;
      if (number >= 0) method = method_of(seed, mechanism.planar, number);
      small = shrunk(mechanism, seed, settings, method, kind_of(text));
    }
    fmt::print("{}", small.yaml());
    std::fflush(stdout);
  };
  while (std::getline(lines, line)) {
    if (line.starts_with("RUN")) {
      options = line.substr(3);
      ++number;
    } else if (line.starts_with("AGREES ")) {
      ++totals.agrees;
      totals.ratio = std::max(totals.ratio, std::stod(line.substr(7)));
    } else if (line.starts_with("REFUSED_WHOLE")) {
      ++totals.refused_whole;
    } else if (line.starts_with("REFUSED")) {
      ++totals.refused;
    } else if (line.starts_with("STOPPED")) {
      ++totals.stopped;
    } else if (line.starts_with("UNFIT")) {
      ++totals.unfit;
      fit = false;
    } else if (line.starts_with("FOUND ")) {
      found(line.substr(6));
    }
  }
  if (!process.end.empty()) found(process.end);
  if (fit) {
    ++totals.mechanisms;
    ++totals.kinds[mechanism.kind.substr(0, mechanism.kind.find(','))];
  }
  return fit;
}

int run(const Settings& settings) {
  Totals totals;
  if (!settings.model.empty()) {
    std::ifstream file(settings.model);
    std::ostringstream text;
    text << file.rdbuf();
    Settings all = settings;
    all.combinations = std::max(settings.combinations, 40);
    const Process process = in_a_process([&](const auto& say) { try_model(text.str(), settings.seed, all, say); });
    fmt::print("{}{}\n", process.text, process.end);
    return finding_of(process) ? 1 : 0;
  }
  for (int k = settings.shard - 1; k < settings.count; k += settings.shards) {
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(k);
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      if (try_seed(seed + draw * other_draw, settings, totals)) break;
    }
  }
  fmt::print(
      "{} mechanisms ({} drawn again, {} refused): {} combinations agree (errors up to {:.2g} of their bounds), {} "
      "refused, {} stopped, {} findings\n",
      totals.mechanisms, totals.unfit, totals.refused_whole, totals.agrees, totals.ratio, totals.refused,
      totals.stopped, totals.findings);
  for (const auto& [kind, count] : totals.kinds) fmt::print("  {:<32}{}\n", kind, count);
  // A test that tries nothing finds nothing.
  if (settings.count >= 20 && (totals.agrees < 4 * totals.mechanisms || totals.stopped > totals.agrees / 2)) {
    fmt::print("too few combinations ran to their end\n");
    return 1;
  }
  return totals.findings > 0 ? 1 : 0;
}

int usage() {
  fmt::print(stderr,
             "usage: differential [--count N] [--seed S] [--shard I/N] [--combinations N] [--model FILE] [--verbose] "
             "[--no-shrink] [--same-start] [--joints-twice]\n");
  return 2;
}

}  // namespace
}  // namespace bricard::differential

int main(int count, char** arguments) {
  using namespace bricard::differential;
  Settings settings;
  for (int k = 1; k < count; ++k) {
    const std::string name = arguments[k];
    if (name == "--verbose") {
      settings.verbose = true;
    } else if (name == "--no-shrink") {
      settings.shrink = false;
    } else if (name == "--joints-twice") {
      settings.joints_twice = true;
    } else if (name == "--same-start") {
      settings.same_start = true;
    } else if (k + 1 == count) {
      return usage();
    } else if (name == "--count") {
      settings.count = std::atoi(arguments[++k]);
    } else if (name == "--seed") {
      settings.seed = std::strtoull(arguments[++k], nullptr, 10);
    } else if (name == "--combinations") {
      settings.combinations = std::atoi(arguments[++k]);
    } else if (name == "--model") {
      settings.model = arguments[++k];
    } else if (name == "--shard") {
      if (std::sscanf(arguments[++k], "%d/%d", &settings.shard, &settings.shards) != 2) return usage();
    } else {
      return usage();
    }
  }
  return run(settings);
}
