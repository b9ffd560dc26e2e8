// Hot loops are compiled twice: for every processor, and with the fused multiply-adds that most of them have.
#pragma once

namespace bricard {

#if defined(__x86_64__) && defined(__GNUC__)
#define BRICARD_FUSED __attribute__((target("avx2,fma"), flatten))
inline bool processor_has_fused() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
#define BRICARD_FUSED
inline bool processor_has_fused() { return false; }
#endif

}  // namespace bricard
