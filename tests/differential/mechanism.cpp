#include "mechanism.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>

namespace bricard::differential {
namespace {

using Place = std::array<double, 3>;

class Maker {
 public:
  Maker(std::uint64_t seed, bool joints_twice) : dice_(seed), joints_twice_(joints_twice) {}

  Mechanism make() {
    m_.planar = dice_.chance(0.5);
    m_.duration = dice_.chance(0.7) ? 0.2 : 0.4;
    if (dice_.chance(0.3)) m_.gravity = vector(place(-9, 9));
    if (m_.planar) {
      switch (dice_.below(8)) {
        case 0:
        case 1: planar_tree(); break;
        case 2:
        case 3: planar_loop(); break;
        case 4: parallel_cranks(); break;
        case 5: planar_rolling(); break;
        case 6: planar_gears(); break;
        default: planar_special(); break;
      }
    } else {
      switch (dice_.below(8)) {
        case 0:
        case 1: spatial_tree(); break;
        case 2: loop_of_parallel_axes(); break;
        case 3: loop_with_balls(); break;
        case 4: loop_about_a_point(); break;
        case 5: legs(); break;
        case 6: spatial_rolling(); break;
        default: spatial_gears(); break;
      }
    }
    if (dice_.chance(0.25)) redundant_distance();
    if (dice_.chance(0.15) && joints_twice_) doubled_joint();
    forces();
    friction();
    drive();
    start();
    return m_;
  }

 private:
  struct MadeBody {
    std::string name;
    Place center;
  };
  struct MadeJoint {
    std::string name, type, i, j;
    Place at;
    bool on_loop;
  };

  // --- numbers ---
  Place place(double low, double high) {
    Place p{round(dice_.between(low, high)), round(dice_.between(low, high)), 0};
    if (!m_.planar) p[2] = round(dice_.between(low, high));
    return p;
  }
  static double round(double x) { return std::round(1000 * x) / 1000; }
  Place near(const Place& p, double size) {
    const Place d = place(-size, size);
    return {round(p[0] + d[0]), round(p[1] + d[1]), round(p[2] + d[2])};
  }
  std::string vector(const Place& p) const {
    return m_.planar ? fmt::format("[{:.6g}, {:.6g}]", p[0], p[1])
                     : fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p[0], p[1], p[2]);
  }
  static std::string vector3(const Place& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p[0], p[1], p[2]); }
  Place direction() {
    while (true) {
      const Place p = place(-1, 1);
      if (std::hypot(p[0], p[1], p[2]) > 0.4) return p;
    }
  }
  static Place cross(const Place& a, const Place& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }

  // --- parts ---
  void add(const std::string& section, const std::string& name, const std::string& text,
           const std::vector<std::string>& needs) {
    Entry entry{section, name, text, {}};
    for (const std::string& need : needs) {
      if (need != "bodies/ground") entry.needs.push_back(need);
    }
    m_.entries.push_back(entry);
  }
  std::string body(const Place& center) {
    const std::string name = fmt::format("b{}", bodies_.size() + 1);
    const double mass = round(dice_.between(0.3, 3));
    std::string text;
    if (m_.planar) {
      text = fmt::format("{{mass: {:.6g}, inertia: {:.6g}, center: {}, angle: {:.6g}}}", mass,
                         round(mass * dice_.between(0.02, 0.2)), vector(center), round(dice_.between(-2, 2)));
    } else {
      const double size = mass * dice_.between(0.03, 0.15);
      const double a = size * dice_.between(0.8, 1.2), b = size * dice_.between(0.8, 1.2);
      const double c = size * dice_.between(0.8, 1.2);
      std::string products;
      if (dice_.chance(0.3)) products = fmt::format(", {:.6g}, {:.6g}, {:.6g}", 0.1 * a, -0.1 * b, 0.05 * c);
      text = fmt::format("{{mass: {:.6g}, inertia: [{:.6g}, {:.6g}, {:.6g}{}], center: {}", mass, a, b, c, products,
                         vector(center));
      if (dice_.chance(0.6)) {
        const Place axis = direction();
        text += fmt::format(", orientation: {{quaternion: [{:.6g}, {:.6g}, {:.6g}, {:.6g}]}}",
                            round(dice_.between(-1, 1)), axis[0], axis[1], axis[2]);
      }
      text += "}";
    }
    add("bodies", name, text, {});
    bodies_.push_back({name, center});
    return name;
  }
  std::string joint(const std::string& type, const std::string& i, const std::string& j, const Place& at,
                    const std::string& more = "", bool on_loop = false) {
    const std::string name = fmt::format("J{}", ++joint_count_);
    std::string cut;
    const bool in_tree = type == "revolute" || type == "prismatic" || type == "spherical" || type == "cylindrical" ||
                         type == "universal" || type == "screw";
    if (on_loop && in_tree && dice_.chance(0.1)) cut = ", cut: true";
    add("joints", name, fmt::format("{{type: {}, bodies: [{}, {}], at: {}{}{}}}", type, i, j, vector(at), more, cut),
        {"bodies/" + i, "bodies/" + j});
    joints_.push_back({name, type, i, j, at, on_loop});
    return name;
  }
  std::string revolute(const std::string& i, const std::string& j, const Place& at, const Place& axis, bool on_loop) {
    return joint("revolute", i, j, at, m_.planar ? "" : ", axis: " + vector(axis), on_loop);
  }
  static bool moves(const MadeJoint& joint) {
    return joint.type == "revolute" || joint.type == "prismatic" || joint.type == "cylindrical" ||
           joint.type == "screw";
  }
  std::string parent(Place& at) {
    if (bodies_.empty() || dice_.chance(0.35)) {
      at = place(-0.5, 0.5);
      return "ground";
    }
    const MadeBody& chosen = dice_.one_of(bodies_);
    at = near(chosen.center, 0.5);
    return chosen.name;
  }

