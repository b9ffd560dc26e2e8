#include "coordinates/relative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "coordinates/unit_quaternion.h"

namespace bricard {

RelativeCoordinates::RelativeCoordinates(const Model& model)
    : model_(model), tree_(choose_tree(model)), bodies_(model.bodies.size()) {
  for (const TreeEdge& edge : tree_.edges) {
    int parent = edge.parent == ground ? -1 : bodies_[edge.parent].link;
    first_link_.push_back(static_cast<int>(links_.size()));
    for (const ElementaryLink& elementary : edge.links) {
      Link link;
      static_cast<ElementaryLink&>(link) = elementary;
      link.parent = parent;
      link.position = positions_;
      link.velocity = velocities_;
      parent = static_cast<int>(links_.size());
      link_of_position_.insert(link_of_position_.end(), link.positions(), parent);
      link_of_velocity_.insert(link_of_velocity_.end(), link.velocities(), parent);
      positions_ += link.positions();
      velocities_ += link.velocities();
      links_.push_back(link);
    }
    bodies_[edge.body].link = parent;
    bodies_[edge.body].mass = model.bodies[edge.body].mass;
  }
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(tree_.edges, links_, link_of_position_, link_of_velocity_, first_link_);
  wrenches_.resize(links_.size());
  wrench_rates_.resize(links_.size());
}

// --- names ---

std::pair<std::string, std::string> RelativeCoordinates::name_of(int link) const {
  const auto after = std::upper_bound(first_link_.begin(), first_link_.end(), link);
  const auto e = static_cast<std::size_t>(after - first_link_.begin()) - 1;
  const TreeEdge& edge = tree_.edges[e];
  const int k = link - first_link_[e];
  if (links_[link].kind == Kind::ball)
    return {edge.joint < 0 ? model_.bodies[edge.body].name : model_.joints[edge.joint].name, ""};
  if (edge.joint < 0)
    return {model_.bodies[edge.body].name, k < (model_.planar() ? 2 : 3) ? std::string(1, "xyz"[k]) : "angle"};
  const Joint& joint = model_.joints[edge.joint];
  // The joint's coordinates of this kind, in the order of its links.
  const bool slides = links_[link].kind == Kind::slide;
  int before = 0;
  for (int other = first_link_[e]; other < link; ++other) before += (links_[other].kind == Kind::slide) == slides;
  for (const std::string& name : coordinate_names(type_of(joint), model_.dimension)) {
    if (name.starts_with(slides ? "position" : "angle") && before-- == 0) return {joint.name, name};
  }
  return {joint.name, (slides ? "slide" : "turn") + std::to_string(k + 1)};
}

std::string RelativeCoordinates::position_name(int k) const {
  const int link = link_of_position_[k];
  const auto [owner, name] = name_of(link);
  static constexpr const char* quaternion[] = {"qw", "qx", "qy", "qz"};
  return owner + '.' + (name.empty() ? quaternion[k - links_[link].position] : name);
}

std::string RelativeCoordinates::velocity_name(int k) const {
  const int link = link_of_velocity_[k];
  const auto [owner, name] = name_of(link);
  static constexpr const char* omega[] = {"wx", "wy", "wz"};
  return owner + '.' + (name.empty() ? omega[k - links_[link].velocity] : name + '\'');
}

// --- positions as a manifold ---

void RelativeCoordinates::reference(VectorRef q) const {
  q.setZero();
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) q[link.position] = 1;
  }
}

void RelativeCoordinates::position_rate(ConstVector q, ConstVector v, VectorRef qdot) const {
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) {
      unit_quaternion::rate(q.data() + link.position, v.data() + link.velocity, qdot.data() + link.position);
    } else {
      qdot[link.position] = v[link.velocity];
    }
  }
}

void RelativeCoordinates::velocity_from_rate(ConstVector q, ConstVector qdot, VectorRef v) const {
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) {
      unit_quaternion::velocity(q.data() + link.position, qdot.data() + link.position, v.data() + link.velocity);
    } else {
      v[link.velocity] = qdot[link.position];
    }
  }
}

void RelativeCoordinates::position_acceleration(ConstVector q, ConstVector v, ConstVector vdot, VectorRef qddot) const {
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) {
      unit_quaternion::acceleration(q.data() + link.position, v.data() + link.velocity, vdot.data() + link.velocity,
                                    qddot.data() + link.position);
    } else {
      qddot[link.position] = vdot[link.velocity];
    }
  }
}

