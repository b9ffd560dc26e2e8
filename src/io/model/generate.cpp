#include "io/model/generate.h"

#include <fmt/format.h>

#include <iterator>

#include "bricard/input_error.h"

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

// Planar chain of rods between two supports; starts as a V, so that it is assembled but far from hanging at rest.
std::string hanging_chain(int links) {
  if (links < 2) throw InputError("a hanging chain has at least 2 links");
  const int first = links / 2, second = links - first;
  std::string text = fmt::format(
      "# Chain of {0} equal rods between two supports\n"
      "#\n"
      "#   ///o             o///      span, rise: from the left support to the right one\n"
      "#       \\           /          starts as a V; at rest it hangs nearly as a catenary\n"
      "#         o       o\n"
      "#           o-o-o\n"
      "#\n"
      "# At rest the tangents of the links' angles grow evenly: tan(angle_k) = (V + k w)/H with w the weight of a "
      "link,\n"
      "# H the horizontal force in all joints, and V and H such that the links fill span and rise.\n"
      "bricard: 1\n"
      "name: Hanging chain of {0} links\n"
      "dimension: planar\n"
      "parameters:\n"
      "  span: 1\n"
      "  rise: 0\n"
      "  length: 1.5             # of the chain\n"
      "  mass: 1                 # of the chain\n"
      "  c: sqrt(span^2 + rise^2)\n"
      "  l1: length*{1}/{0}         # left and right leg of the V\n"
      "  l2: length*{2}/{0}\n"
      "  s: (l1^2 + c^2 - l2^2)/(2*c)\n"
      "  d: sqrt(l1^2 - s^2)\n"
      "  px: (s*span + d*rise)/c # its corner\n"
      "  py: (s*rise - d*span)/c\n"
      "points:\n",
      links, first, second);
  auto out = std::back_inserter(text);
  for (int k = 0; k <= first; ++k) fmt::format_to(out, "  K{0}: [{0}/{1}*px, {0}/{1}*py]\n", k, first);
  for (int k = 1; k <= second; ++k) {
    fmt::format_to(out, "  K{0}: [px + {1}/{2}*(span - px), py + {1}/{2}*(rise - py)]\n", first + k, k, second);
  }
  text += "bodies:\n";
  for (int k = 1; k <= links; ++k)
    fmt::format_to(out, "  link{0}: {{rod: [K{1}, K{0}], mass: mass/{2}}}\n", k, k - 1, links);
  text += "joints:\n  J0: {type: revolute, bodies: [ground, link1], at: K0}\n";
  for (int k = 1; k < links; ++k)
    fmt::format_to(out, "  J{0}: {{type: revolute, bodies: [link{0}, link{1}], at: K{0}}}\n", k, k + 1);
  fmt::format_to(out, "  J{0}: {{type: revolute, bodies: [link{0}, ground], at: K{0}}}\n", links);
  text += "simulation: {duration: 2, output_step: 0.01}\n";
  return text;
}

