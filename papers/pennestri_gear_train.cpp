// The paper's closed forms with numbers, beside the reduction of the model and a run of it:
//   M11 = I2 + (I3 + m5 delta^2)/tau1^2 + ((tau2 - 1)/tau1)^2 I5 + ((tau2 - tau3)/(tau1 tau3))^2 I6
//   M12 = (1 - tau2) tau2/tau1 I5 + (tau3 - tau2) tau2/(tau1 tau3^2) I6,   M22 = I4 + I5 tau2^2 + (tau2/tau3)^2 I6
//   K11 = Kd1 + ((tau2 - tau3)/(tau1 tau3))^2 Kr,  K12 = tau2 (tau3 - tau2)/(tau1 tau3^2) Kr,  K22 = Kd2 +
//   (tau2/tau3)^2 Kr
// K as printed has the sign of Kd1 and Kd2 wrong: by (35) to (38) it is -Kd1 and -Kd2.
#include "papers/pennestri_gear_train.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "bricard/gear_train.h"
#include "bricard/simulate.h"
#include "papers/shipped_models.h"

namespace bricard {
namespace {

using Matrix2 = Eigen::Matrix2d;
using Vector2 = Eigen::Vector2d;

// Numbers of models/rotary-drive.yaml for the paper's symbols.
constexpr double tau1 = -2, tau2 = 0.4, tau3 = 2.5;
constexpr double I2 = 0.02, I3 = 0.5, I4 = 0.03, I5 = 0.004, I6 = 0.05, m5 = 6, delta = 0.1;
constexpr double Kd1 = -1.5, Kd2 = -0.8, Kr = 0.9;
constexpr double v61 = (tau3 - tau2) / (tau1 * tau3), v62 = tau2 / tau3;  // of gear 6 in V
constexpr double speed2 = 100, speed4 = -50;

Matrix2 printed_M() {
  const double M12 = (1 - tau2) * tau2 / tau1 * I5 + (tau3 - tau2) * tau2 / (tau1 * tau3 * tau3) * I6;
  Matrix2 M;
  M << I2 + (I3 + m5 * delta * delta) / (tau1 * tau1) + std::pow((tau2 - 1) / tau1, 2) * I5 + v61 * v61 * I6, M12, M12,
      I4 + I5 * tau2 * tau2 + v62 * v62 * I6;
  return M;
}

/// With the sign of the driving torques' slopes.
Matrix2 closed_K(double sign) {
  Matrix2 K;
  K << sign * Kd1 + v61 * v61 * Kr, v61 * v62 * Kr, v61 * v62 * Kr, sign * Kd2 + v62 * v62 * Kr;
  return K;
}

/// exp(-M^-1 K t) x, by the eigenvectors of the pencil: M is positive definite, K symmetric.
Vector2 decayed(const Matrix2& M, const Matrix2& K, double t, const Vector2& start) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix2> pencil(K, M);
  const Vector2 part = pencil.eigenvectors().transpose() * M * start;
  return pencil.eigenvectors() * (-pencil.eigenvalues().array() * t).exp().matrix().cwiseProduct(part);
}

Vector2 eigenvalues(const Matrix2& M, const Matrix2& K) {
  return -Eigen::GeneralizedSelfAdjointEigenSolver<Matrix2>(K, M, Eigen::EigenvaluesOnly).eigenvalues();
}

std::string number(double value) { return std::abs(value) < 1e-14 ? "0" : fmt::format("{:.6g}", value); }

}  // namespace

