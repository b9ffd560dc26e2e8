// In the plane: bias accelerations have no angular part, and a hinge leaves its parent nothing but a mass tensor. As in
// space T = I S D^-1 is kept instead of V, seen from the parent's place, and what comes from the child that follows a
// link is at hand.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dynamics/tree/tree_dynamics.h"
#include "linear/simd/pack.h"
#include "linear/simd/processor.h"

namespace bricard {
namespace {

struct Vec2 {
  double x = 0, y = 0;
};
inline double cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
inline Vec2 turned(double cosine, double sine, const Vec2& a) {
  return {cosine * a.x - sine * a.y, sine * a.x + cosine * a.y};
}

struct Link {
  // Of the model. Lengths in the parent's axes of the reference configuration.
  int parent = 0;
  int branch = -1;  // of its children that do not follow it, in `branches_`
  bool turns = true;
  bool follows = false;          // its parent is the link before it
  bool is_followed = false;      // the next link is its child
  bool is_first_branch = false;  // on the way inwards the first of its parent's children that do not follow
  double sign = 1;               // of a turn
  double mass = 0, J = 0;
  Vec2 first_moment, place;  // place from the parent's
  // Now, in the world: place from the parent's, acceleration.
  Vec2 r, bias;
  double root = 0;  // D^-1/2
  double T_n = 0;
  Vec2 T_f;
  Vec2 direction, t;  // of a slide, in the parent's axes and in the world
};

/// h = m (z x s) couples rotation and displacement.
struct Inertia {
  double J = 0, hx = 0, hy = 0, mxx = 0, mxy = 0, myy = 0;
  double size = 0;  // of the terms that J is made of
  void operator+=(const Inertia& b) {
    J += b.J, hx += b.hx, hy += b.hy, mxx += b.mxx, mxy += b.mxy, myy += b.myy, size += b.size;
  }
};

/// p, or an acceleration
struct Planar {
  double n = 0;
  Vec2 f;
  void operator+=(const Planar& b) { n += b.n, f.x += b.f.x, f.y += b.f.y; }
};

class PlanarTreeDynamics : public TreeDynamics {
 public:
  PlanarTreeDynamics(const Model& model, const SpanningTree& tree);
  void place(const double* q) override { fused_ ? place_fused(q) : go<false>(q, nullptr, nullptr); }
  void move(const double* q, const double* v, double* qdot) override {
    fused_ ? move_fused(q, v, qdot) : go<true>(q, v, qdot);
  }
  bool factorize() override { return fused_ ? factorize_fused() : eliminate<false>(nullptr, nullptr); }
  bool factorize(const double* Q, double* z) override { return fused_ ? factorize_fused(Q, z) : eliminate<true>(Q, z); }
  void locate() override;
  LinkMotion motion_of(int link) const override;
  void motions_of(std::span<const int> links, PlanarLinkMotion* motions) const override;
  void reduce_motion(const double* Q, double* z) override { fused_ ? sweep_fused<true>(Q, z) : sweep<true>(Q, z); }
  void reduce_strands(std::span<const StrandPath> paths, const int* links, double* wrenches, double* Z) const override {
    fused_ ? strands_fused(paths, links, wrenches, Z) : strands(paths, links, wrenches, Z);
  }
  void reduce(double* x) override { fused_ ? sweep_fused<false>(x, x) : sweep<false>(x, x); }
  void reduce(std::span<const int> path, double* x) override;
  void restore(double* x) override { fused_ ? restore_fused(x) : restore_plain(x); }
  int link_of(int velocity) const override { return velocity + 1; }
  double energy() override;

 private:
  struct Branch {
    Inertia I;
    Planar p, acceleration;
  };
  struct Place {
    Vec2 c, velocity;
  };

  template <bool moving>
  inline void go(const double* q, const double* v, double* qdot);
  template <bool with_forces>
  inline bool eliminate(const double* Q, double* z);
  /// x := W x, or z of the motion.
  template <bool of_motion>
  inline void sweep(const double* x, double* z);
  inline void restore_plain(double* x);
  inline void strands(std::span<const StrandPath> paths, const int* links, double* wrenches, double* Z) const;
  template <int Width>
  inline void carry(std::span<const int> path, const double* wrenches, double* Z, double* left, bool is_first) const;
  Vec2 moment(int k) const { return turned(cosine_[k], sine_[k], links_[k].first_moment); }
  /// p of the link's own bodies while the joint accelerations are zero.
  inline void add_own(int k, const Vec2& s, Planar& p) const;

