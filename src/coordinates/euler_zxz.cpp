// `euler-zxz`: position and the angles (phi, theta, psi) with velocities q', six a body.     [Pekal-Fraczek, section 3]
//   A = Rz(phi) Rx(theta) Rz(psi) B,   omega = phi' e_z + theta' e_1 + psi' e_3,
//   e_1 = Rz(phi) e_x, e_3 = Rz(phi) Rx(theta) e_z; singular where sin(theta) = 0.
// B is a constant rotation, chosen so that theta = pi/2 in the reference, and chosen again whenever |sin(theta)| gets
// small: at a start elsewhere, and on the way.
#include <numbers>

#include "coordinates/body_coordinates.h"

namespace bricard {
namespace {

struct EulerZxz : PlainRotation {
  static constexpr int translations = 3, positions = 3, velocities = 3;
  static constexpr const char *position_names[] = {"phi", "theta", "psi"},
                              *velocity_names[] = {"phi'", "theta'", "psi'"};
  static constexpr bool velocities_are_rates = true, has_bias = true;
  static constexpr double smallest_sine = 0.1;  // nearer to the singularity another B is chosen

  Mat3 base = Mat3::Identity();

  static Mat3 euler_matrix(const double* p) {
    using Eigen::AngleAxisd;
    return (AngleAxisd(p[0], Vec3::UnitZ()) * AngleAxisd(p[1], Vec3::UnitX()) * AngleAxisd(p[2], Vec3::UnitZ()))
        .toRotationMatrix();
  }

  /// B for which the orientation has the angles (0, pi/2, 0).
  void choose(const Quaternion& orientation) {
    const double angles[] = {0, std::numbers::pi / 2, 0};
    base = euler_matrix(angles).transpose() * orientation.toRotationMatrix();
  }

  /// Another B if the orientation is near the singularity of the present one.
  void stay_regular_at(const Quaternion& orientation) {
    const Mat3 R = orientation.toRotationMatrix() * base.transpose();
    if (std::hypot(R(0, 2), R(1, 2)) < smallest_sine) choose(orientation);
  }

  void set(const Quaternion& orientation, double, double* p) const {
    const Mat3 R = orientation.toRotationMatrix() * base.transpose();
    const double sine = std::hypot(R(0, 2), R(1, 2));
    p[1] = std::atan2(sine, R(2, 2));
    if (sine > 1e-12) {
      p[0] = std::atan2(R(0, 2), -R(1, 2));
      p[2] = std::atan2(R(2, 0), R(2, 1));
    } else {  // only phi +- psi is determined
      p[0] = std::atan2(R(1, 0), R(0, 0));
      p[2] = 0;
    }
  }

  static void rate(const double*, const double* w, double* pdot) { std::copy_n(w, 3, pdot); }
  static void velocity(const double*, const double* pdot, double* w) { std::copy_n(pdot, 3, w); }
  static void acceleration(const double*, const double*, const double* wdot, double* pddot) {
    std::copy_n(wdot, 3, pddot);
  }
  static void advance(double* p, const double* displacement) {
    for (int k = 0; k < 3; ++k) p[k] += displacement[k];
  }
  static void difference(const double* p0, const double* p1, double* displacement) {
    for (int k = 0; k < 3; ++k) displacement[k] = p1[k] - p0[k];
  }

  static Vec3 first_axis(const double* p) { return {std::cos(p[0]), std::sin(p[0]), 0}; }
  static Vec3 third_axis(const double* p) {
    const double s = std::sin(p[1]);
    return {s * std::sin(p[0]), -s * std::cos(p[0]), std::cos(p[1])};
  }

  void frame(const double* p, Mat3& A, Mat3& W) const {
    A = euler_matrix(p) * base;
    W << Vec3::UnitZ(), first_axis(p), third_axis(p);
  }

  // e_z does not move, e_1 turns with phi' e_z, e_3 with phi' e_z + theta' e_1.
  static Vec3 bias(const double* p, const double* w, const Vec3&) {
    const Vec3 e1 = first_axis(p), e3 = third_axis(p), turn = w[0] * Vec3::UnitZ();
    return w[1] * turn.cross(e1) + w[2] * (turn + w[1] * e1).cross(e3);
  }
  static void frame_rate(const double* p, const double* w, const Mat3&, Mat3& W_rate) {
    const Vec3 e1 = first_axis(p), turn = w[0] * Vec3::UnitZ();
    W_rate << Vec3::Zero(), turn.cross(e1), (turn + w[1] * e1).cross(third_axis(p));
  }
  static Mat3 world_inertia(const Mat3& A, const Mat3& inertia) { return A * inertia * A.transpose(); }

  bool rebase(double* p, double* w) {
    if (std::abs(std::sin(p[1])) >= smallest_sine) return false;
    Mat3 A, W;
    frame(p, A, W);
    const Vec3 omega = W * Eigen::Map<const Vec3>(w);
    const Quaternion orientation(A);
    choose(orientation);
    set(orientation, 0, p);
    frame(p, A, W);
    const Vec3 rates = W.inverse() * omega;
    std::copy_n(rates.data(), 3, w);
    return true;
  }
};

}  // namespace

namespace coordinate_sets {
CoordinatesType euler_zxz() {
  return {
      .name = "euler-zxz",
      .description = "position and three Euler angles zxz a body with q' as velocities; re-based near its singularity",
      .source = "Pekal, Fraczek 2016, section 3",
      .planar = false,
      .spatial = true,
      .singular_mass = false,
      .create = [](const Model& model) -> std::unique_ptr<Coordinates> {
        return std::make_unique<BodyCoordinates<EulerZxz>>(model);
      }};
}
}  // namespace coordinate_sets
}  // namespace bricard
