// Joint reactions as physical components, forces and moments at the joints, found from the accelerations instead of
// from multipliers.                                                                [Blajer-Schiehlen-Schirm, section 5]
//   M v' = h + B^T f,   B^T the distribution matrix of the components f that the joints can transmit
//   (35)  f = (B M^-1 B^T)^-1 B (s - M^-1 h),   s any solution of P s = gamma
//   (37)  [f; 0] = ([B; D M]^T)^-1 (M v' - h),  rows of D spanning the null space of P
//   (38)  B^T f = M v' - h by least squares; where f is not unique, the one of least norm
//         or by Gauss elimination on independent rows; where f is not unique, what depends on other components is zero
// The norm is unit-safe: forces count as they are, moments divided by a length (Method::reaction_length).
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

enum class ReactionScheme { multipliers, blajer_35, blajer_37, blajer_38, blajer_38_gauss };

struct ReactionSchemeType {
  const char* name;
  const char* description;
  const char* source;
  ReactionScheme scheme;
  bool redundant_rows, singular_mass;  // what it takes
};
const std::vector<ReactionSchemeType>& reaction_scheme_types();
const ReactionSchemeType* find_reaction_scheme_type(const std::string& name);

/// The matrix B^T. Joints with a reaction have the components that they can
/// transmit, everything else (drives, gears, expressions, the coordinates' own
/// rows) its multipliers.
struct ReactionDistribution {
  struct JointBasis {
    int joint;
    int first, count;                                     // columns of B^T
    Eigen::Matrix<double, 6, Eigen::Dynamic> directions;  // orthonormal; moments divided by the length
  };
  std::vector<JointBasis> bases;
  Matrix Bt;

  /// At the instant at which the system was evaluated last.
  void find(const System& system, const Equations& equations, double length) {
    Bt = Matrix(find_sparse(system, equations, length));
  }
  /// The same without a dense matrix: `bases` are set, B^T is returned.
  SparseColumns find_sparse(const System& system, const Equations& equations, double length);
};

/// What brings the rows of B^T to one unit, by the length by which moments are divided.
Vector row_scale_of(const System& system, double length);

class PhysicalReactions {
 public:
  /// `length`: by which moments are divided in the norm; 0: the model's characteristic length.
  PhysicalReactions(const System& system, ReactionScheme scheme, double length = 0)
      : system_(system), scheme_(scheme), length_(length > 0 ? length : system.model().characteristic_length()) {}

  /// Finds the reactions at the instant at which the system was evaluated last; Q with friction. `lambda` serves the
  /// scheme `multipliers` and the rows that are not joints'.
  void find(const Equations& equations, ConstVector Q, ConstVector vdot, ConstVector lambda);
  const Reaction& of_joint(int joint) const { return reactions_[joint]; }

 private:
  const System& system_;
  ReactionScheme scheme_;
  double length_;
  ReactionDistribution distribution_;
  std::vector<Reaction> reactions_;
};

}  // namespace bricard
