// Forces, drives, gears, expressions and friction of the mechanisms in the lanes: each System evaluates its own, number
// by number, and what it finds is put into packs for the kernel.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "dynamics/bodies/body_elements.h"
#include "dynamics/bodies/body_kernel.h"
#include "linear/simd/pack.h"

namespace bricard {

template <int D>
class LaneElements {
 public:
  using Space = graph::Space<D, Pack>;
  using Kernel = BodyKernel<D, Pack>;

  /// All must outlive this object.
  LaneElements(const std::vector<System*>& systems, const JointGraph& graph, Kernel& kernel)
      : graph_(graph), kernel_(kernel), velocities_(systems[0]->velocity_size()), states_(systems[0]->state_size()) {
    for (System* system : systems) {
      if (mechanisms_.empty() || &mechanisms_.back()->system != system)
        mechanisms_.push_back(std::make_unique<Mechanism>(*system, graph));
    }
    const BodyElements<D>& first = mechanisms_.front()->elements;
    for (const auto& m : mechanisms_) {
      exist_ = exist_ || m->elements.exist();
      fit_ = fit_ && m->elements.general_entries() == first.general_entries() &&
             m->system.friction_depends_on_load() == mechanisms_.front()->system.friction_depends_on_load();
      counts_turns_ = counts_turns_ || (D == 3 && m->system.has_angles());
      for (const auto* loads : {&m->system.loads(), &m->system.friction_loads()}) {
        for (const Load& load : *loads) loaded_.push_back(m->system.markers().list[load.marker].body);
      }
    }
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
    loaded_.erase(loaded_.begin(), std::upper_bound(loaded_.begin(), loaded_.end(), ground));
    loads_.resize(exist_ ? graph.bodies * per_body : 0, Pack(0));
    gradients_.resize(first.general_entries().size() * per_body, Pack(0));
    if (!friction_depends_on_load()) return;
    forces_.resize(velocities_, Pack(0)), increment_.resize(velocities_, Pack(0)), free_.resize(velocities_, Pack(0));
    right_.resize(graph.rows(), Pack(0)), answer_.resize(graph.rows(), Pack(0));
  }

  bool exist() const { return exist_; }
  /// What acts in the lanes is of one structure.
  bool fit() const { return fit_; }

  /// Of the states (q, v, states of friction).
  void evaluate(double t, const Pack* x) {
    for (std::size_t l = 0; l < mechanisms_.size(); ++l) {
      Mechanism& m = *mechanisms_[l];
      m.take(static_cast<int>(l), x);
      m.system.evaluate_elements(t, m.q, m.v, m.s, m.eq);
    }
  }
  /// The same, and loads to the kernel.
  void add_loads(double t, const Pack* x) {
    evaluate(t, x);
    for (int body : loaded_) std::fill_n(&loads_[body * per_body], per_body, Pack(0));
    for_each([&](Mechanism& m, int from, int to) {
      m.elements.each_load([&](int body, const auto& force, const auto& moment) {
        const auto values = numbers(force, moment);
        Pack* const load = &loads_[body * per_body];
        for (int k = 0; k < per_body; ++k) {
          for (int l = from; l < to; ++l) load[k][l] += values[k];
        }
      });
    });
    for (int body : loaded_) {
      const Pack* const load = &loads_[body * per_body];
      kernel_.add_force(body, Space::load(load), Space::load_angular(load + D));
    }
  }

  // --- general rows, as evaluated last ---
  void write_jacobian() {
    if (!graph_.has_general_rows) return;
    for_each([&](Mechanism& m, int from, int to) {
      m.elements.each_gradient([&](std::size_t entry, const auto& force, const auto& moment) {
        const auto values = numbers(force, moment);
        for (int k = 0; k < per_body; ++k) {
          for (int l = from; l < to; ++l) gradients_[entry * per_body + k][l] = values[k];
        }
      });
    });
    for (const auto& joint_block : graph_.joint_blocks) {
      for (int jacobian_block = joint_block.jacobian; joint_block.general && jacobian_block < joint_block.jacobian_end;
           ++jacobian_block)
        kernel_.clear_general(jacobian_block);
    }
    const auto& entries = mechanisms_.front()->elements.general_entries();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Pack* const gradient = &gradients_[k * per_body];
      kernel_.add_general(entries[k].jacobian_block, entries[k].row, Space::load(gradient),
                          Space::load_angular(gradient + D));
    }
  }
  void find_right_side() {
    if (!graph_.has_general_rows) return;
    for (const auto& joint_block : graph_.joint_blocks) {
      if (joint_block.general) kernel_.find_general_right_side(joint_block);
    }
    for_each([&](Mechanism& m, int from, int to) {
      m.elements.each_general_row([&](int row, int source) {
        for (int l = from; l < to; ++l) kernel_.right_side()[row][l] -= m.eq.gamma[source];
      });
    });
  }
  /// Phi and Phi'
  void write_errors() {
    if (!graph_.has_general_rows) return;
    for_each([&](Mechanism& m, int from, int to) {
      m.elements.each_general_row([&](int row, int source) {
        for (int l = from; l < to; ++l)
          kernel_.Phi()[row][l] = m.eq.Phi[source], kernel_.Phi_dot()[row][l] = m.eq.Phi_dot[source];
      });
    });
  }

