// Parts of a report's JSON.
#pragma once

#include <vector>

#include "io/report/report.h"
#include "io/results/json_writer.h"

namespace bricard {

/// What the animation draws: bodies, joints and springs, with places and directions in the frames of the bodies.
void put_mechanism(JsonWriter& json, const Model& model, const std::vector<ReportPlacement>& placements);

/// Time series, in base64 of little-endian numbers: 32-bit floating point, or 16-bit integers between two limits
/// where that would make the file too large.
void put_series(JsonWriter& json, const ReportSeries& series);

}  // namespace bricard
