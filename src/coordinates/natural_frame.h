// A body of natural coordinates: the affine map z = p + E c of constants c (those of a marker or mass element), with
// columns of E that are lines p_k - p or vectors u_k, in the plane E = [d, perp d] with d = p_1 - p. So z is a weighted
// sum of points and vectors x_k, and inertia is constant:
//   z = sum w_k(c) x_k,   M_ij = int w_i^* w_j dm                                          [Jalon-Bayo, chapter 4]
//   omega = 1/2 sum e^k x e_k',   rows e^k of E^-1,   (E^-1)' = -E^-1 E' E^-1;   in the plane omega = perp d . d'/d^2
// Off rigidity, everything here still is what it says, with all its derivatives.
#pragma once

#include <algorithm>
#include <array>

#include "coordinates/natural_structure.h"

namespace bricard {

template <int D>
class NaturalFrame {
 public:
  static constexpr bool planar = D == 2;
  static constexpr int K = planar ? 1 : 3;  // columns of E that are elements
  using VecD = Eigen::Matrix<double, D, 1>;
  using MatD = Eigen::Matrix<double, D, D>;

  /// Share of an element in a point or vector: in the plane a rotation with a stretch, (a, b) for a x + b perp x.
  struct Weight {
    double a = 0, b = 0;
    bool is_zero() const { return a == 0 && b == 0; }
    void subtract(const Weight& other) { a -= other.a, b -= other.b; }
    void drop_below(double size) { a = std::abs(a) < size ? 0 : a, b = std::abs(b) < size ? 0 : b; }
    VecD transposed_times(const VecD& g) const {
      if constexpr (planar) {
        return a * g - b * perpendicular(g);
      } else {
        return a * g;
      }
    }
    MatD matrix() const {
      MatD result = a * MatD::Identity();
      if constexpr (planar) result(1, 0) = b, result(0, 1) = -b;
      return result;
    }
  };
  using Weights = std::array<Weight, K + 1>;  // of the elements

  NaturalFrame(const Body& body, const FrameElements& frame, const std::vector<BasicElement>& all) {
    std::copy_n(frame.begin(), K + 1, elements.begin());
    for (int k = 0; k < K; ++k) is_line_[k] = all[elements[k + 1]].is_point;
    const MatD to_body = body.orientation.conjugate().toRotationMatrix().template topLeftCorner<D, D>();
    const VecD origin = columns_of([&](int e) { return VecD(all[e].reference.template head<D>()); }, E_);
    origin_ = to_body * (origin - body.center.template head<D>());
    to_columns_ = (to_body * E_).inverse();
  }

  std::array<int, K + 1> elements;  // of p, then of the columns of E

  /// `of(element)`: the place or direction of an element.
  template <class Of>
  void update(const Of& of) {
    const VecD origin = columns_of(of, E_);
    F.noalias() = E_ * to_columns_;
    center = origin - F * origin_;
    if constexpr (!planar) E_inverse_ = E_.inverse();
  }
  /// `of(element)`: its rate.
  template <class Of>
  void update_rates(const Of& of) {
    const VecD origin = columns_of(of, E_rate_);
    F_rate.noalias() = E_rate_ * to_columns_;
    center_rate = origin - F_rate * origin_;
    find_rotation(E_rate_);
  }

  // of the last update
  MatD F = MatD::Identity(), F_rate = MatD::Zero();  // body axes to world axes; a rotation if the body is rigid
  VecD center = VecD::Zero(), center_rate = VecD::Zero();
  Vec3 omega = Vec3::Zero(), omega_bias = Vec3::Zero();

  Weights weights(const Vec3& local, bool is_point) const {
    VecD c = to_columns_ * local.template head<D>();
    if (is_point) c -= to_columns_ * origin_;
    Weights w;
    w[0].a = is_point ? 1 : 0;
    for (int k = 0; k < K; ++k) {
      w[k + 1] = planar ? Weight{c[0], c[1]} : Weight{c[k], 0};
      if (is_line_[k]) w[0].subtract(w[k + 1]);
    }
    // A point that is an element depends on nothing else: no entries of the size of rounding errors.
    for (Weight& weight : w) weight.drop_below(1e-14 * std::max(1.0, c.cwiseAbs().maxCoeff()));
    return w;
  }

