#include "motions/newton_operator.h"

#include <algorithm>
#include <random>

#include "coordinates/body_twists.h"

namespace bricard {

namespace {
constexpr double tolerable_imbalance = 1e-9;  // of the equations of motion, relative to their terms
}

NewtonOperator::NewtonOperator(MechanismMotion& motion, System& system, const Feedback& feedback)
    : motion_(motion),
      system_(system),
      tangent_(system),
      eq_(system.empty_equations()),
      feedback_(feedback),
      np_(system.position_size()),
      n_(system.velocity_size()),
      rows_(system.row_count()),
      bodies_(static_cast<int>(system.model().bodies.size())),
      spatial_(!system.model().planar()),
      xdot_(motion.size()),
      right_side_(n_ + rows_),
      e_(n_),
      f_(n_),
      g_(rows_) {
  if (!tangent_.exact()) return;
  turning_.resize(spatial_ ? bodies_ : 0);
  build_matrix();
}

void NewtonOperator::build_matrix() {
  const SparseColumns& K = tangent_.K();
  G_q_ = tangent_.G_q(), G_v_ = tangent_.G_v();
  stiff_.resize(K.nonZeros());
  std::vector<Eigen::Triplet<double>> entries;
  const auto visit_columns = [](const SparseColumns& part, const auto& visit) {
    for (int column = 0; column < part.cols(); ++column)
      for (SparseColumns::InnerIterator entry(part, column); entry; ++entry)
        visit(static_cast<int>(entry.row()), column);
  };
  const auto visit_rows = [](const SparseRows& part, const auto& visit) {
    for (int row = 0; row < part.rows(); ++row)
      for (SparseRows::InnerIterator entry(part, row); entry; ++entry) visit(row, static_cast<int>(entry.col()));
  };
  const auto note = [&](int row, int column) { entries.emplace_back(row, column, 0); };
  visit_columns(eq_.M, note);
  visit_columns(K, note);
  visit_rows(G_q_, [&](int row, int column) { note(n_ + row, column); });
  visit_rows(eq_.P, [&](int row, int column) { note(n_ + row, column), note(column, n_ + row); });
  SparseColumns pattern(n_ + rows_, n_ + rows_);
  pattern.setFromTriplets(entries.begin(), entries.end());
  lu_ = std::make_unique<SparseLu>(std::move(pattern));

  visit_columns(eq_.M, [&](int row, int column) { M_places_.push_back(lu_->place(row, column)); });
  visit_columns(K, [&](int row, int column) { K_places_.push_back(lu_->place(row, column)); });
  visit_rows(G_q_, [&](int row, int column) { G_places_.push_back(lu_->place(n_ + row, column)); });
  visit_rows(eq_.P, [&](int row, int column) {
    P_places_.push_back(lu_->place(n_ + row, column));
    transpose_places_.push_back(lu_->place(column, n_ + row));
    const int *outer = G_q_.outerIndexPtr(), *inner = G_q_.innerIndexPtr();
    P_in_G_.push_back(static_cast<int>(std::lower_bound(inner + outer[row], inner + outer[row + 1], column) - inner));
  });
}

bool NewtonOperator::serves(double t, ConstVector x) {
  if (!tangent_.exact()) return false;
  Vector displaced = x;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < n_; ++k) {
    const double scale = system_.coordinates().is_rotation(k) ? 1 : length;
    e_[k] = 1e-4 * scale * uniform(generator);
    displaced[np_ + k] += 1e-4 * scale * uniform(generator);
  }
  system_.coordinates().advance(displaced.head(np_), e_);
  if (motion_.observe(t, displaced, xdot_) != Status::ok) return false;
  // r and G with the feedback, and the size of their terms.
  const Vector &a = motion_.accelerations(), &lambda = motion_.multipliers();
  system_.evaluate(t, displaced.head(np_), displaced.segment(np_, n_), Vector::Zero(0), Upto::dynamics, eq_);
  const Vector inertia = eq_.M * a, reactions = eq_.P.transpose() * lambda;
  Vector feedback = Vector::Zero(rows_);
  feedback_.apply(eq_, feedback);
  const Vector driven = eq_.P * a;
  const auto size = [](const Vector& vector) { return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0; };
  const double loads = size(inertia) + size(reactions) + size(eq_.Q);
  const double accelerations = size(eq_.P.cwiseAbs() * a.cwiseAbs()) + size(eq_.gamma) + size(feedback);
  return size(inertia + reactions - eq_.Q) <= tolerable_imbalance * loads &&
         size(driven - eq_.gamma - feedback) <= tolerable_imbalance * accelerations;
}

Status NewtonOperator::linearize(double t, ConstVector x) {
  const Status status = motion_.observe(t, x, xdot_);
  if (status != Status::ok) return status;
  ++linearizations_;
  const Vector& vdot = motion_.accelerations();
  system_.evaluate(t, x.head(np_), x.segment(np_, n_), x.segment(np_ + n_, 0), Upto::dynamics, eq_);
  tangent_.update(t, vdot, motion_.multipliers());
  tangent_.update_rows(t, vdot);
  add_feedback();
  for (int b = 0; b < static_cast<int>(turning_.size()); ++b) {
    const QuaternionRates rates(x.data() + 7 * b + 3, x.data() + np_ + 6 * b + 3);
    turning_[b].N = rates.N, turning_[b].T = rates.T, turning_[b].Z = rates.Z;
  }
  return Status::ok;
}

