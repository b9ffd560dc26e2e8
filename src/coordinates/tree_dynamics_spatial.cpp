// In space. Symmetric blocks are kept as six numbers; a single axis updates the articulated inertia by one product of
// vectors. The frame of a link that turns has its third axis along the joint's, so that turning costs six products.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "coordinates/tree_dynamics.h"
#include "coordinates/unit_quaternion.h"

namespace bricard {
namespace {

using Kind = ElementaryLink::Kind;

struct Symmetric {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  double trace() const { return xx + yy + zz; }
};

inline Vec3 operator*(const Symmetric& A, const Vec3& x) {
  return {A.xx * x[0] + A.xy * x[1] + A.xz * x[2], A.xy * x[0] + A.yy * x[1] + A.yz * x[2],
          A.xz * x[0] + A.yz * x[1] + A.zz * x[2]};
}
inline void operator+=(Symmetric& A, const Symmetric& B) {
  A.xx += B.xx, A.xy += B.xy, A.xz += B.xz, A.yy += B.yy, A.yz += B.yz, A.zz += B.zz;
}
/// A -= a a^T
inline void subtract(Symmetric& A, const Vec3& a) {
  A.xx -= a[0] * a[0], A.xy -= a[0] * a[1], A.xz -= a[0] * a[2];
  A.yy -= a[1] * a[1], A.yz -= a[1] * a[2], A.zz -= a[2] * a[2];
}

/// [J H; H^T m] on (angular, linear)
struct Inertia {
  Symmetric J, m;
  Mat3 H = Mat3::Zero();
};

struct Link {
  // Of the model; place and axis in the frame of the parent, moments of mass in the own one.
  Kind kind = Kind::turn;
  bool at_parent = false;  // its place is always the parent's
  bool parallel = false;   // its frame at zero angle is the parent's
  bool has_mass = false;
  int parent = 0, position = 0, velocity = 0, ball = 0;
  double advance = 0;  // along the axis, m per radian; 1 of a slide
  double mass = 0;
  Vec3 place = Vec3::Zero(), axis = Vec3::Zero(), first_moment = Vec3::Zero();
  Mat3 C = Mat3::Identity();  // own frame at zero angle in the parent's
  // J about the place = J_all 1 + sign (e e^T + d d^T)
  double J_all = 0, sign = 1;
  Vec3 e = Vec3::Zero(), d = Vec3::Zero();
  bool has_d = false;
  // Now, in the world.
  Mat3 A = Mat3::Identity();
  Vec3 w = Vec3::Zero(), r = Vec3::Zero(), moment = Vec3::Zero();  // axis, place from the parent's, first moment
  Vec3 omega = Vec3::Zero(), alpha_bias = Vec3::Zero(), bias = Vec3::Zero();
  double rate = 0;
  Inertia I;                                // articulated
  Vec3 n = Vec3::Zero(), f = Vec3::Zero();  // p
  double root = 0;                          // D^-1/2
  Vec3 V_n = Vec3::Zero(), V_f = Vec3::Zero();
  Vec3 alpha = Vec3::Zero(), a = Vec3::Zero();
  Vec3 c = Vec3::Zero(), velocity_at = Vec3::Zero();
};

/// L L^T = J
struct Triangle {
  double a = 1, b = 0, c = 1, d = 0, e = 0, f = 1;  // [a; b c; d e f]
  bool ok = false;                                  // false if a pivot is rounding
  Triangle() = default;
  explicit Triangle(const Symmetric& J) {
    const double least = no_inertia * J.trace();
    a = std::sqrt(J.xx), b = J.xy / a, d = J.xz / a;
    const double second = J.yy - b * b;
    c = std::sqrt(second), e = (J.yz - b * d) / c;
    const double third = J.zz - d * d - e * e;
    f = std::sqrt(third);
    ok = J.xx > least && second > least && third > least;
  }
  /// L^-1 x
  Vec3 solve(const Vec3& x) const {
    const double y0 = x[0] / a, y1 = (x[1] - b * y0) / c;
    return {y0, y1, (x[2] - d * y0 - e * y1) / f};
  }
  /// L^-T x
  Vec3 solve_transposed(const Vec3& x) const {
    const double y2 = x[2] / f, y1 = (x[1] - e * y2) / c;
    return {(x[0] - b * y1 - d * y2) / a, y1, y2};
  }
  Vec3 transposed_times(const Vec3& x) const { return {a * x[0] + b * x[1] + d * x[2], c * x[1] + e * x[2], f * x[2]}; }
};

/// What a ball has instead of V and D^-1/2. With all three axes at once D = J = L L^T, and z = L^-1 (Q - n) in world
/// axes, V = (L; H^T L^-T).
struct Ball {
  Triangle L;
  Mat3 G;  // L^-1 H
};

/// J of the link's own bodies, about its place.
inline Symmetric own_J(const Link& link) {
  const Vec3 e = link.A * link.e, se = link.sign * e;
  Symmetric J{link.J_all + se[0] * e[0], se[0] * e[1], se[0] * e[2],
              link.J_all + se[1] * e[1], se[1] * e[2], link.J_all + se[2] * e[2]};
  if (link.has_d) {
    const Vec3 d = link.A * link.d;
    J.xx += d[0] * d[0], J.xy += d[0] * d[1], J.xz += d[0] * d[2];
    J.yy += d[1] * d[1], J.yz += d[1] * d[2], J.zz += d[2] * d[2];
  }
  return J;
}

/// parent += X^T I X, the inertia seen from a place at -r.
inline void shift(const Inertia& I, const Vec3& r, Inertia& parent) {
  const double x = r[0], y = r[1], z = r[2];
  const Symmetric &m = I.m, &J = I.J;
  const Mat3& H = I.H;
  Mat3 G;  // H + r x m
  G(0, 0) = H(0, 0) + y * m.xz - z * m.xy, G(0, 1) = H(0, 1) + y * m.yz - z * m.yy;
  G(0, 2) = H(0, 2) + y * m.zz - z * m.yz, G(1, 0) = H(1, 0) + z * m.xx - x * m.xz;
  G(1, 1) = H(1, 1) + z * m.xy - x * m.yz, G(1, 2) = H(1, 2) + z * m.xz - x * m.zz;
  G(2, 0) = H(2, 0) + x * m.xy - y * m.xx, G(2, 1) = H(2, 1) + x * m.yy - y * m.xy;
  G(2, 2) = H(2, 2) + x * m.yz - y * m.xz;
  Symmetric& P = parent.J;
  P.xx += J.xx + y * (H(0, 2) + G(0, 2)) - z * (H(0, 1) + G(0, 1));
  P.yy += J.yy + z * (H(1, 0) + G(1, 0)) - x * (H(1, 2) + G(1, 2));
  P.zz += J.zz + x * (H(2, 1) + G(2, 1)) - y * (H(2, 0) + G(2, 0));
  P.xy += J.xy + y * H(1, 2) - z * H(1, 1) + z * G(0, 0) - x * G(0, 2);
  P.xz += J.xz + y * H(2, 2) - z * H(2, 1) + x * G(0, 1) - y * G(0, 0);
  P.yz += J.yz + z * H(2, 0) - x * H(2, 2) + x * G(1, 1) - y * G(1, 0);
  parent.H += G;
  parent.m += m;
}

class SpatialTreeDynamics : public TreeDynamics {
 public:
  SpatialTreeDynamics(const Model& model, const SpanningTree& tree);
  void place(const double* q) override { go<false>(q, nullptr, nullptr); }
  void move(const double* q, const double* v, double* qdot) override { go<true>(q, v, qdot); }
  bool factorize() override { return eliminate<false>(nullptr, nullptr); }
  bool factorize(const double* Q, double* z) override { return eliminate<true>(Q, z); }
  void reduce(double* x) override;
  void reduce(std::span<const int> path, double* x) override;
  void restore(double* x) override;
  int link_of(int velocity) const override { return link_of_[velocity]; }
  double energy() override;

