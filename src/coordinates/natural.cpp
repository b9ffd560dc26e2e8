// `natural`: points and unit vectors that bodies share at their joints, q' as velocities. Which ones there are:
// natural_structure.h; how a body moves with them: natural_frame.h.                     [Jalon-Bayo, chapters 2 and 4]
// Points and vectors are linear in q: M is constant, there are no inertia forces, and only rotations have a bias.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "coordinates/coordinates.h"
#include "coordinates/natural_frame.h"

namespace bricard {
namespace {

template <int D>
class Natural : public Coordinates {
 public:
  using Frame = NaturalFrame<D>;
  using VecD = typename Frame::VecD;
  using MatD = typename Frame::MatD;
  static constexpr int K = Frame::K;

  explicit Natural(const Model& model)
      : model_(model),
        structure_(model),
        is_point_(structure_.coordinates),
        turn_(model.bodies.size(), 0.0),
        v_(Vector::Zero(structure_.coordinates)) {
    for (const BasicElement& element : structure_.elements) {
      for (int c = 0; element.first >= 0 && c < D; ++c) is_point_[element.first + c] = element.is_point;
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      frames_.emplace_back(model.bodies[b], structure_.frames[b], structure_.elements);
      add_mass(frames_[b], model.bodies[b]);
    }
  }

  int position_size() const override { return structure_.coordinates; }
  int velocity_size() const override { return structure_.coordinates; }
  bool is_rotation(int k) const override { return !is_point_[k]; }
  bool is_length(int k) const override { return is_point_[k]; }
  bool velocities_are_rates() const override { return true; }
  std::string position_name(int k) const override { return structure_.coordinate_name(model_, k); }
  std::string velocity_name(int k) const override { return position_name(k) + '\''; }
  bool absorbs(int joint) const override { return structure_.absorbed[joint]; }

  void from_bodies(const std::vector<BodyState>& bodies, VectorRef q, VectorRef v) const override {
    for (const BasicElement& element : structure_.elements) {
      if (element.first < 0) continue;
      const BodyState& state = bodies[element.body];
      const Body& body = model_.bodies[element.body];
      const double is_point = element.is_point ? 1 : 0;
      const Vec3 lever =
          state.orientation * (body.orientation.conjugate() * Vec3(element.reference - is_point * body.center));
      q.segment<D>(element.first) = (is_point * state.center + lever).template head<D>();
      v.segment<D>(element.first) = (is_point * state.velocity + state.omega.cross(lever)).template head<D>();
    }
    for (std::size_t b = 0; b < bodies.size(); ++b) turn_[b] = bodies[b].angle - model_.bodies[b].angle;
  }

  void reference(VectorRef q) const override {
    for (const BasicElement& element : structure_.elements) {
      if (element.first >= 0) q.segment<D>(element.first) = element.reference.template head<D>();
    }
    std::fill(turn_.begin(), turn_.end(), 0.0);
  }

  void position_rate(ConstVector, ConstVector v, VectorRef qdot) const override { qdot = v; }
  void velocity_from_rate(ConstVector, ConstVector qdot, VectorRef v) const override { v = qdot; }
  void position_acceleration(ConstVector, ConstVector, ConstVector vdot, VectorRef qddot) const override {
    qddot = vdot;
  }
  void advance(VectorRef q, ConstVector displacement) const override { q += displacement; }
  void difference(ConstVector q0, ConstVector q1, VectorRef displacement) const override { displacement = q1 - q0; }

  void update_positions(ConstVector q, Markers& markers) override {
    for (std::size_t b = 0; b < frames_.size(); ++b) {
      Frame& frame = frames_[b];
      frame.update([&](int element) { return value(element, q); });
      if constexpr (D == 2) {
        // The angle is known but for full turns: it is the one nearest to that of the last update.
        const double angle = std::atan2(frame.F(1, 0), frame.F(0, 0)) - model_.bodies[b].angle;
        turn_[b] += std::remainder(angle - turn_[b], 2 * std::numbers::pi);
        markers.turn[b] = turn_[b];
      }
    }
    for (int k = 0; k < markers.size(); ++k) {
      const Marker& m = markers.list[k];
      if (m.body == ground || m.kind == MarkerKind::rotation) continue;
      const Frame& frame = frames_[m.body];
      markers.value[k].template head<D>() = frame.F * m.local.template head<D>();
      if (m.kind == MarkerKind::point) markers.value[k].template head<D>() += frame.center;
    }
  }

