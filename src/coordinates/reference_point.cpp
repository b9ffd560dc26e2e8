// `reference-point`: planar bodies by (x, y, angle); spatial bodies by position and unit quaternion p with the velocity
// coordinates (v, omega), omega in world axes, so that M is regular and block diagonal.
//   p' = 1/2 (0, omega) p,   rotation matrix of p/|p|, so that the length of p does not matter   [Nikravesh 1988, ch.
//   6]
#include "coordinates/body_coordinates.h"

namespace bricard {
namespace {

struct PlanarAngle : PlainRotation {
  static constexpr int translations = 2, positions = 1, velocities = 1;
  static constexpr bool velocities_are_rates = true, has_bias = false;

  void set(const Quaternion&, double angle, double* p) const { p[0] = angle; }
  static void rate(const double*, const double* w, double* pdot) { pdot[0] = w[0]; }
  static void velocity(const double*, const double* pdot, double* w) { w[0] = pdot[0]; }
  static void acceleration(const double*, const double*, const double* wdot, double* pddot) { pddot[0] = wdot[0]; }
  static void advance(double* p, const double* displacement) { p[0] += displacement[0]; }
  static void difference(const double* p0, const double* p1, double* displacement) { displacement[0] = p1[0] - p0[0]; }
  static void frame(const double* p, Mat3& A, Vec3& W) {
    const double c = std::cos(p[0]), s = std::sin(p[0]);
    A << c, -s, 0, s, c, 0, 0, 0, 1;
    W = Vec3::UnitZ();
  }
  static Vec3 bias(const double*, const double*, const Vec3&) { return Vec3::Zero(); }
  static Mat3 world_inertia(const Mat3&, const Mat3& inertia) { return inertia; }
};

struct UnitQuaternion : PlainRotation {
  static constexpr int translations = 3, positions = 4, velocities = 3;
  static constexpr bool velocities_are_rates = false, has_bias = false;

  static Quaternion quaternion(const double* p) { return {p[0], p[1], p[2], p[3]}; }
  static void store(const Quaternion& value, double* p) {
    p[0] = value.w(), p[1] = value.x(), p[2] = value.y(), p[3] = value.z();
  }

  void set(const Quaternion& orientation, double, double* p) const { store(orientation, p); }

  // pdot = 1/2 (0, w) p
  static void rate(const double* p, const double* w, double* pdot) {
    pdot[0] = -0.5 * (w[0] * p[1] + w[1] * p[2] + w[2] * p[3]);
    pdot[1] = 0.5 * (w[0] * p[0] + w[1] * p[3] - w[2] * p[2]);
    pdot[2] = 0.5 * (w[1] * p[0] + w[2] * p[1] - w[0] * p[3]);
    pdot[3] = 0.5 * (w[2] * p[0] + w[0] * p[2] - w[1] * p[1]);
  }
  // (0, w) = 2 pdot conj(p) / |p|^2; a pdot along p turns nothing
  static void velocity(const double* p, const double* pdot, double* w) {
    const Quaternion product = quaternion(pdot) * quaternion(p).conjugate();
    const double factor = 2 / quaternion(p).squaredNorm();
    for (int k = 0; k < 3; ++k) w[k] = factor * product.vec()[k];
  }
  // pddot = 1/2 (0, wdot) p + 1/2 (0, w) pdot = 1/2 (0, wdot) p - 1/4 |w|^2 p
  static void acceleration(const double* p, const double* w, const double* wdot, double* pddot) {
    rate(p, wdot, pddot);
    const double factor = 0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int k = 0; k < 4; ++k) pddot[k] -= factor * p[k];
  }
  static void advance(double* p, const double* displacement) {
    const Vec3 turn(displacement[0], displacement[1], displacement[2]);
    store((rotation_quaternion(turn) * quaternion(p)).normalized(), p);
  }
  static void difference(const double* p0, const double* p1, double* displacement) {
    const Vec3 turn = rotation_vector(quaternion(p1).normalized() * quaternion(p0).normalized().conjugate());
    for (int k = 0; k < 3; ++k) displacement[k] = turn[k];
  }
  static void frame(const double* p, Mat3& A, Mat3& W) {
    A = quaternion(p).normalized().toRotationMatrix();
    W.setIdentity();
  }
  static Vec3 bias(const double*, const double*, const Vec3&) { return Vec3::Zero(); }
  static Mat3 world_inertia(const Mat3& A, const Mat3& inertia) { return A * inertia * A.transpose(); }
};

}  // namespace

namespace coordinate_sets {
CoordinatesType reference_point() {
  return {.name = "reference-point",
          .description =
              "centre of mass with an angle (planar) or a unit quaternion and angular velocity (spatial); M block "
              "diagonal and regular",
          .source = "Nikravesh 1988, chapters 4 and 6",
          .planar = true,
          .spatial = true,
          .singular_mass = false,
          .create = [](const Model& model) -> std::unique_ptr<Coordinates> {
            if (model.planar()) return std::make_unique<BodyCoordinates<PlanarAngle>>(model);
            return std::make_unique<BodyCoordinates<UnitQuaternion>>(model);
          }};
}
}  // namespace coordinate_sets
}  // namespace bricard
