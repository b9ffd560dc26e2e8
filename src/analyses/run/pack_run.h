// Runs in the lanes of one Lanes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analyses/run/prepare_run.h"

namespace bricard {

/// True if prepared runs may be lanes of one pack.
bool fits_lanes(const PreparedRun& run);
bool fit_together(const PreparedRun& a, const PreparedRun& b);

/// Results of up to Pack::lanes runs that fit together; none if they have to run one by one: their structures differ,
/// or something happened that needs the care which simulate() takes (a singular position, steps that fail).
/// `interrupted`: see SimulationOptions.
std::vector<SimulationResult> run_in_lanes(std::vector<PreparedRun> runs,
                                           const std::function<bool()>& interrupted = {});

}  // namespace bricard
