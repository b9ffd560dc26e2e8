// Every stabilisation does what its traits say. Its feedback is gains by row, which mean the same to every engine:
//   P v' = gamma - rate Phi_dot - position Phi
#include <gtest/gtest.h>

#include <random>

#include "analyses/assembly/assembly.h"
#include "motions/implicit_operator.h"
#include "motions/lanes.h"
#include "support/models.h"
#include "support/motion_over.h"
#include "testing/differentiate.h"

namespace bricard {
namespace stabilization_contract_test {

constexpr double time = 0.2;

bool is_tree(const std::string& engine) { return engine == "tree"; }

/// A model moving at random, a little off its constraints, where an engine finds its accelerations.
struct Case {
  const char* engine;
  const char* model;
  const char* formulation = is_tree(engine) ? "recursive" : "lagrange";
  const char* coordinates = is_tree(engine) ? "relative" : "reference-point";
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " by " << c.formulation; }

struct Situation {
  explicit Situation(const Case& c, double away = 1e-2)
      : over{.engine = c.engine, .formulation = c.formulation},
        model(testing_support::shipped(c.model)),
        system(model, *find_coordinates_type(c.coordinates)),
        judge(model, *find_coordinates_type(c.coordinates)),
        eq(judge.empty_equations()) {
    const Assembly assembly = assemble(model, system.coordinates_type());
    EXPECT_TRUE(assembly.ok);
    start_at(system, assembly);
    start_at(judge, assembly);
    q = assembly.q, v = assembly.v;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    Vector displacement(v.size());
    for (double& x : displacement) x = away * number(random);
    for (double& x : v) x += number(random);
    system.coordinates().advance(q, displacement);
    judge.evaluate(time, q, v, Vector::Zero(0), Upto::dynamics, eq);
  }

  std::unique_ptr<MechanismMotion> motion(std::unique_ptr<Stabilization> stabilization) {
    return testing_support::motion_over(system, q, v, over, std::move(stabilization));
  }
  Vector state(MechanismMotion& motion) const {
    Vector x(motion.size());
    motion.pack(time, q, v, x);
    return x;
  }
  /// P v' - gamma by the engine.
  Vector change_of_gamma(std::unique_ptr<Stabilization> stabilization) {
    const auto of = motion(std::move(stabilization));
    Vector xdot(of->size());
    EXPECT_EQ(of->derivative(time, state(*of), xdot), Status::ok) << of->failure();
    return eq.P * xdot.segment(system.position_size(), system.velocity_size()) - eq.gamma;
  }
  Vector expected_change(const Feedback& feedback) const {
    Vector change = Vector::Zero(eq.rows());
    for (int row = 0; row < eq.rows() && !feedback.empty(); ++row)
      change[row] = -feedback.rate[row] * eq.Phi_dot[row] - feedback.position[row] * eq.Phi[row];
    return change;
  }
  /// With gains of one row alone.
  Feedback feedback_of(int row) const {
    Feedback feedback{Vector::Zero(eq.rows()), Vector::Zero(eq.rows())};
    feedback.rate[row] = 30;
    feedback.position[row] = judge.rows()[row].velocity_level ? 0 : 400;
    return feedback;
  }
  /// Rounding errors of the change.
  double tolerance() const { return 1e-9 * (1 + eq.gamma.lpNorm<Eigen::Infinity>() + eq.Q.lpNorm<Eigen::Infinity>()); }

