// Dynamics of a tree of bodies in time linear in its size, without forming anything of the equations of motion:
// articulated bodies.                                                             [Featherstone 2008, section 7.3]
//   outwards: frames, velocities, and the accelerations that bodies have while the joint accelerations are zero
//   inwards:  I of a link = its bodies' and its children's Ia,   D = S^T I S,   V = I S D^-1/2,   Ia = I - V V^T
//             p = wrench of those accelerations,   z = D^-1/2 (Q - S^T p),   p of the parent += X^T (p + V z)
//   outwards: a' = X a of the parent,   v' = D^-1/2 (z - V^T a'),   a = a' + S v'
// The way inwards is W and the way back W^T of M^-1 = W^T W: rows P of closed loops have
//   P M^-1 P^T = Z^T Z,   Z = W P^T,
// and a column of Z is zero but for the joints between the ground and the bodies that the row joins.
// Vectors are in world axes about each link's own place: shifting inertias takes no rotation, and the distance from
// the world's origin costs no digits. Gravity is an acceleration of the ground. A body fixed to another is part of it.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "coordinates/spanning_tree.h"
#include "linear/simd/loose_vector.h"

namespace bricard {

/// How a link moves while the joint accelerations are zero, at its place and in world axes; its frame is that of
/// TreeDynamics, not of a body.
struct LinkMotion {
  Mat3 frame = Mat3::Identity();
  Vec3 place = Vec3::Zero(), velocity = Vec3::Zero(), omega = Vec3::Zero();
  Vec3 acceleration = Vec3::Zero(), angular_acceleration = Vec3::Zero();
};

/// The same in the plane, where there are no angular accelerations without those of joints.
struct PlanarLinkMotion {
  double cosine = 1, sine = 0;
  double place[2] = {0, 0}, velocity[2] = {0, 0}, omega = 0;
  double acceleration[2] = {0, 0};
};

/// Numbers of a strand's rows, which are worked on at once: those of vector registers.
inline constexpr int strand_width(int rows) { return rows <= 2 ? 2 : rows <= 4 ? 4 : 8; }
/// As many numbers (of eight: half of them); they lie where the next double may.
template <int Width>
struct Strand;
template <>
struct Strand<2> {
  BRICARD_LOOSE_VECTOR(Lanes, double, 16);
};
template <>
struct Strand<4> {
  BRICARD_LOOSE_VECTOR(Lanes, double, 32);
};

/// Rows of a loop on the way of their wrenches inwards: those of unit multipliers on the first link, at its place,
/// moments (1 or 3) then forces (2 or 3), each of `width` numbers, are carried along links, child after child. Z gets
/// as many numbers for each velocity. Where the ways from both ends of the loop meet, at a link that is not the ground,
/// what is left of the wrenches is summed up and carried on by a third strand.
struct StrandPath {
  int links = 0, links_end = 0;  // in a list of links
  int width = 0;                 // strand_width of the rows
  int wrenches = 0, Z = 0;       // offsets
  int trunk = -1;                // offset of the wrenches to which what is left is added; -1: nowhere
  bool is_first = false;         // of the two that end there
};

/// Calls carry(width as a constant, links, wrenches, Z, where what is left goes or null, is it the first there).
template <int Most, class Carry>
inline void each_strand(std::span<const StrandPath> strands, const int* links, double* wrenches, double* Z,
                        const Carry& carry) {
  for (const StrandPath& strand : strands) {
    const std::span<const int> path(links + strand.links, links + strand.links_end);
    double* const left = strand.trunk < 0 ? nullptr : wrenches + strand.trunk;
    const auto call = [&](auto width) {
      carry(width, path, wrenches + strand.wrenches, Z + strand.Z, left, strand.is_first);
    };
    if (strand.width == 2) {
      call(std::integral_constant<int, 2>());
    } else if (Most == 4 || strand.width == 4) {  // NOLINT(bugprone-branch-clone): another width
      call(std::integral_constant<int, 4>());
    } else {
      call(std::integral_constant<int, Most>());
    }
  }
}

class TreeDynamics {
 public:
  virtual ~TreeDynamics() = default;

  // --- outwards ---
  /// Puts the tree at q, in the order of RelativeCoordinates.
  virtual void place(const double* q) = 0;
  /// Puts it at (q, v) and gives q'.
  virtual void move(const double* q, const double* v, double* qdot) = 0;

  /// After place() or move(): finds the places of all links in the world, and after move() their velocities.
  virtual void locate() = 0;
  /// Place and velocity are those of the last locate().
  virtual LinkMotion motion_of(int link) const = 0;
  /// Of many links; in the plane only.
  virtual void motions_of(std::span<const int> links, PlanarLinkMotion* motions) const { (void)links, (void)motions; }

  // --- inwards, one of them once after place() or move(); false if a joint moves no inertia ---
  virtual bool factorize() = 0;
  /// After move(): also z = W (Q - inertia and weight); Q null: none.
  virtual bool factorize(const double* Q, double* z) = 0;

  // --- then ---
  /// After move() to the q of the last factorize(): z = W (Q - inertia and weight) alone.
  virtual void reduce_motion(const double* Q, double* z) = 0;
  /// x := W x
  virtual void reduce(double* x) = 0;
  /// The same for an x that is zero except in the links of a path, which has the parents of all its links, parents
  /// first. `x` has the velocities of those links only.
  virtual void reduce(std::span<const int> path, double* x) = 0;
  /// Columns of Z of rows that close loops (StrandPath).
  virtual void reduce_strands(std::span<const StrandPath> strands, const int* links, double* wrenches,
                              double* Z) const = 0;
  /// x := W^T x
  virtual void restore(double* x) = 0;
  /// Link of each velocity coordinate, as paths name them.
  virtual int link_of(int velocity) const = 0;

  /// After move(): kinetic energy and that of weights.
  virtual double energy() = 0;
};

std::unique_ptr<TreeDynamics> create_planar_tree_dynamics(const Model& model, const SpanningTree& tree);
std::unique_ptr<TreeDynamics> create_spatial_tree_dynamics(const Model& model, const SpanningTree& tree);

inline std::unique_ptr<TreeDynamics> create_tree_dynamics(const Model& model, const SpanningTree& tree) {
  return model.planar() ? create_planar_tree_dynamics(model, tree) : create_spatial_tree_dynamics(model, tree);
}

/// A pivot below this part of the inertia that it comes from is rounding: the direction has no inertia.
inline constexpr double no_inertia = 1e-13;

/// Rigid bodies that move as one, in the reference configuration.
struct RigidGroup {
  double mass = 0;
  Vec3 first_moment = Vec3::Zero();  // sum of mass times centre
  Mat3 J = Mat3::Zero();             // about `place`
  Vec3 place = Vec3::Zero();
  void add(const Body& body);
};

/// The elementary links of a tree in the order of RelativeCoordinates, from 1; 0 is the ground.
struct TreeLinks {
  struct Entry {
    ElementaryLink link;
    int parent = 0;
    RigidGroup bodies;
  };
  TreeLinks(const Model& model, const SpanningTree& tree);
  std::vector<Entry> list;
  std::vector<int> link_of_body;
};

}  // namespace bricard
