// Turns `auto` and unset choices into names, says why, and refuses what does not fit a system before anything runs.
#pragma once

#include "analyses/choice/start_traits.h"
#include "bricard/choose_method.h"
#include "bricard/input_error.h"

namespace bricard {

/// Coordinates come first, because the system is built from them. Throws InputError for unknown or unfit names.
const CoordinatesType& choose_coordinates(const Model& model, const Method& requested);

/// Those that are better where the start shows that `auto` will take an implicit integrator, which has exact
/// derivatives in coordinates of bodies; null if `system` has them, or something that depends on them was asked for.
const CoordinatesType* coordinates_for_stiffness(const System& system, const Structure& structure,
                                                 const Method& requested, const StartTraits& start);

/// The rest. Throws InputError with the reason and an alternative if a choice does not fit the system.
/// `start` is needed where something is left to `auto`; without it, counts alone decide.
ChosenMethod choose_method(const System& system, const Structure& structure, const Method& requested,
                           const StartTraits& start = {});
/// True if `auto` has something to choose that depends on the start.
bool wants_start_traits(const Method& requested);

}  // namespace bricard
