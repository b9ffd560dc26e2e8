#include "analyses/equations/velocity_transformation.h"

#include "coordinates/spanning_tree.h"

namespace bricard {
namespace {

const char* const of_transformation = "Jalon-Bayo (5.71)-(5.86)";
const char* const of_biases = "Jalon-Bayo (5.87)-(5.88), corrected";
const char* const of_equations = "Jalon-Bayo (5.90)-(5.92)";

std::vector<std::string> velocity_names(const System& system) {
  std::vector<std::string> names;
  for (int k = 0; k < system.velocity_size(); ++k) names.push_back(system.coordinates().velocity_name(k));
  return names;
}

/// The rows of the joints that are in the tree, of the coordinates themselves, or all others.
std::vector<int> rows_of(const System& system, const SpanningTree& tree, bool in_tree) {
  std::vector<int> rows;
  for (int row = 0; row < system.row_count(); ++row) {
    const RowInfo& info = system.rows()[row];
    const bool of_tree = info.owner == RowOwner::coordinates ||
                         (info.owner == RowOwner::joint && tree.in_tree[static_cast<std::size_t>(info.index)]);
    if (of_tree == in_tree) rows.push_back(row);
  }
  return rows;
}

Matrix part(const Matrix& all, const std::vector<int>& rows) {
  Matrix chosen(static_cast<Eigen::Index>(rows.size()), all.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) chosen.row(static_cast<Eigen::Index>(k)) = all.row(rows[k]);
  return chosen;
}

std::vector<std::string> row_names(const System& system) {
  std::vector<std::string> names;
  for (int row = 0; row < system.row_count(); ++row) names.push_back(system.row_name(row));
  return names;
}

std::vector<std::string> names_of(const System& system, const std::vector<int>& rows) {
  std::vector<std::string> names;
  for (const int row : rows) names.push_back(system.row_name(row));
  return names;
}

/// The model with its loops open: points at which they were closed belong to one body each.
std::shared_ptr<const Model> opened(const Model& model, const SpanningTree& tree) {
  auto open = std::make_shared<Model>(model);
  open->joints.clear();
  open->motions.clear();
  open->forces.clear();
  open->outputs.clear();
  open->initial = {};
  for (std::size_t joint = 0; joint < model.joints.size(); ++joint) {
    if (tree.in_tree[joint]) open->joints.push_back(model.joints[joint]);
  }
  return open;
}

/// Another coordinate set.
struct OtherSet {
  OtherSet(const std::shared_ptr<const Model>& model, const char* set)
      : system(model, *find_coordinates_type(set)),
        q(system.position_size()),
        v(system.velocity_size()),
        eq(system.empty_equations()) {}
  void evaluate(double t, const std::vector<BodyState>& bodies, const Vector& states) {
    system.coordinates().from_bodies(bodies, q, v);
    system.evaluate(t, q, v, states, Upto::dynamics, eq);
  }
  System system;
  Vector q, v;
  Equations eq;
};

}  // namespace

std::vector<NamedMatrix> velocity_transformation(System& system, double t, const Vector& q, const Vector& v,
                                                 const Vector& states) {
  const SpanningTree& tree = *system.coordinates().spanning_tree();
  const int bodies = static_cast<int>(system.model().bodies.size()), n = system.velocity_size();
  const std::shared_ptr<const Model> open = opened(system.model(), tree);
  const CoordinatesType& natural_type = *find_coordinates_type("natural");
  const bool has_natural = !natural_type.misfit || natural_type.misfit(*open).empty();
  OtherSet twists(system.shared_model(), "reference-point");
  std::unique_ptr<OtherSet> natural;
  if (has_natural) natural = std::make_unique<OtherSet>(open, "natural");

  Equations eq = system.empty_equations();
  std::vector<BodyState> motion;
  Matrix R1(twists.system.velocity_size(), n), R1_natural(natural ? natural->system.velocity_size() : 0, n);
  for (int k = 0; k < n; ++k) {
    system.evaluate(t, q, Vector::Unit(n, k), states, Upto::velocities, eq);
    system.body_states(motion);
    twists.system.coordinates().from_bodies(motion, twists.q, twists.v);
    R1.col(k) = twists.v;
    if (!natural) continue;
    natural->system.coordinates().from_bodies(motion, natural->q, natural->v);
    R1_natural.col(k) = natural->v;
  }
  system.evaluate(t, q, v, states, Upto::velocities, eq);
  system.body_states(motion);
  std::vector<BodyState> biases = motion;
  for (int b = 0; b < bodies; ++b) {
    biases[b].velocity = system.coordinates().bias(b);
    biases[b].omega = system.coordinates().omega_bias(b);
  }
  twists.system.coordinates().from_bodies(biases, twists.q, twists.v);
  const Vector bias = twists.v;
  twists.evaluate(t, motion, states);

  const std::vector<std::string> z = velocity_names(system), v1 = velocity_names(twists.system);
  const std::vector<int> rows1 = rows_of(twists.system, tree, true), rows2 = rows_of(twists.system, tree, false);
  const Matrix P(twists.eq.P), M(twists.eq.M);
  const Matrix P2 = part(P, rows2);
  const Vector gamma2 = part(twists.eq.gamma, rows2);
  const std::vector<std::string> names1 = names_of(twists.system, rows1), names2 = names_of(twists.system, rows2);

  std::vector<NamedMatrix> shown = {
      {"R1", "v1 = R1 z': velocities of bodies for z_i' = 1, zero but outboard of joint i", of_transformation, R1, v1,
       z},
      {"S1 c1", "v1' - R1 z'': accelerations of bodies for z'' = 0", of_biases, bias, v1, {}, true},
      {"P1 R1", "= 0, P1 the rows of the tree's joints", of_equations, part(P, rows1) * R1, names1, z},
      {"P2 R1", "P2 the rows of the joints at which loops are opened", of_equations, P2 * R1, names2, z},
      {"R1^T M1 R1", "mass matrix of the tree", of_equations, R1.transpose() * M * R1, z, z},
      {"R1^T (Q1 - M1 S1 c1)", "its forces", of_equations, R1.transpose() * (twists.eq.Q - M * bias), z, {}, true},
      {"gamma2 - P2 S1 c1", "P2 R1 z'' = gamma2 - P2 S1 c1", of_equations, gamma2 - P2 * bias, names2, {}, true}};
  if (natural) {
    natural->evaluate(t, motion, Vector::Zero(natural->system.state_size()));
    shown.push_back({"R1 (natural)", "the same of points and unit vectors, loops open", of_transformation, R1_natural,
                     velocity_names(natural->system), z});
    shown.push_back({"P1 R1 (natural)", "= 0, P1 the rows that keep bodies rigid and those of the tree's joints",
                     of_equations, Matrix(natural->eq.P) * R1_natural, row_names(natural->system), z});
  }
  return shown;
}

}  // namespace bricard
