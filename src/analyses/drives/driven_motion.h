// A motion that follows from laws of time alone, without forces: tracked from instant to instant.
//   positions      Phi(q, t) = 0     Newton with rank-revealing steps of least norm, from q + v h + v' h^2/2
//   velocities     P v = -Phi_t
//   accelerations  P v' = gamma                                   [Jalon-Bayo, chapter 3; Nikravesh 1988, chapter 3]
// Redundant rows do not matter. Further targets s(q) = s(t), such as a measured motion, are met as well as the
// constraints allow. Steps are short enough that the branch of the prediction is kept. At singular positions, where
// equations lose rank, the motion is interpolated between regular positions on both sides, which is the smooth branch.
// In coordinates of free bodies (`reference-point`): the velocities are those of the centres, then the angular ones.
#pragma once

#include <string>
#include <vector>

#include "analyses/assembly/least_norm_newton.h"
#include "linear/constrained_least_squares.h"
#include "system/system.h"

namespace bricard {

/// Equations of a motion beside the constraints: s(q) = s(t), as lengths divided by the model's, or angles.
class Targets {
 public:
  virtual ~Targets() = default;
  virtual int size() const = 0;
  /// s(q) - s(t) and G = ds/dv, where the system was evaluated last.
  virtual void errors(System& system, double t, VectorRef errors, Matrix& G) = 0;
  /// What G v and G v' have to be; the latter for the velocities at which the system was evaluated last.
  virtual void rates(System& system, double t, VectorRef rates) = 0;
  virtual void accelerations(System& system, double t, VectorRef accelerations) = 0;
};

struct DrivenState {
  double t = 0;
  Vector q, v, vdot;
  int rank = 0;
  bool near_singular = false;
};

class DrivenMotion {
 public:
  /// `targets` may be null.
  DrivenMotion(System& system, Targets* targets);

  /// Begins near q. False with failure() if the equations cannot be satisfied.
  bool start(double t, ConstVector q);
  /// Velocities that neither the constraints nor the targets determine at the start.
  int freedoms() const { return velocities_ - start_rank_; }
  /// The same of positions: more than freedoms() if velocity-level constraints hold some.
  int position_freedoms() const { return velocities_ - start_position_rank_; }
  /// Goes on to a later time. False with failure(): the state stays where it was.
  bool advance(double t);
  /// How far it came, also within an advance that failed.
  double reached() const { return base_.t; }

  const DrivenState& state() const { return state_; }
  /// Singular positions at the times asked for.
  const std::vector<double>& singular_times() const { return singular_times_; }
  long steps() const { return steps_; }
  const std::string& failure() const { return failure_; }
  /// Admissible velocities at the state, as columns: what the constraints (and targets) leave.
  Matrix free_velocities(bool with_targets);

 private:
  enum class Rows { positions, all };
  void evaluate(double t, const Vector& q, const Vector& v);
  void factorize(Rows rows, double threshold, int without = -1);
  void solve(const Vector& right, const Vector& target, Vector& step);
  bool close(double t, Vector& q, int without = -1);
  bool close_carefully(double t, Vector& q, int without = -1);
  /// With the row `without` left out; steps as long as `far` are not taken.
  void newton(double t, Vector& q, int without, const LeastNormLimits& limits, double far, bool natural);
  void find_rates(const DrivenState* from, DrivenState& to);
  bool attempt(const DrivenState& from, double t, DrivenState& to);
  bool go(const DrivenState& from, double t, DrivenState& to);
  bool pass_singular_position(double t, DrivenState& at);
  void interpolate(const DrivenState& from, const DrivenState& to, DrivenState& at);
  void accept(const DrivenState& state);
  void explain_failure(double t);
  double size_of(const Vector& displacement) const {
    return scale_.cwiseProduct(displacement).lpNorm<Eigen::Infinity>();
  }

  System& system_;
  Targets* targets_;
  int velocities_;
  Equations eq_;
  Vector no_states_, zero_;
  Vector scale_;       // of displacements: angles, and lengths divided by the model's
  Vector row_length_;  // of P at the start, in these scales
  double tolerance_ = 0, near_ = 0;
  int start_rank_ = 0, start_position_rank_ = 0;
  std::vector<int> chosen_;  // rows that are factorized
  ConstrainedLeastSquares solver_;
  Matrix G_, scaled_G_;
  Vector target_errors_, target_start_, target_right_;
  double ramp_ = 1;
  DrivenState state_, base_;  // the last, and the last regular one
  long steps_ = 0;
  std::string failure_, reason_;
  std::vector<double> singular_times_;
};

/// d(signal)/dv at the last evaluation of the system, as a row.
void signal_gradient(System& system, int signal, VectorRef gradient);

}  // namespace bricard
