#include "analyses/statics/static_stability.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "analyses/linear/linearization.h"
#include "linear/dense/dense.h"
#include "linear/rank_threshold.h"
#include "linear/sparse_ldlt.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

constexpr double no_stiffness = 1e-9;  // against the largest: above the errors of difference quotients
constexpr double asymmetric = 1e-6;
constexpr int largest_dense_stiffness = 1500;  // displacements; above, dense null spaces take minutes

Matrix null_space(const SparseRows& Ps) {
  const int n = static_cast<int>(Ps.cols());
  if (Ps.rows() == 0) return Matrix::Identity(n, n);
  Eigen::ColPivHouseholderQR<Matrix> factor(n, Ps.rows());
  factor.setThreshold(rank_threshold);
  factor.compute(Matrix(Ps.transpose()));
  const int freedom = n - static_cast<int>(factor.rank());
  Matrix Z = Matrix::Zero(n, freedom);
  Z.bottomRows(freedom).setIdentity();
  return orthogonal_product(factor, Z);
}

/// Signs alone, by Sylvester's law of inertia.
void assess_large(const StaticEquations& equations, StabilityReport& report) {
  const SparseColumns& H = equations.H();
  const SparseColumns Ps = equations.Ps();
  const double weight = 1e6 * std::max(equations.largest_stiffness(), 1.0);
  const SparseColumns A =
      0.5 * (H + SparseColumns(H.transpose())) + weight * SparseColumns(SparseColumns(Ps.transpose()) * Ps);
  report.stability = SparseLdlt(A).least_pivot() > 0 ? Stability::stable : Stability::unstable;
  report.smallest_stiffness = std::numeric_limits<double>::quiet_NaN();
  report.message = "the smallest stiffness of a model of this size is not computed, only its sign";
}

void assess_by_motion(StaticEquations& equations, const Vector& q, StabilityReport& report) {
  System& system = equations.system();
  const Linearization linear = linearize(system, 0, q, Vector::Zero(system.velocity_size()));
  equations.evaluate(q);
  if (!linear.ok) {
    report.stability = Stability::neutral;
    report.message = "the forces have no potential, and the motion cannot be linearised: " + linear.failure;
    return;
  }
  const Eigen::VectorXcd eigenvalues = eigenvalues_of(linear.A);
  const double largest = eigenvalues.cwiseAbs().maxCoeff();
  report.growth = eigenvalues.real().maxCoeff();
  // Undamped motion without stiffness has double eigenvalues zero, which errors move by their square root.
  const bool grows = report.growth > 1e-4 * largest;
  const bool rests = eigenvalues.cwiseAbs().minCoeff() <= 1e-4 * largest;
  report.stability = grows ? Stability::unstable : rests ? Stability::neutral : Stability::stable;
}

}  // namespace

StabilityReport assess_stability(StaticEquations& equations, const Vector& q) {
  StabilityReport report;
  if (equations.displacements() > largest_dense_stiffness) {
    assess_large(equations, report);
    return report;
  }
  const Matrix Z = null_space(equations.Ps());
  report.smallest_stiffness = std::numeric_limits<double>::quiet_NaN();
  if (Z.cols() == 0) return report;
  const Matrix K = Z.transpose() * (equations.H() * Z);
  const double largest = equations.largest_stiffness(), zero = no_stiffness * largest;
  const SymmetricEigenpairs eigen = symmetric_eigenpairs_of(0.5 * (K + K.transpose()));
  const Vector& stiffness = eigen.values;
  report.smallest_stiffness = stiffness[0] * equations.force() / equations.length();
  report.softest = Z * eigen.vectors.col(0);
  for (int k = 0; k < stiffness.size(); ++k) {
    if (std::abs(stiffness[k]) <= zero) report.neutral.emplace_back(Z * eigen.vectors.col(k));
  }
  report.stability = stiffness[0] < -zero   ? Stability::unstable
                     : stiffness[0] <= zero ? Stability::neutral
                                            : Stability::stable;
  report.conservative = (K - K.transpose()).lpNorm<Eigen::Infinity>() <= asymmetric * largest;
  if (!report.conservative) assess_by_motion(equations, q, report);
  return report;
}

std::string describe_direction(StaticEquations& equations, const Vector& q, const Vector& u) {
  System& system = equations.system();
  const Model& model = system.model();
  const double length = equations.length();
  // Rates of the joint coordinates for the displacement as a velocity.
  Vector v(u.size());
  for (int k = 0; k < u.size(); ++k) v[k] = u[k] * (system.coordinates().is_rotation(k) ? 1 : length);
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::velocities, eq);
  double largest = 0;
  std::string text;
  for (std::size_t joint = 0; joint < model.joints.size(); ++joint) {
    const std::vector<std::string> names =
        coordinate_names(*find_joint_type(model.joints[joint].type), model.dimension);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double rate = system.signals()[system.joint_coordinates()[joint][k]].rate;
      const double size = std::abs(names[k] == "position" ? rate / length : rate);
      if (size > 1.01 * largest) largest = size, text = fmt::format("{} of {}", names[k], model.joints[joint].name);
    }
  }
  const double most = u.lpNorm<Eigen::Infinity>();
  if (largest < 0.1 * most) {
    int k = 0;
    u.cwiseAbs().maxCoeff(&k);
    const int of_body = static_cast<int>(u.size() / model.bodies.size());
    text =
        fmt::format("{} {}", model.bodies[k / of_body].name, system.coordinates().is_rotation(k) ? "turns" : "moves");
  }
  equations.evaluate(q);
  return text;
}

}  // namespace bricard
