// `euler-parameters`: position and p = (p0, p1, p2, p3) with velocities q'; p'p = 1 is a constraint row, M is singular.
// The rotation matrix is that of p/|p|, so that its derivative is exact for every p, also off the unit sphere:
//   omega = 2 G(p) p' / |p|^2,   omega' = W p'' - 2 (p.p' / |p|^2) omega  [Mariti et al. 2011; Nikravesh 1988, (6.100)]
#include "coordinates/body_coordinates.h"

namespace bricard {
namespace {

using Vec4 = Eigen::Vector4d;

struct EulerParameters {
  static constexpr int translations = 3, positions = 4, velocities = 4, own_rows = 1;
  static constexpr const char *position_names[] = {"e0", "e1", "e2", "e3"},
                              *velocity_names[] = {"e0'", "e1'", "e2'", "e3'"};
  static constexpr bool velocities_are_rates = true, has_bias = true;

  static Eigen::Map<const Vec4> vector(const double* p) { return Eigen::Map<const Vec4>(p); }

  static Eigen::Matrix<double, 3, 4> G(const double* p) {
    Eigen::Matrix<double, 3, 4> G;
    G << -p[1], p[0], -p[3], p[2], -p[2], p[3], p[0], -p[1], -p[3], -p[2], p[1], p[0];
    return G;
  }

  void choose(const Quaternion&) {}
  static bool rebase(double*, double*) { return false; }
  static void stay_regular_at(const Quaternion&) {}
  void set(const Quaternion& orientation, double, double* p) const {
    p[0] = orientation.w(), p[1] = orientation.x(), p[2] = orientation.y(), p[3] = orientation.z();
  }
  static void rate(const double*, const double* w, double* pdot) { std::copy_n(w, 4, pdot); }
  static void velocity(const double*, const double* pdot, double* w) { std::copy_n(pdot, 4, w); }
  static void acceleration(const double*, const double*, const double* wdot, double* pddot) {
    std::copy_n(wdot, 4, pddot);
  }
  static void advance(double* p, const double* displacement) {
    for (int k = 0; k < 4; ++k) p[k] += displacement[k];
  }
  static void difference(const double* p0, const double* p1, double* displacement) {
    // p and -p are the same rotation: take the nearer one.
    const double sign = vector(p0).dot(vector(p1)) < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) displacement[k] = sign * p1[k] - p0[k];
  }
  static void frame(const double* p, Mat3& A, Eigen::Matrix<double, 3, 4>& W) {
    const double squared = vector(p).squaredNorm();
    A = Quaternion(p[0], p[1], p[2], p[3]).normalized().toRotationMatrix();
    W = 2 / squared * G(p);
  }
  static void frame_rate(const double* p, const double* w, const Eigen::Matrix<double, 3, 4>& W,
                         Eigen::Matrix<double, 3, 4>& W_rate) {
    W_rate = (2 * G(w) - 2 * vector(p).dot(vector(w)) * W) / vector(p).squaredNorm();
  }
  static Vec3 bias(const double* p, const double* w, const Vec3& omega) {
    return -2 * vector(p).dot(vector(w)) / vector(p).squaredNorm() * omega;
  }
  static Mat3 world_inertia(const Mat3& A, const Mat3& inertia) { return A * inertia * A.transpose(); }

  static void own_row(const double* p, const double* w, double& Phi, double& Phi_dot, double& gamma, double* values) {
    Phi = vector(p).squaredNorm() - 1;
    Phi_dot = 2 * vector(p).dot(vector(w));
    gamma = -2 * vector(w).squaredNorm();
    for (int k = 0; k < 4; ++k) values[k] = 2 * p[k];
  }
  static void add_own_row_rate(const double* w, double sigma, double* Q) {
    for (int k = 0; k < 4; ++k) Q[k] += 2 * sigma * w[k];
  }
};

}  // namespace

namespace coordinate_sets {
CoordinatesType euler_parameters() {
  return {
      .name = "euler-parameters",
      .description = "position and four Euler parameters a body with q' as velocities; p'p = 1 as a row, M singular",
      .source = "Mariti, Belfiore, Pennestri, Valentini 2011; Nikravesh 1988, chapter 6",
      .planar = false,
      .spatial = true,
      .singular_mass = true,
      .create = [](const Model& model) -> std::unique_ptr<Coordinates> {
        return std::make_unique<BodyCoordinates<EulerParameters>>(model);
      }};
}
}  // namespace coordinate_sets
}  // namespace bricard