  testing_support::MotionOver over;
  std::shared_ptr<const Model> model;
  System system, judge;
  Vector q, v;
  Equations eq;
};

TEST(EveryStabilization, HasGainsExactlyIfItsTraitSaysFeedback) {
  for (const char* model : {"four-bar", "knife-edge", "stewart"}) {
    Situation s({"whole", model});
    for (const StabilizationType& type : stabilization_types()) {
      SCOPED_TRACE(std::string(type.name) + " of " + model);
      const auto stabilization = type.create(s.system, {});
      EXPECT_EQ(stabilization->corrects(), type.corrections);
      const Feedback& feedback = stabilization->feedback();
      EXPECT_EQ(!feedback.empty(), type.feedback);
      if (feedback.empty()) continue;
      ASSERT_EQ(feedback.rate.size(), s.eq.rows());
      ASSERT_EQ(feedback.position.size(), s.eq.rows());
      EXPECT_EQ(feedback.rate.norm() == 0, type.switches);
      if (type.switches) continue;
      EXPECT_GT(feedback.rate.minCoeff(), 0) << "errors of this row do not decay";
      for (int row = 0; row < s.eq.rows(); ++row)
        EXPECT_EQ(feedback.position[row] == 0, s.judge.rows()[row].velocity_level) << row;
    }
  }
}

TEST(EveryStabilization, CorrectsByProjectionUnlessOnlyForTheWholeSystem) {
  Situation whole({"whole", "four-bar"}, 1e-3), bodies({"bodies", "four-bar"}, 1e-3);
  const auto over_graph = bodies.motion(find_stabilization_type("projection")->create(bodies.system, {}));
  Vector x = bodies.state(*over_graph);
  ASSERT_EQ(over_graph->correct(time, x), StepChange::corrected);
  const double way = (x.head(whole.q.size()) - whole.q).norm();
  for (const StabilizationType& type : stabilization_types()) {
    if (type.switches) continue;  // hybrid_test.cpp
    if (!type.corrections) {
      EXPECT_FALSE(type.whole_only) << type.name;
      continue;
    }
    Vector q = whole.q, v = whole.v;
    const auto engine = find_dynamics_type("whole")->create(
        whole.system, {.q = q, .v = v, .formulation = find_formulation_type("lagrange")});
    ASSERT_EQ(type.create(whole.system, {})->correct(*engine, time, q, v), StepChange::corrected) << type.name;
    EXPECT_EQ((x.head(q.size()) - q).norm() > 0.01 * way, type.whole_only) << type.name;
  }
}

TEST(EveryStabilization, ChangesGammaByItsGainsInEveryEngineThatTakesIt) {
  for (const char* engine : {"whole", "bodies", "tree"}) {
    for (const StabilizationType& type : stabilization_types()) {
      if (type.whole_only && engine != std::string("whole")) continue;
      Situation s({engine, "four-bar"});
      auto stabilization = type.create(s.system, {.alpha = 3, .beta = 20});
      const Vector expected = s.expected_change(stabilization->feedback());
      EXPECT_EQ(expected.norm() > 1, type.feedback && !type.switches) << type.name;
      const Vector change = s.change_of_gamma(std::move(stabilization));
      EXPECT_LT((change - expected).lpNorm<Eigen::Infinity>(), s.tolerance()) << type.name << " " << engine;
    }
  }
}

TEST(Baumgarte, HasTheGainsOfItsEquation) {
  Situation s({"whole", "knife-edge"});
  for (const char* name : {"baumgarte", "baumgarte-then-partitioning"}) {
    const auto stabilization = find_stabilization_type(name)->create(s.system, {.alpha = 3, .beta = 5});
    int velocity_level = 0;
    for (int row = 0; row < s.eq.rows(); ++row) {
      const bool of_velocities = s.judge.rows()[row].velocity_level;
      EXPECT_EQ(stabilization->feedback().rate[row], of_velocities ? 3 : 6);
      EXPECT_EQ(stabilization->feedback().position[row], of_velocities ? 0 : 25);
      velocity_level += of_velocities;
    }
    EXPECT_GT(velocity_level, 0);
  }
}

TEST(Baumgarte, TakesGainsByRow) {
  Situation s({"whole", "knife-edge"});
  const Vector alpha = Vector::LinSpaced(s.eq.rows(), 1, 9), beta = Vector::LinSpaced(s.eq.rows(), 20, 2);
  const auto stabilization =
      find_stabilization_type("baumgarte")->create(s.system, {.row_alpha = alpha, .row_beta = beta});
  for (int row = 0; row < s.eq.rows(); ++row) {
    const bool of_velocities = s.judge.rows()[row].velocity_level;
    EXPECT_EQ(stabilization->feedback().rate[row], (of_velocities ? 1 : 2) * alpha[row]);
    EXPECT_EQ(stabilization->feedback().position[row], of_velocities ? 0 : beta[row] * beta[row]);
  }
}

TEST(Baumgarte, FollowsTheStepByTheRuleOfStability) {
  Situation s({"whole", "four-bar"});
  const auto stabilization =
      find_stabilization_type("baumgarte")
          ->create(s.system, {.alpha = 3, .beta = 5, .gains = GainRule::stability, .stable_gain = 0.1});
  EXPECT_EQ(stabilization->feedback().rate[0], 6);  // no step is known
  EXPECT_EQ(stabilization->renew_feedback(0.5, s.q, s.v), StepChange::none);
  EXPECT_EQ(stabilization->renew_feedback(0.75, s.q, s.v), StepChange::corrected);
  EXPECT_EQ(stabilization->feedback().rate[0], 2 * 0.1 / 0.25);
  EXPECT_EQ(stabilization->feedback().position[0], 0.4 * 0.4);
  EXPECT_EQ(stabilization->renew_feedback(0.6, s.q, s.v), StepChange::none);  // a run that was put back
  const auto fixed_step = find_stabilization_type("baumgarte")
                              ->create(s.system, {.gains = GainRule::stability, .stable_gain = 0.1, .step = 0.01});
  EXPECT_EQ(fixed_step->feedback().rate[0], 20);
}

class GainsOfOneRow : public ::testing::TestWithParam<Case> {};

TEST_P(GainsOfOneRow, ActOnThatRowAlone) {
  Situation s(GetParam());
  ASSERT_EQ(find_dynamics_type(s.over.engine)->misfit(s.system, 0), "");
  ASSERT_GT(s.eq.rows(), 0);
  for (int row = 0; row < s.eq.rows(); ++row) {
    const Feedback feedback = s.feedback_of(row);
    const Vector change = s.change_of_gamma(std::make_unique<Stabilization>(feedback));
    const double own = s.expected_change(feedback)[row];
    EXPECT_GT(std::abs(own), 100 * s.tolerance()) << "row " << row << " shows nothing";
    for (int other = 0; other < s.eq.rows(); ++other)
      EXPECT_NEAR(change[other], other == row ? own : 0, s.tolerance()) << "gains of row " << row << ", row " << other;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, GainsOfOneRow,
                         ::testing::Values(Case{"whole", "four-bar"}, Case{"whole", "knife-edge"},
                                           Case{"whole", "four-bar", "lagrange", "relative"},
                                           Case{"bodies", "four-bar"}, Case{"bodies", "mcpherson"},
                                           Case{"bodies", "driven-four-bar"}, Case{"bodies", "knife-edge"},
                                           Case{"tree", "four-bar"}, Case{"tree", "mcpherson"},
                                           Case{"tree", "driven-four-bar"}, Case{"tree", "knife-edge"}));

TEST(Lanes, TakeGainsRowByRow) {
  for (const char* model : {"four-bar", "mcpherson"}) {
    std::vector<std::unique_ptr<Situation>> runs;
    std::vector<System*> systems;
    for (int l = 0; l < Pack::lanes; ++l) {
      runs.push_back(std::make_unique<Situation>(Case{"bodies", model}, 1e-2 * (l + 1)));
      systems.push_back(&runs.back()->system);
    }
    const int np = systems[0]->position_size(), n = systems[0]->velocity_size();
    for (int row = 0; row < systems[0]->row_count(); ++row) {
      const Feedback feedback = runs[0]->feedback_of(row);
      const auto motion = create_lanes(systems, {.projection = false, .feedback = feedback});
      Vector x(motion->size()), xdot(motion->size());
      for (int l = 0; l < Pack::lanes; ++l) motion->pack(l, runs[l]->q, runs[l]->v, x);
      ASSERT_EQ(motion->derivative(time, x, xdot), Status::ok) << motion->failure();
      for (int l = 0; l < Pack::lanes; ++l) {
        Vector qdot(np), vdot(n), rest(systems[l]->state_size() + 1);
        motion->unpack(l, xdot, qdot, vdot, rest);
        const Situation& s = *runs[l];
        const Vector change = s.eq.P * vdot - s.eq.gamma;
        EXPECT_LT((change - s.expected_change(feedback)).lpNorm<Eigen::Infinity>(), s.tolerance())
            << model << " row " << row << " lane " << l;
      }
    }
  }
}

TEST(NewtonOperator, TakesGainsRowByRow) {
  constexpr double gamma = 0.1;
  for (const char* model : {"four-bar", "knife-edge", "stewart"}) {
    Situation s({"whole", model});
    for (const int row : {0, s.eq.rows() - 1}) {
      const auto motion = s.motion(std::make_unique<Stabilization>(s.feedback_of(row)));
      const Vector x = s.state(*motion);
      ImplicitOperator* const implicit = motion->implicit_operator(time, x);
      ASSERT_TRUE(implicit) << model;
      ASSERT_EQ(implicit->linearize(time, x), Status::ok);
      ASSERT_TRUE(implicit->factorize(gamma));
      Vector r = Vector::Ones(x.size()), dx(x.size());
      ASSERT_TRUE(implicit->solve(r, dx));
      const double size = dx.lpNorm<Eigen::Infinity>();
      const Vector along = size * testing_support::differentiate(
                                      [&](double step) {
                                        Vector xdot(x.size());
                                        EXPECT_EQ(motion->derivative(time, x + step / size * dx, xdot), Status::ok);
                                        return xdot;
                                      },
                                      2e-3);
      const auto states = x.size() - 1;  // the last is the work
      EXPECT_LT((dx - gamma * along - r).head(states).lpNorm<Eigen::Infinity>(),
                1e-7 * (size + gamma * along.lpNorm<Eigen::Infinity>()))
          << model << " row " << row;
    }
  }
}

}  // namespace stabilization_contract_test
}  // namespace bricard
