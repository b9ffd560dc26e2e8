// Blajer's four-bar linkage in the paper's coordinates: cut in O4, q = (alpha1, alpha2, alpha3), clockwise.
//   alpha3 = arccos((l0^2 + l1^2 - l2^2 - l3^2 - 2 l0 l1 sin alpha1)/(2 l2 l3)), alpha2 from (41)          (40), (41)
//   D = [1, -(l0 l1 cos alpha1 + l0 l2 cos(alpha1 + alpha2))/(l2 l3 sin alpha3), l0 l1 cos alpha1/(l2 l3 sin alpha3)]
//                                                                                                               (43)
// M, h and C come from the engine, which counts the same angles counter-clockwise; D and B from the paper.
#pragma once

#include <memory>

#include "system/system.h"

namespace bricard {

class BlajerLinkage {
 public:
  static constexpr double l0 = 2, l1 = 0.8, l2 = 1.8, l3 = 1.5;

  /// The crank's mass and inertia may be multiplied.
  explicit BlajerLinkage(double crank_factor = 1);

  /// Evaluates M, C, h, gamma and the closed forms.
  void place(double alpha1, double rate1 = 0);

  const std::shared_ptr<const Model>& model() const { return model_; }
  Vec3 alpha = Vec3::Zero(), rate = Vec3::Zero();
  Matrix M, C, D, B;      // 3 x 3, 2 x 3, 1 x 3 by (43), 2 x 3 by (44)
  Vector h, gamma;        // M alpha'' = h + C^T lambda,  C alpha'' = gamma
  double loop_error = 0;  // distance by which the loop is open at (40), (41)

  static Vec3 angles(double alpha1);         // (40), (41), branch alpha3 > 0
  static Vec3 direction(const Vec3& alpha);  // (42), (43)

 private:
  std::shared_ptr<const Model> model_;
  System system_;
  Equations equations_;
  Vec3 reference_;
};

}  // namespace bricard
