#include "bricard/gear_train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyses/assembly/assembly.h"
#include "analyses/gears/train_torques.h"
#include "analyses/structure/structure.h"
#include "bricard/input_error.h"
#include "formulations/formulation.h"
#include "joints/fundamental_circuits.h"
#include "linear/dense/dense.h"

namespace bricard {
namespace {

constexpr double pivot_threshold = 1e-9;

int row_rank(const Matrix& A) {
  if (A.rows() == 0) return 0;
  Eigen::FullPivLU<Matrix> factor(A);
  factor.setThreshold(pivot_threshold);
  return static_cast<int>(factor.rank());
}

Matrix stacked(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows() + B.rows(), B.cols());
  both << A, B;
  return both;
}

class Reduction {
 public:
  Reduction(std::shared_ptr<const Model> model, const GearTrainOptions& options)
      : model_(std::move(model)), options_(options), n_(static_cast<int>(model_->bodies.size())) {}

  GearTrain run() {
    train_.circuits = fundamental_circuits(*model_);
    if (train_.circuits.empty()) throw InputError("the model has no gear_pair");
    for (const Body& body : model_->bodies) train_.bodies.push_back(body.name);
    axis_ = common_axis();
    build_rows();
    choose_inputs();
    train_.V = options_.null_space.empty() ? solve_inputs() : project_inputs();
    Assembly start = assembled();
    TrainTorques torques(start_model_, axis_, start);
    check_freedoms(torques.system(), start);
    train_.omega = torques.omega();
    train_.torque = torques.torque();
    train_.slopes = torques.slopes();
    train_.inertia = torques.inertia();
    train_.messages = torques.messages();
    train_.M = transposed_product(train_.V, product_of(train_.inertia, train_.V));
    train_.K = -transposed_product(train_.V, product_of(train_.slopes, train_.V));
    train_.imbalance = train_.V.transpose() * train_.torque;
    const double scale = (train_.V.cwiseAbs().transpose() * train_.torque.cwiseAbs()).maxCoeff();
    train_.steady = train_.imbalance.cwiseAbs().maxCoeff() <= 1e-9 * scale;
    find_eigenvalues();
    return std::move(train_);
  }

 private:
  Vec3 axis_of(const Joint& joint) const { return model_->planar() ? Vec3(Vec3::UnitZ()) : joint.axis_i; }

  /// All speeds are about one direction, positive along its largest component.
  Vec3 common_axis() const {
    Vec3 axis = train_.circuits.front().axis_i;
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0) axis = -axis;
    for (const Joint& joint : model_->joints) {
      if (is_turning_pair(joint) && axis_of(joint).cross(axis).norm() > 1e-6)
        throw InputError("joint " + joint.name + ": only gear trains with parallel axes have one speed for each body");
    }
    return axis;
  }

  /// The rate of a turning pair as a combination of the bodies' speeds.
  Eigen::RowVectorXd rate_row(const Joint& joint) const {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
    const double sign = axis_of(joint).dot(axis_) > 0 ? 1 : -1;
    if (joint.j != ground) row[joint.j] += sign;
    if (joint.i != ground) row[joint.i] -= sign;
    return row;
  }