  void update_velocities(ConstVector, ConstVector v, Markers& markers) override {
    v_ = v;
    for (Frame& frame : frames_) frame.update_rates([&](int element) { return rate(element, v); });
    for (int k = 0; k < markers.size(); ++k) {
      const Marker& m = markers.list[k];
      if (m.body == ground) continue;
      const Frame& frame = frames_[m.body];
      if (m.kind == MarkerKind::rotation) {
        markers.rate[k] = frame.omega;
        markers.bias[k] = frame.omega_bias;
        continue;
      }
      markers.rate[k].template head<D>() = frame.F_rate * m.local.template head<D>();
      if (m.kind == MarkerKind::point) markers.rate[k].template head<D>() += frame.center_rate;
    }
  }

  Vec3 center(int b) const override {
    Vec3 result = Vec3::Zero();
    result.template head<D>() = frames_[b].center;
    return result;
  }

  Mat3 frame(int b) const override {
    Vec3 x = Vec3::Zero(), y = Vec3::Zero();
    x.template head<D>() = frames_[b].F.col(0).normalized();
    y.template head<D>() = frames_[b].F.col(1);
    const Vec3 z = x.cross(y).normalized();
    Mat3 result;
    result << x, z.cross(x), z;
    return result;
  }

  void columns(const Marker& marker, std::vector<int>& columns) const override {
    columns.clear();
    spread(marker, Vec3::Zero(), [&](int first, const VecD&) {
      for (int c = 0; c < D; ++c) columns.push_back(first + c);
    });
  }

  // Joints between bodies that share points and vectors act on those alone, and what they say of them may cancel.
  // Rounding errors would be left of it, and rows made of nothing else would count as constraints: they are removed,
  // row by row. The gradient of a direction is a difference of places and has their errors.
  void scatter(const Markers& markers, const std::vector<GradientEntry>& entries, const std::vector<Vec3>& gradients,
               const std::vector<int>& slots, double* values) const override {
    const int* slot = slots.data();
    for (std::size_t e = 0; e < entries.size();) {
      std::size_t last = e;
      double places = 0;  // size of what gradients of directions are differences of
      for (; last < entries.size() && entries[last].row == entries[e].row; ++last) {
        const int k = entries[last].marker;
        const Marker& m = markers.list[k];
        if (m.kind != MarkerKind::point) continue;
        // A place near the origin may be the difference of large numbers.
        const double place =
            m.body == ground ? markers.value[k].norm() : frames_[m.body].center.norm() + m.local.norm();
        places = std::max(places, gradients[last].norm() * place);
      }
      const int* const first_slot = slot;
      std::array<double, 2> size = {0, 0};  // of what is added up for vectors and points
      kinds_.clear();
      for (; e < last; ++e) {
        const Marker& marker = markers.list[entries[e].marker];
        const double length = gradients[e].norm();
        const double ratio = marker.kind == MarkerKind::vector && length > 0 ? std::max(1.0, places / length) : 1;
        spread(marker, gradients[e], [&](int first, const VecD& part) {
          const bool is_point = is_point_[first];
          size[is_point] = std::max(size[is_point], ratio * part.norm());
          for (int c = 0; c < D; ++c) values[*slot++] += part[c];
          kinds_.push_back(is_point);
        });
      }
      constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
      for (const int* s = first_slot; s != slot; ++s) {
        if (std::abs(values[*s]) < rounding * size[kinds_[(s - first_slot) / D]]) values[*s] = 0;
      }
    }
  }