void RelativeCoordinates::advance(VectorRef q, ConstVector displacement) const {
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) {
      unit_quaternion::advance(q.data() + link.position, displacement.data() + link.velocity);
    } else {
      q[link.position] += displacement[link.velocity];
    }
  }
}

void RelativeCoordinates::difference(ConstVector q0, ConstVector q1, VectorRef displacement) const {
  for (const Link& link : links_) {
    if (link.kind == Kind::ball) {
      unit_quaternion::difference(q0.data() + link.position, q1.data() + link.position,
                                  displacement.data() + link.velocity);
    } else {
      displacement[link.velocity] = q1[link.position] - q0[link.position];
    }
  }
}

// --- kinematics ---

void RelativeCoordinates::update_positions(ConstVector q, Markers& markers) {
  for (Link& link : links_) {
    const double x = q[link.position];
    Vec3 c = link.place;  // where the parent has carried the place
    link.turn = 0;
    Mat3 parent_D = Mat3::Identity();
    if (link.parent >= 0) {
      const Link& parent = links_[link.parent];
      c = parent.c + parent.D * (link.place - parent.place);
      parent_D = parent.D;
      link.turn = parent.turn;
    }
    const Vec3 axis = parent_D * link.direction;
    switch (link.kind) {
      case Kind::turn:
        link.w = axis;
        link.D = parent_D * Eigen::AngleAxisd(x, link.direction).toRotationMatrix();
        link.turn += x;
        break;
      case Kind::slide:
        link.t = axis;
        link.D = parent_D;
        c += x * axis;
        break;
      case Kind::screw:
        link.w = axis;
        link.t = link.advance * axis;
        link.D = parent_D * Eigen::AngleAxisd(x, link.direction).toRotationMatrix();
        c += x * link.t;
        break;
      case Kind::ball:
        link.D = parent_D * unit_quaternion::read(q.data() + link.position).normalized().toRotationMatrix();
        break;
    }
    link.c = c;
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    BodyFrame& body = bodies_[b];
    const Body& given = model_.bodies[b];
    body.center = given.center;
    body.A = given.orientation.toRotationMatrix();
    if (body.link >= 0) {
      const Link& link = links_[body.link];
      body.center = link.c + link.D * (given.center - link.place);
      body.A = link.D * body.A;
      markers.turn[b] = link.turn;
    }
  }
  for (int k : markers.active) {
    const Marker& m = markers.list[k];
    if (m.body == ground) continue;
    const BodyFrame& body = bodies_[m.body];
    if (m.kind == MarkerKind::point) {
      markers.value[k] = body.center + body.A * m.local;
    } else if (m.kind == MarkerKind::vector) {
      markers.value[k] = body.A * m.local;
    }
  }
}

void RelativeCoordinates::update_velocities(ConstVector, ConstVector v, Markers& markers) {
  for (Link& link : links_) {
    Vec3 turning = Vec3::Zero(), sliding = Vec3::Zero();
    for (int k = 0; k < link.velocities(); ++k) turning += v[link.velocity + k] * turning_axis(link, k);
    sliding = v[link.velocity] * link.t;
    link.omega = turning;
    link.v = sliding;
    link.bias = link.omega_bias = Vec3::Zero();
    if (link.parent < 0) continue;
    const Link& parent = links_[link.parent];
    const Vec3 lever = link.c - parent.c, carried = parent.omega.cross(lever);
    link.omega += parent.omega;
    link.v += parent.v + carried;
    // The axes are carried by the parent; a sliding place feels the Coriolis acceleration.
    link.omega_bias = parent.omega_bias + parent.omega.cross(turning);
    link.bias = parent.bias + parent.omega_bias.cross(lever) + parent.omega.cross(carried + 2 * sliding);
  }
  for (BodyFrame& body : bodies_) {
    if (body.link < 0) continue;
    const Link& link = links_[body.link];
    const Vec3 lever = body.center - link.c, carried = link.omega.cross(lever);
    body.omega = link.omega;
    body.omega_bias = link.omega_bias;
    body.velocity = link.v + carried;
    body.bias = link.bias + link.omega_bias.cross(lever) + link.omega.cross(carried);
  }
  for (int k : markers.active) {
    const Marker& m = markers.list[k];
    if (m.body == ground) continue;
    const BodyFrame& body = bodies_[m.body];
    if (m.kind == MarkerKind::rotation) {
      markers.rate[k] = body.omega;
      markers.bias[k] = body.omega_bias;
      continue;
    }
    const bool point = m.kind == MarkerKind::point;
    const Vec3 lever = point ? Vec3(markers.value[k] - body.center) : markers.value[k];
    const Vec3 carried = body.omega.cross(lever);
    markers.rate[k] = carried;
    markers.bias[k] = body.omega_bias.cross(lever) + body.omega.cross(carried);
    if (point) markers.rate[k] += body.velocity, markers.bias[k] += body.bias;
  }
}