  // --- planar mechanisms ---
  void planar_tree() {
    m_.kind = "planar tree";
    tree_ = true;
    const int n = 1 + dice_.below(5);
    for (int k = 0; k < n; ++k) {
      Place at;
      const std::string from = parent(at);
      const std::string to = body(near(at, 0.5));
      const double kind = dice_.between(0, 1);
      if (kind < 0.6) {
        revolute(from, to, at, {}, false);
      } else if (kind < 0.85) {
        joint("prismatic", from, to, at, ", axis: " + vector(direction()));
      } else if (kind < 0.9) {
        joint("fixed", from, to, at);
      } else {
        spring(from, near(at, 1), to, at);
      }
    }
  }
  void planar_loop() {
    m_.kind = "planar loop";
    const int n = 3 + dice_.below(3);
    std::vector<Place> points;
    for (int k = 0; k <= n; ++k) {
      const double a = M_PI * (1 - static_cast<double>(k) / n) + dice_.between(-0.2, 0.2);
      points.push_back({round(std::cos(a) * dice_.between(0.7, 1.2)), round(std::sin(a) * dice_.between(0.7, 1.2)), 0});
    }
    const int slider = dice_.chance(0.3) ? dice_.below(n + 1) : -1;
    std::string before = "ground";
    for (int k = 0; k <= n; ++k) {
      std::string next = "ground";
      if (k < n)
        next = body(near({(points[k][0] + points[k + 1][0]) / 2, (points[k][1] + points[k + 1][1]) / 2, 0}, 0.1));
      std::string i = before, j = next;
      if (dice_.chance(0.3)) std::swap(i, j);
      if (k == slider) {
        joint("prismatic", i, j, points[k], ", axis: " + vector(direction()), true);
      } else {
        revolute(i, j, points[k], {}, true);
      }
      before = next;
    }
    if (dice_.chance(0.3)) {  // a branch
      const std::string from = dice_.one_of(bodies_).name;
      const Place at = near(points[1], 0.4);
      revolute(from, body(near(at, 0.4)), at, {}, false);
    }
  }
  void parallel_cranks() {
    m_.kind = "parallel cranks";
    const int n = 2 + dice_.below(3);
    const Place arm{round(dice_.between(-0.6, 0.6)), round(dice_.between(0.4, 0.9)), 0};
    std::vector<Place> feet;
    for (int k = 0; k < n; ++k) feet.push_back({round(k * 0.7), round(dice_.between(-0.2, 0.2)), 0});
    const std::string coupler = body(near({0.5, arm[1], 0}, 0.2));
    for (int k = 0; k < n; ++k) {
      const Place top{round(feet[k][0] + arm[0]), round(feet[k][1] + arm[1]), 0};
      const std::string crank = body(near({feet[k][0] + arm[0] / 2, feet[k][1] + arm[1] / 2, 0}, 0.1));
      revolute("ground", crank, feet[k], {}, true);
      revolute(crank, coupler, top, {}, true);
    }
  }
  void planar_rolling() {
    m_.kind = "planar rolling";
    const double radius = round(dice_.between(0.2, 0.6));
    const Place center{round(dice_.between(-0.3, 0.3)), radius, 0};
    const std::string wheel = body(center);
    add("joints", "roll",
        fmt::format("{{type: rolling, bodies: [ground, {}], radius: {:.6g}, line: {{at: [0, 0], direction: [{}, 0]}}}}",
                    wheel, radius, dice_.chance(0.5) ? 1 : -1),
        {"bodies/" + wheel});
    std::string before = wheel;
    Place at = near(center, 0.3);
    const int n = dice_.below(3);
    for (int k = 0; k < n; ++k) {
      const std::string next = body(near(at, 0.5));
      revolute(before, next, at, {}, false);
      before = next;
      at = near(at, 0.5);
    }
    rolling_ = true;
  }
  void planar_gears() {
    m_.kind = "planar gears";
    const double kind = dice_.between(0, 1);
    const Place a = place(-0.5, 0.5), b{round(a[0] + 1), a[1], 0};
    if (kind < 0.35) {
      const std::string g1 = body(near(a, 0.1)), g2 = body(near(b, 0.1));
      const std::string j1 = revolute("ground", g1, a, {}, true), j2 = revolute("ground", g2, b, {}, true);
      gear(j1, j2);
    } else if (kind < 0.65) {
      const std::string pinion = body(near(a, 0.1)), rack = body(near(b, 0.1));
      const std::string j1 = revolute("ground", pinion, a, {}, true);
      const std::string j2 = joint("prismatic", "ground", rack, b, ", axis: " + vector(direction()), true);
      gear(j1, j2);
    } else {  // two gears on a turning carrier
      const std::string carrier = body(near(a, 0.3)), g1 = body(near(a, 0.1)), g2 = body(near(b, 0.1));
      revolute("ground", carrier, a, {}, true);
      revolute(carrier, g1, a, {}, true);
      revolute(carrier, g2, b, {}, true);
      add("joints", "mesh",
          fmt::format("{{type: gear_pair, bodies: [{}, {}], teeth: [{}, {}], carrier: {}}}", g1, g2,
                      10 + dice_.below(20), 10 + dice_.below(20), carrier),
          {"bodies/" + g1, "bodies/" + g2, "bodies/" + carrier, "joints/J1", "joints/J2", "joints/J3"});
    }
  }
  void gear(const std::string& a, const std::string& b) {
    const double ratio = round(dice_.between(0.3, 2)) * (dice_.chance(0.5) ? 1 : -1);
    add("joints", "teeth", fmt::format("{{type: gear, joints: [{}, {}], ratio: {:.6g}}}", a, b, ratio),
        {"joints/" + a, "joints/" + b});
  }
  void planar_special() {
    const double kind = dice_.between(0, 1);
    if (kind < 0.25) {
      m_.kind = "knife edge";
      const Place center = place(-0.3, 0.3);
      const std::string skate = body(center);
      const Place at = near(center, 0.2);
      add("joints", "blade",
          fmt::format("{{type: knife_edge, bodies: [ground, {}], at: {}, axis: {}}}", skate, vector(at),
                      vector(direction())),
          {"bodies/" + skate});
      if (dice_.chance(0.5)) {
        const Place pin = near(center, 0.3);
        revolute(skate, body(near(pin, 0.3)), pin, {}, false);
      }
      free_bodies_ = true;
    } else if (kind < 0.5) {
      m_.kind = "constraint of expressions";
      const std::string bead = body({0, 0, 0});
      const std::array<std::string, 4> curves{"y({0}) - 0.3*sin(x({0}))", "y({0}) - 0.5*x({0})^2 - 0.2*x({0})",
                                              "x({0}) + 0.2*y({0})*x({0}) - 0.1*sin(2*t)", "vx({0}) - 0.4*wz({0})"};
      std::string text = dice_.one_of(curves);
      for (std::size_t at = text.find("{0}"); at != std::string::npos; at = text.find("{0}")) text.replace(at, 3, bead);
      add("joints", "curve", fmt::format("{{type: constraint, expression: \"{}\"}}", text), {"bodies/" + bead});
      const Place pin = place(-0.3, 0.3);
      if (dice_.chance(0.6)) revolute(bead, body(near(pin, 0.4)), pin, {}, false);
    } else if (kind < 0.75) {
      m_.kind = "bars";
      const Place center = place(-0.3, 0.3);
      const std::string plate = body(center);
      const int n = 1 + dice_.below(2);
      for (int k = 0; k < n; ++k) distance("ground", near(center, 1), plate, near(center, 0.4));
      const Place pin = near(center, 0.3);
      if (dice_.chance(0.6)) revolute(plate, body(near(pin, 0.4)), pin, {}, false);
    } else {
      m_.kind = "point on a line";
      const Place center = place(-0.3, 0.3);
      const std::string slider = body(center);
      joint("point_on_line", "ground", slider, near(center, 0.3), ", axis: " + vector(direction()));
      const Place pin = near(center, 0.3);
      if (dice_.chance(0.6)) revolute(slider, body(near(pin, 0.4)), pin, {}, false);
    }
  }
  void distance(const std::string& i, const Place& p, const std::string& j, Place q) {
    if (std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 0.2) q[0] += 0.5;
    const std::string name = fmt::format("J{}", ++joint_count_);
    add("joints", name, fmt::format("{{type: distance, bodies: [{}, {}], at: [{}, {}]}}", i, j, vector(p), vector(q)),
        {"bodies/" + i, "bodies/" + j});
  }

