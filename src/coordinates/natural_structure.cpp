#include "coordinates/natural_structure.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "coordinates/rotation_algebra.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

constexpr double same = 1e-12;           // relative difference of places and directions that are one
constexpr double shortest_line = 1e-2;   // between two points of a frame, relative to the size of the bodies
constexpr double smallest_volume = 0.1;  // of a frame's normalised directions

struct Element {
  bool is_point;
  Vec3 value;
};

/// Bodies that fixed joints make one. Link 0 is the ground.
struct Link {
  std::vector<int> bodies, elements;
  double size = 0;  // extent of its joints and centres of mass, or its radius of gyration
};

class Builder {
 public:
  Builder(const Model& model, NaturalStructure& structure)
      : model_(model), out_(structure), length_(model.characteristic_length()), size_(model.planar() ? 2 : 4) {}

  void run() {
    out_.absorbed.assign(model_.joints.size(), false);
    find_links();
    measure_links();
    for (std::size_t k = 0; k < model_.joints.size(); ++k) {
      if (!out_.absorbed[k]) out_.absorbed[k] = absorb(model_.joints[k]);
    }
    for (Link& link : links_) complete(link);
    number();
    for (std::size_t l = 1; l < links_.size(); ++l) add_rigidity(links_[l]);
    for (RigidityRow& row : joint_rows_) add_row(std::move(row));
    out_.frames.resize(model_.bodies.size());
    for (const Link& link : links_) {
      for (int body : link.bodies) std::copy_n(link.elements.begin(), size_, out_.frames[body].begin());
    }
  }

 private:
  // --- links ---
  /// Friction that depends on the joint's load needs the multipliers of its rows.
  static bool may_be_absorbed(const Joint& joint) { return joint.friction.coulomb == 0; }

  static bool has_common_point(const Joint& joint) { return type_of(joint).shared != SharedElements::none; }

  void find_links() {
    std::vector<int> link(model_.bodies.size() + 1);  // of body b at b + 1; the ground's is 0
    for (std::size_t b = 0; b < link.size(); ++b) link[b] = static_cast<int>(b);
    for (std::size_t k = 0; k < model_.joints.size(); ++k) {
      const Joint& joint = model_.joints[k];
      if (!type_of(joint).rigid() || !may_be_absorbed(joint)) continue;
      const int a = link[joint.i + 1], b = link[joint.j + 1];
      std::replace(link.begin(), link.end(), std::max(a, b), std::min(a, b));
      out_.absorbed[k] = true;
    }
    std::vector<int> number(link.size(), -1);
    for (std::size_t b = 0; b < link.size(); ++b) {
      int& n = number[link[b]];
      if (n < 0) n = static_cast<int>(links_.size()), links_.emplace_back();
      link_of_.push_back(n);
      if (b > 0) links_[n].bodies.push_back(static_cast<int>(b) - 1);
    }
  }

  bool is_ground(const Link& link) const { return &link == links_.data(); }

  void measure_links() {
    std::vector<Eigen::AlignedBox3d> boxes(links_.size());
    for (const Joint& joint : model_.joints) {
      if (!has_common_point(joint)) continue;
      boxes[link_of_[joint.i + 1]].extend(joint.at_i);
      boxes[link_of_[joint.j + 1]].extend(joint.at_j);
    }
    for (std::size_t l = 1; l < links_.size(); ++l) {
      double& size = links_[l].size;
      for (int b : links_[l].bodies) {
        const Body& body = model_.bodies[b];
        boxes[l].extend(body.center);
        if (body.mass > 0) size = std::max(size, std::sqrt(body.inertia.trace() / body.mass));
      }
      size = std::max(size, boxes[l].diagonal().norm());
      if (size == 0) size = length_;
    }
  }

