#include "model/expression_names.h"

#include <numbers>

namespace bricard {
namespace {

constexpr NamedConstant constants[] = {
    {"pi", std::numbers::pi},
    {"deg", std::numbers::pi / 180},
};

constexpr NamedFunction functions[] = {
    {"sin", Operation::sine, 1},           {"cos", Operation::cosine, 1},        {"tan", Operation::tangent, 1},
    {"asin", Operation::arc_sine, 1},      {"acos", Operation::arc_cosine, 1},   {"atan", Operation::arc_tangent, 1},
    {"atan2", Operation::arc_tangent2, 2}, {"sqrt", Operation::square_root, 1},  {"exp", Operation::exponential, 1},
    {"log", Operation::logarithm, 1},      {"abs", Operation::absolute, 1},      {"sign", Operation::sign, 1},
    {"min", Operation::minimum, 2, true},  {"max", Operation::maximum, 2, true}, {"step", Operation::smooth_step, 5},
    {"if", Operation::choose, 3},
};

constexpr NamedSignal signals[] = {
    {"angle", Quantity::angle, 1}, {"angle2", Quantity::angle2, 1}, {"position", Quantity::position, 1},
    {"rate", Quantity::rate, 1},   {"rate2", Quantity::rate2, 1},   {"x", Quantity::x, 1},
    {"y", Quantity::y, 1},         {"z", Quantity::z, 1},           {"vx", Quantity::vx, 1},
    {"vy", Quantity::vy, 1},       {"vz", Quantity::vz, 1},         {"wx", Quantity::wx, 1},
    {"wy", Quantity::wy, 1},       {"wz", Quantity::wz, 1},         {"distance", Quantity::distance, 2},
};

}  // namespace

std::span<const NamedConstant> named_constants() { return constants; }
std::span<const NamedFunction> named_functions() { return functions; }
std::span<const NamedSignal> named_signals() { return signals; }

bool is_reserved_name(const std::string& name) {
  return name == "t" || find_named(named_constants(), name) != nullptr ||
         find_named(named_functions(), name) != nullptr || find_named(named_signals(), name) != nullptr;
}

bool is_velocity(Quantity quantity) {
  switch (quantity) {
    case Quantity::rate:
    case Quantity::rate2:
    case Quantity::vx:
    case Quantity::vy:
    case Quantity::vz:
    case Quantity::wx:
    case Quantity::wy:
    case Quantity::wz: return true;
    default: return false;
  }
}

}  // namespace bricard