// --- chain rule ---

void RelativeCoordinates::columns(const Marker& marker, std::vector<int>& columns) const {
  columns.clear();
  if (marker.body == ground) return;
  for (int k = bodies_[marker.body].link; k >= 0; k = links_[k].parent) {
    for (int c = 0; c < links_[k].velocities(); ++c) columns.push_back(links_[k].velocity + c);
  }
}

// What a loop's joint does to the joints that carry all of the loop, or that allow nothing else, cancels. Rounding
// errors would be left of it, and rows made of nothing else would count as constraints: they are removed, row by row.
void RelativeCoordinates::scatter(const Markers& markers, const std::vector<GradientEntry>& entries,
                                  const std::vector<Vec3>& gradients, const std::vector<int>& slots,
                                  double* values) const {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const int* slot = slots.data();
  for (std::size_t e = 0; e < entries.size();) {
    const int row = entries[e].row;
    const int* const first_slot = slot;
    const std::size_t first = e;
    double turning = 0, sliding = 0;  // sizes of what is added up for joints that turn, and that slide
    for (; e < entries.size() && entries[e].row == row; ++e) {
      const Marker& m = markers.list[entries[e].marker];
      if (m.body == ground) continue;
      const Vec3& g = gradients[e];
      const Vec3& value = markers.value[entries[e].marker];
      const bool point = m.kind == MarkerKind::point;
      const Vec3 couple = m.kind == MarkerKind::vector ? Vec3(value.cross(g)) : g;
      // A place near the origin may be the difference of large numbers.
      const double g_norm = g.norm(), reach = point ? bodies_[m.body].center.norm() + m.local.norm() : 1;
      for (int k = bodies_[m.body].link; k >= 0; k = links_[k].parent) {
        const Link& link = links_[k];
        const Vec3 moment = point ? Vec3((value - link.c).cross(g)) : couple;
        turning = std::max(turning, g_norm * (point ? reach + link.c.norm() : reach));
        if (point) sliding = std::max(sliding, g_norm * link.t.norm());
        for (int c = 0; c < link.velocities(); ++c)
          values[*slot++] += turning_axis(link, c).dot(moment) + (point ? link.t.dot(g) : 0);
      }
    }
    const int* s = first_slot;
    for (std::size_t k = first; k < e; ++k) {
      const Marker& m = markers.list[entries[k].marker];
      for (int l = m.body == ground ? -1 : bodies_[m.body].link; l >= 0; l = links_[l].parent) {
        const double size = links_[l].kind == Kind::slide ? sliding : turning;
        for (int c = 0; c < links_[l].velocities(); ++c, ++s) {
          if (std::abs(values[*s]) < rounding * size) values[*s] = 0;
        }
      }
    }
  }
}

void RelativeCoordinates::scatter(const Markers& markers, const std::vector<Load>& loads, VectorRef Q) const {
  if (loads.empty()) return;
  clear_wrenches();
  for (const Load& load : loads) {
    const Marker& m = markers.list[load.marker];
    if (m.body == ground) continue;
    const Vec3& value = markers.value[load.marker];
    switch (m.kind) {
      case MarkerKind::point: add_wrench(m.body, load.value, (value - bodies_[m.body].center).cross(load.value)); break;
      case MarkerKind::vector: add_wrench(m.body, Vec3::Zero(), value.cross(load.value)); break;
      default: add_wrench(m.body, Vec3::Zero(), load.value);
    }
  }
  sweep_wrenches(Q);
}

void RelativeCoordinates::add_weights(VectorRef Q) const {
  clear_wrenches();
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b)
    add_wrench(b, bodies_[b].mass * model_.gravity, Vec3::Zero());
  sweep_wrenches(Q);
}