  // --- elements of a link ---
  int find(const Link& link, const Element& wanted) const {
    for (int id : link.elements) {
      const BasicElement& known = out_.elements[root(id)];
      if (known.is_point != wanted.is_point) continue;
      const double difference = wanted.is_point ? (known.reference - wanted.value).norm() / length_
                                                : known.reference.cross(wanted.value).norm();
      if (difference <= same) return root(id);
    }
    return -1;
  }

  int add(Link& link, const Element& element) {
    const int id = static_cast<int>(out_.elements.size());
    out_.elements.push_back({.is_point = element.is_point,
                             .reference = element.value,
                             .body = link.bodies.empty() ? ground : link.bodies.front()});
    alias_.push_back(id);
    constant_.push_back(is_ground(link));
    link.elements.push_back(id);
    return id;
  }

  int find_or_add(Link& link, const Element& element) {
    const int known = find(link, element);
    return known >= 0 ? known : add(link, element);
  }

  /// Unit vectors that a link's elements, with the wanted ones, give: along lines from the first point, and the
  /// vectors. Zero for a line that is too short.
  std::vector<Vec3> directions(const Link& link, const std::vector<Element>& wanted) const {
    std::vector<Element> all;
    for (int id : link.elements) all.push_back({out_.elements[root(id)].is_point, out_.elements[root(id)].reference});
    for (const Element& element : wanted) {
      if (find(link, element) < 0) all.push_back(element);
    }
    const auto origin = std::find_if(all.begin(), all.end(), [](const Element& element) { return element.is_point; });
    std::vector<Vec3> result;
    for (auto element = all.begin(); element != all.end(); ++element) {
      if (element == origin) continue;
      Vec3 direction = element->value;
      if (element->is_point) {
        direction -= origin->value;
        direction /= direction.norm() > shortest_line * link.size ? direction.norm() : INFINITY;
      }
      result.push_back(direction);
    }
    return result;
  }

  /// True if the wanted elements fit in the link's frame, and that stays well-conditioned.
  bool has_room(const Link& link, const std::vector<Element>& wanted) const {
    if (is_ground(link)) return true;
    const bool nothing_new =
        std::all_of(wanted.begin(), wanted.end(), [&](const Element& element) { return find(link, element) >= 0; });
    if (nothing_new) return true;
    const std::vector<Vec3> e = directions(link, wanted);
    if (static_cast<int>(e.size()) > size_ - 1) return false;
    const double volume = e.empty()       ? 1
                          : e.size() == 1 ? e[0].norm()
                          : e.size() == 2 ? e[0].cross(e[1]).norm()
                                          : std::abs(e[0].cross(e[1]).dot(e[2]));
    return volume > smallest_volume;
  }

  int root(int id) const {
    while (alias_[id] != id) id = alias_[id];
    return id;
  }

  // --- joints ---
  bool absorb(const Joint& joint) {
    if (!has_common_point(joint) || !may_be_absorbed(joint)) return false;
    Link &i = links_[link_of_[joint.i + 1]], &j = links_[link_of_[joint.j + 1]];
    if (&i == &j) return true;  // nothing moves there
    std::vector<Element> of_i = {{true, joint.at_i}}, of_j = {{true, joint.at_j}};
    const SharedElements shared = type_of(joint).shared;
    if (!model_.planar() && shared != SharedElements::point) {
      of_i.push_back({false, joint.axis_i});
      of_j.push_back({false, joint.axis_j});
    }
    if (!has_room(i, of_i) || !has_room(j, of_j)) return false;
    share(i, j, of_i[0]);
    if (shared == SharedElements::point_and_two_axes) {
      const int u = find_or_add(i, of_i[1]), w = find_or_add(j, of_j[1]);
      joint_rows_.push_back({.name = joint.name + ": axes perpendicular", .terms = {{u, 1, 0}, {w, 0, 1}}});
    } else if (of_i.size() == 2) {
      share(i, j, of_i[1]);
    }
    return true;
  }

