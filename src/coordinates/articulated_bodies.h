// x := M^-1 x for the coordinates of a tree in time linear in its size: articulated-body inertias towards the ground,
// accelerations back.                                                             [Featherstone 2008, (7.37)-(7.45)]
//   I of a link = its bodies' and its children's Ia,   U = I S,   D = S^T U,   Ia = I - U D^-1 U^T
//   to the ground:  u = x - S^T p,   p of the parent += X^T (p + U D^-1 u)
//   back:           a' = X a of the parent,   x = D^-1 (u - U^T a'),   a = a' + S x
// Spatial vectors are (angular, linear at the link's place); inertias are kept there, so that the distance from the
// world's origin costs no digits.
#pragma once

#include <vector>

#include "coordinates/relative.h"

namespace bricard {

class ArticulatedBodies : public MassSolver {
 public:
  explicit ArticulatedBodies(const RelativeCoordinates& tree);
  bool factorize() override;
  void solve(VectorRef x) override;

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  using Mat63 = Eigen::Matrix<double, 6, 3>;
  struct Joint {
    Mat6 I;
    Mat63 S, U;  // the first columns, as many as the link has velocities
    Mat3 D_inverse;
    Vec3 lever;  // from the parent's place
    Vec6 p, a;
    Vec3 u;
  };

  const RelativeCoordinates& tree_;
  std::vector<Joint> joints_;
};

}  // namespace bricard