void RelativeCoordinates::clear_wrenches() const { std::fill(wrenches_.begin(), wrenches_.end(), Wrench()); }

void RelativeCoordinates::add_wrench(int b, const Vec3& force, const Vec3& moment) const {
  const BodyFrame& body = bodies_[b];
  if (body.link < 0) return;
  Wrench& wrench = wrenches_[body.link];
  wrench.force += force;
  wrench.moment += moment + (body.center - links_[body.link].c).cross(force);
}

void RelativeCoordinates::sweep_wrenches(VectorRef Q) const {
  for (int k = static_cast<int>(links_.size()) - 1; k >= 0; --k) {
    const Link& link = links_[k];
    const Wrench& wrench = wrenches_[k];
    for (int c = 0; c < link.velocities(); ++c) {
      Q[link.velocity + c] += turning_axis(link, c).dot(wrench.moment) + link.t.dot(wrench.force);
    }
    if (link.parent < 0) continue;
    Wrench& parent = wrenches_[link.parent];
    parent.force += wrench.force;
    parent.moment += wrench.moment + (link.c - links_[link.parent].c).cross(wrench.force);
  }
}

// One recursion to the ground for impulses and momenta: with F and M, about c, of all that a joint carries,
//   p = w . M + t . F,   p' = w' . M + w . M' + t' . F + t . F',   w' = omega x w, t' = omega x t by the parent's omega,
// and d = c - c_parent: M_parent += M + d x F,   M'_parent += M' + d' x F + d x F'.
void RelativeCoordinates::add_momentum_rates(ConstVector, ConstVector, const Markers& markers,
                                             const std::vector<Load>& impulses, const std::vector<Vec3>& rates,
                                             VectorRef Q) const {
  clear_wrenches();
  std::fill(wrench_rates_.begin(), wrench_rates_.end(), Wrench());
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const BodyFrame& body = bodies_[b];
    if (body.link < 0) continue;
    const Vec3 momentum = body.mass * body.velocity;
    add_wrench(b, momentum, inertia(b) * body.omega);
    wrench_rates_[body.link].moment -= links_[body.link].v.cross(momentum);
  }
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    const auto& [marker, f] = impulses[k];
    const Marker& m = markers.list[marker];
    if (m.body == ground || bodies_[m.body].link < 0) continue;
    const Link& link = links_[bodies_[m.body].link];
    Wrench &sum = wrenches_[bodies_[m.body].link], &rate = wrench_rates_[bodies_[m.body].link];
    if (m.kind == MarkerKind::rotation) {
      sum.moment += f;
      rate.moment += rates[k];
      continue;
    }
    const bool point = m.kind == MarkerKind::point;
    const Vec3 lever = point ? Vec3(markers.value[marker] - link.c) : markers.value[marker];
    const Vec3 lever_rate = point ? Vec3(markers.rate[marker] - link.v) : markers.rate[marker];
    sum.moment += lever.cross(f);
    rate.moment += lever.cross(rates[k]) + lever_rate.cross(f);
    if (point) sum.force += f, rate.force += rates[k];
  }
  for (int k = static_cast<int>(links_.size()) - 1; k >= 0; --k) {
    const Link& link = links_[k];
    const Wrench &sum = wrenches_[k], &rate = wrench_rates_[k];
    const Vec3 turning = link.parent < 0 ? Vec3(Vec3::Zero()) : links_[link.parent].omega;
    // (omega x w) . M = w . (M x omega)
    const Vec3 moment = rate.moment + sum.moment.cross(turning), force = rate.force + sum.force.cross(turning);
    for (int c = 0; c < link.velocities(); ++c)
      Q[link.velocity + c] += turning_axis(link, c).dot(moment) + link.t.dot(force);
    if (link.parent < 0) continue;
    const Vec3 d = link.c - links_[link.parent].c, d_rate = link.v - links_[link.parent].v;
    Wrench &parent = wrenches_[link.parent], &parent_rate = wrench_rates_[link.parent];
    parent.force += sum.force;
    parent.moment += sum.moment + d.cross(sum.force);
    parent_rate.force += rate.force;
    parent_rate.moment += rate.moment + d_rate.cross(sum.force) + d.cross(rate.force);
  }
}

// --- inertia ---

