#include "analyses/structure/named_coordinates.h"

#include <fmt/format.h>

#include <algorithm>

#include "bricard/input_error.h"
#include "model/joint_type.h"
#include "model/nearest_name.h"

namespace bricard {

NamedCoordinates::NamedCoordinates(const System& system, const std::vector<std::string>& names) {
  const Model& model = system.model();
  std::vector<std::string> candidates;
  std::vector<Found> places;
  const auto add = [&](const std::string& name, const Found& place) {
    candidates.push_back(name);
    places.push_back(place);
  };
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const auto kinds = coordinate_names(*find_joint_type(model.joints[k].type), model.dimension);
    for (std::size_t c = 0; c < kinds.size(); ++c)
      add(model.joints[k].name + "." + kinds[c], {.signal = system.joint_coordinates()[k][c]});
  }
  for (std::size_t b = 0; model.planar() && b < model.bodies.size(); ++b)
    add(model.bodies[b].name + ".angle", {.velocity = static_cast<int>(3 * b + 2)});

  for (const std::string& given : names) {
    auto place = std::find(candidates.begin(), candidates.end(), given);
    if (place == candidates.end()) {  // a joint's first coordinate
      place = std::find_if(candidates.begin(), candidates.end(),
                           [&](const std::string& name) { return name.substr(0, name.find('.')) == given; });
    }
    if (place == candidates.end())
      throw InputError(fmt::format("no coordinate is called '{}'{}", given, suggestion(given, candidates)));
    if (std::find(names_.begin(), names_.end(), *place) != names_.end())
      throw InputError(fmt::format("the independent coordinate '{}' is given twice", *place));
    names_.push_back(*place);
    found_.push_back(places[place - candidates.begin()]);
  }
}

Matrix NamedCoordinates::gradients(const System& system) const {
  const Signals& signals = system.signals();
  Matrix G = Matrix::Zero(size(), system.velocity_size());
  std::vector<Load> loads;
  Vector row(system.velocity_size());
  for (int k = 0; k < size(); ++k) {
    if (found_[k].velocity >= 0) {
      G(k, found_[k].velocity) = 1;
      continue;
    }
    loads.clear();
    const int signal = found_[k].signal;
    for (int e = 0; e < signals.entries(signal); ++e)
      loads.push_back({signals.markers_of(signal)[e], signals.gradient(signal)[e]});
    row.setZero();
    system.coordinates().scatter(system.markers(), loads, row);
    G.row(k) = row.transpose();
  }
  return G;
}

void NamedCoordinates::rates(const System& system, ConstVector v, VectorRef values) const {
  for (int k = 0; k < size(); ++k)
    values[k] = found_[k].velocity >= 0 ? v[found_[k].velocity] : system.signals()[found_[k].signal].rate;
}

void NamedCoordinates::biases(const System& system, VectorRef values) const {
  for (int k = 0; k < size(); ++k)
    values[k] = found_[k].velocity >= 0 ? 0 : system.signals()[found_[k].signal].acceleration;
}

}  // namespace bricard
