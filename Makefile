# Two commands do everything on a fresh machine: `make demo` and `make test`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
BENCH ?= index
STAMP := $(VENV)/.ready-$(shell cat pyproject.toml Makefile | sha256sum | cut -c1-16)

.PHONY: setup demo test check format pins prove bench model browser clean

setup: $(STAMP)

$(STAMP):
	@bash tools/system.sh
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,kernels,release]'
	@rm -f $(VENV)/.ready-* && touch $@

demo: setup
	$(BIN)/extract rocblas --interface gemm --out out

test: setup browser
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

# What the page tests need: a browser, Graphviz, and JavaScript parsers.
browser: setup
	@bash tests/render/setup_browser.sh

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Which pinned files still answer, and what replaces the others; .ci/pins is for a weekly schedule.
pins: setup
	$(BIN)/extract --doctor --pins

# Whole-library proofs: every entry point of both libraries against the compiler's own IR.
prove: setup
	$(BIN)/python benchmarks/prove.py

# The model author against a small model served here; not part of the tests. MODEL=FILE.gguf
model: setup
	$(BIN)/python -m pip install --quiet xllamacpp
	$(BIN)/python tests/qa_model/real_model.py $(MODEL)

# Timings: BENCH=index, render, kernels, verify; strength of verify: BENCH=mutants; proof of every slice: BENCH=slices.
bench: setup
	$(BIN)/python -P benchmarks/$(BENCH).py

clean:
	rm -rf out build dist $(VENV)