void RelativeCoordinates::Composite::add(double other_mass, const Vec3& other_center, const Mat3& other_J) {
  const double total = mass + other_mass;
  if (total > 0) {
    const Vec3 between = other_center - center;
    J += mass * other_mass / total * (between.squaredNorm() * Mat3::Identity() - between * between.transpose());
    center += other_mass / total * between;
  }
  J += other_J;
  mass = total;
}

void RelativeCoordinates::mass_pattern(std::vector<Eigen::Triplet<double>>& pattern) const {
  for (int k = 0; k < velocities_; ++k) {
    for (int a = link_of_velocity_[k]; a >= 0; a = links_[a].parent) {
      for (int c = 0; c < links_[a].velocities(); ++c) {
        const int j = links_[a].velocity + c;
        pattern.emplace_back(k, j, 0);
        if (a != link_of_velocity_[k]) pattern.emplace_back(j, k, 0);
      }
    }
  }
}

void RelativeCoordinates::bind_mass(const SparseColumns& M) {
  const auto slot = [&](int row, int column) {
    const int* first = M.innerIndexPtr() + M.outerIndexPtr()[column];
    const int* last = M.innerIndexPtr() + M.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - M.innerIndexPtr());
  };
  composites_.resize(links_.size());
  mass_slots_.clear();
  for (int k = 0; k < velocities_; ++k) {
    for (int a = link_of_velocity_[k]; a >= 0; a = links_[a].parent) {
      for (int c = 0; c < links_[a].velocities(); ++c) {
        mass_slots_.push_back(slot(k, links_[a].velocity + c));
        mass_slots_.push_back(slot(links_[a].velocity + c, k));
      }
    }
  }
}

// Composite bodies: M_kj is the momentum that a unit rate of k gives everything beyond it, along the direction of j.
void RelativeCoordinates::mass(double* values) const {
  std::fill(composites_.begin(), composites_.end(), Composite());
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const BodyFrame& body = bodies_[b];
    if (body.link >= 0) composites_[body.link].add(body.mass, body.center, inertia(b));
  }
  for (int k = static_cast<int>(links_.size()) - 1; k >= 0; --k) {
    const Composite& own = composites_[k];
    if (links_[k].parent >= 0) composites_[links_[k].parent].add(own.mass, own.center, own.J);
  }
  const int* slot = mass_slots_.data();
  for (int k = 0; k < velocities_; ++k) {
    const Link& link = links_[link_of_velocity_[k]];
    const Composite& beyond = composites_[link_of_velocity_[k]];
    const Vec3 w = turning_axis(link, k - link.velocity);
    const Vec3 momentum = beyond.mass * (w.cross(beyond.center - link.c) + link.t);
    const Vec3 spin = beyond.J * w;
    for (int a = link_of_velocity_[k]; a >= 0; a = links_[a].parent) {
      const Vec3 about = spin + (beyond.center - links_[a].c).cross(momentum);
      for (int c = 0; c < links_[a].velocities(); ++c) {
        const double entry = turning_axis(links_[a], c).dot(about) + links_[a].t.dot(momentum);
        values[*slot++] = entry;
        values[*slot++] = entry;
      }
    }
  }
}

double RelativeCoordinates::kinetic_energy() const {
  double sum = 0;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const BodyFrame& body = bodies_[b];
    sum += body.mass * body.velocity.squaredNorm() + body.omega.dot(inertia(b) * body.omega);
  }
  return 0.5 * sum;
}

// -R^T (M_bodies S c + gyroscopic moments)
void RelativeCoordinates::inertia_forces(VectorRef Q) const {
  clear_wrenches();
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    const BodyFrame& body = bodies_[b];
    const Mat3 J = inertia(b);
    add_wrench(b, -body.mass * body.bias, -J * body.omega_bias - body.omega.cross(J * body.omega));
  }
  sweep_wrenches(Q);
}

namespace coordinate_sets {
CoordinatesType relative() {
  return {.name = "relative",
          .description =
              "joint coordinates of a spanning tree, loops closed by the joints that are left; accelerations of trees "
              "by recursion (formulation recursive)",
          .source = "Jalon-Bayo section 5.3; Featherstone 2008, chapters 6 and 7",
          .planar = true,
          .spatial = true,
          .singular_mass = false,
          .absorbs_joints = true,
          .create = [](const Model& model) -> std::unique_ptr<Coordinates> {
            return std::make_unique<RelativeCoordinates>(model);
          }};
}
}  // namespace coordinate_sets
}  // namespace bricard
