// A coordinate set: position coordinates q, velocity coordinates v with q' = N(q) v, and everything that depends on
// their choice: markers with their derivatives, inertia, and rows of its own (such as p'p = 1).
#pragma once

#include <Eigen/Sparse>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bricard/body_state.h"
#include "coordinates/markers.h"
#include "linear/sparse.h"

namespace bricard {

struct SpanningTree;

/// The gradient of one constraint row with respect to one marker. Its values change, its place does not.
struct GradientEntry {
  int row = 0;
  int marker = 0;
};

/// A force on a point, a moment on a rotation, or the generalised force on a vector.
struct Load {
  int marker = 0;
  Vec3 value = Vec3::Zero();
};

class Coordinates {
 public:
  virtual ~Coordinates() = default;

  virtual int position_size() const = 0;
  virtual int velocity_size() const = 0;
  /// True for velocity coordinates that turn a body: their inertia is kg m^2, their corrections are radians.
  virtual bool is_rotation(int velocity_index) const = 0;
  /// True for position coordinates that are lengths.
  virtual bool is_length(int position_index) const = 0;
  /// "crank.x", "crank.vx", "A.angle", "A.angle'": as columns of results where there are such.
  virtual std::string position_name(int position_index) const = 0;
  virtual std::string velocity_name(int velocity_index) const = 0;
  /// True if the velocity coordinates are q', as the canonical formulations need.
  virtual bool velocities_are_rates() const = 0;
  /// True if they are the bodies' twists (body_twists.h).
  virtual bool velocities_are_twists() const { return false; }

  // --- joints that the coordinates satisfy by themselves ---
  /// True if the joint needs no rows.
  virtual bool absorbs(int joint) const {
    (void)joint;
    return false;
  }
  /// q and v of an assembled mechanism.
  virtual void from_bodies(const std::vector<BodyState>& bodies, VectorRef q, VectorRef v) const = 0;

  // --- positions as a manifold ---
  /// q of the model's reference configuration.
  virtual void reference(VectorRef q) const = 0;
  /// Puts one body somewhere; not of sets that absorb joints.
  virtual void place_body(int body, const Vec3& center, const Quaternion& orientation, double angle,
                          VectorRef q) const {
    (void)body, (void)center, (void)orientation, (void)angle, (void)q;
  }
  /// q' = N(q) v
  virtual void position_rate(ConstVector q, ConstVector v, VectorRef qdot) const = 0;
  /// v from q' (the inverse of position_rate for a q' that is tangent).
  virtual void velocity_from_rate(ConstVector q, ConstVector qdot, VectorRef v) const = 0;
  /// q'' = N(q) v' + N'(q, v) v
  virtual void position_acceleration(ConstVector q, ConstVector v, ConstVector vdot, VectorRef qddot) const = 0;
  /// Moves q by a small displacement given in velocity coordinates.
  virtual void advance(VectorRef q, ConstVector displacement) const = 0;
  /// The displacement in velocity coordinates that leads from q0 to q1 (exact to first order).
  virtual void difference(ConstVector q0, ConstVector q1, VectorRef displacement) const = 0;
  /// Changes to an equivalent description if this one is near a singularity of its own; true if (q, v) have changed.
  virtual bool rebase(VectorRef q, VectorRef v) {
    (void)q, (void)v;
    return false;
  }

  // --- kinematics: fills the markers' values, then rates and biases ---
  virtual void update_positions(ConstVector q, Markers& markers) = 0;
  virtual void update_velocities(ConstVector q, ConstVector v, Markers& markers) = 0;
  /// Frame of a body after update_positions(): centre of mass and rotation matrix.
  virtual Vec3 center(int body) const = 0;
  virtual Mat3 frame(int body) const = 0;
  /// Sets that keep the motions of whole bodies tell them after update_velocities(); for others markers do.
  virtual bool knows_bodies() const { return false; }
  virtual Vec3 velocity(int body) const { return (void)body, Vec3::Zero(); }  // of the centre of mass
  virtual Vec3 omega(int body) const { return (void)body, Vec3::Zero(); }
  /// Accelerations while the velocity coordinates are constant.
  virtual Vec3 bias(int body) const { return (void)body, Vec3::Zero(); }
  virtual Vec3 omega_bias(int body) const { return (void)body, Vec3::Zero(); }
  /// Q += weights of the bodies; of sets that know them.
  virtual void add_weights(VectorRef Q) const { (void)Q; }

