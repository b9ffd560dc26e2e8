// In space. Vectors and matrices are those of packs (linear/simd/pack_vector.h). The frame of a link that turns has its
// third axis along the joint's, so that turning costs six products. Of a single axis T = I S D^-1 is kept instead of V:
//   Ia = I - D T T^T,   p + V z = p + T (Q - S^T p),   v' = D^-1/2 z - T^T a'
// needs no root on the way inwards. As a' = X a of the parent, T is kept seen from the parent's place, X^T T.
// A link's children are mostly the one that follows it: what comes from there is at hand, and only what comes from
// other children is kept in `branches_`.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "coordinates/unit_quaternion.h"
#include "dynamics/tree/spatial_link.h"
#include "linear/simd/processor.h"

namespace bricard {
namespace {

using namespace spatial_tree;

/// To the last digit as RelativeCoordinates has it: apart from the loops that are compiled with fused products.
[[gnu::noinline]] void find_quaternion_rate(const double* p, const double* omega, double* pdot) {
  unit_quaternion::rate(p, omega, pdot);
}

class SpatialTreeDynamics : public TreeDynamics {
 public:
  SpatialTreeDynamics(const Model& model, const SpanningTree& tree);
  void place(const double* q) override { fused_ ? place_fused(q) : go<false>(q, nullptr, nullptr); }
  void move(const double* q, const double* v, double* qdot) override {
    fused_ ? move_fused(q, v, qdot) : go<true>(q, v, qdot);
  }
  bool factorize() override { return fused_ ? factorize_fused() : eliminate<false>(nullptr, nullptr); }
  bool factorize(const double* Q, double* z) override { return fused_ ? factorize_fused(Q, z) : eliminate<true>(Q, z); }
  void locate() override { fused_ ? locate_fused() : locate_plain(); }
  LinkMotion motion_of(int link) const override;
  void reduce_motion(const double* Q, double* z) override { fused_ ? sweep_fused<true>(Q, z) : sweep<true>(Q, z); }
  void reduce_strands(std::span<const StrandPath> paths, const int* links, double* wrenches, double* Z) const override {
    fused_ ? strands_fused(paths, links, wrenches, Z) : strands(paths, links, wrenches, Z);
  }
  void reduce(double* x) override { fused_ ? sweep_fused<false>(x, x) : sweep<false>(x, x); }
  void reduce(std::span<const int> path, double* x) override {
    path_wrenches_.resize(links_.size());  // the first time
    fused_ ? sweep_path_fused(path, x) : sweep_path(path, x);
  }
  void restore(double* x) override { fused_ ? restore_fused(x) : restore_plain(x); }
  int link_of(int velocity) const override { return link_of_[velocity]; }
  double energy() override {
    locate();
    return fused_ ? energy_fused() : energy_plain();
  }

 private:
  struct Branch {
    Inertia I;
    Wrench p;
    Pack alpha, a;
  };
  struct Place {
    Pack c = zero_pack(), velocity = zero_pack();
  };

  template <bool moving>
  inline void go(const double* q, const double* v, double* qdot);
  template <bool with_forces>
  inline bool eliminate(const double* Q, double* z);
  /// Adds what the link itself has to I and p, which become those that its parent feels.
  template <Kind kind, bool with_forces>
  inline bool eliminate(Link& link, const double* Q, double* z, Inertia& I, Wrench& p);
  /// x := W x, or z of the motion.
  template <bool of_motion>
  inline void sweep(const double* x, double* z);
  inline void sweep_path(std::span<const int> path, double* x);
  inline void restore_plain(double* x);
  inline void locate_plain();
  inline double energy_plain();
  inline void strands(std::span<const StrandPath> paths, const int* links, double* wrenches, double* Z) const;
  template <int Width>
  inline void carry(std::span<const int> path, const double* wrenches, double* Z, double* left, bool is_first) const;
  /// z of a link from the generalised forces at its joint (null: none) and p, which becomes that on the parent.
  inline void reduce(const Link& link, const double* Q, double* z, Wrench& p) const;
  template <Kind kind>
  inline void reduce(const Link& link, const double* Q, double* z, Wrench& p) const;

