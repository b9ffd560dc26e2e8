// Where libFuzzer begins; FUZZ_TARGET is one of targets.h.
#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bricard::fuzz::FUZZ_TARGET(data, size);
}