  // --- chain rule ---
  /// Velocity coordinates on which a marker depends, in the order that scatter() uses.
  virtual void columns(const Marker& marker, std::vector<int>& columns) const = 0;
  /// values[slots[..]] += gradient^T d(marker)/dv, entry by entry; each entry has one slot a column of its marker.
  virtual void scatter(const Markers& markers, const std::vector<GradientEntry>& entries,
                       const std::vector<Vec3>& gradients, const std::vector<int>& slots, double* values) const = 0;
  /// Q += (d marker/dv)^T load
  virtual void scatter(const Markers& markers, const std::vector<Load>& loads, VectorRef Q) const = 0;
  /// Rates of generalised momenta along the motion; update_velocities() before. With the derivatives J of markers and R
  /// of bodies' velocities by v, and the bodies' momenta H = M_bodies R v,
  ///   Q += (J^T f)' + R'^T H      for impulses f on markers and their rates,
  /// M v being R^T H. What is left out, R^T H' = R^T (M_bodies R v)' with v held, is minus inertia_forces(): so
  /// Q + M' v is R'^T H and the applied forces.
  virtual void add_momentum_rates(ConstVector q, ConstVector v, const Markers& markers,
                                  const std::vector<Load>& impulses, const std::vector<Vec3>& rates,
                                  VectorRef Q) const = 0;

  // --- inertia ---
  /// Positions (row, column) of the mass matrix that may be non-zero; both triangles.
  virtual void mass_pattern(std::vector<Eigen::Triplet<double>>& pattern) const = 0;
  /// Finds the places of its entries in a matrix of that pattern, once.
  virtual void bind_mass(const SparseColumns& M) = 0;
  /// Fills M; update_positions() before.
  virtual void mass(double* M_values) const = 0;
  /// The tree of the bodies whose joints are the coordinates; null where there is none.
  virtual const SpanningTree* spanning_tree() const { return nullptr; }
  /// update_velocities() before.
  virtual double kinetic_energy() const = 0;
  /// Q += velocity-dependent inertia terms; update_velocities() before.
  virtual void inertia_forces(VectorRef Q) const = 0;

  // --- rows of its own ---
  virtual int own_rows() const { return 0; }
  virtual std::string own_row_name(int row) const {
    (void)row;
    return {};
  }
  virtual void own_row_columns(int row, std::vector<int>& columns) const { (void)row, (void)columns; }
  /// Value, rate, right-hand side and Jacobian values (in the order of own_row_columns) of one row.
  virtual void own_row(int row, ConstVector q, ConstVector v, double& Phi, double& Phi_dot, double& gamma,
                       double* values) const {
    (void)row, (void)q, (void)v, (void)Phi, (void)Phi_dot, (void)gamma, (void)values;
  }
  /// Q += P'^T sigma of these rows along the motion.
  virtual void add_own_row_rates(ConstVector q, ConstVector v, ConstVector sigma, VectorRef Q) const {
    (void)q, (void)v, (void)sigma, (void)Q;
  }
};

struct CoordinatesType {
  const char* name;
  const char* description;
  const char* source;
  bool planar, spatial;  // dimensions in which the set exists
  bool singular_mass;    // M is singular by construction
  bool absorbs_joints = false;
  /// Why a model cannot be described, naming the joint; empty if it can. Null: every model can.
  std::string (*misfit)(const Model& model) = nullptr;
  std::unique_ptr<Coordinates> (*create)(const Model& model);
};

/// All coordinate sets, in the order of coordinates.def.
const std::deque<CoordinatesType>& coordinates_types();
const CoordinatesType* find_coordinates_type(const std::string& name);

}  // namespace bricard