  BRICARD_FUSED void place_fused(const double* q) { go<false>(q, nullptr, nullptr); }
  BRICARD_FUSED void move_fused(const double* q, const double* v, double* qdot) { go<true>(q, v, qdot); }
  BRICARD_FUSED bool factorize_fused() { return eliminate<false>(nullptr, nullptr); }
  BRICARD_FUSED bool factorize_fused(const double* Q, double* z) { return eliminate<true>(Q, z); }
  template <bool of_motion>
  BRICARD_FUSED void sweep_fused(const double* x, double* z) {
    sweep<of_motion>(x, z);
  }
  BRICARD_FUSED void sweep_path_fused(std::span<const int> path, double* x) { sweep_path(path, x); }
  BRICARD_FUSED void locate_fused() { locate_plain(); }
  BRICARD_FUSED double energy_fused() { return energy_plain(); }
  BRICARD_FUSED void restore_fused(double* x) { restore_plain(x); }
  BRICARD_FUSED void strands_fused(std::span<const StrandPath> paths, const int* links, double* wrenches,
                                   double* Z) const {
    strands(paths, links, wrenches, Z);
  }

  const bool fused_ = processor_has_fused();
  Vec3 gravity_;
  std::vector<Link> links_;
  std::vector<Branch> branches_;
  std::vector<Ball> balls_;
  std::vector<int> turns_;             // positions of the angles of links that turn, as many as packs have
  std::vector<Pack> sines_, cosines_;  // of these, and a pack for broadcasts
  std::vector<int> link_of_;
  std::vector<Place> places_;
  std::vector<Wrench> path_wrenches_;
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
      } else if (link.kind != Kind::slide) {
        turns_.push_back(link.position);
      }
      Eigen::Map<Vec3> own_place(link.place);
      own_place = before.transpose() * (entry.parent > 0 ? place : entry.link.place);
      link.advance = link.kind == Kind::slide ? 1 : link.kind == Kind::screw ? entry.link.advance : 0;
      link.at_parent = own_place == Vec3::Zero() && link.advance == 0;
      Mat3& frame = frames[k];
      if (link.kind == Kind::slide || (link.kind != Kind::ball && before.col(2) == direction)) {
        frame = before;
      } else if (link.kind != Kind::ball) {
        const Vec3 first = any_perpendicular(direction);
        frame << first, direction.cross(first), direction;
      }
      Eigen::Map<Mat3> C(link.C[0]);
      C = before.transpose() * frame;
      if (link.kind == Kind::slide) C.col(2) = before.transpose() * direction;
      link.parallel = frame == before;
    }
    link.mass = entry.bodies.mass;
    Eigen::Map<Vec3>(link.first_moment) = frames[k].transpose() * entry.bodies.first_moment;
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(frames[k].transpose() * entry.bodies.J * frames[k]);
    const Vec3& value = principal.eigenvalues();
    const Mat3& axes = principal.eigenvectors();
    const double equal = 1e-14 * value[2];
    Eigen::Map<Vec3> e(link.e);
    if (value[2] - value[1] <= equal) {
      link.J_all = value[2], link.sign = -1;
      e = std::sqrt(value[2] - value[0]) * axes.col(0);
    } else {
      link.J_all = value[0];
      e = std::sqrt(value[2] - value[0]) * axes.col(2);
      link.has_d = value[1] - value[0] > equal;
      if (link.has_d) Eigen::Map<Vec3>(link.d) = std::sqrt(value[1] - value[0]) * axes.col(1);
    }
    link.has_mass = link.mass != 0 || value[2] != 0;
  }
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    Link &link = links_[k], &parent = links_[link.parent];
    link.follows = link.parent == k - 1;
    if (link.follows) parent.is_followed = true;
    if (link.follows || link.parent == 0) continue;
    link.is_first_branch = parent.branch < 0;
    if (!link.is_first_branch) continue;
    parent.branch = static_cast<int>(branches_.size());
    branches_.emplace_back();
  }
  for (int k = 0; k < 3; ++k) links_[0].A[k] = pack(Vec3::Unit(k));
  links_[0].bias = pack(-gravity_);
  while (turns_.size() % Pack::lanes != 0) turns_.push_back(turns_.back());
  sines_.resize(turns_.size() / Pack::lanes + 1);
  cosines_.resize(turns_.size() / Pack::lanes + 1);
  places_.resize(links_.size());
}

