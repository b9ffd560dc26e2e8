// The energy of a run, less the work of everything without a potential, is constant but for errors. What that balance
// may do, in sizes of the energies that the motion exchanges: change in a step by what errors explain, and grow over
// the run by less than what is called divergence.
#pragma once

#include <string>

#include "analyses/run/divergence.h"
#include "bricard/method.h"
#include "bricard/simulate.h"

namespace bricard {

class EnergyBounds {
 public:
  /// All must outlive this object; what it finds is in the summary.
  EnergyBounds(const Model& model, const Method& method, const Divergence& divergence, Summary& summary);

  /// Energies at the first row, J; or those that a run which goes on had there, and its balance now.
  void begin(double total, double potential, double balance);
  /// Energies at a row.
  void see(double total, double kinetic);
  /// Kinetic and potential energy and work between rows.
  void see(double kinetic, double potential, double work);

  /// Of the last accepted state.
  double balance() const { return balance_; }
  void set_balance(double balance) { balance_ = balance; }
  /// Adds what the accepted balance is off by now to the summary.
  void count_drift();
  double energy_start() const { return energy_start_; }
  double potential_start() const { return potential_start_; }

  /// What energies of this model are of the size of: the weight over its length, or what it moved with so far.
  double size() const;
  double tolerance() const { return tolerance_; }
  /// The balance after a step is further from the accepted one than errors of the tolerance explain.
  bool has_jumped(double balance) const;
  std::string jump_text(double balance) const;
  /// That the energy has grown beyond all bounds, in words; empty if not.
  std::string growth(double balance) const { return divergence_.of_energy(balance - energy_start_, size()); }

 private:
  const Divergence& divergence_;
  Summary& summary_;
  const double tolerance_;  // of the work: where steps are longer than the run's tolerance would have them, theirs
  const double weight_over_length_;
  double energy_start_ = 0, potential_start_ = 0, balance_ = 0;
  double exchanged_ = 0;  // between rows, as far as steps were asked for it
};

}  // namespace bricard
