// The explicit Runge-Kutta methods: their coefficients against the order conditions, their orders and dense output
// against Kepler's closed form, and what the driver does between equations and error test.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "integrators/explicit/runge_kutta_scheme.h"
#include "integrators/integrator.h"
#include "motions/hermite.h"
#include "support/allocation_counter.h"

namespace bricard {
namespace runge_kutta_test {

// --- coefficients ---

struct Tableau {
  explicit Tableau(const RungeKuttaScheme& scheme)
      : A(Matrix::Zero(scheme.stages(), scheme.stages())),
        b(Eigen::Map<const Vector>(scheme.b.data(), scheme.stages())),
        c(Eigen::Map<const Vector>(scheme.c.data(), scheme.stages())) {
    for (int i = 0; i < scheme.stages(); ++i)
      for (int j = 0; j < i; ++j) A(i, j) = scheme.a[i][j];
  }
  Vector power(int k) const { return c.array().pow(k); }
  Matrix A;
  Vector b, c;
};

std::vector<const RungeKuttaScheme*> schemes() {
  return {&integrators::dopri5_scheme(), &integrators::verner6_scheme(), &integrators::dop853_scheme(),
          &integrators::rk4_scheme()};
}

// rk4: the zero of 1 - z/2 + z^2/6 - z^3/24, where x1 = x.
TEST(RungeKuttaSchemes, KnowTheirStability) {
  const double z = integrators::rk4_scheme().real_stability();
  EXPECT_NEAR(1 - z / 2 + z * z / 6 - z * z * z / 24, 0, 1e-10);
  EXPECT_NEAR(z, 2.7853, 1e-4);
  EXPECT_NEAR(integrators::dopri5_scheme().real_stability(), 3.3066, 1e-4);
  EXPECT_NEAR(integrators::dop853_scheme().real_stability(), 6.39, 0.01);
}

TEST(RungeKuttaSchemes, ListTheirStability) {
  for (const RungeKuttaScheme* scheme : schemes()) {
    const double stated = find_integrator_type(scheme->name)->real_stability;
    EXPECT_LE(std::abs(scheme->decay(stated)), 1) << scheme->name;
    EXPECT_GT(std::abs(scheme->decay(1.001 * stated)), 1) << scheme->name;
  }
  EXPECT_TRUE(std::isinf(find_integrator_type("bdf")->real_stability));
  EXPECT_EQ(find_integrator_type("adams")->real_stability, 0);
}

TEST(RungeKuttaSchemes, SatisfyOrderConditions) {
  for (const RungeKuttaScheme* scheme : schemes()) {
    const Tableau table(*scheme);
    const int stages = scheme->stages(), order = scheme->order;
    EXPECT_LT((table.A.rowwise().sum() - table.c).lpNorm<Eigen::Infinity>(), 1e-14) << scheme->name;
    // Bushy trees: sum b c^(k-1) = 1/k.
    for (int k = 1; k <= order; ++k)
      EXPECT_NEAR(table.b.dot(table.power(k - 1)), 1.0 / k, 1e-14) << scheme->name << " " << k;
    // Trees with one branch that forks: sum b c^m A c^k = 1 / ((k + 1) (m + k + 2)), and one level deeper.
    for (int m = 0; m < order; ++m)
      for (int k = 0; m + k + 2 <= order; ++k) {
        const Vector leaf = table.A * table.power(k);
        const Vector weight = table.b.cwiseProduct(table.power(m));
        EXPECT_NEAR(weight.dot(leaf), 1.0 / ((k + 1) * (m + k + 2)), 1e-13) << scheme->name << " " << m << " " << k;
        if (m + k + 3 <= order) {
          EXPECT_NEAR(weight.dot(table.A * leaf), 1.0 / ((k + 1) * (k + 2) * (m + k + 3)), 1e-13)
              << scheme->name << " " << m << " " << k;
        }
      }
    // The tall tree: b A^(order - 1) 1 = 1 / order!.
    Vector tall = Vector::Ones(stages);
    double factorial = 1;
    for (int k = 2; k <= order; ++k) tall = table.A * tall, factorial *= k;
    EXPECT_NEAR(table.b.dot(tall), 1 / factorial, 1e-14) << scheme->name;
  }
}

TEST(RungeKuttaSchemes, EmbeddedMethodsHaveTheirOrders) {
  struct Embedded {
    const RungeKuttaScheme& scheme;
    const std::vector<double>& error;
    int order;
  };
  const auto &dopri5 = integrators::dopri5_scheme(), &verner6 = integrators::verner6_scheme(),
             &dop853 = integrators::dop853_scheme();
  for (const Embedded& embedded : {Embedded{dopri5, dopri5.error, 4}, Embedded{verner6, verner6.error, 5},
                                   Embedded{dop853, dop853.error, 5}, Embedded{dop853, dop853.coarse_error, 3}}) {
    const Tableau table(embedded.scheme);
    const Vector error = Eigen::Map<const Vector>(embedded.error.data(), embedded.scheme.stages());
    // Differences of weights integrate every power up to the lower order to zero, and not the next one.
    for (int k = 1; k <= embedded.order; ++k)
      EXPECT_NEAR(error.dot(table.power(k - 1)), 0, 1e-14) << embedded.scheme.name << " " << k;
    EXPECT_GT(error.cwiseAbs().sum(), 0.01);
    if (embedded.order == 5) {
      EXPECT_NEAR(error.dot(table.A * table.power(3)), 0, 1e-14) << embedded.scheme.name;
    }
    double next = std::abs(error.dot(table.power(embedded.order)));
    next = std::max(next, std::abs(error.dot(table.A * table.power(embedded.order - 1))));
    EXPECT_GT(next, 1e-5) << embedded.scheme.name;
  }
}

TEST(RungeKuttaSchemes, OnlyDormandPrinceEndsInTheNextStage) {
  for (const RungeKuttaScheme* scheme : schemes())
    EXPECT_EQ(scheme->first_same_as_last(), std::string(scheme->name) == "dopri5") << scheme->name;
}

// --- Kepler's ellipse, in positions and velocities ---

struct Ellipse : MotionEquations {
  explicit Ellipse(double e) : eccentricity(e) {}
  int size() const override { return 4; }
  Status derivative(double, ConstVector x, VectorRef xdot) override {
    ++evaluations;
    const double cube = std::pow(x[0] * x[0] + x[1] * x[1], 1.5);
    xdot << x[2], x[3], -x[0] / cube, -x[1] / cube;
    return Status::ok;
  }
  // As motions of mechanisms do: positions from q, q', q''.
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override {
    if (!knows_velocities) return MotionEquations::interpolate(points, t, x);
    const HermiteWeights weights(points, 3, t);
    x.setZero();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const StepPoint& point = points[points.size() - 1 - i];
      const int k = static_cast<int>(i);
      x.head(2) += weights.value(k, 0) * point.x.head(2) + weights.value(k, 1) * point.xdot.head(2) +
                   weights.value(k, 2) * point.xdot.tail(2);
      x.tail(2) += weights.rate(k, 0) * point.x.head(2) + weights.rate(k, 1) * point.xdot.head(2) +
                   weights.rate(k, 2) * point.xdot.tail(2);
    }
  }
  Vector at(double t) const {
    double E = t;
    for (int k = 0; k < 60; ++k) E -= (E - eccentricity * std::sin(E) - t) / (1 - eccentricity * std::cos(E));
    const double minor = std::sqrt(1 - eccentricity * eccentricity), rate = 1 / (1 - eccentricity * std::cos(E));
    return Eigen::Vector4d(std::cos(E) - eccentricity, minor * std::sin(E), -std::sin(E) * rate,
                           minor * std::cos(E) * rate);
  }
  double eccentricity;
  bool knows_velocities = true;
  long evaluations = 0;
};

TEST(ExplicitRungeKuttaOrder, EqualStepsConvergeWithIt) {
  struct Case {
    const char* name;
    double eccentricity, longest;
  };
  for (const Case& method : {Case{"dopri5", 0.1, 0.05}, Case{"verner6", 0.1, 0.1}, Case{"dop853", 0.05, 0.4}}) {
    const IntegratorType& type = *find_integrator_type(method.name);
    std::vector<double> errors;
    for (const double h : {method.longest, method.longest / 2, method.longest / 4}) {
      Ellipse ellipse(method.eccentricity);
      const auto integrator = type.create({.tolerance = 1e3, .step = h});  // so that every step is the longest
      ASSERT_EQ(integrator->start(ellipse, 0, ellipse.at(0)), Status::ok);
      errors.push_back(0);
      while (integrator->time() < 8) {
        ASSERT_EQ(integrator->step(8), Status::ok);
        errors.back() = std::max(errors.back(), (integrator->state() - ellipse.at(integrator->time())).norm());
      }
      EXPECT_EQ(integrator->counts().steps, std::lround(8 / h));
    }
    for (std::size_t k = 1; k < errors.size(); ++k)
      EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), type.order, 0.3) << method.name << " halving " << k;
  }
}

