# Bricard: `make run` simulates a mechanism, `make test` checks everything. Both set up what is missing.
# Also: build, reproduce, docs-tables, bench, install, test-sanitize, format, lint, clean.
SHELL := /bin/bash
JOBS  ?= $(shell nproc)

.PHONY: run test reproduce docs-tables bench bench-evaluation test-sanitize build setup install format lint clean

run: build
	@mkdir -p out
	build/bricard run models/five-bar.yaml --output out/five-bar.csv

test: build
	ctest --test-dir build --output-on-failure --parallel $(JOBS)

# Every published table and figure beside ours, with a report.
reproduce: build
	@mkdir -p out
	build/bricard reproduce all --output out/papers.json --report out/papers.html

# The tables of numbers in docs/formulations.md, written anew by running the program.
docs-tables: build
	scripts/update-tables

# Address and undefined-behaviour sanitizers over the whole test suite.
test-sanitize: setup
	cmake --preset sanitize
	cmake --build build-sanitize --parallel $(JOBS)
	ctest --test-dir build-sanitize --output-on-failure --parallel $(JOBS)

# Beside Simbody, MuJoCo and DART: writes bench/results and docs/performance.md. `make bench ARGUMENTS=--quick` takes 3 minutes.
bench:
	@scripts/install-packages bench/packages.txt
	$(MAKE) build
	cmake --build build --target bench_drivers --parallel $(JOBS)
	python3 bench/run.py $(ARGUMENTS)

# Cost of an evaluation against the size of a mechanism.
bench-evaluation: build
	cmake --build build --target bricard_bench --parallel $(JOBS)
	build/bench/bricard_bench

build: setup
	cmake --preset release
	cmake --build build --parallel $(JOBS)

install: build
	cmake --install build

setup:
	@scripts/install-packages

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

# File by file, as clang-tidy wants them; nothing is compiled.
lint: setup
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror
	cmake --preset release -B build-lint -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build-lint

clean:
	rm -rf build build-sanitize build-lint out
