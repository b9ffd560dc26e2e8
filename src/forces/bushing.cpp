// Bushing: springs and dampers along and about three axes fixed to body i (the world axes of the reference
// configuration).
//   d = E^T (r_j - r_i), V = 1/2 d^T K d + 1/2 f^T C f, f the rotation vector of j relative to i in the axes E of i.
//   f' = L(f) w with w the relative angular velocity in E and L = I - [f]/2 + c [f]^2 the inverse of the left Jacobian,
//   so the elastic moment on j is -L^T C f: exact for large rotations, in the plane of any size, in space up to a full
//   turn, where the axis of f is lost.
// Derivatives: a small rotation of i turns E; one of j relative to i, in E, changes f by L times itself.
#include <cmath>
#include <numbers>

#include "coordinates/rotation_algebra.h"
#include "forces/force_element.h"

namespace bricard::force_kinds {
namespace {

class JointBushing : public ForceElement {
 public:
  JointBushing(const Bushing& bushing, ForceBuilder& builder)
      : point_i_(builder.point({bushing.i, bushing.at})),
        point_j_(builder.point({bushing.j, bushing.at})),
        rotation_i_(builder.rotation(bushing.i)),
        rotation_j_(builder.rotation(bushing.j)),
        K_(bushing.stiffness.data()),
        C_(bushing.stiffness.data() + 3),
        K_damping_(bushing.damping.data()),
        C_damping_(bushing.damping.data() + 3),
        planar_(builder.model().planar()),
        i_(bushing.i),
        j_(bushing.j) {
    for (int k = 0; k < 3; ++k) {
      axis_i_[k] = builder.vector(bushing.i, Vec3::Unit(k));
      axis_j_[k] = builder.vector(bushing.j, Vec3::Unit(k));
    }
    // -force at the point of i with its lever, the moments, force at the point of j.
    load_ = builder.load(point_i_);
    builder.load(rotation_i_);
    builder.load(point_j_);
    builder.load(rotation_j_);
  }

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Deformation d = deformation(context);
    const Vec3 force = -(d.E * (K_.cwiseProduct(d.shift) + K_damping_.cwiseProduct(d.shift_rate)));
    const Vec3 moment = -(d.E * (d.L.transpose() * C_.cwiseProduct(d.turn) + C_damping_.cwiseProduct(d.turning)));
    loads[load_].value = -force;
    loads[load_ + 1].value = -moment - (d.E * d.shift).cross(force);
    loads[load_ + 2].value = force;
    loads[load_ + 3].value = moment;
  }
  double potential(const ForceContext& context) const override {
    const Deformation d = deformation(context);
    return 0.5 * (K_.dot(d.shift.cwiseAbs2()) + C_.dot(d.turn.cwiseAbs2()));
  }
  double potential_rate(const ForceContext& context) const override {
    const Deformation d = deformation(context);
    return K_.cwiseProduct(d.shift).dot(d.shift_rate) + C_.cwiseProduct(d.turn).dot(d.L * d.turning);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    const Markers& m = context.markers;
    const Deformation d = deformation(context);
    const Mat3 K = in_world(d.E, K_), K_damping = in_world(d.E, K_damping_), C_damping = in_world(d.E, C_damping_);
    const Mat3 elastic = d.L.transpose() * C_.asDiagonal() * d.L + slope_of_transpose(d, C_.cwiseProduct(d.turn)) * d.L;
    const Mat3 C = d.E * elastic * d.E.transpose();
    const Vec3 gap = m.value[point_j_] - m.value[point_i_], &omega = m.rate[rotation_i_];
    const Vec3 gap_rate = d.E * d.shift_rate, turning = m.rate[rotation_j_] - omega;
    const Vec3 force = -(K * gap + K_damping * gap_rate);
    const Vec3 moment = -(d.E * (d.L.transpose() * C_.cwiseProduct(d.turn)) + C_damping * turning);
    const Mat3 gap_cross = cross_matrix(gap), force_cross = cross_matrix(force);

    // Of the force on j: by the gap, its rate, the rotation of i and its rate.
    const Mat3 by_gap = -K + K_damping * cross_matrix(omega);
    const Mat3 by_turn = -force_cross - K * gap_cross - K_damping * cross_matrix(gap_rate);
    const Mat3 by_omega = -K_damping * gap_cross;
    couplings.add(point_j_, point_j_, by_gap, -K_damping);
    couplings.add(point_j_, point_i_, -by_gap, K_damping);
    couplings.add(point_j_, rotation_i_, by_turn, by_omega);
    couplings.add(point_i_, point_j_, -by_gap, K_damping);
    couplings.add(point_i_, point_i_, by_gap, -K_damping);
    couplings.add(point_i_, rotation_i_, -by_turn, -by_omega);
    // Of the moment on j.
    const Mat3 moment_by_turn = -cross_matrix(moment) + C - C_damping * cross_matrix(turning);
    couplings.add(rotation_j_, rotation_j_, -C, -C_damping);
    couplings.add(rotation_j_, rotation_i_, moment_by_turn, C_damping);
    // Of the one on i, -moment - gap x force.
    const Mat3 lever_by_gap = force_cross - gap_cross * by_gap, lever_by_rate = gap_cross * K_damping;
    couplings.add(rotation_i_, point_j_, lever_by_gap, lever_by_rate);
    couplings.add(rotation_i_, point_i_, -lever_by_gap, -lever_by_rate);
    couplings.add(rotation_i_, rotation_j_, C, C_damping);
    couplings.add(rotation_i_, rotation_i_, -moment_by_turn - gap_cross * by_turn, -C_damping - gap_cross * by_omega);
    return true;
  }

