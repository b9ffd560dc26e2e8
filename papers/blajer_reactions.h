// Blajer, Schiehlen and Schirm, section 5: physical reactions by the schemes (35), (37) and (38).
#pragma once

#include "papers/reproduction.h"

namespace bricard {

Reproduction blajer_reactions(const ReproduceOptions& options);

}  // namespace bricard