  /// After the accelerations: adds friction that depends on loads, writes rates of its states, and the power of
  /// everything without a potential, behind them. False if friction does not settle.
  bool finish(double t, const Pack* multipliers, Pack* vdot) {
    if (friction_depends_on_load() && !settle_friction(multipliers, vdot)) return false;
    Pack* const rates = vdot + velocities_;
    for_each([&](Mechanism& m, int from, int to) {
      const double power = friction_depends_on_load()
                               ? m.system.nonconservative_power(m.eq, m.lambda)
                               : m.elements.power(t, m.eq, [&](int row) { return multipliers[row][from]; });
      if (states_ > 0) m.system.state_rates(m.lambda, m.s, m.rates);
      for (int l = from; l < to; ++l) {
        for (int k = 0; k < states_; ++k) rates[k][l] = m.rates[k];
        rates[states_][l] = power;
      }
    });
    return true;
  }

  /// At an accepted state: counts turns, adds the energy that is stored in forces. False if turns cannot be told.
  bool accept(double t, const Pack* x, Pack& energy) {
    if (counts_turns_) {
      for (std::size_t l = 0; l < mechanisms_.size(); ++l) {
        Mechanism& m = *mechanisms_[l];
        m.take(static_cast<int>(l), x);
        m.system.evaluate_signals(t, m.q, m.v);
        if (!m.system.turns_are_certain(t)) return false;
      }
      for (const auto& m : mechanisms_) m->system.accept(t);
    } else {
      evaluate(t, x);
    }
    for_each([&](Mechanism& m, int from, int to) {
      const double stored = m.system.stored_energy(t);
      for (int l = from; l < to; ++l) energy[l] += stored;
    });
    return true;
  }

 private:
  static constexpr int per_body = D + Space::angular;

  struct Mechanism {
    Mechanism(System& of, const JointGraph& graph)
        : system(of),
          elements(of, graph),
          eq(of.empty_vectors()),
          q(of.position_size()),
          v(of.velocity_size()),
          s(of.state_size()),
          rates(of.state_size()),
          lambda(Vector::Zero(of.row_count())),
          free_lambda(lambda),
          previous(lambda),
          Q(of.velocity_size()) {}
    /// Its lane of packs (q, v, states).
    void take(int lane, const Pack* x) {
      for (double& value : q) value = (*x++)[lane];
      for (double& value : v) value = (*x++)[lane];
      for (double& value : s) value = (*x++)[lane];
    }
    bool has_settled(double tolerance) const {
      return lambda.allFinite() && (lambda - previous).template lpNorm<Eigen::Infinity>() <=
                                       tolerance * lambda.template lpNorm<Eigen::Infinity>();
    }

    System& system;
    BodyElements<D> elements;
    Equations eq;
    Vector q, v, s, rates;
    Vector lambda, free_lambda, previous, Q;  // of friction that depends on loads
    bool settled = false;
  };

  bool friction_depends_on_load() const { return mechanisms_.front()->system.friction_depends_on_load(); }

  /// action(mechanism, its first lane, behind its last): a run that is repeated has several.
  template <class Action>
  void for_each(const Action& action) {
    const int count = static_cast<int>(mechanisms_.size());
    for (int l = 0; l < count; ++l) action(*mechanisms_[l], l, l + 1 < count ? l + 1 : Pack::lanes);
  }
  template <class Vec, class Ang>
  static std::array<double, per_body> numbers(const Vec& force, const Ang& moment) {
    using One = graph::Space<D, double>;
    std::array<double, per_body> values;
    One::store(force, values.data());
    One::store_angular(moment, values.data() + D);
    return values;
  }

  /// The fixed point of FrictionSolver in all lanes at once; one that has settled waits for the others.
  bool settle_friction(const Pack* multipliers, Pack* vdot) {
    for_each([&](Mechanism& m, int from, int) {
      for (int row = 0; row < graph_.rows(); ++row) {
        if (graph_.system_row[row] >= 0) m.free_lambda[graph_.system_row[row]] = multipliers[row][from];
      }
      m.lambda = m.free_lambda;
      m.eq.Q.setZero();
      m.settled = false;
    });
    std::copy_n(vdot, velocities_, free_.data());
    constexpr int most_iterations = 40;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      bool all = true;
      for_each([&](Mechanism& m, int from, int to) {
        if (m.settled) return;
        m.previous = m.lambda;
        m.system.add_friction(m.lambda, m.s, m.eq, m.Q);
        for (int l = from; l < to; ++l) {
          for (int k = 0; k < velocities_; ++k) forces_[k][l] = m.Q[k];
        }
      });
      answer_forces();
      for_each([&](Mechanism& m, int from, int) {
        if (m.settled) return;
        for (int row = 0; row < graph_.rows(); ++row) {
          const int source = graph_.system_row[row];
          if (source >= 0) m.lambda[source] = m.free_lambda[source] + answer_[row][from];
        }
        m.settled = m.has_settled(iteration + 1 < most_iterations ? 1e-13 : 1e-9);
        all = all && m.settled;
      });
      if (!all) continue;
      for (int k = 0; k < velocities_; ++k) vdot[k] = free_[k] + increment_[k];
      return true;
    }
    return false;
  }
  /// Accelerations and multipliers of forces, with the factors at hand.
  void answer_forces() {
    kernel_.take_forces(forces_.data());
    kernel_.apply_gathered(right_.data());
    kernel_.solve(right_.data(), answer_.data());
    kernel_.gather(answer_.data());
    kernel_.accelerations_of(forces_.data(), increment_.data());
  }

  const JointGraph& graph_;
  Kernel& kernel_;
  int velocities_, states_;
  std::vector<std::unique_ptr<Mechanism>> mechanisms_;
  bool exist_ = false, fit_ = true, counts_turns_ = false;
  std::vector<int> loaded_;              // bodies
  std::vector<Pack> loads_, gradients_;  // force and moment: of each body, of each general entry
  std::vector<Pack> forces_, increment_, free_, right_, answer_;
};

}  // namespace bricard
