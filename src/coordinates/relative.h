// `relative`: the coordinates of a spanning tree's joints. Velocities of bodies follow by the velocity transformation
// R, built joint by joint without factoring a Jacobian; R itself is never formed:              [Jalon-Bayo section 5.3]
//   omega' s column of a joint: its axis w;   velocity of a point r: w x (r - c) + t         (5.83), (5.84)
//   S c: accelerations with zero joint accelerations, by one recursion from the ground       (5.87), (5.88) corrected
//   M = R^T M_bodies R by composite bodies, Q by one recursion to the ground
// A tree joint is a chain of elementary links (tree_joints.h). The pose of a link is the motion since the reference
// configuration, x = c + D (x_ref - c_ref), so that no frames of joints are needed.
#pragma once

#include <memory>
#include <vector>

#include "coordinates/coordinates.h"
#include "coordinates/spanning_tree.h"

namespace bricard {

class RelativeCoordinates : public Coordinates {
 public:
  explicit RelativeCoordinates(const Model& model);

  int position_size() const override { return positions_; }
  int velocity_size() const override { return velocities_; }
  bool is_rotation(int k) const override { return links_[link_of_velocity_[k]].kind != ElementaryLink::Kind::slide; }
  bool is_length(int k) const override { return links_[link_of_position_[k]].kind == ElementaryLink::Kind::slide; }
  bool velocities_are_rates() const override { return positions_ == velocities_; }
  std::string position_name(int k) const override;
  std::string velocity_name(int k) const override;
  bool absorbs(int joint) const override { return tree_.in_tree[joint]; }
  const SpanningTree& tree() const { return tree_; }
  void from_bodies(const std::vector<BodyState>& bodies, VectorRef q, VectorRef v) const override;

  void reference(VectorRef q) const override;
  void position_rate(ConstVector q, ConstVector v, VectorRef qdot) const override;
  void velocity_from_rate(ConstVector q, ConstVector qdot, VectorRef v) const override;
  void position_acceleration(ConstVector q, ConstVector v, ConstVector vdot, VectorRef qddot) const override;
  void advance(VectorRef q, ConstVector displacement) const override;
  void difference(ConstVector q0, ConstVector q1, VectorRef displacement) const override;

  void update_positions(ConstVector q, Markers& markers) override;
  void update_velocities(ConstVector q, ConstVector v, Markers& markers) override;
  Vec3 center(int body) const override { return bodies_[body].center; }
  Mat3 frame(int body) const override { return bodies_[body].A; }
  bool knows_bodies() const override { return true; }
  Vec3 velocity(int body) const override { return bodies_[body].velocity; }
  Vec3 omega(int body) const override { return bodies_[body].omega; }
  Vec3 bias(int body) const override { return bodies_[body].bias; }
  Vec3 omega_bias(int body) const override { return bodies_[body].omega_bias; }
  void add_weights(VectorRef Q) const override;

  void columns(const Marker& marker, std::vector<int>& columns) const override;
  void scatter(const Markers& markers, const std::vector<GradientEntry>& entries, const std::vector<Vec3>& gradients,
               const std::vector<int>& slots, double* values) const override;
  void scatter(const Markers& markers, const std::vector<Load>& loads, VectorRef Q) const override;
  void add_momentum_rates(ConstVector q, ConstVector v, const Markers& markers, const std::vector<Load>& impulses,
                          const std::vector<Vec3>& rates, VectorRef Q) const override;

  void mass_pattern(std::vector<Eigen::Triplet<double>>& pattern) const override;
  void bind_mass(const SparseColumns& M) override;
  void mass(double* M_values) const override;
  const SpanningTree* spanning_tree() const override { return &tree_; }
  double kinetic_energy() const override;
  void inertia_forces(VectorRef Q) const override;

 private:
  using Kind = ElementaryLink::Kind;
  /// Joint, or body that floats, and what the link's one coordinate is called: {"A", "angle2"}; of a ball nothing.
  std::pair<std::string, std::string> name_of(int link) const;

  struct Link : ElementaryLink {
    int parent = -1;  // link; -1: the ground
    int position = 0, velocity = 0;
    // Now, in the world: c the place, D the rotation since the reference, w and t the axes of its velocities.
    Vec3 c = Vec3::Zero(), w = Vec3::Zero(), t = Vec3::Zero();
    Mat3 D = Mat3::Identity();
    double turn = 0;                                      // planar: angle since the reference
    Vec3 v = Vec3::Zero(), omega = Vec3::Zero();          // of the link, at c
    Vec3 bias = Vec3::Zero(), omega_bias = Vec3::Zero();  // accelerations with zero joint accelerations
  };
  struct BodyFrame {
    int link = -1;
    double mass = 0;
    Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), omega = Vec3::Zero();
    Vec3 bias = Vec3::Zero(), omega_bias = Vec3::Zero();
    Mat3 A = Mat3::Identity();
  };
  struct Wrench {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  };
  struct Composite {
    double mass = 0;
    Vec3 center = Vec3::Zero();
    Mat3 J = Mat3::Zero();  // about the centre
    void add(double other_mass, const Vec3& other_center, const Mat3& other_J);
  };

  /// Axis about which a velocity of a link turns it.
  Vec3 turning_axis(const Link& link, int k) const {
    if (link.kind != Kind::ball) return link.w;
    return link.parent < 0 ? Vec3(Vec3::Unit(k)) : Vec3(links_[link.parent].D.col(k));
  }
  /// J of a body about its centre, in world axes.
  Mat3 inertia(int body) const { return bodies_[body].A * model_.bodies[body].inertia * bodies_[body].A.transpose(); }
  void clear_wrenches() const;
  void add_wrench(int body, const Vec3& force, const Vec3& moment_about_center) const;
  /// Q += R^T of the wrenches.
  void sweep_wrenches(VectorRef Q) const;
  void from_edge(const TreeEdge& edge, int first, const BodyState& parent, const BodyState& child, VectorRef q,
                 VectorRef v) const;

  const Model& model_;
  SpanningTree tree_;
  int positions_ = 0, velocities_ = 0;
  std::vector<Link> links_;  // parents before children
  std::vector<int> link_of_velocity_, link_of_position_;
  std::vector<int> first_link_;  // of each edge
  std::vector<BodyFrame> bodies_;
  std::vector<int> mass_slots_;  // two a pair, in the order of mass()
  mutable std::vector<Wrench> wrenches_, wrench_rates_;
  mutable std::vector<Composite> composites_;
};

}  // namespace bricard
