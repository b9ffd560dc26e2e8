// Least-norm reactions and the length in their norm, on cases that can be done by hand; marks of what is not unique.
#include "analyses/reactions/reaction_metric.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "analyses/assembly/assembly.h"
#include "io/results/file_sink.h"
#include "reference/reference.h"

namespace bricard {
namespace reaction_metric_test {

using testing_support::run;
using testing_support::shipped;

const char* const door =
    "bricard: 1\nbodies: {door: {mass: 20, inertia: [3, 2, 5], center: [0.5, 0, 1]}}\njoints:\n"
    "  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
    "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}\n"
    "simulation: {duration: 0.1, output_step: 0.1}\n";

// A beam of weight W held at x = 0 (fixed) and at x = a (pin), its centre at c.
std::string beam(const std::string& more = "") {
  return "bricard: 1\ndimension: planar\ngravity: [0, -10]\nbodies: {beam: {mass: 2, inertia: 0.1, center: [0.7, 0]}}\n"
         "joints:\n  A: {type: fixed, bodies: [ground, beam], at: [0, 0]}\n"
         "  B: {type: revolute, bodies: [ground, beam], at: [1.6, 0]}\n"
         "simulation: {duration: 0.1, output_step: 0.1" +
         more + "}\n";
}

bool depends(const std::shared_ptr<const Model>& model, const char* coordinates) {
  const CoordinatesType& type = *find_coordinates_type(coordinates);
  const Assembly assembly = assemble(model, type);
  EXPECT_TRUE(assembly.ok);
  System system(model, type);
  return depends_on_length(system, assembly.q, assembly.v);
}

TEST(ReactionMetricTest, KnowsWhenTheLengthMatters) {
  // Two hinges: along the axis a pair of forces, across it pairs of moments, and pairs of forces against moments.
  EXPECT_TRUE(depends(load_text(door, "door"), "reference-point"));
  EXPECT_TRUE(depends(load_text(beam(), "beam"), "reference-point"));
  EXPECT_TRUE(depends(load_text(beam(), "beam"), "relative"));
  // Pins of a plane mechanism carry forces alone.
  EXPECT_FALSE(depends(shipped("parallelogram-3"), "reference-point"));
  EXPECT_FALSE(depends(shipped("parallelogram-3"), "relative"));
  // Nothing is redundant.
  EXPECT_FALSE(depends(shipped("four-bar"), "reference-point"));
  // Held twice in all directions at the same place: forces against forces, moments against moments.
  const auto twice = load_text(
      "bricard: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: [0.3, 0.2, 0.1]}}\njoints:\n"
      "  A: {type: fixed, bodies: [ground, b], at: [0, 0, 0]}\n  B: {type: fixed, bodies: [ground, b], at: [0, 0, "
      "0]}\n",
      "twice");
  EXPECT_FALSE(depends(twice, "reference-point"));
}

// A + B = W, m + a B = W c; least A^2 + B^2 + (m/L)^2: B (2 + a^2/L^2) = W (1 + a c/L^2).
TEST(ReactionMetricTest, TheLengthIsWhatTheNormUses) {
  const double W = 20, a = 1.6, c = 0.7;
  for (const double L : {0.05, 0.5, 20.0}) {
    Method method;
    method.reaction_length = L;
    const SimulationResult result = run(load_text(beam(), "beam"), method);
    const double B = W * (1 + a * c / (L * L)) / (2 + a * a / (L * L));
    EXPECT_NEAR(result.data.at(1, "B.fy"), B, 1e-9) << L;
    EXPECT_NEAR(result.data.at(1, "A.fy"), W - B, 1e-9) << L;
    EXPECT_NEAR(result.data.at(1, "A.mz"), W * c - a * B, 1e-8) << L;
    EXPECT_NE(result.summary.notes.convention.find("moments per"), std::string::npos);
  }
  // In the file; and the default is the model's size.
  const SimulationResult file = run(load_text(beam(", reaction_length: 0.05"), "beam"), {});
  EXPECT_NEAR(file.data.at(1, "B.fy"), W * (1 + a * c / 0.0025) / (2 + a * a / 0.0025), 1e-9);
  EXPECT_EQ(file.summary.notes.convention, "least norm, moments per 0.05 m");
  const auto model = load_text(beam(), "beam");
  const double L = model->characteristic_length();
  EXPECT_NEAR(run(model, {}).data.at(1, "B.fy"), W * (1 + a * c / (L * L)) / (2 + a * a / (L * L)), 1e-9);
  Method negative;
  negative.reaction_length = -1;
  EXPECT_THROW(simulate(model, negative), InputError);
}

TEST(ReactionMetricTest, RunsSayWhatIsNotUniqueAndWhatItDependsOn) {
  const SimulationResult beams = run(load_text(beam(), "beam"), {});
  EXPECT_EQ(beams.data.notes.not_unique, (std::vector<std::string>{"A.fx", "A.fy", "A.mz", "B.fx", "B.fy"}));
  const auto says = [](const SimulationResult& result, const char* part) {
    for (const std::string& message : result.summary.messages) {
      if (message.find(part) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(says(beams, "depend on the length"));
  const SimulationResult parallelogram = run(shipped("parallelogram-3"), {});
  EXPECT_EQ(parallelogram.data.notes.not_unique.size(), 12u);
  EXPECT_TRUE(says(parallelogram, "12 components of joint reactions are not unique"));
  EXPECT_FALSE(says(parallelogram, "depend on the length"));
  const SimulationResult four_bar = run(shipped("four-bar"), {});
  EXPECT_TRUE(four_bar.data.notes.not_unique.empty());
  EXPECT_FALSE(says(four_bar, "not unique"));
}

std::string first_lines(const std::string& file, int count) {
  std::ifstream stream(file);
  std::string text, line;
  for (int k = 0; k < count && std::getline(stream, line); ++k) text += line + "\n";
  return text;
}

TEST(ReactionMetricTest, FilesMarkTheirColumns) {
  const std::string name = ::testing::TempDir() + "not-unique";
  const auto write = [&](const std::shared_ptr<const Model>& model, const std::string& ending,
                         const std::vector<std::string>& columns) {
    const auto sink = open_file_sink(name + ending, columns);
    simulate(model, {}, *sink);
  };
  write(load_text(beam(", reaction_length: 0.5"), "beam"), ".csv", {"A.fx", "B.fy", "B.mz"});
  // Tables of names and numbers have no room for marks.
  EXPECT_EQ(first_lines(name + ".csv", 1), "time,A.fx,B.fy,B.mz\n");
  // None of the columns is concerned: no mark.
  write(load_text(beam(), "beam"), ".json", {"B.mz"});
  EXPECT_EQ(first_lines(name + ".json", 100).find("not_unique"), std::string::npos);
  write(load_text(beam(", reaction_length: 0.5"), "beam"), ".json", {"A.fx", "B.mz"});
  const std::string json = first_lines(name + ".json", 100);
  EXPECT_NE(json.find("\"convention\": \"least norm, moments per 0.5 m\""), std::string::npos) << json.substr(0, 300);
  EXPECT_NE(json.find("\"not_unique\": [\"A.fx\"]"), std::string::npos) << json.substr(0, 300);
  std::remove((name + ".csv").c_str());
  std::remove((name + ".json").c_str());
}

}  // namespace reaction_metric_test
}  // namespace bricard
