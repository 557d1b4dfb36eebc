# Every target makes the virtual environment it needs; python3 (3.11 or newer) and make suffice.

PYTHON ?= python3
BIN    := .venv/bin
# what is imported is compiled then, and what is not never
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# as many workers as cores: a worker whose linear algebra took all cores again would wait for the others
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest
PARALLEL := -n auto --dist worksteal

.PHONY: help demo test test-long test-tiers test-robots test-browser agreement tools coverage reference bench acceptance clean
.PHONY: lint lint-style lint-types lint-imports

help:
	@echo "make demo        a robot comes to a pre-grasp pose; a recording, a picture and a report in build/demo"
	@echo "make test        all tests                    (ARGS='-k name' selects)"
	@echo "make test-long   the same, with three times as many random states, trees and rows"
	@echo "make test-tiers  what calls a computation, again through ctypes and without a compiler"
	@echo "make test-robots every URDF file of example-robot-data and every model of mujoco-mjx"
	@echo "make test-browser the viewer and replays in a real Chromium; with MOTIONC_SCALE=1 screenshots in build/browser"
	@echo "make agreement   every language on every robot, large ones too: some minutes"
	@echo "make tools       Octave, clang, Maxima, Eigen and Chromium from the system's packages, where that is possible"
	@echo "make lint        style, strict types, imports between rooms"
	@echo "make coverage    docs/inside/coverage.md: which spec rows tests prove that passed in make test"
	@echo "make reference   docs/reference/: computations, names and commands, from what the code says"
	@echo "make bench       docs/guide/benchmarks.md: ours and the peers, measured here and now"
	@echo "make acceptance  every figure that an issue wants, measured: ISSUE=8   (ARGS='--only versus' selects)"
	@echo "make clean       remove the environment and all caches"

demo: .venv/.demo
	$(BIN)/python -m motionc.cli.demo

test: .venv/.dev
	$(PYTEST) $(PARALLEL) --proofs=build/proofs.json $(ARGS)

test-long: .venv/.dev
	MOTIONC_TESTS=long $(PYTEST) $(PARALLEL) $(ARGS)

test-tiers: .venv/.dev
	$(PYTEST) $(PARALLEL) --tier=compiled $(ARGS)
	$(PYTEST) $(PARALLEL) --tier=interpreted $(ARGS)

test-robots: .venv/.robots
	$(PYTEST) $(PARALLEL) tests_robots $(ARGS)

test-browser: .venv/.browser
	$(BIN)/python -m pytest tests_browser $(ARGS)

agreement: .venv/.robots
	MOTIONC_TESTS=long $(BIN)/python -m pytest tests/languages/test_agreement.py tests_robots/agreement.py $(ARGS)

tools:
	@scripts/tools.sh

lint: .venv/.dev
	@$(MAKE) --no-print-directory -j lint-style lint-types lint-imports

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-types:
	$(BIN)/pyright --pythonpath $(BIN)/python --threads

lint-imports:
	$(BIN)/lint-imports --no-logo

coverage: .venv/.dev
	$(BIN)/python scripts/coverage.py $(ARGS)

reference: .venv/.dev
	$(BIN)/python scripts/reference.py $(ARGS)

bench: .venv/.bench
	$(BIN)/python benchmarks/run.py $(ARGS)

acceptance: .venv/.acceptance
	PYTHONPATH=benchmarks $(BIN)/python -m acceptance $(ISSUE) $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests tests_robots tests_browser scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- environments

# a new environment whenever pyproject.toml changes
.venv/.made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "motionc needs Python 3.11 or newer as '$(PYTHON)'; name another one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	rm -rf .venv
	$(PYTHON) -m venv .venv
	@touch $@

# the package, and what plots reports
.venv/.demo: .venv/.made
	$(PIP) -e '.[report]'
	@touch $@

# the package, the oracles and the linters
.venv/.dev: .venv/.made
	$(PIP) -e '.[dev]'
	@touch .venv/.demo $@

# the oracles, and all public robots
.venv/.robots: .venv/.made
	$(PIP) -e '.[dev,robots]'
	@touch .venv/.demo .venv/.dev $@

# the oracles, and what drives a browser
.venv/.browser: .venv/.dev
	$(PIP) -e '.[dev,browser]'
	@touch $@

# all that tests of every kind want
.venv/.all: .venv/.made
	$(PIP) -e '.[dev,robots,browser]'
	@touch .venv/.demo .venv/.dev .venv/.robots .venv/.browser $@

# the same, and who else reads what is written here
.venv/.acceptance: .venv/.all
	$(PIP) -e '.[dev,robots,browser,acceptance]'
	@touch $@

# the package, the peers and the plot
.venv/.bench: .venv/.made
	$(PIP) -e '.[bench]'
	@touch .venv/.demo $@
