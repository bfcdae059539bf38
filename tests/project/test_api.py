"""The exported names, and that asking for one loads no more than it must."""

from __future__ import annotations

import inspect
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest

import wassergraph
from rules import for_each

ROOT = Path(__file__).parents[2]
NAMES = sorted(set(wassergraph.__all__) - {"__version__"})
#: The modules of further public names.
MODULES = [name for name in NAMES if isinstance(getattr(wassergraph, name), ModuleType)]
PUBLIC = [*NAMES, *(f"{module}.{name}" for module in MODULES for name in getattr(wassergraph, module).__all__)]


@pytest.mark.parametrize("package", ["", *MODULES])
def test_the_names_are_those_of_the_stub_file(package):
    stub = (ROOT / "src" / "wassergraph" / package / "__init__.pyi").read_text(encoding="utf-8")
    module = getattr(wassergraph, package) if package else wassergraph
    names = sorted(line.split(" as ")[1] for line in stub.splitlines() if " as " in line)
    assert sorted(set(module.__all__) - {"__version__"}) == names
    assert dir(module) == module.__all__


def test_there_are_few_names():
    assert len(NAMES) <= 45


@for_each(PUBLIC)
def test_every_name_loads_and_is_documented(name):
    thing = attrgetter(name)(wassergraph)
    assert thing.__name__.split(".")[-1] == name.split(".")[-1]
    assert len(inspect.getdoc(thing).splitlines()[0]) > 20


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        wassergraph.nonsense  # noqa: B018 - the access is the test


def loaded_by(code: str) -> set[str]:
    """Return the packages that are loaded after running code in a new process."""
    program = f"{code}\nimport sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(result.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "networkx", "torch", "rdkit", "matplotlib", "pandas"}
    assert not loaded_by("import wassergraph") & heavy


def test_reading_data_loads_neither_sklearn_nor_optional_libraries():
    heavy = {"sklearn", "networkx", "igraph", "torch", "rdkit", "matplotlib", "pandas"}
    assert not loaded_by("import wassergraph; wassergraph.load_dataset('demo')") & heavy
