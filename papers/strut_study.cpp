#include "papers/strut_study.h"

#include <map>
#include <mutex>
#include <tuple>

#include "papers/shipped_models.h"

namespace bricard::reproduce {
namespace {

constexpr std::array<const char*, 2> models = {"mcpherson", "mcpherson-overconstrained"};
constexpr std::array<const char*, 3> stabilizations = {"none", "baumgarte", "partitioning"};

/// "Direct" solves (10) where the matrix is regular, and needs the pseudoinverse (11) where it is not.
std::string formulation_of(Strut strut, int method) {
  static const std::array<const char*, 4> others = {"udwadia-kalaba", "least-squares-1", "least-squares-2",
                                                    "udwadia-phohomsiri"};
  if (method > 0) return others[static_cast<std::size_t>(method - 1)];
  return strut == Strut::simplified ? "lagrange" : "lagrange-pseudoinverse";
}

/// Coordinates are partitioned once, the independent ones alone are integrated, and NormTol of the Newton-Raphson
/// iterations is three orders of magnitude below the tolerance.                                            [section 4.1]
void take_partitioning_as_state(Method& method) {
  if (method.stabilization != "partitioning") return;
  method.stabilization = "none";
  method.state = "independent";
  method.partition = "once";
  method.position_tolerance = method.tolerance / 1000;
}

StrutStudy compute(const ReproduceOptions& options) {
  StrutStudy study;
  study.duration = options.fast ? 1 : 10;
  study.tolerances = options.fast ? std::vector<double>{1e-6, 1e-3} : std::vector<double>{1e-10, 1e-8, 1e-6, 1e-3};
  for (int strut = 0; strut < 2; ++strut) {
    const auto model = shipped_model(models[strut]);
    CompareOptions compared;
    compared.coordinates = {"euler-zxz"};
    for (int method = 0; method < strut_methods; ++method)
      compared.formulations.push_back(formulation_of(static_cast<Strut>(strut), method));
    compared.stabilizations.assign(stabilizations.begin(), stabilizations.end());
    compared.integrators = {"dopri5"};
    compared.dynamics = {options.dynamics};
    compared.complete = take_partitioning_as_state;
    compared.tolerances = study.tolerances;
    compared.common.duration = study.duration;
    compared.common.output_step = 0.1;
    compared.common.alpha = compared.common.beta = 10;
    compared.repeats = options.fast ? 0 : std::min(options.repeats, 2);
    Method reference = compared.common;
    reference.tolerance = 1e-12;
    simulate(model, reference, study.references[strut]);
    compared.reference = &study.references[strut];
    if (options.progress) {
      compared.progress = [&](double fraction, const std::string& what) {
        options.progress((strut + fraction) / 2, models[strut] + (" " + what));
      };
    }
    study.comparisons[strut] = compare(model, compared);
  }
  return study;
}

}  // namespace

const ComparedRun* StrutStudy::find(const StrutFigure& figure, int method, double tolerance) const {
  Method asked;
  asked.formulation = formulation_of(figure.strut, method);
  asked.stabilization = stabilizations[static_cast<std::size_t>(figure.stabilization)];
  asked.tolerance = tolerance;
  take_partitioning_as_state(asked);
  for (const ComparedRun& run : comparisons[static_cast<std::size_t>(figure.strut)].runs) {
    if (run.completed() && run.asked.formulation == asked.formulation && run.asked.tolerance == tolerance &&
        run.asked.stabilization == asked.stabilization && run.asked.state == asked.state)
      return &run;
  }
  return nullptr;
}

const StrutStudy& strut_study(const ReproduceOptions& options) {
  static std::mutex guard;
  static std::map<std::tuple<bool, int, std::string>, StrutStudy> known;
  const std::lock_guard lock(guard);
  const std::tuple key(options.fast, options.repeats, options.dynamics);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, compute(options)).first->second;
}

}  // namespace bricard::reproduce