TEST(ExplicitIntegratorDenseOutput, IsAsAccurateAsTheSteps) {
  for (const char* name : {"dopri5", "verner6", "dop853", "abm"})
    for (const double tolerance : {1e-6, 1e-10}) {
      Ellipse ellipse(0.5);
      const auto integrator = find_integrator_type(name)->create({.tolerance = tolerance});
      ASSERT_EQ(integrator->start(ellipse, 0, ellipse.at(0)), Status::ok);
      double at_ends = 0, within = 0, excess = 0, from = 0;
      Vector x(4);
      while (integrator->time() < 20) {
        ASSERT_EQ(integrator->step(20), Status::ok);
        const double error = (integrator->state() - ellipse.at(integrator->time())).lpNorm<Eigen::Infinity>();
        const double before = at_ends;
        at_ends = std::max(at_ends, error);
        for (const double s : {0.1, 0.3, 0.5, 0.7, 0.9}) {
          const double t = from + s * (integrator->time() - from);
          ASSERT_EQ(integrator->interpolate(t, x), Status::ok);
          const double inside = (x - ellipse.at(t)).lpNorm<Eigen::Infinity>();
          within = std::max(within, inside);
          excess = std::max(excess, inside - std::max(before, error));
        }
        from = integrator->time();
      }
      EXPECT_LT(within, 3 * at_ends) << name << " " << tolerance;
      // In any one step, what is added to the error of its ends is of the size of the tolerance; for abm, whose error
      // at the ends is a larger multiple of it, less than that error.
      EXPECT_LT(excess, std::string(name) == "abm" ? at_ends : 300 * tolerance) << name << " " << tolerance;
      EXPECT_EQ(ellipse.evaluations, integrator->counts().evaluations);
    }
}