template <bool moving>
inline void SpatialTreeDynamics::go(const double* q, const double* v, double* qdot) {
  for (std::size_t k = 0; k + 1 < sines_.size(); ++k) {
    const int* const at = turns_.data() + Pack::lanes * k;
    Pack angle;
    angle.value = Pack::Register{q[at[0]], q[at[1]], q[at[2]], q[at[3]]};
    sine_and_cosine(angle, sines_[k], cosines_[k]);
  }
  const auto *sine = reinterpret_cast<const double*>(sines_.data()),
             *cosine = reinterpret_cast<const double*>(cosines_.data());
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const Link& parent = links_[link.parent];
    double rate = 0;
    if constexpr (moving) rate = v[link.velocity];
    Pack turning = zero_pack();
    Pack r = link.at_parent ? zero_pack() : broadcast_product(parent.A, link.place);
    switch (link.kind) {
      case Kind::turn:
      case Kind::screw: {
        const Pack c = broadcast(*cosine++), s = broadcast(*sine++);
        Pack first = parent.A[0], second = parent.A[1], third = parent.A[2];
        if (!link.parallel) {
          first = broadcast_product(parent.A, link.C[0]);
          second = broadcast_product(parent.A, link.C[1]);
          third = broadcast_product(parent.A, link.C[2]);
        }
        link.A[0] = c * first + s * second;
        link.A[1] = c * second - s * first;
        link.A[2] = third;
        turning = rate * third;
        if (link.kind == Kind::screw) r += link.advance * q[link.position] * third;
        break;
      }
      case Kind::slide:
        for (int c = 0; c < 3; ++c) link.A[c] = parent.A[c];
        link.slide = broadcast_product(parent.A, link.C[2]);
        r += q[link.position] * link.slide;
        break;
      case Kind::ball: {
        const Pack before[3] = {broadcast_product(parent.A, link.C[0]), broadcast_product(parent.A, link.C[1]),
                                broadcast_product(parent.A, link.C[2])};
        const Mat3 own = unit_quaternion::read(q + link.position).normalized().toRotationMatrix();
        for (int c = 0; c < 3; ++c) link.A[c] = product(before, own.data() + 3 * c);
        if constexpr (moving) {
          turning = product(before, v + link.velocity);
          find_quaternion_rate(q + link.position, v + link.velocity, qdot + link.position);
        }
        break;
      }
    }
    link.r = r;
    if constexpr (moving) {
      if (link.kind != Kind::ball) qdot[link.position] = rate;
      const PackFactor omega(parent.omega);
      link.omega = parent.omega + turning;
      // The axes are carried by the parent; a sliding place feels the Coriolis acceleration.
      Pack alpha = parent.alpha_bias;
      if (link.kind != Kind::slide) add_cross(alpha, omega, PackFactor(turning));
      link.alpha_bias = alpha;
      Pack bias = parent.bias;
      if (!link.at_parent) {
        const PackFactor from_parent(r);
        Pack carried = cross(omega, from_parent);
        if (link.advance != 0) {
          link.rate = rate;
          carried += 2 * link.advance * rate * link.axis();
        }
        add_cross(bias, PackFactor(parent.alpha_bias), from_parent);
        add_cross(bias, omega, PackFactor(carried));
      }
      link.bias = bias;
    }
  }
}