void NewtonOperator::add_feedback() {
  double *G_q = G_q_.valuePtr(), *G_v = G_v_.valuePtr();
  std::copy_n(tangent_.G_q().valuePtr(), G_q_.nonZeros(), G_q);
  std::copy_n(tangent_.G_v().valuePtr(), G_v_.nonZeros(), G_v);
  if (feedback_.empty()) return;
  const double *Phi_dot_q = tangent_.Phi_dot_q().valuePtr(), *P = eq_.P.valuePtr();
  for (int row = 0; row < rows_; ++row) {
    const double rate_gain = feedback_.rate[row], position_gain = feedback_.position[row];
    if (rate_gain == 0 && position_gain == 0) continue;
    for (int k = G_q_.outerIndexPtr()[row]; k < G_q_.outerIndexPtr()[row + 1]; ++k) G_q[k] += rate_gain * Phi_dot_q[k];
    for (int k = eq_.P.outerIndexPtr()[row]; k < eq_.P.outerIndexPtr()[row + 1]; ++k) {
      G_q[P_in_G_[k]] += position_gain * P[k];
      G_v[P_in_G_[k]] += rate_gain * P[k];
    }
  }
}

bool NewtonOperator::factorize(double gamma) {
  gamma_ = gamma;
  for (Turning& turning : turning_) {
    const double squared = -turning.Z.row(0).dot(turning.Z.col(0));  // |omega|^2/4
    turning.A_inverse = (Eigen::Matrix4d::Identity() + gamma * turning.Z) / (1 + gamma * gamma * squared);
    turning.E = turning.T * turning.A_inverse * turning.N;
  }
  double* values = lu_->values();
  std::fill_n(values, lu_->matrix().nonZeros(), 0.0);
  const SparseColumns& K = tangent_.K();
  stiff_ = Eigen::Map<const Vector>(K.valuePtr(), K.nonZeros());
  for (int b = 0; b < static_cast<int>(turning_.size()); ++b) {
    // The columns of a body's rotation have one pattern.
    const int first = K.outerIndexPtr()[6 * b + 3], height = K.outerIndexPtr()[6 * b + 4] - first;
    const Eigen::Map<const Matrix> before(K.valuePtr() + first, height, 3);
    Eigen::Map<Matrix>(stiff_.data() + first, height, 3).noalias() = before * turning_[b].E;
  }
  const double *M = eq_.M.valuePtr(), *P = eq_.P.valuePtr(), *C = tangent_.C().valuePtr();
  for (std::size_t k = 0; k < M_places_.size(); ++k) values[M_places_[k]] += M[k];
  for (std::size_t k = 0; k < K_places_.size(); ++k) values[K_places_[k]] += gamma * (C[k] + gamma * stiff_[k]);
  for (std::size_t k = 0; k < P_places_.size(); ++k) {
    values[P_places_[k]] += P[k];
    values[transpose_places_[k]] += P[k];
  }
  const int width = spatial_ ? 6 : 3;
  for (int k = 0; k < G_q_.nonZeros(); k += width) {
    const double *of_q = G_q_.valuePtr() + k, *of_v = G_v_.valuePtr() + k;
    double moved[6];
    std::copy_n(of_q, width, moved);
    if (spatial_) {
      const Mat3& E = turning_[G_q_.innerIndexPtr()[k] / 6].E;
      Eigen::Map<Eigen::RowVector3d>(moved + 3) = Eigen::Map<const Eigen::RowVector3d>(of_q + 3) * E;
    }
    for (int c = 0; c < width; ++c) values[G_places_[k + c]] += gamma * (of_v[c] + gamma * moved[c]);
  }
  return lu_->factorize();
}

bool NewtonOperator::solve(ConstVector r, VectorRef dx) {
  const auto r_v = r.segment(np_, n_);
  if (spatial_) {
    for (int b = 0; b < bodies_; ++b) {
      e_.segment<3>(6 * b) = r.segment<3>(7 * b);
      e_.segment<3>(6 * b + 3).noalias() = turning_[b].T * (turning_[b].A_inverse * r.segment<4>(7 * b + 3));
    }
  } else {
    e_ = r.head(np_);
  }
  f_.noalias() = eq_.M * r_v;
  f_.noalias() -= gamma_ * (tangent_.K() * e_);
  g_.noalias() = eq_.P * r_v;
  g_.noalias() -= gamma_ * (G_q_ * e_);
  right_side_.head(n_) = f_;
  right_side_.tail(rows_) = g_;
  if (!lu_->solve(right_side_)) return false;
  const auto dv = right_side_.head(n_);
  if (spatial_) {
    for (int b = 0; b < bodies_; ++b) {
      dx.segment<3>(7 * b) = r.segment<3>(7 * b) + gamma_ * dv.segment<3>(6 * b);
      dx.segment<4>(7 * b + 3).noalias() =
          turning_[b].A_inverse * (r.segment<4>(7 * b + 3) + gamma_ * (turning_[b].N * dv.segment<3>(6 * b + 3)));
    }
  } else {
    dx.head(np_) = r.head(np_) + gamma_ * dv;
  }
  dx.segment(np_, n_) = dv;
  dx.tail(dx.size() - np_ - n_) = r.tail(dx.size() - np_ - n_);
  return true;
}

}  // namespace bricard
