#include "analyses/reactions/describe_reactions.h"

#include <fmt/format.h>

namespace bricard {

void describe_reactions(Sink& sink, const Model& model, const Structure& structure, ReactionScheme scheme,
                        double reaction_length) {
  ChosenMethod chosen;
  chosen.method.coordinates = "reference-point";
  for (const ReactionSchemeType& type : reaction_scheme_types()) {
    if (type.scheme == scheme) chosen.method.reactions = type.name;
  }
  chosen.method.reaction_length = reaction_length > 0 ? reaction_length : model.characteristic_length();
  ResultNotes notes;
  for (const auto& [joint, components] : structure.reactions) {
    for (const auto& [component, unique] : components) {
      if (!unique) notes.not_unique.push_back(joint + "." + component);
    }
  }
  if (!notes.not_unique.empty()) {
    notes.convention = scheme == ReactionScheme::blajer_38
                           ? fmt::format("least norm, moments per {:.4g} m", chosen.method.reaction_length)
                       : scheme == ReactionScheme::blajer_38_gauss
                           ? "by Gauss elimination, what depends on other components is zero"
                           : "least-norm multipliers";
  }
  sink.describe({model, chosen, structure, notes});
}

}  // namespace bricard
