#include "io/results/diagnosis_json.h"

#include "bricard/model.h"
#include "io/results/json_writer.h"

namespace bricard {
namespace {

using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic>;

void put_directions(JsonWriter& json, const std::string& key, const Directions& directions) {
  json.key(key).begin_array();
  for (int c = 0; c < directions.cols(); ++c) {
    json.begin_array();
    for (int k = 0; k < 3; ++k) json.value(directions(k, c));
    json.end_array();
  }
  json.end_array();
}

void put_loads(JsonWriter& json, const std::vector<SharedLoad>& loads) {
  json.key("loads").begin_array();
  for (const SharedLoad& load : loads) {
    json.begin_object().member("joint", load.joint).member("words", load.words);
    put_directions(json, "forces", load.forces);
    put_directions(json, "moments", load.moments);
    json.member("effort", load.effort).end_object();
  }
  json.end_array();
}

void put_rank(JsonWriter& json, const RankDiagnosis& rank) {
  json.key("rank_diagnosis").begin_object();
  json.member("measured", rank.measured).member("rank", rank.rank);
  if (!rank.measured) {
    json.end_object();
    return;
  }
  json.member("generic_rank", rank.generic_rank)
      .member("redundant", rank.redundant())
      .member("singular", rank.lost_here() > 0)
      .member("smallest_counted", rank.smallest_counted)
      .member("largest_neglected", rank.largest_neglected)
      .member("nearness", rank.nearness)
      .member("positions_tested", rank.positions_tested);
  json.key("singular_values").begin_array();
  for (double value : rank.singular_values) json.value(value);
  json.end_array().end_object();
}

void put_groups(JsonWriter& json, const std::vector<DependentGroup>& groups) {
  json.key("groups").begin_array();
  for (const DependentGroup& group : groups) {
    json.begin_object()
        .member("excess", group.excess)
        .member("only_here", group.only_here)
        .member("sentence", group.sentence);
    put_loads(json, group.loads);
    json.key("minimal").begin_array();
    for (const MinimalGroup& minimal : group.minimal) {
      json.begin_object().member("sentence", minimal.sentence);
      put_loads(json, minimal.loads);
      json.end_object();
    }
    json.end_array().member("all_minimal", group.all_minimal).end_object();
  }
  json.end_array();
}

void put_reactions(JsonWriter& json, const Diagnosis& d) {
  json.key("reactions").begin_object();
  for (const UniqueReaction& reaction : d.reactions) {
    json.key(reaction.joint).begin_object();
    for (const auto& [name, unique] : reaction.components) json.member(name, unique ? "unique" : "not-unique");
    json.end_object();
  }
  json.end_object();
  json.key("free_directions").begin_object();
  for (const UniqueReaction& reaction : d.reactions) {
    if (reaction.unique) continue;
    json.key(reaction.joint).begin_object().member("words", reaction.words);
    put_directions(json, "forces", reaction.free_forces);
    put_directions(json, "moments", reaction.free_moments);
    json.end_object();
  }
  json.end_object();
  json.key("resultants").begin_array();
  for (const UniqueResultant& resultant : d.resultants) {
    json.begin_object();
    json.key("bodies").array<std::string>({resultant.body_i, resultant.body_j});
    json.key("joints").array(resultant.joints);
    json.member("unique", resultant.unique).end_object();
  }
  json.end_array();
  json.member("reaction_length", d.reaction_length).member("depends_on_length", d.depends_on_length);
  json.member("motion_is_unique", d.motion_is_unique());
}

void put_releases(JsonWriter& json, const std::vector<Release>& releases) {
  json.key("releases").begin_array();
  for (const Release& release : releases) {
    json.begin_object().key("changes").begin_array();
    for (const JointChange& change : release.changes) {
      json.begin_object()
          .member("joint", change.joint)
          .member("from", change.from)
          .member("to", change.to)
          .member("words", change.words)
          .end_object();
    }
    json.end_array()
        .member("constraints", release.constraints)
        .member("rank", release.rank)
        .member("degrees_of_freedom", release.degrees_of_freedom)
        .end_object();
  }
  json.end_array();
}

}  // namespace

std::string diagnosis_json(const Model& model, const Diagnosis& d) {
  const Structure& s = d.structure;
  JsonWriter json;
  json.begin_object();
  json.member("model", model.name).member("coordinate_set", d.coordinates).member("coordinates", s.coordinates);
  json.member("constraints", s.constraints)
      .member("velocity_constraints", s.velocity_constraints)
      .member("rank", s.rank)
      .member("degrees_of_freedom", s.degrees_of_freedom);
  json.key("redundant").begin_array();
  for (const RedundantRow& row : s.redundant)
    json.begin_object().member("joint", row.joint).member("equation", row.equation).end_object();
  json.end_array();
  put_rank(json, d.rank);
  put_groups(json, d.groups);
  put_reactions(json, d);
  put_releases(json, d.releases);
  json.member("consistent", d.assembly.ok)
      .member("constraint_position", d.assembly.position_error)
      .member("constraint_velocity", d.assembly.velocity_error);
  json.key("conflicts").begin_array();
  for (const Conflict& conflict : d.conflicts) {
    json.begin_object()
        .member("joint", conflict.joint)
        .member("metres", conflict.metres)
        .member("radians", conflict.radians)
        .end_object();
  }
  json.end_array();
  json.key("moved").begin_array();
  for (const Displacement& moved : d.assembly.moved) {
    json.begin_object()
        .member("body", moved.body)
        .member("distance", moved.distance)
        .member("angle", moved.angle)
        .end_object();
  }
  json.end_array();
  json.key("massless").array(s.massless);
  json.key("idle_spins").begin_array();
  for (const IdleSpin& spin : d.idle_spins) {
    json.begin_object();
    json.key("bodies").array(spin.bodies);
    json.member("words", spin.words).end_object();
  }
  json.end_array();
  json.key("without_inertia").begin_array();
  for (const InertiaFree& entry : d.inertia_free) json.value(entry.words);
  json.end_array();
  json.key("undetermined_friction").array(d.friction);
  json.key("independent").begin_object().member("selection", d.independent.selection);
  json.key("coordinates").array(d.independent.coordinates);
  json.member("condition", d.independent.condition).end_object();
  json.key("messages").array(d.messages);
  json.end_object();
  return json.text();
}

}  // namespace bricard
