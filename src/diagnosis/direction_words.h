// Directions of forces and moments in words that an engineer would use.
#pragma once

#include <string>

#include "system/system.h"

namespace bricard {

/// "z force", "forces normal to its axis", "moment about (0.6, 0.8, 0)", "force along crank": what an orthonormal set
/// of directions spans, for a joint at the last evaluation of the system. `noun`: force or moment.
class DirectionWords {
 public:
  /// The system evaluated at the position of which the words tell.
  explicit DirectionWords(const System& system);
  std::string operator()(int joint, const Matrix& directions, const std::string& noun) const;

 private:
  std::string line_of_body(int joint, const Vec3& direction) const;

  const System& system_;
  const double length_;
  std::vector<std::vector<int>> joints_;  // with a reaction, of each body
  std::vector<Vec3> places_;              // of the joints' reactions
};

/// "x", or "(0.6, 0.8, 0)", the same for a direction and its opposite.
std::string vector_words(const Vec3& direction, bool planar);

/// "A", "A and B", "A, B and C"
std::string listed(const std::vector<std::string>& names);

}  // namespace bricard
