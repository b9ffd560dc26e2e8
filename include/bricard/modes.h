// Natural frequencies, damping and stability of small motions about a state:  A x = lambda x, A of linearization.h.
// Zero eigenvalues (coordinates that nothing restores, and what drifts along them) are usually defective and would come
// out as +-sqrt(rounding). They are split off first, null space by null space, by orthogonal transformations:
//   V^T A V = [N B; 0 R],  N nilpotent, R regular                                                  [Kublanovskaya 1966]
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "bricard/linearization.h"
#include "bricard/method.h"

namespace bricard {

using Complex = std::complex<double>;

struct BodyShape {
  Eigen::Vector3cd translation = Eigen::Vector3cd::Zero();  // of the centre of mass
  Eigen::Vector3cd rotation = Eigen::Vector3cd::Zero();     // about world axes
};

struct Mode {
  Complex eigenvalue;            // 1/s; of a conjugate pair the one with positive imaginary part
  double frequency = 0;          // Hz, 0 if it does not oscillate
  double damping_ratio = 0;      // -Re/|lambda|
  double time_constant = 0;      // -1/Re, s: of decay, negative of growth; infinite for neither
  std::vector<BodyShape> shape;  // by body; the largest displacement is 1 rad or 1 characteristic length
};

enum class MotionStability {
  asymptotic,  // every small disturbance decays
  marginal,    // none grows exponentially: undamped oscillations, coordinates that nothing restores
  unstable,
  unknown,  // neither an equilibrium nor a steady motion
};

struct Modes {
  bool ok = false;
  std::string failure;
  std::vector<std::string> messages;
  Linearization linear;
  Vector q, v;              // the state
  double length = 1;        // characteristic, of the shapes
  std::vector<Mode> modes;  // by frequency, then by real part; zero eigenvalues left out
  int zero_eigenvalues = 0;
  std::vector<Mode> unrestored;  // the displacements that zero eigenvalues keep: columns of a basis
  MotionStability stability = MotionStability::unknown;
  std::string verdict;
  /// If no coordinate is restored (K = 0, gear trains): those of lambda M + C, the speeds alone.
  std::vector<Complex> speed_eigenvalues;
};

struct ModesOptions {
  enum class At { start, equilibrium };  // equilibrium: at rest where find_equilibrium() finds it
  At at = At::start;
  std::vector<std::string> independent = {};        // see LinearizationOptions
  double time_limit = unset, memory_limit = unset;  // s, MB; see check_dense()
};

/// Assembles the model and linearises it. Throws InputError for independent coordinates that do not fit.
Modes find_modes(const std::shared_ptr<const Model>& model, const ModesOptions& options = {});

}  // namespace bricard
