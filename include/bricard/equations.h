// The equations of a model at one instant, with names on rows and columns, and what a formulation makes of them by its
// own code: to look at, to teach with, to compare with a calculation by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/method.h"
#include "bricard/model.h"
#include "bricard/types.h"

namespace bricard {

struct NamedMatrix {
  std::string symbol = {};   // "P", "V^T M V"
  std::string formula = {};  // how it comes about, in the symbols of the others
  std::string source = {};   // document and equation
  Matrix values = {};        // in SI units
  std::vector<std::string> rows = {}, columns = {};
  bool is_vector = false;  // one column, without a name
};

struct EquationsOptions {
  double at = 0;                         // s; the model is simulated until then by the method that was chosen
  bool velocity_transformation = false;  // relative coordinates: R1 and what becomes of the equations by it
};

struct EquationsResult {
  bool ok = false;
  std::string failure;  // the matrices that could still be formed are there
  std::vector<std::string> messages;
  double time = 0;
  std::string coordinates, formulation, description, source;
  std::vector<NamedMatrix> system;      // q, v, M, Q, Phi, P, Phi_t, Phi', gamma
  std::vector<NamedMatrix> formulated;  // its own
  std::vector<NamedMatrix> solution;    // lambda, v'
  int rank = 0;                         // of P
  double threshold = 0;                 // relative, by which it was decided
  Vector pivots;                        // of Gauss elimination of P without dimensions, relative to the first
  std::vector<std::string> pivot_rows, pivot_columns;  // the constraint and the velocity that each belongs to
  double motion_residual = 0;                          // |M v' + P^T lambda - Q| / (|M v'| + |P^T lambda| + |Q|)
  double constraint_residual = 0;                      // |P v' - gamma| / (|P| |v'| + |gamma|)

  /// Of any of the three lists; null if there is none.
  const NamedMatrix* find(const std::string& symbol) const;
};

/// `method.formulation`: `auto` is the one that a run would take. Its own algebra is shown, on the whole matrices,
/// whatever engine a run would use. Throws InputError as simulate() does.
EquationsResult show_equations(const std::shared_ptr<const Model>& model, const Method& method = {},
                               const EquationsOptions& options = {});

}  // namespace bricard
