// Which basic points and unit vectors describe a model in natural coordinates, who shares them, and which joints
// thereby need no rows.                                                                       [Jalon-Bayo, chapter 2]
// A body is an affine frame: in the plane two points, in space four points and vectors, at least one of them a point.
//   revolute: bodies share the point, in space also the axis;    spherical: the point;
//   universal: the point, and a row keeps the two axes perpendicular;    fixed: bodies share everything.
// What is shared with the ground is constant. Joints are taken as they come while the frames of both bodies have room;
// all others keep their own rows between markers, as in any coordinate set.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

struct BasicElement {
  bool is_point = true;
  Vec3 reference = Vec3::Zero();  // place or direction in the reference configuration
  int body = ground;              // one of the bodies that have it
  int first = -1;                 // its first coordinate; -1: constant
};

/// The row ((sum first x) . (sum second x) - constant)/scale over basic points and vectors x: the length of a line, the
/// unit length of a vector, or the angle between two of them.
struct RigidityRow {
  struct Term {
    int element;
    double first, second;
    auto operator<=>(const Term&) const = default;  // NOLINT(modernize-use-nullptr): of the comparison with 0
  };
  std::string name;
  std::vector<Term> terms;  // by increasing coordinates
  double constant = 0, scale = 1;
};

/// Points and vectors of a body: the first is a point. The plane uses two.
using FrameElements = std::array<int, 4>;

struct NaturalStructure {
  explicit NaturalStructure(const Model& model);

  /// Of a joint whose bodies share the point or vector, else of the body: "A.x", "A.uz", "rod.p2x".
  std::string coordinate_name(const Model& model, int coordinate) const;

  int coordinates = 0;
  std::vector<BasicElement> elements;
  std::vector<FrameElements> frames;  // by body
  std::vector<RigidityRow> rows;
  std::vector<bool> absorbed;  // by joint
};

}  // namespace bricard
