// Shapes of bodies: their inertia (textbook formulas for uniform density) and their pictures.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "io/model/loader.h"

namespace bricard {
namespace {

// Inertia of a body of revolution: one moment about its axis, one about every line across.
Mat3 revolved(const Vec3& axis, double axial, double transverse) {
  return transverse * Mat3::Identity() + (axial - transverse) * axis * axis.transpose();
}

Shape cylinder_shape(const Vec3& axis, double radius, double length) {
  Shape shape;
  shape.unit_inertia = revolved(axis, radius * radius / 2, radius * radius / 4 + length * length / 12);
  shape.content = std::numbers::pi * radius * radius * length;
  shape.geometry = {"cylinder", {-axis * length / 2, axis * length / 2}, Vec3(radius, 0, 0), ""};
  return shape;
}

Shape disc_shape(const Vec3& axis, double radius, double thickness) {
  if (thickness > 0) return cylinder_shape(axis, radius, thickness);
  // Infinitely thin; the picture gets a little thickness, for a cylinder without length has no direction.
  Shape shape = cylinder_shape(axis, radius, 0.04 * radius);
  shape.unit_inertia = revolved(axis, radius * radius / 2, radius * radius / 4);
  shape.content = std::numbers::pi * radius * radius;
  return shape;
}

Shape sphere_shape(double radius) {
  Shape shape;
  shape.unit_inertia = 0.4 * radius * radius * Mat3::Identity();
  shape.content = 4.0 / 3 * std::numbers::pi * radius * radius * radius;
  shape.geometry = {"sphere", {Vec3::Zero()}, Vec3(radius, 0, 0), ""};
  return shape;
}

Shape box_shape(const Vec3& size, bool flat) {
  const Vec3 squares = size.cwiseAbs2() / 12;
  Shape shape;
  shape.unit_inertia =
      Vec3(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y()).asDiagonal();
  shape.content = flat ? size.x() * size.y() : size.prod();
  shape.geometry = {"box", {Vec3::Zero()}, size, ""};
  return shape;
}

// Edges of a box: 3, or 2 of a flat box in a planar model.
Vec3 box_size(Loader& loader, const InputNode& node, bool& flat) {
  const std::vector<InputNode> edges = node.items(loader.planar() ? "a list of 2 or 3 edges" : "a list of 3 edges");
  flat = loader.planar() && edges.size() == 2;
  if (!flat && edges.size() != 3) {
    if (node.is_list()) node.expected(loader.planar() ? "a list of 2 or 3 edges" : "a list of 3 edges");
    return unknown_vector;
  }
  return {loader.positive(edges[0]), loader.positive(edges[1]), flat ? 0 : loader.positive(edges[2])};
}

// `axis:` of a shape, given in the world, seen from the body.
Vec3 shape_axis(Loader& loader, const Fields& fields, const Body& body, const Vec3& default_axis) {
  const std::optional<InputNode> node = fields.find("axis");
  return node ? Vec3(body.orientation.conjugate() * loader.direction(*node)) : default_axis;
}

double required_positive(Loader& loader, const Fields& fields, const std::string& key) {
  const std::optional<InputNode> node = fields.require(key);
  return node ? loader.positive(*node) : unset;
}

double optional_positive(Loader& loader, const Fields& fields, const std::string& key) {
  const std::optional<InputNode> node = fields.find(key);
  return node ? loader.positive(*node) : 0;
}

// The axis of planar cylinders and discs is z, so they have no such key.
std::vector<std::string> with_spatial_axis(const Loader& loader, std::vector<std::string> keys) {
  if (!loader.planar()) keys.push_back("axis");
  return keys;
}

}  // namespace

Shape rod_shape(const Vec3& axis, double length, double radius) {
  if (radius > 0) return cylinder_shape(axis, radius, length);
  Shape shape;
  shape.unit_inertia = revolved(axis, 0, length * length / 12);
  shape.content = length;
  shape.geometry = {"line", {-axis * length / 2, axis * length / 2}, Vec3::Zero(), ""};
  return shape;
}

Shape load_shape(Loader& loader, const InputNode& node, const Body& body) {
  const std::optional<ChosenKey> chosen = choice(node, "a shape", {"rod", "box", "cylinder", "disc", "sphere"});
  if (!chosen) return {};
  if (chosen->key == "rod") {
    const Fields fields(chosen->node, "a rod",
                        loader.planar() ? std::vector<std::string>{"length", "axis"}
                                        : std::vector<std::string>{"length", "radius", "axis"});
    const double length = required_positive(loader, fields, "length");
    return rod_shape(shape_axis(loader, fields, body, Vec3::UnitX()), length,
                     optional_positive(loader, fields, "radius"));
  }
  if (chosen->key == "box") {
    const Fields fields(chosen->node, "a box", {"size"});
    bool flat = false;
    const std::optional<InputNode> size = fields.require("size");
    const Vec3 edges = size ? box_size(loader, *size, flat) : unknown_vector;
    return box_shape(edges, flat);
  }
  if (chosen->key == "sphere") {
    const Fields fields(chosen->node, "a sphere", {"radius"});
    return sphere_shape(required_positive(loader, fields, "radius"));
  }
  const bool disc = chosen->key == "disc";
  const std::string thickness = disc ? "thickness" : "length";
  const Fields fields(chosen->node, "a " + chosen->key, with_spatial_axis(loader, {"radius", thickness}));
  const double radius = required_positive(loader, fields, "radius");
  const Vec3 axis = shape_axis(loader, fields, body, Vec3::UnitZ());
  if (disc) return disc_shape(axis, radius, optional_positive(loader, fields, thickness));
  return cylinder_shape(axis, radius, required_positive(loader, fields, thickness));
}

namespace {

Geometry load_solid(Loader& loader, const ChosenKey& chosen, const Body& body) {
  const auto local = [&](const Vec3& place) { return Vec3(body.orientation.conjugate() * (place - body.center)); };
  const auto local_place = [&](const std::optional<InputNode>& place) {
    return place ? local(loader.place(*place)) : Vec3(Vec3::Zero());
  };
  Geometry geometry;
  geometry.shape = chosen.key;
  if (chosen.key == "line" || chosen.key == "polygon") {
    const std::size_t fewest = chosen.key == "line" ? 2 : 3;
    const std::string what = fmt::format("a list of at least {} places", fewest);
    const std::vector<InputNode> places = chosen.node.items(what);
    if (chosen.node.is_list() && places.size() < fewest) chosen.node.expected(what);
    for (const InputNode& place : places) geometry.points.push_back(local(loader.place(place)));
  } else if (chosen.key == "box") {
    const Fields fields(chosen.node, "a box", {"center", "size"});
    geometry.points = {local_place(fields.find("center"))};
    bool flat = false;
    if (const std::optional<InputNode> size = fields.require("size")) geometry.size = box_size(loader, *size, flat);
  } else if (chosen.key == "sphere") {
    const Fields fields(chosen.node, "a sphere", {"center", "radius"});
    geometry.points = {local_place(fields.find("center"))};
    geometry.size.x() = required_positive(loader, fields, "radius");
  } else if (chosen.key == "cylinder") {
    const Fields fields(chosen.node, "a cylinder", {"from", "to", "radius"});
    geometry.points = {local_place(fields.require("from")), local_place(fields.require("to"))};
    geometry.size.x() = required_positive(loader, fields, "radius");
    if (fields.has("from") && fields.has("to") && geometry.points[0] == geometry.points[1]) {
      fields.node().error("the two ends of the cylinder are the same place");
    }
  } else {
    // In the frame of the body already, for a file of a part knows nothing of the reference configuration.
    std::optional<InputNode> file = chosen.node;
    geometry.size = Vec3::Ones();
    if (chosen.node.is_map()) {
      const Fields fields(chosen.node, "an stl", {"file", "scale"});
      file = fields.require("file");
      if (const std::optional<InputNode> scale = fields.find("scale")) geometry.size *= loader.positive(*scale);
    }
    const std::filesystem::path folder = std::filesystem::path(loader.model.file).parent_path();
    if (file) geometry.file = (folder / file->word("the name of an STL file")).string();
  }
  return geometry;
}

}  // namespace

std::vector<Geometry> load_geometry(Loader& loader, const InputNode& node, const Body& body) {
  std::vector<Geometry> result;
  for (const InputNode& item : node.items("a list of solids")) {
    if (const auto chosen = choice(item, "a solid", {"box", "cylinder", "sphere", "line", "polygon", "stl"})) {
      result.push_back(load_solid(loader, *chosen, body));
    }
  }
  return result;
}

}  // namespace bricard