 private:
  struct Deformation {
    Mat3 E, L;
    Vec3 shift, shift_rate, turn, turning;
  };

  static Mat3 in_world(const Mat3& E, const Vec3& diagonal) { return E * diagonal.asDiagonal() * E.transpose(); }

  /// d(L^T y)/df for a fixed y.
  static Mat3 slope_of_transpose(const Deformation& d, const Vec3& y) {
    const Vec3& f = d.turn;
    const double angle = f.norm(), half = 0.5 * angle, square = half * half;
    double c = 1.0 / 12, slope = 1.0 / 360;  // slope: c'(angle)/angle
    if (angle > 0.1) {
      const double cotangent = 1 / std::tan(half), sine = std::sin(half);
      c = (1 - half * cotangent) / (angle * angle);
      slope = (half / (sine * sine) - cotangent) / (2 * angle * angle * angle) - 2 * c / (angle * angle);
    } else {
      c += square / 180 + square * square / 1890;
      slope += square / 1890 + square * square / 12600;
    }
    const Vec3 fy = f.cross(y);
    return -0.5 * cross_matrix(y) - c * (cross_matrix(fy) + cross_matrix(f) * cross_matrix(y)) +
           slope * f.cross(fy) * f.transpose();
  }

  /// Of a body since the reference.
  static double turn(const Markers& markers, int body) { return body == ground ? 0 : markers.turn[body]; }

  /// The same rotation, about the same axis, as the one nearest to that of the last evaluation: it goes on beyond half
  /// a turn. There are others for every full turn.
  Vec3 continued(const Vec3& rotation) const {
    const double angle = rotation.norm();
    if (angle > 0) {
      const Vec3 axis = rotation / angle;
      const double turns = std::round((last_.dot(axis) - angle) / (2 * std::numbers::pi));
      last_ = (angle + 2 * std::numbers::pi * turns) * axis;
    } else if (last_.norm() < std::numbers::pi) {
      last_.setZero();
    }
    return last_;
  }

  Deformation deformation(const ForceContext& context) const {
    const Markers& m = context.markers;
    Deformation d;
    Mat3 F;
    for (int k = 0; k < 3; ++k) {
      d.E.col(k) = m.value[axis_i_[k]];
      F.col(k) = m.value[axis_j_[k]];
    }
    const Vec3 gap = m.value[point_j_] - m.value[point_i_];
    d.shift = d.E.transpose() * gap;
    d.shift_rate = d.E.transpose() * (m.rate[point_j_] - m.rate[point_i_] - m.rate[rotation_i_].cross(gap));
    d.turn = planar_ ? Vec3(0, 0, turn(m, j_) - turn(m, i_))
                     : continued(rotation_vector(Quaternion(Mat3(d.E.transpose() * F))));
    d.turning = d.E.transpose() * (m.rate[rotation_j_] - m.rate[rotation_i_]);
    const double angle = d.turn.norm();
    const double c = angle < 1e-4 ? 1.0 / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
    const Mat3 cross = cross_matrix(d.turn);
    d.L = Mat3::Identity() - 0.5 * cross + c * cross * cross;
    return d;
  }

  int point_i_, point_j_, rotation_i_, rotation_j_;
  int axis_i_[3], axis_j_[3];
  int load_;
  Vec3 K_, C_, K_damping_, C_damping_;
  bool planar_;
  int i_, j_;
  mutable Vec3 last_ = Vec3::Zero();  // rotation vector of the last evaluation, in space
};

}  // namespace

std::unique_ptr<ForceElement> create(const Bushing& bushing, ForceBuilder& builder) {
  return std::make_unique<JointBushing>(bushing, builder);
}

}  // namespace bricard::force_kinds