TEST(ExplicitRungeKuttaDenseOutput, OfStatesWithoutVelocitiesServesUpToOrderSix) {
  for (const char* name : {"dopri5", "verner6"})
    for (const double tolerance : {1e-6, 1e-10}) {
      Ellipse ellipse(0.5);
      ellipse.knows_velocities = false;
      const auto integrator = find_integrator_type(name)->create({.tolerance = tolerance});
      ASSERT_EQ(integrator->start(ellipse, 0, ellipse.at(0)), Status::ok);
      double at_ends = 0, within = 0, from = 0;
      Vector x(4);
      while (integrator->time() < 20) {
        ASSERT_EQ(integrator->step(20), Status::ok);
        at_ends = std::max(at_ends, (integrator->state() - ellipse.at(integrator->time())).lpNorm<Eigen::Infinity>());
        const double t = 0.5 * (from + integrator->time());
        ASSERT_EQ(integrator->interpolate(t, x), Status::ok);
        within = std::max(within, (x - ellipse.at(t)).lpNorm<Eigen::Infinity>());
        from = integrator->time();
      }
      EXPECT_LT(within, 3 * at_ends) << name << " " << tolerance;
    }
}

TEST(HermiteWeights, AreExactForPolynomialsOfTheirDegree) {
  // t^k and its derivatives at points of uneven spacing; degree = data - 1, and not one more.
  const double times[] = {-0.9, -0.2, 0.3, 1.1};
  for (const int derivatives : {2, 3})
    for (const int count : {2, 3, 4})
      for (int k = 0; k <= count * derivatives; ++k) {
        const auto data = [&](double t, int j) {
          double value = std::pow(t, k - j);
          for (int i = 0; i < j; ++i) value *= k - i;
          return j > k ? 0 : value;
        };
        const Vector none(0);
        std::vector<StepPoint> points;
        for (int i = 4 - count; i < 4; ++i) points.push_back({times[i], none, none});
        const double t = 0.6;
        const HermiteWeights weights(points, derivatives, t);
        double value = 0, rate = 0;
        for (int i = 0; i < count; ++i)
          for (int j = 0; j < derivatives; ++j) {
            value += weights.value(i, j) * data(times[3 - i], j);
            rate += weights.rate(i, j) * data(times[3 - i], j);
          }
        if (k < count * derivatives) {
          EXPECT_NEAR(value, data(t, 0), 1e-12) << count << " " << derivatives << " " << k;
          EXPECT_NEAR(rate, data(t, 1), 1e-11) << count << " " << derivatives << " " << k;
        } else {
          EXPECT_GT(std::abs(value - data(t, 0)), 1e-5) << count << " " << derivatives;
        }
      }
}

// --- what the driver does ---

