#include "analyses/start_traits.h"

#include <cmath>
#include <random>

#include "analyses/stiffness.h"
#include "stabilization/dependent_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

// Dense decompositions are cubic.
constexpr int largest_dense = 150;

/// The constraints' Jacobian in dimensionless velocities, rows of unit length, so that units do not decide.
class Constraints {
 public:
  Constraints(System& system, ConstVector v)
      : system_(system), eq_(system.empty_equations()), scale_(typical_inertia(system).cwiseSqrt()), v_(v) {}

  void evaluate(ConstVector q) {
    system_.evaluate(0, q, v_, Vector::Zero(system_.state_size()), Upto::velocities, eq_);
    Matrix P(eq_.rows(), eq_.velocities());
    eq_.dense_jacobian(P);
    P *= scale_.cwiseInverse().asDiagonal();
    row_length_ = P.rowwise().norm().cwiseMax(1e-300);
    svd_.compute(row_length_.cwiseInverse().asDiagonal() * P, Eigen::ComputeThinU | Eigen::ComputeFullV);
  }
  const Vector& singular_values() const { return svd_.singularValues(); }
  int rank(double threshold) {
    svd_.setThreshold(threshold);
    return static_cast<int>(svd_.rank());
  }

  /// A position beside q that satisfies the constraints; false if there is none near.
  bool step_aside(ConstVector q, double size, unsigned seed, Vector& aside) {
    evaluate(q);
    const int freedoms = eq_.velocities() - rank(1e-8);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector step = Vector::Zero(eq_.velocities());
    for (int k = 0; k < freedoms; ++k) step += number(random) * svd_.matrixV().col(eq_.velocities() - 1 - k);
    const double inertia = scale_.maxCoeff();  // of a rotation: sqrt(m) L; of a point: sqrt(m)
    step *= size * inertia / std::max(step.norm(), 1e-300);
    aside = q;
    system_.coordinates().advance(aside, step.cwiseQuotient(scale_));
    for (int iteration = 0; iteration < 20; ++iteration) {
      evaluate(aside);
      if (eq_.Phi.norm() < 1e-12 * std::max(1.0, system_.model().characteristic_length())) return true;
      svd_.setThreshold(1e-6);
      step = svd_.solve(-eq_.Phi.cwiseQuotient(row_length_));
      system_.coordinates().advance(aside, step.cwiseQuotient(scale_));
    }
    return false;
  }

 private:
  System& system_;
  Equations eq_;
  Vector scale_, v_, row_length_;
  Eigen::BDCSVD<Matrix> svd_;
};

void measure_constraints(System& system, const Structure& s, ConstVector q, ConstVector v, StartTraits& traits) {
  if (s.rank == 0) {
    traits.singular_value = 1;
    traits.rank_beside = 0;
    return;
  }
  if (s.coordinates > largest_dense || s.constraints > 2 * largest_dense) return;
  Constraints constraints(system, v);
  constraints.evaluate(q);
  const Vector values = constraints.singular_values();
  traits.singular_value = values[s.rank - 1] / values[0];
  // Rows that depend on each other here may do so only here.
  traits.rank_beside = s.rank;
  if (s.rank == s.constraints) return;
  Vector aside(q.size());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    if (constraints.step_aside(q, 1e-3, seed, aside))
      traits.rank_beside = std::max(traits.rank_beside, constraints.rank(1e-7));
  }
}

void measure_rates(System& system, const Structure& s, ConstVector q, ConstVector v, StartTraits& traits) {
  const bool rank_deficient = s.rank < s.constraints;
  if (rank_deficient && s.coordinates > largest_dense) return;
  const FormulationType& type = *find_formulation_type(rank_deficient ? "nullspace-svd" : "lagrange");
  DependentMotion motion(system, type.create(system.empty_equations(), {.typical_inertia = typical_inertia(system)}),
                         find_stabilization_type("projection")->create(system, {}),
                         CorrectionTimes::steps_and_derivatives);  // changes of x that the constraints allow
  Vector x(motion.size()), xdot(motion.size()), scales(motion.size());
  motion.pack(0, q, v, x);
  if (motion.derivative(0, x, xdot) != Status::ok) return;
  motion.error_scales(scales);
  const auto of_velocities = [&](const Vector& of) {
    return of.segment(q.size(), v.size()).cwiseQuotient(scales.segment(q.size(), v.size()));
  };
  if (v.size() > 0) {
    traits.pace =
        std::max(of_velocities(x).lpNorm<Eigen::Infinity>(), std::sqrt(of_velocities(xdot).lpNorm<Eigen::Infinity>()));
  }
  traits.eigenvalues = outer_eigenvalues(motion, 0, x);
  if (traits.pace == 0) return;
  // Once it has gained speed: what resists motion (bristles of friction, nonlinear dampers) may be stiff only then.
  motion.derivative(0, x, xdot);
  x.segment(q.size(), v.size()) += xdot.segment(q.size(), v.size()) / traits.pace;
  traits.moving_eigenvalues = outer_eigenvalues(motion, 0, x);
}

}  // namespace

StartTraits measure_start(System& system, const Structure& structure, ConstVector q, ConstVector v) {
  StartTraits traits;
  measure_constraints(system, structure, q, v, traits);
  // Near singular positions the accelerations change abruptly, and their derivatives say nothing.
  if (!traits.is_singular_position(structure) && !traits.is_near_singular_position())
    measure_rates(system, structure, q, v, traits);
  // The system is left where it starts.
  Equations equations = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, equations);
  return traits;
}

}  // namespace bricard