// Chain of bars between two supports, starting as a V in the x-z plane. Hinge axes alternate between y and the normal
// of the bar within the plane, and gravity leans out of the plane, so that the chain moves in space. (Along an arc all
// those normals would meet in one point, a singular position.)
std::string closed_chain(int links) {
  if (links < 6) throw InputError("a closed chain has at least 6 links: with fewer it cannot move");
  const int first = (links + 1) / 2;
  std::string text = fmt::format(
      "# Closed spatial chain of {0} bars (0.1 m, 0.1 kg) between two supports: {1} hinges, {2} degrees of freedom\n"
      "#\n"
      "#   ///o             o///      starts at rest as a V in the x-z plane; hinge axes alternate between y and the\n"
      "#       \\           /          normal of the bar in that plane\n"
      "#         o       o\n"
      "#           o   o              gravity leans out of the plane\n"
      "#             o\n"
      "bricard: 1\n"
      "name: Closed spatial chain of {0} bars\n"
      "dimension: spatial\n"
      "gravity: [0, 4, -9]\n"
      "points:\n",
      links, links + 1, links - 5);
  auto out = std::back_inserter(text);
  for (int k = 0; k <= links; ++k)
    fmt::format_to(out, "  K{0}: [0.08*{0}, 0, -0.06*{1}]\n", k, k <= first ? k : 2 * first - k);
  text += "bodies:\n";
  for (int k = 1; k <= links; ++k)
    fmt::format_to(out, "  link{0}: {{rod: [K{1}, K{0}], mass: 0.1, radius: 0.01}}\n", k, k - 1);
  text += "joints:\n";
  for (int k = 0; k <= links; ++k) {
    const std::string before = k == 0 ? "ground" : fmt::format("link{}", k);
    const std::string after = k == links ? "ground" : fmt::format("link{}", k + 1);
    const char* axis = k % 2 == 0 ? "[0, 1, 0]" : k <= first ? "[0.6, 0, 0.8]" : "[-0.6, 0, 0.8]";
    fmt::format_to(out, "  J{0}: {{type: revolute, bodies: [{1}, {2}], at: K{0}, axis: {3}}}\n", k, before, after,
                   axis);
  }
  fmt::format_to(out,
                 "simulation: {{duration: 2, output_step: 0.01}}\n"
                 "outputs: {{middle_x: x(link{0}.K{0}), middle_y: y(link{0}.K{0}), middle_z: z(link{0}.K{0})}}\n",
                 first);
  return text;
}

// Cantilever of blocks on stiff damped bushings, every tenth of them guided by a hinge as well: stiff, and implicit
// integrators need time in proportion to its length.
std::string bushing_chain(int blocks) {
  std::string text = fmt::format(
      "# Cantilever of {0} blocks (0.1 m x 0.05 m x 0.05 m, 0.5 kg) on bushings under gravity; starts straight at "
      "rest.\n"
      "#\n"
      "#   ///=[  ]=[  ]=[  ]= ...    = bushing; every tenth one bends only about the hinge beside it\n"
      "#\n"
      "# Stiff: a block vibrates on its bushings with about 10^3 rad/s, in rotation with twice that.\n"
      "bricard: 1\n"
      "name: Chain of {0} blocks on bushings\n"
      "dimension: spatial\n"
      "parameters: {{L: 0.1, m: 0.5, w: 0.05, k: 5e5, c: 50, kr: 500, cr: 0.5}}\n"
      "bodies:\n",
      blocks);
  auto out = std::back_inserter(text);
  for (int b = 0; b < blocks; ++b) {
    fmt::format_to(
        out, "  block{0}: {{mass: m, center: [\"({0} + 0.5)*L\", 0, 0], shape: {{box: {{size: [L, w, w]}}}}}}\n", b);
  }
  const auto before = [](int b) { return b == 0 ? std::string("ground") : fmt::format("block{}", b - 1); };
  if (blocks > 5) text += "joints:\n";
  for (int b = 5; b < blocks; b += 10) {
    fmt::format_to(out, "  H{0}: {{type: revolute, bodies: [{1}, block{0}], at: [\"{0}*L\", 0, 0], axis: [0, 1, 0]}}\n",
                   b, before(b));
  }
  text += "forces:\n";
  for (int b = 0; b < blocks; ++b) {
    fmt::format_to(out,
                   "  B{0}: {{type: bushing, bodies: [{1}, block{0}], at: [\"{0}*L\", 0, 0], "
                   "stiffness: [k, k, k, kr, kr, kr], damping: [c, c, c, cr, cr, cr]}}\n",
                   b, before(b));
  }
  text += "simulation: {duration: 0.5, output_step: 0.01}\n";
  return text;
}

}  // namespace

const std::vector<GeneratorType>& generator_types() {
  static const std::vector<GeneratorType> types = {
      {"n-four-bar", "N planar four-bar loops side by side (IFToMM benchmark A02)", "loops", 40, n_four_bar},
      {"hanging-chain", "planar chain of rods between two supports", "links", 20, hanging_chain},
      {"bushing-chain", "cantilever of blocks on stiff damped bushings", "blocks", 20, bushing_chain},
      {"spatial-chain", "open chain of bars on hinges with alternating axes", "links", 10, spatial_chain},
      {"closed-chain", "spatial chain of bars on hinges with alternating axes between two supports", "links", 10,
       closed_chain},
  };
  return types;
}

}  // namespace bricard
