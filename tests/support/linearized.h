// A model, assembled and linearised where it starts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <map>

#include "analyses/assembly/assembly.h"
#include "analyses/linear/linearization.h"
#include "bricard/load.h"

namespace bricard::testing_support {

using Complex = std::complex<double>;

inline Linearization linearized(const std::shared_ptr<const Model>& model,
                                const std::vector<std::string>& independent = {}) {
  const CoordinatesType& coordinates = *find_coordinates_type("reference-point");
  const Assembly assembly = assemble(model, coordinates);
  EXPECT_TRUE(assembly.ok) << assembly.message;
  System system(model, coordinates);
  start_at(system, assembly);
  return linearize(system, 0, assembly.q, assembly.v, {.independent = independent, .states = {}});
}

inline Linearization linearized(const std::string& text, const std::vector<std::string>& independent = {}) {
  return linearized(load_text("bricard: 1\n" + text, "test"), independent);
}

inline Linearization linearized_file(const std::string& name, const std::map<std::string, std::string>& parameters = {},
                                     const std::vector<std::string>& independent = {}) {
  return linearized(load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml", {.parameters = parameters}), independent);
}

/// How far the nearest eigenvalue of A is from a number.
inline double distance_to_spectrum(const Linearization& linear, Complex number) {
  const Eigen::VectorXcd eigenvalues = linear.A.eigenvalues();
  return (eigenvalues.array() - number).abs().minCoeff();
}

/// Largest difference relative to the largest expected entry; infinite for other sizes.
inline double relative_difference(const Matrix& found, const Matrix& expected) {
  if (found.rows() != expected.rows() || found.cols() != expected.cols())
    return std::numeric_limits<double>::infinity();
  return (found - expected).cwiseAbs().maxCoeff() / std::max(expected.cwiseAbs().maxCoeff(), 1e-300);
}

}  // namespace bricard::testing_support