  void build_rows() {
    std::vector<Eigen::RowVectorXd> rows;
    const auto add = [](Eigen::RowVectorXd& row, int body, double factor) {
      if (body != ground) row[body] += factor;
    };
    for (const FundamentalCircuit& circuit : train_.circuits) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
      add(row, circuit.gear_i, 1);
      add(row, circuit.gear_j, -circuit.ratio);
      add(row, circuit.carrier, circuit.ratio - 1);
      rows.push_back(row);
    }
    for (const Joint& joint : model_->joints) {
      if (type_of(joint).rigid()) rows.push_back(rate_row(joint));
    }
    train_.Psi.resize(static_cast<int>(rows.size()), n_);
    for (std::size_t k = 0; k < rows.size(); ++k) train_.Psi.row(static_cast<int>(k)) = rows[k];
    rank_ = row_rank(train_.Psi);
    train_.redundant = static_cast<int>(rows.size()) - rank_;
  }

  // --- the independent speeds ---
  Eigen::RowVectorXd input_row(const std::string& name) const {
    const auto body = std::find(train_.bodies.begin(), train_.bodies.end(), name);
    if (body != train_.bodies.end()) return Eigen::RowVectorXd::Unit(n_, body - train_.bodies.begin());
    for (const Joint& joint : model_->joints) {
      if (joint.name == name && is_turning_pair(joint)) return rate_row(joint);
    }
    throw InputError(fmt::format("'{}' is no body and no revolute joint, so it has no speed", name));
  }

  /// What is driven, then everything else.
  std::vector<std::string> likely_inputs() const {
    std::vector<std::string> names;
    for (const Force& force : model_->forces) {
      if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
        if (torque->body != ground) names.push_back(train_.bodies[torque->body]);
      } else if (const auto* actuator = std::get_if<Actuator>(&force.law)) {
        const Joint& joint = model_->joints[actuator->joint];
        if (is_turning_pair(joint)) names.push_back(joint.i == ground ? model_->body_name(joint.j) : joint.name);
      }
    }
    names.insert(names.end(), train_.bodies.begin(), train_.bodies.end());
    return names;
  }

  void choose_inputs() {
    const int inputs = n_ - rank_;
    B_.resize(0, n_);
    const bool given = !options_.independent.empty();
    for (const std::string& name : given ? options_.independent : likely_inputs()) {
      const Matrix longer = stacked(B_, input_row(name));
      if (row_rank(stacked(train_.Psi, longer)) == rank_ + longer.rows()) {
        B_ = longer;
        train_.independent.push_back(name);
      } else if (given) {
        throw InputError(fmt::format("the speed of '{}' follows from the others, so it is not independent", name));
      }
    }
    if (B_.rows() != inputs) {
      throw InputError(fmt::format("the gear train has {} independent speeds, not {} ({})", inputs, B_.rows(),
                                   fmt::join(train_.independent, ", ")));
    }
    if (inputs == 0) throw InputError("the gear train cannot move");
  }

  /// (42): Gamma_omega V = -Gamma_v; redundant circuits contradict nothing, so least squares solve it exactly.
  Matrix solve_inputs() const {
    const Matrix Gamma_omega = stacked(train_.Psi, -B_);
    Matrix minus_Gamma_v = Matrix::Zero(Gamma_omega.rows(), B_.rows());
    minus_Gamma_v.bottomRows(B_.rows()) = -Matrix::Identity(B_.rows(), B_.rows());
    return least_norm_solution(Gamma_omega, minus_Gamma_v);
  }

  /// Another basis U of the null space, brought to the inputs: V = U (B U)^-1. What a formulation shows of U are
  /// accelerations under M = 1 and gamma = 0, the projections N = U (U^T U)^-1 U^T of unit forces; V = N B^T (B N
  /// B^T)^-1.
  Matrix project_inputs() const {
    const FormulationType* type = find_formulation_type(options_.null_space);
    if (type == nullptr || !options_.null_space.starts_with("nullspace-"))
      throw InputError(fmt::format("'{}' is no null-space method; see bricard methods", options_.null_space));
    Equations equations;
    equations.M = Matrix::Identity(n_, n_).sparseView();
    equations.P = train_.Psi.sparseView();
    equations.Q = Vector::Zero(n_);
    const int m = equations.rows();
    for (Vector* rows : {&equations.Phi, &equations.Phi_t, &equations.Phi_dot, &equations.gamma})
      *rows = Vector::Zero(m);
    const auto formulation = type->create(equations, {.typical_inertia = Vector::Ones(n_)});
    if (formulation->factorize(equations) != Status::ok) throw InputError(formulation->failure());
    Matrix N(n_, n_);
    Vector vdot(n_), lambda(m);
    for (int k = 0; k < n_; ++k) {
      if (formulation->solve(Vector::Unit(n_, k), equations.gamma, vdot, lambda) != Status::ok)
        throw InputError(formulation->failure());
      N.col(k) = vdot;
    }
    const Matrix NBt = product_of(N, B_.transpose());
    return lu_solution(product_of(B_, NBt).transpose(), NBt.transpose()).transpose();
  }

  // --- the operating point ---
  Assembly assembled() {
    start_model_ = model_;
    if (!options_.speeds.empty()) {
      if (options_.speeds.size() != train_.independent.size())
        throw InputError(fmt::format("{} speeds were given for {} independent ones", options_.speeds.size(),
                                     train_.independent.size()));
      const Vector omega =
          train_.V * Eigen::Map<const Vector>(options_.speeds.data(), static_cast<int>(options_.speeds.size()));
      auto changed = std::make_shared<Model>(*model_);
      changed->initial.joint_rates.clear();
      changed->initial.twists.clear();
      for (int body = 0; body < n_; ++body) {
        InitialTwist twist;
        twist.body = body;
        twist.angular = omega[body] * axis_;
        changed->initial.twists.push_back(twist);
      }
      start_model_ = changed;
    }
    Assembly start = assemble(start_model_, *find_coordinates_type("reference-point"));
    if (!start.ok) throw InputError(start.message);
    return start;
  }

  /// Whatever else constrains the bodies is not in Psi.
  void check_freedoms(System& system, const Assembly& start) const {
    const int freedoms = analyze_structure(system, start.q, start.v).degrees_of_freedom;
    if (freedoms == n_ - rank_) return;
    throw InputError(fmt::format(
        "the circuits leave {} independent speeds, but the whole model has {} degrees of freedom: it is not "
        "made of turning pairs and gear pairs alone",
        n_ - rank_, freedoms));
  }

  void find_eigenvalues() {
    const Vector inertia = symmetric_eigenpairs_of(train_.M).values;
    if (!(inertia.minCoeff() > 1e-14 * inertia.maxCoeff())) throw InputError("an independent speed has no inertia");
    train_.lambda = eigenvalues_of(-cholesky_solution(train_.M, train_.K));
    std::sort(train_.lambda.begin(), train_.lambda.end(), [](const auto& a, const auto& b) {
      return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
    });
    const double largest = train_.lambda[0].real(), zero = 1e-11 * train_.lambda.cwiseAbs().maxCoeff();
    train_.stability = largest < -zero ? Stability::stable : largest > zero ? Stability::unstable : Stability::neutral;
  }

  std::shared_ptr<const Model> model_, start_model_;
  const GearTrainOptions& options_;
  int n_, rank_ = 0;
  Vec3 axis_ = Vec3::UnitZ();
  Matrix B_;  // w = B omega
  GearTrain train_;
};

