// `reference-point`: planar bodies by (x, y, angle); spatial bodies by position and unit quaternion p with the velocity
// coordinates (v, omega), omega in world axes, so that M is regular and block diagonal.
//   p' = 1/2 (0, omega) p,   rotation matrix of p/|p|, so that the length of p does not matter  [Nikravesh 1988, ch. 6]
#include "coordinates/body_coordinates.h"
#include "coordinates/body_twists.h"
#include "coordinates/unit_quaternion.h"

namespace bricard {
namespace {

struct PlanarAngle : PlainRotation {
  static constexpr int translations = 2, positions = 1, velocities = 1;
  static constexpr const char *position_names[] = {"angle"}, *velocity_names[] = {"omega"};
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
  static constexpr const char *position_names[] = {"qw", "qx", "qy", "qz"}, *velocity_names[] = {"wx", "wy", "wz"};
  static constexpr bool velocities_are_rates = false, has_bias = false;

  void set(const Quaternion& orientation, double, double* p) const { unit_quaternion::store(orientation, p); }
  static void rate(const double* p, const double* w, double* pdot) { unit_quaternion::rate(p, w, pdot); }
  static void velocity(const double* p, const double* pdot, double* w) { unit_quaternion::velocity(p, pdot, w); }
  static void acceleration(const double* p, const double* w, const double* wdot, double* pddot) {
    unit_quaternion::acceleration(p, w, wdot, pddot);
  }
  static void advance(double* p, const double* displacement) { unit_quaternion::advance(p, displacement); }
  static void difference(const double* p0, const double* p1, double* displacement) {
    unit_quaternion::difference(p0, p1, displacement);
  }
  static void frame(const double* p, Mat3& A, Mat3& W) {
    A = unit_quaternion::read(p).normalized().toRotationMatrix();
    W.setIdentity();
  }
  static Vec3 bias(const double*, const double*, const Vec3&) { return Vec3::Zero(); }
  static Mat3 world_inertia(const Mat3& A, const Mat3& inertia) { return A * inertia * A.transpose(); }
};

template <class Rotation>
class ReferencePoint : public BodyCoordinates<Rotation> {
 public:
  using BodyCoordinates<Rotation>::BodyCoordinates;
  bool velocities_are_twists() const override { return true; }
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
            if (model.planar()) return std::make_unique<ReferencePoint<PlanarAngle>>(model);
            return std::make_unique<ReferencePoint<UnitQuaternion>>(model);
          }};
}
}  // namespace coordinate_sets
}  // namespace bricard