template <bool with_forces>
inline bool SpatialTreeDynamics::eliminate(const double* Q, double* z) {
  Inertia I;
  Wrench p;
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    Link& link = links_[k];
    if (!link.is_followed) I = Inertia(), p = Wrench();
    if (link.branch >= 0) {
      const Branch& branch = branches_[link.branch];
      I += branch.I;
      if constexpr (with_forces) p += branch.p;
    }
    const double* const forces = Q ? Q + link.velocity : nullptr;
    double* const own = z ? z + link.velocity : nullptr;
    bool ok = true;
    switch (link.kind) {
      case Kind::turn: ok = eliminate<Kind::turn, with_forces>(link, forces, own, I, p); break;
      case Kind::slide: ok = eliminate<Kind::slide, with_forces>(link, forces, own, I, p); break;
      case Kind::screw: ok = eliminate<Kind::screw, with_forces>(link, forces, own, I, p); break;
      case Kind::ball: ok = eliminate<Kind::ball, with_forces>(link, forces, own, I, p); break;
    }
    if (!ok) return false;
    if (link.follows || link.parent == 0) continue;
    Branch& branch = branches_[links_[link.parent].branch];
    if (link.is_first_branch) {
      branch.I = I, branch.p = p;
    } else {
      branch.I += I, branch.p += p;
    }
  }
  return true;
}

template <Kind kind, bool with_forces>
inline bool SpatialTreeDynamics::eliminate(Link& link, const double* Q, double* z, Inertia& I, Wrench& p) {
  if (link.has_mass) {
    const SymmetricPack J = own_J(link);
    const PackFactor s(broadcast_product(link.A, link.first_moment));
    I.J += J;
    I.H.second -= s.previous;
    I.H.third += s.next;
    I.m.diagonal += broadcast(link.mass);
    if constexpr (with_forces) add_own(link, J, s, p);
  }
  const PackFactor r(link.r);
  if constexpr (kind == Kind::ball) {
    // What is left is a mass tensor m - H^T J^-1 H.
    Ball& ball = balls_[link.ball];
    ball.L = Triangle(Symmetric(I.J));
    if (!ball.L.ok) return false;
    const MatrixPack& H = I.H;
    ball.G.col(0) = ball.L.solve({H.first[0], H.third[1], H.second[2]});
    ball.G.col(1) = ball.L.solve({H.second[0], H.first[1], H.third[2]});
    ball.G.col(2) = ball.L.solve({H.third[0], H.second[1], H.first[2]});
    for (int c = 0; c < 3; ++c) {
      const PackFactor row(pack(ball.G.row(c)));
      I.m.diagonal -= row.of * row.of;
      I.m.others -= row.next * row.previous;
    }
    I.J = SymmetricPack();
    I.H = MatrixPack();
  } else {
    const PackFactor w(link.axis<kind>());
    Pack U_n, U_f, D;
    if constexpr (kind == Kind::slide) {
      U_n = I.H * w;
      U_f = I.m * w;
      D = square(I.m, w);
    } else {
      U_n = I.J * w;
      U_f = transposed_product(I.H, w.of);
      D = square(I.J, w);
      if constexpr (kind == Kind::screw) {
        U_n += link.advance * (I.H * w);
        U_f += link.advance * (I.m * w);
        D = total(w.of * U_n + link.advance * (w.of * U_f));
      }
    }
    const Pack& size = kind == Kind::slide ? I.m.diagonal : I.J.diagonal;
    if (!(D.value[0] > no_inertia * sum(size))) return false;
    const Pack inverse = 1 / D;
    link.root = std::sqrt(inverse.value[0]);
    const PackFactor n(U_n), f(U_f);
    const Pack T_f = inverse * f.of, next_f = inverse * f.next, previous_f = inverse * f.previous;
    Pack T_n = inverse * n.of;
    I.J.diagonal -= T_n * n.of;
    I.J.others -= inverse * n.next * n.previous;
    I.H.first -= T_f * n.of;
    I.H.second -= next_f * n.of;
    I.H.third -= previous_f * n.of;
    I.m.diagonal -= T_f * f.of;
    I.m.others -= next_f * f.previous;
    T_n += r.next * previous_f;
    T_n -= r.previous * next_f;
    link.T_n = T_n;
    link.T_f = T_f;
  }
  if constexpr (with_forces) reduce<kind>(link, Q, z, p);
  if (!link.at_parent) shift(I, r);
  return true;
}

