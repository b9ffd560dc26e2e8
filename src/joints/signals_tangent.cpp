// Derivatives of the signals' gradients g = ds/d markers. For the angle phi(x, y) of x = a.c, y = b.c:
//   H_aa = phi_xx c c^T,   H_ac = phi_x I + c (phi_xx a + phi_xy b)^T,   H_cc = phi_xx a a^T + ...
// of the distance with e = d/|d|: H = (I - e e^T)/|d|. Along a motion s' = sum g . rate, so that
//   ds'/dx = g',   ds''/dx = g'',   ds''/dx' = 2 g',   ds''/dx'' = g.
#include <algorithm>
#include <cmath>

#include "joints/signals.h"
#include "model/expression_scalar.h"

namespace bricard {
namespace {

/// A dot product along a motion.
Taylor dot(const Vec3& a, const Vec3& a1, const Vec3& a2, const Vec3& b, const Vec3& b1, const Vec3& b2) {
  return {a.dot(b), a1.dot(b) + a.dot(b1), a2.dot(b) + 2 * a1.dot(b1) + a.dot(b2)};
}

/// First and second time derivatives of a number times a vector.
Vec3 first_of(const Taylor& k, const Vec3& a, const Vec3& a1) { return k.rate * a + k.value * a1; }
Vec3 second_of(const Taylor& k, const Vec3& a, const Vec3& a1, const Vec3& a2) {
  return k.acceleration * a + 2 * k.rate * a1 + k.value * a2;
}

}  // namespace

void Signals::hessian(int signal, const Markers& markers, Mat3* H) const {
  const Node& node = nodes_[signal];
  const Mat3 I = Mat3::Identity();
  std::fill_n(H, node.entries * node.entries, Mat3::Zero());
  switch (node.kind) {
    case Kind::angle: {
      const Vec3 &a = markers.value[node.a], &b = markers.value[node.b], &c = markers.value[node.c];
      const double x = a.dot(c), y = b.dot(c), squared = x * x + y * y, sign = node.constant;
      const double fx = -sign * y / squared, fy = sign * x / squared;
      const double fxx = 2 * sign * x * y / (squared * squared), fxy = sign * (y * y - x * x) / (squared * squared);
      const Vec3 ga = fxx * a + fxy * b, gb = fxy * a - fxx * b;  // phi_yy = -phi_xx
      const Mat3 cc = c * c.transpose();
      H[0] = fxx * cc, H[1] = H[3] = fxy * cc, H[4] = -fxx * cc;
      H[2] = fx * I + c * ga.transpose();
      H[5] = fy * I + c * gb.transpose();
      H[6] = H[2].transpose(), H[7] = H[5].transpose();
      H[8] = a * ga.transpose() + b * gb.transpose();
      break;
    }
    case Kind::along:
      H[1] = H[3] = -I;
      H[2] = H[6] = I;
      break;
    case Kind::distance: {
      const Vec3& e = entry_gradient_[node.entry + 1];
      const double length = jets_[signal].value;
      if (length > 0) H[0] = H[3] = (I - e * e.transpose()) / length;
      H[1] = H[2] = -H[0];
      break;
    }
    case Kind::rate: hessian(node.a, markers, H); break;
    case Kind::component:
    case Kind::velocity: break;
  }
}

void Signals::gradient_rates(int signal, const Markers& m, const std::vector<Vec3>& acceleration, Vec3* first,
                             Vec3* second) const {
  const Node& node = nodes_[signal];
  std::fill_n(first, node.entries, Vec3::Zero());
  std::fill_n(second, node.entries, Vec3::Zero());
  switch (node.kind) {
    case Kind::angle: {
      const Vec3 &a = m.value[node.a], &b = m.value[node.b], &c = m.value[node.c];
      const Vec3 &a1 = m.rate[node.a], &b1 = m.rate[node.b], &c1 = m.rate[node.c];
      const Vec3 &a2 = acceleration[node.a], &b2 = acceleration[node.b], &c2 = acceleration[node.c];
      const Taylor x = dot(a, a1, a2, c, c1, c2), y = dot(b, b1, b2, c, c1, c2);
      const Taylor sign{node.constant, 0, 0}, squared = x * x + y * y;
      const Taylor fx = -(sign * y) / squared, fy = sign * x / squared;
      first[0] = first_of(fx, c, c1), second[0] = second_of(fx, c, c1, c2);
      first[1] = first_of(fy, c, c1), second[1] = second_of(fy, c, c1, c2);
      first[2] = first_of(fx, a, a1) + first_of(fy, b, b1);
      second[2] = second_of(fx, a, a1, a2) + second_of(fy, b, b1, b2);
      break;
    }
    case Kind::along:
      first[0] = m.rate[node.c] - m.rate[node.b], second[0] = acceleration[node.c] - acceleration[node.b];
      first[2] = m.rate[node.a], second[2] = acceleration[node.a];
      first[1] = -first[2], second[1] = -second[2];
      break;
    case Kind::distance: {
      const Vec3& e = entry_gradient_[node.entry + 1];
      const double length = jets_[signal].value;
      if (!(length > 0)) break;
      const Vec3 d1 = m.rate[node.b] - m.rate[node.a], d2 = acceleration[node.b] - acceleration[node.a];
      const double l1 = e.dot(d1);
      first[1] = (d1 - l1 * e) / length;
      second[1] = (d2 - (first[1].dot(d1) + e.dot(d2)) * e - 2 * l1 * first[1]) / length;
      first[0] = -first[1], second[0] = -second[1];
      break;
    }
    case Kind::rate: gradient_rates(node.a, m, acceleration, first, second); break;
    case Kind::component:
    case Kind::velocity: break;
  }
}

void Signals::gradient_rates(int signal, const Markers& m, Vec3* first) const {
  Vec3 unused[most_entries];
  gradient_rates(signal, m, m.bias, first, unused);
}

double BoundExpression::gradient(double t, const Signals& signals, const double* variables,
                                 double& time_partial) const {
  gather(signals, variables);
  return expression_.gradient(t, values_.data(), partials_.data(), &time_partial, signs());
}

// The second time derivative A(d) of f(s + d tau, t + tau) is quadratic in d; its mixed differences are f_kl.
void BoundExpression::hessian(double t, const Signals& signals, double* second) const {
  const std::size_t count = ids_.size();
  for (std::size_t k = 0; k < count; ++k) jets_[k] = {signals[ids_[k]].value, 0, 0};
  const auto along = [&] { return expression_.jet(t, jets_.data(), signs()).acceleration; };
  const double at_rest = along();
  for (std::size_t k = 0; k < count; ++k) {
    jets_[k].rate = 1;
    const double one = along();
    for (std::size_t l = 0; l < k; ++l) {
      jets_[l].rate = 1;
      const double both = along();
      jets_[k].rate = 0;
      const double other = along();
      jets_[k].rate = 1, jets_[l].rate = 0;
      second[k * count + l] = second[l * count + k] = 0.5 * (both - one - other + at_rest);
    }
    jets_[k].rate = -1;
    second[k * count + k] = 0.5 * (one + along() - 2 * at_rest);
    jets_[k].rate = 0;
  }
}

// f'' = f_s s'' + s'^T f_ss s' + ..: its derivative with respect to s_k' is 2 (f_k)', to s_k it is (f_k)''.
void BoundExpression::partial_rates(double t, const Jet* signals, double* first, double* second) const {
  partial_rates(t, signals, first);
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const double step = 1e-3 * (1 + std::abs(jets_[k].value));
    second[k] =
        (4 * acceleration_slope(t, jets_[k].value, 0.5 * step) - acceleration_slope(t, jets_[k].value, step)) / 3;
  }
}

void BoundExpression::partial_rates(double t, const Jet* signals, double* first) const {
  std::copy_n(signals, ids_.size(), jets_.begin());
  for (std::size_t k = 0; k < ids_.size(); ++k)
    first[k] = 0.5 * acceleration_slope(t, jets_[k].rate, 1 + std::abs(jets_[k].rate));
}

/// Difference quotient of f'' by a part of jets_.
double BoundExpression::acceleration_slope(double t, double& variable, double step) const {
  const auto along = [&] { return expression_.jet(t, jets_.data(), signs()).acceleration; };
  const double saved = variable;
  variable = saved + step;
  const double above = along();
  variable = saved - step;
  const double below = along();
  variable = saved;
  return (above - below) / (2 * step);
}

}  // namespace bricard
