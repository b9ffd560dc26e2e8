#include "joints/signals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bricard {

int Signals::add(Node node, std::initializer_list<int> markers) {
  node.entry = static_cast<int>(entry_marker_.size());
  node.entries = static_cast<int>(markers.size());
  entry_marker_.insert(entry_marker_.end(), markers);
  entry_gradient_.resize(entry_marker_.size(), Vec3::Zero());
  active_.push_back(size());
  nodes_.push_back(node);
  jets_.emplace_back();
  return size() - 1;
}

void Signals::finish() {
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(nodes_, active_, jets_, entry_marker_, entry_gradient_);
}

int Signals::angle(int a, int b, int c, double sign) {
  return add({.kind = Kind::angle, .a = a, .b = b, .c = c, .constant = sign}, {a, b, c});
}
int Signals::along(int u, int from, int to, double offset) {
  return add({.kind = Kind::along, .a = u, .b = from, .c = to, .constant = offset}, {u, from, to});
}
int Signals::component(int point, const Vec3& direction, double offset) {
  const int signal = add({.kind = Kind::component, .a = point, .constant = offset, .direction = direction}, {point});
  entry_gradient_[nodes_[signal].entry] = direction;
  return signal;
}
int Signals::distance(int from, int to) { return add({.kind = Kind::distance, .a = from, .b = to}, {from, to}); }
int Signals::velocity(int marker, const Vec3& direction) {
  const int signal = add({.kind = Kind::velocity, .a = marker, .direction = direction}, {marker});
  entry_gradient_[nodes_[signal].entry] = direction;
  return signal;
}
int Signals::rate_of(int signal) {
  const Node& source = nodes_[signal];
  const int first = source.entry, count = source.entries;
  const int added = add({.kind = Kind::rate, .a = signal}, {});
  for (int e = 0; e < count; ++e) entry_marker_.push_back(entry_marker_[first + e]);
  entry_gradient_.resize(entry_marker_.size(), Vec3::Zero());
  nodes_[added].entries = count;
  return added;
}

void Signals::update_positions(double t, const Markers& markers) {
  counted_ = markers.counts_turns;
  for (int k : active_) {
    const Node& node = nodes_[k];
    Vec3* g = entry_gradient_.data() + node.entry;
    double& value = jets_[k].value;
    switch (node.kind) {
      case Kind::angle: {
        const Vec3 &a = markers.value[node.a], &b = markers.value[node.b], &c = markers.value[node.c];
        const double x = a.dot(c), y = b.dot(c), squared = x * x + y * y;
        const double expected =
            counted_ ? node.constant * (markers.turn_of(node.c) - markers.turn_of(node.a)) : node.known.expected(t);
        value = expected + std::remainder(node.constant * std::atan2(y, x) - expected, 2 * std::numbers::pi);
        const double dx = -node.constant * y / squared, dy = node.constant * x / squared;  // d angle/dx, d angle/dy
        g[0] = dx * c;
        g[1] = dy * c;
        g[2] = dx * a + dy * b;
        break;
      }
      case Kind::along: {
        const Vec3 d = markers.value[node.c] - markers.value[node.b];
        const Vec3& u = markers.value[node.a];
        value = u.dot(d) - node.constant;
        g[0] = d, g[1] = -u, g[2] = u;
        break;
      }
      case Kind::component: value = node.direction.dot(markers.value[node.a]) - node.constant; break;
      case Kind::distance: {
        const Vec3 d = markers.value[node.b] - markers.value[node.a];
        value = d.norm();
        g[1] = value > 0 ? Vec3(d / value) : Vec3(Vec3::Zero());  // at zero distance there is no direction
        g[0] = -g[1];
        break;
      }
      case Kind::velocity: break;
      case Kind::rate: std::copy_n(gradient(node.a), node.entries, g); break;
    }
  }
}

