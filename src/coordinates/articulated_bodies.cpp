#include "coordinates/articulated_bodies.h"

#include "coordinates/rotation_algebra.h"

namespace bricard {
namespace {

// A pivot below this part of the inertia that it comes from is rounding: the direction has no inertia.
constexpr double no_inertia = 1e-13;

}  // namespace

ArticulatedBodies::ArticulatedBodies(const RelativeCoordinates& tree) : tree_(tree), joints_(tree.links_.size()) {}

bool ArticulatedBodies::factorize() {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const RelativeCoordinates::Link& link = tree_.links_[k];
    Joint& joint = joints_[k];
    joint.I.setZero();
    joint.S.setZero();
    for (int c = 0; c < link.velocities(); ++c) joint.S.col(c) << link.turning(c), link.t;
    joint.lever = link.parent >= 0 ? Vec3(link.c - tree_.links_[link.parent].c) : Vec3::Zero();
  }
  for (const RelativeCoordinates::BodyFrame& body : tree_.bodies_) {
    if (body.link < 0) continue;
    const Mat3 s = cross_matrix(body.center - tree_.links_[body.link].c);
    Mat6& I = joints_[body.link].I;
    I.topLeftCorner<3, 3>() += body.J - body.mass * s * s;
    I.topRightCorner<3, 3>() += body.mass * s;
    I.bottomLeftCorner<3, 3>() -= body.mass * s;
    I.bottomRightCorner<3, 3>().diagonal().array() += body.mass;
  }
  for (int k = static_cast<int>(joints_.size()) - 1; k >= 0; --k) {
    const RelativeCoordinates::Link& link = tree_.links_[k];
    Joint& joint = joints_[k];
    if (link.kind == ElementaryLink::Kind::ball) {
      joint.U.noalias() = joint.I * joint.S;
      const Mat3 D = joint.S.transpose() * joint.U;
      const Eigen::LDLT<Mat3> factor(D);
      if (!(factor.vectorD().minCoeff() > no_inertia * D.trace())) return false;
      joint.D_inverse = D.inverse();
      if (link.parent >= 0) joint.I.noalias() -= joint.U * joint.D_inverse * joint.U.transpose();
    } else {
      joint.U.col(0).noalias() = joint.I * joint.S.col(0);
      const double D = joint.S.col(0).dot(joint.U.col(0));
      const double size = link.kind == ElementaryLink::Kind::slide ? joint.I.bottomRightCorner<3, 3>().trace()
                                                                   : joint.I.topLeftCorner<3, 3>().trace();
      if (!(D > no_inertia * size)) return false;
      joint.D_inverse(0, 0) = 1 / D;
      if (link.parent >= 0) joint.I.noalias() -= joint.U.col(0) / D * joint.U.col(0).transpose();
    }
    if (link.parent < 0) continue;
    // X^T Ia X with X = [1 0; -r 1], r the cross matrix of the lever.
    const Mat3 r = cross_matrix(joint.lever);
    const Mat3 H = joint.I.topRightCorner<3, 3>(), m = joint.I.bottomRightCorner<3, 3>();
    const Mat3 rm = r * m;
    const Mat3 shifted = H + rm;
    Mat6& I = joints_[link.parent].I;
    const Mat3 Hr = H * r;
    I.topLeftCorner<3, 3>() += joint.I.topLeftCorner<3, 3>() - Hr - Hr.transpose() - rm * r;
    I.topRightCorner<3, 3>() += shifted;
    I.bottomLeftCorner<3, 3>() += shifted.transpose();
    I.bottomRightCorner<3, 3>() += m;
  }
  return true;
}

void ArticulatedBodies::solve(VectorRef x) {
  for (Joint& joint : joints_) joint.p.setZero();
  for (int k = static_cast<int>(joints_.size()) - 1; k >= 0; --k) {
    const RelativeCoordinates::Link& link = tree_.links_[k];
    Joint& joint = joints_[k];
    if (link.kind == ElementaryLink::Kind::ball) {
      joint.u = x.segment<3>(link.velocity) - joint.S.transpose() * joint.p;
      if (link.parent >= 0) joint.p.noalias() += joint.U * (joint.D_inverse * joint.u);
    } else {
      joint.u[0] = x[link.velocity] - joint.S.col(0).dot(joint.p);
      if (link.parent >= 0) joint.p += joint.D_inverse(0, 0) * joint.u[0] * joint.U.col(0);
    }
    if (link.parent < 0) continue;
    Vec6& parent = joints_[link.parent].p;
    const Vec3 force = joint.p.tail<3>();
    parent.head<3>() += joint.p.head<3>() + joint.lever.cross(force);
    parent.tail<3>() += force;
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const RelativeCoordinates::Link& link = tree_.links_[k];
    Joint& joint = joints_[k];
    joint.a.setZero();
    if (link.parent >= 0) {
      const Vec6& parent = joints_[link.parent].a;
      joint.a = parent;
      joint.a.tail<3>() += Vec3(parent.head<3>()).cross(joint.lever);
    }
    if (link.kind == ElementaryLink::Kind::ball) {
      const Vec3 rates = joint.D_inverse * (joint.u - joint.U.transpose() * joint.a);
      x.segment<3>(link.velocity) = rates;
      joint.a.noalias() += joint.S * rates;
    } else {
      const double rate = joint.D_inverse(0, 0) * (joint.u[0] - joint.U.col(0).dot(joint.a));
      x[link.velocity] = rate;
      joint.a += rate * joint.S.col(0);
    }
  }
}

}  // namespace bricard