template <Kind kind>
inline void SpatialTreeDynamics::reduce(const Link& link, const double* Q, double* z, Wrench& p) const {
  if constexpr (kind == Kind::ball) {
    const Ball& ball = balls_[link.ball];
    Vec3 moment = -vec3(p.n);
    p.n = zero_pack();
    if (Q) {
      const Vec3 before = Eigen::Map<const Mat3>(link.C[0]) * Eigen::Map<const Vec3>(Q);
      p.n = product(links_[link.parent].A, before.data());
      moment += vec3(p.n);
    }
    const Vec3 own = ball.L.solve(moment);
    z[0] = own[0], z[1] = own[1], z[2] = own[2];
    p.f += pack(ball.G.transpose() * own);
    if (!link.at_parent) add_cross(p.n, PackFactor(link.r), PackFactor(p.f));
  } else {
    const Pack& w = link.axis<kind>();
    double force = Q ? *Q : 0;
    if constexpr (kind != Kind::slide) force -= sum(w * p.n);
    if constexpr (kind != Kind::turn) force -= link.advance * sum(w * p.f);
    *z = link.root * force;
    if (!link.at_parent) add_cross(p.n, PackFactor(link.r), PackFactor(p.f));
    p.n += force * link.T_n;
    p.f += force * link.T_f;
  }
}

inline void SpatialTreeDynamics::reduce(const Link& link, const double* Q, double* z, Wrench& p) const {
  switch (link.kind) {
    case Kind::turn: return reduce<Kind::turn>(link, Q, z, p);
    case Kind::slide: return reduce<Kind::slide>(link, Q, z, p);
    case Kind::screw: return reduce<Kind::screw>(link, Q, z, p);
    case Kind::ball: return reduce<Kind::ball>(link, Q, z, p);
  }
}

template <bool of_motion>
inline void SpatialTreeDynamics::sweep(const double* x, double* z) {
  Wrench p;
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    const Link& link = links_[k];
    if (!link.is_followed) p = Wrench();
    if (link.branch >= 0) p += branches_[link.branch].p;
    if constexpr (of_motion) {
      if (link.has_mass) add_own(link, p);
    }
    reduce(link, x ? x + link.velocity : nullptr, z + link.velocity, p);
    if (link.follows || link.parent == 0) continue;
    Wrench& others = branches_[links_[link.parent].branch].p;
    if (link.is_first_branch) {
      others = p;
    } else {
      others += p;
    }
  }
}

inline void SpatialTreeDynamics::sweep_path(std::span<const int> path, double* x) {
  for (int k : path) {
    path_wrenches_[k] = Wrench();
    x += links_[k].kind == Kind::ball ? 3 : 1;
  }
  for (auto k = path.rbegin(); k != path.rend(); ++k) {
    const Link& link = links_[*k];
    x -= link.kind == Kind::ball ? 3 : 1;
    Wrench& p = path_wrenches_[*k];
    reduce(link, x, x, p);
    path_wrenches_[link.parent] += p;
  }
}

inline void SpatialTreeDynamics::strands(std::span<const StrandPath> paths, const int* links, double* wrenches,
                                         double* Z) const {
  each_strand<8>(paths, links, wrenches, Z,
                 [this](auto width, auto... strand) { carry<decltype(width)::value>(strand...); });
}

