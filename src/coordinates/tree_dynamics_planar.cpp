// In the plane: bias accelerations have no angular part, and a hinge leaves its parent nothing but a mass tensor.
#include <cmath>
#include <vector>

#include "coordinates/tree_dynamics.h"

namespace bricard {
namespace {

struct Vec2 {
  double x = 0, y = 0;
};

struct Link {
  // Of the model. Lengths in the parent's axes of the reference configuration.
  int parent = 0;
  bool turns = true;
  double sign = 1;  // of a turn
  Vec2 place;       // from the parent's
  Vec2 direction;   // of a slide
  double mass = 0, J = 0;
  Vec2 first_moment;
  // Now, in the world. h = m (z x s) couples rotation and displacement.
  double cosine = 1, sine = 0, angle = 0, omega = 0, rate = 0;
  Vec2 r, t, bias, moment;  // place from the parent's, axis of a slide, acceleration, first moment of mass
  double inertia = 0, hx = 0, hy = 0, mxx = 0, mxy = 0, myy = 0;  // articulated
  double size = 0;                                                // of the terms that the inertia is made of
  double n = 0, fx = 0, fy = 0;                                   // p
  double root = 0, Vn = 0, Vx = 0, Vy = 0;                        // D^-1/2 and V
  double alpha = 0, ax = 0, ay = 0;
  Vec2 c, velocity;
};

class PlanarTreeDynamics : public TreeDynamics {
 public:
  PlanarTreeDynamics(const Model& model, const SpanningTree& tree) {
    const TreeLinks given(model, tree);
    links_.resize(given.list.size());
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const TreeLinks::Entry& entry = given.list[k];
      Link& link = links_[k];
      const Vec3 place =
          entry.link.place - (entry.parent > 0 ? given.list[entry.parent].link.place : Vec3(Vec3::Zero()));
      link.parent = entry.parent;
      link.turns = entry.link.kind == ElementaryLink::Kind::turn;
      link.sign = entry.link.direction.z() < 0 ? -1 : 1;
      link.place = {place.x(), place.y()};
      link.direction = {entry.link.direction.x(), entry.link.direction.y()};
      link.mass = entry.bodies.mass;
      link.J = entry.bodies.J(2, 2);
      link.first_moment = {entry.bodies.first_moment.x(), entry.bodies.first_moment.y()};
    }
    gravity_ = {model.gravity.x(), model.gravity.y()};
    links_[0].bias = {-gravity_.x, -gravity_.y};
    links_[0].moment = links_[0].first_moment;
  }

  void place(const double* q) override { go<false>(q, nullptr, nullptr); }
  void move(const double* q, const double* v, double* qdot) override { go<true>(q, v, qdot); }
  bool factorize() override { return eliminate<false>(nullptr, nullptr); }
  bool factorize(const double* Q, double* z) override { return eliminate<true>(Q, z); }
  void reduce(double* x) override;
  void reduce(std::span<const int> path, double* x) override;
  void restore(double* x) override;
  int link_of(int velocity) const override { return velocity + 1; }
  double energy() override;

 private:
  template <bool moving>
  void go(const double* q, const double* v, double* qdot);
  template <bool with_forces>
  bool eliminate(const double* Q, double* z);
  void pass_on(const Link& link, double n, double fx, double fy);

