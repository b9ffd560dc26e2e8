// The diagnosis of a model at its start: what moves, what is constrained more than once and by which joints, which
// reactions are determined, what is idle, and what could be changed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bricard/assembly.h"
#include "bricard/method.h"
#include "bricard/structure.h"

namespace bricard {

struct RankDiagnosis {
  bool measured = false;  // singular values and positions beside need dense decompositions: not for large models
  int rows = 0;
  int rank = 0;                  // here
  int generic_rank = 0;          // the largest at positions beside
  Vector singular_values;        // of the dimensionless constraints, descending, over the largest
  double smallest_counted = 1;   // the last one above the gap
  double largest_neglected = 0;  // the first one below it
  double nearness = 1;         // to a singular position: singular value of the generic rank over the largest; 0 at one
  double nearness_beside = 0;  // the largest at positions beside
  int positions_tested = 0;    // beside this one, by random steps and along a short motion
  Vector beside;               // of those with the generic rank the farthest from a singular position; or empty

  int redundant() const { return rows - generic_rank; }
  int lost_here() const { return generic_rank - rank; }
};

/// What one joint contributes to a group.
struct SharedLoad {
  std::string joint;                                         // or motion
  Eigen::Matrix<double, 3, Eigen::Dynamic> forces, moments;  // orthonormal world directions
  bool effort = false;
  std::string words;  // "z force", "forces normal to its axis and moment about x"
};

struct MinimalGroup {
  std::vector<SharedLoad> loads;
  std::string sentence;
};

struct DependentGroup {
  int excess = 0;     // over-constrained by so many
  int only_here = 0;  // how many of these only at this position
  std::vector<SharedLoad> loads;
  std::vector<MinimalGroup> minimal;  // by size, then names
  bool all_minimal = true;            // false: there are more of them
  std::string sentence;

  /// " (at this position only)" or how many of them; empty if they are redundant everywhere.
  std::string here_only() const;
};

struct UniqueReaction {
  std::string joint;  // or motion
  bool unique = true;
  std::vector<std::pair<std::string, bool>> components;                // fx .. mz or effort, world axes
  Eigen::Matrix<double, 3, Eigen::Dynamic> free_forces, free_moments;  // directions that are not determined
  std::string words;  // "the force along crank2 is not unique, across it it is"; empty if all is unique
};

/// Of two bodies joined by several joints, what these joints exert together.
struct UniqueResultant {
  std::string body_i, body_j;
  std::vector<std::string> joints;
  bool unique = true;
};

struct JointChange {
  std::string joint;         // or motion
  std::string from, to;      // types; to: "none" if it is to be taken out
  Vec3 axis = Vec3::Zero();  // of the new type, where it has one that the old one has not
  std::string words;         // "P1B: revolute -> point_on_line along x"
};

struct Release {
  std::vector<JointChange> changes;
  int constraints = 0, rank = 0, degrees_of_freedom = 0;  // counted on the changed model
  std::shared_ptr<const Model> model;                     // the changed one, without forces, outputs and start values
};

/// A body, or several fixed to each other, may turn about an axis through its centre of mass without moving anything,
/// and no joint is there to let it turn so.
struct IdleSpin {
  std::vector<std::string> bodies;
  Vec3 axis = Vec3::Zero();
  std::string words;
};

struct InertiaFree {
  std::string body;
  bool no_mass = false;
  Eigen::Matrix<double, 3, Eigen::Dynamic> axes;  // without a moment of inertia, world axes
  bool moves_freely = false;                      // no constraint holds it either: its acceleration is undetermined
  std::string words = {};
};

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
