// Pennestri and Valentini, section 6.1: reduced matrices of a gear train with two motors.
#pragma once

#include "papers/reproduction.h"

namespace bricard {

Reproduction pennestri_gear_train(const ReproduceOptions& options);

}  // namespace bricard
