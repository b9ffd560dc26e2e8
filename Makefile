# Bricard: `make run` simulates a mechanism, `make test` checks everything. Both set up what is missing.
# Also: command, build, packages, reproduce, docs-tables, docs-figures, bench, bench-check, install, test-fast, test-long, test-packages, test-memory, test-clang,
# test-plain, test-aarch64, fuzz, test-sanitize, test-sanitize-threads, format, lint, lint-changed, clean.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
JOBS  ?= $(shell nproc)

.PHONY: run test test-fast test-long test-packages test-memory test-clang test-plain test-aarch64 fuzz reproduce docs-tables docs-figures bench bench-check bench-evaluation test-sanitize test-sanitize-threads command build installed setup setup-tests \
        install packages format format-check lint lint-changed clean

run: command
	@mkdir -p out
	build/bricard run models/five-bar.yaml --output out/five-bar.csv

test: build
	ctest --test-dir build --output-on-failure --parallel $(JOBS)

# What takes less than a minute: the tests that are not labelled slow.
test-fast: build
	ctest --test-dir build --output-on-failure --parallel $(JOBS) --label-regex fast

# What takes longer (docs/testing.md): thousands of random mechanisms, every fault of every command, ten minutes of fuzzing.
MECHANISMS ?= 2000
SEED       ?= 1
test-long: build
	seq 1 $(JOBS) | xargs -P $(JOBS) -I{} build/tests/differential --count $(MECHANISMS) --seed $(SEED) --joints-twice --shard {}/$(JOBS)
	python3 bench/check.py
	python3 tests/clients/clients.py . build subdirectory shared
	$(MAKE) test-packages
	seq 1 22 | xargs -P $(JOBS) -I{} python3 tests/faults/faults.py build/bricard build/tests/libfail_nth.so models --all --part {}/22
	$(MAKE) fuzz

# The packages on a Debian 12 that has nothing else, made by debootstrap in a folder of its own; skipped without root.
test-packages: packages
	@[ "$$(id -u)" -ne 0 ] || scripts/install-packages tests/clients/packages.txt
	python3 tests/clients/clean_debian.py . out

# libFuzzer on what reads: FUZZ_SECONDS for each of five targets. What it finds is in out/fuzz; put it into tests/fuzz/corpus.
FUZZ_SECONDS ?= 120
FUZZ_TARGETS ?= model expression table sweep run
fuzz: setup
	@scripts/install-packages tests/fuzz/packages.txt
	cmake --preset fuzz
	cmake --build build-fuzz --target fuzzers --parallel $(JOBS)
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p out/fuzz/$$target && OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 build-fuzz/tests/fuzz_$$target -timeout=30 \
	    -rss_limit_mb=4096 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=out/fuzz/$$target- out/fuzz/$$target \
	    tests/fuzz/corpus/$$target || exit 1; done

# Every published table and figure beside ours, with a report.
reproduce: build
	@mkdir -p out
	build/bricard reproduce all --output out/papers.json --report out/papers.html

# The tables of numbers in docs/formulations.md, the options in docs/model-format.md and the schema, what pages show of
# the program, and docs/reproduce.md, written anew by running it.
docs-tables: build
	scripts/update-options
	scripts/update-tables
	scripts/update-examples
	scripts/update-reproduce

# The pictures of README.md and docs/, drawn anew (docs/performance.md: `make bench`).
docs-figures: command
	@scripts/install-packages tests/packages.txt
	@mkdir -p out
	build/bricard run models/five-bar.yaml --output out/five-bar.csv >/dev/null
	scripts/animate models/five-bar.yaml out/five-bar.csv --until 2.009715790884 --size 640x320 --output docs/five-bar.svg
	build/bricard run models/bricard.yaml --output out/bricard.csv >/dev/null
	scripts/animate models/bricard.yaml out/bricard.csv --until 4.9863 --trail P3 --view=25,20 --output docs/bricard.svg
	build/bricard run models/bricard.yaml --report out/bricard.html >/dev/null
	node scripts/report-picture.mjs out/bricard.html docs/report.png
	scripts/course-figures

# Valgrind over the corpora and some random mechanisms: memory errors without another build, in a minute or two.
VALGRIND := OPENBLAS_NUM_THREADS=1 valgrind --quiet --error-exitcode=9
test-memory: build
	@scripts/install-packages bench/check-packages.txt
	@for target in $(FUZZ_TARGETS); do $(VALGRIND) build/tests/fuzz_replay $$target tests/fuzz/corpus/$$target | tail -1 || exit 1; done
	$(VALGRIND) build/tests/differential --count 8 --seed 1 --no-shrink

# Address and undefined-behaviour sanitizers over the whole test suite. Counts of allocations are not those of a sanitizer.
test-sanitize: setup-tests
	cmake --preset sanitize
	cmake --build build-sanitize --target bricard bricard_tests bricard_extensions differential fuzz_replay --parallel $(JOBS)
	ctest --test-dir build-sanitize --output-on-failure --parallel $(JOBS) --exclude-regex 'Allocation|DoesNotAllocate|report_'