  void scatter(const Markers& markers, const std::vector<Load>& loads, VectorRef Q) const override {
    for (const Load& load : loads) {
      spread(markers.list[load.marker], load.value, [&](int first, const VecD& part) { Q.segment<D>(first) += part; });
    }
  }

  // Points and vectors are linear in q, and M is constant: of rotations alone there is a J'.
  void add_momentum_rates(ConstVector, ConstVector, const Markers& markers, const std::vector<Load>& impulses,
                          const std::vector<Vec3>& rates, VectorRef Q) const override {
    for (std::size_t k = 0; k < impulses.size(); ++k) {
      const Marker& m = markers.list[impulses[k].marker];
      if (m.body == ground) continue;
      if (m.kind != MarkerKind::rotation) {
        spread(m, rates[k], [&](int first, const VecD& part) { Q.segment<D>(first) += part; });
        continue;
      }
      const Frame& frame = frames_[m.body];
      const std::array<VecD, K + 1> parts = frame.turning_rate(impulses[k].value, rates[k]);
      for (int e = frame.has_line() ? 0 : 1; e <= K; ++e) {
        const int first = structure_.elements[frame.elements[e]].first;
        if (first >= 0) Q.segment<D>(first) += parts[e];
      }
    }
  }

  void mass_pattern(std::vector<Eigen::Triplet<double>>& pattern) const override {
    for_each_mass_entry([&](int row, int column, double) { pattern.emplace_back(row, column, 0); });
  }

  void bind_mass(const SparseColumns& M) override {
    mass_values_.assign(M.nonZeros(), 0.0);
    const int *inner = M.innerIndexPtr(), *outer = M.outerIndexPtr();
    for_each_mass_entry([&](int row, int column, double entry) {
      mass_values_[std::lower_bound(inner + outer[column], inner + outer[column + 1], row) - inner] = entry;
    });
  }

  void mass(double* values) const override { std::copy(mass_values_.begin(), mass_values_.end(), values); }

  double kinetic_energy() const override {
    double sum = 0;
    for (const auto& [place, block] : mass_) {
      sum += v_.segment<D>(place.first).dot(block * v_.segment<D>(place.second));
    }
    return 0.5 * sum;
  }

  void inertia_forces(VectorRef) const override {}

  int own_rows() const override { return static_cast<int>(structure_.rows.size()); }
  std::string own_row_name(int row) const override { return structure_.rows[row].name; }
  void own_row_columns(int row, std::vector<int>& columns) const override {
    columns.clear();
    for (const RigidityRow::Term& term : structure_.rows[row].terms) {
      const int first = structure_.elements[term.element].first;
      for (int c = 0; first >= 0 && c < D; ++c) columns.push_back(first + c);
    }
  }
  void own_row(int row, ConstVector q, ConstVector v, double& Phi, double& Phi_dot, double& gamma,
               double* values) const override {
    const RigidityRow& r = structure_.rows[row];
    VecD f = VecD::Zero(), g = VecD::Zero(), f_rate = VecD::Zero(), g_rate = VecD::Zero();
    for (const RigidityRow::Term& term : r.terms) {
      const VecD x = value(term.element, q), x_rate = rate(term.element, v);
      f += term.first * x, f_rate += term.first * x_rate;
      g += term.second * x, g_rate += term.second * x_rate;
    }
    Phi = (f.dot(g) - r.constant) / r.scale;
    Phi_dot = (f_rate.dot(g) + f.dot(g_rate)) / r.scale;
    gamma = -2 * f_rate.dot(g_rate) / r.scale;
    for (const RigidityRow::Term& term : r.terms) {
      if (structure_.elements[term.element].first < 0) continue;
      for (int c = 0; c < D; ++c) *values++ = (term.first * g[c] + term.second * f[c]) / r.scale;
    }
  }

