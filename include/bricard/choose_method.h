// What `auto` and unset choices of a method become, and why.
#pragma once

#include <memory>
#include <string>

#include "bricard/method.h"

namespace bricard {

struct Model;

struct ChosenMethod {
  Method method;                      // every field is set
  std::string reason;                 // one sentence
  double step_tolerance = 0;          // of the integrator; another than the method's where the reason says so
  bool formulation_was_free = false;  // left to `auto`: a run may change it where it fails
};

/// The method of a run: what `requested` and then the model leave open is chosen for the model, its structure and its
/// start. Throws InputError as simulate() does.
ChosenMethod choose_method(const std::shared_ptr<const Model>& model, const Method& requested = {});

}  // namespace bricard