Reproduction pennestri_gear_train(const ReproduceOptions& options) {
  Reproduction result{
      "pennestri-valentini", "section-6.1", "Section 6.1: reduced matrices of a gear train", {}, {}, {}, {}};
  const auto model = shipped_model("rotary-drive");
  const GearTrain train = reduce_gear_train(model, {.independent = {"gear2", "gear4"}});

  // V.
  Matrix V(5, 2);
  V << 1, 0, 1 / tau1, 0, 0, 1, (1 - tau2) / tau1, tau2, v61, v62;
  ReproducedTable speeds{"Speeds of the bodies for those of 2 and 4: the matrix V",
                         {"body", "omega_2, paper", "omega_2, ours", "omega_4, paper", "omega_4, ours"},
                         {}};
  const std::array<const char*, 5> bodies = {"gear2", "gear3", "gear4", "planet5", "gear6"};
  Matrix ours(5, 2);
  for (int k = 0; k < 5; ++k) {
    const auto found = std::find(train.bodies.begin(), train.bodies.end(), bodies[k]);
    ours.row(k) = train.V.row(found - train.bodies.begin());
    speeds.rows.push_back({bodies[k], number(V(k, 0)), number(ours(k, 0)), number(V(k, 1)), number(ours(k, 1))});
  }
  result.tables.push_back(speeds);

  // M, K, eigenvalues.
  const Matrix2 M = printed_M(), printed_K = closed_K(1), K = closed_K(-1);
  ReproducedTable matrices{"Reduced matrices", {"entry", "printed", "sign put right", "ours"}, {}};
  const auto add = [&](const std::string& name, double printed, double right, double found) {
    matrices.rows.push_back({name, number(printed), number(right), number(found)});
  };
  add("M11", M(0, 0), M(0, 0), train.M(0, 0));
  add("M12", M(0, 1), M(0, 1), train.M(0, 1));
  add("M22", M(1, 1), M(1, 1), train.M(1, 1));
  add("K11", printed_K(0, 0), K(0, 0), train.K(0, 0));
  add("K12", printed_K(0, 1), K(0, 1), train.K(0, 1));
  add("K22", printed_K(1, 1), K(1, 1), train.K(1, 1));
  const Vector2 printed_lambda = eigenvalues(M, printed_K), lambda = eigenvalues(M, K);
  add("lambda1, 1/s", printed_lambda.maxCoeff(), lambda.maxCoeff(), train.lambda[0].real());
  add("lambda2, 1/s", printed_lambda.minCoeff(), lambda.minCoeff(), train.lambda[1].real());
  matrices.note = "printed: the paper's closed forms with the numbers of models/rotary-drive.yaml.";
  result.tables.push_back(matrices);

  // The six null-space methods of section 7 give the same V.
  ReproducedTable methods{"V by the methods of section 7", {"method", "largest difference"}, {}};
  double methods_differ = 0;
  for (const char* name : {"nullspace-partitioning", "nullspace-qr", "nullspace-putd", "nullspace-svd",
                           "nullspace-eigen", "nullspace-schur"}) {
    const GearTrain other = reduce_gear_train(model, {.independent = {"gear2", "gear4"}, .null_space = name});
    const double difference = (other.V - train.V).lpNorm<Eigen::Infinity>();
    methods_differ = std::max(methods_differ, difference);
    methods.rows.push_back({name, fmt::format("{:.1e}", difference)});
  }
  result.tables.push_back(methods);

  // What a disturbance does.
  Method method;
  method.tolerance = 1e-10, method.duration = 0.4, method.output_step = 0.01;
  const SimulationResult run = simulate(shipped_model("rotary-drive", {{"kick", "1"}}), method);
  ReproducedPlot::Curve simulated{"run of the whole model", {}, {}}, right{"exp(lambda t), sign put right", {}, {}},
      printed{"exp(lambda t), K as printed", {}, {}, true};
  double right_differs = 0, printed_differs = 0, final_speed = 0;
  for (std::size_t row = 0; row < run.data.rows.size(); ++row) {
    const double t = run.data.rows[row][0], disturbance = run.data.at(row, "gear2.omega") - speed2;
    const double with_right = decayed(M, K, t, Vector2(1, 0))[0],
                 with_printed = decayed(M, printed_K, t, Vector2(1, 0))[0];
    simulated.x.push_back(t), simulated.y.push_back(disturbance);
    right.x.push_back(t), right.y.push_back(with_right);
    if (with_printed < 5) printed.x.push_back(t), printed.y.push_back(with_printed);
    right_differs = std::max(right_differs, std::abs(disturbance - with_right));
    printed_differs = std::max(printed_differs, std::abs(disturbance - with_printed));
    final_speed = disturbance;
  }
  result.plots.push_back({"Speed of gear 2 after a disturbance of 1 rad/s",
                          "time, s",
                          "omega_2 - 100, rad/s",
                          false,
                          false,
                          {simulated, right, printed}});

  // A motor whose torque rises with speed.
  const GearTrain rising =
      reduce_gear_train(shipped_model("rotary-drive", {{"Kd1", "1"}}), {.independent = {"gear2", "gear4"}});
  const SimulationResult unstable = simulate(shipped_model("rotary-drive", {{"Kd1", "1"}, {"kick", "0.01"}}), method);
  const double growth = (unstable.data.at(unstable.data.rows.size() - 1, "gear2.omega") - speed2) / 0.01;
  if (options.progress) options.progress(1, "section-6.1");

  const double V_differs = (ours - V).lpNorm<Eigen::Infinity>(), M_differs = (train.M - M).lpNorm<Eigen::Infinity>();
  result.claims.push_back(
      {"V solves the circuits", V_differs < 1e-12, fmt::format("largest difference {:.1e}", V_differs)});
  result.claims.push_back({"the reduced inertia is the printed M", M_differs < 1e-12,
                           fmt::format("largest difference {:.1e} kg m^2", M_differs)});
  const double K_printed_differs = (train.K - printed_K).lpNorm<Eigen::Infinity>(),
               K_differs = (train.K - K).lpNorm<Eigen::Infinity>();
  result.claims.push_back(
      {"the reduced slopes are the printed K", K_printed_differs < 1e-12,
       fmt::format("difference {:.2g}; {:.1e} with -Kd1, -Kd2. The run departs from exp(lambda t) by "
                   "{:.2g} rad/s with the printed K, {:.1e} with the other sign",
                   K_printed_differs, K_differs, printed_differs, right_differs)});
  const double asymmetry = std::abs(train.K(0, 1) - train.K(1, 0));
  result.claims.push_back({"K is symmetric", asymmetry < 1e-12, fmt::format("difference {:.1e}", asymmetry)});
  result.claims.push_back(
      {"positive lambda reveals an unstable drive",
       train.lambda[0].real() < 0 && std::abs(final_speed) < 0.5 && rising.lambda[0].real() > 0 && growth > 2,
       fmt::format("largest lambda {:.2f}: a disturbance shrinks to {:.2f} of itself in 0.4 s; with Kd1 = 1 it is "
                   "{:.2f}: grows {:.2f} times",
                   train.lambda[0].real(), final_speed, rising.lambda[0].real(), growth)});
  result.claims.push_back({"the methods of section 7 are suited to find V automatically", methods_differ < 1e-10,
                           fmt::format("six null-space methods agree to {:.1e}", methods_differ)});
  result.differences.push_back(
      "The paper has symbols only; numbers are those of models/rotary-drive.yaml (tau = -2, 0.4, 2.5).");
  result.differences.push_back(
      "K as printed has Kd1 and Kd2 with the wrong sign: in (38) the driving torques are on the right-hand side, so "
      "that "
      "their slopes enter K with a minus. As printed, motors whose torque falls with speed would make the drive "
      "unstable; the run of the whole model decides.");
  result.differences.push_back(
      "Table 1 gives circuit #3 the levels a, c; gear 6 turns about the carrier's axis, so they are b, c.");
  return result;
}

}  // namespace bricard
