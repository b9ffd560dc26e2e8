// Joint coordinates and rates of a tree from where its bodies are and how they move.
#include <cmath>
#include <numbers>

#include "coordinates/relative.h"
#include "coordinates/unit_quaternion.h"

namespace bricard {
namespace {

/// Angle about a unit axis of the rotation that turns a vector perpendicular to it into another.
double angle_between(const Vec3& axis, const Vec3& from, const Vec3& to) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

double angle_about(const Vec3& axis, const Mat3& rotation) {
  const Vec3 from = any_perpendicular(axis);
  return angle_between(axis, from, rotation * from);
}

}  // namespace

void RelativeCoordinates::from_bodies(const std::vector<BodyState>& bodies, VectorRef q, VectorRef v) const {
  const BodyState at_rest;
  for (std::size_t e = 0; e < tree_.edges.size(); ++e) {
    const TreeEdge& edge = tree_.edges[e];
    const BodyState& parent = edge.parent == ground ? at_rest : bodies[edge.parent];
    from_edge(edge, first_link_[e], parent, bodies[edge.body], q, v);
  }
}

void RelativeCoordinates::from_edge(const TreeEdge& edge, int first, const BodyState& parent, const BodyState& child,
                                    VectorRef q, VectorRef v) const {
  if (edge.links.empty()) return;
  const Body own;  // the ground's frame is the world's
  const Body& parent_body = edge.parent == ground ? own : model_.bodies[edge.parent];
  const Body& child_body = model_.bodies[edge.body];
  const Mat3 parent_D = (parent.orientation * parent_body.orientation.conjugate()).toRotationMatrix();
  const Mat3 child_D = (child.orientation * child_body.orientation.conjugate()).toRotationMatrix();
  const Vec3 place = edge.links.front().place;
  const Vec3 now = child.center + child_D * (place - child_body.center);
  // Everything relative to the parent, in its reference axes.
  Mat3 rotation = parent_D.transpose() * child_D;
  const Vec3 displacement = parent_D.transpose() * (now - parent.center) + parent_body.center - place;
  const Vec3 omega = parent_D.transpose() * (child.omega - parent.omega);
  const Vec3 velocity = parent_D.transpose() * (child.velocity + child.omega.cross(now - child.center) -
                                                parent.velocity - parent.omega.cross(now - parent.center));
  const double turn =
      model_.planar() ? child.angle - child_body.angle - (parent.angle - parent_body.angle) : 0;  // over full turns

  for (std::size_t k = 0; k < edge.links.size(); ++k) {
    const Link& link = links_[first + static_cast<int>(k)];
    double& x = q[link.position];
    double& xdot = v[link.velocity];
    const Vec3& axis = link.direction;
    switch (link.kind) {
      case Kind::slide:
        x = axis.dot(displacement);
        xdot = axis.dot(velocity);
        break;
      case Kind::turn:
        if (k + 1 < edge.links.size()) {
          // The first axis of a universal joint turns the second one.
          const Vec3& second = edge.links[k + 1].direction;
          x = angle_between(axis, second, rotation * second);
          rotation = Eigen::AngleAxisd(-x, axis).toRotationMatrix() * rotation;
          xdot = axis.dot(omega);
        } else if (k > 0 && edge.links[k - 1].kind == Kind::turn) {
          const Link& before = links_[first + static_cast<int>(k) - 1];
          x = angle_about(axis, rotation);
          xdot = (Eigen::AngleAxisd(q[before.position], before.direction) * axis).dot(omega);
        } else {
          x = model_.planar() ? turn : angle_about(axis, rotation);
          xdot = axis.dot(omega);
        }
        break;
      case Kind::screw: {
        x = angle_about(axis, rotation);
        xdot = axis.dot(omega);
        constexpr double full = 2 * std::numbers::pi;
        if (link.advance != 0) x += full * std::round((axis.dot(displacement) / link.advance - x) / full);
        break;
      }
      case Kind::ball:
        unit_quaternion::store(Quaternion(rotation), &x);
        for (int c = 0; c < 3; ++c) v[link.velocity + c] = omega[c];
        break;
    }
  }
}

}  // namespace bricard