  // --- spatial mechanisms ---
  void spatial_tree() {
    m_.kind = "spatial tree";
    tree_ = true;
    const int n = 1 + dice_.below(4);
    for (int k = 0; k < n; ++k) {
      Place at;
      const std::string from = parent(at);
      const std::string to = body(near(at, 0.5));
      any_spatial_joint(from, to, at, false);
    }
    if (n > 1 && dice_.chance(0.3)) {
      distance("ground", place(-1, 1), bodies_.back().name, near(bodies_.back().center, 0.3));
      tree_ = false;
    }
  }
  void any_spatial_joint(const std::string& from, const std::string& to, const Place& at, bool on_loop) {
    const Place axis = direction();
    switch (dice_.below(10)) {
      case 0:
      case 1:
      case 2: revolute(from, to, at, axis, on_loop); break;
      case 3: joint("prismatic", from, to, at, ", axis: " + vector(axis), on_loop); break;
      case 4: joint("cylindrical", from, to, at, ", axis: " + vector(axis), on_loop); break;
      case 5: joint("spherical", from, to, at, "", on_loop); break;
      case 6: {
        Place other = cross(axis, direction());
        while (std::hypot(other[0], other[1], other[2]) < 0.2) other = cross(axis, direction());
        joint("universal", from, to, at,
              fmt::format(", axes: [{}, [{:.17g}, {:.17g}, {:.17g}]]", vector(axis), other[0], other[1], other[2]),
              on_loop);
        break;
      }
      case 7: joint("planar", from, to, at, ", axis: " + vector(axis), on_loop); break;
      case 8:
        joint("screw", from, to, at,
              fmt::format(", axis: {}, pitch: {:.6g}", vector(axis), round(dice_.between(0.1, 0.6))), on_loop);
        break;
      default: joint("fixed", from, to, at, "", on_loop); break;
    }
  }
  void loop_of_parallel_axes() {
    m_.kind = "spatial loop of parallel axes";
    const Place a = direction();
    const Place u = direction(), w = cross(a, u), v = cross(w, a);
    const double lw = std::max(std::hypot(w[0], w[1], w[2]), 0.2), lv = std::max(std::hypot(v[0], v[1], v[2]), 0.2);
    const int n = 3 + dice_.below(2);
    std::vector<Place> points;
    for (int k = 0; k <= n; ++k) {
      const double s = M_PI * (1 - static_cast<double>(k) / n) + dice_.between(-0.2, 0.2);
      const double x = std::cos(s) * dice_.between(0.7, 1.2) / lw, y = std::sin(s) * dice_.between(0.7, 1.2) / lv;
      const double off = dice_.between(-0.3, 0.3);
      points.push_back(
          {x * w[0] + y * v[0] + off * a[0], x * w[1] + y * v[1] + off * a[1], x * w[2] + y * v[2] + off * a[2]});
    }
    const int ball = dice_.chance(0.5) ? dice_.below(n + 1) : -1;
    std::string before = "ground";
    for (int k = 0; k <= n; ++k) {
      std::string next = "ground";
      if (k < n) next = body(near(middle(points[k], points[k + 1]), 0.1));
      if (k == ball) {
        joint("spherical", before, next, points[k], "", true);
      } else {
        revolute(before, next, points[k], a, true);
      }
      before = next;
    }
  }
  static Place middle(const Place& a, const Place& b) {
    return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
  }
  void loop_with_balls() {
    m_.kind = "spatial loop with balls";
    const Place p0 = place(-0.2, 0.2), p1 = near({0, 0.5, 0.5}, 0.2), p2 = near({0.9, 0.5, 0.6}, 0.2),
                p3 = near({1, 0, 0}, 0.2);
    const std::string crank = body(middle(p0, p1)), rod = body(near(middle(p1, p2), 0.1)),
                      rocker = body(middle(p2, p3));
    revolute("ground", crank, p0, direction(), true);
    joint("spherical", crank, rod, p1, "", true);
    if (dice_.chance(0.5)) {
      joint("spherical", rod, rocker, p2, "", true);
    } else {
      Place a = direction(), b = cross(a, direction());
      while (std::hypot(b[0], b[1], b[2]) < 0.2) b = cross(a, direction());
      joint("universal", rod, rocker, p2,
            fmt::format(", axes: [{}, [{:.17g}, {:.17g}, {:.17g}]]", vector(a), b[0], b[1], b[2]), true);
    }
    const std::array<std::string, 3> last{"revolute", "prismatic", "cylindrical"};
    joint(dice_.one_of(last), "ground", rocker, p3, ", axis: " + vector(direction()), true);
  }
  void loop_about_a_point() {
    m_.kind = "spherical four-bar";
    const Place o = place(-0.2, 0.2);
    std::string before = "ground";
    for (int k = 0; k < 4; ++k) {
      const double s = 2 * M_PI * k / 4;
      const Place axis{round(0.7 * std::cos(s) + dice_.between(-0.2, 0.2)),
                       round(0.7 * std::sin(s) + dice_.between(-0.2, 0.2)), round(dice_.between(0.5, 0.9))};
      const std::string next = k < 3 ? body(near(o, 0.6)) : "ground";
      const Place at{o[0] + 0.5 * axis[0], o[1] + 0.5 * axis[1], o[2] + 0.5 * axis[2]};
      revolute(before, next, at, axis, true);
      before = next;
    }
  }
  void legs() {
    m_.kind = "platform on bars";
    const Place center = place(-0.2, 0.2);
    const std::string platform = body(center);
    const int n = 1 + dice_.below(5);
    for (int k = 0; k < n; ++k) {
      const double s = 2 * M_PI * k / n + dice_.between(-0.3, 0.3);
      distance("ground", {round(std::cos(s)), round(std::sin(s)), round(dice_.between(-1.2, -0.8))}, platform,
               near(center, 0.5));
    }
    if (dice_.chance(0.4)) {
      const Place at = near(center, 0.4);
      any_spatial_joint(platform, body(near(at, 0.4)), at, false);
    }
    if (dice_.chance(0.3))
      joint("point_on_plane", "ground", platform, near(center, 0.3), ", axis: " + vector(direction()));
  }
  void spatial_rolling() {
    if (dice_.chance(0.25)) {
      m_.kind = "spatial knife edge";
      const Place center = place(-0.2, 0.2);
      const std::string skate = body(center);
      const Place at = near(center, 0.2);
      add("joints", "blade",
          fmt::format("{{type: knife_edge, bodies: [ground, {}], at: {}, axis: [0, 1, 0]}}", skate, vector(at)),
          {"bodies/" + skate});
      joint("planar", "ground", skate, at, ", axis: [0, 0, 1]");
      free_bodies_ = true;
      return;
    }
    m_.kind = "spatial rolling";
    const double radius = round(dice_.between(0.3, 0.6)), tilt = dice_.between(-0.5, 0.5),
                 heading = dice_.between(0, 6);
    const Place axis{std::cos(heading) * std::cos(tilt), std::sin(heading) * std::cos(tilt), std::sin(tilt)};
    const Place center{0, 0, radius * std::cos(tilt)};
    const std::string disc = fmt::format("b{}", bodies_.size() + 1);
    add("bodies", disc,
        fmt::format("{{mass: {:.6g}, center: [0, 0, {:.17g}], shape: {{disc: {{radius: {:.6g}, axis: [{:.17g}, "
                    "{:.17g}, {:.17g}]}}}}}}",
                    round(dice_.between(0.5, 2)), center[2], radius, axis[0], axis[1], axis[2]),
        {});
    bodies_.push_back({disc, center});
    add("joints", "roll",
        fmt::format("{{type: rolling, bodies: [ground, {}], radius: {:.6g}, axis: [{:.17g}, {:.17g}, {:.17g}], plane: "
                    "{{at: [0, 0, 0], normal: [0, 0, 1]}}}}",
                    disc, radius, axis[0], axis[1], axis[2]),
        {"bodies/" + disc});
    add("initial velocities", disc, fmt::format("{{angular: {}}}", vector3(place(-4, 4))), {"bodies/" + disc});
    if (dice_.chance(0.4)) {
      const Place at = near(center, 0.2);
      revolute(disc, body(near(at, 0.3)), at, direction(), false);
    }
    rolling_ = true;
  }
  void spatial_gears() {
    m_.kind = "spatial gears";
    const Place a = place(-0.5, 0.5), b = near({a[0] + 1, a[1], a[2]}, 0.2);
    const std::string first = body(near(a, 0.1)), second = body(near(b, 0.1));
    const std::string j1 = revolute("ground", first, a, direction(), true);
    std::string j2;
    const double kind = dice_.between(0, 1);
    if (kind < 0.5) {
      j2 = revolute(dice_.chance(0.5) ? "ground" : first, second, b, direction(), true);
    } else if (kind < 0.75) {
      j2 = joint("prismatic", "ground", second, b, ", axis: " + vector(direction()), true);
    } else {
      j2 = joint("screw", "ground", second, b, ", pitch: 0.3, axis: " + vector(direction()), true);
    }
    gear(j1, j2);
  }