/// An oscillator of many independent parts, kept on its circles before or after the error test.
struct Circles : MotionEquations {
  explicit Circles(int count_) : count(count_) {}
  int size() const override { return 2 * count; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override {
    ++evaluations;
    last_time = t;
    last_state = x;
    xdot.head(count) = x.tail(count);
    xdot.tail(count) = -x.head(count);
    return Status::ok;
  }
  bool corrects_steps() const override { return true; }
  StepChange correct_candidate(double t, VectorRef x) override {
    if (t > latest_candidate) return StepChange::failed;
    ++candidates;
    return correct(x);
  }
  StepChange after_step(double t, VectorRef x) override {
    ++steps;
    evaluated_at_end = evaluated_at_end && last_time == t && last_state == x;
    return x == corrected ? StepChange::none : correct(x);
  }
  StepChange correct(VectorRef x) {
    for (int k = 0; k < count; ++k) {
      const double radius = std::hypot(x[k], x[count + k]);
      x[k] /= radius, x[count + k] /= radius;
    }
    corrected = x;
    return StepChange::corrected;
  }
  Vector start() const {
    Vector x = Vector::Zero(2 * count);
    x.head(count).setOnes();
    return x;
  }
  int count;
  double last_time = -1, latest_candidate = 1e9;
  Vector last_state, corrected;
  bool evaluated_at_end = true;
  long evaluations = 0, candidates = 0, steps = 0;
};

TEST(ExplicitRungeKuttaCorrection, OfCandidatesCostsNoEvaluation) {
  Circles circles(1);
  const auto integrator = find_integrator_type("dopri5")->create({.tolerance = 1e-8});
  ASSERT_EQ(integrator->start(circles, 0, circles.start()), Status::ok);
  while (integrator->time() < 20) {
    ASSERT_EQ(integrator->step(20), Status::ok);
    EXPECT_NEAR(integrator->state().norm(), 1, 1e-15);
  }
  const IntegratorCounts counts = integrator->counts();
  EXPECT_EQ(circles.steps, counts.steps);
  EXPECT_EQ(circles.candidates, counts.steps + counts.rejected);
  EXPECT_TRUE(circles.evaluated_at_end);  // the last stage is f at the corrected state
  EXPECT_EQ(counts.evaluations, 2 + 6 * (counts.steps + counts.rejected));
  EXPECT_NEAR(integrator->state()[0], std::cos(20.0), 1e-5);
}

TEST(ExplicitRungeKuttaCorrection, FailureShortensTheStep) {
  Circles circles(1);
  const auto integrator = find_integrator_type("dopri5")->create({.tolerance = 1e-4});
  ASSERT_EQ(integrator->start(circles, 0, circles.start()), Status::ok);
  while (integrator->time() < 2) {
    circles.latest_candidate = integrator->time() + 0.05;
    ASSERT_EQ(integrator->step(2), Status::ok) << integrator->failure();
  }
  EXPECT_GE(integrator->counts().steps, 40);
  EXPECT_GT(integrator->counts().rejected, 0);
  circles.latest_candidate = -1;
  EXPECT_EQ(integrator->step(3), Status::failed);
  EXPECT_NE(integrator->failure().find("corrected"), std::string::npos) << integrator->failure();
}

TEST(AbmCorrection, DifferencesAreOfCorrectedStates) {
  Circles circles(1);
  const auto integrator = find_integrator_type("abm")->create({.tolerance = 1e-8});
  ASSERT_EQ(integrator->start(circles, 0, circles.start()), Status::ok);
  while (integrator->time() < 20) {
    ASSERT_EQ(integrator->step(20), Status::ok);
    EXPECT_NEAR(integrator->state().norm(), 1, 1e-15);
  }
  const IntegratorCounts counts = integrator->counts();
  EXPECT_EQ(circles.candidates, counts.steps);  // rejected steps are not corrected
  EXPECT_TRUE(circles.evaluated_at_end);
  EXPECT_EQ(counts.evaluations, 2 + 2 * counts.steps + counts.rejected);
  EXPECT_NEAR(integrator->state()[0], std::cos(20.0), 1e-6);
}

TEST(ExplicitIntegratorMemory, StepsDoNotAllocate) {
  for (const char* name : {"dopri5", "verner6", "dop853", "rk4", "abm"}) {
    Circles circles(50);
    const auto integrator = find_integrator_type(name)->create({.tolerance = 1e-6, .step = 0.1});
    Vector x = circles.start();
    circles.last_state = circles.corrected = x;
    ASSERT_EQ(integrator->start(circles, 0, x), Status::ok);
    const AllocationCounter counter;
    Status status = Status::ok;
    for (int k = 0; k < 30 && status == Status::ok; ++k) {
      const double from = integrator->time();
      status = integrator->step(100);
      if (status == Status::ok) status = integrator->interpolate(0.5 * (from + integrator->time()), x);
    }
    EXPECT_EQ(counter.count(), 0) << name;
    EXPECT_EQ(status, Status::ok) << name;
  }
}

TEST(ExplicitRungeKuttaErrors, ToleranceBelowRoundingIsRefused) {
  Ellipse ellipse(0.5);
  const auto integrator = find_integrator_type("dop853")->create({.tolerance = 1e-17});
  ASSERT_EQ(integrator->start(ellipse, 0, ellipse.at(0)), Status::ok);
  EXPECT_EQ(integrator->step(1), Status::failed);
  EXPECT_NE(integrator->failure().find("rounding"), std::string::npos) << integrator->failure();
}

}  // namespace runge_kutta_test
}  // namespace bricard