/// Each number of a vector in all lanes.
template <int lanes>
inline void spread(const Pack& a, typename Strand<lanes>::Lanes (&to)[3]) {
  const Pack::Register& x = a.value;
  if constexpr (lanes == 2) {
    to[0] = __builtin_shufflevector(x, x, 0, 0);
    to[1] = __builtin_shufflevector(x, x, 1, 1);
    to[2] = __builtin_shufflevector(x, x, 2, 2);
  } else {
    to[0] = __builtin_shufflevector(x, x, 0, 0, 0, 0);
    to[1] = __builtin_shufflevector(x, x, 1, 1, 1, 1);
    to[2] = __builtin_shufflevector(x, x, 2, 2, 2, 2);
  }
}

template <int Width>
inline void SpatialTreeDynamics::carry(std::span<const int> path, const double* wrenches, double* Z, double* left,
                                       bool is_first) const {
  constexpr int lanes = std::min(Width, Pack::lanes), parts = Width / lanes;
  using Lanes = typename Strand<lanes>::Lanes;
  const auto* const given = reinterpret_cast<const Lanes*>(wrenches);
  auto* z = reinterpret_cast<Lanes*>(Z);
  Lanes nx[parts], ny[parts], nz[parts], fx[parts], fy[parts], fz[parts];
  for (int p = 0; p < parts; ++p) {
    nx[p] = given[p], ny[p] = given[parts + p], nz[p] = given[2 * parts + p];
    fx[p] = given[3 * parts + p], fy[p] = given[4 * parts + p], fz[p] = given[5 * parts + p];
  }
  for (int k : path) {
    const Link& link = links_[k];
    Lanes r[3];
    spread<lanes>(link.r, r);
    if (link.kind == Kind::ball) {
      const Ball& ball = balls_[link.ball];
      const Triangle& L = ball.L;
      for (int p = 0; p < parts; ++p) {
        const Lanes z0 = nx[p] / L.a, z1 = (ny[p] - L.b * z0) / L.c, z2 = (nz[p] - L.d * z0 - L.e * z1) / L.f;
        z[p] = z0, z[parts + p] = z1, z[2 * parts + p] = z2;
        fx[p] -= ball.G(0, 0) * z0 + ball.G(1, 0) * z1 + ball.G(2, 0) * z2;
        fy[p] -= ball.G(0, 1) * z0 + ball.G(1, 1) * z1 + ball.G(2, 1) * z2;
        fz[p] -= ball.G(0, 2) * z0 + ball.G(1, 2) * z1 + ball.G(2, 2) * z2;
        nx[p] = r[1] * fz[p] - r[2] * fy[p];
        ny[p] = r[2] * fx[p] - r[0] * fz[p];
        nz[p] = r[0] * fy[p] - r[1] * fx[p];
      }
      z += 3 * parts;
      continue;
    }
    Lanes axis[3], T_n[3], T_f[3];
    spread<lanes>(link.axis(), axis);
    spread<lanes>(link.T_n, T_n);
    spread<lanes>(link.T_f, T_f);
    for (int p = 0; p < parts; ++p) {
      Lanes force{};
      if (link.kind != Kind::slide) force = axis[0] * nx[p] + axis[1] * ny[p] + axis[2] * nz[p];
      if (link.advance != 0) force += link.advance * (axis[0] * fx[p] + axis[1] * fy[p] + axis[2] * fz[p]);
      z[p] = link.root * force;
      nx[p] += r[1] * fz[p] - r[2] * fy[p] - T_n[0] * force;
      ny[p] += r[2] * fx[p] - r[0] * fz[p] - T_n[1] * force;
      nz[p] += r[0] * fy[p] - r[1] * fx[p] - T_n[2] * force;
      fx[p] -= T_f[0] * force, fy[p] -= T_f[1] * force, fz[p] -= T_f[2] * force;
    }
    z += parts;
  }
  if (!left) return;
  auto* const sum = reinterpret_cast<Lanes*>(left);
  for (int c = 0; is_first && c < 6 * parts; ++c) sum[c] = Lanes{};
  for (int p = 0; p < parts; ++p) {
    sum[p] += nx[p], sum[parts + p] += ny[p], sum[2 * parts + p] += nz[p];
    sum[3 * parts + p] += fx[p], sum[4 * parts + p] += fy[p], sum[5 * parts + p] += fz[p];
  }
}

