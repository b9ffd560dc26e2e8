#include "system/tangent.h"

#include <algorithm>

#include "coordinates/body_twists.h"

namespace bricard {
namespace {

/// X [s]
Mat3 times_cross(const Mat3& X, const Vec3& s) {
  Mat3 product;
  product.col(0) = s.z() * X.col(1) - s.y() * X.col(2);
  product.col(1) = s.x() * X.col(2) - s.z() * X.col(0);
  product.col(2) = s.y() * X.col(0) - s.x() * X.col(1);
  return product;
}

/// [s] X
Mat3 cross_times(const Vec3& s, const Mat3& X) {
  Mat3 product;
  product.row(0) = s.y() * X.row(2) - s.z() * X.row(1);
  product.row(1) = s.z() * X.row(0) - s.x() * X.row(2);
  product.row(2) = s.x() * X.row(1) - s.y() * X.row(0);
  return product;
}

enum Part { translation, rotation };

/// Adds a part of a 6 x 6 block, of which the plane has rows and columns x, y and the rotation about z.
template <int V>
void add_part(double* first, int stride, Part row, Part column, const Mat3& X) {
  Eigen::Map<Eigen::Matrix<double, V, V>, 0, Eigen::OuterStride<>> block(first, Eigen::OuterStride<>(stride));
  if constexpr (V == 6) {
    block.template block<3, 3>(3 * row, 3 * column) += X;
  } else if (row == translation) {
    if (column == translation)
      block.template topLeftCorner<2, 2>() += X.topLeftCorner<2, 2>();
    else
      block.template topRightCorner<2, 1>() += X.topRightCorner<2, 1>();
  } else {
    if (column == translation)
      block.template bottomLeftCorner<1, 2>() += X.bottomLeftCorner<1, 2>();
    else
      block(2, 2) += X(2, 2);
  }
}

}  // namespace

/// Notes between which markers there are couplings.
class Tangent::Pattern : public LoadCouplings {
 public:
  void add(int loaded, int marker, const Mat3&) override { pairs.emplace_back(loaded, marker); }
  void add(int loaded, int marker, const Mat3&, const Mat3&) override { pairs.emplace_back(loaded, marker); }
  std::vector<std::pair<int, int>> pairs;
};

/// Adds them to K and C.
class Tangent::Blocks : public LoadCouplings {
 public:
  explicit Blocks(Tangent& tangent)
      : t_(tangent), K_(tangent.K_.valuePtr()), C_(tangent.C_.valuePtr()), place_(tangent.places_.data()) {}

  void add(int loaded, int marker, const Mat3& H) override {
    const Place place = *place_++;
    if (place.first < 0) return;
    const Marker& by = t_.markers_.list[marker];
    if (by.kind == MarkerKind::rotation) {
      load(loaded, place, rotation, -H, K_);
      return;
    }
    if (by.kind == MarkerKind::point) load(loaded, place, translation, -H, K_);
    load(loaded, place, rotation, times_cross(H, t_.lever_[marker]), K_);
  }

  void add(int loaded, int marker, const Mat3& H, const Mat3& D) override {
    const Place place = *place_;
    add(loaded, marker, H);
    if (place.first < 0) return;
    const Marker& by = t_.markers_.list[marker];
    if (by.kind == MarkerKind::rotation) {
      load(loaded, place, rotation, -D, C_);
      return;
    }
    if (by.kind == MarkerKind::point) load(loaded, place, translation, -D, C_);
    load(loaded, place, rotation, times_cross(D, t_.lever_[marker]), C_);
    load(loaded, place, rotation, times_cross(times_cross(D, t_.omega_[by.body]), t_.lever_[marker]), K_);
  }

