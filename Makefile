# Every job in one word. Each sets up what it needs in .venv; PYTHON=python3.12 picks another one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNELS := src/halfwidth/resampling/kernels
C_FILES := $(wildcard $(KERNELS)/c/*.c $(KERNELS)/c/*.h) $(KERNELS)/shared_library.py
INSTALL_PLAIN = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e
# Where there is no C compiler, a wheel that is one; where that cannot be had, NumPy does the work.
COMPILER := $(shell command -v cc || command -v gcc || command -v clang)
INSTALL = $(if $(COMPILER),,HALFWIDTH_ZIG=1 )$(INSTALL_PLAIN)
# Modules and rewritten tests are compiled once, whatever the shell says, and not by every process.
export PYTHONDONTWRITEBYTECODE :=
C_WARNINGS := -std=c11 -O2 -Wall -Wextra -Werror -ffp-contract=off -fPIC -shared
# Platforms that zig compiles for from anywhere.
ZIG_TARGETS := aarch64-macos x86_64-macos x86_64-windows-gnu x86_64-linux-musl aarch64-linux-musl

.PHONY: help demo test test-near test-slow test-plain same-as c-compilers c-sanitize lint format bench bench-study docs golden clean

help:
	@echo "make demo      from masks and models to intervals, comparisons and a report"
	@echo "make test      the tests, in minutes"
	@echo "make test-near FILE=src/halfwidth/...  the tests that concern a file"
	@echo "make test-slow the rest: slow tests, and property tests with all their examples"
	@echo "make test-plain  the kernels' tests without the C library"
	@echo "make same-as REF=COMMIT  what answers otherwise than that commit, of 930 calls"
	@echo "make lint      formatting, lint, types, layers"
	@echo "make format    put the code into shape"
	@echo "make bench     ratios against what one would use instead"
	@echo "make bench-study  what the study engine costs"
	@echo "make c-compilers  the C files with gcc, clang and, for other platforms, zig"
	@echo "make c-sanitize  the kernels' tests under address and undefined-behaviour sanitizers"
	@echo "make docs      the documentation as pages, in site/"
	@echo "make golden    write the golden files anew, to be read in the diff"
	@echo "make clean     remove .venv and what tools leave behind"

$(VENV)/.demo: pyproject.toml constraints.txt hatch_build.py $(C_FILES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "halfwidth needs Python 3.11 or newer; set PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[demo]" || $(INSTALL_PLAIN) ".[demo]"
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(INSTALL) ".[dev,docs]" || $(INSTALL_PLAIN) ".[dev,docs]"
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/halfwidth demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "not slow" --durations=20

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "slow or hypothesis" --hypothesis-profile=thorough --durations=40

KERNEL_TESTS := tests/core/test_rng.py tests/resampling tests/oracles/test_compiled_paths.py

test-near: $(VENV)/.dev
	@test -n "$(FILE)" || { echo "which file? make test-near FILE=src/halfwidth/..." >&2; exit 2; }
	$(BIN)/python -m pytest -n 2 -m "not slow" $$($(BIN)/python tools/tests_near.py $(FILE))

test-plain: $(VENV)/.dev
	HALFWIDTH_NO_C=1 $(BIN)/python -m pytest -n 2 -m "not slow" $(KERNEL_TESTS) tests/oracles tests/properties

# ONLY='compare *' makes some of the calls.
same-as: $(VENV)/.dev
	@test -n "$(REF)" || { echo "which commit? make same-as REF=main" >&2; exit 2; }
	@PYTHONPATH=src:tests:docs $(BIN)/python -m same_as "$(REF)" --only "$(or $(ONLY),*)"

c-compilers: $(VENV)/.dev
	mkdir -p build
	for cc in gcc clang; do if command -v $$cc >/dev/null; then \
	  echo $$cc && $$cc $(C_WARNINGS) $(KERNELS)/c/*.c -o build/$$cc.so -lm || exit 1; \
	else echo "$$cc is not there"; fi; done
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ziglang
	for target in $(ZIG_TARGETS); do echo zig $$target; \
	  $(BIN)/python -m ziglang cc -target $$target $(C_WARNINGS) $(KERNELS)/c/*.c -o build/zig-$$target || exit 1; done

# A library of its own, which a process under the sanitizers takes instead of the one installed.
c-sanitize: $(VENV)/.dev
	$(BIN)/python tests/sanitize.py $(KERNEL_TESTS)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) ".[bench]" || $(INSTALL_PLAIN) ".[bench]"
	@touch $@

bench: $(VENV)/.bench
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/run.py

bench-study: $(VENV)/.bench
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/study.py

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py
	$(BIN)/mkdocs build --strict

golden: $(VENV)/.dev
	HALFWIDTH_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden

clean:
	rm -rf $(VENV) site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
