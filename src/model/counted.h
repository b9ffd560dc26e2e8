// "1 row", "3 rows"
#pragma once

#include <fmt/format.h>

#include <string>

namespace bricard {

inline std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace bricard
