"""What pages show must not hang on the processor: motions that are lost end as rounding has it, and OpenBLAS rounds differently
by kernel. Importing this takes one kernel for all programs that are run from here, where the processor has it (AVX2)."""
import os

try:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as stream:
        HAS_AVX2 = "avx2" in stream.read()
except OSError:
    HAS_AVX2 = False
if HAS_AVX2:
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"
