// Assembly in given coordinates, and systems that start from it; see bricard/assembly.h.
#pragma once

#include <memory>

#include "bricard/assembly.h"

namespace bricard {

class System;
struct CoordinatesType;

/// `seed` decides which way out of a singular reference is tried. Works on a system of its own; `q`, `v` fit any System
/// of that model and coordinate set.
Assembly assemble(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates, unsigned seed = 1);

/// Tells a System on which revolution the initial joint angles are, and accepts the assembled state as its start.
void start_at(System& system, const Assembly& assembly);

}  // namespace bricard
