#include "analyses/linear/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyses/assembly/assembly.h"
#include "analyses/linear/linearization.h"
#include "analyses/run/budget.h"
#include "analyses/run/own_units.h"
#include "bricard/equilibrium.h"
#include "bricard/model.h"
#include "coordinates/coordinates.h"
#include "linear/dense/dense.h"
#include "model/counted.h"
#include "system/equations.h"
#include "system/system.h"

namespace bricard {
namespace {

/// A with its zero eigenvalues split off.
class Deflation {
 public:
  /// `scale`: units in which the entries of A may be compared, x = scale * scaled x.
  Deflation(const Matrix& A, Vector scale, double threshold) : scale_(std::move(scale)) {
    const int n = static_cast<int>(A.rows());
    T_ = scale_.cwiseInverse().asDiagonal() * A * scale_.asDiagonal();
    V_ = Matrix::Identity(n, n);
    const double smallest = threshold * (n > 0 ? T_.cwiseAbs().maxCoeff() : 0);
    while (zeros_ < n) {
      const int rest = n - zeros_;
      const Eigen::JacobiSVD<Matrix> svd(Matrix(T_.bottomRightCorner(rest, rest)), Eigen::ComputeFullV);
      const int nullity = static_cast<int>((svd.singularValues().array() <= smallest).count());
      if (nullity == 0) break;
      Matrix turn(rest, rest);  // null space first
      turn << svd.matrixV().rightCols(nullity), svd.matrixV().leftCols(rest - nullity);
      T_.rightCols(rest) *= turn;
      T_.bottomRows(rest) = (turn.transpose() * T_.bottomRows(rest)).eval();
      V_.rightCols(rest) *= turn;
      T_.block(zeros_, zeros_, rest, nullity).setZero();
      if (zeros_ == 0) nullity_ = nullity;
      zeros_ += nullity;
    }
  }

  int zeros() const { return zeros_; }
  /// Of A itself: how many states stay where they are.
  int nullity() const { return nullity_; }
  Vector null_vector(int k) const { return scale_.cwiseProduct(V_.col(k)); }
  Matrix regular_part() const { return T_.bottomRightCorner(T_.rows() - zeros_, T_.cols() - zeros_); }
  /// The eigenvector of A that belongs to one of the regular part.
  ComplexVector lift(Complex eigenvalue, const ComplexVector& x) const {
    ComplexVector all(T_.rows());
    if (zeros_ > 0) {
      Eigen::MatrixXcd shifted = -T_.topLeftCorner(zeros_, zeros_).cast<Complex>();
      shifted.diagonal().array() += eigenvalue;
      all.head(zeros_) = complex_lu_solution(shifted, T_.topRightCorner(zeros_, x.size()).cast<Complex>() * x);
    }
    all.tail(x.size()) = x;
    return scale_.cast<Complex>().cwiseProduct(V_.cast<Complex>() * all);
  }

