// Pseudoinverses as printed: refused where they do not serve, run where they do or where that is asked for; options of
// pseudoinverses that would have no effect.
#include "analyses/choice/pseudoinverse_fit.h"

#include "pseudoinverses/pseudoinverse.h"
#include "reference/reference.h"

namespace bricard::testing_support {
namespace pseudoinverse_fit_test {

const std::vector<const char*> for_full_rank = {"varga-unpivoted", "left-inverse", "right-inverse", "normal-equations",
                                                "augmented"};

Method by(const char* formulation, const char* pseudoinverse) {
  Method method = accurate(0.3, 0.1, 1e-8);
  method.formulation = formulation, method.pseudoinverse = pseudoinverse;
  return method;
}

std::string refusal(const std::shared_ptr<const Model>& model, const Method& method) {
  try {
    simulate(model, method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PseudoinverseFit, ListHoldsThoseForFullRank) {
  std::vector<std::string> found;
  for (const PseudoinverseType& type : pseudoinverse_types()) {
    if (!type.traits.any_rank) found.push_back(type.name);
  }
  EXPECT_EQ(found, std::vector<std::string>(for_full_rank.begin(), for_full_rank.end()));
}

TEST(PseudoinverseFit, RedundantConstraintsAreRefusedAndRunIfAskedFor) {
  for (const char* name : for_full_rank) {
    Method method = by("udwadia-kalaba", name);
    const std::string text = refusal(shipped("five-bar"), method);
    EXPECT_TRUE(contains(text, name) && contains(text, "1 of the 12 constraints") && contains(text, "'svd'")) << text;
    method.rescue = "off", method.max_steps = 2000;
    const SimulationResult result = simulate(shipped("five-bar"), method);
    EXPECT_TRUE(std::any_of(result.summary.messages.begin(), result.summary.messages.end(),
                            [&](const std::string& message) { return contains(message, text); }))
        << name;
  }
  EXPECT_EQ(refusal(shipped("five-bar"), by("udwadia-kalaba", "greville-plain")), "");
}

// E M E of least-squares-2 never has full rank: its inverses are those of rounding. Of the others, those that run make the motion that svd makes.
TEST(PseudoinverseFit, IndependentConstraintsAreTakenByEveryFormulationThatIsServed) {
  for (const char* formulation :
       {"lagrange-pseudoinverse", "udwadia-kalaba", "least-squares-1", "least-squares-2", "udwadia-phohomsiri"}) {
    const SimulationResult expected = simulate(shipped("four-bar"), by(formulation, "svd"));
    for (const PseudoinverseType& type : pseudoinverse_types()) {
      SCOPED_TRACE(std::string(formulation) + " " + type.name);
      const std::string text = refusal(shipped("four-bar"), by(formulation, type.name));
      const bool fits = type.traits.decides_rank || formulation != std::string("least-squares-2");
      EXPECT_TRUE(fits || contains(text, type.name)) << text;
      EXPECT_TRUE(text.empty() || !type.traits.any_rank) << text;
      if (!text.empty()) continue;
      const SimulationResult found = simulate(shipped("four-bar"), by(formulation, type.name));
      ASSERT_TRUE(found.ok()) << found.summary.failure;
      EXPECT_LT((found.data.rows.back() - expected.data.rows.back()).head(10).norm(), 1e-5);
    }
  }
  for (const char* name : for_full_rank)
    EXPECT_EQ(refusal(shipped("four-bar"), by("udwadia-kalaba", name)), "") << name;
}

TEST(PseudoinverseFit, OptionsWithoutEffectAreRefused) {
  Method method = by("lagrange", "svd");
  method.threshold_fixed = true;
  EXPECT_TRUE(contains(refusal(shipped("four-bar"), method), "formulation 'lagrange' uses none"));
  method.formulation = "udwadia-kalaba";
  EXPECT_EQ(refusal(shipped("four-bar"), method), "");
  method.pseudoinverse = "right-inverse";
  EXPECT_TRUE(contains(refusal(shipped("four-bar"), method), "has no threshold"));
  method = by("udwadia-kalaba", "svd");
  method.greville = "order";
  EXPECT_TRUE(contains(refusal(shipped("four-bar"), method), "not of 'svd'"));
  method.pseudoinverse = "greville";
  EXPECT_EQ(refusal(shipped("four-bar"), method), "");
  method.greville = "ordr";
  EXPECT_TRUE(contains(refusal(shipped("four-bar"), method), "did you mean 'order'"))
      << refusal(shipped("four-bar"), method);
}

/// The rank that udwadia-kalaba finds of the five-bar's D off the constraints.
int rank_of(const FormulationOptions& asked, const std::map<std::string, std::string>& parameters, double drift) {
  const auto model = shipped("five-bar", parameters);
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  const Assembly assembly = assemble(model, coordinates);
  System system(model, coordinates);
  start_at(system, assembly);
  Vector q = assembly.q;
  q[1] += drift, q[5] += drift;  // place and angle of two links
  Equations eq = system.empty_equations();
  system.evaluate(0, q, assembly.v, Vector(), Upto::dynamics, eq);
  FormulationOptions options = asked;
  options.typical_inertia = typical_inertia(system);
  const auto formulation = find_formulation_type("udwadia-kalaba")->create(eq, options);
  EXPECT_EQ(formulation->factorize(eq), Status::ok);
  return formulation->rank();
}

// Off the constraints the redundant row is independent by the drift.
TEST(RankThreshold, StaysBelowTheDriftIfItIsFixed) {
  EXPECT_EQ(rank_of({.threshold = 1e-9}, {}, 1e-5), 11);
  EXPECT_EQ(rank_of({.threshold = 1e-9, .threshold_is_fixed = true}, {}, 1e-5), 12);
  EXPECT_EQ(rank_of({.threshold = 1e-9, .threshold_is_fixed = true}, {}, 0), 11);
}

// With a million times the masses D = P M^-1/2 is a thousandth of what it was, which only an absolute threshold sees.
TEST(RankThreshold, IsThatOfDItselfIfItIsAbsolute) {
  const std::map<std::string, std::string> heavy = {{"m", "1e6"}, {"I", "1e5"}, {"m2", "2e6"}, {"I2", "2e5"}};
  for (const bool absolute : {false, true}) {
    const FormulationOptions options = {
        .threshold = 0.02, .threshold_is_absolute = absolute, .threshold_is_fixed = true};
    EXPECT_EQ(rank_of(options, {}, 0), 11);
    EXPECT_EQ(rank_of(options, heavy, 0), absolute ? 0 : 11);
  }
}

// A drive that begins at rest: accelerations are rounding, and rounding is no error.
TEST(PseudoinverseFit, AccelerationsOfNothingAreNotOff) {
  Method method = accurate(0.1, 0.1, 1e-8);
  method.formulation = "udwadia-kalaba", method.pseudoinverse = "right-inverse";
  const SimulationResult result = simulate(shipped("driven-slider-crank"), method);
  EXPECT_TRUE(result.ok()) << result.summary.failure;
}

}  // namespace pseudoinverse_fit_test
}  // namespace bricard::testing_support