  // --- what acts on them ---
  /// The distance of a point of one body to a joint that it shares with another never changes.
  void redundant_distance() {
    for (const MadeJoint& joint : joints_) {
      if (joint.type != "revolute" && joint.type != "spherical") continue;
      if (!dice_.chance(0.4)) continue;
      m_.kind += ", with an implied bar";
      distance(joint.i, near({joint.at[0] + 0.6, joint.at[1], joint.at[2]}, 0.2), joint.j, joint.at);
      return;
    }
  }
  /// The same joint twice: coordinates that absorb joints meet one that they have absorbed already.
  void doubled_joint() {
    if (joints_.empty()) return;
    const MadeJoint& joint = dice_.one_of(joints_);
    for (const Entry& entry : m_.entries) {
      if (entry.section != "joints" || entry.name != joint.name) continue;
      m_.kind += ", with a joint twice";
      const Entry copy{entry.section, entry.name + "again", entry.text, entry.needs};
      m_.entries.push_back(copy);
      return;
    }
  }
  void spring(const std::string& i, const Place& p, const std::string& j, Place q) {
    if (std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 0.3) q[1] += 0.6;
    const std::string name = fmt::format("F{}", ++force_count_);
    std::string law =
        fmt::format("stiffness: {:.6g}, damping: {:.6g}", round(dice_.between(5, 60)), round(dice_.between(0, 3)));
    if (dice_.chance(0.3)) law += fmt::format(", free_length: {:.6g}", round(dice_.between(0.1, 1)));
    if (dice_.chance(0.2)) law = "law: \"-20*x - 10*x^3 - 2*v\"";
    add("forces", name,
        fmt::format("{{type: spring, between: [[{}, {}], [{}, {}]], {}}}", i, vector(p), j, vector(q), law),
        {"bodies/" + i, "bodies/" + j});
  }
  void forces() {
    const int count = dice_.below(4);
    for (int k = 0; k < count; ++k) {
      const MadeBody& b = dice_.one_of(bodies_);
      const MadeJoint* moving = nullptr;
      if (!joints_.empty()) {
        const MadeJoint& candidate = dice_.one_of(joints_);
        if (moves(candidate) && !(candidate.type == "cylindrical")) moving = &candidate;
      }
      switch (dice_.below(8)) {
        case 0: {
          const std::array<std::string, 4> laws{"3", "4*sin(5*t)", "2 - 1.5*x({0})", "-2*vx({0}) + 3*cos(3*t)"};
          std::string text = dice_.one_of(laws);
          for (std::size_t at = text.find("{0}"); at != std::string::npos; at = text.find("{0}"))
            text.replace(at, 3, b.name);
          const std::string rest = m_.planar ? "-1" : "-1, 2*t";
          add("forces", fmt::format("F{}", ++force_count_),
              fmt::format("{{type: force, body: {}, at: {}, vector: [{}, {}]{}}}", b.name, vector(near(b.center, 0.3)),
                          text, rest, dice_.chance(0.4) ? ", frame: body" : ""),
              {"bodies/" + b.name});
          break;
        }
        case 1:
          add("forces", fmt::format("F{}", ++force_count_),
              m_.planar ? fmt::format("{{type: torque, body: {}, value: \"1.5*cos(4*t)\"}}", b.name)
                        : fmt::format("{{type: torque, body: {}, value: [0.5, \"sin(3*t)\", -0.3]{}}}", b.name,
                                      dice_.chance(0.4) ? ", frame: body" : ""),
              {"bodies/" + b.name});
          break;
        case 2: spring("ground", near(b.center, 1), b.name, near(b.center, 0.3)); break;
        case 3:
          if (bodies_.size() > 1 && bodies_.front().name != b.name)
            spring(bodies_.front().name, near(bodies_.front().center, 0.3), b.name, near(b.center, 0.3));
          break;
        case 4:
          if (moving)
            add("forces", fmt::format("F{}", ++force_count_),
                fmt::format("{{type: rotational_spring, joint: {}, stiffness: {:.6g}, damping: {:.6g}}}", moving->name,
                            round(dice_.between(1, 20)), round(dice_.between(0, 0.5))),
                {"joints/" + moving->name});
          break;
        case 5:
          if (moving)
            add("forces", fmt::format("F{}", ++force_count_),
                fmt::format("{{type: actuator, joint: {0}, value: \"2*sin(6*t) - 0.5*rate({0})\"}}", moving->name),
                {"joints/" + moving->name});
          break;
        case 6:
          add("forces", fmt::format("F{}", ++force_count_),
              m_.planar
                  ? fmt::format(
                        "{{type: bushing, bodies: [ground, {}], at: {}, stiffness: [30, 20, 5], damping: [1, 2, 0.1]}}",
                        b.name, vector(near(b.center, 0.3)))
                  : fmt::format("{{type: bushing, bodies: [ground, {}], at: {}, stiffness: [30, 20, 40, 0, 0, 0], "
                                "damping: [1, 2, 1, 0, 0, 0]}}",
                                b.name, vector(near(b.center, 0.3))),
              {"bodies/" + b.name});
          break;
        default:
          add("forces", fmt::format("F{}", ++force_count_),
              m_.planar ? fmt::format("{{type: rotor, body: {}, inertia: 0.02, speed: 20*t}}", b.name)
                        : fmt::format("{{type: rotor, body: {}, axis: {}, inertia: 0.02, speed: 30 + 5*t}}", b.name,
                                      vector(direction())),
              {"bodies/" + b.name});
          break;
      }
    }
  }
  void friction() {
    if (!dice_.chance(0.3)) return;
    for (Entry& entry : m_.entries) {
      if (entry.section != "joints" || !dice_.chance(0.4)) continue;
      const bool turns = entry.text.starts_with("{type: revolute"), slides = entry.text.starts_with("{type: prismatic");
      if (!turns && !slides) continue;
      std::string law;
      const double kind = dice_.between(0, 1);
      if (kind < 0.5) {
        law = fmt::format("viscous: {:.6g}", round(dice_.between(0.05, 0.5)));
      } else if (kind < 0.75) {
        law = fmt::format("coulomb: {:.6g}, smoothing: 0.5{}", round(dice_.between(0.05, 0.3)),
                          turns ? ", radius: 0.05" : "");
      } else {
        law = fmt::format("dahl: {{stiffness: {:.6g}, limit: {:.6g}}}", round(dice_.between(5, 20)),
                          round(dice_.between(0.5, 3)));
      }
      entry.text.insert(entry.text.size() - 1, ", friction: {" + law + "}");
    }
  }
  void drive() {
    if (rolling_ || free_bodies_ || !dice_.chance(0.25)) return;
    for (const MadeJoint& joint : joints_) {
      if ((joint.type != "revolute" && joint.type != "prismatic") || !dice_.chance(0.6)) continue;
      const std::array<std::string, 4> laws{"2*t", "0.3*sin(4*t)", "t + 2*t^2", "0.2*sin(3*t) - 0.5*t"};
      add("motions", "D" + joint.name, fmt::format("{{joint: {}, position: {}}}", joint.name, dice_.one_of(laws)),
          {"joints/" + joint.name});
      driven_ = joint.name;
      return;
    }
  }
  void start() {
    bool given = !driven_.empty();
    for (const MadeJoint& joint : joints_) {
      if (!moves(joint) || joint.name == driven_ || rolling_ || free_bodies_) continue;
      if (joint.on_loop && given) continue;
      if (!dice_.chance(0.6)) continue;
      if (joint.on_loop) given = true;
      add("initial velocities", joint.name, fmt::format("{:.6g}", round(dice_.between(-3, 3))),
          {"joints/" + joint.name});
      if (tree_ && dice_.chance(0.3))
        add("initial positions", joint.name, fmt::format("{:.6g}", round(dice_.between(-0.6, 0.6))),
            {"joints/" + joint.name});
    }
    if (free_bodies_)
      add("initial velocities", bodies_.front().name, fmt::format("{{angular: {}}}", m_.planar ? "1.5" : "[0, 0, 1.5]"),
          {"bodies/" + bodies_.front().name});
  }

