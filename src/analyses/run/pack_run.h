// Runs in the lanes of one Lanes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyses/run/prepare_run.h"

namespace bricard {

/// About how many times the runs of one by one are done in the same time in lanes; forces and drives are not shared.
double lanes_gain(const System& system);
/// Why a prepared run can be no lane, or would gain nothing; empty if it can.
std::string lanes_misfit(const PreparedRun& run);
/// True if such runs may be lanes of one pack.
bool fit_together(const PreparedRun& a, const PreparedRun& b);

/// Prepares a run that is to join one of its structure. What that one's method was chosen for at its start is taken to
/// hold here where nothing but weight acts, which makes no motion stiff; whether it does is told by the steps.
PreparedRun prepare_like(const PreparedRun& first, const std::shared_ptr<const Model>& model, const Method& method);

/// Results of up to Pack::lanes runs that fit together; none if they have to run one by one: their structures differ,
/// or something happened that needs the care which simulate() takes (a singular position, steps that fail).
/// `interrupted`: see SimulationOptions.
std::vector<SimulationResult> run_in_lanes(std::vector<PreparedRun> runs,
                                           const std::function<bool()>& interrupted = {});

}  // namespace bricard
