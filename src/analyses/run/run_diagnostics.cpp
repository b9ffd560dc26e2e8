#include "analyses/run/run_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/run/budget.h"
#include "linear/rank_threshold.h"

namespace bricard {
namespace {

// A rank above the generic one has to be beyond doubt: errors of the constraints make redundant rows independent.
constexpr double higher_rank_threshold = 1e-6;
constexpr double small_part = 1e-6;  // of the typical inertia, as in the projective selection

}  // namespace

bool is_diagnostic_column(const std::string& name) {
  return name == "constraint.rank" || name == "singularity" || name.starts_with("projective.");
}

RunDiagnostics::RunDiagnostics(System& system, ConstVector q, ConstVector v, int generic_rank, bool mass_is_singular)
    : columns_{"constraint.rank", "singularity"},
      generic_rank_(generic_rank),
      mass_is_singular_(mass_is_singular),
      D_(system.row_count(), system.velocity_size()),
      M_(system.velocity_size(), system.velocity_size()),
      recursion_(system.has_mass_matrix()
                     ? nullptr
                     : create_tree_dynamics(system.model(), *system.coordinates().spanning_tree())),
      g_(system.velocity_size()) {
  const ScaledConstraints scaled(system, q, v);
  row_length_ = scaled.row_length();
  root_inertia_ = scaled.root_inertia();
  const double length = system.model().characteristic_length();
  root_mass_length_ = 0;
  for (int k = 0; k < root_inertia_.size(); ++k)
    root_mass_length_ =
        std::max(root_mass_length_, root_inertia_[k] * (system.coordinates().is_rotation(k) ? 1 : length));
  Equations equations = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, equations);
  for (std::size_t joint = 0; joint < system.joint_coordinates().size(); ++joint) {
    for (std::size_t k = 0; k < system.joint_coordinates()[joint].size(); ++k) {
      const std::string& name = system.model().joints[joint].name;
      columns_.push_back(k == 0 ? fmt::format("projective.{}", name) : fmt::format("projective.{}.{}", name, k + 1));
    }
  }
}

void RunDiagnostics::weigh(const Equations& eq, ConstVector q, Metric metric) {
  eq.dense_jacobian(D_);
  D_ = row_length_.cwiseInverse().asDiagonal() * D_;
  if (metric == Metric::typical) {
    D_ = D_ * root_inertia_.cwiseInverse().asDiagonal();
    return;
  }
  if (recursion_) {
    find_root(q, metric);
    D_ = D_ * root_;
    return;
  }
  eq.dense_mass(M_);
  if (metric == Metric::regularized) M_.diagonal() += small_part * root_inertia_.cwiseAbs2();
  mass_.compute(M_);
  mass_.matrixU().solveInPlace<Eigen::OnTheRight>(D_);
}

/// Where M is singular, the typical inertia alone: M + a part of it is not known either.
void RunDiagnostics::find_root(ConstVector q, Metric metric) {
  root_ = root_inertia_.cwiseInverse().asDiagonal();
  if (metric != Metric::masses) return;
  recursion_->place(q.data());
  if (!recursion_->factorize()) return;
  M_.setIdentity();
  for (int k = 0; k < M_.cols(); ++k) {
    recursion_->reduce(M_.col(k).data());
    recursion_->restore(M_.col(k).data());
  }
  M_ = (0.5 * (M_ + M_.transpose())).eval();
  mass_.compute(M_);
  if (mass_.info() == Eigen::Success) root_ = mass_.matrixL();
}

double RunDiagnostics::drift(const Equations& eq) const {
  double largest = 0;
  for (int row = 0; row < eq.rows(); ++row)
    largest = std::max(largest, std::abs(eq.Phi[row]) / (row_length_[row] * root_mass_length_));
  return largest;
}

RunDiagnostics::Measure RunDiagnostics::judge(const Equations& eq, const Vector& sigma) {
  Measure result;
  if (sigma.size() == 0 || sigma[0] == 0) return result;
  const double error = 10 * drift(eq);
  const auto rank = [&](double threshold) {
    return static_cast<int>((sigma.array() > std::max(threshold, error) * sigma[0]).count());
  };
  generic_rank_ = std::max(generic_rank_, rank(higher_rank_threshold));
  result.rank = std::min(rank(rank_threshold), generic_rank_);
  if (generic_rank_ > 0) result.singularity = sigma[generic_rank_ - 1] / sigma[0];
  return result;
}

RunDiagnostics::Measure RunDiagnostics::measure(const Equations& eq, ConstVector q) {
  if (eq.rows() == 0) return {};
  weigh(eq, q, mass_is_singular_ ? Metric::typical : Metric::masses);
  values_.compute(D_);
  return judge(eq, values_.singularValues());
}

void RunDiagnostics::record(const System& system, const Equations& eq, ConstVector q, double* values) {
  Measure measured;
  if (eq.rows() > 0) {
    weigh(eq, q, mass_is_singular_ ? Metric::typical : Metric::masses);
    factor_.compute(D_);
    measured = judge(eq, factor_.values());
  }
  *values++ = measured.rank;
  *values++ = measured.singularity;
  if (mass_is_singular_) {
    weigh(eq, q, Metric::regularized);
    if (eq.rows() > 0) factor_.compute(D_);
  } else if (eq.rows() == 0) {
    weigh(eq, q, Metric::masses);
  }
  for (const std::vector<int>& coordinates : system.joint_coordinates()) {
    for (int signal : coordinates) {
      loads_.clear();
      for (int k = 0; k < system.signals().entries(signal); ++k)
        loads_.push_back({system.signals().markers_of(signal)[k], system.signals().gradient(signal)[k]});
      g_.setZero();
      system.coordinates().scatter(system.markers(), loads_, g_);
      if (recursion_) {
        g_ = (root_.transpose() * g_).eval();
      } else {
        mass_.matrixL().solveInPlace(g_);
      }
      const double whole = g_.squaredNorm();
      if (measured.rank > 0) {
        const auto V = factor_.Vt().topRows(measured.rank).transpose();
        g_ -= V * (V.transpose() * g_);
      }
      *values++ = whole > 0 ? g_.squaredNorm() / whole : 0;
    }
  }
}

std::unique_ptr<RunDiagnostics> create_diagnostics(System& system, const Summary& start, int generic_rank,
                                                   const Assembly& assembly) {
  const Method& method = start.chosen.method;
  const Structure& structure = start.structure;
  if (!*method.diagnostics) return nullptr;
  check_dense({.what = fmt::format("diagnostics of {} coordinates and {} constraints at every output",
                                   structure.coordinates, structure.constraints),
               .seconds_per_cube = structure.constraints > 0 ? 5e-9 : 1e-9,
               .matrices = 8,
               .size = static_cast<double>(structure.coordinates),
               .times = method.duration / method.output_step + 1,
               .usual_time_limit = 600},
              method.time_limit, method.memory_limit);
  return std::make_unique<RunDiagnostics>(system, assembly.q, assembly.v, generic_rank, structure.mass_is_singular);
}

}  // namespace bricard
