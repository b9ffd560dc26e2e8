// Modes as a report: the mechanism moving in each of its modes, eigenvalues in the plane, tables.
#pragma once

#include "analyses/linear/modes.h"
#include "io/report/report.h"

namespace bricard {

ReportData modes_report(const std::shared_ptr<const Model>& model, const Modes& modes, const std::string& command);

}  // namespace bricard
