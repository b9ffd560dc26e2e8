#include "io/generate.h"

#include <fmt/format.h>

#include <iterator>

namespace bricard {
namespace {

// IFToMM benchmark A02: N windows, 2 N + 1 bars of 1 m and 1 kg; uprights hinged at (i, 0), couplers between their
// tops.
std::string n_four_bar(int loops) {
  std::string text = fmt::format(
      "# N-four-bar mechanism with N = {0} loops (IFToMM benchmark A02, Gonzalez et al.).\n"
      "#\n"
      "#   B0----B1----B2-- ...    {1} bars of 1 m and 1 kg, 1 degree of freedom\n"
      "#   |     |     |           the bars are horizontal in the singular positions\n"
      "#   A0    A1    A2   ...\n"
      "#\n"
      "# All uprights turn alike: theta'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin(theta), theta from the vertical.\n"
      "bricard: 1\n"
      "name: N-four-bar mechanism, N = {0}\n"
      "dimension: planar\n"
      "points:\n",
      loops, 2 * loops + 1);
  auto out = std::back_inserter(text);
  for (int k = 0; k <= loops; ++k) fmt::format_to(out, "  A{0}: [{0}, 0]\n  B{0}: [{0}, 1]\n", k);
  text += "bodies:\n";
  for (int k = 0; k <= loops; ++k) fmt::format_to(out, "  upright{0}: {{rod: [A{0}, B{0}], mass: 1}}\n", k);
  for (int k = 0; k < loops; ++k) fmt::format_to(out, "  coupler{0}: {{rod: [B{0}, B{1}], mass: 1}}\n", k, k + 1);
  text += "joints:\n";
  for (int k = 0; k <= loops; ++k)
    fmt::format_to(out, "  A{0}: {{type: revolute, bodies: [ground, upright{0}], at: A{0}}}\n", k);
  for (int k = 0; k < loops; ++k) {
    fmt::format_to(out, "  B{0}: {{type: revolute, bodies: [upright{0}, coupler{0}], at: B{0}}}\n", k);
    fmt::format_to(out, "  C{0}: {{type: revolute, bodies: [upright{1}, coupler{0}], at: B{1}}}\n", k, k + 1);
  }
  text +=
      "initial:\n"
      "  velocities: {A0: -1}\n"
      "simulation: {duration: 10, output_step: 0.01}\n"
      "outputs: {tip_x: x(upright0.B0), tip_y: y(upright0.B0)}\n";
  return text;
}

// Open chain of square bars along x on revolute joints whose axes alternate between z and y, under gravity along -z.
std::string spatial_chain(int links) {
  std::string text = fmt::format(
      "# Open spatial chain of {0} bars (0.1 m x 0.02 m x 0.02 m, 0.1 kg); hinge axes alternate between y and z.\n"
      "#\n"
      "#   ///o----o----o----o ...   starts along x at rest\n"
      "bricard: 1\n"
      "name: Spatial chain of {0} bars\n"
      "dimension: spatial\n"
      "parameters: {{L: 0.1, m: 0.1, w: 0.02}}\n"
      "bodies:\n",
      links);
  auto out = std::back_inserter(text);
  for (int k = 0; k < links; ++k) {
    fmt::format_to(
        out, "  link{0}: {{mass: m, center: [\"({0} + 0.5)*L\", 0, 0], shape: {{box: {{size: [L, w, w]}}}}}}\n", k);
  }
  text += "joints:\n";
  for (int k = 0; k < links; ++k) {
    const std::string before = k == 0 ? "ground" : fmt::format("link{}", k - 1);
    fmt::format_to(out, "  J{0}: {{type: revolute, bodies: [{1}, link{0}], at: [\"{0}*L\", 0, 0], axis: {2}}}\n", k,
                   before, k % 2 == 0 ? "[0, 1, 0]" : "[0, 0, 1]");
  }
  text += "simulation: {duration: 2, output_step: 0.01}\n";
  return text;
}

}  // namespace

const std::vector<GeneratorType>& generator_types() {
  static const std::vector<GeneratorType> types = {
      {"n-four-bar", "N planar four-bar loops side by side (IFToMM benchmark A02)", "loops", 40, n_four_bar},
      {"spatial-chain", "open chain of bars on hinges with alternating axes", "links", 10, spatial_chain},
  };
  return types;
}

}  // namespace bricard
