// A comparison as a table for the terminal, as CSV, as JSON, and as a report.
#pragma once

#include <string>

#include "bricard/compare.h"
#include "io/report/report.h"

namespace bricard {

std::string comparison_text(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
ReportData comparison_report(const std::shared_ptr<const Model>& model, const Comparison& comparison,
                             const std::string& command);

}  // namespace bricard