  Vec2 gravity_;
  std::vector<Link> links_;
};

template <bool moving>
void PlanarTreeDynamics::go(const double* q, const double* v, double* qdot) {
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const Link& parent = links_[link.parent];
    const double x = q[k - 1];
    Vec2 r = {parent.cosine * link.place.x - parent.sine * link.place.y,
              parent.sine * link.place.x + parent.cosine * link.place.y};
    if (link.turns) {
      link.angle = parent.angle + link.sign * x;
      link.cosine = std::cos(link.angle);
      link.sine = std::sin(link.angle);
    } else {
      link.t = {parent.cosine * link.direction.x - parent.sine * link.direction.y,
                parent.sine * link.direction.x + parent.cosine * link.direction.y};
      link.angle = parent.angle;
      link.cosine = parent.cosine;
      link.sine = parent.sine;
      r.x += x * link.t.x, r.y += x * link.t.y;
    }
    const Vec2 s = {link.cosine * link.first_moment.x - link.sine * link.first_moment.y,
                    link.sine * link.first_moment.x + link.cosine * link.first_moment.y};
    link.r = r;
    link.moment = s;
    link.inertia = link.size = link.J;
    link.hx = -s.y, link.hy = s.x;
    link.mxx = link.myy = link.mass;
    link.mxy = 0;
    if constexpr (moving) {
      const double rate = v[k - 1], omega = parent.omega, squared = omega * omega;
      qdot[k - 1] = link.rate = rate;
      Vec2 bias = {parent.bias.x - squared * r.x, parent.bias.y - squared * r.y};
      link.omega = omega;
      if (link.turns) {
        link.omega += link.sign * rate;
      } else {
        bias.x -= 2 * omega * rate * link.t.y, bias.y += 2 * omega * rate * link.t.x;
      }
      link.bias = bias;
      link.n = s.x * bias.y - s.y * bias.x;
      link.fx = link.mass * bias.x - link.omega * link.omega * s.x;
      link.fy = link.mass * bias.y - link.omega * link.omega * s.y;
    }
  }
}

template <bool with_forces>
bool PlanarTreeDynamics::eliminate(const double* Q, double* z) {
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    Link& link = links_[k];
    Link& parent = links_[link.parent];
    const double px = -link.r.y, py = link.r.x;  // z x r
    parent.size += (link.mxx + link.myy) * (px * px + py * py);
    if (link.turns) {
      if (!(link.inertia > no_inertia * link.size)) return false;
      const double root = 1 / std::sqrt(link.inertia);
      const double Vx = root * link.hx, Vy = root * link.hy;
      link.root = root, link.Vn = root * link.inertia, link.Vx = Vx, link.Vy = Vy;
      if constexpr (with_forces) z[k - 1] = root * ((Q ? link.sign * Q[k - 1] : 0) - link.n);
      if (link.parent == 0) continue;
      // Nothing is left of J and h.
      const double mxx = link.mxx - Vx * Vx, mxy = link.mxy - Vx * Vy, myy = link.myy - Vy * Vy;
      const double hx = mxx * px + mxy * py, hy = mxy * px + myy * py;
      parent.inertia += px * hx + py * hy;
      parent.hx += hx, parent.hy += hy;
      parent.mxx += mxx, parent.mxy += mxy, parent.myy += myy;
    } else {
      const Vec2 t = link.t;
      const double Un = link.hx * t.x + link.hy * t.y, Ux = link.mxx * t.x + link.mxy * t.y,
                   Uy = link.mxy * t.x + link.myy * t.y;
      const double D = t.x * Ux + t.y * Uy;
      if (!(D > no_inertia * (link.mxx + link.myy))) return false;
      const double root = 1 / std::sqrt(D), Vn = root * Un, Vx = root * Ux, Vy = root * Uy;
      link.root = root, link.Vn = Vn, link.Vx = Vx, link.Vy = Vy;
      if constexpr (with_forces) z[k - 1] = root * ((Q ? Q[k - 1] : 0) - t.x * link.fx - t.y * link.fy);
      if (link.parent == 0) continue;
      const double hx = link.hx - Vn * Vx, hy = link.hy - Vn * Vy;
      const double mxx = link.mxx - Vx * Vx, mxy = link.mxy - Vx * Vy, myy = link.myy - Vy * Vy;
      const double kx = mxx * px + mxy * py, ky = mxy * px + myy * py;
      parent.inertia += link.inertia - Vn * Vn + px * (2 * hx + kx) + py * (2 * hy + ky);
      parent.hx += hx + kx, parent.hy += hy + ky;
      parent.mxx += mxx, parent.mxy += mxy, parent.myy += myy;
    }
    if constexpr (with_forces) {
      const double own = z[k - 1];
      pass_on(link, link.n + own * link.Vn, link.fx + own * link.Vx, link.fy + own * link.Vy);
    }
  }
  return true;
}

