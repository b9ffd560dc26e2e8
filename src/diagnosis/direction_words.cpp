#include "diagnosis/direction_words.h"

#include <fmt/format.h>

#include "diagnosis/self_stress.h"

namespace bricard {
namespace {

constexpr double same_direction = 1e-6;

bool parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < same_direction * a.norm() * b.norm(); }

}  // namespace

std::string vector_words(const Vec3& direction, bool planar) {
  static const char* const axes[] = {"x", "y", "z"};
  Vec3 d = direction.normalized();
  for (int k = 0; k < 3; ++k) {
    if (parallel(d, Vec3::Unit(k))) return axes[k];
  }
  // The first component that counts is positive, so that d and -d read the same.
  for (int k = 0; k < 3; ++k) {
    if (std::abs(d[k]) < same_direction) continue;
    if (d[k] < 0) d = -d;
    break;
  }
  const auto number = [](double x) { return fmt::format("{:.3g}", std::abs(x) < same_direction ? 0.0 : x); };
  return planar ? fmt::format("({}, {})", number(d.x()), number(d.y()))
                : fmt::format("({}, {}, {})", number(d.x()), number(d.y()), number(d.z()));
}

DirectionWords::DirectionWords(const System& system)
    : system_(system),
      length_(system.model().characteristic_length()),
      joints_(system.model().bodies.size()),
      places_(system.model().joints.size(), Vec3::Zero()) {
  const Vector nothing = Vector::Zero(system.row_count());
  for (int k = 0; k < static_cast<int>(places_.size()); ++k) {
    if (!system.reactions().has_reaction(k)) continue;
    places_[k] = system.reaction(k, nothing).place;
    const Joint& joint = system.model().joints[k];
    if (joint.i != ground) joints_[joint.i].push_back(k);
    if (joint.j != ground && joint.j != joint.i) joints_[joint.j].push_back(k);
  }
}

/// The body of the joint whose other joint lies in that direction; empty if there is none.
std::string DirectionWords::line_of_body(int joint, const Vec3& direction) const {
  const Model& model = system_.model();
  for (int body : {model.joints[joint].j, model.joints[joint].i}) {
    if (body == ground) continue;
    for (int other : joints_[body]) {
      const Vec3 line = places_[other] - places_[joint];
      if (other != joint && line.norm() > same_direction * length_ && parallel(line, direction))
        return model.body_name(body);
    }
  }
  return {};
}

std::string DirectionWords::operator()(int joint, const Matrix& directions, const std::string& noun) const {
  const bool planar = system_.model().planar();
  const std::string preposition = noun == "moment" ? "about" : "along";
  static const char* const axes[] = {"x", "y", "z"};
  const Vec3 axis = planar ? Vec3(Vec3::Zero()) : axis_now(system_, joint);
  const int dimension = static_cast<int>(directions.cols());
  if (dimension == 0) return {};
  if (planar && noun == "moment") return "moment";
  if (dimension == 1) {
    const Vec3 d = directions.col(0);
    for (int k = 0; k < 3; ++k) {
      if (parallel(d, Vec3::Unit(k))) return fmt::format("{} {}", axes[k], noun);
    }
    if (!axis.isZero() && parallel(d, axis)) return fmt::format("{} {} its axis", noun, preposition);
    if (const std::string body = line_of_body(joint, d); !body.empty())
      return fmt::format("{} {} {}{}", noun, preposition, noun == "moment" ? "the line of " : "", body);
    return fmt::format("{} {} {}", noun, preposition, vector_words(d, planar));
  }
  if (dimension == 2) {
    if (planar) return noun + "s";
    const Vec3 normal = Vec3(directions.col(0)).cross(Vec3(directions.col(1)));
    for (int k = 0; k < 3; ++k) {
      if (parallel(normal, Vec3::Unit(k)))
        return fmt::format("{} and {} {}s", axes[k == 0], axes[k == 2 ? 1 : 2], noun);
    }
    if (!axis.isZero() && parallel(normal, axis)) return noun + "s normal to its axis";
    return fmt::format("{}s normal to {}", noun, vector_words(normal, planar));
  }
  return noun + "s";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

}  // namespace bricard
