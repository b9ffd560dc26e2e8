// What every formulation does at singular positions, as a record: IFToMM A02 with two windows, whose rank falls from 14
// to 12 whenever the uprights lie down, 10 times in 10 s.
#include "reference/reference.h"

namespace bricard::testing_support {
namespace singular_positions_test {

enum class Outcome {
  passes,   // on its branch
  stops,    // with a message that names the singular position
  refused,  // the formulation takes no such stabilisation
  leaves,   // the branch: never
};

std::ostream& operator<<(std::ostream& stream, Outcome outcome) {
  static const char* const names[] = {"passes", "stops", "refused", "leaves its branch"};
  return stream << names[static_cast<int>(outcome)];
}

struct Record {
  const char* formulation;
  Outcome none, projection;
  double error = 1e-5;  // of what passes, rad
};

const std::vector<Record> records = {
    {"lagrange", Outcome::stops, Outcome::passes},
    {"lagrange-block", Outcome::stops, Outcome::passes},
    {"lagrange-pseudoinverse", Outcome::stops, Outcome::passes},
    {"lagrange-proximal", Outcome::stops, Outcome::passes},
    {"nullspace-partitioning", Outcome::stops, Outcome::passes},
    {"nullspace-qr", Outcome::stops, Outcome::passes},
    {"nullspace-putd", Outcome::stops, Outcome::passes},
    {"nullspace-svd", Outcome::stops, Outcome::passes},
    {"nullspace-eigen", Outcome::stops, Outcome::passes},
    {"nullspace-schur", Outcome::stops, Outcome::passes},
    {"projection-r", Outcome::stops, Outcome::passes},
    {"udwadia-kalaba", Outcome::stops, Outcome::passes},
    {"least-squares-1", Outcome::stops, Outcome::passes},
    {"least-squares-2", Outcome::stops, Outcome::passes},
    {"udwadia-phohomsiri", Outcome::stops, Outcome::passes},
    {"penalty", Outcome::stops, Outcome::passes, 2e-4},
    {"augmented-lagrangian", Outcome::passes, Outcome::passes, 3e-5},
    {"independent", Outcome::passes, Outcome::refused, 1e-4},
    {"independent-extended", Outcome::passes, Outcome::refused, 3e-5},
    {"closing-conditions", Outcome::stops, Outcome::refused},
    {"recursive", Outcome::stops, Outcome::passes, 3e-5},
    {"canonical-lagrange", Outcome::stops, Outcome::stops},
    {"canonical-independent", Outcome::passes, Outcome::refused, 3e-5},
    {"canonical-reduced", Outcome::passes, Outcome::refused, 1e-4},
    {"canonical-augmented", Outcome::passes, Outcome::passes, 4e-4},
};

/// The formulation's own algebra.
const char* own_engine(const Record& record) {
  const FormulationType& type = *find_formulation_type(record.formulation);
  return type.create || type.state != State::full ? "whole" : type.engine;
}

Outcome outcome(const Record& record, const char* stabilization, const char* rescue = "on") {
  Method method = accurate(10, 10, 1e-8);
  method.formulation = record.formulation, method.stabilization = stabilization, method.integrator = "dopri5";
  method.dynamics = own_engine(record), method.rescue = rescue;
  try {
    const SimulationResult result = simulate(shipped("n-four-bar"), method);
    if (method.rescue == "off") {
      EXPECT_TRUE(result.summary.rescues.empty());
    }
    if (!result.ok()) {
      EXPECT_NE(result.summary.failure.find("singular"), std::string::npos) << result.summary.failure;
      return Outcome::stops;
    }
    constexpr double upright = -30.17980086019;  // pi/2 - theta of the exact reduction
    return std::abs(value_at(result, 10, "upright0.angle") - upright) < record.error ? Outcome::passes
                                                                                     : Outcome::leaves;
  } catch (const InputError&) {
    return Outcome::refused;
  }
}

/// Through the eleven singular positions of a slider-crank with equal lengths, by itself.
bool passes_slider_crank(const Record& record) {
  Method method = accurate(5, 5, 1e-8);
  method.formulation = record.formulation, method.stabilization = "none", method.integrator = "dopri5";
  method.dynamics = own_engine(record), method.rescue = "off";
  const SimulationResult result = simulate(shipped("slider-crank"), method);
  return result.ok() && std::abs(value_at(result, 5, "crank.angle") - 33.14581008471987) < 1e-3;
}

TEST(SingularPositions, NFourBarByEveryFormulationAsRecorded) {
  ASSERT_EQ(records.size(), formulation_types().size());
  for (std::size_t k = 0; k < records.size(); ++k) {
    const FormulationType& type = formulation_types()[k];
    ASSERT_EQ(std::string(records[k].formulation), type.name);
    EXPECT_EQ(outcome(records[k], "none"), records[k].none) << type.name;
    EXPECT_EQ(outcome(records[k], "projection"), records[k].projection) << type.name;
    // By itself no formulation leaves its branch unnoticed; what is said to pass does so without help.
    const Outcome alone = outcome(records[k], "none", "off");
    EXPECT_NE(alone, Outcome::leaves) << type.name;
    EXPECT_NE(outcome(records[k], "projection", "off"), Outcome::leaves) << type.name;
    EXPECT_EQ(type.traits.singular_positions, alone == Outcome::passes && passes_slider_crank(records[k])) << type.name;
  }
}

}  // namespace singular_positions_test
}  // namespace bricard::testing_support
