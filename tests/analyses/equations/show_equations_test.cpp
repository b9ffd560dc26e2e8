// The equations that are shown: a pendulum by hand, and for every formulation the identities of its document, between
// the matrices that it shows.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cctype>
#include <cmath>

#include "bricard/equations.h"
#include "bricard/input_error.h"
#include "bricard/load.h"
#include "formulations/formulation.h"

namespace bricard {
namespace show_equations_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

const Matrix& values(const EquationsResult& result, const std::string& symbol) {
  const NamedMatrix* matrix = result.find(symbol);
  static const Matrix none;
  EXPECT_NE(matrix, nullptr) << symbol;
  return matrix ? matrix->values : none;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  EXPECT_LE((a - b).norm(), tolerance * std::max(1.0, b.norm())) << what << "\n" << a << "\n\n" << b;
}

TEST(ShowEquations, OfThePendulumAreThoseOfItsDrawing) {
  const EquationsResult result =
      show_equations(load(models + "pendulum.yaml"), {.coordinates = "reference-point", .formulation = "nullspace-qr"});
  ASSERT_TRUE(result.ok) << result.failure;
  const double c = std::sqrt(0.5), L = 0.5, m = 10, I = 0.1, g = 9.8;
  expect_near(values(result, "q"), Vector{{L * c, -L * c, -std::atan(1)}}, 1e-12, "q");
  expect_near(values(result, "M"), Matrix(Vector{{m, m, I}}.asDiagonal()), 1e-12, "M");
  expect_near(values(result, "Q"), Vector{{0, -m * g, 0}}, 1e-12, "Q");
  // The pivot of the pendulum, at -L along it, stays where it is, by whatever sign.
  const Matrix P{{1, 0, -L * c}, {0, 1, -L * c}};
  const Matrix& shown = values(result, "P");
  expect_near(shown.row(0) * (shown(0, 0) < 0 ? -1 : 1), P.row(0), 1e-12, "P, x");
  expect_near(shown.row(1) * (shown(1, 1) < 0 ? -1 : 1), P.row(1), 1e-12, "P, y");
  EXPECT_EQ(result.rank, 2);
  // (I + m L^2) angle'' = -m g L cos(angle), and the reactions from it.
  const double alpha = -m * g * L * c / (I + m * L * L);
  expect_near(values(result, "v'"), Vector{{alpha * L * c, alpha * L * c, alpha}}, 1e-12, "v'");
  EXPECT_EQ(result.find("P")->columns, (std::vector<std::string>{"pendulum.vx", "pendulum.vy", "pendulum.omega"}));
  EXPECT_EQ(result.find("q")->rows, (std::vector<std::string>{"pendulum.x", "pendulum.y", "pendulum.angle"}));
  EXPECT_LT(result.motion_residual, 1e-14);
}

struct Case {
  std::string model, coordinates;
};

class ShowEquationsOf : public ::testing::TestWithParam<Case> {};

/// What every formulation must show, from M, P, Q and gamma alone.
TEST_P(ShowEquationsOf, EveryFormulationKeepsItsIdentities) {
  const auto model = load(models + GetParam().model + ".yaml");
  int shown = 0;
  for (const FormulationType& type : formulation_types()) {
    SCOPED_TRACE(type.name);
    EquationsResult r;
    try {
      r = show_equations(model, {.coordinates = GetParam().coordinates, .formulation = type.name}, {.at = 0.05});
    } catch (const InputError&) {
      continue;  // it does not take this model, and says why
    }
    ASSERT_TRUE(r.ok) << r.failure;
    ++shown;
    EXPECT_NEAR(r.time, 0.05, 1e-12);
    const Matrix &M = values(r, "M"), &P = values(r, "P");
    const Vector Q = values(r, "Q"), gamma = values(r, "gamma"), vdot = values(r, "v'"), lambda = values(r, "lambda");
    const double loose = type.traits.accuracy > 0 ? 1e-4 : 1e-9;
    expect_near(M * vdot + P.transpose() * lambda, Q, loose, "M v' + P^T lambda = Q");
    expect_near(P * vdot, gamma, loose, "P v' = gamma");
    const auto has = [&](const char* symbol) { return r.find(symbol) != nullptr; };
    if (has("V")) {
      const Matrix& V = values(r, "V");
      const Vector s = values(r, "s"), a = values(r, "a");
      EXPECT_EQ(V.cols(), P.cols() - r.rank);
      expect_near(P * V, Matrix::Zero(P.rows(), V.cols()), 1e-9, "P V = 0");
      expect_near(P * s, gamma, 1e-9, "P s = gamma");
      expect_near(values(r, "V^T M V"), V.transpose() * M * V, 1e-9, "V^T M V");
      expect_near(values(r, "V^T M V") * a, V.transpose() * (Q - M * s), 1e-9, "reduced equations");
      expect_near(V * a + s, vdot, 1e-9, "v' = V a + s");
      expect_near(values(r, "Q - M v'"), P.transpose() * lambda, 1e-9, "forces of constraints");
    }
    if (has("D")) {
      const Matrix &D = values(r, "D"), &plus = values(r, "D+");
      expect_near(values(r, "W") * values(r, "W").transpose() * M, Matrix::Identity(M.rows(), M.cols()), 1e-9,
                  "W W^T M");
      expect_near(P * values(r, "W"), D, 1e-9, "D = P W");
      expect_near(D * D.transpose(), P * M.llt().solve(P.transpose()), 1e-9, "D D^T = P M^-1 P^T");
      expect_near(D * plus * D, D, 1e-9, "D D+ D = D");
      expect_near(plus * D, (plus * D).transpose(), 1e-9, "D+ D symmetric");
      expect_near(values(r, "v'_f") + values(r, "W D+ (gamma - P v'_f)"), vdot, 1e-9, "v'");
    }
    if (has("P M^-1 P^T")) expect_near(values(r, "P M^-1 P^T"), P * M.llt().solve(P.transpose()), 1e-9, "P M^-1 P^T");
    if (has("E")) {
      const Matrix& E = values(r, "E");
      expect_near(E * E, E, 1e-9, "E E = E");
      expect_near(P * E, Matrix::Zero(P.rows(), P.cols()), 1e-9, "P E = 0");
      if (has("E^T M E")) {
        expect_near(values(r, "E^T M E"), E.transpose() * M * E, 1e-9, "E^T M E");
        expect_near(values(r, "P+ gamma") + values(r, "Z (Q - M P+ gamma)"), vdot, 1e-9, "v'");
      }
      if (has("[E^T M; P]"))
        expect_near(values(r, "[E^T M; P]+") * values(r, "[E^T (Q + C); gamma]"), vdot, 1e-9, "v'");
    }
    if (has("K")) {
      const Matrix& K = values(r, "K");
      expect_near(K.topLeftCorner(M.rows(), M.cols()), M, 1e-12, "M of K");
      expect_near(K.bottomLeftCorner(P.rows(), P.cols()), P, 1e-12, "P of K");
      if (has("K+")) expect_near(K * values(r, "K+") * K, K, 1e-8, "K K+ K = K");
    }
    if (has("H^T H")) {
      const Matrix &L = values(r, "L"), &H = values(r, "H");
      expect_near(L * L.transpose(), M, 1e-12, "L L^T = M");
      expect_near(L * H, P.transpose(), 1e-12, "L H = P^T");
    }
    if (has("M + P^T a P")) {
      const double a = values(r, "a")(0, 0);
      expect_near(values(r, "M + P^T a P"), M + a * P.transpose() * P, 1e-12, "M + P^T a P");
    }
    if (has("R")) expect_near(P * values(r, "R"), Matrix::Zero(P.rows(), P.cols() - r.rank), 1e-9, "P R = 0");
    if (has("[P; R^T M]"))
      expect_near(values(r, "[P; R^T M]") * vdot, values(r, "[gamma; R^T Q]"), 1e-9, "[P; R^T M] v'");
    if (has("z''")) {
      expect_near(values(r, "R^T M R"), values(r, "R").transpose() * M * values(r, "R"), 1e-9, "R^T M R");
      expect_near(values(r, "R") * values(r, "z''") + values(r, "S gamma"), vdot, 1e-9, "v' = R z'' + S gamma");
      expect_near(values(r, "B") * values(r, "R"), Matrix::Identity(P.cols() - r.rank, P.cols() - r.rank), 1e-9,
                  "B R = I");
    }
    if (has("p")) expect_near(values(r, "p"), M * values(r, "v") + P.transpose() * values(r, "sigma"), 1e-9, "p");
    if (has("y")) expect_near(values(r, "y"), values(r, "R").transpose() * M * values(r, "v"), 1e-9, "y = R^T M v");
    for (const auto* list : {&r.system, &r.formulated, &r.solution}) {
      for (const NamedMatrix& matrix : *list) {
        EXPECT_EQ(static_cast<Eigen::Index>(matrix.rows.size()), matrix.values.rows()) << matrix.symbol;
        EXPECT_TRUE(matrix.is_vector || static_cast<Eigen::Index>(matrix.columns.size()) == matrix.values.cols())
            << matrix.symbol;
      }
    }
  }
  EXPECT_GE(shown, 15);
}

INSTANTIATE_TEST_SUITE_P(Models, ShowEquationsOf,
                         ::testing::Values(Case{"four-bar", "reference-point"}, Case{"five-bar", "natural"},
                                           Case{"mcpherson", "reference-point"},
                                           Case{"mcpherson-overconstrained", "euler-parameters"},
                                           Case{"parallelogram-3", "relative"}),
                         [](const auto& tested) {
                           std::string name = tested.param.model + "_" + tested.param.coordinates;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

TEST(ShowEquations, RedundantRowsHaveVanishingPivotsWithNames) {
  const EquationsResult r = show_equations(load(models + "parallelogram-3.yaml"), {.coordinates = "reference-point"});
  ASSERT_TRUE(r.ok) << r.failure;
  EXPECT_EQ(r.rank, static_cast<int>(r.pivots.size()) - 1);
  EXPECT_LT(r.pivots[r.rank], 1e-12);
  EXPECT_GT(r.pivots[r.rank - 1], 1e-3);
  EXPECT_EQ(r.pivots.size(), static_cast<Eigen::Index>(r.pivot_rows.size()));
}

TEST(ShowEquations, OfAFormulationThatDoesNotTakeTheModelAreRefused) {
  EXPECT_THROW(show_equations(load(models + "parallelogram-3.yaml"), {.formulation = "lagrange-block"}), InputError);
}

TEST(ShowEquations, NamesOfAllCoordinatesAreDifferent) {
  for (const char* name : {"four-bar", "slider-crank", "mcpherson", "stewart", "sarrus"}) {
    for (const char* coordinates : {"reference-point", "natural", "relative"}) {
      SCOPED_TRACE(std::string(name) + " " + coordinates);
      const EquationsResult r = show_equations(load(models + name + ".yaml"), {.coordinates = coordinates});
      for (const char* symbol : {"q", "v", "Phi"}) {
        std::vector<std::string> names = r.find(symbol)->rows;
        std::sort(names.begin(), names.end());
        EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end())
            << symbol << ": " << *std::adjacent_find(names.begin(), names.end());
      }
    }
  }
}

// The equations of relative coordinates, which the program finds joint by joint, are those of bodies with R1.
TEST(VelocityTransformation, MakesTheEquationsOfRelativeCoordinates) {
  for (const char* name : {"four-bar", "mcpherson", "driven-slider-crank", "exudyn-joints"}) {
    SCOPED_TRACE(name);
    const EquationsResult result = show_equations(load(models + name + ".yaml"), {.coordinates = "relative"},
                                                  {.at = 0.1, .velocity_transformation = true});
    const Matrix& R1 = values(result, "R1");
    EXPECT_LT(values(result, "P1 R1").norm(), 1e-12 * R1.norm());
    EXPECT_LT(values(result, "P1 R1 (natural)").norm(), 1e-12 * R1.norm());
    expect_near(values(result, "R1^T M1 R1"), values(result, "M"), 1e-12, "M");
    expect_near(values(result, "R1^T (Q1 - M1 S1 c1)"), values(result, "Q"), 1e-11, "Q");
    expect_near(values(result, "P2 R1"), values(result, "P"), 1e-12, "P");
    expect_near(values(result, "gamma2 - P2 S1 c1"), values(result, "gamma"), 1e-11, "gamma");
  }
}

// Two rods in a row: a unit rate of the first turns both about the ground, one of the second its own alone.
TEST(VelocityTransformation, HasTheColumnsOfTheDrawing) {
  const EquationsResult result = show_equations(load(models + "double-pendulum.yaml"), {.coordinates = "relative"},
                                                {.velocity_transformation = true});
  const Matrix& R1 = values(result, "R1");
  ASSERT_EQ(R1.cols(), 2);
  ASSERT_EQ(R1.rows(), 6);
  EXPECT_EQ(R1(2, 0), 1);
  EXPECT_EQ(R1(5, 0), 1);
  EXPECT_EQ(R1.col(1).head(3).norm(), 0);  // not outboard of the second joint
  EXPECT_EQ(R1(5, 1), 1);
  EXPECT_THROW(show_equations(load(models + "double-pendulum.yaml"), {.coordinates = "natural"},
                              {.velocity_transformation = true}),
               InputError);
}

}  // namespace show_equations_test
}  // namespace bricard
