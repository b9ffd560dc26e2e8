#!/usr/bin/env python3
"""The front door: headers of include/bricard need nothing but each other, the standard library and dense Eigen.

All but testing.h, which is for tests of types that programs add: it needs headers of the engine, and GoogleTest.

    front_door.py SOURCE_DIR COMPILER EIGEN_INCLUDE_DIR
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EIGEN = {"Eigen/Core", "Eigen/Geometry"}


def problems_of(header, names, include, compiler, eigen):
    found = []
    for bracket, name in re.findall(r'^#include ([<"])([^>"]+)[>"]', header.read_text(), re.M):
        known = name in names if bracket == '"' else name in EIGEN or re.fullmatch(r"[a-z_]+", name)
        if not known:
            found.append(f"{header.name} includes {name}")
    compiled = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", include, "-isystem", eigen, "-"],
        input=f'#include "bricard/{header.name}"\n', capture_output=True, text=True)
    if compiled.returncode != 0:
        found.append(f"{header.name} does not compile alone:\n{compiled.stderr}")
    return found


def main():
    root, compiler, eigen = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    include = root / "include"
    headers = sorted(header for header in (include / "bricard").glob("*.h") if header.name != "testing.h")
    names = {f"bricard/{header.name}" for header in headers}
    with ThreadPoolExecutor(2) as pool:
        problems = sum(pool.map(lambda header: problems_of(header, names, include, compiler, eigen), headers), [])
    whole = (include / "bricard/bricard.h").read_text()
    problems += [f"bricard.h leaves out {name}" for name in sorted(names - {"bricard/bricard.h"}) if f'"{name}"' not in whole]
    print("\n".join(problems) or f"{len(headers)} headers, each complete by itself")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
