// What is fuzzed: each takes any bytes. Bad input is answered by the exception that its function documents; every other
// exception, a crash, a sanitizer's report or no end is a finding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bricard::fuzz {

int model(const std::uint8_t* data, std::size_t size);       // model files
int expression(const std::uint8_t* data, std::size_t size);  // formulas, with values and derivatives
int table(const std::uint8_t* data, std::size_t size);       // tables of motions (CSV)
int sweep(const std::uint8_t* data, std::size_t size);       // NAME=FROM:TO:COUNT
int run(const std::uint8_t* data, std::size_t size);         // small models: the first byte chooses a method

}  // namespace bricard::fuzz
