#include "dynamics/closing/closing_loop.h"

#include <algorithm>
#include <cmath>

#include "coordinates/rotation_algebra.h"
#include "dynamics/closing/planar_dyad.h"

namespace bricard {
namespace {

using Kind = ClosingStep::Kind;

/// Below this a dead point is so near that rates mean nothing.
constexpr double dead = 1e-9;

double angle_about(const Vec3& axis, const Vec3& from, const Vec3& to) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

}  // namespace

ClosingLoop::ClosingLoop(const LoopGraph& graph, const ClosingStep& step)
    : step_(step), influence_(step.way.size(), Vec3::Zero()) {
  const bool of_points = step.kind == Kind::rod || step.kind == Kind::ball;
  const Vec3 normal = step.axis, first = any_perpendicular(normal), second = normal.cross(first);
  const auto in_plane = [&](const Vec3& place) { return Complex(first.dot(place), second.dot(place)); };
  int slides = 0;
  for (const LoopStep& on_way : step.way) {
    const LoopEdge& edge = graph.edges[on_way.edge];
    const bool along = on_way.sign > 0;
    Part part;
    part.edge = on_way.edge, part.sign = on_way.sign, part.slides = edge.slides;
    part.near_at = along ? edge.at_from : edge.at_to, part.far_at = along ? edge.at_to : edge.at_from;
    part.axis = edge.direction;
    if (!of_points) {
      part.near = in_plane(part.near_at), part.far = in_plane(part.far_at);
      if (edge.slides) part.direction = in_plane(edge.direction);
      part.turns = edge.slides ? 0 : normal.dot(edge.direction) > 0 ? 1 : -1;
    }
    parts_.push_back(part);
  }
  for (const int k : step.unknowns) slides += parts_[k].slides;
  if (of_points) {
    const PointPair& pair = graph.pairs[step.index];
    start_ = step.reversed ? pair.at_to : pair.at_from, end_ = step.reversed ? pair.at_from : pair.at_to;
    length_ = step.kind == Kind::rod ? pair.length : (end_ - unknown(2).far_at).norm();
    branches_ = step.kind == Kind::rod ? 2 : 4;
  } else {
    branches_ = slides == 2 ? 1 : 2;
  }
}

void ClosingLoop::pass(const Part& part, double x, Pose& pose) {
  pose.d += pose.e * part.near;
  if (part.slides) {
    pose.d += part.sign * x * pose.e * part.direction;
  } else {
    pose.theta += part.sign * part.turns * x;
    pose.e = std::polar(1.0, pose.theta);
  }
  pose.d -= pose.e * part.far;
}

void ClosingLoop::pass(const Part& part, double x, SpatialPose& pose) {
  pose.d += pose.R * part.near_at;
  if (part.slides) {
    pose.d += part.sign * x * (pose.R * part.axis);
  } else {
    pose.R = pose.R * Eigen::AngleAxisd(part.sign * x, part.axis).toRotationMatrix();
  }
  pose.d -= pose.R * part.far_at;
}

// --- positions ---

bool ClosingLoop::solve(std::vector<double>& x) {
  if (step_.kind == Kind::rod) return solve_rod(x, length_, end_, parts_.size(), branch_ == 0 ? 1 : -1);
  if (step_.kind == Kind::spherical) return solve_about_point(x);
  return step_.kind == Kind::ball ? solve_ball(x) : solve_plane(x);
}

bool ClosingLoop::solve_plane(std::vector<double>& x) {
  PlanarDyad dyad;
  const auto count = static_cast<int>(parts_.size());
  const auto axes = [](const Part& part) { return part.slides ? std::arg(part.direction) : 0; };
  for (int k = 0; k < 3; ++k) {
    const Part &from = unknown(k), &to = unknown((k + 1) % 3);
    Pose pose;  // of the end of the link between them, in axes of its beginning
    for (int place = (step_.unknowns[k] + 1) % count; place != step_.unknowns[(k + 1) % 3]; place = (place + 1) % count)
      pass(parts_[place], x[parts_[place].edge], pose);
    dyad.slides[k] = from.slides;
    dyad.L[k] = (pose.d + pose.e * to.near - from.far) * std::polar(1.0, -axes(from));
    dyad.beta[k] = pose.theta - axes(from) + axes(to);
  }
  std::array<double, 3> found{};
  if (!dyad.solve(branch_ == 0 ? 1 : -1, found)) return false;
  for (int k = 0; k < 3; ++k) {
    const Part& part = unknown(k);
    x[part.edge] = part.sign * (part.slides ? 1 : part.turns) * found[k];
  }
  return true;
}

/// The unknown joint that puts a point, `end_at` beyond the part before `end`, at `length` from the start.
///   R, axis u through c:  b = c + s0 + s1 cos x + s2 sin x,  E cos x + F sin x = G
///   P along u:            |b0 - a + x u| = length
bool ClosingLoop::solve_rod(std::vector<double>& x, double length, const Vec3& end_at, std::size_t end, double branch) {
  const Part& part = unknown(0);
  const auto place = static_cast<std::size_t>(step_.unknowns[0]);
  SpatialPose before, after;
  for (std::size_t k = 0; k < place; ++k) pass(parts_[k], x[parts_[k].edge], before);
  for (std::size_t k = place + 1; k < end; ++k) pass(parts_[k], x[parts_[k].edge], after);
  const Vec3 u = before.R * part.axis, c = before.d + before.R * part.near_at;
  const Vec3 s = before.R * (after.d + after.R * end_at - part.far_at);  // from c, with the joint at zero
  if (part.slides) {
    const Vec3 w = c + s - start_;
    const double along = w.dot(u), square = along * along - w.squaredNorm() + length * length;
    if (!(square >= 0)) return false;
    x[part.edge] = part.sign * (-along + branch * std::sqrt(square));
    return true;
  }
  const Vec3 s0 = u * u.dot(s), s1 = s - s0, s2 = u.cross(s), w = c - start_;
  const double E = 2 * s1.dot(w), F = 2 * s2.dot(w), reach = std::hypot(E, F);
  const double G = length * length - s.squaredNorm() - w.squaredNorm() - 2 * s0.dot(w);
  const double square = reach * reach - G * G;
  if (!(square >= 0) || reach == 0) return false;
  x[part.edge] = part.sign * (std::atan2(F, E) + branch * std::atan2(std::sqrt(square), G));
  return true;
}

/// First the joint by the distance from the universal joint to the ball, then the angles of the universal joint:
///   R(u1, x1) R(u2, x2) s = t:   y = R(u2, x2) s has u2 . y = u2 . s, u1 . y = u1 . t, and the length of s
bool ClosingLoop::solve_ball(std::vector<double>& x) {
  const Part &one = unknown(1), &two = unknown(2);
  const auto place = static_cast<std::size_t>(step_.unknowns[1]);
  if (!solve_rod(x, length_, one.near_at, place, branch_ % 2 == 0 ? 1 : -1)) return false;
  SpatialPose before;
  for (std::size_t k = 0; k < place; ++k) pass(parts_[k], x[parts_[k].edge], before);
  const Vec3 s = end_ - two.far_at, t = before.R.transpose() * (start_ - before.d) - one.near_at;
  const double along_1 = one.axis.dot(t), along_2 = two.axis.dot(s);
  const double square = s.squaredNorm() - along_1 * along_1 - along_2 * along_2;
  if (!(square >= 0)) return false;
  const Vec3 y = along_1 * one.axis + along_2 * two.axis +
                 (branch_ / 2 == 0 ? 1 : -1) * std::sqrt(square) * one.axis.cross(two.axis);
  x[one.edge] = one.sign * angle_about(one.axis, y, t);
  x[two.edge] = two.sign * angle_about(two.axis, s, y);
  return true;
}

/// Turns about u1, u2, u3 with links T1, T2, T3 between them:  R(u1, x1) T1 R(u2, x2) T2 R(u3, x3) T3 = 1
///   p = T1^T u1, w = T2 u3:  E cos x2 + F sin x2 = u1 . T3^T u3 - (p . u2)(u2 . w),
///   E = p . w - (p . u2)(u2 . w),  F = p . (u2 x w);  x1 and x3 from what they turn into what
bool ClosingLoop::solve_about_point(std::vector<double>& x) {
  const auto count = static_cast<int>(parts_.size());
  std::array<Mat3, 3> T;
  for (int k = 0; k < 3; ++k) {
    SpatialPose pose;
    for (int place = (step_.unknowns[k] + 1) % count; place != step_.unknowns[(k + 1) % 3]; place = (place + 1) % count)
      pass(parts_[place], x[parts_[place].edge], pose);
    T[k] = pose.R;
  }
  const Vec3 &u1 = unknown(0).axis, &u2 = unknown(1).axis, &u3 = unknown(2).axis;
  const Vec3 p = T[0].transpose() * u1, w = T[1] * u3, z = T[2].transpose() * u3;
  const double along = p.dot(u2) * u2.dot(w), E = p.dot(w) - along, F = p.dot(u2.cross(w)), G = u1.dot(z) - along;
  const double reach = std::hypot(E, F), square = reach * reach - G * G;
  if (!(square >= 0) || reach == 0) return false;
  const double x2 = std::atan2(F, E) + (branch_ == 0 ? 1 : -1) * std::atan2(std::sqrt(square), G);
  const Mat3 R2 = Eigen::AngleAxisd(x2, u2).toRotationMatrix();
  x[unknown(0).edge] = unknown(0).sign * angle_about(u1, T[0] * R2 * w, z);
  x[unknown(1).edge] = unknown(1).sign * x2;
  x[unknown(2).edge] = unknown(2).sign * angle_about(u3, T[2] * u1, T[1].transpose() * R2.transpose() * p);
  return true;
}

// --- rates ---

void ClosingLoop::place_in_plane(const std::vector<double>& x) {
  Pose pose;
  for (Part& part : parts_) {
    part.r = pose.d + pose.e * part.near;
    part.u = pose.e * part.direction;
    pass(part, x[part.edge], pose);
  }
  // Twists are taken at a pivot, so that it does not matter how far the loop is from the origin.
  Complex origin = 0;
  for (const int k : step_.unknowns) {
    if (!parts_[k].slides) origin = parts_[k].r;
  }
  size_ = 0;
  for (const Part& part : parts_) {
    if (!part.slides) size_ = std::max(size_, std::abs(part.r - origin));
  }
  if (size_ == 0) size_ = 1;
  for (Part& part : parts_) {
    part.r = (part.r - origin) / size_;
    const Complex s = part.slides ? part.u / size_ : Complex(0, -part.turns) * part.r;
    part.p = part.sign * Vec3(part.turns, s.real(), s.imag());
  }
}

void ClosingLoop::place_in_space(const std::vector<double>& x) {
  SpatialPose pose;
  for (Part& part : parts_) {
    part.place = pose.d + pose.R * part.near_at;
    part.direction_now = part.sign * (pose.R * part.axis);
    pass(part, x[part.edge], pose);
  }
  end_now_ = pose.d + pose.R * end_;
  const Vec3 rod = end_now_ - start_;
  for (Part& part : parts_) {
    part.p = part.slides ? part.direction_now : part.direction_now.cross(end_now_ - part.place);
    if (step_.kind == Kind::rod) part.p = Vec3(rod.dot(part.p), 0, 0);
    if (step_.kind == Kind::spherical) part.p = part.direction_now;
  }
}

/// Lines of the unknowns. A slide counts as a turn at the size of the loop does.
bool ClosingLoop::invert() {
  if (step_.kind == Kind::rod) {
    const Part& part = unknown(0);
    const double power = part.p.x();
    const double reach = part.slides ? 1 : part.direction_now.cross(end_now_ - part.place).norm();
    regularity_ = reach > 0 ? std::abs(power) / (length_ * reach) : 0;
    if (!(regularity_ > dead)) return false;
    lines_.setZero();
    lines_(0, 0) = 1 / power;
    return true;
  }
  const Vec3 &a = unknown(0).p, &b = unknown(1).p, &c = unknown(2).p;
  const double volume = a.dot(b.cross(c));
  if (step_.kind == Kind::ball || step_.kind == Kind::spherical) {
    const double reach = a.norm() * b.norm() * c.norm();
    regularity_ = reach > 0 ? std::abs(volume) / reach : 0;
  } else {
    regularity_ = std::abs(volume);
    for (int k = 0; k < 3; ++k) regularity_ *= unknown(k).slides ? size_ : 1;
  }
  if (!(regularity_ > dead)) return false;
  lines_.row(0) = b.cross(c).transpose() / volume;
  lines_.row(1) = c.cross(a).transpose() / volume;
  lines_.row(2) = a.cross(b).transpose() / volume;
  return true;
}

bool ClosingLoop::find_lines(const std::vector<double>& x) {
  if (step_.kind == Kind::planar) {
    place_in_plane(x);
  } else {
    place_in_space(x);
  }
  if (!invert()) return false;
  for (std::size_t k = 0; k < parts_.size(); ++k) influence_[k] = -(lines_ * parts_[k].p);
  return true;
}

/// In the plane (W, V) x (w, s) = (0, W k x s - w k x V); about a point W x w; otherwise the acceleration of the end at constant rates.
Vec3 ClosingLoop::find_bias(const std::vector<double>& rates) {
  Vec3 bias = Vec3::Zero();
  if (step_.kind == Kind::planar) {
    Vec3 V = Vec3::Zero();
    for (const Part& part : parts_) {
      const Complex turned =
          Complex(0, 1) * (V.x() * Complex(part.p.y(), part.p.z()) - part.p.x() * Complex(V.y(), V.z()));
      bias += rates[part.edge] * Vec3(0, turned.real(), turned.imag());
      V += rates[part.edge] * part.p;
    }
    return -(lines_ * bias);
  }
  if (step_.kind == Kind::spherical) {
    Vec3 turning = Vec3::Zero();
    for (const Part& part : parts_) {
      bias += rates[part.edge] * turning.cross(part.p);
      turning += rates[part.edge] * part.p;
    }
    return -(lines_ * bias);
  }
  Vec3 end_rate = Vec3::Zero();
  for (const Part& part : parts_) {
    const double rate = rates[part.edge];
    end_rate += rate * (part.slides ? part.direction_now : part.direction_now.cross(end_now_ - part.place));
  }
  Vec3 omega = Vec3::Zero(), velocity = Vec3::Zero(), at = start_;  // of the body before the joint, at `at`
  for (const Part& part : parts_) {
    const double rate = rates[part.edge];
    velocity += omega.cross(part.place - at), at = part.place;
    if (part.slides) {
      bias += rate * omega.cross(part.direction_now);
      velocity += rate * part.direction_now;
    } else {
      bias += rate * (omega.cross(part.direction_now).cross(end_now_ - part.place) +
                      part.direction_now.cross(end_rate - velocity));
      omega += rate * part.direction_now;
    }
  }
  if (step_.kind == Kind::rod) bias = Vec3((end_now_ - start_).dot(bias) + end_rate.squaredNorm(), 0, 0);
  return -(lines_ * bias);
}

}  // namespace bricard
