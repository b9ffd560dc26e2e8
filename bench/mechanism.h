// What every engine of the benchmark is given: one mechanism as plain numbers, at its start, in world axes. The drivers
// read it from a text with one item a line (written by `bricard_bench_driver describe`) and print one line of JSON.
//
//   planar 0|1
//   gravity x y z
//   duration T
//   body NAME m  x y z  Ixx Iyy Izz Ixy Ixz Iyz  vx vy vz  wx wy wz    inertia about the centre of mass
//   tree TYPE parent child  x y z  ax ay az                       a spanning tree, parents first
//   loop TYPE i j  x y z  ax ay az                                joints that close loops
//   spring i x y z  j x y z  k c l0
//   force body  x y z  cx cy cz  sx sy sz                         c + s sin(t), world axes, at a place of the body
//   torque body  x y z
//   point body  x y z                                             a place of the body whose motion is measured, one a
//   body
// parent, child, i, j and body are names of bodies, which come first, or `ground`.
#pragma once

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct Triple : std::array<double, 3> {};

struct Body {
  std::string name;
  double mass = 0;
  Triple center{}, velocity{}, spin{};
  std::array<double, 6> inertia{};
};
struct Joint {
  std::string type;
  int i = -1, j = -1;  // of the tree: parent and child
  Triple at{}, axis{};
};
struct Spring {
  int i = -1, j = -1;
  Triple from{}, to{};
  double stiffness = 0, damping = 0, free_length = 0;
};
struct Force {
  int body = 0;
  Triple at{}, constant{}, sine{};
};
struct Torque {
  int body = 0;
  Triple value{};
};
struct Point {
  int body = 0;
  Triple at{};
};

struct Mechanism {
  bool planar = false;
  Triple gravity{};
  double duration = 0;
  std::vector<Body> bodies;
  std::map<std::string, int> numbers = {{"ground", -1}};  // of bodies by name
  std::vector<Joint> tree, loops;
  std::vector<Spring> springs;
  std::vector<Force> forces;
  std::vector<Torque> torques;
  std::vector<Point> points;

  bool conservative() const { return forces.empty() && torques.empty(); }
  std::string name(int body) const { return body < 0 ? "ground" : bodies[static_cast<std::size_t>(body)].name; }
  Triple center(int body) const { return body < 0 ? Triple{} : bodies[static_cast<std::size_t>(body)].center; }
};