  void share(Link& i, Link& j, const Element& element) {
    const int a = find_or_add(i, element), b = find(j, element);
    if (b < 0) {
      j.elements.push_back(a);
      if (is_ground(j)) constant_[a] = true;
    } else if (a != b) {
      const int kept = constant_[b] ? b : a;
      alias_[kept == a ? b : a] = kept;
    }
  }

  // --- own points and vectors, where a frame is not complete ---
  void complete(Link& link) {
    if (is_ground(link)) {
      // Bodies fixed to the ground need a frame too; the ground's other elements are only others' constants.
      link.elements.clear();
      add(link, {true, Vec3::Zero()});
      for (int k = 0; k < size_ - 1; ++k) add(link, {model_.planar(), Vec3::Unit(k)});
      return;
    }
    const Body& body = model_.bodies[link.bodies.front()];
    const auto has_point = std::find_if(link.elements.begin(), link.elements.end(),
                                        [&](int id) { return out_.elements[root(id)].is_point; });
    if (has_point == link.elements.end()) add(link, {true, body.center});
    std::stable_partition(link.elements.begin(), link.elements.end(),
                          [&](int id) { return out_.elements[root(id)].is_point; });
    if (model_.planar()) {
      if (link.elements.size() == 1) add_own_point(link);
      return;
    }
    const std::vector<Vec3> e = directions(link, {});
    if (e.empty()) {
      for (int k = 0; k < 3; ++k) add(link, {false, body.orientation * Vec3(Vec3::Unit(k))});
    } else if (e.size() == 1) {
      const Vec3 first = any_perpendicular(e[0]);
      add(link, {false, first});
      add(link, {false, e[0].cross(first)});
    } else if (e.size() == 2) {
      add(link, {false, e[0].cross(e[1]).normalized()});
    }
  }

  /// In the direction of the centre of mass, at the radius of gyration about the first point, where the mass matrix of
  /// the two is best conditioned.
  void add_own_point(Link& link) {
    const Vec3 origin = out_.elements[root(link.elements[0])].reference;
    double mass = 0, inertia = 0;
    Vec3 moment = Vec3::Zero();
    for (int b : link.bodies) {
      const Body& body = model_.bodies[b];
      mass += body.mass;
      moment += body.mass * (body.center - origin);
      inertia += body.inertia(2, 2) + body.mass * (body.center - origin).squaredNorm();
    }
    const double gyration = mass > 0 ? std::sqrt(inertia / mass) : 0;
    const double distance = gyration > shortest_line * link.size ? gyration : link.size;
    const bool towards_center = moment.norm() > same * mass * link.size;
    const Vec3 axis = model_.bodies[link.bodies.front()].orientation * Vec3(Vec3::UnitX());
    add(link, {true, origin + distance * (towards_center ? moment.normalized() : axis)});
  }

  // --- coordinates and rows ---
  void number() {
    for (Link& link : links_) {
      for (int& id : link.elements) id = root(id);
    }
    for (std::size_t l = 1; l < links_.size(); ++l) {
      for (int id : links_[l].elements) {
        BasicElement& element = out_.elements[id];
        if (constant_[id] || element.first >= 0) continue;
        element.first = out_.coordinates;
        out_.coordinates += model_.planar() ? 2 : 3;
      }
    }
  }

  void add_row(RigidityRow row) {
    for (RigidityRow::Term& term : row.terms) term.element = root(term.element);
    std::sort(row.terms.begin(), row.terms.end(), [&](const RigidityRow::Term& a, const RigidityRow::Term& b) {
      const int of_a = out_.elements[a.element].first, of_b = out_.elements[b.element].first;
      return of_a != of_b ? of_a < of_b : a.element < b.element;
    });
    if (row.terms.empty() || out_.elements[row.terms.back().element].first < 0) return;  // all constant
    if (!known_rows_.insert(row.terms).second) return;  // two bodies share these elements
    out_.rows.push_back(std::move(row));
  }

