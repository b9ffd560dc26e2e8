#include "io/report/report_parts.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

void put(JsonWriter& json, const std::string& key, const Vec3& vector) {
  json.key(key).begin_array().value(vector.x()).value(vector.y()).value(vector.z()).end_array();
}

/// World places and directions of the reference configuration, seen from bodies.
class Frames {
 public:
  explicit Frames(const Model& model) : model_(model) {}
  Vec3 place(int body, const Vec3& world) const {
    if (body < 0) return world;
    return model_.bodies[body].orientation.conjugate() * (world - model_.bodies[body].center);
  }
  Vec3 direction(int body, const Vec3& world) const {
    if (body < 0) return world;
    return model_.bodies[body].orientation.conjugate() * world;
  }

 private:
  const Model& model_;
};

void put_bodies(JsonWriter& json, const Model& model, int i, int j) {
  const auto name = [&](int body) { return body == ground ? std::string("ground") : model.bodies[body].name; };
  json.key("bodies").begin_array().value(name(i)).value(name(j)).end_array();
}

void put_body(JsonWriter& json, const Body& body, const ReportPlacement& placement) {
  json.begin_object().member("name", body.name).member("mass", body.mass);
  put(json, "center", placement.center);
  const Quaternion& p = placement.orientation;
  json.key("orientation").begin_array().value(p.w()).value(p.x()).value(p.y()).value(p.z()).end_array();
  json.key("geometry").begin_array();
  for (const Geometry& geometry : body.geometry) {
    if (geometry.shape == "stl") continue;  // would make the file as large as the part
    json.begin_object().member("shape", geometry.shape);
    json.key("points").begin_array();
    for (const Vec3& point : geometry.points)
      json.begin_array().value(point.x()).value(point.y()).value(point.z()).end_array();
    json.end_array();
    put(json, "size", geometry.size);
    json.end_object();
  }
  json.end_array().end_object();
}

void put_joint(JsonWriter& json, const Model& model, const Joint& joint) {
  const Frames frames(model);
  const JointType& type = type_of(joint);
  json.begin_object().member("name", joint.name).member("type", joint.type);
  put_bodies(json, model, joint.i, joint.j);
  if (type.has_key("at") || type.has_key("at2")) {
    put(json, "at_i", frames.place(joint.i, joint.at_i));
    put(json, "at_j", frames.place(joint.j, joint.at_j));
  }
  if (type.has_key("axis") || type.has_key("axes")) {
    put(json, "axis_i", frames.direction(joint.i, joint.axis_i));
    put(json, "axis_j", frames.direction(joint.j, joint.axis_j));
  }
  if (type.has_key("radius")) json.member("radius", joint.radius);
  if (type.has_key("surface")) {
    put(json, "surface_at", frames.place(joint.i, joint.surface_at));
    put(json, "surface_direction", frames.direction(joint.i, joint.surface_direction));
  }
  json.end_object();
}

void put_link(JsonWriter& json, const Model& model, const std::string& name, const Attachment& from,
              const Attachment& to) {
  const Frames frames(model);
  json.begin_object().member("name", name);
  put_bodies(json, model, from.body, to.body);
  put(json, "from", frames.place(from.body, from.place));
  put(json, "to", frames.place(to.body, to.place));
  json.end_object();
}

}  // namespace

void put_mechanism(JsonWriter& json, const Model& model, const std::vector<ReportPlacement>& placements) {
  json.begin_object().member("name", model.name).member("text", model.text).member("planar", model.planar());
  json.member("length", model.characteristic_length());
  put(json, "gravity", model.gravity);
  json.key("bodies").begin_array();
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Body& body = model.bodies[k];
    put_body(json, body, k < placements.size() ? placements[k] : ReportPlacement{body.center, body.orientation});
  }
  json.end_array();
  json.key("joints").begin_array();
  for (const Joint& joint : model.joints) put_joint(json, model, joint);
  json.end_array();
  json.key("springs").begin_array();
  for (const Force& force : model.forces) {
    if (const Spring* spring = std::get_if<Spring>(&force.law))
      put_link(json, model, force.name, spring->from, spring->to);
  }
  json.end_array();
  json.end_object();
}

}  // namespace bricard