  Dice dice_;
  bool joints_twice_;
  Mechanism m_;
  std::vector<MadeBody> bodies_;
  std::vector<MadeJoint> joints_;
  int joint_count_ = 0, force_count_ = 0;
  bool tree_ = false, rolling_ = false, free_bodies_ = false;
  std::string driven_;
};

}  // namespace

Mechanism random_mechanism(std::uint64_t seed, bool joints_twice) { return Maker(seed, joints_twice).make(); }

std::string Mechanism::yaml() const {
  std::string text =
      fmt::format("bricard: 1\nname: random mechanism ({})\ndimension: {}\n", kind, planar ? "planar" : "spatial");
  if (!gravity.empty()) text += "gravity: " + gravity + "\n";
  std::string initial;
  for (const char* section : {"bodies", "joints", "motions", "forces", "initial positions", "initial velocities"}) {
    std::string part;
    const bool nested = std::string(section).starts_with("initial");
    for (const Entry& entry : entries) {
      if (entry.section == section) part += fmt::format("{}  {}: {}\n", nested ? "  " : "", entry.name, entry.text);
    }
    if (part.empty()) continue;
    if (nested) {
      initial += fmt::format("  {}:\n{}", std::string(section).substr(8), part);
    } else {
      text += fmt::format("{}:\n{}", section, part);
    }
  }
  if (!initial.empty()) text += "initial:\n" + initial;
  return text + fmt::format("simulation: {{duration: {0:g}, output_step: {0:g}}}\n", duration);
}

Mechanism Mechanism::without(std::size_t removed) const {
  Mechanism result = *this;
  std::vector<std::string> gone{entries[removed].section + "/" + entries[removed].name};
  result.entries.erase(result.entries.begin() + static_cast<std::ptrdiff_t>(removed));
  for (std::size_t g = 0; g < gone.size(); ++g) {
    for (std::size_t k = 0; k < result.entries.size();) {
      const Entry& entry = result.entries[k];
      bool needs = false;
      for (const std::string& need : entry.needs) needs |= need == gone[g];
      if (needs) {
        gone.push_back(entry.section + "/" + entry.name);
        result.entries.erase(result.entries.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
  }
  return result;
}

}  // namespace bricard::differential
