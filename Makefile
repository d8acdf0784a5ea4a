# Every job in one word. Each sets up what it needs in .venv; PYTHON=python3.12 picks another one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test test-slow lint format bench bench-study docs golden clean

help:
	@echo "make demo      small models on real data, reported with intervals"
	@echo "make test      the tests, in minutes"
	@echo "make test-slow the rest: slow tests, and property tests with all their examples"
	@echo "make lint      formatting, lint, types, layers"
	@echo "make format    put the code into shape"
	@echo "make bench     ratios against what one would use instead"
	@echo "make bench-study  what the study engine costs"
	@echo "make docs      the documentation as pages, in site/"
	@echo "make golden    write the golden files anew, to be read in the diff"
	@echo "make clean     remove .venv and what tools leave behind"

$(VENV)/.demo: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "halfwidth needs Python 3.11 or newer; set PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[demo]"
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,docs]"
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/halfwidth demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "slow or hypothesis" --hypothesis-profile=thorough

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
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
