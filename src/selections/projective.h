// Blajer's projective criterion: how well each coordinate describes the motion, as the squared cosine between its
// direction and the space of admissible velocities, in the metric of M. [Blajer-Schiehlen-Schirm (23)]
//   cos^2 alpha_i = d_i^T (D M D^T)^-1 d_i / (M^-1)_ii,        d_i the i-th column of D, rows of D spanning the null
//   space of P
//   cos^2 beta_i  = c_i^T (C M^-1 C^T)^-1 c_i / (M^-1)_ii,     c_i the i-th column of C M^-1, C = P; the sum of both is 1
#pragma once

#include "bricard/types.h"

namespace bricard {

/// cos^2 alpha of every coordinate, by the cheaper of the two forms. `P` must have independent rows, M must be regular.
Vector projective_criterion(const Matrix& P, const Matrix& M);
/// Each form by itself.
Vector projective_criterion_by_freedoms(const Matrix& P, const Matrix& M);     // (23a)
Vector projective_criterion_by_constraints(const Matrix& P, const Matrix& M);  // (23b)

/// The product of cos^2 alpha of a set chosen greedily, each of its coordinates judged by what those before it leave
/// free. M must be regular.
double best_projective_product(const Matrix& P, const Matrix& M);

}  // namespace bricard
