// `ida` by a canonical form: backward differentiation of order 1 to 5 on the canonical equations with the constraints beside them
//                                                                             [Jalon-Bayo (5.97)-(5.98), section 5.4.1]
// in three forms, with h(q, q') = Q + M' q':
//   positions:   M q' + P^T sigma = p,   p' = h + P'^T sigma,   Phi = 0         unknown (q, p, sigma), index 2
//   velocities:  M q' = p,               p' = h - P^T lambda,   P q' + Phi_t = 0        (q, p, lambda), index 2
//   index-3:     M q' = p,               p' = h - P^T lambda,   Phi = 0                 (q, p, lambda), index 3
// The book prints the last and says that its index is two. It is three, as that of the accelerations: two
// differentiations of Phi = 0 until lambda appears. Integrating lambda once (sigma), or differentiating Phi once, makes
// two of it: positions keep Phi to the tolerance, velocities let it drift.
// Multipliers are algebraic, not in the error test, and of a tolerance that leaves them out of Newton's too; of
// redundant rows an independent set is integrated. States are reported as they are, off the constraints.
#pragma once

#include <memory>
#include <string>

#include "integrators/integrator.h"

namespace bricard::integrators {

bool is_canonical_form_of_ida(const std::string& form);

/// For coordinates whose velocities are q', without friction that depends on loads.
std::unique_ptr<Integrator> create_ida_canonical(System& system, const IntegratorOptions& options);

}  // namespace bricard::integrators
