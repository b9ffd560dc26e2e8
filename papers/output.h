// Reproduced tables as text for the terminal, as JSON, and as a report.
#pragma once

#include <string>
#include <vector>

#include "io/report/report.h"
#include "papers/reproduction.h"

namespace bricard {

std::string reproduction_text(const Reproduction& reproduction);
std::string reproductions_json(const std::vector<Reproduction>& reproductions);
ReportData reproductions_report(const std::vector<Reproduction>& reproductions, const std::string& command);

}  // namespace bricard
