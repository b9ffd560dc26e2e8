// bodies: mass, inertia and the frame of each body.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <fmt/format.h>

#include "io/model/loader.h"

namespace bricard {
namespace {

// Relative error that rounding of hand-written moments may have.
constexpr double inertia_tolerance = 1e-9;
constexpr double perpendicular_tolerance = 1e-6;

Quaternion about_z(double angle) { return Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ())); }

Quaternion from_axes(const Vec3& x, const Vec3& z) {
  Mat3 axes;
  axes.col(0) = x;
  axes.col(1) = z.cross(x);
  axes.col(2) = z;
  return Quaternion(axes).normalized();
}

// A frame whose x axis is given: y is horizontal, or the world's y for a vertical x.
Quaternion frame_along(const Vec3& x) {
  Vec3 y = Vec3::UnitZ().cross(x);
  y = y.norm() < 1e-9 ? Vec3(Vec3::UnitY()) : Vec3(y.normalized());
  return from_axes(x, x.cross(y).normalized());
}

Quaternion from_two_axes(Loader& loader, const Fields& fields) {
  const std::optional<InputNode> x_node = fields.require("x"), z_node = fields.require("z");
  if (!x_node || !z_node) return Quaternion::Identity();
  const Vec3 x = loader.direction(*x_node), z = loader.direction(*z_node);
  if (std::abs(x.dot(z)) > perpendicular_tolerance) {
    fields.node().error(fmt::format("the axes x and z must be perpendicular; they are {:.6g} degrees apart",
                                    std::acos(std::clamp(x.dot(z), -1.0, 1.0)) * 180 / std::numbers::pi));
    return Quaternion::Identity();
  }
  return from_axes(x, (z - x.dot(z) * x).normalized());
}

// --- mass and inertia ---

void check_inertia(Loader& loader, const Mat3& inertia, const std::string& name, const InputNode& node) {
  if (!inertia.allFinite()) return;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double allowed = inertia_tolerance * moments.cwiseAbs().maxCoeff();
  if (moments[0] < -allowed) {
    node.error(fmt::format("the inertia of body '{}' has a negative principal moment, {:.6g}", name, moments[0]));
  } else if (moments[0] + moments[1] < moments[2] - allowed) {
    // Impossible, but the equations of motion can be solved, and published test cases have such tensors.
    loader.model.warnings.push_back(fmt::format(
        "{}: no rigid body has the inertia of '{}': the principal moment {:.6g} exceeds the sum of the other "
        "two, {:.6g} and {:.6g}",
        node.path(), name, moments[2], moments[0], moments[1]));
  }
}

Mat3 load_inertia(Loader& loader, const InputNode& node, const std::string& name) {
  Mat3 inertia = Mat3::Zero();
  if (loader.planar()) {
    inertia(2, 2) = loader.not_negative(node);
    return inertia;
  }
  const std::string what = "a list of 3 moments (xx yy zz) or 6 (xx yy zz xy xz yz)";
  const std::vector<InputNode> items = node.items(what);
  if (items.size() != 3 && items.size() != 6) {
    if (node.is_list()) node.expected(what);
    return inertia;
  }
  for (int k = 0; k < 3; ++k) inertia(k, k) = loader.number(items[k]);
  if (items.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = loader.number(items[3]);
    inertia(0, 2) = inertia(2, 0) = loader.number(items[4]);
    inertia(1, 2) = inertia(2, 1) = loader.number(items[5]);
  }
  check_inertia(loader, inertia, name, node);
  return inertia;
}

double load_mass(Loader& loader, const Fields& fields, const std::optional<Shape>& shape) {
  const std::optional<InputNode> density = fields.find("density");
  if (!density) {
    const std::optional<InputNode> mass = fields.require("mass");
    return mass ? loader.not_negative(*mass) : unset;
  }
  if (fields.has("mass")) {
    fields.refuse("density", "give the mass or the density, not both");
  } else if (!shape) {
    fields.refuse("density", "a density needs a shape; give the mass");
  }
  return loader.not_negative(*density) * (shape ? shape->content : unset);
}

// --- frames ---

Shape load_rod(Loader& loader, const Fields& fields, const InputNode& node, Body& body, int index) {
  for (const char* key : {"inertia", "center", "orientation", "angle", "shape"}) {
    fields.refuse(
        key, fmt::format("'{}' does not go with 'rod', whose centre, frame and inertia follow from its ends", key));
  }
  const std::optional<InputNode> radius_node = fields.find("radius");
  const double radius = radius_node ? loader.positive(*radius_node) : 0;
  const std::vector<InputNode> ends = node.items(2, "a list of the 2 ends of the rod");
  if (ends.empty()) return {};
  const Vec3 from = loader.place(ends[0], index), to = loader.place(ends[1], index);
  const double length = (to - from).stableNorm();
  body.center = (from + to) / 2;
  if (length == 0) node.error("the two ends of the rod are the same place");
  if (!(length > 0)) return {};
  if (loader.planar()) {
    body.angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    body.orientation = about_z(body.angle);
  } else {
    body.orientation = frame_along((to - from) / length);
  }
  return rod_shape(Vec3::UnitX(), length, radius);
}

