"""The exported names, and that asking for one loads no more than it must."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import wassergraph

ROOT = Path(__file__).parents[1]
NAMES = sorted(set(wassergraph.__all__) - {"__version__"})


def test_the_names_are_those_of_the_stub_file():
    stub = (ROOT / "src" / "wassergraph" / "__init__.pyi").read_text(encoding="utf-8")
    assert sorted(line.split(" as ")[1] for line in stub.splitlines() if " as " in line) == NAMES
    assert dir(wassergraph) == wassergraph.__all__ == sorted([*NAMES, "__version__"])


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_and_is_documented(name):
    thing = getattr(wassergraph, name)
    assert thing.__name__ == name
    first = inspect.getdoc(thing).splitlines()[0]
    assert len(first) > 20


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