 private:
  template <bool moving>
  void go(const double* q, const double* v, double* qdot);
  template <bool with_forces>
  bool eliminate(const double* Q, double* z);
  /// z of a link from the generalised forces at its joint (null: none) and p; p goes on to the parent.
  void reduce(const Link& link, const double* Q, double* z);

  Vec3 gravity_;
  std::vector<Link> links_;
  std::vector<Ball> balls_;
  std::vector<int> link_of_;
};

SpatialTreeDynamics::SpatialTreeDynamics(const Model& model, const SpanningTree& tree) : gravity_(model.gravity) {
  const TreeLinks given(model, tree);
  links_.resize(given.list.size());
  std::vector<Mat3> frames(links_.size(), Mat3::Identity());  // in the reference configuration
  int position = 0, velocity = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const TreeLinks::Entry& entry = given.list[k];
    Link& link = links_[k];
    link.parent = entry.parent;
    if (k > 0) {
      const Mat3 before = frames[entry.parent];
      const Vec3& direction = entry.link.direction;
      const Vec3 place = entry.link.place - given.list[entry.parent].link.place;
      link.kind = entry.link.kind;
      link.position = position, link.velocity = velocity;
      position += entry.link.positions(), velocity += entry.link.velocities();
      link_of_.resize(velocity, static_cast<int>(k));
      if (link.kind == Kind::ball) {
        link.ball = static_cast<int>(balls_.size());
        balls_.emplace_back();
      }
      link.place = before.transpose() * (entry.parent > 0 ? place : entry.link.place);
      link.axis = before.transpose() * direction;
      link.advance = link.kind == Kind::slide ? 1 : link.kind == Kind::screw ? entry.link.advance : 0;
      link.at_parent = link.place == Vec3::Zero() && link.advance == 0;
      Mat3& frame = frames[k];
      if (link.kind == Kind::slide || (link.kind != Kind::ball && before.col(2) == direction)) {
        frame = before;
      } else if (link.kind != Kind::ball) {
        const Vec3 first = any_perpendicular(direction);
        frame << first, direction.cross(first), direction;
      }
      link.C = before.transpose() * frame;
      link.parallel = frame == before;
    }
    link.mass = entry.bodies.mass;
    link.first_moment = frames[k].transpose() * entry.bodies.first_moment;
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(frames[k].transpose() * entry.bodies.J * frames[k]);
    const Vec3& value = principal.eigenvalues();
    const Mat3& axes = principal.eigenvectors();
    const double equal = 1e-14 * value[2];
    if (value[2] - value[1] <= equal) {
      link.J_all = value[2], link.sign = -1;
      link.e = std::sqrt(value[2] - value[0]) * axes.col(0);
    } else {
      link.J_all = value[0];
      link.e = std::sqrt(value[2] - value[0]) * axes.col(2);
      link.has_d = value[1] - value[0] > equal;
      if (link.has_d) link.d = std::sqrt(value[1] - value[0]) * axes.col(1);
    }
    link.has_mass = link.mass != 0 || value[2] != 0;
  }
  links_[0].bias = -gravity_;
  links_[0].moment = links_[0].first_moment;
}

template <bool moving>
void SpatialTreeDynamics::go(const double* q, const double* v, double* qdot) {
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const Link& parent = links_[link.parent];
    const double x = q[link.position];
    double rate = 0;
    if constexpr (moving) rate = v[link.velocity];
    Vec3 turning = Vec3::Zero();
    if (!link.at_parent) link.r.noalias() = parent.A * link.place;
    switch (link.kind) {
      case Kind::turn:
      case Kind::screw: {
        const double cosine = std::cos(x), sine = std::sin(x);
        if (link.parallel) {
          link.A.col(0) = cosine * parent.A.col(0) + sine * parent.A.col(1);
          link.A.col(1) = cosine * parent.A.col(1) - sine * parent.A.col(0);
          link.A.col(2) = parent.A.col(2);
        } else {
          const Vec3 first = parent.A * link.C.col(0), second = parent.A * link.C.col(1);
          link.A.col(0) = cosine * first + sine * second;
          link.A.col(1) = cosine * second - sine * first;
          link.A.col(2).noalias() = parent.A * link.C.col(2);
        }
        link.w = link.A.col(2);
        turning = rate * link.w;
        break;
      }
      case Kind::slide:
        link.A = parent.A;
        link.w.noalias() = parent.A * link.axis;
        break;
      case Kind::ball: {
        const Mat3 before = parent.A * link.C;
        link.A.noalias() = before * unit_quaternion::read(q + link.position).normalized().toRotationMatrix();
        if constexpr (moving) {
          turning.noalias() = before * Eigen::Map<const Vec3>(v + link.velocity);
          unit_quaternion::rate(q + link.position, v + link.velocity, qdot + link.position);
        }
        break;
      }
    }
    if (link.advance != 0) link.r += link.advance * x * link.w;
    const Vec3 s = link.A * link.first_moment;
    link.moment = s;
    Inertia& I = link.I;
    if (link.has_mass) {
      I.J = own_J(link);
      I.m = {link.mass, 0, 0, link.mass, 0, link.mass};
      I.H << 0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0;
    } else {
      I = Inertia();
    }
    if constexpr (moving) {
      if (link.kind != Kind::ball) qdot[link.position] = link.rate = rate;
      const Vec3 omega = parent.omega + turning;
      // The axes are carried by the parent; a sliding place feels the Coriolis acceleration.
      const Vec3 alpha = parent.alpha_bias + parent.omega.cross(turning);
      Vec3 bias = parent.bias;
      if (!link.at_parent) {
        Vec3 carried = parent.omega.cross(link.r);
        if (link.advance != 0) carried += 2 * link.advance * rate * link.w;
        bias += parent.alpha_bias.cross(link.r) + parent.omega.cross(carried);
      }
      link.omega = omega;
      link.alpha_bias = alpha;
      link.bias = bias;
      if (link.has_mass) {
        link.n = s.cross(bias) + I.J * alpha + omega.cross(I.J * omega);
        link.f = link.mass * bias + alpha.cross(s) + omega.cross(omega.cross(s));
      } else {
        link.n.setZero();
        link.f.setZero();
      }
    }
  }
}

