// A run step by step, for programs that look at it or act between its steps: controllers, co-simulation, live views.
//   Stepper run(model, {.duration = 10});
//   while (run.step()) show(run.time(), run.row());
//   const Summary summary = run.finish();
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/simulate.h"

namespace bricard {

class Stepper {
 public:
  /// At the first row of a run. Throws InputError as simulate() does.
  explicit Stepper(const std::shared_ptr<const Model>& model, const Method& method = {});
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  double time() const;
  /// At its duration, or stopped: finish() says why.
  bool done() const;
  /// One step of the integrator, of its own length. False: none was taken, because the run is done. A step that went
  /// wrong may lead back in time, from where the run comes again.
  bool step();
  /// As many steps as lead to t, where the last one ends. False: stopped before.
  bool advance(double t);

  const std::vector<std::string>& columns() const;
  /// All columns at this time.
  Vector row();
  /// Number of a column; throws std::out_of_range for an unknown name, with the nearest one.
  int index(const std::string& column) const;

  /// Where the run is, to return to. From a state that was restored the run begins anew, so that what follows depends
  /// on nothing else, bit for bit; a run that was not restored goes on with its history, and differs from it within
  /// the tolerance. To branch without any difference, restore at the time of saving: s = state(), restore(s).
  class State;
  std::shared_ptr<const State> state();
  /// Of this run, or of another of the same model and method.
  void restore(const std::shared_ptr<const State>& state);

  /// Ends the run, where it is. No other call may follow.
  Summary finish();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace bricard
