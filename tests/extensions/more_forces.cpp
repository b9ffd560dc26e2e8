// Forces on whatever else a force can act on: a joint's coordinate, a place of two bodies, the whole model.
#include <bricard/extend.h>
#include <forces/force_element.h>

namespace {

using namespace bricard;

/// The torque or force -k x^3 on a joint's coordinate, V = k x^4/4.
class HardCoil : public ForceElement {
 public:
  HardCoil(const CustomForce& force, ForceBuilder& builder)
      : k_(force.numbers.at("stiffness")),
        x_(builder.coordinate(force.joint, force.coordinate)),
        load_(builder.effort(x_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    apply_effort(context.signals, x_, effort(context), &loads[load_]);
  }
  double potential(const ForceContext& context) const override {
    return -0.25 * effort(context) * context.signals[x_].value;
  }
  double potential_rate(const ForceContext& context) const override {
    return -effort(context) * context.signals[x_].rate;
  }

 private:
  double effort(const ForceContext& context) const { return -k_ * std::pow(context.signals[x_].value, 3); }
  double k_;
  int x_, load_;
};

/// A block of tar between two bodies: -c (v_j - v_i) at one place.
class Tar : public ForceElement {
 public:
  Tar(const CustomForce& force, ForceBuilder& builder)
      : c_(force.numbers.at("damping")),
        i_(builder.point(force.points[0])),
        j_(builder.point(force.points[1])),
        load_(builder.load(i_)) {
    builder.load(j_);
  }
  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    loads[load_].value = c_ * (context.markers.rate[j_] - context.markers.rate[i_]);
    loads[load_ + 1].value = -loads[load_].value;
  }

 private:
  double c_;
  int i_, j_, load_;
};

/// All bodies attract each other: G m_a m_b/d^2, V = -G m_a m_b/d.
class Gravitation : public ForceElement {
 public:
  Gravitation(const CustomForce& force, ForceBuilder& builder) {
    const std::vector<Body>& bodies = builder.model().bodies;
    for (int a = 0; a < static_cast<int>(bodies.size()); ++a) {
      for (int b = 0; b < a; ++b) {
        const int distance =
            builder.signals().distance(builder.point({a, bodies[a].center}), builder.point({b, bodies[b].center}));
        pairs_.push_back({force.numbers.at("G") * bodies[a].mass * bodies[b].mass, distance, builder.effort(distance)});
      }
    }
  }
  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    for (const Pair& pair : pairs_)
      apply_effort(context.signals, pair.distance, effort(context, pair), &loads[pair.load]);
  }
  double potential(const ForceContext& context) const override {
    double sum = 0;
    for (const Pair& pair : pairs_) sum -= pair.Gmm / context.signals[pair.distance].value;
    return sum;
  }
  double potential_rate(const ForceContext& context) const override {
    double sum = 0;
    for (const Pair& pair : pairs_) sum -= effort(context, pair) * context.signals[pair.distance].rate;
    return sum;
  }

 private:
  struct Pair {
    double Gmm;
    int distance, load;
  };
  static double effort(const ForceContext& context, const Pair& pair) {
    const double d = context.signals[pair.distance].value;
    return -pair.Gmm / (d * d);
  }
  std::vector<Pair> pairs_;
};

template <class Element>
std::unique_ptr<ForceElement> make(const CustomForce& force, ForceBuilder& builder) {
  return std::make_unique<Element>(force, builder);
}

bool register_all() {
  register_force({.name = "hard_coil",
                  .description = "a torque with the cube of a joint's angle",
                  .on = ForceOn::joint,
                  .keys = {{.name = "stiffness", .unit = {.mass = 1, .length = 2, .time = -2}}},
                  .any_units = true,  // on angles
                  .create = make<HardCoil>});
  register_force({.name = "tar",
                  .description = "a damper in all directions",
                  .on = ForceOn::bodies,
                  .keys = {{.name = "damping", .unit = {.mass = 1, .time = -1}, .standard = 2}},
                  .any_units = true,
                  .create = make<Tar>});
  register_force({.name = "gravitation",
                  .description = "all bodies attract each other",
                  .keys = {{.name = "G", .unit = {.mass = -1, .length = 3, .time = -2}, .standard = 6.674e-11}},
                  .any_units = true,
                  .create = make<Gravitation>});
  return true;
}
[[maybe_unused]] const bool registered = register_all();

}  // namespace
