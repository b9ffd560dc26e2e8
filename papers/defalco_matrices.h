// What de Falco, Pennestri and Vita say of pseudoinverses apart from their runs.
#pragma once

#include "papers/reproduction.h"

namespace bricard::reproduce {

/// Opinions of students: a page.
Reproduction defalco_table_1(const ReproduceOptions& options);
/// Operations that D+ takes, counted by the program.
Reproduction defalco_flops(const ReproduceOptions& options);
/// Every pseudoinverse on D of the five-bar, whose rank is deficient, with two orders of its bodies; then motions.
Reproduction defalco_as_printed(const ReproduceOptions& options);

}  // namespace bricard::reproduce