  BRICARD_FUSED void place_fused(const double* q) { go<false>(q, nullptr, nullptr); }
  BRICARD_FUSED void move_fused(const double* q, const double* v, double* qdot) { go<true>(q, v, qdot); }
  BRICARD_FUSED bool factorize_fused() { return eliminate<false>(nullptr, nullptr); }
  BRICARD_FUSED bool factorize_fused(const double* Q, double* z) { return eliminate<true>(Q, z); }
  template <bool of_motion>
  BRICARD_FUSED void sweep_fused(const double* x, double* z) {
    sweep<of_motion>(x, z);
  }
  BRICARD_FUSED void restore_fused(double* x) { restore_plain(x); }
  BRICARD_FUSED void strands_fused(std::span<const StrandPath> paths, const int* links, double* wrenches,
                                   double* Z) const {
    strands(paths, links, wrenches, Z);
  }

  const bool fused_ = processor_has_fused();
  Vec2 gravity_;
  std::vector<Link> links_;
  std::vector<Branch> branches_;
  std::vector<double> rates_;                          // of joints
  std::vector<double> angle_, omega_, cosine_, sine_;  // of links, as many as packs have
  std::vector<double> turn_;                           // sign of a link that turns, 0 of one that slides
  std::vector<Place> places_;
  std::vector<Planar> path_wrenches_;
};

PlanarTreeDynamics::PlanarTreeDynamics(const Model& model, const SpanningTree& tree)
    : gravity_{model.gravity.x(), model.gravity.y()} {
  const TreeLinks given(model, tree);
  const std::size_t count = given.list.size();
  links_.resize(count);
  turn_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const TreeLinks::Entry& entry = given.list[k];
    Link& link = links_[k];
    const Vec3 place = entry.link.place - (entry.parent > 0 ? given.list[entry.parent].link.place : Vec3(Vec3::Zero()));
    link.parent = entry.parent;
    link.turns = entry.link.kind == ElementaryLink::Kind::turn;
    link.sign = entry.link.direction.z() < 0 ? -1 : 1;
    turn_[k] = link.turns ? link.sign : 0;
    link.place = {place.x(), place.y()};
    link.direction = {entry.link.direction.x(), entry.link.direction.y()};
    link.mass = entry.bodies.mass;
    link.J = entry.bodies.J(2, 2);
    link.first_moment = {entry.bodies.first_moment.x(), entry.bodies.first_moment.y()};
  }
  for (int k = static_cast<int>(count) - 1; k >= 1; --k) {
    Link &link = links_[k], &parent = links_[link.parent];
    link.follows = link.parent == k - 1;
    if (link.follows) parent.is_followed = true;
    if (link.follows || link.parent == 0) continue;
    link.is_first_branch = parent.branch < 0;
    if (!link.is_first_branch) continue;
    parent.branch = static_cast<int>(branches_.size());
    branches_.emplace_back();
  }
  links_[0].bias = {-gravity_.x, -gravity_.y};
  const std::size_t whole = (count + Pack::lanes - 1) / Pack::lanes * Pack::lanes;
  for (std::vector<double>* numbers : {&angle_, &omega_, &sine_}) numbers->resize(whole);
  cosine_.assign(whole, 1);
  rates_.resize(count);
  places_.resize(count);
  path_wrenches_.resize(count);
}

template <bool moving>
inline void PlanarTreeDynamics::go(const double* q, const double* v, double* qdot) {
  const int count = static_cast<int>(links_.size());
  double angle = 0, omega = 0;
  for (int k = 1; k < count; ++k) {
    const Link& link = links_[k];
    if (!link.follows) angle = angle_[link.parent], omega = omega_[link.parent];
    angle += turn_[k] * q[k - 1];
    angle_[k] = angle;
    if constexpr (moving) {
      const double rate = v[k - 1];
      omega += turn_[k] * rate;
      omega_[k] = omega;
      qdot[k - 1] = rates_[k] = rate;
    }
  }
  for (std::size_t k = 0; k < angle_.size(); k += Pack::lanes)
    sine_and_cosine(reinterpret_cast<const Pack&>(angle_[k]), reinterpret_cast<Pack&>(sine_[k]),
                    reinterpret_cast<Pack&>(cosine_[k]));
  Vec2 bias = links_[0].bias;
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const int parent = link.parent;
    const double cosine = cosine_[parent], sine = sine_[parent];
    Vec2 r = turned(cosine, sine, link.place);
    if (!link.turns) {
      link.t = turned(cosine, sine, link.direction);
      r.x += q[k - 1] * link.t.x, r.y += q[k - 1] * link.t.y;
    }
    link.r = r;
    if constexpr (moving) {
      if (!link.follows) bias = links_[parent].bias;
      const double carrying = omega_[parent], squared = carrying * carrying;
      bias.x -= squared * r.x, bias.y -= squared * r.y;
      if (!link.turns) {
        const double coriolis = 2 * carrying * rates_[k];
        bias.x -= coriolis * link.t.y, bias.y += coriolis * link.t.x;
      }
      link.bias = bias;
    }
  }
}