 private:
  Vector scale_;
  Matrix T_, V_;
  int zeros_ = 0, nullity_ = 0;
};

std::vector<BodyShape> shape_of(const System& system, const Linearization& linear, const ComplexVector& x) {
  const double length = system.model().characteristic_length();
  const int n = static_cast<int>(linear.Z.rows());
  ComplexVector motion = linear.Z.cast<Complex>() * x.head(linear.displacements);
  if (motion.norm() <= 1e-12 * x.norm())  // moves nothing but friction states or speeds
    motion = linear.Y.cast<Complex>() * x.segment(linear.displacements, linear.speeds);
  Complex greatest = 0;
  for (int k = 0; k < n; ++k) {
    const Complex size = motion[k] / (system.coordinates().is_rotation(k) ? 1 : length);
    if (std::abs(size) > (1 + 1e-9) * std::abs(greatest)) greatest = size;  // the first of equal ones
  }
  if (greatest != 0.0) motion /= greatest;
  std::vector<BodyShape> shape(system.model().bodies.size());
  for (std::size_t b = 0; b < shape.size(); ++b) {
    if (system.model().planar()) {
      shape[b].translation.head(2) = motion.segment(static_cast<int>(3 * b), 2);
      shape[b].rotation[2] = motion[static_cast<int>(3 * b + 2)];
    } else {
      shape[b].translation = motion.segment(static_cast<int>(6 * b), 3);
      shape[b].rotation = motion.segment(static_cast<int>(6 * b + 3), 3);
    }
  }
  return shape;
}

Mode make_mode(Complex eigenvalue, double tolerance) {
  // What is below the rounding of A is none.
  if (std::abs(eigenvalue.real()) <= tolerance) eigenvalue.real(0);
  if (std::abs(eigenvalue.imag()) <= tolerance) eigenvalue.imag(0);
  Mode mode;
  mode.eigenvalue = eigenvalue;
  mode.frequency = eigenvalue.imag() / (2 * M_PI);
  mode.damping_ratio = eigenvalue == 0.0 ? 0 : 0.0 - eigenvalue.real() / std::abs(eigenvalue);
  mode.time_constant = eigenvalue.real() == 0 ? std::numeric_limits<double>::infinity() : -1 / eigenvalue.real();
  return mode;
}

void judge(Modes& modes, int nullity) {
  int growing = 0, undamped = 0;
  for (const Mode& mode : modes.modes) {
    growing += mode.eigenvalue.real() > 0;
    undamped += mode.eigenvalue.real() == 0;
  }
  std::vector<std::string> reasons;
  if (undamped > 0) reasons.push_back(counted(undamped, "undamped oscillation", "undamped oscillations"));
  if (modes.zero_eigenvalues > 0) {
    std::string text = counted(modes.zero_eigenvalues, "zero eigenvalue", "zero eigenvalues");
    text += " from " + counted(nullity, "coordinate", "coordinates") + " that nothing restores";
    if (modes.zero_eigenvalues > nullity) text += ", along which a disturbance drifts on";
    reasons.push_back(text);
  }
  const std::string list = fmt::format("{}", fmt::join(reasons, "; "));
  if (modes.linear.A.rows() == 0) {
    modes.stability = MotionStability::asymptotic;
    modes.verdict = "no degree of freedom is left";
  } else if (!modes.linear.steady) {
    modes.stability = MotionStability::unknown;
    modes.verdict = "unknown: neither an equilibrium nor a steady motion";
  } else if (growing > 0) {
    modes.stability = MotionStability::unstable;
    modes.verdict = "unstable: " + counted(growing, "mode grows", "modes grow");
  } else if (!reasons.empty()) {
    modes.stability = MotionStability::marginal;
    modes.verdict = "marginal: " + list;
    if (undamped == 0 && !modes.modes.empty()) modes.verdict += "; everything else decays";
  } else {
    modes.stability = MotionStability::asymptotic;
    modes.verdict = "asymptotically stable";
  }
}

}  // namespace

Modes find_modes(const System& system, const Linearization& linear) {
  Modes modes;
  modes.linear = linear;
  modes.length = system.model().characteristic_length();
  modes.ok = linear.ok;
  modes.failure = linear.failure;
  modes.messages = linear.messages;
  if (!linear.ok) return modes;

  const double rate = typical_rate(linear);
  const double error = linear.derivative_error * linear.A.lpNorm<Eigen::Infinity>();
  const double threshold = std::max(1e-11, 10 * error / (rate * rate));
  const Deflation deflation(linear.A, state_units(linear), threshold);
  modes.zero_eigenvalues = deflation.zeros();
  if (deflation.zeros() > 0) {
    modes.messages.push_back(fmt::format(
        "eigenvalues count as zero where the state matrix is singular to {:.1e} of its largest term: slower "
        "motions than about {:.1e} 1/s are not told from rest",
        threshold, rate * std::sqrt(threshold)));
  }
  for (int k = 0; k < deflation.nullity(); ++k) {
    Mode mode = make_mode(0, 0);
    mode.shape = shape_of(system, linear, deflation.null_vector(k).cast<Complex>());
    modes.unrestored.push_back(std::move(mode));
  }

  const Matrix regular = deflation.regular_part();
  if (regular.rows() > 0) {
    const Eigenpairs pairs = eigenpairs_of(regular);
    if (!pairs.ok) {
      modes.ok = false;
      modes.failure = "the eigenvalues could not be found";
      return modes;
    }
    const double tolerance = threshold * rate;
    for (int k = 0; k < regular.rows(); ++k) {
      const Complex eigenvalue = pairs.values[k];
      Mode mode = make_mode(eigenvalue, tolerance);
      if (mode.eigenvalue.imag() < 0) continue;
      mode.shape = shape_of(system, linear, deflation.lift(eigenvalue, pairs.vectors.col(k)));
      modes.modes.push_back(std::move(mode));
    }
  }
  std::stable_sort(modes.modes.begin(), modes.modes.end(), [](const Mode& a, const Mode& b) {
    const Complex x = a.eigenvalue, y = b.eigenvalue;
    return x.imag() != y.imag() ? x.imag() < y.imag() : x.real() < y.real();
  });

  const Matrix Uz = linear.A.block(linear.displacements, 0, linear.speeds, linear.displacements);
  const Matrix Uy = linear.A.block(linear.displacements, linear.displacements, linear.speeds, linear.speeds);
  if (Uy.lpNorm<Eigen::Infinity>() > threshold * rate) {
    if (Uz.lpNorm<Eigen::Infinity>() <=
        std::max(threshold * Uy.lpNorm<Eigen::Infinity>() * Uy.lpNorm<Eigen::Infinity>(), 10 * error)) {
      const Eigen::VectorXcd eigenvalues = eigenvalues_of(Uy);
      modes.speed_eigenvalues.assign(eigenvalues.begin(), eigenvalues.end());
      std::sort(modes.speed_eigenvalues.begin(), modes.speed_eigenvalues.end(),
                [](Complex a, Complex b) { return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag(); });
    }
  }
  judge(modes, deflation.nullity());
  return modes;
}

namespace {

/// Displacements z of the names that were asked for are lengths or angles; others are numbers of a basis, which stay.
Vector sizes_of_displacements(const OwnUnits& own, const Linearization& linear) {
  Vector sizes = Vector::Ones(linear.displacements);
  for (int k = 0; k < std::min<int>(linear.displacements, static_cast<int>(linear.names.size())); ++k)
    sizes[k] = own.size_of(linear.names[static_cast<std::size_t>(k)]);
  return sizes;
}

void to_si(const OwnUnits& own, Linearization& linear) {
  const Units& units = own.units();
  own.to_si(linear.failure);
  own.to_si(linear.messages);
  linear.turning /= units.time;
  linear.pace /= units.time;
  const double energy = units.energy(), time = units.time;
  linear.C *= energy * time;
  linear.K *= energy;
  linear.M *= energy * time * time;
  linear.N *= energy;
  if (!linear.ok) return;
  // xi = Z z, dv = Y y + W z with translations in units of length; y = z'/time.
  const System system(own.model(), *find_coordinates_type("reference-point"));
  Vector length(system.velocity_size());
  for (int k = 0; k < length.size(); ++k) length[k] = system.coordinates().is_rotation(k) ? 1 : units.length;
  linear.Z = length.asDiagonal() * linear.Z;
  linear.Y = length.asDiagonal() * linear.Y;
  linear.W = length.asDiagonal() * linear.W / time;
  linear.acceleration = length.cwiseProduct(linear.acceleration) / (time * time);
  // Named coordinates have sizes of their own.
  const Vector z = sizes_of_displacements(own, linear);
  const Vector y = linear.speeds == linear.displacements ? z : Vector(Vector::Ones(linear.speeds));
  const auto z_inverse = z.cwiseInverse().asDiagonal();
  const auto y_inverse = y.cwiseInverse().asDiagonal();
  linear.Z = linear.Z * z_inverse;
  linear.W = linear.W * z_inverse;
  linear.Y = linear.Y * y_inverse;
  linear.M = y_inverse * linear.M * y_inverse;
  linear.C = y_inverse * linear.C * y_inverse;
  linear.K = y_inverse * linear.K * z_inverse;
  linear.N = y_inverse * linear.N;
  Vector of_state(linear.A.rows());
  of_state << z, y / time, Vector::Ones(linear.states);
  linear.A = of_state.asDiagonal() * linear.A * of_state.cwiseInverse().asDiagonal() / time;
}

void to_si(const OwnUnits& own, std::vector<Mode>& modes) {
  const Units& units = own.units();
  for (Mode& mode : modes) {
    mode.eigenvalue /= units.time;
    mode.frequency /= units.time;
    mode.time_constant *= units.time;
    for (BodyShape& shape : mode.shape) shape.translation *= units.length;
  }
}

void to_si(const OwnUnits& own, Modes& modes) {
  own.to_si(modes.failure);
  own.to_si(modes.messages);
  own.to_si(modes.verdict);
  to_si(own, modes.linear);
  own.to_si(*find_coordinates_type("reference-point"), modes.q, modes.v);
  modes.length *= own.units().length;
  to_si(own, modes.modes);
  to_si(own, modes.unrestored);
  for (Complex& eigenvalue : modes.speed_eigenvalues) eigenvalue /= own.units().time;
}

}  // namespace

Modes find_modes(const std::shared_ptr<const Model>& model, const ModesOptions& options) {
  if (const OwnUnits own(model); own.differ()) {
    Modes modes = own.translate_errors([&] { return find_modes(own.model(), options); });
    to_si(own, modes);
    return modes;
  }
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  System system(model, coordinates);
  check_dense({.what = fmt::format("modes of {} coordinates", system.velocity_size()),
               .seconds_per_cube = 5e-9,
               .matrices = 14,
               .size = static_cast<double>(system.velocity_size())},
              options.time_limit, options.memory_limit);
  Modes modes;
  Assembly assembly = assemble(model, coordinates);
  if (!assembly.ok) {
    modes.failure = assembly.message;
    return modes;
  }
  start_at(system, assembly);
  if (options.at == ModesOptions::At::equilibrium) {
    const Equilibrium equilibrium =
        find_equilibrium(model, {.time_limit = options.time_limit, .memory_limit = options.memory_limit});
    if (!equilibrium.ok) {
      modes.failure = equilibrium.failure;
      return modes;
    }
    assembly.q = equilibrium.q;
    assembly.v.setZero();
    Equations eq = system.empty_equations();
    system.evaluate(0, assembly.q, assembly.v, Vector::Zero(system.state_size()), Upto::velocities, eq);
    if (eq.Phi_dot.size() > 0 && eq.Phi_dot.lpNorm<Eigen::Infinity>() > 1e-9) {
      modes.failure = "a drive moves at the start: there is no equilibrium";
      return modes;
    }
  }
  modes = find_modes(system, linearize(system, 0, assembly.q, assembly.v, {.independent = options.independent}));
  modes.q = assembly.q;
  modes.v = assembly.v;
  return modes;
}

Linearization linearize(const std::shared_ptr<const Model>& model, const std::vector<std::string>& independent) {
  Modes modes = find_modes(model, {.independent = independent});
  if (modes.linear.failure.empty()) modes.linear.failure = modes.failure;
  return std::move(modes.linear);
}

}  // namespace bricard
