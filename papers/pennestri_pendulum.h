// Pennestri and Valentini, section 8: seven ways to the accelerations of a pendulum.
#pragma once

#include "papers/reproduction.h"

namespace bricard {

Reproduction pennestri_table_2(const ReproduceOptions& options);
Reproduction pennestri_figures(const ReproduceOptions& options);

}  // namespace bricard
