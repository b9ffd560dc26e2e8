// A planar loop with three unknown joints, R (turns) or P (slides), in closed form. Between two unknown joints lies one
// rigid link k with the vector L_k (complex, in axes of its own) and the turn beta_k from its axes to where the next
// joint begins:
//   R: theta_k = theta_{k-1} + beta_{k-1} + x_k        P: theta_k = theta_{k-1} + beta_{k-1}, x_k along e^{i theta_k}
//   sum (x_k[P] + L_k) e^{i theta_k} = 0,   sum (x_k[R] + beta_k) = 0 mod 2 pi
// The closure is cyclic: numbered anew, three joints are RRR, RRP or RPP. Explicit, q_D = g(q_I):
//   RRR  psi = s atan2(sqrt((a+b+d)(-a+b+d)(a-b+d)(a+b-d)), d^2 - a^2 - b^2), a, b, d = |L1|, |L2|, |L3|;
//        theta2 = psi - arg L2 + arg L1,   theta3 = arg(-(L1 + L2 e^{i theta2})/L3)
//   RRP  K = L2 e^{-i beta2} + L3,   x3 = -Re K + s sqrt(|L1|^2 - (Im K)^2),   theta3 = -arg(-(x3 + K)/L1)
//   RPP  u = e^{i beta1}, w = e^{i(beta1 + beta2)}, r = -(L1 + L2 u + L3 w):
//        x2 = Im(r* w)/Im(u* w),   x3 = Im(u* r)/Im(u* w);   one solution
// s = +-1 is the branch.             [Blajer-Schiehlen-Schirm (27), (40), (41); Woernle 1988, for any dyad of such joints]
#pragma once

#include <array>
#include <complex>

namespace bricard {

struct PlanarDyad {
  std::array<bool, 3> slides;  // P, not R
  std::array<std::complex<double>, 3> L;
  std::array<double, 3> beta;

  /// False where the links are too short or too long to meet; angles are between -pi and pi.
  bool solve(double branch, std::array<double, 3>& x) const;
  /// Three slides cannot close a loop: they do not turn.
  static bool can_close(const std::array<bool, 3>& slides) { return !(slides[0] && slides[1] && slides[2]); }
};

}  // namespace bricard