void load_frame(Loader& loader, const Fields& fields, Body& body, int index) {
  if (const std::optional<InputNode> center = fields.require("center")) body.center = loader.place(*center, index);
  if (const std::optional<InputNode> angle = fields.find("angle")) {
    body.angle = loader.number(*angle);
    body.orientation = about_z(body.angle);
  }
  if (const std::optional<InputNode> node = fields.find("orientation"))
    body.orientation = load_orientation(loader, *node);
}

Body load_body(Loader& loader, const NamedNode& entry, int index) {
  Body body;
  body.name = entry.name;
  const std::vector<std::string> keys =
      loader.planar()
          ? std::vector<std::string>{"mass", "density", "inertia", "center", "angle", "rod", "shape", "geometry"}
          : std::vector<std::string>{"mass", "density", "inertia", "center",  "orientation",
                                     "rod",  "radius",  "shape",   "geometry"};
  const Fields fields(entry.node, loader.planar() ? "a planar body" : "a spatial body", keys);
  if (!fields.valid()) return body;
  std::optional<Shape> shape;
  if (const std::optional<InputNode> rod = fields.find("rod")) {
    shape = load_rod(loader, fields, *rod, body, index);
  } else {
    fields.refuse("radius", "only a 'rod' has a radius here; other bodies have a 'shape'");
    load_frame(loader, fields, body, index);
    if (const std::optional<InputNode> node = fields.find("shape")) {
      shape = load_shape(loader, *node, body);
      fields.refuse("inertia", "give the inertia or the shape, not both");
    }
  }
  body.mass = load_mass(loader, fields, shape);
  if (shape) {
    body.inertia = body.mass * shape->unit_inertia;
    if (loader.planar()) body.inertia = Vec3(0, 0, body.inertia(2, 2)).asDiagonal();
    body.geometry.push_back(shape->geometry);
  } else if (const std::optional<InputNode> inertia = fields.require("inertia")) {
    body.inertia = load_inertia(loader, *inertia, body.name);
  }
  // Each number is finite, or its problem has been noted; their products need not be.
  if (!loader.has_problems() && !(std::isfinite(body.mass) && body.inertia.allFinite() && body.center.allFinite())) {
    entry.node.error(fmt::format("the mass, the inertia or the place of body '{}' is too large", body.name));
  }
  if (const std::optional<InputNode> geometry = fields.find("geometry")) {
    for (Geometry& solid : load_geometry(loader, *geometry, body)) body.geometry.push_back(std::move(solid));
  }
  return body;
}

}  // namespace

Quaternion load_orientation(Loader& loader, const InputNode& node) {
  const Fields fields(node, "an orientation", {"euler_zxz", "quaternion", "x", "z"});
  if (!fields.valid()) return Quaternion::Identity();
  const std::optional<InputNode> euler = fields.find("euler_zxz"), quaternion = fields.find("quaternion");
  const bool axes = fields.has("x") || fields.has("z");
  if ((euler ? 1 : 0) + (quaternion ? 1 : 0) + (axes ? 1 : 0) != 1) {
    node.error("an orientation needs either 'euler_zxz', or 'quaternion', or 'x' and 'z'");
    return Quaternion::Identity();
  }
  if (axes) return from_two_axes(loader, fields);
  if (euler) {
    const std::vector<double> angles = loader.numbers(*euler, 3, "a list of 3 angles");
    return Quaternion(Eigen::AngleAxisd(angles[0], Vec3::UnitZ()) * Eigen::AngleAxisd(angles[1], Vec3::UnitX()) *
                      Eigen::AngleAxisd(angles[2], Vec3::UnitZ()));
  }
  const std::vector<double> read = loader.numbers(*quaternion, 4, "a list of 4 numbers (w, x, y, z)");
  const Eigen::Vector4d parts(read.data());
  const double largest = parts.cwiseAbs().maxCoeff();
  if (largest == 0) quaternion->error("a quaternion must not be zero");
  if (!(largest > 0)) return Quaternion::Identity();
  const Eigen::Vector4d unit = (parts / largest).normalized();
  return Quaternion(unit[0], unit[1], unit[2], unit[3]);
}

void load_bodies(Loader& loader, const InputNode& node) {
  for (const NamedNode& entry : named_nodes(node, "a map of bodies")) {
    if (entry.name == "ground") {
      entry.name_error("the ground always exists; give the body another name");
      continue;
    }
    const int index = static_cast<int>(loader.model.bodies.size());
    loader.add_body(entry.name);
    loader.model.bodies.push_back(load_body(loader, entry, index));
  }
}

}  // namespace bricard