inline void PlanarTreeDynamics::add_own(int k, const Vec2& s, Planar& p) const {
  const Link& link = links_[k];
  const double squared = omega_[k] * omega_[k];
  p.n += cross(s, link.bias);
  p.f.x += link.mass * link.bias.x - squared * s.x;
  p.f.y += link.mass * link.bias.y - squared * s.y;
}

/// z of a link from the generalised force at its joint and p, which becomes that on the parent.
inline double pass_on(const Link& link, double Q, Planar& p) {
  const double force = link.turns ? link.sign * Q - p.n : Q - link.t.x * p.f.x - link.t.y * p.f.y;
  p.n += cross(link.r, p.f) + link.T_n * force;
  p.f.x += link.T_f.x * force, p.f.y += link.T_f.y * force;
  return link.root * force;
}

template <bool with_forces>
inline bool PlanarTreeDynamics::eliminate(const double* Q, double* z) {
  Inertia I;
  Planar p;
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    Link& link = links_[k];
    if (!link.is_followed) I = Inertia(), p = Planar();
    if (link.branch >= 0) {
      I += branches_[link.branch].I;
      if constexpr (with_forces) p += branches_[link.branch].p;
    }
    const Vec2 s = moment(k), r = link.r;
    I.J += link.J, I.size += link.J;
    I.hx -= s.y, I.hy += s.x;
    I.mxx += link.mass, I.myy += link.mass;
    if constexpr (with_forces) add_own(k, s, p);
    const double px = -r.y, py = r.x;  // z x r
    const double size = (I.mxx + I.myy) * (px * px + py * py);
    if (link.turns) {
      if (!(I.J > no_inertia * I.size)) return false;
      // Nothing is left of J and h.
      const double inverse = 1 / I.J;
      link.root = std::sqrt(inverse);
      const Vec2 T = {inverse * I.hx, inverse * I.hy};
      link.T_f = T;
      link.T_n = 1 + cross(r, T);
      I.mxx -= T.x * I.hx, I.mxy -= T.x * I.hy, I.myy -= T.y * I.hy;
      I.hx = I.mxx * px + I.mxy * py, I.hy = I.mxy * px + I.myy * py;
      I.J = px * I.hx + py * I.hy;
    } else {
      const Vec2 t = link.t;
      const double U_n = I.hx * t.x + I.hy * t.y, U_x = I.mxx * t.x + I.mxy * t.y, U_y = I.mxy * t.x + I.myy * t.y;
      const double D = t.x * U_x + t.y * U_y;
      if (!(D > no_inertia * (I.mxx + I.myy))) return false;
      const double inverse = 1 / D, T_n = inverse * U_n;
      link.root = std::sqrt(inverse);
      const Vec2 T = {inverse * U_x, inverse * U_y};
      link.T_f = T;
      link.T_n = T_n + cross(r, T);
      I.hx -= T_n * U_x, I.hy -= T_n * U_y;
      I.mxx -= T.x * U_x, I.mxy -= T.x * U_y, I.myy -= T.y * U_y;
      const double kx = I.mxx * px + I.mxy * py, ky = I.mxy * px + I.myy * py;
      I.J += px * (2 * I.hx + kx) + py * (2 * I.hy + ky) - T_n * U_n;
      I.hx += kx, I.hy += ky;
    }
    I.size = size;
    if constexpr (with_forces) z[k - 1] = pass_on(link, Q ? Q[k - 1] : 0, p);
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

template <bool of_motion>
inline void PlanarTreeDynamics::sweep(const double* x, double* z) {
  Planar p;
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    const Link& link = links_[k];
    if (!link.is_followed) p = Planar();
    if (link.branch >= 0) p += branches_[link.branch].p;
    if constexpr (of_motion) add_own(k, moment(k), p);
    z[k - 1] = pass_on(link, x ? x[k - 1] : 0, p);
    if (link.follows || link.parent == 0) continue;
    Planar& others = branches_[links_[link.parent].branch].p;
    if (link.is_first_branch) {
      others = p;
    } else {
      others += p;
    }
  }
}

void PlanarTreeDynamics::reduce(std::span<const int> path, double* x) {
  for (int k : path) path_wrenches_[k] = Planar();
  for (int at = static_cast<int>(path.size()) - 1; at >= 0; --at) {
    const Link& link = links_[path[at]];
    Planar& p = path_wrenches_[path[at]];
    x[at] = pass_on(link, x[at], p);
    path_wrenches_[link.parent] += p;
  }
}

