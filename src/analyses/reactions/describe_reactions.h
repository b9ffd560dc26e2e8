// Tells a sink which reactions are not unique, for analyses that choose no formulation.
#pragma once

#include "analyses/reactions/physical_reactions.h"
#include "bricard/simulate.h"

namespace bricard {

/// Called before Sink::begin(). `scheme`, `reaction_length`: how the reactions are found, see PhysicalReactions.
void describe_reactions(Sink& sink, const Model& model, const Structure& structure, ReactionScheme scheme,
                        double reaction_length);

}  // namespace bricard
