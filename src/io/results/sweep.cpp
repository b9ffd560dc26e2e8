#include "io/results/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bricard/load.h"
#include "io/model/model_file.h"

namespace bricard {
namespace {

/// Value k of a sweep as an expression.
std::string value_text(const Sweep& sweep, int k) {
  if (k == 0) return sweep.from;
  if (k == sweep.count - 1) return sweep.to;
  return fmt::format("({0}) + (({1}) - ({0}))*{2}/{3}", sweep.from, sweep.to, k, sweep.count - 1);
}

}  // namespace

Sweep read_sweep(const std::string& text) {
  const auto bad = [&] {
    return InputError(fmt::format("--sweep {}: expected NAME=FROM:TO:COUNT, for example L=0.5:1.5:11", text));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) throw bad();
  Sweep sweep{text.substr(0, equals), text.substr(equals + 1), "", 1};
  const std::size_t first = sweep.from.find(':');
  if (first == std::string::npos) {
    sweep.to = sweep.from;
    return sweep;
  }
  const std::size_t second = sweep.from.find(':', first + 1);
  if (second == std::string::npos) throw bad();
  const std::string count = sweep.from.substr(second + 1);
  const char* const end = count.data() + count.size();
  const auto [stop, error] = std::from_chars(count.data(), end, sweep.count);
  sweep.to = sweep.from.substr(first + 1, second - first - 1);
  sweep.from = sweep.from.substr(0, first);
  if (error != std::errc() || stop != end || sweep.count < 1 || sweep.from.empty() || sweep.to.empty()) throw bad();
  return sweep;
}

std::vector<SweptModel> load_sweep(const std::string& file, const std::map<std::string, std::string>& parameters,
                                   const std::vector<Sweep>& sweeps) {
  constexpr double most = 1e6;
  double total = 1;
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    total *= sweeps[s].count;
    for (std::size_t other = 0; other < s; ++other) {
      if (sweeps[s].name == sweeps[other].name)
        throw InputError(fmt::format("--sweep {}: the parameter is swept twice", sweeps[s].name));
    }
    if (parameters.contains(sweeps[s].name))
      throw InputError(fmt::format("--sweep {}: the parameter is set by --set as well", sweeps[s].name));
  }
  if (total > most) throw InputError(fmt::format("{:g} runs are more than the {:g} that are possible", total, most));

  std::vector<SweptModel> models(static_cast<std::size_t>(total));
  const auto options_of = [&](std::size_t run) {
    LoadOptions options{parameters};
    std::size_t rest = run;
    for (std::size_t s = sweeps.size(); s-- > 0;) {
      const auto count = static_cast<std::size_t>(sweeps[s].count);
      options.parameters[sweeps[s].name] = value_text(sweeps[s], static_cast<int>(rest % count));
      rest /= count;
    }
    return options;
  };
  const auto keep_values = [&](const std::vector<std::pair<std::string, double>>& known, SweptModel& swept) {
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
      for (const auto& [name, value] : known) {
        if (name == sweeps[s].name) swept.values[s] = value;
      }
    }
  };
  const ModelFile model_file = ModelFile::read(file);
  for (std::size_t run = 0; run < models.size(); ++run) {
    SweptModel& swept = models[run];
    swept.values.assign(sweeps.size(), unset);
    try {
      swept.model = model_file.load(options_of(run));
      keep_values(swept.model->parameters, swept);
    } catch (const InputError& error) {
      swept.failure = error.what();
    }
  }
  if (std::none_of(models.begin(), models.end(), [](const SweptModel& swept) { return swept.model != nullptr; }))
    throw InputError(models.front().failure);
  // Points without a model keep their values; now it is known that the file can be read.
  for (std::size_t run = 0; run < models.size(); ++run) {
    if (!models[run].model) keep_values(model_file.parameter_values(options_of(run)), models[run]);
  }
  return models;
}

}  // namespace bricard