inline void SpatialTreeDynamics::locate_plain() {
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    const Link &link = links_[k], &parent = links_[link.parent];
    const Place& before = places_[link.parent];
    Place& place = places_[k];
    place.c = before.c + link.r;
    place.velocity = before.velocity + cross(PackFactor(parent.omega), PackFactor(link.r));
    if (link.advance != 0) place.velocity += link.advance * link.rate * link.axis();
  }
}

LinkMotion SpatialTreeDynamics::motion_of(int k) const {
  const Link& link = links_[k];
  return {link.frame(),     vec3(places_[k].c), vec3(places_[k].velocity),
          vec3(link.omega), vec3(link.bias),    vec3(link.alpha_bias)};
}

inline void SpatialTreeDynamics::restore_plain(double* x) {
  const int count = static_cast<int>(links_.size());
  Pack alpha = zero_pack(), a = zero_pack();
  for (int k = 1; k < count; ++k) {
    const Link& link = links_[k];
    if (link.parent == 0) {
      alpha = zero_pack(), a = zero_pack();
    } else if (!link.follows) {
      const Branch& branch = branches_[links_[link.parent].branch];
      alpha = branch.alpha, a = branch.a;
    }
    double* const own = x + link.velocity;
    if (link.kind == Kind::ball) {
      const Ball& ball = balls_[link.ball];
      add_cross(a, PackFactor(alpha), PackFactor(link.r));
      const Vec3 z(own[0], own[1], own[2]);
      const Vec3 turning = ball.L.solve_transposed(z - ball.L.transposed_times(vec3(alpha)) - ball.G * vec3(a));
      const Vec3 rates =
          Eigen::Map<const Mat3>(link.C[0]).transpose() * (links_[link.parent].frame().transpose() * turning);
      own[0] = rates[0], own[1] = rates[1], own[2] = rates[2];
      alpha += pack(turning);
    } else {
      const double rate = link.root * *own - sum(link.T_n * alpha + link.T_f * a);
      *own = rate;
      if (!link.at_parent) add_cross(a, PackFactor(alpha), PackFactor(link.r));
      const Pack& w = link.axis();
      if (link.kind != Kind::slide) alpha += rate * w;
      if (link.advance != 0) a += link.advance * rate * w;
    }
    if (link.branch < 0) continue;
    Branch& branch = branches_[link.branch];
    branch.alpha = alpha, branch.a = a;
  }
}

// omega.J omega = J_all omega^2 + sign ((e.omega)^2 + (d.omega)^2)
inline double SpatialTreeDynamics::energy_plain() {
  Pack kinetic = zero_pack(), moments = zero_pack();
  double turning = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    if (!link.has_mass) continue;
    const Pack s = broadcast_product(link.A, link.first_moment), mass = broadcast(link.mass), &w = link.omega;
    const Pack& velocity = places_[k].velocity;
    const Pack s_cross_v = cross(PackFactor(s), PackFactor(velocity));
    kinetic += mass * velocity * velocity + w * (s_cross_v + s_cross_v + broadcast(link.J_all) * w);
    const double along_e = sum(broadcast_product(link.A, link.e) * w);
    const double along_d = link.has_d ? sum(broadcast_product(link.A, link.d) * w) : 0;
    turning += link.sign * (along_e * along_e + along_d * along_d);
    moments += mass * places_[k].c + s;
  }
  return 0.5 * (sum(kinetic) + turning) - gravity_.dot(vec3(moments));
}

}  // namespace

std::unique_ptr<TreeDynamics> create_spatial_tree_dynamics(const Model& model, const SpanningTree& tree) {
  return std::make_unique<SpatialTreeDynamics>(model, tree);
}

}  // namespace bricard