template <bool with_forces>
bool SpatialTreeDynamics::eliminate(const double* Q, double* z) {
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    Link& link = links_[k];
    const bool goes_on = link.parent != 0;
    Inertia& I = link.I;
    const Vec3& w = link.w;
    if (link.kind == Kind::ball) {
      // What is left is a mass tensor m - H^T J^-1 H.
      Ball& ball = balls_[link.ball];
      ball.L = Triangle(I.J);
      if (!ball.L.ok) return false;
      for (int c = 0; c < 3; ++c) ball.G.col(c) = ball.L.solve(I.H.col(c));
      for (int c = 0; c < 3; ++c) subtract(I.m, ball.G.row(c));
      I.J = Symmetric();
      I.H.setZero();
    } else {
      Vec3 U_n, U_f;
      double D, size;
      if (link.kind == Kind::slide) {
        U_n.noalias() = I.H * w;
        U_f = I.m * w;
        D = w.dot(U_f), size = I.m.trace();
      } else {
        U_n = I.J * w;
        U_f.noalias() = I.H.transpose() * w;
        D = w.dot(U_n), size = I.J.trace();
        if (link.kind == Kind::screw) {
          U_n.noalias() += link.advance * (I.H * w);
          U_f += link.advance * (I.m * w);
          D = w.dot(U_n) + link.advance * w.dot(U_f);
        }
      }
      if (!(D > no_inertia * size)) return false;
      const double root = 1 / std::sqrt(D);
      const Vec3 V_n = root * U_n, V_f = root * U_f;
      link.root = root;
      link.V_n = V_n;
      link.V_f = V_f;
      if (goes_on) {
        subtract(I.J, V_n);
        subtract(I.m, V_f);
        for (int c = 0; c < 3; ++c) I.H.col(c) -= V_f[c] * V_n;
      }
    }
    if constexpr (with_forces) reduce(link, Q ? Q + link.velocity : nullptr, z + link.velocity);
    if (!goes_on) continue;
    Inertia& parent = links_[link.parent].I;
    if (link.at_parent) {
      parent.J += I.J, parent.m += I.m, parent.H += I.H;
    } else {
      shift(I, link.r, parent);
    }
  }
  return true;
}