  void add_own_row_rates(ConstVector, ConstVector v, ConstVector sigma, VectorRef Q) const override {
    for (int row = 0; row < own_rows(); ++row) {
      const RigidityRow& r = structure_.rows[row];
      VecD f_rate = VecD::Zero(), g_rate = VecD::Zero();
      for (const RigidityRow::Term& term : r.terms) {
        const VecD x_rate = rate(term.element, v);
        f_rate += term.first * x_rate;
        g_rate += term.second * x_rate;
      }
      for (const RigidityRow::Term& term : r.terms) {
        const int first = structure_.elements[term.element].first;
        if (first >= 0) Q.segment<D>(first) += sigma[row] / r.scale * (term.first * g_rate + term.second * f_rate);
      }
    }
  }

 private:
  VecD value(int element, const ConstVector& q) const {
    const BasicElement& e = structure_.elements[element];
    return e.first < 0 ? VecD(e.reference.template head<D>()) : VecD(q.segment<D>(e.first));
  }
  VecD rate(int element, const ConstVector& v) const {
    const BasicElement& e = structure_.elements[element];
    return e.first < 0 ? VecD(VecD::Zero()) : VecD(v.segment<D>(e.first));
  }

  /// visit(first coordinate, part of the gradient g) for each element on which the marker depends and that moves.
  template <class Visit>
  void spread(const Marker& m, const Vec3& g, const Visit& visit) const {
    if (m.body == ground) return;
    const Frame& frame = frames_[m.body];
    const auto visit_if_free = [&](int k, const VecD& part) {
      const int first = structure_.elements[frame.elements[k]].first;
      if (first >= 0) visit(first, part);
    };
    if (m.kind == MarkerKind::rotation) {
      const std::array<VecD, K + 1> parts = frame.turning(g);
      for (int k = frame.has_line() ? 0 : 1; k <= K; ++k) visit_if_free(k, parts[k]);
      return;
    }
    const typename Frame::Weights weights = frame.weights(m.local, m.kind == MarkerKind::point);
    for (int k = 0; k <= K; ++k) {
      if (!weights[k].is_zero()) visit_if_free(k, weights[k].transposed_times(g.template head<D>()));
    }
  }

  void add_mass(const Frame& frame, const Body& body) {
    const auto inertia = frame.inertia(body);
    for (int i = 0; i <= K; ++i) {
      for (int j = 0; j <= K; ++j) {
        const int row = structure_.elements[frame.elements[i]].first;
        const int column = structure_.elements[frame.elements[j]].first;
        if (row < 0 || column < 0) continue;
        mass_.try_emplace({row, column}, MatD::Zero()).first->second += inertia[i][j].matrix();
      }
    }
  }

  template <class Visit>
  void for_each_mass_entry(const Visit& visit) const {
    for (const auto& [place, block] : mass_) {
      for (int r = 0; r < D; ++r) {
        for (int c = 0; c < D; ++c) {
          const int row = place.first + r, column = place.second + c;
          if (row == column || block(r, c) != 0) visit(row, column, block(r, c));
        }
      }
    }
  }

  const Model& model_;
  NaturalStructure structure_;
  std::vector<bool> is_point_;  // by coordinate
  std::vector<Frame> frames_;
  mutable std::vector<double> turn_;          // the plane: of each body since the reference
  std::map<std::pair<int, int>, MatD> mass_;  // blocks by their first row and column
  std::vector<double> mass_values_;
  mutable std::vector<char> kinds_;  // of the elements that a row acts on: 1 points, 0 vectors
  Vector v_;
};

}  // namespace

namespace coordinate_sets {
CoordinatesType natural() {
  return {
      .name = "natural",
      .description =
          "points and unit vectors that bodies share at revolute, spherical, universal and fixed joints, with q' as "
          "velocities; M constant",
      .source = "Garcia de Jalon, Bayo 1994, chapters 2 and 4",
      .planar = true,
      .spatial = true,
      .singular_mass = false,
      .absorbs_joints = true,
      .create = [](const Model& model) -> std::unique_ptr<Coordinates> {
        if (model.planar()) return std::make_unique<Natural<2>>(model);
        return std::make_unique<Natural<3>>(model);
      }};
}
}  // namespace coordinate_sets
}  // namespace bricard