  /// The vector on each element that a gradient g on the angular velocity is.
  std::array<VecD, K + 1> turning(const Vec3& g) const {
    std::array<VecD, K + 1> parts;
    parts[0].setZero();
    for (int k = 0; k < K; ++k) {
      if constexpr (planar) {
        parts[k + 1] = g.z() / E_.col(0).squaredNorm() * perpendicular(E_.col(0));
      } else {
        parts[k + 1] = 0.5 * g.cross(E_inverse_.row(k).transpose());
      }
      if (is_line_[k]) parts[0] -= parts[k + 1];
    }
    return parts;
  }
  /// Rate of the vectors that an impulse g on the angular velocity is, whose rate is g1.
  std::array<VecD, K + 1> turning_rate(const Vec3& g, const Vec3& g1) const {
    std::array<VecD, K + 1> parts;
    parts[0].setZero();
    Mat3 inverse_rate;
    if constexpr (!planar) inverse_rate.noalias() = -E_inverse_ * E_rate_ * E_inverse_;
    for (int k = 0; k < K; ++k) {
      if constexpr (planar) {
        const VecD d = E_.col(0), d1 = E_rate_.col(0);
        const double squared = d.squaredNorm();
        parts[k + 1] =
            ((g1.z() - 2 * d.dot(d1) / squared * g.z()) * perpendicular(d) + g.z() * perpendicular(d1)) / squared;
      } else {
        parts[k + 1] = 0.5 * (g1.cross(E_inverse_.row(k).transpose()) + g.cross(inverse_rate.row(k).transpose()));
      }
      if (is_line_[k]) parts[0] -= parts[k + 1];
    }
    return parts;
  }
  /// False if p does not take part in the rotation.
  bool has_line() const { return std::find(is_line_.begin(), is_line_.end(), true) != is_line_.end(); }

  /// int w_i^* w_j dm over the body.
  std::array<Weights, K + 1> inertia(const Body& body) const {
    std::array<Weights, K + 1> w{};  // of p and the columns of E at first
    const VecD first = -body.mass * to_columns_ * origin_;
    w[0][0].a = body.mass;
    if constexpr (planar) {
      w[0][1] = {first[0], first[1]};
      w[1][0] = {first[0], -first[1]};
      w[1][1].a = (body.inertia(2, 2) + body.mass * origin_.squaredNorm()) * to_columns_.determinant();
    } else {
      // int s s^T dm = 1/2 tr(J) I - J about the centre of mass; then about p, in the coordinates c.
      const Mat3 about_center = 0.5 * body.inertia.trace() * Mat3::Identity() - body.inertia;
      const Mat3 about_p = about_center + body.mass * origin_ * origin_.transpose();
      Mat3 second = to_columns_ * about_p * to_columns_.transpose();
      second = 0.5 * (second + second.transpose()).eval();  // to the last bit
      for (int i = 0; i < 3; ++i) {
        w[0][i + 1].a = w[i + 1][0].a = first[i];
        for (int j = 0; j < 3; ++j) w[i + 1][j + 1].a = second(i, j);
      }
    }
    for (int k = 1; k <= K; ++k) {
      if (!is_line_[k - 1]) continue;
      for (int i = 0; i <= K; ++i) w[0][i].subtract(w[k][i]);
      for (int i = 0; i <= K; ++i) w[i][0].subtract(w[i][k]);
    }
    for (Weights& row : w) {
      for (Weight& entry : row) entry.drop_below(1e-15 * body.mass);
    }
    return w;
  }

 private:
  static Eigen::Vector2d perpendicular(const Eigen::Vector2d& d) { return {-d.y(), d.x()}; }

  /// E, or its rate, from what `of` says of each element; returns what it says of p.
  template <class Of>
  VecD columns_of(const Of& of, MatD& E) const {
    VecD origin = of(elements[0]);
    for (int k = 0; k < K; ++k) {
      E.col(k) = of(elements[k + 1]);
      if (is_line_[k]) E.col(k) -= origin;
    }
    if constexpr (planar) E.col(1) = perpendicular(E.col(0));
    return origin;
  }

  void find_rotation(const MatD& E_rate) {
    if constexpr (planar) {
      const VecD d = E_.col(0), d_rate = E_rate.col(0);
      omega.z() = perpendicular(d).dot(d_rate) / d.squaredNorm();
      omega_bias.z() = -2 * d.dot(d_rate) / d.squaredNorm() * omega.z();
    } else {
      const Mat3 inverse_rate = -E_inverse_ * E_rate * E_inverse_;
      omega.setZero(), omega_bias.setZero();
      for (int k = 0; k < 3; ++k) {
        omega += 0.5 * E_inverse_.row(k).transpose().cross(E_rate.col(k));
        omega_bias += 0.5 * inverse_rate.row(k).transpose().cross(E_rate.col(k));
      }
    }
  }

  std::array<bool, K> is_line_;  // p_k - p, not u_k
  VecD origin_;                  // p in the body's frame
  MatD to_columns_;              // E^-1 in the body's frame: c = to_columns (local - origin)
  MatD E_, E_inverse_ = MatD::Identity(), E_rate_ = MatD::Zero();
};

}  // namespace bricard
