#include "dynamics/closing/planar_dyad.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bricard {
namespace {

using Complex = std::complex<double>;

double between_half_turns(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

}  // namespace

bool PlanarDyad::solve(double branch, std::array<double, 3>& x) const {
  // Numbered so that what slides comes last.
  const auto slide_count = std::count(slides.begin(), slides.end(), true);
  int first = 0;
  if (slide_count == 1) {
    while (!slides[(first + 2) % 3]) ++first;
  } else if (slide_count == 2) {
    while (slides[first]) ++first;
  }
  const int one = first, two = (first + 1) % 3, three = (first + 2) % 3;
  const Complex L1 = L[one], L2 = L[two], L3 = L[three];
  const double beta1 = beta[one], beta2 = beta[two], turn = beta1 + beta2 + beta[three];
  switch (slide_count) {
    case 0: {
      const double a = std::abs(L1), b = std::abs(L2), d = std::abs(L3);
      const double square = (a + b + d) * (-a + b + d) * (a - b + d) * (a + b - d);
      if (!(square >= 0) || a == 0 || b == 0 || d == 0) return false;
      const double psi = branch * std::atan2(std::sqrt(square), d * d - a * a - b * b);
      const double theta2 = psi - std::arg(L2) + std::arg(L1);
      const double theta3 = std::arg(-(L1 + L2 * std::polar(1.0, theta2)) / L3);
      x[two] = between_half_turns(theta2 - beta1);
      x[three] = between_half_turns(theta3 - theta2 - beta2);
      x[one] = between_half_turns(-(turn + x[two] + x[three]));
      return true;
    }
    case 1: {
      const Complex K = L2 * std::polar(1.0, -beta2) + L3;
      const double square = std::norm(L1) - K.imag() * K.imag();
      if (!(square >= 0) || L1 == 0.0) return false;
      x[three] = -K.real() + branch * std::sqrt(square);
      x[two] = between_half_turns(-std::arg(-(x[three] + K) / L1) - beta1 - beta2);
      x[one] = between_half_turns(-(turn + x[two]));
      return true;
    }
    case 2: {
      const Complex u = std::polar(1.0, beta1), w = std::polar(1.0, beta1 + beta2), r = -(L1 + L2 * u + L3 * w);
      const double sine = (std::conj(u) * w).imag();
      if (sine == 0) return false;
      x[two] = (std::conj(r) * w).imag() / sine;
      x[three] = (std::conj(u) * r).imag() / sine;
      x[one] = between_half_turns(-turn);
      return true;
    }
    default: return false;
  }
}

}  // namespace bricard