  /// Keeps the product of two differences x_a - x_b, or of vectors (b < 0), at its value of the reference.
  void keep(const Link& link, int& count, std::array<int, 2> f, std::array<int, 2> g) {
    RigidityRow row;
    if (f[1] < 0 && g[1] < 0 && f[0] > g[0]) std::swap(f, g);
    const auto add_terms = [&](std::array<int, 2>& pair, double RigidityRow::Term::*factor) {
      if (pair[1] >= 0 && pair[0] > pair[1]) std::swap(pair[0], pair[1]);  // one sign for all that share it
      Vec3 sum = Vec3::Zero();
      for (int k = 0; k < 2 && pair[k] >= 0; ++k) {
        const double sign = k == 0 ? 1 : -1;
        sum += sign * out_.elements[pair[k]].reference;
        auto term = std::find_if(row.terms.begin(), row.terms.end(),
                                 [&](const RigidityRow::Term& t) { return t.element == pair[k]; });
        if (term == row.terms.end()) term = row.terms.insert(term, {pair[k], 0, 0});
        (*term).*factor += sign;
      }
      return sum;
    };
    const Vec3 first = add_terms(f, &RigidityRow::Term::first), second = add_terms(g, &RigidityRow::Term::second);
    row.constant = first.dot(second);
    row.scale = f == g ? 2 * first.norm() : 1;  // so that rows are metres where lines take part
    row.name = model_.bodies[link.bodies.front()].name + ": rigidity " + std::to_string(++count);
    add_row(std::move(row));
  }

  void add_rigidity(const Link& link) {
    std::vector<int> points, vectors;
    for (int id : link.elements) (out_.elements[id].is_point ? points : vectors).push_back(id);
    int count = 0;
    for (std::size_t a = 0; a < points.size(); ++a) {
      for (std::size_t b = a + 1; b < points.size(); ++b) {
        keep(link, count, {points[a], points[b]}, {points[a], points[b]});
      }
    }
    for (std::size_t a = 0; a < vectors.size(); ++a) {
      for (std::size_t b = 1; b < points.size(); ++b) keep(link, count, {points[0], points[b]}, {vectors[a], -1});
      for (std::size_t b = a; b < vectors.size(); ++b) keep(link, count, {vectors[a], -1}, {vectors[b], -1});
    }
  }

  const Model& model_;
  NaturalStructure& out_;
  double length_;
  int size_;  // points and vectors of a frame
  std::vector<Link> links_;
  std::vector<int> link_of_;  // of body b at b + 1
  std::vector<int> alias_;    // of elements that turned out to be the same
  std::vector<bool> constant_;
  std::vector<RigidityRow> joint_rows_;
  std::set<std::vector<RigidityRow::Term>> known_rows_;
};

}  // namespace

NaturalStructure::NaturalStructure(const Model& model) { Builder(model, *this).run(); }

std::string NaturalStructure::coordinate_name(const Model& model, int coordinate) const {
  const int size = model.planar() ? 2 : 3;
  int found = 0;
  while (elements[found].first < 0 || coordinate < elements[found].first || coordinate >= elements[found].first + size)
    ++found;
  const BasicElement& element = elements[found];
  const std::string axis(1, "xyz"[coordinate - element.first]), kind = element.is_point ? "" : "u";
  const auto has = [&](int body) {
    if (body == ground) return false;
    const auto end = frames[body].begin() + (model.planar() ? 2 : 4);
    return std::find(frames[body].begin(), end, found) != end;
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!absorbed[j] || !has(joint.i) || !has(joint.j) || type_of(joint).rigid()) continue;
    if (!element.is_point || (element.reference - joint.at_i).norm() <= 1e-9 * model.characteristic_length())
      return joint.name + '.' + kind + axis;
  }
  int number = 0;
  for (const int other : frames[element.body]) {
    if (elements[other].is_point == element.is_point) ++number;
    if (other == found) break;
  }
  return model.bodies[element.body].name + (element.is_point ? ".p" : ".u") + std::to_string(number) + axis;
}

}  // namespace bricard