 private:
  /// X: minus the derivative of the load with respect to a part of the other body's twist.
  void load(int loaded, Place place, Part column, const Mat3& X, double* values) {
    const MarkerKind kind = t_.markers_.list[loaded].kind;
    if (kind == MarkerKind::point) add_part(values + place.first, place.stride, translation, column, X);
    add_part(values + place.first, place.stride, rotation, column,
             kind == MarkerKind::rotation ? X : cross_times(t_.lever_[loaded], X));
  }
  void add_part(double* first, int stride, Part row, Part column, const Mat3& X) {
    if (t_.velocities_ == 6)
      bricard::add_part<6>(first, stride, row, column, X);
    else
      bricard::add_part<3>(first, stride, row, column, X);
  }

  Tangent& t_;
  double *K_, *C_;
  const Place* place_;
};

Tangent::Tangent(const System& system)
    : system_(system),
      markers_(system.markers()),
      rows_(system.row_table()),
      twists_(system.coordinates().velocities_are_twists()),
      bodies_(static_cast<int>(system.model().bodies.size())),
      velocities_(bodies_ > 0 ? system.velocity_size() / bodies_ : 0),
      lever_(markers_.size(), Vec3::Zero()),
      load_(markers_.size(), Vec3::Zero()),
      acceleration_(markers_.size(), Vec3::Zero()),
      omega_(bodies_, Vec3::Zero()),
      alpha_(bodies_, Vec3::Zero()) {
  has_pattern_ = !system.absorbs_joints();
  exact_ = twists_ && rows_.exact() && !system.friction_depends_on_load() && system.state_size() == 0;
  build_pattern();
}

// --- structure ---

void Tangent::couple(double t, ConstVector lambda, LoadCouplings& couplings) {
  const ForceContext context = system_.force_context(t);
  rows_.couple(t, markers_, system_.signals(), lambda, couplings);
  bool known = true;
  for (const auto& force : system_.forces()) known = force->couple(context, couplings) && known;
  has_pattern_ = has_pattern_ && known;
  exact_ = exact_ && known;
  system_.friction().couple(context, couplings);
}

void Tangent::build_pattern() {
  Pattern pattern;
  couple(0, Vector::Zero(system_.row_count()), pattern);
  if (!has_pattern_) return;

  const Coordinates& coordinates = system_.coordinates();
  const int n = system_.velocity_size();
  std::vector<int> columns, other_columns;
  const auto columns_of = [&](const Marker& marker, std::vector<int>& found) {
    coordinates.columns(marker, found);
    if (!twists_ || found.empty()) return;
    found.clear();
    for (int k = 0; k < velocities_; ++k) found.push_back(velocities_ * marker.body + k);
  };
  const auto find_columns = [&](int marker, std::vector<int>& found) { columns_of(markers_.list[marker], found); };
  std::vector<Eigen::Triplet<double>> entries, row_entries;
  const auto add_block = [&](const std::vector<int>& of_rows, const std::vector<int>& of_columns) {
    for (int row : of_rows)
      for (int column : of_columns) entries.emplace_back(row, column, 0);
  };
  coordinates.mass_pattern(entries);
  for (int k = 0; k < n; ++k) entries.emplace_back(k, k, 0);
  for (int body = 0; body < bodies_; ++body) {  // inertia, also of bodies on which no marker is
    columns_of({.body = body, .kind = MarkerKind::point}, columns);
    add_block(columns, columns);
  }
  for (int marker = 0; marker < markers_.size(); ++marker) {
    find_columns(marker, columns);
    add_block(columns, columns);
  }
  std::vector<std::pair<int, int>> pairs = pattern.pairs;
  // Friction that depends on loads depends on what they do.
  const JointFriction& friction = system_.friction();
  for (int element = 0; element < friction.size() && friction.depends_on_load(); ++element) {
    const int joint = friction.joint(element);
    const int signal = system_.joint_coordinates()[joint][friction.coordinate(element)];
    const auto [first, last] = system_.reactions().rows_of_joint(joint);
    for (const RowsTangent::Entry& entry : rows_.entries()) {
      if (entry.row < first || entry.row >= last) continue;
      for (int e = 0; e < system_.signals().entries(signal); ++e)
        pairs.emplace_back(system_.signals().markers_of(signal)[e], entry.marker);
    }
  }
  for (const auto& [loaded, marker] : pairs) {
    find_columns(loaded, columns);
    find_columns(marker, other_columns);
    add_block(columns, other_columns);
  }
  for (const RowsTangent::Entry& entry : rows_.entries()) {
    find_columns(entry.marker, columns);
    for (int column : columns) row_entries.emplace_back(entry.row, column, 0);
  }
  for (int row = 0; row < coordinates.own_rows(); ++row) {
    coordinates.own_row_columns(row, columns);
    add_block(columns, columns);
    for (int column : columns) row_entries.emplace_back(system_.row_count() - coordinates.own_rows() + row, column, 0);
  }
  K_.resize(n, n);
  K_.setFromTriplets(entries.begin(), entries.end());
  C_ = K_;
  Phi_dot_q_.resize(system_.row_count(), n);
  Phi_dot_q_.setFromTriplets(row_entries.begin(), row_entries.end());
  G_q_ = G_v_ = Phi_dot_q_;
  if (exact_) find_places(pattern.pairs);
}

Tangent::Place Tangent::place(int body, int other) const {
  const int *outer = K_.outerIndexPtr(), *inner = K_.innerIndexPtr(), column = velocities_ * other;
  const int* found = std::lower_bound(inner + outer[column], inner + outer[column + 1], velocities_ * body);
  return {static_cast<int>(found - inner), outer[column + 1] - outer[column]};
}

void Tangent::find_places(const std::vector<std::pair<int, int>>& couplings) {
  for (const auto& [loaded, marker] : couplings) {
    const int body = markers_.list[loaded].body, other = markers_.list[marker].body;
    places_.push_back(body == ground || other == ground ? Place{-1, 0} : place(body, other));
  }
  for (int b = 0; b < bodies_; ++b) diagonal_.push_back(place(b, b));
  const int *outer = Phi_dot_q_.outerIndexPtr(), *inner = Phi_dot_q_.innerIndexPtr();
  for (const RowsTangent::Entry& entry : rows_.entries()) {
    const int body = markers_.list[entry.marker].body;
    const int* found = std::lower_bound(inner + outer[entry.row], inner + outer[entry.row + 1], velocities_ * body);
    row_places_.push_back(body == ground ? -1 : static_cast<int>(found - inner));
  }
}

// --- values ---

void Tangent::set_kinematics(ConstVector vdot) {
  const Coordinates& coordinates = system_.coordinates();
  for (int b = 0; b < bodies_; ++b) {
    omega_[b] = system_.angular_velocity(b);
    alpha_[b].setZero();
    if (velocities_ == 6)
      alpha_[b] = vdot.segment<3>(6 * b + 3);
    else
      alpha_[b].z() = vdot[3 * b + 2];
  }
  for (int k = 0; k < markers_.size(); ++k) {
    const Marker& m = markers_.list[k];
    if (m.body == ground) continue;
    if (m.kind == MarkerKind::rotation) {
      acceleration_[k] = alpha_[m.body];
      continue;
    }
    lever_[k] = markers_.value[k];
    if (m.kind == MarkerKind::point) lever_[k] -= coordinates.center(m.body);
    acceleration_[k] = markers_.bias[k] + alpha_[m.body].cross(lever_[k]);
    if (m.kind != MarkerKind::point) continue;
    const int first = velocities_ * m.body;
    acceleration_[k] += Vec3(vdot[first], vdot[first + 1], velocities_ == 6 ? vdot[first + 2] : 0);
  }
}

void Tangent::update(double t, ConstVector vdot, ConstVector lambda) {
  set_kinematics(vdot);
  std::fill_n(K_.valuePtr(), K_.nonZeros(), 0.0);
  std::fill_n(C_.valuePtr(), C_.nonZeros(), 0.0);
  if (velocities_ == 6) add_inertia();
  add_loads(lambda);
  Blocks blocks(*this);
  couple(t, lambda, blocks);
}

void Tangent::add_inertia() {
  for (int b = 0; b < bodies_; ++b) {
    const Mat3 A = system_.coordinates().frame(b), J = A * system_.model().bodies[b].inertia * A.transpose();
    const Vec3 &omega = omega_[b], &alpha = alpha_[b];
    const Mat3 by_turn = times_cross(J, alpha) - cross_matrix(J * alpha) +
                         cross_times(omega, times_cross(J, omega) - cross_matrix(J * omega));
    const Place place = diagonal_[b];
    add_part<6>(K_.valuePtr() + place.first, place.stride, rotation, rotation, by_turn);
    add_part<6>(C_.valuePtr() + place.first, place.stride, rotation, rotation,
                cross_times(omega, J) - cross_matrix(J * omega));
  }
}

void Tangent::add_loads(ConstVector lambda) {
  std::fill(load_.begin(), load_.end(), Vec3::Zero());
  for (const Load& load : system_.loads()) load_[load.marker] += load.value;
  for (const Load& load : system_.friction_loads()) load_[load.marker] += load.value;
  const Rows& rows = system_.row_table();
  for (std::size_t e = 0; e < rows.entries.size(); ++e)
    load_[rows.entries[e].marker] -= lambda[rows.entries[e].row] * rows.gradients[e];
  for (int k = 0; k < markers_.size(); ++k) {
    const Marker& m = markers_.list[k];
    if (m.body == ground || m.kind == MarkerKind::rotation) continue;
    const Place place = diagonal_[m.body];
    const Mat3 moment = -cross_matrix(load_[k]) * cross_matrix(lever_[k]);
    double* first = K_.valuePtr() + place.first;
    if (velocities_ == 6)
      add_part<6>(first, place.stride, rotation, rotation, moment);
    else
      add_part<3>(first, place.stride, rotation, rotation, moment);
  }
}

// With a = dG/dx, b = dG/dx', g = dG/dx'' of a point or vector at s:
//   dG/dtheta = s x (a + b x omega + g x alpha + (g x omega) x omega),
//   dG/domega = s x (b + g x omega) + (omega x s) x g,   and those of a point's translation are a and b.
void Tangent::update_rows(double t, ConstVector vdot) {
  set_kinematics(vdot);
  rows_.update(t, markers_, system_.signals(), acceleration_);
  double* targets[] = {Phi_dot_q_.valuePtr(), G_q_.valuePtr(), G_v_.valuePtr()};
  for (double* target : targets) std::fill_n(target, G_q_.nonZeros(), 0.0);
  for (std::size_t e = 0; e < row_places_.size(); ++e) {
    if (row_places_[e] < 0) continue;
    const RowsTangent::Entry& entry = rows_.entries()[e];
    const Marker& m = markers_.list[entry.marker];
    const Vec3 &s = lever_[entry.marker], &omega = omega_[m.body], &g = entry.of_acceleration;
    Vec3 turning[3] = {Vec3::Zero(), Vec3::Zero(), entry.of_velocity};
    if (m.kind != MarkerKind::rotation) {
      const Vec3 g_omega = g.cross(omega);
      turning[0] = s.cross(entry.of_rate + g_omega);
      turning[1] =
          s.cross(entry.of_value + entry.of_velocity.cross(omega) + g.cross(alpha_[m.body]) + g_omega.cross(omega));
      turning[2] = s.cross(entry.of_velocity + g_omega) + omega.cross(s).cross(g);
    }
    const Vec3* shifting[] = {&entry.of_rate, &entry.of_value, &entry.of_velocity};
    for (int k = 0; k < 3; ++k) {
      double* first = targets[k] + row_places_[e];
      const int translations = velocities_ == 6 ? 3 : 2;
      if (m.kind == MarkerKind::point)
        for (int c = 0; c < translations; ++c) first[c] += (*shifting[k])[c];
      if (velocities_ == 6)
        for (int c = 0; c < 3; ++c) first[3 + c] += turning[k][c];
      else
        first[2] += turning[k].z();
    }
  }
}

}  // namespace bricard
