// Contracts that nothing can break protect nothing: each part of them finds the type that is made for it.
#include <bricard/bricard.h>
#include <bricard/testing.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace bricard;

/// A spring of stiffness 3 N/m between a point and the origin of the world, with one fault.
enum class Fault { none, remembers, tells_less, potential, potential_rate, derivative, units };

template <Fault fault>
class FaultySpring : public ForceElement {
 public:
  FaultySpring(const CustomForce& force, ForceBuilder& builder)
      : stiffness_(fault == Fault::units ? 3 : force.numbers.at("stiffness")),
        point_(builder.point(force.points[0])),
        load_(builder.load(point_)),
        height_(builder.signals().component(point_, Vec3::UnitY())) {
    // The same height by a marker of its own, which nobody else needs.
    if (fault != Fault::tells_less) builder.effort(height_);
  }

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    loads[load_].value = -stiffness_ * context.markers.value[point_];
    loads[load_].value.y() = -stiffness_ * context.signals[height_].value;
    if (fault == Fault::remembers) loads[load_].value.x() += 1e-3 * before_;
    before_ = context.markers.value[point_].x();
  }
  double potential(const ForceContext& context) const override {
    return (fault == Fault::potential ? 0.51 : 0.5) * stiffness_ * context.markers.value[point_].squaredNorm();
  }
  double potential_rate(const ForceContext& context) const override {
    const double rate = stiffness_ * context.markers.value[point_].dot(context.markers.rate[point_]);
    return fault == Fault::potential ? 1.02 * rate : fault == Fault::potential_rate ? -rate : rate;
  }
  bool couple(const ForceContext&, LoadCouplings& couplings) const override {
    couplings.add(point_, point_, (fault == Fault::derivative ? 1 : -1) * stiffness_ * Mat3::Identity());
    return true;
  }

 private:
  double stiffness_;
  int point_, load_, height_;
  mutable double before_ = 0;
};

template <Fault fault>
ForceType faulty_spring(const char* name) {
  return {.name = name,
          .description = "a spring with a fault",
          .on = ForceOn::body,
          .keys = {{.name = "stiffness", .unit = {.mass = 1, .time = -2}, .standard = 3}},
          .any_units = true,
          .create = [](const CustomForce& force, ForceBuilder& builder) -> std::unique_ptr<ForceElement> {
            return std::make_unique<FaultySpring<fault>>(force, builder);
          }};
}

JointType with_rows(const char* name, int rows, std::vector<JointCoordinate> coordinates) {
  return {.name = name,
          .description = "a point at a height",
          .planar_rows = rows,
          .keys = {"at"},
          .planar_coordinates = std::move(coordinates),
          .measure =
              [](const Joint& joint, RowBuilder& builder) {
                if (std::string(joint.type) == "rough_shelf") builder.measure_position(joint);
              },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                builder.along(builder.vector(joint.i, Vec3::UnitY()), builder.point(joint.i, joint.at_i),
                              builder.point(joint.j, joint.at_j), "y");
              }};
}

/// After all others have been registered, and before the first test.
class FaultyTypes : public testing::Environment {
 public:
  void SetUp() override {
    register_force(faulty_spring<Fault::none>("good_spring"));
    register_force(faulty_spring<Fault::remembers>("spring_that_remembers"));
    register_force(faulty_spring<Fault::tells_less>("spring_that_tells_less"));
    register_force(faulty_spring<Fault::potential>("spring_of_wrong_potential"));
    register_force(faulty_spring<Fault::potential_rate>("spring_of_wrong_rate"));
    register_force(faulty_spring<Fault::derivative>("spring_of_wrong_derivative"));
    register_force(faulty_spring<Fault::units>("spring_of_wrong_units"));
    register_joint(with_rows("shelf", 1, {}));
    register_joint(with_rows("shelf_of_two_rows", 2, {}));
    register_joint(with_rows("rough_shelf", 1, {JointCoordinate::angle}));
    FormulationType lu = *find_formulation_type("dense-lu");
    lu.name = "proud-lu", lu.traits.redundant_rows = true;
    register_formulation(lu);
    lu.name = "modest-lu", lu.traits = {.singular_mass = false};
    register_formulation(lu);
    IntegratorType heun = *find_integrator_type("heun");
    heun.name = "proud-heun", heun.order = 3;
    register_integrator(heun);
  }
};
[[maybe_unused]] const testing::Environment* const registered = testing::AddGlobalTestEnvironment(new FaultyTypes);

/// What a contract finds.
template <class Contract>
std::string failures(const Contract& contract) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    contract();
  }
  std::string all;
  for (int k = 0; k < results.size(); ++k) {
    if (results.GetTestPartResult(k).failed()) all += results.GetTestPartResult(k).message();
  }
  return all;
}

void expect_found(const std::string& found, const std::string& what) {
  EXPECT_NE(found.find(what), std::string::npos) << "instead of \"" << what << "\":\n" << found.substr(0, 2000);
}

std::string of_force(const std::string& name, bool conservative = true) {
  return failures(
      [&] { EXPECT_FORCE_CONTRACT(name, {.planar = "body: b, at: [0.9, 0.9]", .conservative = conservative}); });
}

TEST(FaultyForces, AreFound) {
  EXPECT_EQ(of_force("good_spring"), "");
  expect_found(of_force("spring_that_remembers"), "depends on where it was before");
  expect_found(of_force("spring_that_tells_less"), "that the builder was not told");
  expect_found(of_force("spring_of_wrong_potential"), "coordinate 0");
  expect_found(of_force("spring_of_wrong_rate"), "says that it is conservative");
  expect_found(of_force("spring_of_wrong_derivative"), "K(");
  expect_found(of_force("spring_of_wrong_units"), "in other units it is another force");
  expect_found(of_force("no_spring"), "is it registered?");
  expect_found(
      failures([] { EXPECT_FORCE_CONTRACT("drag", {.planar = "body: b, coefficient: 1", .conservative = true}); }),
      "says that it is conservative");
  expect_found(failures([] { EXPECT_FORCE_CONTRACT("drag", {.planar = "body: b, coefficient: 0"}); }),
               "nothing is examined");
}

std::string of_joint(const std::string& name) {
  return failures([&] { EXPECT_JOINT_CONTRACT(name, {.planar = "at: [0.3, 0.2]"}); });
}

TEST(FaultyJoints, AreFound) {
  EXPECT_EQ(of_joint("shelf"), "");
  expect_found(of_joint("shelf_of_two_rows"), "planar_rows");
  expect_found(of_joint("rough_shelf"), "JointCoordinate::angle");  // measured is a position
}

TEST(FaultyFormulations, AreFound) {
  expect_found(failures([] { EXPECT_FORMULATION_CONTRACT("proud-lu"); }), "the matrix of the whole system is singular");
  expect_found(failures([] { EXPECT_FORMULATION_CONTRACT("modest-lu"); }), "create(at)->factorize");
}

TEST(FaultyIntegrators, AreFound) {
  expect_found(failures([] { EXPECT_INTEGRATOR_CONTRACT("proud-heun"); }), "fixed step has its order");
}

}  // namespace
