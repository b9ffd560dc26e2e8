#include "analyses/linear/linearizer.h"

#include <fmt/format.h>

#include <cmath>

#include "bricard/input_error.h"
#include "linear/dense/dense.h"

namespace bricard {
namespace {

/// The basis of the same space that is nearest to given columns; both orthonormal in the metric.
Matrix nearest_basis(const Matrix& basis, const Matrix& wanted, const Vector& metric) {
  if (basis.cols() == 0) return basis;
  const Eigen::JacobiSVD<Matrix> svd(transposed_product(basis, metric.asDiagonal() * wanted),
                                     Eigen::ComputeThinU | Eigen::ComputeThinV);
  return product_of(basis, product_of(svd.matrixU(), svd.matrixV().transpose()));
}

}  // namespace

Linearization Linearizer::run(const NearbyBasis* near) {
  if (!equations_.ok()) {
    result_.failure = equations_.failure();
    return result_;
  }
  result_.acceleration = equations_.acceleration();
  result_.lambda = equations_.lambda();
  if (!choose_bases(near)) return result_;
  project();
  result_.pace = pace();
  if (named_.size() > 0) {
    zz_ = Matrix::Zero(result_.displacements, result_.displacements);
    zy_ = Matrix::Identity(result_.displacements, result_.speeds);
    const double limit = 1e-8 * rate() * rate();
    may_be_steady_ = equations_.size_of(result_.Y * equations_.named_accelerations()) <= limit;
  } else {
    fix_gauge(near);
  }
  find_states();
  fill_state_matrix();
  estimate_error();
  result_.ok = result_.A.allFinite();
  if (!result_.ok) result_.failure = "a derivative of the equations of motion is not a number";
  return result_;
}

bool Linearizer::choose_bases(const NearbyBasis* near) {
  const System& system = equations_.system();
  const Vector& metric = equations_.metric();
  const ConstraintInverse& rows = equations_.rows();
  const int n = static_cast<int>(equations_.v().size());
  Matrix &Z = result_.Z, &Y = result_.Y;
  std::vector<int> holonomic;
  for (int row = 0; row < system.row_count(); ++row) {
    if (!system.rows()[row].velocity_level) holonomic.push_back(row);
  }
  const bool is_holonomic = static_cast<int>(holonomic.size()) == system.row_count();
  stacked_ = ConstraintInverse(equations_.stacked_rows(), metric);

  Y = rows.null();
  if (is_holonomic) {
    Z = near ? nearest_basis(Y, near->Z, metric) : Y;
    Y = Z;
  } else {
    // The speeds' directions first, then the displacements that only a detour reaches.
    if (near) Y = nearest_basis(Y, near->Y, metric);
    Matrix P(static_cast<int>(holonomic.size()), n);
    for (std::size_t k = 0; k < holonomic.size(); ++k) P.row(static_cast<int>(k)) = equations_.P().row(holonomic[k]);
    const Matrix all = ConstraintInverse(P, metric).null();
    const Matrix part = transposed_product(all, metric.asDiagonal() * Y);
    const Matrix Q = orthogonal_factor(part);
    Matrix others = product_of(all, Q.rightCols(all.cols() - Y.cols()));
    if (near) others = nearest_basis(others, near->Z.rightCols(others.cols()), metric);
    Z.resize(n, all.cols());
    Z << Y, others;
  }

  if (named_.size() > 0) {
    const int freedom = n - rows.rank();
    if (!is_holonomic)
      throw InputError("independent coordinates can be chosen only in models without velocity-level constraints");
    const std::string list = fmt::format("{}", fmt::join(named_.names(), ", "));
    if (named_.size() != freedom) {
      throw InputError(fmt::format("{} independent coordinate{} needed, {} given: {}", freedom,
                                   freedom == 1 ? " is" : "s are", named_.size(), list));
    }
    if (stacked_.rank() < n) {
      throw InputError(
          fmt::format("the coordinates {} do not determine the motion: in this position it is possible while all of "
                      "them rest",
                      list));
    }
    Z = Y = stacked_.inverse().rightCols(freedom);
    result_.names = named_.names();
  }
  result_.displacements = static_cast<int>(Z.cols());
  result_.speeds = static_cast<int>(Y.cols());
  result_.states = static_cast<int>(equations_.states().size());
  if (is_singular_position()) {
    result_.failure =
        "the position is singular: some constraints depend on each other only here, so that the motions which they "
        "allow do not change smoothly beside it, and the equations of motion have no linear part";
    return false;
  }
  return true;
}

bool Linearizer::is_singular_position() {
  if (!equations_.rows().has_redundant_rows() || result_.displacements == 0) return false;
  // Where rows depend on each other everywhere, what vanishes of them vanishes beside the position too.
  Vector mixed(result_.displacements);
  for (int k = 0; k < mixed.size(); ++k) mixed[k] = std::cos(1 + 0.7 * k);
  Vector direction = result_.Z * mixed;
  direction /= std::max(equations_.size_of(direction), 1e-300);
  const Matrix change = product_of(equations_.jacobian_derivative(direction, Vector::Zero(direction.size()), 0),
                                   equations_.rows().null());
  return equations_.rows().contradiction(change).lpNorm<Eigen::Infinity>() > 1e-7;
}

void Linearizer::project() {
  const int rows = equations_.row_count(), n = static_cast<int>(equations_.v().size());
  const Matrix& M = equations_.M();
  const Matrix& inverse = stacked_.inverse();
  displaced_ = equations_.along_displacements(result_.Z);
  result_.W = -product_of(inverse, displaced_.value.topRows(rows));
  sped_ = equations_.along_velocities(result_.Y);
  carried_ = equations_.along_velocities(result_.W);
  stated_ = equations_.along_states();
  const Matrix moved = displaced_.value + carried_.value;
  Bz_ = product_of(inverse, moved.middleRows(rows, rows));
  By_ = product_of(inverse, sped_.value.middleRows(rows, rows));

  X_ = result_.Y;
  if (equations_.system().friction_depends_on_load()) {
    if (equations_.rows().has_redundant_rows()) {
      result_.messages.emplace_back(
          "friction depends on loads that redundant constraints leave undetermined: how it changes with them is left "
          "out");
    } else {
      loaded_ = equations_.along_multipliers();
      load_changes_ = true;
      const Matrix& P_inverse = equations_.rows().inverse();
      const Matrix Q_lambda = loaded_.value.middleRows(equations_.force_at(), n);
      const Matrix system =
          Matrix::Identity(Q_lambda.cols(), Q_lambda.cols()) - transposed_product(P_inverse, Q_lambda);
      const Matrix c = lu_solution(system.transpose(), transposed_product(Q_lambda, result_.Y));
      X_ += product_of(P_inverse, c);
    }
  }
  const int force = equations_.force_at();
  result_.M = transposed_product(X_, product_of(M, result_.Y));
  result_.K = -transposed_product(X_, moved.middleRows(force, n) - product_of(M, Bz_));
  result_.C = -transposed_product(X_, sped_.value.middleRows(force, n) - product_of(M, By_));
  result_.N = -transposed_product(X_, stated_.value.middleRows(force, n));
  Uz_ = -lu_solution(result_.M, result_.K);
  Uy_ = -lu_solution(result_.M, result_.C);
  Us_ = -lu_solution(result_.M, result_.N);
}

double Linearizer::pace() const {
  // Where forces restore nothing, their rounding is all that derivatives show.
  const Vector forces = equations_.M() * equations_.acceleration() + equations_.P().transpose() * equations_.lambda();
  const double accelerations = equations_.size_of(forces.cwiseQuotient(equations_.metric()));
  const double gravity = equations_.system().model().gravity.norm() / equations_.length();
  return std::max(equations_.pace(), std::sqrt(std::max(accelerations, gravity)));
}

double Linearizer::rate() const {
  double rate = 1e-2 * pace();  // rounding is far below that
  if (Uz_.size() > 0) rate = std::max(rate, std::sqrt(Uz_.cwiseAbs().maxCoeff()));
  return Uy_.size() > 0 ? std::max(rate, Uy_.cwiseAbs().maxCoeff()) : rate;
}

void Linearizer::fix_gauge(const NearbyBasis* near) {
  const System& system = equations_.system();
  const Vector &metric = equations_.metric(), &v = equations_.v();
  const Matrix P_rate = equations_.jacobian_derivative(v, equations_.acceleration(), 1);
  const Turning turning = find_turning(equations_, result_.Z, result_.Y, P_rate, rate());
  may_be_steady_ = turning.ok;
  const Vec3 w = near ? near->w : turning.w;
  result_.turning = w;

  const Matrix &Z = result_.Z, &Y = result_.Y, &W = result_.W;
  const Matrix turning_part = transposed_product(Y, metric.asDiagonal() * turned(system, w, Y));
  const Matrix bending_part =
      transposed_product(product_of(equations_.rows().inverse(), product_of(P_rate, Y)), metric.asDiagonal() * W);
  Uy_ -= turning_part;
  Uz_ -= bending_part;
  result_.C += product_of(result_.M, turning_part);
  result_.K += product_of(result_.M, bending_part);
  const Matrix weighted = metric.asDiagonal() * Z;
  zz_ = transposed_product(weighted, W + spun(system, v, Z) - turned(system, w, Z));
  zy_ = transposed_product(weighted, Y);
}

// s' also changes with the loads, and they with everything:
//   (1 - (P^+)^T Q_lambda) dlambda = (P^+)^T (D[Q - M a - P^T lambda] z + Q_v dv + Q_s s - M da)
void Linearizer::find_states() {
  const int states = equations_.states_at(), k = result_.states;
  const Matrix moved = displaced_.value + carried_.value;
  sz_ = moved.middleRows(states, k);
  sy_ = sped_.value.middleRows(states, k);
  ss_ = stated_.value.middleRows(states, k);
  if (k == 0 || !load_changes_) return;
  const int n = static_cast<int>(equations_.v().size()), force = equations_.force_at();
  const Matrix &M = equations_.M(), &P_inverse = equations_.rows().inverse();
  const Matrix Q_lambda = loaded_.value.middleRows(force, n);
  const Matrix to_lambda =
      lu_solution(Matrix::Identity(Q_lambda.cols(), Q_lambda.cols()) - transposed_product(P_inverse, Q_lambda),
                  P_inverse.transpose());
  const Matrix by_load = product_of(loaded_.value.middleRows(states, k), to_lambda);
  // u without what the gauge adds to it: -M^-1 X^T (..) of the forces.
  const Matrix to_u = lu_solution(result_.M, X_.transpose());
  const auto change = [&](const Matrix& forces, const Matrix& B) {
    const Matrix u = product_of(to_u, forces - product_of(M, B));
    return product_of(by_load, forces - product_of(M, B + product_of(result_.Y, u)));
  };
  sz_ += change(moved.middleRows(force, n), Bz_);
  sy_ += change(sped_.value.middleRows(force, n), By_);
  ss_ += change(stated_.value.middleRows(force, n), Matrix::Zero(n, k));
}

void Linearizer::fill_state_matrix() {
  const int d = result_.displacements, f = result_.speeds, k = result_.states;
  result_.A = Matrix::Zero(d + f + k, d + f + k);
  result_.A.topLeftCorner(d, d) = zz_;
  result_.A.block(0, d, d, f) = zy_;
  result_.A.block(d, 0, f, d) = Uz_;
  result_.A.block(d, d, f, f) = Uy_;
  result_.A.block(d, d + f, f, k) = Us_;
  result_.A.block(d + f, 0, k, d) = sz_;
  result_.A.block(d + f, d, k, f) = sy_;
  result_.A.block(d + f, d + f, k, k) = ss_;
}

void Linearizer::estimate_error() {
  const int rows = equations_.row_count(), n = static_cast<int>(equations_.v().size());
  const Matrix inverse = stacked_.inverse().cwiseAbs();
  const Matrix to_u = lu_solution(result_.M, X_.transpose()).cwiseAbs();
  double largest = 0;
  for (const auto* derivatives : {&displaced_, &sped_, &carried_}) {
    if (derivatives->error.size() == 0) continue;
    const Matrix of_rows = product_of(inverse, derivatives->error.middleRows(rows, rows));
    const Matrix of_u = product_of(
        to_u, derivatives->error.middleRows(equations_.force_at(), n) + product_of(equations_.M().cwiseAbs(), of_rows));
    if (of_u.size() > 0) largest = std::max(largest, of_u.maxCoeff());
  }
  const double size = result_.A.size() > 0 ? result_.A.cwiseAbs().maxCoeff() : 0;
  result_.derivative_error = size > 0 ? largest / size : 0;
}

}  // namespace bricard