inline void SpatialTreeDynamics::reduce(const Link& link, const double* Q, double* z) {
  Vec3 n = link.n, f = link.f;
  if (link.kind == Kind::ball) {
    const Ball& ball = balls_[link.ball];
    Vec3 moment = -n;
    if (Q) moment += links_[link.parent].A * (link.C * Eigen::Map<const Vec3>(Q));
    const Vec3 own = ball.L.solve(moment);
    z[0] = own[0], z[1] = own[1], z[2] = own[2];
    n += moment;
    f.noalias() += ball.G.transpose() * own;
  } else {
    double force = Q ? *Q : 0;
    if (link.kind != Kind::slide) force -= link.w.dot(n);
    if (link.advance != 0) force -= link.advance * link.w.dot(f);
    const double own = link.root * force;
    *z = own;
    n += own * link.V_n;
    f += own * link.V_f;
  }
  if (link.parent == 0) return;
  Link& parent = links_[link.parent];
  if (!link.at_parent) n += link.r.cross(f);
  parent.n += n;
  parent.f += f;
}

void SpatialTreeDynamics::reduce(double* x) {
  for (Link& link : links_) link.n.setZero(), link.f.setZero();
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    double* const own = x + links_[k].velocity;
    reduce(links_[k], own, own);
  }
}

