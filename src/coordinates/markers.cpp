#include "coordinates/markers.h"

namespace bricard {

Markers::Markers(const Model& model)
    : turn(model.bodies.size(), 0.0), counts_turns(model.planar()), model_(&model), of_body_(model.bodies.size()) {}

int Markers::add(int body, MarkerKind kind, const Vec3& local) {
  if (body != ground) {
    for (int known : of_body_[body]) {
      if (list[known].kind == kind && list[known].local == local) return known;
    }
    of_body_[body].push_back(size());
  }
  active.push_back(size());
  list.push_back({body, kind, local});
  // Markers of the ground never change, so their values are set here once.
  value.emplace_back(local);
  rate.emplace_back(Vec3::Zero());
  bias.emplace_back(Vec3::Zero());
  return size() - 1;
}

void Markers::finish() {
  of_body_ = decltype(of_body_)();
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(list, value, rate, bias, active);
}

int Markers::point(int body, const Vec3& place) {
  if (body == ground) return add(body, MarkerKind::point, place);
  const Body& b = model_->bodies[body];
  return add(body, MarkerKind::point, b.orientation.conjugate() * (place - b.center));
}

int Markers::vector(int body, const Vec3& direction) {
  if (body == ground) return add(body, MarkerKind::vector, direction);
  return add(body, MarkerKind::vector, model_->bodies[body].orientation.conjugate() * direction);
}

int Markers::rotation(int body) { return add(body, MarkerKind::rotation, Vec3::Zero()); }

}  // namespace bricard
