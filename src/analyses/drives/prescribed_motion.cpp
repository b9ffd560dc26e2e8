#include "analyses/drives/prescribed_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bricard/input_error.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

struct PrescribedTurning {
  Quaternion orientation;
  Vec3 omega, alpha;
};

PrescribedTurning turning(const std::vector<MotionSpline>& p, double t) {
  Quaternion value, rate, acceleration;
  const auto store = [](Quaternion& q, int k, double x) { (k == 0 ? q.w() : q.vec()[k - 1]) = x; };
  for (int k = 0; k < 4; ++k) {
    const SplineValue at = p[k].at(t);
    store(value, k, at.value), store(rate, k, at.rate), store(acceleration, k, at.acceleration);
  }
  const Quaternion inverse = value.inverse(), u = rate * inverse;
  return {value.normalized(), 2 * u.vec(), 2 * ((acceleration * inverse).vec() - (u * u).vec())};
}

Vec3 rotation_vector(const Mat3& turn) {
  const Eigen::AngleAxisd angle_axis(turn);
  return angle_axis.angle() * angle_axis.axis();
}

}  // namespace

int MotionTable::column(const std::string& wanted) const {
  const auto found = std::find(columns.begin(), columns.end(), wanted);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

PrescribedMotion::PrescribedMotion(const System& system, const MotionTable& table,
                                   const std::vector<std::string>& result_columns)
    : stride_(system.model().planar() ? 3 : 6), length_(system.model().characteristic_length()) {
  const int time = table.column("time");
  if (time < 0) throw InputError(fmt::format("{}: no column 'time'", table.name));
  if (table.rows.empty()) throw InputError(fmt::format("{}: no rows", table.name));
  for (const Vector& row : table.rows) {
    if (!times_.empty() && !(row[time] > times_.back()))
      throw InputError(fmt::format("{}: times do not ascend: {} after {}", table.name, row[time], times_.back()));
    times_.push_back(row[time]);
  }
  refuse_misspelt(system, table, result_columns);
  add_joints(system, table);
  add_bodies(system, table);
  for (const Item& item : items_) rows_ += item.kind == Item::Kind::orientation ? 3 : 1;
}

namespace {

std::vector<double> values_of(const MotionTable& table, int column) {
  std::vector<double> values;
  for (const Vector& row : table.rows) values.push_back(row[column]);
  return values;
}

std::vector<double> values_of(const MotionTable& table, const std::string& column) {
  const int found = table.column(column);
  return found < 0 ? std::vector<double>{} : values_of(table, found);
}

}  // namespace

// Measured angles often come from an arc tangent: all within one turn, with jumps by a turn. Angles that cover more
// than a turn are taken as they are, however far apart their samples.
std::vector<double> PrescribedMotion::continuous(const MotionTable& table, const std::string& column,
                                                 std::vector<double> angles) {
  constexpr double turn = 2 * std::numbers::pi;
  const auto [least, greatest] = std::minmax_element(angles.begin(), angles.end());
  if (!(*greatest - *least <= turn * (1 + 1e-9))) return angles;
  double added = 0, first = 0, before = angles.front();
  int jumps = 0;
  for (std::size_t row = 1; row < angles.size(); ++row) {
    const double step = angles[row] - before;
    before = angles[row];
    if (std::abs(step) > 0.5 * turn) {
      added -= std::copysign(turn, step);
      if (jumps++ == 0) first = times_[row];
    }
    angles[row] += added;
  }
  if (jumps > 0)
    notes_.push_back(
        fmt::format("{}: '{}' jumps by a full turn {} (first at t = {:.6g} s); it was taken as one "
                    "angle that goes on over full turns",
                    table.name, column, jumps == 1 ? "once" : fmt::format("{} times", jumps), first));
  return angles;
}

void PrescribedMotion::add_joints(const System& system, const MotionTable& table) {
  for (const JointCoordinateId& id : joint_coordinate_ids(system)) {
    const std::string name = coordinate_column(system.model(), id), rate = rate_column(system.model(), id);
    if (table.column(name) < 0) {
      if (table.column(rate) >= 0)
        throw InputError(fmt::format("{}: column '{}' needs column '{}' beside it", table.name, rate, name));
      continue;
    }
    Item item;
    item.kind = Item::Kind::joint;
    item.signal = system.joint_coordinates()[id.joint][id.coordinate];
    item.is_length = !is_angle(system.model(), id);
    item.column = name;
    std::vector<double> values = values_of(table, name);
    if (!item.is_length) values = continuous(table, name, std::move(values));
    item.splines.emplace_back(times_, values, values_of(table, rate));
    items_.push_back(std::move(item));
    coordinates_.push_back(id);
  }
}

void PrescribedMotion::add_bodies(const System& system, const MotionTable& table) {
  const Model& model = system.model();
  static const char* const places[] = {".x", ".y", ".z"};
  static const char* const velocities[] = {".vx", ".vy", ".vz"};
  static const char* const quaternion[] = {".qw", ".qx", ".qy", ".qz"};
  static const char* const omegas[] = {".wx", ".wy", ".wz"};
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const std::string& body = model.bodies[b].name;
    const auto add = [&](Item::Kind kind, int axis, const std::string& column, const std::string& rate) {
      if (table.column(column) < 0) return;
      Item item;
      item.kind = kind, item.body = b, item.axis = axis;
      item.is_length = kind == Item::Kind::place;
      item.column = column;
      std::vector<double> values = values_of(table, column);
      if (kind == Item::Kind::angle) values = continuous(table, column, std::move(values));
      item.splines.emplace_back(times_, values, values_of(table, rate));
      items_.push_back(std::move(item));
    };
    for (int c = 0; c < (model.planar() ? 2 : 3); ++c)
      add(Item::Kind::place, c, body + places[c], body + velocities[c]);
    if (model.planar()) {
      add(Item::Kind::angle, 2, body + ".angle", body + ".omega");
      continue;
    }
    int given = 0;
    for (const char* component : quaternion) given += table.column(body + component) >= 0;
    if (given == 0) continue;
    if (given < 4) throw InputError(fmt::format("{}: the quaternion of {} needs qw, qx, qy and qz", table.name, body));
    // Quaternions of opposite sign are the same orientation: keep the sign along the motion.
    std::vector<std::vector<double>> p(4), rate(4);
    for (int k = 0; k < 4; ++k) p[k] = values_of(table, body + quaternion[k]);
    for (std::size_t row = 1; row < times_.size(); ++row) {
      double product = 0;
      for (int k = 0; k < 4; ++k) product += p[k][row] * p[k][row - 1];
      for (int k = 0; product < 0 && k < 4; ++k) p[k][row] = -p[k][row];
    }
    if (table.column(body + omegas[0]) >= 0 && table.column(body + omegas[1]) >= 0 &&
        table.column(body + omegas[2]) >= 0) {
      for (std::size_t row = 0; row < times_.size(); ++row) {
        Quaternion omega(0, 0, 0, 0);
        for (int c = 0; c < 3; ++c) omega.vec()[c] = 0.5 * table.rows[row][table.column(body + omegas[c])];
        const Quaternion product = omega * Quaternion(p[0][row], p[1][row], p[2][row], p[3][row]);
        rate[0].push_back(product.w());
        for (int c = 0; c < 3; ++c) rate[c + 1].push_back(product.vec()[c]);
      }
    }
    Item item;
    item.kind = Item::Kind::orientation, item.body = b;
    item.column = body + ".q*";
    for (int k = 0; k < 4; ++k) item.splines.emplace_back(times_, p[k], rate[k]);
    items_.push_back(std::move(item));
  }
}

