// A force of the model: loads on markers as functions of time, markers and signals.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinates/load_couplings.h"
#include "joints/row_builder.h"
#include "model/units.h"

namespace bricard {

/// What a force may look at.
struct ForceContext {
  double t;
  const Markers& markers;
  const Signals& signals;
};

class ForceElement {
 public:
  virtual ~ForceElement() = default;
  /// Fills its own stretch of the table of loads.
  virtual void evaluate(const ForceContext& context, std::vector<Load>& loads) const = 0;
  /// Stored energy, and its time derivative along the motion; zero for forces without a potential.
  virtual double potential(const ForceContext& context) const {
    (void)context;
    return 0;
  }
  virtual double potential_rate(const ForceContext& context) const {
    (void)context;
    return 0;
  }
  /// Derivatives of its loads. False: not known, so that they must be found by differences.
  virtual bool couple(const ForceContext& context, LoadCouplings& couplings) const {
    (void)context, (void)couplings;
    return false;
  }
};

/// Finds markers and signals, and gives out places in the table of loads.
class ForceBuilder {
 public:
  ForceBuilder(const Model& model, RowBuilder& rows, std::vector<Load>& loads)
      : model_(model), rows_(rows), loads_(loads) {}

  const Model& model() const { return model_; }
  int point(const Attachment& at) { return rows_.use_marker(rows_.point(at.body, at.place)); }
  int vector(int body, const Vec3& direction) { return rows_.use_marker(rows_.vector(body, direction)); }
  int rotation(int body) { return rows_.use_marker(rows_.rotation(body)); }
  int coordinate(int joint, int k) {
    rows_.use(rows_.coordinates[joint][k]);
    return rows_.coordinates[joint][k];
  }
  BoundExpression bind(const Expression& expression) {
    const std::size_t before = rows_.laws.size();
    BoundExpression bound = rows_.act(expression);
    is_in_laws_ = rows_.laws.size() > before;
    for (int signal : bound.ids()) rows_.use(signal);
    return bound;
  }
  Signals& signals() { return rows_.signals(); }
  /// The free variables of the law that was bound last are the signal less the offset, and its rate.
  void measure_law(int signal, double offset) {
    if (is_in_laws_) rows_.laws.back().measured = signal, rows_.laws.back().offset = offset;
  }

  /// Index of a new load on a marker.
  int load(int marker);
  /// Index of the first of the loads by which an effort acts on a signal.
  int effort(int signal);

 private:
  const Model& model_;
  RowBuilder& rows_;
  std::vector<Load>& loads_;
  bool is_in_laws_ = false;  // the expression bound last
};

/// Loads of a generalised force on a signal: force times gradient on each of its markers.
void apply_effort(const Signals& signals, int signal, double effort, Load* loads);

/// How an effort depends on a signal and on its rate (a velocity has no rate here).
struct EffortSlope {
  int signal;
  double of_value, of_rate;
};
/// Derivatives of one load along a direction.
void couple_load(const ForceContext& context, int loaded, const Vec3& direction, const EffortSlope& slope,
                 LoadCouplings& couplings);
/// Derivatives of the loads of an effort.
void couple_effort(const ForceContext& context, int signal, double effort, const EffortSlope* slopes, int count,
                   LoadCouplings& couplings);
/// What the signals in the effort's expression add to them, after BoundExpression::gradient().
void couple_expression(const ForceContext& context, int signal, const BoundExpression& expression,
                       LoadCouplings& couplings);

/// What a force of a registered type acts on, and the keys of the model file that say so.
enum class ForceOn {
  model,   // what it finds there; no keys
  body,    // `body`, `at` (default: the centre of mass): one point
  points,  // `between`: two points, of different bodies
  bodies,  // `bodies`, `at`: a place as a point of both
  joint,   // `joint`, `coordinate`
};

/// A key of the model file beside those.
struct ForceKey {
  const char* name;
  Unit unit = {};
  std::optional<double> standard = {};  // its value where it is left out; none: it must be given
  bool is_formula = false;              // of time and signals, as `value` of an actuator; else a number
};

struct ForceType {
  const char* name;
  const char* description;
  // --- of types that programs register (extend.h) ---
  ForceOn on = ForceOn::model;
  std::vector<ForceKey> keys = {};
  /// True: its law has no numbers with units but those of its keys, so that it holds in any units, and mechanisms far
  /// from metres, kilograms and seconds may be measured in their own. False: models that have it are taken as they are.
  bool any_units = false;
  std::unique_ptr<ForceElement> (*create)(const CustomForce& force, ForceBuilder& builder) = nullptr;
};
/// All force types: those of forces.def, then those of the program.
const std::deque<ForceType>& force_types();
/// The type of that name, or nullptr.
const ForceType* find_force_type(const std::string& name);
std::unique_ptr<ForceElement> create_force(const Force& force, ForceBuilder& builder);

}  // namespace bricard
