"""Print the lowest versions that pyproject.toml allows, as constraints for pip: numpy>=1.26 becomes numpy==1.26."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
#: What old versions need besides: with newer ones, every import of zarr 3.1 prints a warning.
COMPANIONS = ["numcodecs==0.16.1"]
LOWER_BOUND = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\w.]+)(; .*)?")


def requirements(pyproject: dict) -> Iterator[str]:
    """Yield the requirements of the package, of its extras and of the tests; linters may be as new as they like."""
    yield from pyproject["project"]["dependencies"]
    for extra in pyproject["project"]["optional-dependencies"].values():
        yield from (requirement for requirement in extra if not requirement.startswith("wassergraph["))
    yield from pyproject["dependency-groups"]["test"]


def lowest_versions() -> list[str]:
    """Return one constraint ``name==version`` for each requirement; each must have a lower bound and nothing else."""
    pyproject = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    bounds = [(requirement, LOWER_BOUND.fullmatch(requirement)) for requirement in requirements(pyproject)]
    unclear = [requirement for requirement, bound in bounds if bound is None]
    if unclear:
        raise ValueError(f"{unclear[0]!r} has no lower bound of the form name>=version; write one in pyproject.toml")
    lowest = [f"{bound['name']}=={bound['version']}" for _, bound in bounds if bound is not None]
    return lowest + COMPANIONS


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