void Signals::update_velocities(const Markers& markers) {
  for (int k : active_) {
    const Node& node = nodes_[k];
    Jet& jet = jets_[k];
    switch (node.kind) {
      case Kind::angle: {
        // With z = x + i y: angle' = Im(z'/z), angle'' = Im(z''/z) - 2 Re(z'/z) Im(z'/z).
        const Vec3 &a = markers.value[node.a], &b = markers.value[node.b], &c = markers.value[node.c];
        const Vec3 &a1 = markers.rate[node.a], &b1 = markers.rate[node.b], &c1 = markers.rate[node.c];
        const Vec3 &a2 = markers.bias[node.a], &b2 = markers.bias[node.b], &c2 = markers.bias[node.c];
        const double x = a.dot(c), y = b.dot(c), squared = x * x + y * y;
        const double x1 = a1.dot(c) + a.dot(c1), y1 = b1.dot(c) + b.dot(c1);
        const double x2 = a2.dot(c) + 2 * a1.dot(c1) + a.dot(c2), y2 = b2.dot(c) + 2 * b1.dot(c1) + b.dot(c2);
        const double growth = (x * x1 + y * y1) / squared, turning = (x * y1 - y * x1) / squared;
        jet.rate = node.constant * turning;
        jet.acceleration = node.constant * ((x * y2 - y * x2) / squared - 2 * growth * turning);
        break;
      }
      case Kind::along: {
        const Vec3 d = markers.value[node.c] - markers.value[node.b], d1 = markers.rate[node.c] - markers.rate[node.b],
                   d2 = markers.bias[node.c] - markers.bias[node.b];
        const Vec3 &u = markers.value[node.a], &u1 = markers.rate[node.a], &u2 = markers.bias[node.a];
        jet.rate = u1.dot(d) + u.dot(d1);
        jet.acceleration = u2.dot(d) + 2 * u1.dot(d1) + u.dot(d2);
        break;
      }
      case Kind::component:
        jet.rate = node.direction.dot(markers.rate[node.a]);
        jet.acceleration = node.direction.dot(markers.bias[node.a]);
        break;
      case Kind::distance: {
        const Vec3& e = entry_gradient_[node.entry + 1];
        const Vec3 d1 = markers.rate[node.b] - markers.rate[node.a], d2 = markers.bias[node.b] - markers.bias[node.a];
        jet.rate = e.dot(d1);
        jet.acceleration = jet.value > 0 ? e.dot(d2) + (d1.squaredNorm() - jet.rate * jet.rate) / jet.value : 0;
        break;
      }
      case Kind::velocity:
        jet.value = node.direction.dot(markers.rate[node.a]);
        jet.rate = node.direction.dot(markers.bias[node.a]);
        break;
      case Kind::rate:
        jet.value = jets_[node.a].rate;
        jet.rate = jets_[node.a].acceleration;
        break;
    }
  }
}

bool Signals::has_angles() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.kind == Kind::angle; });
}

void Signals::accept(double t) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].kind != Kind::angle) continue;
    nodes_[k].before = nodes_[k].known;
    nodes_[k].known = {t, jets_[k].value, jets_[k].rate};
  }
}

void Signals::take_back() {
  for (Node& node : nodes_) node.known = node.before;
}

// What the rate changed by bounds how wrong the expected angle can be; a quarter of a turn is safe.
bool Signals::is_uncertain(const Node& node, double t, double rate) {
  return std::abs((rate - node.known.rate) * (t - node.known.time)) > 0.5 * std::numbers::pi;
}

bool Signals::turns_are_certain(double t) const {
  for (std::size_t k = 0; !counted_ && k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (node.kind != Kind::angle) continue;
    if (is_uncertain(node, t, jets_[k].rate)) return false;
  }
  return true;
}

bool Signals::count_turn(int signal, double t, const std::array<Vec3, 3>& values, const std::array<Vec3, 3>& rates) {
  Node& node = nodes_[signal];
  const auto& [a, b, c] = values;
  const auto& [a1, b1, c1] = rates;
  const double x = a.dot(c), y = b.dot(c), x1 = a1.dot(c) + a.dot(c1), y1 = b1.dot(c) + b.dot(c1);
  const double rate = node.constant * (x * y1 - y * x1) / (x * x + y * y);
  if (is_uncertain(node, t, rate)) return false;
  const double expected = node.known.expected(t);
  const double angle = expected + std::remainder(node.constant * std::atan2(y, x) - expected, 2 * std::numbers::pi);
  node.before = node.known;
  node.known = {t, angle, rate};
  return true;
}

void Signals::set_turn(int signal, double t, double angle, double rate) {
  nodes_[signal].known = nodes_[signal].before = {t, angle, rate};
}

BoundExpression::BoundExpression(Expression expression, std::vector<int> ids)
    : expression_(std::move(expression)),
      ids_(std::move(ids)),
      values_(ids_.size()),
      partials_(ids_.size()),
      jets_(ids_.size()) {
  if (expression_.switch_count() == 0) return;
  held_ = std::make_shared<HeldSigns>();
  held_->signs.assign(expression_.switch_count(), 0);
}

void BoundExpression::gather(const Signals& signals, const double* variables) const {
  for (std::size_t k = 0; k < ids_.size(); ++k)
    values_[k] = ids_[k] >= 0 ? signals[ids_[k]].value : variables[-1 - ids_[k]];
}

double BoundExpression::value(double t, const Signals& signals, const double* variables) const {
  gather(signals, variables);
  return expression_.value(t, values_.data(), signs());
}

double BoundExpression::free_value(double t, const Signals& signals, const double* variables) const {
  gather(signals, variables);
  return expression_.value(t, values_.data());
}

void BoundExpression::switching(double t, const Signals& signals, const double* variables, double* functions) const {
  gather(signals, variables);
  expression_.switching(t, values_.data(), signs(), functions);
}

Jet BoundExpression::jet(double t, const Signals& signals) const {
  for (std::size_t k = 0; k < ids_.size(); ++k) jets_[k] = signals[ids_[k]];
  return expression_.jet(t, jets_.data(), signs());
}

double BoundExpression::gradient(double t, const Signals& signals, double& time_partial) const {
  gather(signals, nullptr);
  return expression_.gradient(t, values_.data(), partials_.data(), &time_partial, signs());
}

}  // namespace bricard
