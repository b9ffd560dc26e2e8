#include "analyses/choice/pseudoinverse_fit.h"

#include <fmt/format.h>

#include "analyses/choice/automatic.h"
#include "analyses/run/run_options.h"
#include "bricard/input_error.h"
#include "bricard/method.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {
namespace {

/// Squares of a condition of 1e5 cost as many digits.
constexpr double largest_error = 1e-6;

/// v' at an instant; empty if the formulation fails.
Vector accelerations(System& system, const Method& method, const FormulationType& type, const Equations& eq) {
  const auto formulation = type.create(eq, formulation_options(system, method, type, 0));
  Vector vdot(eq.velocities()), lambda(eq.rows());
  const bool ok =
      formulation->factorize(eq) == Status::ok && formulation->solve(eq.Q, eq.gamma, vdot, lambda) == Status::ok;
  return ok ? vdot : Vector();
}

}  // namespace

void refuse_idle_options(const Method& method, const FormulationType& formulation) {
  read_greville_changes(method.greville);
  const PseudoinverseType& type = *find_pseudoinverse_type(method.pseudoinverse);
  const bool has_threshold = method.threshold_kind == "absolute" || method.threshold_fixed.value_or(false);
  const bool has_changes = method.greville != "all";
  if (!has_threshold && !has_changes) return;
  const char* option = has_changes                           ? "greville"
                       : method.threshold_kind == "absolute" ? "threshold kind"
                                                             : "threshold fixed";
  if (!formulation.traits.pseudoinverse) {
    throw InputError(fmt::format(
        "{} is an option of pseudoinverses, and formulation '{}' uses none; use for example 'udwadia-kalaba'", option,
        formulation.name));
  }
  if (has_changes && type.name != std::string("greville")) {
    throw InputError(fmt::format("greville is an option of pseudoinverse 'greville', not of '{}'", type.name));
  }
  if (has_threshold && !type.traits.decides_rank) {
    throw InputError(
        fmt::format("{}: pseudoinverse '{}' has no threshold, it takes the rank for full", option, type.name));
  }
}

std::string pseudoinverse_misfit(System& system, const Structure& s, const Method& method, ConstVector q,
                                 ConstVector v) {
  const FormulationType& formulation = *find_formulation_type(method.formulation);
  const PseudoinverseType& type = *find_pseudoinverse_type(method.pseudoinverse);
  if (!formulation.traits.pseudoinverse || type.traits.any_rank) return {};
  const char* instead = "use 'svd'; with --rescue off it is taken all the same";
  if (s.rank < s.constraints) {
    return fmt::format("pseudoinverse '{}' cannot be used here: it needs matrices of full rank, and {}; {}", type.name,
                       redundancy(s), instead);
  }
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  Method sure = method;
  sure.pseudoinverse = FormulationOptions().pseudoinverse;
  const Vector expected = accelerations(system, sure, formulation, eq),
               found = accelerations(system, method, formulation, eq);
  if (expected.size() == 0) return {};  // the formulation's own matter
  if (found.size() == 0)
    return fmt::format(
        "pseudoinverse '{}' cannot be used here: it fails on matrices of formulation '{}' at the start; {}", type.name,
        formulation.name, instead);
  // At rest accelerations may be rounding alone: beside those that forces would give without constraints.
  const double free = eq.Q.cwiseQuotient(Vector(eq.M.diagonal()).cwiseMax(1e-300)).norm();
  const double error = (found - expected).norm() / std::max({expected.norm(), free, 1e-300});
  if (error < largest_error || (found - expected).norm() == 0) return {};
  return fmt::format(
      "pseudoinverse '{}' cannot be used here: with formulation '{}' its accelerations at the start are off by {:.2g} "
      "of "
      "them; {}",
      type.name, formulation.name, error, instead);
}

}  // namespace bricard
