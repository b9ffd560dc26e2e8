#include "analyses/run/fastest_body.h"

#include <fmt/format.h>

namespace bricard {

std::string fastest_body(System& system, double t, const Vector& q, const Vector& v) {
  system.evaluate_signals(t, q, v);
  std::vector<BodyState> bodies;
  system.body_states(bodies);
  const double length = system.model().characteristic_length();
  double fastest = 0;
  std::string words;
  const auto consider = [&](double speed, const std::string& text) {
    if (speed > fastest) fastest = speed, words = text;
  };
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const std::string& name = system.model().bodies[b].name;
    consider(bodies[b].omega.norm() * length,
             fmt::format("; body {} turns at {:.2g} rad/s", name, bodies[b].omega.norm()));
    consider(bodies[b].velocity.norm(), fmt::format("; body {} moves at {:.2g} m/s", name, bodies[b].velocity.norm()));
  }
  return words;
}

}  // namespace bricard
