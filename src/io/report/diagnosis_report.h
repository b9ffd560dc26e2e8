// A diagnosis as a report: the mechanism as it was assembled, what was found in words, and the reactions' marks.
#pragma once

#include "bricard/diagnosis.h"
#include "io/report/report.h"

namespace bricard {

ReportData diagnosis_report(const std::shared_ptr<const Model>& model, const Diagnosis& diagnosis,
                            const std::string& command);

}  // namespace bricard
