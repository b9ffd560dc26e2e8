// Models with one mistake each: the loader must say what is wrong and where, and must not complain about anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "bricard/load.h"

namespace bricard {
namespace bad_models_test {

// --- beginnings of models; the text of a case goes on at the line that is said ---
std::string planar(const std::string& text) {  // line 5
  return "bricard: 1\ndimension: planar\npoints: {A: [1, 2], B: [4, 6]}\n"
         "bodies: {a: {mass: 1, inertia: 1, center: [1, 0]}, b: {mass: 1, inertia: 1, center: [0, 2]}}\n" +
         text;
}
std::string spatial(const std::string& text) {  // line 4
  return "bricard: 1\npoints: {A: [1, 2, 3], B: [4, 6, 3]}\n"
         "bodies: {a: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}, b: {mass: 1, inertia: [1, 1, 1], center: [0, "
         "2, 0]}}\n" +
         text;
}
std::string hinged(const std::string& text) {  // line 8
  return planar(
             "joints:\n  J: {type: revolute, bodies: [ground, a], at: A}\n  D: {type: distance, bodies: [a, b], at: "
             "[A, B]}\n") +
         text;
}
std::string geared(const std::string& fields) {  // line 8, column 23
  return planar(
             "joints:\n  J: {type: revolute, bodies: [ground, a], at: A}\n  K: {type: revolute, bodies: [ground, b], "
             "at: B}\n") +
         "  G: {type: gear_pair, " + fields + "}\n";
}
std::string parallelogram(const std::string& fields) {  // line 11; opposite links turn on two other ones
  return "bricard: 1\ndimension: planar\nbodies: {a: {rod: [[0, 0], [0, 1]], mass: 1}, b: {rod: [[1, 0], [1, 1]], "
         "mass: "
         "1}, c: {rod: [[0, 1], [1, 1]], mass: 1}}\njoints:\n"
         "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n  B: {type: revolute, bodies: [ground, b], at: [1, "
         "0]}\n\n\n  C: {type: revolute, bodies: [a, c], at: [0, 1]}\n  D: {type: revolute, bodies: [b, c], at: [1, "
         "1]}\n  G: {type: gear_pair, bodies: [a, b], " +
         fields + "}\n";
}
std::string planar_body(const std::string& fields) {  // one body at line 3, its fields from column 15
  return "bricard: 1\ndimension: planar\nbodies: {b: {" + fields + "}}\n";
}
std::string spatial_body(const std::string& fields) {  // line 2, column 14
  return "bricard: 1\nbodies: {b: {" + fields + "}}\n";
}
std::string planar_joint(const std::string& fields) { return planar("joints: {J: {" + fields + "}}\n"); }    // 5:14
std::string spatial_joint(const std::string& fields) { return spatial("joints: {J: {" + fields + "}}\n"); }  // 4:14
std::string planar_force(const std::string& fields) { return hinged("forces: {f: {" + fields + "}}\n"); }    // 8:14

struct BadModel {
  std::string text;
  int line, column;  // 0: not checked
  std::string path;
  std::string fragment;  // of the message
};

std::vector<Diagnostic> problems_of(const std::string& text, const LoadOptions& options = {}) {
  try {
    load_text(text, "bad.yaml", options);
  } catch (const InputError& error) {
    return error.diagnostics;
  }
  return {};
}

void expect_one_problem(const BadModel& bad) {
  SCOPED_TRACE(bad.text.substr(0, 1000));
  const std::vector<Diagnostic> problems = problems_of(bad.text);
  std::string all;
  for (const Diagnostic& problem : problems) all += problem.text() + "\n";
  ASSERT_EQ(problems.size(), 1u) << all;
  EXPECT_EQ(problems[0].file, "bad.yaml");
  EXPECT_NE(problems[0].message.find(bad.fragment), std::string::npos) << all;
  EXPECT_EQ(problems[0].path, bad.path);
  if (bad.line > 0) {
    EXPECT_EQ(problems[0].line, bad.line) << all;
  }
  if (bad.column > 0) {
    EXPECT_EQ(problems[0].column, bad.column) << all;
  }
}

TEST(BadModel, TextAndYaml) {
  const std::vector<BadModel> models = {
      {"", 1, 1, "", "empty"},
      {"\n# only a comment\n", 1, 1, "", "empty"},
      {"~\n", 1, 1, "", "empty"},
      {std::string("bricard: 1\n\0\0", 13), 2, 1, "", "not a text file"},
      {"bricard: 1\nname: \xff\xfe\n", 2, 1, "", "UTF-8"},
      {"bricard: 1\nname: \xc0\xaf\n", 2, 1, "", "UTF-8"},
      {"bricard: 1\nname: \xed\xa0\x80\n", 2, 1, "", "UTF-8"},
      {"bricard: 1\nname: \x04\nbodys: 1\n", 2, 1, "", "control character"},
      {"\x7f"
       "ELF\x02\x01\x01",
       1, 1, "", "not a text file"},
      {"bricard: 1\nbodies: {a: [1, 2\n", 0, 0, "", "not valid YAML"},
      {"bricard: 1\n  name: x\n", 2, 0, "", "not valid YAML"},
      {"bricard: 1\nname: \"a\" b\n", 2, 0, "", "not valid YAML"},
      {"bricard: 1\nname: @home\n", 2, 7, "", "not valid YAML"},
      {"bricard: 1\n---\nbricard: 1\n", 2, 1, "", "second one"},
      {"- 1\n- 2\n", 1, 1, "", "expected a map that begins with 'bricard: 1', found a list of 2"},
      {"hello\n", 1, 1, "", "found 'hello'"},
      {std::string(1000000, '['), 1, 0, "", "nested more than 64 levels"},
      {std::string(1000000, '{'), 1, 0, "", "nested more than 64 levels"},
      {"bricard: 1\nname:\n" +
           [] {
             std::string nested;
             for (int k = 1; k < 200; ++k) nested += std::string(static_cast<std::size_t>(k), ' ') + "a:\n";
             return nested;
           }(),
       66, 65, "", "nested more than 64 levels"},
      {std::string((std::size_t{64} << 20) + 1, ' '), 0, 0, "", "larger than 64 MiB"},
      {"bricard: 1\nname: [" +
           [] {
             std::string list;
             for (int k = 0; k < 2000001; ++k) list += "1,";
             return list;
           }(),
       0, 0, "", "more than 2000000 values"},
      {"a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
       "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
       "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n",
       5, 0, "", "aliases repeat"},
      {"bricard: 1\nname: &a [*a]\n", 2, 11, "", "alias refers to the node that contains it"},
      {"bricard: 1\nname: *nobody\n", 2, 0, "", "not valid YAML"},
      {planar("name: one\nname: two\n"), 6, 1, "", "'name' appears twice"},
      {planar("joints:\n  J: {type: revolute, bodies: [ground, a], at: A}\n  J: {type: revolute, bodies: [ground, a], "
              "at: A}\n"),
       7, 3, "joints", "'J' appears twice"},
      {planar_body("mass: 1, mass: 2, inertia: 1, center: [0, 0]"), 3, 23, "bodies.b", "'mass' appears twice"},
      {planar_body("mass: !!float 1, inertia: 1, center: [0, 0]"), 3, 20, "bodies.b.mass", "YAML tags"},
      {planar("? [1, 2]\n: 3\n"), 5, 3, "", "a key must be a word"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, TopLevel) {
  const std::vector<BadModel> models = {
      {"name: x\nbodies: {}\n", 1, 1, "", "the format version is missing"},
      {"name: x\nbricard: 2\n", 2, 10, "bricard", "expected format version 1"},
      {"bricard: one\n", 1, 10, "bricard", "found 'one'"},
      {"bricard:\n", 1, 1, "bricard", "found nothing"},
      {"bricard: [1]\n", 1, 10, "bricard", "found a list of 1"},
      {"bricard: 1\n", 1, 1, "", "at least one body"},
      {planar("jonts: {}\n"), 5, 1, "jonts", "Did you mean 'joints'?"},
      {planar("zzz: {}\n"), 5, 1, "zzz", "'zzz' is not a key of a model"},
      {planar("joints: 5\n"), 5, 9, "joints", "expected a map of joints, found '5'"},
      {planar("forces: [a, b]\n"), 5, 9, "forces", "expected a map of forces, found a list of 2"},
      {planar("name: {a: 1}\n"), 5, 7, "name", "expected a text"},
      {"bricard: 1\ndimension: planer\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}\n", 2, 12,
       "dimension", "did you mean 'planar'"},
      {planar("gravity: 9.81\n"), 5, 10, "gravity", "a list of 2 numbers"},
      {planar("gravity: [0, 0, -9.81]\n"), 5, 10, "gravity", "found a list of 3"},
      {spatial("gravity: [0, -9.81]\n"), 4, 10, "gravity", "found a list of 2"},
      {spatial("gravity: [0, .nan, 0]\n"), 4, 14, "gravity[1]", "'.nan' is not a finite number"},
      {spatial("gravity: [0, 0, -.inf]\n"), 4, 17, "gravity[2]", "not a finite number"},
      {spatial("gravity: [0, 0, 1e999]\n"), 4, 17, "gravity[2]", "number out of range"},
      {spatial("gravity: [0, t, 0]\n"), 4, 14, "gravity[1]", "time 't' is not allowed here"},
      {spatial("gravity: [0, {}, 0]\n"), 4, 14, "gravity[1]", "expected a number, found a map"},
      {spatial("gravity: [0, , 0]\n"), 4, 14, "gravity[1]", "expected a number, found nothing"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, ParametersAndPoints) {
  const std::vector<BadModel> models = {
      {planar("parameters: {L: 2*M, M: 3}\n"), 5, 19, "parameters.L", "parameter 'M' is used before it is defined"},
      {planar("parameters: {L: 1 + L}\n"), 5, 21, "parameters.L", "'L' is used before it is defined: it uses itself"},
      {planar("parameters: {p: q, q: r, r: 2*p}\n"), 5, 17, "parameters.p", "p -> q -> r -> p is a cycle"},
      {planar("parameters: {L: 1/0}\n"), 5, 17, "parameters.L", "not a finite number: it is inf"},
      {planar("parameters: {L: sqrt(-1)}\n"), 5, 17, "parameters.L", "not a finite number"},
      {planar("parameters: {L: 2*}\n"), 5, 19, "parameters.L", "unexpected end"},
      {planar("parameters: {L: '2 3'}\n"), 5, 20, "parameters.L", "missing operator before '3'"},
      {planar("parameters: {L: (1}\n"), 5, 19, "parameters.L", "missing ')'"},
      {planar("parameters: {L: 2*sine(1)}\n"), 5, 19, "parameters.L", "unknown function 'sine'"},
      {planar("parameters: {length: 1, M: 2*lenght}\n"), 5, 30, "parameters.M", "did you mean 'length'?"},
      {planar("parameters: {L: 3 ä}\n"), 5, 19, "parameters.L", "unexpected 'ä'"},
      {planar("parameters: {L: angle(J)}\n"), 5, 17, "parameters.L", "not allowed here"},
      {planar("parameters: {pi: 3}\n"), 5, 14, "parameters.pi", "has a meaning of its own"},
      {planar("parameters: {x: 3}\n"), 5, 14, "parameters.x", "has a meaning of its own"},
      {planar("parameters: {a-b: 3}\n"), 5, 14, "parameters.a-b", "subtraction"},
      {planar("parameters: {2L: 3}\n"), 5, 14, "parameters.2L", "'2L' is not a name"},
      {planar("parameters: {L: }\n"), 5, 14, "parameters.L", "expected a number, found nothing"},
      {planar("parameters: {L: ''}\n"), 5, 17, "parameters.L", "expected a number, found ''"},
      {planar("parameters: {L: [1]}\n"), 5, 17, "parameters.L", "expected a number, found a list of 1"},
      {planar("parameters: {L: " + std::string(100000, '(') + "}\n"), 5, 0, "parameters.L", "nested too deeply"},
      {"bricard: 1\ndimension: planar\npoints: {A: [1, 2, 3]}\nbodies: {b: {mass: 1, inertia: 1, center: [0, 0]}}\n", 3,
       13, "points.A", "a list of 2 numbers (the model is planar), found a list of 3"},
      {"bricard: 1\npoints: {A: [1, 2]}\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: A}}\n", 2, 13, "points.A",
       "a list of 3 numbers, found a list of 2"},
      {"bricard: 1\npoints: {A: {x: 1}}\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: A}}\n", 2, 13, "points.A",
       "found a map"},
      {"bricard: 1\npoints: {A B: [0, 0, 0]}\nbodies: {b: {mass: 1, inertia: [1, 1, 1], center: [0, 0, 0]}}\n", 2, 10,
       "points.A B", "is not a name"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, Bodies) {
  const std::vector<BadModel> models = {
      {planar_body("inertia: 1, center: [0, 0]"), 3, 13, "bodies.b", "needs the key 'mass'"},
      {planar_body("mass: 1, center: [0, 0]"), 3, 13, "bodies.b", "needs the key 'inertia'"},
      {planar_body("mass: 1, inertia: 1"), 3, 13, "bodies.b", "needs the key 'center'"},
      {planar_body("mass: -1, inertia: 1, center: [0, 0]"), 3, 20, "bodies.b.mass", "must not be negative, but is -1"},
      {planar_body("mass: nan, inertia: 1, center: [0, 0]"), 3, 20, "bodies.b.mass", "not a finite number"},
      {planar_body("mass: 1, inertia: -1, center: [0, 0]"), 3, 32, "bodies.b.inertia", "must not be negative"},
      {planar_body("mass: 1, inertia: [1, 1, 1], center: [0, 0]"), 3, 32, "bodies.b.inertia",
       "expected a number, found a list of 3"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0, 0]"), 3, 43, "bodies.b.center", "found a list of 3"},
      {planar_body("mass: 1, inertia: 1, center: Q"), 3, 43, "bodies.b.center", "unknown point 'Q'"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0], orientation: {quaternion: [1, 0, 0, 0]}"), 3, 51,
       "bodies.b.orientation", "is not a key of a planar body"},
      {planar_body("mas: 1, mass: 1, inertia: 1, center: [0, 0]"), 3, 14, "bodies.b.mas", "Did you mean 'mass'?"},
      {planar_body("rod: [[0, 0], [1, 0]], mass: 1, radius: 1"), 3, 46, "bodies.b.radius",
       "is not a key of a planar body"},
      {planar_body("rod: [[0, 0], [1, 0]], mass: 1, center: [0, 0]"), 3, 46, "bodies.b.center",
       "does not go with 'rod'"},
      {planar_body("rod: [[0, 0], [0, 0]], mass: 1"), 3, 19, "bodies.b.rod", "the same place"},
      {planar_body("rod: [[0, 0]], mass: 1"), 3, 19, "bodies.b.rod", "2 ends of the rod, found a list of 1"},
      {planar_body("rod: AB, mass: 1"), 3, 19, "bodies.b.rod", "found 'AB'"},
      {planar_body("mass: 1, center: [0, 0], shape: {ball: {radius: 1}}"), 3, 47, "bodies.b.shape.ball",
       "is not a key of a shape"},
      {planar_body("mass: 1, center: [0, 0], shape: {disc: {radius: 1}, box: {size: [1, 1]}}"), 3, 46, "bodies.b.shape",
       "exactly one"},
      {planar_body("mass: 1, center: [0, 0], shape: {disc: {radius: 0}}"), 3, 62, "bodies.b.shape.disc.radius",
       "must be positive, but is 0"},
      {planar_body("mass: 1, center: [0, 0], shape: {disc: {radius: 1, axis: [0, 1]}}"), 3, 65,
       "bodies.b.shape.disc.axis", "is not a key"},
      {planar_body("mass: 1, center: [0, 0], shape: {box: {size: [1]}}"), 3, 59, "bodies.b.shape.box.size",
       "2 or 3 edges"},
      {planar_body("mass: 1, density: 1, center: [0, 0], shape: {disc: {radius: 1}}"), 3, 23, "bodies.b.density",
       "not both"},
      {planar_body("density: 1, inertia: 1, center: [0, 0]"), 3, 14, "bodies.b.density", "a density needs a shape"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0], shape: {disc: {radius: 1}}"), 3, 23, "bodies.b.inertia",
       "not both"},
      {planar_body("mass: 1e300, center: [0, 0], shape: {disc: {radius: 1e300}}"), 3, 13, "bodies.b", "too large"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0], geometry: [{cube: 1}]"), 3, 63, "bodies.b.geometry[0].cube",
       "is not a key of a solid"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0], geometry: [{line: [[0, 0]]}]"), 3, 69,
       "bodies.b.geometry[0].line", "at least 2 places"},
      {planar_body("mass: 1, inertia: 1, center: [0, 0], geometry: {}"), 3, 61, "bodies.b.geometry",
       "expected a list of solids"},
      {"bricard: 1\ndimension: planar\nbodies: {b: 5}\n", 3, 13, "bodies.b",
       "expected a map with the keys of a planar body"},
      {planar("").replace(planar("").find("a: {mass"), 1, "ground"), 4, 10, "bodies.ground",
       "the ground always exists"},
      {spatial_body("mass: 1, inertia: 1, center: [0, 0, 0]"), 2, 32, "bodies.b.inertia", "3 moments (xx yy zz) or 6"},
      {spatial_body("mass: 1, inertia: [1, 1], center: [0, 0, 0]"), 2, 32, "bodies.b.inertia", "found a list of 2"},
      {spatial_body("mass: 1, inertia: [1, 1, -1], center: [0, 0, 0]"), 2, 32, "bodies.b.inertia",
       "negative principal moment"},
      {spatial_body("mass: 1, inertia: [1, 1, 1, 5, 0, 0], center: [0, 0, 0]"), 2, 32, "bodies.b.inertia",
       "inertia of body 'b'"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], angle: 1"), 2, 62, "bodies.b.angle",
       "is not a key of a spatial body"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], radius: 1"), 2, 62, "bodies.b.radius",
       "only a 'rod' has a radius"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {quaternion: [0, 0, 0, 0]}"), 2, 88,
       "bodies.b.orientation.quaternion", "must not be zero"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {quaternion: [1, 0, 0]}"), 2, 88,
       "bodies.b.orientation.quaternion", "4 numbers"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {x: [1, 0, 0], z: [1, 0, 1]}"), 2, 75,
       "bodies.b.orientation", "must be perpendicular; they are 45 degrees apart"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {x: [1, 0, 0]}"), 2, 75,
       "bodies.b.orientation", "needs the key 'z'"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {x: [0, 0, 0], z: [1, 0, 1]}"), 2, 79,
       "bodies.b.orientation.x", "a direction must not be zero"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: {}"), 2, 75, "bodies.b.orientation",
       "needs either"},
      {spatial_body("mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], orientation: 30 deg"), 2, 75,
       "bodies.b.orientation", "keys of an orientation"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, Joints) {
  const std::vector<BadModel> models = {
      {planar_joint("bodies: [ground, a], at: A"), 5, 13, "joints.J", "a joint needs the key 'type'"},
      {planar_joint("type: revolut, bodies: [ground, a], at: A"), 5, 20, "joints.J.type", "did you mean 'revolute'?"},
      {planar_joint("type: welded, bodies: [ground, a], at: A"), 5, 20, "joints.J.type", "unknown joint type 'welded'"},
      {planar_joint("type: [], bodies: [ground, a], at: A"), 5, 20, "joints.J.type", "found a list of 0"},
      {planar_joint("type: spherical, bodies: [ground, a], at: A"), 5, 20, "joints.J.type",
       "does not exist in planar models"},
      {planar_joint("type: cylindrical, bodies: [ground, a], at: A"), 5, 20, "joints.J.type",
       "does not exist in planar models"},
      {planar("joints: {J: revolute}\n"), 5, 13, "joints.J", "expected a map with the keys of a joint"},
      {planar_joint("type: revolute, at: A"), 5, 13, "joints.J", "needs the key 'bodies'"},
      {planar_joint("type: revolute, bodies: [ground, a]"), 5, 13, "joints.J", "needs the key 'at'"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, axis: [0, 0, 1]"), 5, 58, "joints.J.axis",
       "Its keys: type, bodies, at, friction"},
      {planar_joint("type: revolute, bodies: [ground, c], at: A"), 5, 47, "joints.J.bodies[1]", "unknown body 'c'"},
      {planar_joint("type: revolute, bodies: [grund, a], at: A"), 5, 39, "joints.J.bodies[0]",
       "did you mean 'ground'?"},
      {planar_joint("type: revolute, bodies: [a, a], at: A"), 5, 38, "joints.J.bodies", "joins 'a' to itself"},
      {planar_joint("type: revolute, bodies: [ground, ground], at: A"), 5, 38, "joints.J.bodies",
       "joins 'ground' to itself"},
      {planar_joint("type: revolute, bodies: [a], at: A"), 5, 38, "joints.J.bodies",
       "a list of 2 bodies, found a list of 1"},
      {planar_joint("type: revolute, bodies: a, at: A"), 5, 38, "joints.J.bodies", "a list of 2 bodies, found 'a'"},
      {planar_joint("type: revolute, bodies: [a, {b: c}], at: A"), 5, 42, "joints.J.bodies[1]",
       "the name of a body, found a map"},
      {planar_joint("type: revolute, bodies: [ground, a], at: Z"), 5, 55, "joints.J.at", "unknown point 'Z'"},
      {planar_joint("type: revolute, bodies: [ground, a], at: [1, 2, 3]"), 5, 55, "joints.J.at", "found a list of 3"},
      {planar_joint("type: revolute, bodies: [ground, a], at: {x: 1}"), 5, 55, "joints.J.at",
       "a point or 2 coordinates, found a map"},
      {planar_joint("type: revolute, bodies: [ground, a], at: [1, .inf]"), 5, 59, "joints.J.at[1]",
       "not a finite number"},
      {planar_joint("type: prismatic, bodies: [ground, a], at: A"), 5, 13, "joints.J", "needs the key 'axis'"},
      {planar_joint("type: prismatic, bodies: [ground, a], at: A, axis: [0, 0]"), 5, 65, "joints.J.axis",
       "a direction must not be zero"},
      {planar_joint("type: distance, bodies: [ground, a], at: A"), 5, 55, "joints.J.at", "a list of 2 places"},
      {planar_joint("type: distance, bodies: [ground, a], at: [A, A]"), 5, 13, "joints.J", "the two places coincide"},
      {planar_joint("type: distance, bodies: [ground, a], at: [A, B], length: -1"), 5, 71, "joints.J.length",
       "must be positive"},
      {hinged("").append("  G: {type: gear, joints: [J, K], ratio: 1}\n"), 8, 31, "joints.G.joints[1]",
       "unknown joint 'K'"},
      {hinged("").append("  G: {type: gear, joints: [J, J], ratio: 1}\n"), 8, 27, "joints.G.joints",
       "couples joint 'J' to itself"},
      {hinged("").append("  G: {type: gear, joints: [J, D], ratio: 1}\n"), 8, 31, "joints.G.joints[1]",
       "distance, which has no coordinate"},
      {hinged("").append("  G: {type: gear, bodies: [a, b], joints: [J, J2], ratio: 1}\n  J2: {type: revolute, bodies: "
                         "[a, b], at: A}\n"),
       8, 19, "joints.G.bodies", "is not a key of a planar joint of type gear"},
      {geared("bodies: [a, b], teeth: [20, 0]"), 8, 52, "joints.G.teeth[1]", "must be positive"},
      {geared("bodies: [a, b], teeth: [20, -40]"), 8, 52, "joints.G.teeth[1]", "must be positive"},
      {geared("bodies: [a, b], teeth: 20"), 8, 47, "joints.G.teeth", "a list of 2 numbers of teeth, found '20'"},
      {geared("bodies: [a, b], teeth: [20, 40, 60]"), 8, 47, "joints.G.teeth", "found a list of 3"},
      {geared("bodies: [a, b], ratio: 0"), 8, 47, "joints.G.ratio", "the ratio must not be zero"},
      {geared("bodies: [a, b], teeth: [20, 40], ratio: -2"), 8, 57, "joints.G.ratio", "give only one of them"},
      {geared("bodies: [a, b], ratio: 2, internal: true"), 8, 50, "joints.G.internal", "a ratio has its own sign"},
      {geared("bodies: [a, b], teeth: [20, 40], internal: 1"), 8, 67, "joints.G.internal", "true or false"},
      {geared("bodies: [a, b]"), 8, 6, "joints.G", "needs the key 'teeth' or 'ratio'"},
      {geared("ratio: 2"), 8, 6, "joints.G", "needs the key 'bodies'"},
      {geared("bodies: [a, c], ratio: 2"), 8, 36, "joints.G.bodies[1]", "unknown body 'c'"},
      {geared("bodies: [a, a], ratio: 2"), 8, 32, "joints.G.bodies", "joins 'a' to itself"},
      {geared("bodies: [a, b], ratio: 2, carrier: c"), 8, 59, "joints.G.carrier", "unknown body 'c'"},
      {geared("bodies: [a, b], ratio: 2, carrier: b"), 8, 59, "joints.G.carrier",
       "'a' and 'b' do not both turn on 'b'"},
      {geared("bodies: [a, b], ratio: 2, at: A"), 8, 50, "joints.G.at",
       "is not a key of a planar joint of type gear_pair"},
      {geared("bodies: [a, b], ratio: 2, friction: {viscous: 1}"), 8, 0, "joints.G.friction", "no coordinate"},
      {geared("bodies: [ground, a], ratio: 2"), 8, 6, "joints.G", "no body carries the axes of both 'ground' and 'a'"},
      {hinged("  G: {type: gear_pair, bodies: [a, b], ratio: 2}\n"), 8, 6, "joints.G",
       "no body carries the axes of both 'a' and 'b': both must turn on one by revolute joints"},
      {parallelogram("ratio: 2"), 11, 6, "joints.G", "say which with 'carrier'"},
      {hinged("").append("  a: {type: revolute, bodies: [a, b], at: A}\n"), 8, 3, "joints.a",
       "both would have the column 'a.angle'"},
      {planar_joint("type: rolling, bodies: [ground, b], radius: 1"), 5, 13, "joints.J", "needs the key 'line'"},
      {planar_joint("type: rolling, bodies: [ground, b], radius: 1, plane: {at: A}, line: {at: A, direction: [0, 1]}"),
       5, 61, "joints.J.plane", "is not a key"},
      {planar_joint("type: rolling, bodies: [ground, b], radius: 1, line: {at: A}"), 5, 67, "joints.J.line",
       "needs the key 'direction'"},
      {planar_joint("type: rolling, bodies: [ground, b], radius: 1, line: {at: A, direction: [1, 0]}"), 5, 67,
       "joints.J.line", "must not lie on"},
      {planar_joint("type: constraint, expression: 2*t"), 5, 44, "joints.J.expression",
       "uses no quantity of a joint or body"},
      {planar_joint("type: constraint, expression: []"), 5, 44, "joints.J.expression",
       "an expression or a list of expressions"},
      {planar_joint("type: constraint, expression: [x(a), x(c)]"), 5, 53, "joints.J.expression[1]",
       "unknown body or point 'c'"},
      {planar_joint("type: constraint, expression: z(a)"), 5, 46, "joints.J.expression", "a planar model has no z"},
      {planar_joint("type: constraint, expression: x(a.Z)"), 5, 46, "joints.J.expression", "unknown point 'Z'"},
      {planar_joint("type: constraint, expression: x(c.A)"), 5, 46, "joints.J.expression", "unknown body 'c'"},
      {planar_joint("type: constraint, expression: 'distance(A)'"), 5, 45, "joints.J.expression", "takes 2 arguments"},
      {planar_joint("type: fixed, bodies: [ground, a], at: A, friction: {viscous: 1}"), 5, 65, "joints.J.friction",
       "type fixed has no coordinate"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, friction: {coulomb: 1}"), 5, 68, "joints.J.friction",
       "needs the key 'radius'"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, friction: {viscous: 1, radius: 1}"), 5, 81,
       "joints.J.friction.radius", "goes with 'coulomb'"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, friction: {}"), 5, 68, "joints.J.friction",
       "needs one of the keys"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, friction: {dahl: {stiffness: 1}}"), 5, 75,
       "joints.J.friction.dahl", "needs the key 'limit' or the key 'coulomb'"},
      {planar_joint(
           "type: revolute, bodies: [ground, a], at: A, friction: {dahl: {stiffness: 1, limit: 1}, coulomb: 1}"),
       5, 101, "joints.J.friction.coulomb", "does not stand beside 'dahl'"},
      {planar_joint("type: prismatic, bodies: [ground, a], at: A, axis: [1, 0], friction: {coulomb: 0.3, static: 0.2}"),
       5, 106, "joints.J.friction.static", "must not be less than 'coulomb'"},
      {planar_joint("type: prismatic, bodies: [ground, a], at: A, axis: [1, 0], friction: {coulomb: 0.3, stribeck: 1}"),
       5, 98, "joints.J.friction.stribeck", "goes with 'static'"},
      {planar_joint("type: revolute, bodies: [ground, a], at: A, friction: {dahl: {stiffness: 1, limit: 0}}"), 5, 97,
       "joints.J.friction.dahl.limit", "must be positive"},
      {planar_joint("type: prismatic, bodies: [ground, a], at: A, axis: [1, 0], friction: {coulomb: 1, radius: 1}"), 5,
       96, "joints.J.friction.radius", "lever arm"},
      {spatial_joint("type: revolute, bodies: [ground, a], at: A"), 4, 13, "joints.J", "needs the key 'axis'"},
      {spatial_joint("type: revolute, bodies: [ground, a], at: A, axis: [0, 1]"), 4, 64, "joints.J.axis",
       "a list of 3 numbers, found a list of 2"},
      {spatial_joint("type: spherical, bodies: [a, b], at: A, cut: maybe"), 4, 59, "joints.J.cut", "true or false"},
      {spatial_joint("type: point_on_plane, bodies: [a, b], at: A, axis: [0, 0, 1], cut: true"), 4, 76, "joints.J.cut",
       "cut"},
      {spatial_joint("type: universal, bodies: [a, b], at: A, axes: [1, 0, 0]"), 4, 60, "joints.J.axes",
       "a list of 2 axes"},
      {spatial_joint("type: universal, bodies: [a, b], at: A, axes: [[1, 0, 0], [1, 0, 1]]"), 4, 60, "joints.J.axes",
       "must be perpendicular"},
      {spatial_joint("type: screw, bodies: [a, b], at: A, axis: [1, 0, 0]"), 4, 13, "joints.J",
       "needs the key 'pitch'"},
      {spatial_joint("type: orientation, bodies: [a, b], at: A"), 4, 49, "joints.J.at",
       "is not a key of a spatial joint of type orientation"},
      {spatial_joint(
           "type: rolling, bodies: [ground, b], axis: [0, 0, 1], radius: 1, plane: {at: A, normal: [0, 0, 1]}"),
       4, 13, "joints.J", "lies flat"},
      {spatial_joint("type: constraint, expression: angle(J)"), 4, 50, "joints.J.expression",
       "type constraint, which has no coordinate"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, MotionsAndForces) {
  const std::vector<BadModel> models = {
      {hinged("motions: {m: {position: t}}\n"), 8, 14, "motions.m", "needs the key 'joint' or the key 'body'"},
      {hinged("motions: {m: {joint: J}}\n"), 8, 14, "motions.m", "needs the key 'position'"},
      {hinged("motions: {m: {joint: K, position: t}}\n"), 8, 22, "motions.m.joint", "unknown joint 'K'"},
      {hinged("motions: {m: {joint: D, position: t}}\n"), 8, 22, "motions.m.joint", "which has no coordinate"},
      {hinged("motions: {m: {joint: J, coordinate: position, position: t}}\n"), 8, 37, "motions.m.coordinate",
       "it has angle"},
      {hinged("motions: {m: {joint: J, position: 2*angle(J)}}\n"), 8, 37, "motions.m.position", "not allowed here"},
      {hinged("motions: {m: {joint: J, position: 1/t}}\n"), 8, 35, "motions.m.position",
       "not a finite number at t = 0"},
      {hinged("motions: {m: {body: ground, direction: [1, 0], position: t}}\n"), 8, 21, "motions.m.body",
       "the ground cannot move"},
      {hinged("motions: {m: {body: a, position: t}}\n"), 8, 14, "motions.m", "needs the key 'direction'"},
      {hinged("motions: {m: {body: a, direction: [0, 0], position: t}}\n"), 8, 35, "motions.m.direction",
       "must not be zero"},
      {hinged("motions: {m: {body: a, joint: J, position: t}}\n"), 8, 15, "motions.m.body",
       "is not a key of the motion of a joint"},
      {planar_force("body: a, vector: [1, 0]"), 8, 13, "forces.f", "a force needs the key 'type'"},
      {planar_force("type: sprng"), 8, 20, "forces.f.type", "did you mean 'spring'?"},
      {planar_force("type: force, body: a, vector: [1, 0], value: 3"), 8, 52, "forces.f.value",
       "Its keys: type, body, at, vector, frame"},
      {planar_force("type: force, body: a, vector: [1, 0, 0]"), 8, 44, "forces.f.vector",
       "a list of 2 numbers or expressions"},
      {planar_force("type: force, body: a, vector: [1, 1/0]"), 8, 48, "forces.f.vector[1]", "not a finite number"},
      {planar_force("type: force, body: a, vector: [1, 'x(a) +']"), 8, 55, "forces.f.vector[1]", "unexpected end"},
      {planar_force("type: force, body: ground, vector: [1, 0]"), 8, 33, "forces.f.body", "the ground cannot move"},
      {planar_force("type: force, body: a, vector: [1, 0], frame: bdy"), 8, 59, "forces.f.frame",
       "did you mean 'body'?"},
      {planar_force("type: torque, body: a, value: [1, 0, 0]"), 8, 44, "forces.f.value",
       "expected a number or an expression"},
      {planar_force("type: torque, body: z, value: 1"), 8, 34, "forces.f.body", "unknown body 'z'"},
      {planar_force("type: spring, between: [[ground, A], [b, B]]"), 8, 13, "forces.f",
       "one of the keys 'stiffness', 'damping', 'law'"},
      {planar_force("type: spring, between: [[ground, A], [b, B]], stiffness: 1, law: x"), 8, 60, "forces.f.stiffness",
       "not both"},
      {planar_force("type: spring, between: [[b, A], [b, B]], stiffness: 1"), 8, 37, "forces.f.between", "same body"},
      {planar_force("type: spring, between: [[ground, A], [b]], stiffness: 1"), 8, 51, "forces.f.between[1]",
       "a body and a place on it"},
      {planar_force("type: spring, between: [[ground, A], [b, C]], stiffness: 1"), 8, 55, "forces.f.between[1][1]",
       "unknown point 'C'"},
      {planar_force("type: spring, between: [[ground, A], [b, B]], stiffness: 1, free_length: -1"), 8, 87,
       "forces.f.free_length", "must not be negative"},
      {planar_force("type: spring, between: [[ground, A], [b, B]], law: -5*y"), 8, 68, "forces.f.law",
       "'y' needs arguments"},
      {planar_force("type: rotational_spring, joint: D, stiffness: 1"), 8, 46, "forces.f.joint",
       "which has no coordinate"},
      {planar_force("type: rotational_spring, joint: J, coordinate: angle2, stiffness: 1"), 8, 61,
       "forces.f.coordinate", "it has angle"},
      {planar_force("type: actuator, joint: J"), 8, 13, "forces.f", "needs the key 'value'"},
      {planar_force("type: actuator, joint: J, value: position(J)"), 8, 56, "forces.f.value",
       "has only the coordinate angle"},
      {planar_force("type: bushing, bodies: [a, b], at: A, stiffness: [1, 1, 1, 1, 1, 1]"), 8, 63, "forces.f.stiffness",
       "3 numbers (x, y, rotation)"},
      {planar_force("type: bushing, bodies: [b, b], at: A, stiffness: [1, 1, 1]"), 8, 37, "forces.f.bodies",
       "joins 'b' to itself"},
      {planar_force("type: rotor, body: a, axis: [0, 1], inertia: 1, speed: 1"), 8, 36, "forces.f.axis",
       "the axis of a rotor in a planar model is z"},
      {planar_force("type: rotor, body: ground, inertia: 1, speed: 1"), 8, 33, "forces.f.body",
       "the ground cannot move"},
      {planar_force("type: rotor, body: a, inertia: -1, speed: 1"), 8, 45, "forces.f.inertia", "must not be negative"},
      {planar_force("type: rotor, body: a, inertia: 1"), 8, 13, "forces.f", "needs the key 'speed'"},
      {planar_force("type: rotor, body: a, inertia: 1, speed: 2*rate(J)"), 8, 57, "forces.f.speed", "not allowed here"},
      {planar_force("type: rotor, body: a, inertia: 1, speed: 1/t"), 8, 55, "forces.f.speed",
       "not a finite number at t = 0"},
      {spatial("forces: {f: {type: rotor, body: a, inertia: 1, speed: 1}}\n"), 4, 13, "forces.f",
       "needs the key 'axis'"},
      {spatial("forces: {f: {type: rotor, body: a, axis: [0, 0, 0], inertia: 1, speed: 1}}\n"), 4, 42, "forces.f.axis",
       "must not be zero"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

TEST(BadModel, StartRunOutputs) {
  const std::vector<BadModel> models = {
      {hinged("initial: {position: {J: 1}}\n"), 8, 11, "initial.position", "Did you mean 'positions'?"},
      {hinged("initial: {positions: {K: 1}}\n"), 8, 23, "initial.positions.K", "unknown joint or body 'K'"},
      {hinged("initial: {positions: {D: 1}}\n"), 8, 23, "initial.positions.D", "which has no coordinate"},
      {hinged("initial: {positions: {ground: {center: A}}}\n"), 8, 23, "initial.positions.ground",
       "the ground cannot move"},
      {hinged("initial: {positions: {J: [1]}}\n"), 8, 26, "initial.positions.J", "expected a number"},
      {hinged("initial: {positions: {J: {position: 1}}}\n"), 8, 27, "initial.positions.J.position", "Its keys: angle"},
      {hinged("initial: {positions: {a: 1}}\n"), 8, 26, "initial.positions.a", "the placement of body 'a'"},
      {hinged("initial: {positions: {a: {}}}\n"), 8, 26, "initial.positions.a",
       "needs one of the keys 'center', 'angle'"},
      {hinged("initial: {velocities: {a: {center: A}}}\n"), 0, 0, "initial.velocities.a.center",
       "Its keys: linear, angular"},
      {hinged("initial: {velocities: {a: {linear: [1, 2, 3]}}}\n"), 8, 36, "initial.velocities.a.linear",
       "found a list of 3"},
      {hinged("simulation: {duration: 0}\n"), 8, 24, "simulation.duration", "must be positive"},
      {hinged("simulation: {output-step: 0.1}\n"), 8, 14, "simulation.output-step", "Did you mean 'output_step'?"},
      {hinged("simulation: {formulation: [a]}\n"), 8, 27, "simulation.formulation", "expected a name"},
      {hinged("simulation: {alpha: -1}\n"), 8, 21, "simulation.alpha", "must not be negative"},
      {hinged("simulation: fast\n"), 8, 13, "simulation", "keys of the simulation"},
      {hinged("outputs: {o: angle(K)}\n"), 8, 20, "outputs.o", "unknown joint 'K'"},
      {hinged("outputs: {o: rate2(J)}\n"), 8, 20, "outputs.o", "has only the coordinate angle"},
      {hinged("outputs: {time: 1}\n"), 8, 11, "outputs.time", "a column of every result"},
      {hinged("outputs: {o: 2 + angel(J)}\n"), 8, 18, "outputs.o", "did you mean 'angle'?"},
  };
  for (const BadModel& bad : models) expect_one_problem(bad);
}

// --- what is not one text with one mistake ---

TEST(BadModel, EveryMistakeIsReportedInOrder) {
  const std::vector<Diagnostic> problems = problems_of(
      "bricard: 1\n"
      "dimension: planar\n"
      "parameters: {L: 1/0, M: 2*L}\n"  // M depends on a mistake and is none
      "points: {A: [0, 0], B: [L, M]}\n"
      "bodies:\n"
      "  a: {rod: [A, B], mas: 1}\n"              // two
      "  b: {mass: -1, inertia: 1, center: Q}\n"  // two
      "joints:\n"
      "  A: {type: revolut, bodies: [a, b], at: A}\n"
      "  B: {type: revolute, bodies: [a, c], at: B}\n"
      "forces:\n"
      "  f: {type: actuator, joint: A, value: angle(A) + t*}\n"
      "outputs: {o: angle(C)}\n");
  std::vector<std::pair<int, std::string>> found;
  for (const Diagnostic& problem : problems) found.emplace_back(problem.line, problem.path);
  const std::vector<std::pair<int, std::string>> expected = {
      {3, "parameters.L"},        {6, "bodies.a"},        {6, "bodies.a.mas"},
      {7, "bodies.b.mass"},       {7, "bodies.b.center"}, {9, "joints.A.type"},
      {10, "joints.B.bodies[1]"}, {12, "forces.f.value"}, {13, "outputs.o"}};
  EXPECT_EQ(found, expected);
}

TEST(BadModel, MessagesNameFileLineColumnAndPath) {
  try {
    load_text(planar("jonts: {}\n"), "folder/four-bar.yaml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("folder/four-bar.yaml:5:1: jonts: ")) << error.what();
  }
}

TEST(BadModel, ColumnsCountCharacters) {
  const std::vector<Diagnostic> problems = problems_of(planar("name: Größe\noutputs: {o: 'x(ä)', p: 1/0}\n"));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].column, 17);
  EXPECT_EQ(problems[1].column, 25);
}

TEST(BadModel, Overrides) {
  const std::string text = planar("parameters: {length: 1, M: length}\n");
  const auto problem = [&](const std::string& name, const std::string& value) {
    const std::vector<Diagnostic> problems = problems_of(text, {{{name, value}}});
    return problems.size() == 1 ? problems[0].text() : "";
  };
  EXPECT_EQ(problem("lenght", "2"), "bad.yaml: --set lenght: unknown parameter 'lenght'; did you mean 'length'?");
  EXPECT_NE(problem("length", "2*").find("--set length: unexpected end"), std::string::npos);
  EXPECT_NE(problem("length", "M").find("used before it is defined"), std::string::npos);
  EXPECT_NE(problem("length", "1/0").find("not a finite number"), std::string::npos);
  EXPECT_NE(problem("length", "nan").find("not a finite number"), std::string::npos);
  EXPECT_NE(problem("length", "").find("empty"), std::string::npos);
}

std::string problem_with_file(const std::string& file) {
  try {
    load(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BadModel, FilesThatCannotBeRead) {
  EXPECT_EQ(problem_with_file("no/such/file.yaml"), "no/such/file.yaml: cannot be opened: No such file or directory");
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(problem_with_file(folder), folder + ": is a folder, not a model file");
  EXPECT_NE(problem_with_file("/dev/null").find("empty"), std::string::npos);
  EXPECT_NE(problem_with_file("/dev/zero").find("larger than"), std::string::npos);
}

TEST(BadModel, NestingWithinTheLimitIsNoProblemOfItsOwn) {
  const std::vector<Diagnostic> problems =
      problems_of(planar("name: " + std::string(40, '[') + std::string(40, ']') + "\n"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].message.find("expected a text"), std::string::npos) << problems[0].text();
}

// --- mutants: whatever a broken file contains, the loader reads it or says what is wrong ---

std::vector<std::string> model_texts() {
  std::vector<std::string> texts;
  const std::filesystem::path folder = std::filesystem::path(BRICARD_SOURCE_DIR) / "models";
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  }
  std::sort(texts.begin(), texts.end());
  texts.push_back(
      hinged("forces: {f: {type: spring, between: [[ground, A], [b, B]], law: '-5*x - v'}}\noutputs: {o: angle(J)}\n"));
  return texts;
}

void expect_read_or_refused(const std::string& text) {
  try {
    load_text(text, "mutant.yaml");
  } catch (const InputError& error) {
    EXPECT_FALSE(error.diagnostics.empty());
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw " << error.what() << " for\n" << text;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}

TEST(Mutants, TruncatedAndWithoutALine) {
  for (const std::string& text : model_texts()) {
    const std::vector<std::string> lines = lines_of(text);
    std::string truncated;
    for (std::size_t cut = 0; cut < lines.size(); ++cut) {
      truncated += lines[cut];
      if (lines[cut].starts_with("#")) continue;
      expect_read_or_refused(truncated);
      expect_read_or_refused(truncated.substr(0, truncated.size() - lines[cut].size() / 2));
      std::string without;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        if (k != cut) without += lines[k];
      }
      expect_read_or_refused(without);
    }
  }
}

TEST(Mutants, WithOtherCharacters) {
  std::mt19937 random(20240601);  // NOLINT: the same mutants in every run
  const std::string characters = "[]{}:,-?&*!|>'\"%@`#~ \n\tx0.()^/\x80\x01";
  for (const std::string& text : model_texts()) {
    for (int mutant = 0; mutant < 30; ++mutant) {
      std::string changed = text;
      for (int change = 0; change <= mutant % 4; ++change) {
        const std::size_t at = random() % changed.size();
        switch (random() % 4) {
          case 0: changed[at] = characters[random() % characters.size()]; break;
          case 1: std::swap(changed[at], changed[random() % changed.size()]); break;
          case 2: changed.insert(at, 1, characters[random() % characters.size()]); break;
          default: changed.erase(at, 1);
        }
      }
      expect_read_or_refused(changed);
    }
  }
}

}  // namespace bad_models_test
}  // namespace bricard