# The thread sanitizer over what has threads: batch and compare.
test-sanitize-threads: setup-tests
	cmake --preset sanitize-threads
	cmake --build build-sanitize-threads --target bricard bricard_tests --parallel $(JOBS)
	ctest --test-dir build-sanitize-threads --output-on-failure --parallel $(JOBS) --tests-regex '[Bb]atch|[Cc]ompar'

# Another compiler: everything that users get, without a warning, and a run of each kind of dynamics.
test-clang: setup
	@scripts/install-packages tests/compilers/clang.txt
	cmake --preset release -B build-clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DBRICARD_TESTS=OFF -DBRICARD_BENCH=OFF
	cmake --build build-clang --target bricard --parallel $(JOBS)
	python3 tests/compilers/same_motion.py build/bricard build-clang/bricard

# An x86-64 processor without AVX2 and fused multiply-adds, by QEMU.
test-plain: command
	@scripts/install-packages tests/compilers/qemu.txt
	python3 tests/compilers/same_motion.py build/bricard qemu-x86_64 -cpu Nehalem build/bricard

# 64-bit ARM: compiled here, its fast tests by QEMU.
test-aarch64: setup-tests
	@scripts/install-packages tests/compilers/qemu.txt
	@scripts/install-packages tests/compilers/aarch64.txt
	scripts/aarch64-sysroot build-aarch64/sysroot
	cmake --preset release -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64.cmake -DBRICARD_BENCH=OFF
	cmake --build build-aarch64 --target bricard bricard_tests --parallel $(JOBS)
	ctest --test-dir build-aarch64 --output-on-failure --parallel $(JOBS) --label-regex fast

# Beside Simbody, MuJoCo and DART: writes bench/results and docs/performance.md. `make bench ARGUMENTS=--quick` takes 3 minutes,
# `make bench ARGUMENTS=--auto` writes docs/auto.md alone: what `auto` chooses beside other settings.
bench: build
	@scripts/install-packages bench/packages.txt
	cmake --preset release
	cmake --build build --target bench_drivers --parallel $(JOBS)
	python3 bench/run.py $(ARGUMENTS)

# Instructions an evaluation within 2 %, evaluations of the shipped models within 3 % of those stored.
bench-check: build
	@scripts/install-packages bench/check-packages.txt
	python3 bench/check.py

# Cost of an evaluation against the size of a mechanism.
bench-evaluation: build
	@scripts/install-packages bench/packages.txt
	cmake --preset release
	cmake --build build --target bricard_bench --parallel $(JOBS)
	build/bench/bricard_bench

# The command alone, without what only tests, benchmarks and `bricard reproduce` need; where there is a build, that of it.
command: setup
	@[ -f build/build.ninja ] || cmake --preset release -DBRICARD_TESTS=OFF -DBRICARD_BENCH=OFF -DBRICARD_PAPERS=OFF
	cmake --build build --target bricard --parallel $(JOBS)

build: setup-tests
	cmake --preset release -DBRICARD_TESTS=ON -DBRICARD_BENCH=ON -DBRICARD_PAPERS=ON
	cmake --build build --parallel $(JOBS)

# What is installed: the command with the published tables, the library, the man page.
installed: setup
	cmake --preset release $(if $(wildcard build/build.ninja),,-DBRICARD_TESTS=OFF -DBRICARD_BENCH=OFF) -DBRICARD_PAPERS=ON
	cmake --build build --target bricard bricard_library man_page --parallel $(JOBS)

install: installed
	cmake --install build

# bricard.deb and libbricard-dev.deb in out/.
packages: installed
	cd build && cpack -B ../out

setup:
	@scripts/install-packages

setup-tests: setup
	@scripts/install-packages tests/packages.txt

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

format-check:
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror

# In the groups in which files are compiled: headers, of which there are many, are read once a group. Nothing is compiled.
lint: setup format-check
	cmake --preset release -B build-lint -DBRICARD_TESTS=OFF -DBRICARD_BENCH=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	scripts/lint-units build-lint | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build-lint

# The same for groups with files that have changed since SINCE.
SINCE ?= HEAD~1
lint-changed: setup
	cmake --preset release -B build-lint -DBRICARD_TESTS=OFF -DBRICARD_BENCH=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	files=$$(git diff --name-only --diff-filter=d $(SINCE) -- 'src/*.cpp' 'apps/*.cpp' 'papers/*.cpp'); [ -z "$$files" ] || \
	  scripts/lint-units build-lint $$files | xargs --no-run-if-empty -P $(JOBS) -n 1 clang-tidy --quiet -p build-lint

clean:
	rm -rf build build-clang build-aarch64 build-sanitize build-sanitize-threads build-fuzz build-lint out
