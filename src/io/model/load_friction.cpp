// friction: of a joint.
#include <algorithm>

#include <fmt/format.h>

#include "io/model/loader.h"

namespace bricard {
namespace {

// Coulomb friction of a joint that turns acts at a lever arm.
void load_coulomb(Loader& loader, const Fields& fields, bool turns, Friction& friction) {
  if (const std::optional<InputNode> node = fields.require("coulomb")) friction.coulomb = loader.not_negative(*node);
  if (!turns) {
    fields.refuse("radius", "only the friction of joints that turn has a lever arm");
  } else if (const std::optional<InputNode> node = fields.require("radius")) {
    friction.radius = loader.positive(*node);
  }
}

// The coefficient falls from the one at rest within a small rate of slip, well above that of the smoothing.
void load_friction_at_rest(Loader& loader, const Fields& fields, Friction& friction) {
  const std::optional<InputNode> node = fields.find("static");
  if (!node) {
    fields.refuse("stribeck", "'stribeck' goes with 'static'");
    return;
  }
  friction.at_rest = loader.positive(*node);
  if (friction.at_rest < friction.coulomb || friction.coulomb == 0)
    node->error("the coefficient at rest must not be less than 'coulomb', which must not be zero");
  friction.stribeck = 30 * friction.smoothing;
  if (const std::optional<InputNode> stribeck = fields.find("stribeck")) friction.stribeck = loader.positive(*stribeck);
}

void load_dahl(Loader& loader, const InputNode& node, bool turns, Friction& friction) {
  const Fields fields(node, "Dahl friction", {"stiffness", "limit", "coulomb", "radius"});
  if (!fields.valid()) return;
  if (const std::optional<InputNode> stiffness = fields.require("stiffness"))
    friction.stiffness = loader.positive(*stiffness);
  if (const std::optional<InputNode> limit = fields.find("limit")) {
    friction.limit = loader.positive(*limit);
    fields.refuse("coulomb", "give the limit or the coefficient of friction, not both");
    fields.refuse("radius", "a limit needs no radius");
  } else if (fields.has("coulomb")) {
    load_coulomb(loader, fields, turns, friction);
  } else {
    node.error("Dahl friction needs the key 'limit' or the key 'coulomb'");
  }
}

}  // namespace

Friction load_friction(Loader& loader, const InputNode& node, int joint) {
  Friction friction;
  const std::vector<std::string> coordinates = loader.coordinate_names(joint);
  if (coordinates.empty()) {
    node.error(
        fmt::format("a joint of type {} has no coordinate, so it has no friction", loader.model.joints[joint].type));
    return friction;
  }
  const bool turns = std::find(coordinates.begin(), coordinates.end(), "angle") != coordinates.end();
  const Fields fields(node, "friction", {"coulomb", "static", "stribeck", "radius", "smoothing", "viscous", "dahl"});
  if (!fields.valid()) return friction;
  if (const std::optional<InputNode> viscous = fields.find("viscous")) {
    friction.law = Friction::Law::viscous;
    friction.viscous = loader.not_negative(*viscous);
  }
  if (const std::optional<InputNode> dahl = fields.find("dahl")) {
    for (const char* key : {"coulomb", "static", "stribeck", "radius", "smoothing"}) {
      fields.refuse(key, fmt::format("'{}' does not stand beside 'dahl'", key));
    }
    friction.law = Friction::Law::dahl;
    load_dahl(loader, *dahl, turns, friction);
    return friction;
  }
  if (fields.has("coulomb")) {
    friction.law = Friction::Law::coulomb;
    load_coulomb(loader, fields, turns, friction);
    if (const std::optional<InputNode> smoothing = fields.find("smoothing"))
      friction.smoothing = loader.positive(*smoothing);
    load_friction_at_rest(loader, fields, friction);
  } else {
    for (const char* key : {"static", "stribeck", "radius", "smoothing"})
      fields.refuse(key, fmt::format("'{}' goes with 'coulomb'", key));
    if (fields.empty()) node.error("friction needs one of the keys 'coulomb', 'viscous', 'dahl'");
  }
  return friction;
}

}  // namespace bricard
