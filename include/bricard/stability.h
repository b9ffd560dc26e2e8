#pragma once

namespace bricard {

enum class Stability { stable, neutral, unstable };

}  // namespace bricard
