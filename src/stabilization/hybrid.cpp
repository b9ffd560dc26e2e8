// `hybrid`: the cheapest of three ways that serves at present, told at the end of every step.
//   U  accelerations as they are, P v' = gamma, until |Phi| > eps or |Phi_dot| > eps max(1, |v|)
//   B  Baumgarte's feedback, until errors are below eps / 10
//   P  pure partitioning: dependent positions and velocities from the present best choice after every step; where
//      feedback fails, and near singular positions, where it must
//                                                            [Park, Haug 1986, as Jalon-Bayo tell it in section 5.2.2]
// Left open there, and chosen here: B has failed when errors are above 10 eps, or when it has not led back within 10 /
// alpha. A position is near a singular one where the smallest pivot of P, over the largest, is below a tenth of the
// largest such ratio seen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stabilization/partitioning.h"
#include "system/typical_inertia.h"

namespace bricard::stabilizations {
namespace {

class Hybrid : public Stabilization {
 public:
  Hybrid(System& system, const StabilizationOptions& options)
      : system_(system),
        baumgarte_(find_stabilization_type("baumgarte")->create(system, options)),
        correction_(system, options),
        eq_(system.empty_equations()),
        P_(system.row_count(), system.velocity_size()),
        column_scale_(typical_inertia(system).cwiseSqrt().cwiseInverse()),
        no_states_(Vector::Zero(system.state_size())),
        bound_(bound_of(options, system)),
        patience_(10 / options.alpha) {
    no_feedback();
  }

  bool corrects() const override { return true; }

  StepChange correct(Dynamics&, double t, VectorRef q, VectorRef v) override {
    return way_ == Way::partitioned ? correction_.correct(t, q, v) : StepChange::none;
  }

  StepChange renew_feedback(double t, ConstVector q, ConstVector v) override {
    const StepChange of_gains = baumgarte_->renew_feedback(t, q, v);
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
    const Way before = way_;
    way_ = next_way(t, v);
    if (way_ != before) {
      ++changes_;
      partitionings_ += way_ == Way::partitioned;
      since_ = t;
    } else if (way_ != Way::fed_back || of_gains == StepChange::none) {
      return StepChange::none;
    }
    if (way_ == Way::fed_back) {
      feedback_ = baumgarte_->feedback();
    } else {
      no_feedback();
    }
    return way_ != before ? StepChange::replaced : of_gains;
  }

  std::string failure() const override { return correction_.failure(); }
  std::string report() const override {
    if (changes_ == 0) return "the constraints kept within bounds by themselves";
    return fmt::format("{} change{} between no stabilisation, feedback and partitioning, which was taken {} time{}",
                       changes_, changes_ == 1 ? "" : "s", partitionings_, partitionings_ == 1 ? "" : "s");
  }

 private:
  enum class Way { plain, fed_back, partitioned };

  void no_feedback() {
    feedback_ = {.rate = Vector::Zero(system_.row_count()), .position = Vector::Zero(system_.row_count())};
  }

  Way next_way(double t, ConstVector v) {
    if (is_near_singular_position()) return Way::partitioned;
    const double error = std::max(eq_.Phi.norm(), eq_.Phi_dot.norm() / std::max(1.0, v.lpNorm<Eigen::Infinity>()));
    if (way_ != Way::fed_back) return error > bound_ ? Way::fed_back : Way::plain;
    if (error < bound_ / 10) return Way::plain;
    return error > 10 * bound_ || t - since_ > patience_ ? Way::partitioned : Way::fed_back;
  }

  /// By the pivots of Gauss elimination with full pivoting, as many as the rank of P where the run begins.
  bool is_near_singular_position() {
    if (P_.size() == 0) return false;
    P_.setZero();
    for (int row = 0; row < eq_.P.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry)
        P_(row, entry.col()) = entry.value() * column_scale_[entry.col()];
    }
    elimination_.compute(P_);
    const auto pivots = elimination_.matrixLU().diagonal().cwiseAbs().eval();
    constexpr double rounding = 1e-9;
    if (rank_ < 0) rank_ = (pivots.array() > rounding * pivots[0]).count();
    if (rank_ == 0) return false;
    const double ratio = pivots[rank_ - 1] / pivots[0];
    largest_ratio_ = std::max(largest_ratio_, ratio);
    return ratio < 0.1 * largest_ratio_;
  }

  System& system_;
  std::unique_ptr<Stabilization> baumgarte_;
  PartitioningCorrection correction_;
  Equations eq_;
  Matrix P_;
  Eigen::FullPivLU<Matrix> elimination_;
  Vector column_scale_, no_states_;
  double bound_, patience_, since_ = 0, largest_ratio_ = 0;
  Eigen::Index rank_ = -1;
  Way way_ = Way::plain;
  long changes_ = 0, partitionings_ = 0;
};

}  // namespace

StabilizationType hybrid() {
  return {.name = "hybrid",
          .description = "nothing; above a bound Baumgarte's feedback; where that fails, partitioning (--hybrid-bound)",
          .source = "Park, Haug 1986; Jalon-Bayo 5.2.2",
          .feedback = true,
          .corrections = true,
          .whole_only = true,
          .switches = true,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Hybrid>(system, options);
          }};
}

}  // namespace bricard::stabilizations
