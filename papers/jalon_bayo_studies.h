// What chapter 5 concludes in words, measured: the book prints no numbers for these.
#pragma once

#include "papers/reproduction.h"

namespace bricard {

Reproduction jalon_bayo_stabilization(const ReproduceOptions& options);
Reproduction jalon_bayo_penalty(const ReproduceOptions& options);
Reproduction jalon_bayo_canonical(const ReproduceOptions& options);

}  // namespace bricard
