# Every target installs what it needs into .venv, once. Only Python (3.11 or newer) and make must be there; without a C++
# compiler, that of the package ziglang is installed into .venv, too.
PYTHON ?= python3
# The Python of the lowest versions, which have no wheels for newer ones.
OLDEST_PYTHON ?= python3.11
# The number of processes that run tests at the same time; 0 runs them in one.
WORKERS ?= 2
# The number of pairs of graphs that are compared with POT.
PAIRS ?= 200000
# The number of stores whose computation is killed until it is complete.
ROUNDS ?= 100
BIN := .venv/bin
# The sources of the compiled core; it is built again, in build/, if one of them changes.
CORE := $(wildcard core/*.txt core/*.cpp core/*.hpp core/bindings/*)
INSTALL = env PATH="$(CURDIR)/$(BIN):$$PATH" $$(test ! -x $(BIN)/c++ || echo CXX=$(CURDIR)/$(BIN)/c++) \
	python -m pip install --quiet --no-build-isolation
OLDEST := .venv-oldest/bin

.PHONY: help demo test test-fast test-generic test-oldest torture fuzz coverage lint types docs build release-check benchmarks clean clean-numba

help:
	@echo "make demo          classify the embedded drugs: compare methods, train and explain a model, make pictures and a page to explore, in out/"
	@echo "make test          run all tests"
	@echo "make test-fast     run the tests that are neither slow nor use the real data sets, in under a minute"
	@echo "make test-generic  run the numeric tests with code compiled for any CPU of this architecture"
	@echo "make test-oldest   run the tests with the lowest versions of all dependencies, in .venv-oldest"
	@echo "make torture       kill computations of stores at random moments, a hundred times, in a quarter of an hour"
	@echo "make fuzz          compare 200,000 distances of graphs that are made to be hard with POT, in some minutes"
	@echo "make coverage      measure the share of lines that the fast tests run, compiled functions included"
	@echo "make lint          check style and format"
	@echo "make types         check types"
	@echo "make docs          build the site of the documentation, into docs/_build/html, and run the scripts of its gallery"
	@echo "make build         build the source distribution and the wheel, into dist/"
	@echo "make release-check build both distributions, check them, and run the fast tests against each, installed elsewhere"
	@echo "make benchmarks    install the libraries that benchmarks/ compares with"
	@echo "make clean-numba   remove compiled code; needed after a change of the kernels of paths, GraphHopper and RBF-WL"
	@echo "make clean         remove the environments and everything that was built"

demo: .venv/demo
	$(BIN)/python examples/demo.py

test: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS)

# Without the tests of PyTorch Geometric, whose import takes seconds in every process.
test-fast: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not data" --hypothesis-profile=fast \
		--ignore=tests/test_pyg.py --ignore=src/wassergraph/formats/pyg.py

# For a generic CPU numba uses no vector instructions beyond the base of the architecture, which rounds differently.
test-generic: .venv/dev
	NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=$(CURDIR)/.numba_cache/generic \
		$(BIN)/python -m pytest -n $(WORKERS) -m numeric --hypothesis-profile=fast

# Warnings are no errors here, since old versions of libraries use what newer versions of others have deprecated.
test-oldest: .venv-oldest/test
	NUMBA_CACHE_DIR=$(CURDIR)/.numba_cache/oldest \
		$(OLDEST)/python -m pytest -n $(WORKERS) -W default -W ignore::DeprecationWarning

torture: .venv/dev
	$(BIN)/python tests/torture.py --rounds $(ROUNDS)

fuzz: .venv/dev
	$(BIN)/python tests/fuzz.py --pairs $(PAIRS)

# First the functions that numba compiles, run as Python code on small random graphs; then everything around them.
coverage: .venv/dev
	rm -f .coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(WORKERS) -m "hypothesis and numeric and not slow and not data" \
		--hypothesis-profile=fast --cov --cov-report=
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not data" --hypothesis-profile=fast \
		--cov --cov-append --cov-report=term

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

# Warnings, such as a link without a target, are errors. Nothing is downloaded.
docs: .venv/docs
	rm -rf docs/api
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

build: .venv/base
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build

release-check:
	PYTHON=$(PYTHON) WORKERS=$(WORKERS) .ci/release-check

benchmarks: .venv/benchmarks

# pip reads dependency groups since 25.1; the pip that comes with Python may be older.
.venv/base: pyproject.toml .ci/compiler
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group build
	.ci/compiler $(BIN)
	touch $@

.venv/demo: .venv/base $(CORE)
	$(INSTALL) --editable ".[plots,rdkit]"
	touch $@

.venv/dev: .venv/base $(CORE)
	$(INSTALL) --editable ".[all]" --group dev
	touch $@

.venv/docs: .venv/base $(CORE)
	$(INSTALL) --editable ".[networkx,igraph,rdkit,plots,scale]" --group docs
	touch $@

.venv/benchmarks: .venv/base $(CORE)
	$(INSTALL) --editable . --group benchmarks
	touch $@

# Without torch, whose old versions take gigabytes; the tests of from_pyg are skipped.
.venv-oldest/test: pyproject.toml tests/lowest_versions.py
	$(OLDEST_PYTHON) -m venv .venv-oldest
	$(OLDEST)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(OLDEST)/python tests/lowest_versions.py > .venv-oldest/constraints.txt
	$(OLDEST)/python -m pip install --quiet --constraint .venv-oldest/constraints.txt \
		--editable ".[networkx,igraph,rdkit,plots,scale]" --group test
	touch $@

clean-numba:
	find src \( -name "*.nb[ci]" -o -path "*/__pycache__/*.bin" \) -delete
	rm -rf .numba_cache

clean: clean-numba
	rm -rf .venv .venv-oldest out dist docs/_build docs/api docs/gallery .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -exec rm -rf {} +