/// A wrench about the link's place to its parent.
inline void PlanarTreeDynamics::pass_on(const Link& link, double n, double fx, double fy) {
  Link& parent = links_[link.parent];
  parent.n += n + link.r.x * fy - link.r.y * fx;
  parent.fx += fx, parent.fy += fy;
}

void PlanarTreeDynamics::reduce(double* x) {
  for (Link& link : links_) link.n = link.fx = link.fy = 0;
  for (int k = static_cast<int>(links_.size()) - 1; k >= 1; --k) {
    const Link& link = links_[k];
    const double z =
        link.root * (link.turns ? link.sign * x[k - 1] - link.n : x[k - 1] - link.t.x * link.fx - link.t.y * link.fy);
    x[k - 1] = z;
    if (link.parent > 0) pass_on(link, link.n + z * link.Vn, link.fx + z * link.Vx, link.fy + z * link.Vy);
  }
}

void PlanarTreeDynamics::reduce(std::span<const int> path, double* x) {
  for (int k : path) links_[k].n = links_[k].fx = links_[k].fy = 0;
  for (int at = static_cast<int>(path.size()) - 1; at >= 0; --at) {
    const Link& link = links_[path[at]];
    const double z =
        link.root * (link.turns ? link.sign * x[at] - link.n : x[at] - link.t.x * link.fx - link.t.y * link.fy);
    x[at] = z;
    if (link.parent > 0) pass_on(link, link.n + z * link.Vn, link.fx + z * link.Vx, link.fy + z * link.Vy);
  }
}

void PlanarTreeDynamics::restore(double* x) {
  const int count = static_cast<int>(links_.size());
  for (int k = 1; k < count; ++k) {
    Link& link = links_[k];
    const Link& parent = links_[link.parent];
    const double ax = parent.ax - parent.alpha * link.r.y, ay = parent.ay + parent.alpha * link.r.x;
    const double rate = link.root * (x[k - 1] - link.Vn * parent.alpha - link.Vx * ax - link.Vy * ay);
    if (link.turns) {
      x[k - 1] = link.sign * rate;
      link.alpha = parent.alpha + rate;
      link.ax = ax, link.ay = ay;
    } else {
      x[k - 1] = rate;
      link.alpha = parent.alpha;
      link.ax = ax + rate * link.t.x, link.ay = ay + rate * link.t.y;
    }
  }
}

double PlanarTreeDynamics::energy() {
  double twice_kinetic = 0, potential = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    if (k > 0) {
      const Link& parent = links_[link.parent];
      link.c = {parent.c.x + link.r.x, parent.c.y + link.r.y};
      link.velocity = {parent.velocity.x - parent.omega * link.r.y, parent.velocity.y + parent.omega * link.r.x};
      if (!link.turns) link.velocity.x += link.rate * link.t.x, link.velocity.y += link.rate * link.t.y;
    }
    const Vec2 &v = link.velocity, &s = link.moment;
    twice_kinetic +=
        link.mass * (v.x * v.x + v.y * v.y) + link.omega * (2 * (s.x * v.y - s.y * v.x) + link.J * link.omega);
    potential -= gravity_.x * (link.mass * link.c.x + s.x) + gravity_.y * (link.mass * link.c.y + s.y);
  }
  return 0.5 * twice_kinetic + potential;
}

}  // namespace

std::unique_ptr<TreeDynamics> create_planar_tree_dynamics(const Model& model, const SpanningTree& tree) {
  return std::make_unique<PlanarTreeDynamics>(model, tree);
}

}  // namespace bricard
