// Blajer, Schiehlen and Schirm: the projective criterion on the four-bar linkage (figure 3) and on the pendulum (closed
// forms (26)); the reaction schemes are in blajer_reactions.cpp.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "bricard/simulate.h"
#include "papers/blajer_linkage.h"
#include "papers/blajer_reactions.h"
#include "papers/reproduction.h"
#include "papers/shipped_models.h"
#include "papers/timing.h"
#include "selections/projective.h"

namespace bricard {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double degree = pi / 180;

std::string fixed(double value) { return fmt::format("{:.4f}", value + 0.0); }

// --- figure 3 ---

/// cos^2 of the three coordinates over a turn, by the projective criterion and by the singular value decomposition.
struct Turn {
  std::vector<double> degrees;
  std::vector<Vec3> projective, svd;
  double forms_differ = 0, direction_differs = 0, loop_error = 0;

  double lowest(int coordinate) const {
    double value = 1;
    for (const Vec3& cosines : projective) value = std::min(value, cosines[coordinate]);
    return value;
  }
  double highest(int coordinate) const {
    double value = 0;
    for (const Vec3& cosines : projective) value = std::max(value, cosines[coordinate]);
    return value;
  }
};

/// Part of the turn in which a coordinate is the best one, in per cent.
double part_best(const std::vector<Vec3>& cosines, int coordinate) {
  int count = 0;
  for (const Vec3& at : cosines) {
    int best = 0;
    at.maxCoeff(&best);
    count += best == coordinate;
  }
  return 100.0 * count / static_cast<double>(cosines.size());
}

Turn turn_of(BlajerLinkage& linkage, int positions) {
  Turn turn;
  for (int k = 0; k < positions; ++k) {
    const double angle = 360.0 * k / positions;
    linkage.place(angle * degree);
    const Vector by_freedoms = projective_criterion_by_freedoms(linkage.C, linkage.M);
    const Vector by_constraints = projective_criterion_by_constraints(linkage.C, linkage.M);
    turn.forms_differ = std::max(turn.forms_differ, (by_freedoms - by_constraints).lpNorm<Eigen::Infinity>());
    turn.direction_differs = std::max(turn.direction_differs, (linkage.C * linkage.D.transpose()).norm());
    turn.loop_error = std::max(turn.loop_error, linkage.loop_error);
    turn.degrees.push_back(angle);
    turn.projective.emplace_back(by_freedoms);
    // The null vector of C by SVD: its squared entries rank the coordinates without any masses.
    const Eigen::JacobiSVD<Matrix> factor(linkage.C, Eigen::ComputeFullV);
    turn.svd.emplace_back(factor.matrixV().col(2).cwiseAbs2());
  }
  return turn;
}

ReproducedPlot::Curve curve(const std::string& name, const Turn& turn, int coordinate) {
  ReproducedPlot::Curve curve{name, turn.degrees, {}};
  for (const Vec3& cosines : turn.projective) curve.y.push_back(cosines[coordinate]);
  return curve;
}

/// A run in independent coordinates.
struct ChangingRun {
  const char* integrator;
  const char* coordinates;
  const char* selection;  // or the coordinate that is kept
  double hysteresis;
  bool carries;
  Summary summary = {};
  double seconds = 0;  // CPU, smallest
  double error = 0;    // of alpha1 at the end

