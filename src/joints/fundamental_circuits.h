// Fundamental circuits of gear trains: bodies are vertices, turning pairs and gear pairs are edges of a graph. Each
// gear pair (i, j) closes one circuit of turning pairs in which the axis changes at one vertex k, the transfer vertex:
// the body that carries the axes of both gears.  [Buchsbaum-Freudenstein 1970; Pennestri-Valentini section 6, table 1]
//   angle of i relative to k = ratio * angle of j relative to k
// Turning pairs on one line that share a body have the same level; chains of them are coaxial in every position, so
// that an angle relative to the carrier is a sum of joint angles. Bodies that fixed joints unite are one vertex.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bricard/fundamental_circuit.h"
#include "model/joint_type.h"

namespace bricard {

inline bool is_turning_pair(const Joint& joint) { return type_of(joint).turning_pair; }

/// Turning pairs (such as revolute and cylindrical joints) with their levels.
class TurningPairs {
 public:
  explicit TurningPairs(const Model& model);

  struct Search {
    std::optional<FundamentalCircuit> circuit;
    std::string problem;  // why there is none
  };
  /// The circuit that a gear pair closes.
  Search circuit(int gear_pair) const;
  /// Level of a joint, "" if it is no turning pair.
  std::string level(int joint) const;

 private:
  struct Level {
    std::vector<int> joints, vertices;
    bool has(int vertex) const;
  };
  struct Candidate {
    int level_i, level_j, vertex;
  };
  int vertex(int body) const { return vertex_[body + 1]; }
  const std::string& vertex_name(int vertex) const;
  std::vector<Candidate> candidates(const Joint& pair) const;
  std::vector<TurningStep> path(int level, int from, int to, const Vec3& axis) const;
  std::string orient(const Joint& pair, const Candidate& found, FundamentalCircuit& circuit) const;
  std::optional<double> side(int gear, const Joint& bearing, const Vec3& apex, const Vec3& axis) const;

  const Model& model_;
  double length_;            // of the model
  std::vector<int> vertex_;  // of body b at b + 1
  std::vector<Level> levels_;
};

/// One circuit for each gear pair, in their order. Throws InputError where a carrier cannot be found.
std::vector<FundamentalCircuit> fundamental_circuits(const Model& model);

/// The circuits as a table in the manner of [Pennestri-Valentini table 1]; empty for a model without gear pairs.
std::string circuits_table(const Model& model);

}  // namespace bricard
