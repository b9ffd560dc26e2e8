// What a report says of a run and of a diagnosis.
#pragma once

#include "bricard/diagnosis.h"
#include "bricard/simulate.h"
#include "io/report/report.h"
#include "io/report/report_sink.h"

namespace bricard {

/// The columns of a run in groups, with units, and marks of uniqueness for reactions; adds energy.change.
ReportSeries report_series(const Model& model, const Structure& structure, const ReportSink& sink);

/// Least, greatest and root-mean-square value of every reaction, and whether it is unique.
ReportTable reaction_table(const Model& model, const Structure& structure, const ReportSink& sink);

/// A report of a run: everything but the command and the summary's lines.
ReportData run_report(const std::shared_ptr<const Model>& model, const Summary& summary, const ReportSink& sink);

/// Adds what `bricard check` finds: dependent groups, reactions, proposals.
void add_diagnosis(ReportData& report, const Diagnosis& diagnosis);

}  // namespace bricard
