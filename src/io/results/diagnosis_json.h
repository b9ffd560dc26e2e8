// A diagnosis for machines.
#pragma once

#include <string>

#include "bricard/diagnosis.h"
#include "bricard/model.h"

namespace bricard {

/// One JSON object: coordinates constraints rank degrees_of_freedom redundant reactions consistent messages, and more.
std::string diagnosis_json(const Model& model, const Diagnosis& diagnosis);

}  // namespace bricard
