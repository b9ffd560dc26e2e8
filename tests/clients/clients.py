#!/usr/bin/env python3
"""Builds the client program of README.md in an empty folder, as its users would, and runs it.

    clients.py SOURCE_DIR BUILD_DIR WAY..     find-package, pkg-config, deb, subdirectory, shared (compile the library: minutes),
                                              extend: the types of tests/extensions against the installed library instead
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LISTS = {
    "find-package": "find_package(Bricard 0.2 REQUIRED)",
    "subdirectory": "add_subdirectory({source} bricard)",
}
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(client LANGUAGES CXX C)
{get}
add_executable(client client.cpp)
target_link_libraries(client PRIVATE Bricard::bricard)
"""
EXTENSIONS = """cmake_minimum_required(VERSION 3.22)
project(extensions LANGUAGES CXX C)
find_package(Bricard 0.2 REQUIRED)
find_package(GTest REQUIRED)
add_executable(client {files})
target_link_libraries(client PRIVATE Bricard::extend GTest::gtest_main)
"""
# What headers of the engine may ask of a program beside the library: no solver.
FOREIGN = re.compile(r"Eigen/(Core|Dense|Geometry|Sparse)|gtest/gtest\.h|[a-z_]+")


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def by_cmake(way, source, folder, prefix=None):
    (folder / "CMakeLists.txt").write_text(PROJECT.format(get=LISTS[way].format(source=source)))
    words = ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run(*words, *([f"-DCMAKE_PREFIX_PATH={prefix}"] if prefix else []))
    if way == "subdirectory":
        leaks(folder / "build")
    run("cmake", "--build", folder / "build")
    return folder / "build/client"


def leaks(build):
    """What a client must not get: a unity build, warnings as errors, tests, benchmarks, the command and its Node.js."""
    cache = (build / "CMakeCache.txt").read_text()
    for word in ("CMAKE_UNITY_BUILD", "NODE:", "NPM:", "GTest_DIR", "benchmark_DIR", "CLI11_DIR"):
        if re.search(rf"^{word}", cache, re.M):
            sys.exit(f"{word} of Bricard is in the client's cache")
    compile_client = (build / "build.ninja").read_text().split("client.dir/client.cpp.o:")[1].split("\n\n")[0]
    for word in ("-Werror", "-Wshadow", "Unity", "-O1"):
        if word in compile_client:
            sys.exit(f"the client is compiled with {word}")


def shared_library(source, folder):
    """Where it is installed: compiled as one of its users would, without command and tests."""
    options = [f"-DBRICARD_{part}=OFF" for part in ("COMMAND", "REPORT", "PAPERS", "TESTS", "BENCH")]
    run("cmake", "-S", source, "-B", folder / "library", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON", *options)
    run("cmake", "--build", folder / "library")
    run("cmake", "--install", folder / "library", "--prefix", folder / "installed")
    return folder / "installed"


def by_pkg_config(folder, prefix):
    flags = pkg_config(prefix, "bricard", "--cflags", "--libs").split()
    run("g++", "-std=c++20", "-O1", folder / "client.cpp", "-o", folder / "client", *flags)
    return folder / "client"


def check_includes(prefix):
    """Every header that an installed header includes is installed, or belongs to Eigen, GoogleTest or the language."""
    front = prefix / "include"
    engine = front / "bricard/engine"
    headers = sorted((front / "bricard").rglob("*.h"))
    for header in headers:
        for bracket, name in re.findall(r'^#include ([<"])([^>"]+)[>"]', header.read_text(), re.M):
            there = (front / name).exists() or (engine / name).exists() if bracket == '"' else FOREIGN.fullmatch(name)
            if not there:
                sys.exit(f"{header.relative_to(front)} includes {name}, which is not installed")
            if engine not in header.parents and header.name != "testing.h" and (engine / name).exists():
                sys.exit(f"{header.relative_to(front)}, of the front door, includes {name} of the engine")
    print(f"{len(headers)} headers are installed, {len(list(engine.rglob('*.h')))} of them the engine's, and include no others")


def extensions(source, folder, prefix):
    """By find_package; one file also by pkg-config."""
    check_includes(prefix)
    files = sorted((source / "tests/extensions").glob("*.cpp"))
    (folder / "CMakeLists.txt").write_text(EXTENSIONS.format(files=" ".join(map(str, files))))
    run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    told = run(folder / "build/client")
    flags = pkg_config(prefix, "bricard-extend", "--cflags").split()
    run("g++", "-std=c++20", "-fsyntax-only", source / "tests/extensions/drag.cpp", *flags)
    return re.search(r"\[  PASSED  \] (\d+) tests", told)[1]


def pkg_config(prefix, name, *words):
    library = next(prefix.rglob("bricard.pc")).parent
    return run("pkg-config", *words, name, env={**os.environ, "PKG_CONFIG_PATH": str(library)})


def readme_program(source):
    return re.search(r"## Use it as a library.*?```cpp\n(.*?)```", (source / "README.md").read_text(), re.S)[1]


def stroke_told(text):
    """What that program prints, if it is right: its crank is 0.1 m long."""
    stroke = float(re.search(r"stroke ([\d.]+)", text)[1])
    if abs(stroke - 0.2) > 1e-6:
        sys.exit(f"the stroke is {stroke} m")
    return stroke


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    program = readme_program(source)
    with tempfile.TemporaryDirectory(prefix="bricard-clients-") as place:
        place = Path(place)
        installed = place / "installed"
        for way in sys.argv[3:]:
            folder = place / way
            folder.mkdir()
            (folder / "client.cpp").write_text(program)
            if way == "subdirectory":
                client = by_cmake(way, source, folder)
            elif way == "shared":
                client = by_cmake("find-package", source, folder, shared_library(source, folder))
                if "libbricard.so" not in run("readelf", "-d", client):
                    sys.exit("the client is not linked with the shared library")
            elif way == "deb":
                run("cpack", "-G", "DEB", "-B", folder, cwd=build)
                for package in folder.glob("*.deb"):
                    run("dpkg", "-x", package, folder / "root")
                shutil.copy(folder / "client.cpp", place / "client.cpp")
                client = by_cmake("find-package", source, folder, folder / "root/usr")
                command = run(folder / "root/usr/bin/bricard", "--version")
                if not command.strip():
                    sys.exit("the packaged command does not tell its version")
            else:
                if not installed.exists():
                    run("cmake", "--install", build, "--prefix", installed)
                if way == "extend":
                    print(f"{way}: builds, {extensions(source, folder, installed)} tests pass")
                    continue
                client = by_pkg_config(folder, installed) if way == "pkg-config" else by_cmake(way, source, folder, installed)
            print(f"{way}: builds, runs, the stroke is {stroke_told(run(client))} m")


if __name__ == "__main__":
    main()
