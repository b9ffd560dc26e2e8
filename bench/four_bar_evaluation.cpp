// One evaluation of the four-bar linkage (3 bodies, 4 joints, reactions included) by the engine and by equations
// written by hand for this linkage alone, in one coordinate. `four_bar_evaluation engine|hand COUNT` makes COUNT of
// them, to be counted by callgrind; without arguments it shows that both agree.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "motions/create_motion.h"

namespace {

struct Vec {
  double x, y;
  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec operator*(double k, Vec a) { return {k * a.x, k * a.y}; }
};
double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
double cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
Vec normal(Vec a) { return {-a.y, a.x}; }

/// Rods with the centre of mass in the middle; ground pins at the origin and at (l[0], 0); l[1] crank, l[2] coupler,
/// l[3] rocker. Angles from the x axis.
struct FourBar {
  double l[4], m[4], J[4], g;
};

struct Result {
  double acceleration;  // of the crank's angle
  Vec reaction[4];      // on the crank at O1, on the coupler at O2, on the rocker at O3 and O4
};

Result evaluate(const FourBar& p, double angle, double rate) {
  const Vec u1 = {std::cos(angle), std::sin(angle)}, O2 = p.l[1] * u1, O4 = {p.l[0], 0};
  // O3 from two circles.
  const Vec r = O4 - O2;
  const double d2 = dot(r, r), along = (d2 + p.l[2] * p.l[2] - p.l[3] * p.l[3]) / (2 * d2);
  const double height = std::sqrt(p.l[2] * p.l[2] / d2 - along * along);
  const Vec link2 = along * r + height * normal(r), link3 = O2 + link2 - O4;
  const Vec link1 = O2, n1 = normal(link1), n2 = normal(link2), n3 = normal(link3);
  // Rates per unit of the crank's, n1 + k2 n2 = k3 n3, and their biases.
  const double area = cross(link2, link3);
  const double k2 = -dot(n1, link3) / dot(n2, link3), k3 = dot(n1, link2) / dot(n3, link2);
  const double w1 = rate, w2 = k2 * rate, w3 = k3 * rate;
  const Vec b = w3 * w3 * link3 - w1 * w1 * link1 - w2 * w2 * link2;  // b2 n2 - b3 n3 = -b with centripetal terms
  const double b2 = -dot(b, link3) / area, b3 = -dot(b, link2) / area;
  // Centres: velocities per unit rate, bias accelerations.
  const Vec c1 = 0.5 * n1, c2 = n1 + 0.5 * k2 * n2, c3 = 0.5 * k3 * n3;
  const Vec a1 = -0.5 * w1 * w1 * link1, a2 = -w1 * w1 * link1 + 0.5 * (b2 * n2 - w2 * w2 * link2),
            a3 = 0.5 * (b3 * n3 - w3 * w3 * link3);
  const double inertia =
      p.m[1] * dot(c1, c1) + p.m[2] * dot(c2, c2) + p.m[3] * dot(c3, c3) + p.J[1] + p.J[2] * k2 * k2 + p.J[3] * k3 * k3;
  const Vec gravity = {0, -p.g};
  const double force = p.m[1] * dot(c1, gravity - a1) + p.m[2] * dot(c2, gravity - a2) +
                       p.m[3] * dot(c3, gravity - a3) - p.J[2] * k2 * b2 - p.J[3] * k3 * b3;
  Result result;
  result.acceleration = force / inertia;
  const double e1 = result.acceleration, e2 = k2 * e1 + b2, e3 = k3 * e1 + b3;
  // What is missing of m (a - g) and of moments about O2 and O4 is the force at O3.
  const Vec f1 = p.m[1] * (a1 + e1 * c1 - gravity), f2 = p.m[2] * (a2 + e1 * c2 - gravity),
            f3 = p.m[3] * (a3 + e1 * c3 - gravity);
  const double moment2 = p.J[2] * e2 + 0.5 * cross(link2, f2), moment3 = p.J[3] * e3 + 0.5 * cross(link3, f3);
  // On the coupler at O3: X with cross(link2, X) = moment2, cross(link3, -X) = moment3.
  const Vec X = (1 / area) * (moment2 * link3 + moment3 * link2);
  result.reaction[2] = -1 * X;
  result.reaction[1] = f2 - X;
  result.reaction[3] = f3 + X;
  result.reaction[0] = f1 + result.reaction[1];
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  using namespace bricard;
  const auto model = load(BRICARD_BENCH_MODELS "/four-bar.yaml");
  const CoordinatesType& set = *find_coordinates_type("reference-point");
  const Assembly assembly = assemble(model, set);
  System system(model, set);
  const FormulationOptions options;
  const auto motion = create_motion({.system = system,
                                     .formulation = *find_formulation_type("lagrange"),
                                     .options = options,
                                     .stabilization = find_stabilization_type("projection")->create(system, {}),
                                     .q = assembly.q,
                                     .v = assembly.v,
                                     .dynamics = *find_dynamics_type("bodies")});
  Vector x(motion->size()), xdot(motion->size());
  motion->pack(0, assembly.q, assembly.v, x);

  FourBar hand{.l = {2, 0.8, 1.8, 1.5}, .m = {}, .J = {}, .g = 9.81};
  for (int k = 1; k < 4; ++k) {
    hand.m[k] = model->bodies[k - 1].mass;
    hand.J[k] = model->bodies[k - 1].inertia(2, 2);
  }
  const double angle = x[2], rate = x[motion->size() - 1 - 9 + 2];
  const long times = count > 2 ? std::atol(arguments[2]) : 1;
  double sum = 0;
  if (count < 2 || std::strcmp(arguments[1], "engine") == 0) {
    for (long k = 0; k < times; ++k) {
      x[2] = angle + 1e-9 * static_cast<double>(k);
      if (motion->derivative(0, x, xdot) != Status::ok) return 1;
      sum += xdot[9 + 2];
    }
  }
  if (count < 2 || std::strcmp(arguments[1], "hand") == 0) {
    for (long k = 0; k < times; ++k) {
      const Result result = evaluate(hand, angle + 1e-9 * static_cast<double>(k), rate);
      sum += result.acceleration + result.reaction[0].x + result.reaction[1].y + result.reaction[3].x;
    }
  }
  if (count < 2) {
    x[2] = angle;
    if (motion->observe(0, x, xdot) != Status::ok) return 1;
    const Result result = evaluate(hand, angle, rate);
    std::printf("engine %.15g rad/s^2, by hand %.15g rad/s^2\n", xdot[9 + 2], result.acceleration);
    for (int joint = 0; joint < 4; ++joint) {
      const Vec3 force = system.reaction(joint, motion->multipliers()).force;
      std::printf("%s: engine (%.12g, %.12g) N, by hand (%.12g, %.12g) N\n", model->joints[joint].name.c_str(),
                  force.x(), force.y(), result.reaction[joint].x, result.reaction[joint].y);
    }
  }
  std::printf("%.3g\n", sum);
}
