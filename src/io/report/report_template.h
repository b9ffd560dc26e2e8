// The page of a report without its data, bundled from web/report when Bricard is built.
#pragma once

#include <string_view>
#include <vector>

namespace bricard {

/// Its pieces in order; the data goes between the first and the second part.
struct ReportTemplate {
  std::vector<std::string_view> before, after;
};
const ReportTemplate& report_template();

}  // namespace bricard