std::string matrix_text(const std::string& name, const Matrix& A, const std::vector<std::string>& rows) {
  std::size_t width = 0;
  for (const std::string& row : rows) width = std::max(width, row.size());
  const double rounding = A.size() > 0 ? 1e-14 * A.cwiseAbs().maxCoeff() : 0;
  std::string text = "  " + name + "\n";
  for (int i = 0; i < A.rows(); ++i) {
    text += fmt::format("    {:<{}}", rows[static_cast<std::size_t>(i)], width);
    for (int j = 0; j < A.cols(); ++j) text += fmt::format("  {:>14.8g}", std::abs(A(i, j)) > rounding ? A(i, j) : 0.0);
    text += "\n";
  }
  return text;
}

std::string circuits_text(const Model& model) {
  std::string text = "gear train\n";
  const std::string table = circuits_table(model);
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    text += "  " + table.substr(at, end - at + 1);
    at = end + 1;
  }
  return text;
}

}  // namespace

GearTrain reduce_gear_train(const std::shared_ptr<const Model>& model, const GearTrainOptions& options) {
  return Reduction(model, options).run();
}

std::string gear_train_text(const std::shared_ptr<const Model>& model) {
  if (circuits_table(*model).empty()) return {};
  try {
    return gear_train_text(*model, reduce_gear_train(model));
  } catch (const InputError& error) {
    return circuits_text(*model) + "  not reduced to speeds: " + error.what() + "\n";
  }
}

std::string gear_train_text(const Model& model, const GearTrain& train) {
  std::string text = circuits_text(model);
  if (train.redundant > 0) text += fmt::format("  {} of them implied by the others\n", train.redundant);
  text += fmt::format("  independent speeds  {}\n", fmt::join(train.independent, ", "));
  text += matrix_text("speeds V", train.V, train.bodies);
  text += matrix_text("reduced M", train.M, train.independent);
  text += matrix_text("reduced K", train.K, train.independent);
  text += "  eigenvalues, 1/s    ";
  for (int k = 0; k < train.lambda.size(); ++k) {
    const auto value = train.lambda[k];
    text += (k > 0 ? ", " : "") + fmt::format("{:.10g}", value.real() + 0.0) +
            (value.imag() != 0 ? fmt::format(" {:+.10g}i", value.imag()) : "");
  }
  static const char* const words[] = {"stable", "neutral", "unstable"};
  text += fmt::format("\n  operating point     {}, {}\n", words[static_cast<int>(train.stability)],
                      train.steady ? "torques balanced" : "torques not balanced: no steady motion");
  for (const std::string& message : train.messages) text += "  note                " + message + "\n";
  return text;
}

}  // namespace bricard
