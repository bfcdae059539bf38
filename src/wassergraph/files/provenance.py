"""The commit and the versions that results are computed with."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: The packages that the numbers depend on.
_PACKAGES = ("wassergraph", "numpy", "scipy", "scikit-learn")
_HERE = Path(__file__).resolve()


@dataclass(frozen=True)
class Provenance:
    """What computed a result.

    Attributes
    ----------
    commit : str
        The commit as ``git describe`` writes it, or "release 0.1.0" where there is no repository.
    versions : dict of str
        The versions of the packages and of Python.
    """

    commit: str
    versions: Mapping[str, str]


@functools.cache
def current_provenance() -> Provenance:
    """Return the commit and the versions of the running program, as they were when this was first called."""
    versions = {package: _version(package) for package in _PACKAGES}
    # The package may be inside another repository, whose commits are not about this package.
    in_repository = Path(_git("rev-parse", "--show-toplevel")) == _HERE.parents[3]
    commit = _git("describe", "--always", "--dirty") if in_repository else ""
    return Provenance(commit or f"release {versions['wassergraph']}", {**versions, "python": platform.python_version()})


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _git(*arguments: str) -> str:
    """Return the output of a git command, or an empty string if it fails or there is no git."""
    command = ["git", "--no-optional-locks", "-C", str(_HERE.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
