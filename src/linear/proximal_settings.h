// Proximal refinement of S x = b with the factors of S + mu I: (S + mu I) x_k+1 = b + mu x_k. Each purpose has its own
// mu: a solve that must be exact wants it small against every eigenvalue that means something, a projection that has to
// leave weak directions alone wants it above them. All values stand here.
//                                          [Jalon-Bayo (5.51) in dual form; Parikh, Boyd 2014, section 4.1]
#pragma once

namespace bricard {

struct ProximalSettings {
  double mu;         // relative to the size of S
  int passes;        // at most
  double tolerance;  // relative change of what is refined at which it ends
};

namespace proximal {
/// Multipliers of `bodies` and `tree`, on P M^-1 P^T: ends when x^T S x, the size of accelerations, does not change.
inline constexpr ProximalSettings multipliers = {1e-6, 40, 1e-28};
/// `lagrange-proximal` on [M P^T; P -mu I].
inline constexpr ProximalSettings formulation = {1e-7, 200, 1e-13};
/// Projections by matrices of the whole system: directions whose squared singular value is below mu are left alone.
inline constexpr ProximalSettings projection = {1e-9, 3, 0};
/// The impulse of a jump in the rate of a law, by the same matrices, once.
inline constexpr ProximalSettings impulse = {1e-9, 4, 0};
}  // namespace proximal

}  // namespace bricard
