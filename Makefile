# Every target sets up what it needs, in .venv, once. Only Python (3.11 or newer) and make must be there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test lint types benchmarks clean clean-numba

help:
	@echo "make demo         run the main job on the embedded data set; its pictures go to out/"
	@echo "make test         run the tests"
	@echo "make lint         check style and format"
	@echo "make types        check types"
	@echo "make benchmarks   install what benchmarks/ compares with"
	@echo "make clean-numba  remove compiled code, after a change in transport/"
	@echo "make clean        remove the environment and all that was made"

demo: .venv/demo
	$(BIN)/python examples/demo.py

test: .venv/dev
	$(BIN)/python -m pytest

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

benchmarks: .venv/benchmarks

# pip reads dependency groups since 25.1; the pip that comes with Python may be older.
.venv/base: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

.venv/demo: .venv/base
	$(BIN)/python -m pip install --quiet --editable ".[plots]"
	touch $@

.venv/dev .venv/benchmarks: .venv/%: .venv/base
	$(BIN)/python -m pip install --quiet --editable . --group $*
	touch $@

clean-numba:
	find src -name "*.nb[ci]" -delete

clean: clean-numba
	rm -rf .venv out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -exec rm -rf {} +
