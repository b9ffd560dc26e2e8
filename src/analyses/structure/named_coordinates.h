// Joint coordinates and angles of planar bodies as coordinates of a whole mechanism: their rates G v, and the part of
// their second derivatives that is free of v'.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

class NamedCoordinates {
 public:
  NamedCoordinates() = default;
  /// "joint" (its first coordinate), "joint.angle2", or "body.angle" in planar models. Throws InputError for names that
  /// do not exist or come twice.
  NamedCoordinates(const System& system, const std::vector<std::string>& names);

  int size() const { return static_cast<int>(found_.size()); }
  /// Full names.
  const std::vector<std::string>& names() const { return names_; }

  // --- after evaluate(.., Upto::velocities, ..) ---
  Matrix gradients(const System& system) const;
  void rates(const System& system, ConstVector v, VectorRef values) const;
  void biases(const System& system, VectorRef values) const;

 private:
  struct Found {
    int signal = -1;    // of a joint coordinate
    int velocity = -1;  // of a body's angle
  };
  std::vector<std::string> names_;
  std::vector<Found> found_;
};

}  // namespace bricard