/// A column that is none of the results' but looks like one of the motion is probably misspelt.
void PrescribedMotion::refuse_misspelt(const System& system, const MotionTable& table,
                                       const std::vector<std::string>& result_columns) const {
  const Model& model = system.model();
  std::vector<std::string> useful = {"time"};
  for (const JointCoordinateId& id : joint_coordinate_ids(system)) {
    useful.push_back(coordinate_column(model, id));
    useful.push_back(rate_column(model, id));
  }
  const auto planar = {".x", ".y", ".angle", ".vx", ".vy", ".omega"},
             spatial = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
  for (const Body& body : model.bodies) {
    for (const char* name : model.planar() ? planar : spatial) useful.push_back(body.name + name);
  }
  const auto is_among = [](const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto derived = {".effort", ".effort2", ".power",  ".power2", ".ax",    ".ay",
                        ".az",     ".alpha",   ".alphax", ".alphay", ".alphaz"};
  for (const std::string& column : table.columns) {
    const bool is_derived =
        std::any_of(derived.begin(), derived.end(), [&](const char* ending) { return column.ends_with(ending); });
    if (is_derived || is_among(column, useful) || is_among(column, result_columns)) continue;
    const std::string meant = nearest_name(column, useful);
    if (!meant.empty())
      throw InputError(fmt::format("{}: column '{}' is unknown; did you mean '{}'?", table.name, column, meant));
  }
}

void PrescribedMotion::errors(System& system, double t, VectorRef errors, Matrix& G) {
  int row = 0;
  G.setZero();
  Vector gradient(G.cols());
  for (const Item& item : items_) {
    switch (item.kind) {
      case Item::Kind::joint: {
        signal_gradient(system, item.signal, gradient);
        const double unit = item.is_length ? 1 / length_ : 1;
        errors[row] = unit * (system.signals()[item.signal].value - given(item, t));
        G.row(row++) = unit * gradient.transpose();
        break;
      }
      case Item::Kind::place:
        errors[row] = (system.coordinates().center(item.body)[item.axis] - given(item, t)) / length_;
        G(row++, stride_ * item.body + item.axis) = 1 / length_;
        break;
      case Item::Kind::angle:
        errors[row] = system.model().bodies[item.body].angle + system.markers().turn[item.body] - given(item, t);
        G(row++, stride_ * item.body + item.axis) = 1;
        break;
      case Item::Kind::orientation: {
        const Mat3 goal = turning(item.splines, t).orientation.toRotationMatrix();
        errors.segment<3>(row) = rotation_vector(system.coordinates().frame(item.body) * goal.transpose());
        for (int c = 0; c < 3; ++c) G(row++, stride_ * item.body + 3 + c) = 1;
      }
    }
  }
}

void PrescribedMotion::rates(System&, double t, VectorRef rates) {
  int row = 0;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::orientation) {
      rates.segment<3>(row) = turning(item.splines, t).omega;
      row += 3;
    } else {
      rates[row++] = item.splines[0].at(t).rate / (item.is_length ? length_ : 1);
    }
  }
}

void PrescribedMotion::accelerations(System& system, double t, VectorRef accelerations) {
  int row = 0;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::orientation) {
      accelerations.segment<3>(row) = turning(item.splines, t).alpha;
      row += 3;
      continue;
    }
    double value = item.splines[0].at(t).acceleration;
    if (item.kind == Item::Kind::joint) value -= system.signals()[item.signal].acceleration;
    accelerations[row++] = value / (item.is_length ? length_ : 1);
  }
}

void PrescribedMotion::watch(System& system, double t) {
  Vector error(rows_);
  Matrix G(rows_, system.velocity_size());
  errors(system, t, error, G);
  int row = 0;
  for (const Item& item : items_) {
    const int size = item.kind == Item::Kind::orientation ? 3 : 1;
    const double deviation = error.segment(row, size).norm() * (item.is_length ? length_ : 1);
    Correction& largest = item.is_length ? largest_length_ : largest_angle_;
    if (largest.column.empty() || deviation > largest.size) largest = {item.column, deviation, t};
    row += size;
  }
}

}  // namespace bricard
