// Numbers that only rounding, convergence and errors are compared with (1e-13 of a closed joint, 1e-6 of a step) are
// meant for mechanisms of some metres, kilograms and seconds. A mechanism of other sizes is measured in units of its
// own, in which it is such a mechanism, analysed there, and its results are brought back: a watch and a crane of the
// same design move alike. Units are powers of two, which costs no digit.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analyses/assembly/assembly.h"
#include "bricard/input_error.h"
#include "bricard/model.h"
#include "bricard/simulate.h"
#include "coordinates/coordinates.h"
#include "model/units.h"

namespace bricard {

/// m, kg and s for whatever lies within a few powers of ten of them. Lengths: the characteristic length; masses: the
/// mean one; times: that of a fall by the length, else of the initial velocities, else of the duration that the model
/// (else the method) gives.
Units own_units(const Model& model, const Method& method = {});

/// The same mechanism, its numbers measured in these units; a duration is always given.
std::shared_ptr<const Model> measured_in(const Units& units, const Model& model, const Method& method = {});
Method measured_in(const Units& units, Method method);

/// A model in its own units, and the way back for results.
class OwnUnits {
 public:
  explicit OwnUnits(std::shared_ptr<const Model> model, const Method& method = {});

  /// False: there is nothing to do.
  bool differ() const { return !units_.are_si(); }
  const Units& units() const { return units_; }
  const std::shared_ptr<const Model>& model() const { return own_; }
  Method method(const Method& given) const { return measured_in(units_, given); }

  // --- to SI units ---
  Method method_to_si(const Method& own) const { return measured_in(units_.inverse(), own); }
  /// SI value of 1 in a column of results.
  double size_of(const std::string& column) const;
  Vector sizes_of(const std::vector<std::string>& columns) const;
  /// Numbers in sentences: those with a unit, times ("t = ..") and steps.
  void to_si(std::string& text) const;
  void to_si(std::vector<std::string>& texts) const;
  void to_si(std::vector<Displacement>& moved) const;
  void to_si(std::vector<BodyState>& bodies) const;
  void to_si(const CoordinatesType& coordinates, Vector& q, Vector& v) const;
  void to_si(Assembly& assembly, const CoordinatesType& coordinates) const;
  void to_si(Summary& summary) const;
  /// Calls, with numbers in the messages of input errors brought back.
  template <class Call>
  auto translate_errors(const Call& call) const {
    try {
      return call();
    } catch (const InputError& error) {
      throw in_si(error);
    }
  }

 private:
  InputError in_si(const InputError& error) const;
  double size_of_coordinate(int joint, int coordinate) const;

  std::shared_ptr<const Model> model_, own_;
  Units units_;
  std::map<std::string, double> formulas_;  // by joint: what those of constraints are multiplied by
};

/// Brings rows back before it hands them on.
class SinkInSi : public Sink {
 public:
  SinkInSi(Sink& sink, const OwnUnits& own, const Model& model) : sink_(sink), own_(own), model_(model) {}
  void describe(const RunDescription& run) override;
  void begin(const std::vector<std::string>& columns) override;
  void row(const Vector& values) override;
  void end() override { sink_.end(); }

 private:
  Sink& sink_;
  const OwnUnits& own_;
  const Model& model_;
  Vector sizes_, values_;
};

}  // namespace bricard
