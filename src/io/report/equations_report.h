// The equations of an instant as a report: each matrix beside its formula and source.
#pragma once

#include "bricard/equations.h"
#include "io/report/report.h"

namespace bricard {

ReportData equations_report(const std::shared_ptr<const Model>& model, const EquationsResult& equations,
                            const std::string& command);

}  // namespace bricard