  std::string chosen() const {
    return std::string(selection) == "projective" ? fmt::format("projective, X = {:g}", hysteresis) : selection;
  }
  std::string change() const { return summary.renewals == 0 ? "-" : carries ? "carried" : "restart"; }
  double step() const { return summary.time / static_cast<double>(summary.steps); }
};
enum : int { alpha1_alone, restarted, carried };  // the first three of them

std::vector<ChangingRun> changing_runs(const std::shared_ptr<const Model>& model, const ReproduceOptions& options) {
  constexpr double end = 10, exact = 79.34079825355414;  // alpha1 of the motion from 0.3, 6 rad/s; extended precision
  std::vector<ChangingRun> runs;
  for (const char* integrator : {"abm", "adams"}) {
    runs.push_back({integrator, "relative", "O1.angle", 0, false});
    runs.push_back({integrator, "relative", "projective", 1, false});
    runs.push_back({integrator, "relative", "projective", 1, true});
    runs.push_back({integrator, "relative", "projective", 0.9, true});
    runs.push_back({integrator, "relative", "projective", 0.8, true});
    runs.push_back({integrator, "reference-point", "projective", 0.5, false});
    runs.push_back({integrator, "reference-point", "projective", 0.5, true});
  }
  std::vector<std::function<double()>> candidates;
  for (ChangingRun& run : runs) {
    candidates.emplace_back([&] {
      Method method;
      method.coordinates = run.coordinates, method.formulation = "independent", method.integrator = run.integrator;
      method.dynamics = options.dynamics;
      method.selection = run.selection;
      if (run.hysteresis > 0) method.hysteresis = run.hysteresis;
      method.carry_history = run.carries;
      method.tolerance = 1e-8, method.duration = end, method.output_step = end / 10;
      const SimulationResult result = simulate(model, method);
      run.summary = result.summary;
      run.error = std::abs(result.data.at(result.data.rows.size() - 1, "alpha") - exact);
      return result.summary.cpu_seconds;
    });
  }
  const std::vector<double> seconds = smallest_times(std::max(options.repeats, 3), candidates, [&](double fraction) {
    if (options.progress) options.progress(fraction, "changing coordinates");
  });
  for (std::size_t k = 0; k < runs.size(); ++k) runs[k].seconds = seconds[k];
  return runs;
}

/// How often the best coordinate is another one, over a turn.
int changes_in_turn(const Turn& turn) {
  int changes = 0, before = 0;
  turn.projective.back().maxCoeff(&before);
  for (const Vec3& at : turn.projective) {
    int best = 0;
    at.maxCoeff(&best);
    changes += best != before;
    before = best;
  }
  return changes;
}

void judge_changes(const std::vector<ChangingRun>& runs, const Turn& turn, std::vector<Claim>& claims) {
  const ChangingRun &alone = runs[alpha1_alone], &anew = runs[restarted], &on = runs[carried];
  const bool ok = alone.summary.ok() && anew.summary.ok() && on.summary.ok();
  constexpr double turns = (79.34079825355414 - 0.3) / (2 * pi);
  const double expected = changes_in_turn(turn) * turns;
  claims.push_back({"changes between alpha1 and alpha2 are necessary to integrate with the best coordinate",
                    ok && std::abs(static_cast<double>(on.summary.renewals) - expected) < 2,
                    fmt::format("{} changes in {:.1f} turns; figure 3 has {} in a turn", on.summary.renewals, turns,
                                changes_in_turn(turn))});
  claims.push_back({"a change can be done without a loss of integration order and step size",
                    ok && on.summary.restarts == 0 && on.step() > 0.9 * alone.step(),
                    fmt::format("history carried: {} restarts, mean step {:.2f} times that of alpha1 alone; with a "
                                "restart {:.2f} times",
                                on.summary.restarts, on.step() / alone.step(), anew.step() / alone.step())});
  const double more = on.seconds / alone.seconds;
  claims.push_back(
      {"changing the coordinates does not increase the computing time (10 % allowed)", ok && more < 1.1,
       fmt::format("{} changes take {:.2f} times the CPU of alpha1 alone, {} instead of {} evaluations; with restarts "
                   "{:.2f} times, {}",
                   on.summary.renewals, more, on.summary.evaluations, alone.summary.evaluations,
                   anew.seconds / alone.seconds, anew.summary.evaluations)});
  claims.push_back({"changing the coordinates does not propagate integration errors (3 times the error allowed)",
                    ok && on.summary.renewals > 0 && on.error < 3 * std::max(alone.error, 1e-6),
                    fmt::format("{} changes: alpha1 is off by {:.1e} instead of {:.1e} rad", on.summary.renewals,
                                on.error, alone.error)});
}

Reproduction figure_3(const ReproduceOptions& options) {
  Reproduction result{
      "blajer", "figure-3", "Figure 3: the projective criterion over a turn of the four-bar linkage", {}, {}, {}, {}};
  BlajerLinkage linkage, heavy(20);
  const int positions = options.fast ? 72 : 360;
  const Turn turn = turn_of(linkage, positions), heavier = turn_of(heavy, positions);

  ReproducedTable cosines{"cos^2 of the angle between each coordinate and the motion (23), every 30 degrees",
                          {"alpha1, deg", "alpha1", "alpha2", "alpha3", "best", "best, crank 20 times heavier"},
                          {}};
  const char* const names[] = {"alpha1", "alpha2", "alpha3"};
  for (int k = 0; k < positions; k += positions / 12) {
    int best = 0, best_heavy = 0;
    turn.projective[k].maxCoeff(&best), heavier.projective[k].maxCoeff(&best_heavy);
    cosines.rows.push_back({fmt::format("{:g}", turn.degrees[k]), fixed(turn.projective[k][0]),
                            fixed(turn.projective[k][1]), fixed(turn.projective[k][2]), names[best],
                            names[best_heavy]});
  }
  cosines.note = "The paper prints its figure without numbers; its statements on the figure are checked below.";
  result.tables.push_back(cosines);

  ReproducedTable parts{"Part of the turn in which a coordinate is the best one, per cent",
                        {"criterion", "alpha1", "alpha2", "alpha3"},
                        {}};
  const auto add = [&](const std::string& name, const std::vector<Vec3>& values) {
    parts.rows.push_back({name, fmt::format("{:.0f}", part_best(values, 0)),
                          fmt::format("{:.0f}", part_best(values, 1)), fmt::format("{:.0f}", part_best(values, 2))});
  };
  add("projective", turn.projective);
  add("projective, crank 20 times heavier", heavier.projective);
  add("singular values", turn.svd);
  add("singular values, crank 20 times heavier", heavier.svd);
  result.tables.push_back(parts);

  const std::vector<ChangingRun> runs = changing_runs(linkage.model(), options);
  ReproducedTable changes{
      "A run of 10 s in independent coordinates that may change on the way (Adams methods: abm of Shampine and "
      "Gordon, adams of CVODE; tolerance 1e-8); X: the coordinate "
      "changes where its cos^2 is below X times the best",
      {"integrator", "coordinates", "chosen by", "changes", "by", "restarts", "steps", "evaluations", "CPU, ms",
       "error of alpha1, rad"},
      {}};
  for (const ChangingRun& run : runs)
    changes.rows.push_back({run.integrator, run.coordinates, run.chosen(), std::to_string(run.summary.renewals),
                            run.change(), std::to_string(run.summary.restarts), std::to_string(run.summary.steps),
                            std::to_string(run.summary.evaluations), fmt::format("{:.3g}", 1e3 * run.seconds),
                            small(run.error)});
  changes.note =
      "Carried: all of (q, v) is the integrator's state, of which the right-hand side reads only the independent "
      "coordinates and rates; the best one is the best conditioned, which is not to say the most accurate.";
  result.tables.push_back(changes);

  result.plots.push_back({"Projective criterion (four-bar mechanism)",
                          "alpha1, deg",
                          "cos^2",
                          false,
                          false,
                          {curve("alpha1", turn, 0), curve("alpha2", turn, 1), curve("alpha3", turn, 2)}});
  result.plots.push_back({"The same with a crank 20 times heavier",
                          "alpha1, deg",
                          "cos^2",
                          false,
                          false,
                          {curve("alpha1", heavier, 0), curve("alpha2", heavier, 1), curve("alpha3", heavier, 2)}});

  const double lowest1 = turn.lowest(0), lowest2 = turn.lowest(1);
  result.claims.push_back({"alpha1 and alpha2 are acceptable in any configuration", lowest1 > 0.1 && lowest2 > 0.1,
                           fmt::format("smallest cos^2 {:.3f} and {:.3f}", lowest1, lowest2)});
  const double best1 = part_best(turn.projective, 0), best2 = part_best(turn.projective, 1);
  result.claims.push_back({"neither of them is the best over the whole turn", best1 > 0 && best2 > 0,
                           fmt::format("alpha1 is best in {:.0f} %, alpha2 in {:.0f} % of the turn", best1, best2)});
  const double up = turn.projective[positions / 4][2], down = turn.projective[3 * positions / 4][2];
  result.claims.push_back({"alpha3 leads to singularities at alpha1 = pi/2 and 3 pi/2", up < 1e-12 && down < 1e-12,
                           fmt::format("cos^2 {:.0e} and {:.0e} there", up, down)});
  int below = 0;
  for (const Vec3& at : turn.projective) below += at[2] < std::min(at[0], at[1]);
  result.claims.push_back(
      {"alpha3 is the worst choice, with small projections everywhere", below == positions,
       fmt::format("below both others in {} of {} positions, at most {:.3f}", below, positions, turn.highest(2))});
  result.claims.push_back({"(23a) and (23b) say the same", turn.forms_differ < 1e-10,
                           fmt::format("largest difference {:.1e}", turn.forms_differ)});
  double svd_changes = 0, projective_changes = 0;
  for (int k = 0; k < positions; ++k) {
    svd_changes = std::max(svd_changes, (turn.svd[k] - heavier.svd[k]).lpNorm<Eigen::Infinity>());
    projective_changes =
        std::max(projective_changes, (turn.projective[k] - heavier.projective[k]).lpNorm<Eigen::Infinity>());
  }
  result.claims.push_back({"singular values do not see the masses of the links, the projective criterion does",
                           svd_changes < 1e-12 && projective_changes > 0.01,
                           fmt::format("a crank 20 times heavier changes their indications by {:.0e} and {:.2f}",
                                       svd_changes, projective_changes)});
  judge_changes(runs, turn, result.claims);

  result.differences.push_back(
      "The paper says 'particular linkage data' and prints none: l0 = 2, l1 = 0.8, l2 = 1.8, l3 = 1.5 and uniform rods "
      "of "
      "1 kg/m are assumed, with which alpha1 turns fully as in the paper.");
  result.differences.push_back(fmt::format(
      "M and C are the engine's, for the linkage cut in O4 in relative coordinates. Placed by the paper's closing "
      "conditions (40), (41), its loop is open by {:.0e} m at most; the paper's D (43) is in the null space of C to "
      "{:.0e}.",
      turn.loop_error, turn.direction_differs));
  result.differences.push_back(
      "The paper's reference [31] is not at hand: how it goes on with the same order and step is worked out here.");
  if (options.fast) result.differences.push_back("Fast: 72 positions instead of 360.");
  mark_times(result, {"computing time"}, {"CPU"});
  return result;
}

// --- the physical pendulum ---

/// cos^2 of x, y, gamma from the engine's matrices at an angle.
class Pendulum {
 public:
  Pendulum(double mass, double length, double inertia)
      : length_(length),
        system_(shipped_model("pendulum", {{"m", fmt::format("{}", mass)},
                                           {"L", fmt::format("{}", length)},
                                           {"I", fmt::format("{}", inertia)}}),
                *find_coordinates_type("reference-point")),
        equations_(system_.empty_equations()) {}