inline Triple operator-(const Triple& a, const Triple& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Triple operator+(const Triple& a, const Triple& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Triple operator*(double s, const Triple& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Triple cross(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Angular velocity of a tree joint's child relative to its parent, and velocity of the child's point at the joint
/// relative to the parent's, world axes.
inline Triple relative_spin(const Mechanism& mechanism, const Joint& joint) {
  const Triple parent = joint.i < 0 ? Triple{} : mechanism.bodies[static_cast<std::size_t>(joint.i)].spin;
  return mechanism.bodies[static_cast<std::size_t>(joint.j)].spin - parent;
}
inline Triple relative_velocity(const Mechanism& mechanism, const Joint& joint) {
  const auto at = [&](int body) {
    if (body < 0) return Triple{};
    const Body& b = mechanism.bodies[static_cast<std::size_t>(body)];
    return b.velocity + cross(b.spin, joint.at - b.center);
  };
  return at(joint.j) - at(joint.i);
}

inline std::istream& operator>>(std::istream& in, Triple& a) { return in >> a[0] >> a[1] >> a[2]; }

inline Mechanism read_mechanism(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  Mechanism m;
  std::string line, key;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    const auto body = [&] {
      std::string name;
      words >> name;
      const auto found = m.numbers.find(name);
      if (found == m.numbers.end()) throw std::runtime_error("no body " + name + ": " + line);
      return found->second;
    };
    words >> key;
    if (key == "planar") {
      words >> m.planar;
    } else if (key == "gravity") {
      words >> m.gravity;
    } else if (key == "duration") {
      words >> m.duration;
    } else if (key == "body") {
      Body b;
      words >> b.name >> b.mass >> b.center;
      for (double& entry : b.inertia) words >> entry;
      words >> b.velocity >> b.spin;
      if (!m.numbers.emplace(b.name, static_cast<int>(m.bodies.size())).second)
        throw std::runtime_error("two bodies " + b.name);
      m.bodies.push_back(b);
    } else if (key == "tree" || key == "loop") {
      Joint joint;
      words >> joint.type;
      joint.i = body();
      joint.j = body();
      words >> joint.at >> joint.axis;
      (key == "tree" ? m.tree : m.loops).push_back(joint);
    } else if (key == "spring") {
      Spring s;
      s.i = body();
      words >> s.from;
      s.j = body();
      words >> s.to >> s.stiffness >> s.damping >> s.free_length;
      m.springs.push_back(s);
    } else if (key == "force") {
      Force f;
      f.body = body();
      words >> f.at >> f.constant >> f.sine;
      m.forces.push_back(f);
    } else if (key == "torque") {
      Torque t;
      t.body = body();
      words >> t.value;
      m.torques.push_back(t);
    } else if (key == "point") {
      Point p;
      p.body = body();
      words >> p.at;
      m.points.push_back(p);
    } else {
      throw std::runtime_error("unknown item " + key);
    }
    if (!words) throw std::runtime_error("incomplete line: " + line);
  }
  return m;
}

/// `key=value` arguments after the file.
class Settings {
 public:
  Settings(int count, char** arguments, int first) {
    for (int k = first; k < count; ++k) {
      const std::string text = arguments[k];
      const std::size_t at = text.find('=');
      if (at == std::string::npos) throw std::runtime_error("not key=value: " + text);
      values_[text.substr(0, at)] = text.substr(at + 1);
    }
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  double number(const std::string& key, double otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : std::stod(found->second);
  }

 private:
  std::map<std::string, std::string> values_;
};

inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double heap_bytes() {
  const struct mallinfo2 use = mallinfo2();
  return static_cast<double>(use.uordblks + use.hblkhd);
}

/// What a run has to say; printed as one line of JSON.
struct Outcome {
  bool ok = false;
  std::string failure;
  double setup = 0, cpu = 0;  // s
  long steps = 0, evaluations = 0;
  std::vector<Triple> points;  // in the order of the mechanism's; printed by the names of their bodies
  double energy_start = NAN, energy_end = NAN, energy_drift = NAN;
  double heap = 0;  // bytes in use by the model at its start
  long rss_kb = 0;  // peak of memory; 0: that of the process when it prints
  std::string note;
};

inline std::string json_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return std::isfinite(value) ? text : "null";
}

inline std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

inline long peak_memory() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

inline void print(const Outcome& outcome, const Mechanism& mechanism) {
  std::string points;
  bool finite = true;
  for (std::size_t k = 0; k < outcome.points.size(); ++k) {
    const Triple& p = outcome.points[k];
    if (!points.empty()) points += ',';
    points += json_text(mechanism.name(mechanism.points[k].body));
    points += ":[";
    points += json_number(p[0]) + "," + json_number(p[1]) + "," + json_number(p[2]) + "]";
    finite = finite && std::isfinite(p[0] + p[1] + p[2]);
  }
  std::printf(
      "{\"ok\":%s,\"failure\":%s,\"note\":%s,\"setup\":%s,\"cpu\":%s,\"steps\":%ld,\"evaluations\":%ld,"
      "\"energy_start\":%s,\"energy_end\":%s,\"energy_drift\":%s,\"heap\":%s,\"rss_kb\":%ld,\"points\":{%s}}\n",
      outcome.ok && finite ? "true" : "false", json_text(outcome.failure).c_str(), json_text(outcome.note).c_str(),
      json_number(outcome.setup).c_str(), json_number(outcome.cpu).c_str(), outcome.steps, outcome.evaluations,
      json_number(outcome.energy_start).c_str(), json_number(outcome.energy_end).c_str(),
      json_number(outcome.energy_drift).c_str(), json_number(outcome.heap).c_str(),
      outcome.rss_kb > 0 ? outcome.rss_kb : peak_memory(), points.c_str());
}

/// The run, again and again in this process while all of them together are short, at most `repeat=` times: the least
/// time counts, in which code and data are in the caches. What a run of a millisecond takes at first is mostly the
/// loading of pages, of any engine.
template <class Run>
Outcome repeated(const Settings& settings, const Run& run) {
  constexpr double short_time = 0.05;  // s
  const double most = settings.number("repeat", 20);
  Outcome outcome = run();
  double spent = outcome.cpu + outcome.setup;
  for (int k = 1; k < most && outcome.ok && spent < short_time; ++k) {
    const Outcome again = run();
    spent += again.cpu + again.setup;
    outcome.cpu = std::min(outcome.cpu, again.cpu);
    outcome.setup = std::min(outcome.setup, again.setup);
  }
  return outcome;
}

/// The common main program: `driver FILE key=value ...`
template <class Run>
int run_driver(int count, char** arguments, const Run& run) {
  try {
    if (count < 2) throw std::runtime_error("usage: driver FILE key=value ...");
    const Mechanism mechanism = read_mechanism(arguments[1]);
    const Settings settings(count, arguments, 2);
    print(repeated(settings, [&] { return run(mechanism, settings); }), mechanism);
  } catch (const std::exception& error) {
    Outcome outcome;
    outcome.failure = error.what();
    print(outcome, Mechanism());
  }
  return 0;
}

}  // namespace bench