inline void PlanarTreeDynamics::strands(std::span<const StrandPath> paths, const int* links, double* wrenches,
                                        double* Z) const {
  each_strand<4>(paths, links, wrenches, Z,
                 [this](auto width, auto... strand) { carry<decltype(width)::value>(strand...); });
}

template <int Width>
inline void PlanarTreeDynamics::carry(std::span<const int> path, const double* wrenches, double* Z, double* left,
                                      bool is_first) const {
  using Lanes = typename Strand<Width>::Lanes;
  const auto* const w = reinterpret_cast<const Lanes*>(wrenches);
  auto* z = reinterpret_cast<Lanes*>(Z);
  Lanes n = w[0], fx = w[1], fy = w[2];
  for (int k : path) {
    const Link& link = links_[k];
    const Lanes force = link.turns ? n : link.t.x * fx + link.t.y * fy;
    *z++ = link.root * force;
    n += link.r.x * fy - link.r.y * fx - link.T_n * force;
    fx -= link.T_f.x * force, fy -= link.T_f.y * force;
  }
  if (!left) return;
  auto* const sum = reinterpret_cast<Lanes*>(left);
  for (int c = 0; is_first && c < 3; ++c) sum[c] = Lanes{};
  sum[0] += n, sum[1] += fx, sum[2] += fy;
}

void PlanarTreeDynamics::locate() {
  for (std::size_t k = 1; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Place& before = places_[link.parent];
    const double omega = omega_[link.parent];
    Place& place = places_[k];
    place.c = {before.c.x + link.r.x, before.c.y + link.r.y};
    place.velocity = {before.velocity.x - omega * link.r.y, before.velocity.y + omega * link.r.x};
    if (!link.turns) place.velocity.x += rates_[k] * link.t.x, place.velocity.y += rates_[k] * link.t.y;
  }
}

LinkMotion PlanarTreeDynamics::motion_of(int k) const {
  const Link& link = links_[k];
  const Place& place = places_[k];
  LinkMotion motion;
  motion.frame << cosine_[k], -sine_[k], 0, sine_[k], cosine_[k], 0, 0, 0, 1;
  motion.place = {place.c.x, place.c.y, 0};
  motion.velocity = {place.velocity.x, place.velocity.y, 0};
  motion.omega = {0, 0, omega_[k]};
  motion.acceleration = {link.bias.x, link.bias.y, 0};
  return motion;
}

void PlanarTreeDynamics::motions_of(std::span<const int> links, PlanarLinkMotion* motions) const {
  for (const int k : links) {
    const Link& link = links_[k];
    const Place& place = places_[k];
    *motions++ = {cosine_[k],
                  sine_[k],
                  {place.c.x, place.c.y},
                  {place.velocity.x, place.velocity.y},
                  omega_[k],
                  {link.bias.x, link.bias.y}};
  }
}

inline void PlanarTreeDynamics::restore_plain(double* x) {
  const int count = static_cast<int>(links_.size());
  double alpha = 0, ax = 0, ay = 0;
  for (int k = 1; k < count; ++k) {
    const Link& link = links_[k];
    if (link.parent == 0) {
      alpha = ax = ay = 0;
    } else if (!link.follows) {
      const Planar& before = branches_[links_[link.parent].branch].acceleration;
      alpha = before.n, ax = before.f.x, ay = before.f.y;
    }
    const double rate = link.root * x[k - 1] - link.T_n * alpha - link.T_f.x * ax - link.T_f.y * ay;
    ax -= alpha * link.r.y, ay += alpha * link.r.x;
    if (link.turns) {
      x[k - 1] = link.sign * rate;
      alpha += rate;
    } else {
      x[k - 1] = rate;
      ax += rate * link.t.x, ay += rate * link.t.y;
    }
    if (link.branch >= 0) branches_[link.branch].acceleration = {alpha, {ax, ay}};
  }
}

double PlanarTreeDynamics::energy() {
  locate();
  double twice_kinetic = 0, potential = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Vec2 &v = places_[k].velocity, &c = places_[k].c, s = moment(static_cast<int>(k));
    twice_kinetic += link.mass * (v.x * v.x + v.y * v.y) + omega_[k] * (2 * cross(s, v) + link.J * omega_[k]);
    potential -= gravity_.x * (link.mass * c.x + s.x) + gravity_.y * (link.mass * c.y + s.y);
  }
  return 0.5 * twice_kinetic + potential;
}

}  // namespace

std::unique_ptr<TreeDynamics> create_planar_tree_dynamics(const Model& model, const SpanningTree& tree) {
  return std::make_unique<PlanarTreeDynamics>(model, tree);
}

}  // namespace bricard