  Vec3 criterion(double angle) {
    const Vector q = Vec3(length_ * std::cos(angle), length_ * std::sin(angle), angle), v = Vec3::Zero();
    system_.evaluate(0, q, v, Vector(), Upto::dynamics, equations_);
    return projective_criterion(Matrix(equations_.P), Matrix(equations_.M));
  }

 private:
  double length_;
  System system_;
  Equations equations_;
};

Vec3 closed_form(double mass, double length, double inertia, double angle) {  // (26)
  const double share = mass * length * length / (mass * length * length + inertia);
  return {share * std::pow(std::sin(angle), 2), share * std::pow(std::cos(angle), 2), 1 - share};
}

/// (23a) with one of the three D of (25).
Vec3 with_direction(double mass, double inertia, const Vec3& D) {
  const double reduced = mass * (D[0] * D[0] + D[1] * D[1]) + inertia * D[2] * D[2];
  return D.cwiseAbs2().cwiseQuotient(reduced * Vec3(1 / mass, 1 / mass, 1 / inertia));
}

Reproduction pendulum(const ReproduceOptions& options) {
  Reproduction result{"blajer", "pendulum", "Equations (26): the projective criterion of the pendulum", {}, {}, {}, {}};
  const double mass = 10, length = 0.5;
  const double inertias[] = {0.1, 1, 2.5};  // m rho^2 = 2.5
  double differ = 0, highest = 0, directions_differ = 0;
  for (const double inertia : inertias) {
    Pendulum engine(mass, length, inertia);
    ReproducedTable table{fmt::format("m = {:g}, rho = {:g}, J = {:g}: cos^2 of x, y and gamma", mass, length, inertia),
                          {"gamma, deg", "x, (26)", "x", "y, (26)", "y", "gamma, (26)", "gamma"},
                          {}};
    ReproducedPlot plot{fmt::format("Pendulum with J = {:g}", inertia), "gamma, deg", "cos^2", false, false, {}};
    const char* const names[] = {"x", "y", "gamma"};
    for (const char* name : names) plot.curves.push_back({name, {}, {}});
    for (const char* name : names) plot.curves.push_back({fmt::format("{}, (26)", name), {}, {}, true});
    for (int angle = 0; angle <= 90; ++angle) {
      const double gamma = angle * degree, s = std::sin(gamma), c = std::cos(gamma);
      const Vec3 ours = engine.criterion(gamma), theirs = closed_form(mass, length, inertia, gamma);
      differ = std::max(differ, (ours - theirs).lpNorm<Eigen::Infinity>());
      highest = std::max(highest, ours.maxCoeff());
      if (angle > 0 && angle < 90) {
        for (const Vec3& D :
             {Vec3(1, -c / s, -1 / (length * s)), Vec3(-s / c, 1, 1 / (length * c)), Vec3(-length * s, length * c, 1)})
          directions_differ =
              std::max(directions_differ, (with_direction(mass, inertia, D) - ours).lpNorm<Eigen::Infinity>());
      }
      for (int k = 0; k < 3; ++k) {
        plot.curves[k].x.push_back(angle), plot.curves[k].y.push_back(ours[k]);
        if (angle % 15 == 0) plot.curves[3 + k].x.push_back(angle), plot.curves[3 + k].y.push_back(theirs[k]);
      }
      if (angle % 15 == 0)
        table.rows.push_back({std::to_string(angle), fixed(theirs[0]), fixed(ours[0]), fixed(theirs[1]), fixed(ours[1]),
                              fixed(theirs[2]), fixed(ours[2])});
    }
    result.tables.push_back(table);
    result.plots.push_back(plot);
    if (options.progress) options.progress(inertia / 2.5, "pendulum");
  }

  // The mathematical pendulum, q = (x, y), C = [2 x, 2 y].
  double mathematical_differs = 0;
  int as_stated = 0, positions = 0;
  for (int angle = 1; angle < 90; ++angle) {
    const double gamma = angle * degree;
    Matrix C(1, 2);
    C << 2 * length * std::cos(gamma), 2 * length * std::sin(gamma);
    const Vector cosines = projective_criterion(C, mass * Matrix::Identity(2, 2));
    mathematical_differs = std::max({mathematical_differs, std::abs(cosines[0] - std::pow(std::sin(gamma), 2)),
                                     std::abs(cosines[1] - std::pow(std::cos(gamma), 2))});
    if (angle == 45) continue;
    ++positions;
    as_stated += (cosines[1] > cosines[0]) == (angle < 45);
  }

  result.claims.push_back({"the criterion of the physical pendulum is (26)", differ < 1e-12,
                           fmt::format("largest difference {:.1e} over 273 positions", differ)});
  result.claims.push_back({"none of x, y and gamma is a tangent coordinate: cos^2 < 1 everywhere", highest < 1 - 1e-9,
                           fmt::format("largest cos^2 {:.4f}", highest)});
  result.claims.push_back({"D_x, D_y and D_gamma of (25) span the same direction", directions_differ < 1e-11,
                           fmt::format("(23a) with each of them differs by {:.1e}", directions_differ)});
  result.claims.push_back(
      {"mathematical pendulum: y is best below gamma = pi/4, x above; cos^2 = sin^2 gamma and cos^2 gamma",
       as_stated == positions && mathematical_differs < 1e-12,
       fmt::format("in {} of {} positions, largest difference {:.1e}", as_stated, positions, mathematical_differs)});
  result.differences.push_back(
      "The paper gives symbols; m = 10 and rho = 0.5 are those of the shipped pendulum, J is 0.1, 1 and m rho^2 = "
      "2.5.");
  return result;
}

}  // namespace

namespace paper_list {

Paper blajer() {
  return {"blajer",
          "W. Blajer, W. Schiehlen, W. Schirm: A projective criterion to the coordinate partitioning method for "
          "multibody dynamics. Archive of Applied Mechanics 64 (1994)",
          {{"figure-3", "Figure 3: the projective criterion over a turn of the four-bar linkage", figure_3},
           {"pendulum", "Equations (26): the projective criterion of the pendulum", pendulum},
           {"reactions", "Section 5: three schemes for physical reactions", blajer_reactions}}};
}

}  // namespace paper_list
}  // namespace bricard
