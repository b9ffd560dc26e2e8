// The diagnosis of a model at its start: what moves, what is constrained more than once and by which joints, which
// reactions are determined, what is idle, and what could be changed.
#pragma once

#include <memory>

#include "analyses/assembly/assembly.h"
#include "analyses/structure/structure.h"
#include "diagnosis/dependent_groups.h"
#include "diagnosis/idle_freedoms.h"
#include "diagnosis/rank_diagnosis.h"
#include "diagnosis/releases.h"
#include "diagnosis/unique_reactions.h"

namespace bricard {

/// A joint or motion that cannot be satisfied together with the others, and by how much.
struct Conflict {
  std::string joint;
  double metres = 0, radians = 0;
};

/// Independent coordinates as `selection` chooses them here, and how well they determine the rest.
struct IndependentChoice {
  std::string selection;
  std::vector<std::string> coordinates;  // "crank.angle"
  double condition = 1;                  // of [P; B], dimensionless
};

struct Diagnosis {
  std::string coordinates;  // the set of the counts in `structure`
  Assembly assembly;
  std::vector<BodyState> bodies;  // where they were assembled
  Structure structure;
  RankDiagnosis rank;  // this and what follows: of free bodies (reference-point)
  std::vector<DependentGroup> groups;
  std::vector<UniqueReaction> reactions;
  std::vector<UniqueResultant> resultants;
  double reaction_length = 1;         // moments count as forces at this distance in least-norm reactions
  bool depends_on_length = false;     // whether such reactions change with it
  std::vector<std::string> friction;  // joints whose friction depends on a load that is not unique
  std::vector<Conflict> conflicts;    // worst first; empty if it was assembled
  std::vector<Release> releases;      // smallest changes that make it exactly constrained
  std::vector<IdleSpin> idle_spins;
  std::vector<InertiaFree> inertia_free;
  IndependentChoice independent;
  std::vector<std::string> messages;

  bool ok() const { return assembly.ok && structure.accelerations_are_unique; }
  bool motion_is_unique() const { return friction.empty() && structure.accelerations_are_unique; }
};

struct DiagnosisOptions {
  std::string coordinates = {};     // empty: as `auto` chooses
  std::string selection = "gauss";  // of independent coordinates
  double reaction_length = 0;       // 0: the model's characteristic length
  bool releases = true;
  unsigned seed = 1;
  double time_limit = unset, memory_limit = unset;  // s, MB; see check_work()
};

Diagnosis diagnose(const std::shared_ptr<const Model>& model, const DiagnosisOptions& options = {});

}  // namespace bricard
