// dF/dy + cj dF/dy' of ida's equations, column by column against differences of F as it is written in ida_jacobian.h.
#include <gtest/gtest.h>

#include <random>

#include "bricard/load.h"
#include "integrators/dae/ida_jacobian.h"
#include "testing/differentiate.h"

namespace bricard {
namespace ida_jacobian_test {

class IdaEquations {
 public:
  explicit IdaEquations(const std::string& name)
      : system_(load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml"), *find_coordinates_type("reference-point")),
        eq_(system_.empty_equations()),
        np_(system_.position_size()),
        n_(system_.velocity_size()) {
    // Not all rows, as of redundant ones; mu of those that constrain positions.
    for (int row = 1; row < system_.row_count(); ++row) {
      rows_.push_back(row);
      if (!system_.rows()[row].velocity_level) position_rows_.push_back(row);
    }
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    y_.resize(np_ + n_ + static_cast<int>(rows_.size() + position_rows_.size()));
    for (double& component : y_) component = number(random);
    yp_ = y_.reverse();
    system_.coordinates().reference(y_.head(np_));
    y_.tail(static_cast<int>(position_rows_.size())).setZero();
  }

  Vector residual(const Vector& y, const Vector& yp) {
    const auto v = y.segment(np_, n_);
    const int m = static_cast<int>(rows_.size()), mp = static_cast<int>(position_rows_.size());
    lambda_.setZero(system_.row_count());
    Vector mu = lambda_, F(y.size());
    for (int k = 0; k < m; ++k) lambda_[rows_[k]] = y[np_ + n_ + k];
    for (int k = 0; k < mp; ++k) mu[position_rows_[k]] = y[np_ + n_ + m + k];
    system_.evaluate(t_, y.head(np_), v, Vector::Zero(0), Upto::dynamics, eq_);
    const Vector u = v - eq_.P.transpose() * mu;
    system_.coordinates().position_rate(y.head(np_), u, F.head(np_));
    F.head(np_) = yp.head(np_) - F.head(np_);
    F.segment(np_, n_) = eq_.M * yp.segment(np_, n_) + eq_.P.transpose() * lambda_ - eq_.Q;
    for (int k = 0; k < m; ++k) F[np_ + n_ + k] = eq_.Phi_dot[rows_[k]];
    for (int k = 0; k < mp; ++k) F[np_ + n_ + m + k] = eq_.Phi[position_rows_[k]];
    return F;
  }

  void check() {
    Tangent tangent(system_);
    ASSERT_TRUE(tangent.exact());
    IdaJacobian jacobian(tangent, eq_, system_.model().planar(), rows_, position_rows_);
    const double cj = 7;
    residual(y_, yp_);
    const Vector vdot = yp_.segment(np_, n_);
    tangent.update(t_, vdot, lambda_);
    tangent.update_rows(t_, vdot);
    jacobian.update(eq_, y_.head(np_), y_.segment(np_, n_), cj);
    const Matrix exact = jacobian.values();
    for (int k = 0; k < y_.size(); ++k) {
      const Vector unit = Vector::Unit(y_.size(), k);
      const Vector column =
          testing_support::differentiate([&](double s) { return residual(y_ + s * unit, yp_ + cj * s * unit); }, 1e-3);
      EXPECT_LT((exact.col(k) - column).lpNorm<Eigen::Infinity>(), 1e-7 * (1 + column.lpNorm<Eigen::Infinity>())) << k;
    }
  }

 private:
  System system_;
  Equations eq_;
  int np_, n_;
  std::vector<int> rows_, position_rows_;
  Vector y_, yp_, lambda_;
  double t_ = 0.4;
};

TEST(IdaJacobian, IsTheDerivativeOfTheEquations) {
  for (const char* name : {"four-bar", "driven-slider-crank", "spinning-top", "stewart", "mcpherson", "knife-edge",
                           "exudyn-joints", "screw-press"}) {
    SCOPED_TRACE(name);
    IdaEquations(name).check();
  }
}

}  // namespace ida_jacobian_test
}  // namespace bricard