void SpatialTreeDynamics::reduce(std::span<const int> path, double* x) {
  for (int k : path) {
    Link& link = links_[k];
    link.n.setZero(), link.f.setZero();
    x += link.kind == Kind::ball ? 3 : 1;
  }
  for (auto k = path.rbegin(); k != path.rend(); ++k) {
    const Link& link = links_[*k];
    x -= link.kind == Kind::ball ? 3 : 1;
    reduce(link, x, x);
  }
}

void SpatialTreeDynamics::restore(double* x) {
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const Link& parent = links_[link.parent];
    double* const own = x + link.velocity;
    Vec3 a = parent.a;
    if (!link.at_parent) a += parent.alpha.cross(link.r);
    if (link.kind == Kind::ball) {
      const Ball& ball = balls_[link.ball];
      const Vec3 z(own[0], own[1], own[2]);
      const Vec3 turning = ball.L.solve_transposed(z - ball.L.transposed_times(parent.alpha) - ball.G * a);
      const Vec3 rates = link.C.transpose() * (parent.A.transpose() * turning);
      own[0] = rates[0], own[1] = rates[1], own[2] = rates[2];
      link.alpha = parent.alpha + turning;
      link.a = a;
      continue;
    }
    const double rate = link.root * (*own - link.V_n.dot(parent.alpha) - link.V_f.dot(a));
    *own = rate;
    link.alpha = parent.alpha;
    if (link.kind != Kind::slide) link.alpha += rate * link.w;
    if (link.advance != 0) a += link.advance * rate * link.w;
    link.a = a;
  }
}

double SpatialTreeDynamics::energy() {
  double twice_kinetic = 0, potential = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    if (k > 0) {
      const Link& parent = links_[link.parent];
      link.c = parent.c + link.r;
      link.velocity_at = parent.velocity_at + parent.omega.cross(link.r) + link.advance * link.rate * link.w;
    }
    if (!link.has_mass) continue;
    twice_kinetic += link.mass * link.velocity_at.squaredNorm() +
                     link.omega.dot(2 * link.moment.cross(link.velocity_at) + own_J(link) * link.omega);
    potential -= gravity_.dot(link.mass * link.c + link.moment);
  }
  return 0.5 * twice_kinetic + potential;
}

}  // namespace

std::unique_ptr<TreeDynamics> create_spatial_tree_dynamics(const Model& model, const SpanningTree& tree) {
  return std::make_unique<SpatialTreeDynamics>(model, tree);
}

}  // namespace bricard
