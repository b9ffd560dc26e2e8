// Markers: points and unit vectors fixed to bodies, and bodies' rotations. Joints and forces see nothing else of a
// mechanism. A coordinate set fills value, rate and bias; the chain rule with their derivatives is
// Coordinates::scatter.
#pragma once

#include <vector>

#include "bricard/model.h"

namespace bricard {

enum class MarkerKind : unsigned char {
  point,     // value r, rate r'
  vector,    // value u, rate u'
  rotation,  // no value; rate is the angular velocity; a gradient on it is a moment
};

struct Marker {
  int body = ground;
  MarkerKind kind = MarkerKind::point;
  Vec3 local = Vec3::Zero();  // body frame; the world for the ground
};

class Markers {
 public:
  explicit Markers(const Model& model);

  /// Number of the marker at that place (direction) of the reference configuration; equal markers are shared.
  int point(int body, const Vec3& place);
  int vector(int body, const Vec3& direction);
  int rotation(int body);

  /// Gives back memory after the last marker.
  void finish();
  int size() const { return static_cast<int>(list.size()); }

  std::vector<Marker> list;
  std::vector<Vec3> value;  // world frame
  std::vector<Vec3> rate;   // time derivative of value
  std::vector<Vec3> bias;   // second time derivative of value while the velocity coordinates are constant

  /// Markers that the coordinates evaluate: all, unless a caller exchanges the list. Sets of free bodies and of trees
  /// look here.
  std::vector<int> active;

  /// Rotation of each body since the reference configuration, over full turns, where the coordinates know it (the
  /// plane).
  std::vector<double> turn;
  bool counts_turns = false;
  double turn_of(int marker) const { return list[marker].body == ground ? 0 : turn[list[marker].body]; }

 private:
  int add(int body, MarkerKind kind, const Vec3& local);

  const Model* model_;
  std::vector<std::vector<int>> of_body_;  // until finish()
};

}  // namespace bricard
