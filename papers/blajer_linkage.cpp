#include "papers/blajer_linkage.h"

#include <cmath>

#include "papers/shipped_models.h"

namespace bricard {
namespace {

std::shared_ptr<const Model> cut_model(double crank_factor) {
  auto model = std::make_shared<Model>(*shipped_model("four-bar"));
  for (Joint& joint : model->joints) joint.cut = joint.name == "O4";
  for (Body& body : model->bodies) {
    if (body.name == "crank") body.mass *= crank_factor, body.inertia *= crank_factor;
  }
  return model;
}

}  // namespace

Vec3 BlajerLinkage::angles(double alpha1) {
  const double base = l0 * l0 + l1 * l1 - 2 * l0 * l1 * std::sin(alpha1);  // |O2 O4|^2
  const double alpha3 = std::acos((base - l2 * l2 - l3 * l3) / (2 * l2 * l3));
  const double sine = (l0 * l2 * std::cos(alpha1) + l0 * l3 * std::cos(alpha1 + alpha3) + l1 * l3 * std::sin(alpha3));
  const double cosine =
      l0 * l2 * std::sin(alpha1) + l0 * l3 * std::sin(alpha1 + alpha3) - l1 * l3 * std::cos(alpha3) - l1 * l2;
  return {alpha1, std::atan2(sine / base, cosine / base), alpha3};
}

Vec3 BlajerLinkage::direction(const Vec3& a) {
  const double denominator = l2 * l3 * std::sin(a[2]);
  return {1, -(l0 * l1 * std::cos(a[0]) + l0 * l2 * std::cos(a[0] + a[1])) / denominator,
          l0 * l1 * std::cos(a[0]) / denominator};
}

BlajerLinkage::BlajerLinkage(double crank_factor)
    : M(3, 3),
      C(2, 3),
      D(1, 3),
      B(2, 3),
      h(3),
      gamma(2),
      model_(cut_model(crank_factor)),
      system_(model_, *find_coordinates_type("relative")),
      equations_(system_.empty_equations()),
      reference_(angles(0.3)) {}  // the model is drawn at alpha1 = 0.3

void BlajerLinkage::place(double alpha1, double rate1) {
  alpha = angles(alpha1);
  D = direction(alpha).transpose();
  rate = D.transpose() * rate1;
  const double c1 = std::cos(alpha[0]), s1 = std::sin(alpha[0]);
  const double c2 = std::cos(alpha[0] + alpha[1]), s2 = std::sin(alpha[0] + alpha[1]);
  B.col(0) << 0, -l0;
  B.col(1) << -l1 * c1, -l0 + l1 * s1;
  B.col(2) << -l1 * c1 - l2 * c2, -l0 + l1 * s1 + l2 * s2;

  const Vector q = reference_ - alpha, v = -rate;
  system_.evaluate(0, q, v, Vector(), Upto::dynamics, equations_);
  M = Matrix(equations_.M);
  C = -Matrix(equations_.P);
  h = -equations_.Q;
  gamma = equations_.gamma;
  loop_error = equations_.Phi.norm();
}

}  // namespace bricard
