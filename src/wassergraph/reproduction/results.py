"""Results as files, one for each (data set, method, kind, repetition), and matrices that are computed once."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import platform
import subprocess
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.files.atomic import write_atomically
from wassergraph.graphs.batch import GraphBatch

#: Not on Windows: there, two processes may do the same work twice, and write the same files.
_LOCKS: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
#: What the numbers depend on.
_PACKAGES = ("wassergraph", "numpy", "scipy", "scikit-learn", "numba")
#: What every record has; the first three, and the number of the repetition, are its place.
_KEYS = (
    "kind",
    "dataset",
    "method",
    "repetition",
    "accuracy",
    "parameters",
    "majority",
    "seconds",
    "versions",
    "commit",
)
#: Changes whenever the same recipe gives other numbers than before.
_CACHE_FORMAT = 1


@dataclass(frozen=True)
class Unit:
    """One repetition of one method on one data set: the smallest piece of work whose result is kept."""

    dataset: str
    kind: str
    method: str
    repetition: int

    def path(self, results: Path) -> Path:
        """Say where its result is kept."""
        return results / self.kind / self.dataset / self.method / f"{self.repetition:02}.json"

    def is_done(self, results: Path) -> bool:
        """Whether there is a result."""
        return self.path(results).is_file()


@functools.cache
def circumstances() -> dict[str, Any]:
    """Say which versions and which commit are running; where there is no repository, the commit is the release."""
    versions = {package: _version(package) for package in _PACKAGES}
    here = Path(__file__).resolve()
    ours = Path(_git("rev-parse", "--show-toplevel")) == here.parents[3]  # not another repository that we lie in
    found = _git("describe", "--always", "--dirty") if ours else ""
    return {
        "commit": found or f"release {versions['wassergraph']}",
        "versions": {**versions, "python": platform.python_version()},
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _git(*arguments: str) -> str:
    command = ["git", "--no-optional-locks", "-C", str(Path(__file__).resolve().parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def write_record(results: Path, unit: Unit, record: dict[str, Any]) -> None:
    """Write the result of a unit, whole or not at all."""
    path = unit.path(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {**vars(unit), **record, **circumstances()})


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON for people and programs: an entry on each line, what belongs to it beside it."""
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in content.items()]
    write_atomically(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def read_records(results: Path) -> list[dict[str, Any]]:
    """Read all results in a folder, sorted by kind, data set, method and repetition."""
    records = []
    for path in sorted(results.rglob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            keys = [record[name] for name in _KEYS]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is not a result of an experiment: remove it, and run it again") from error
        if (*keys[:3], f"{keys[3]!s:0>2}.json") != path.parts[-4:]:
            raise ValueError(f"{path} holds the result of {keys[:4]}: put it where it belongs")
        records.append(record)
    return records


@contextlib.contextmanager
def claim(folder: Path, name: str, *, wait: bool) -> Iterator[bool]:
    """Claim a piece of work, so that another process leaves it alone; gives whether it is ours.

    The system lets go of a claim when its process ends, however it ends, so nothing has to be cleaned up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("a") as file:
        if _LOCKS is None:
            yield True
            return
        try:
            _LOCKS.flock(file, _LOCKS.LOCK_EX | (0 if wait else _LOCKS.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def content_key(graphs: GraphBatch, recipe: Any) -> str:
    """Give a name to the matrices of some graphs by a recipe: the same content has the same name, and no other has."""
    digest = hashlib.sha256(f"{_CACHE_FORMAT} {recipe!r}".encode())
    for name, array in vars(graphs).items():
        if isinstance(array, np.ndarray):
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def cached(folder: Path | None, key: str, compute: Callable[[], NDArray[Any]]) -> tuple[NDArray[Any], float]:
    """Give matrices and the seconds that they took: read if they were computed before, else computed, and kept."""
    if folder is None:
        begin = time.perf_counter()
        return compute(), time.perf_counter() - begin
    path = folder / f"{key}.npz"
    with claim(folder, key, wait=True):
        kept = _read(path)
        if kept is not None:
            return kept
        begin = time.perf_counter()
        matrices = compute()
        seconds = time.perf_counter() - begin
        file = io.BytesIO()
        np.savez(file, matrices=matrices, seconds=seconds)
        try:
            write_atomically(path, file.getbuffer())
        except OSError as error:  # a full disk is no reason to lose the work
            warnings.warn(f"the matrices are not kept in {folder}: {error}", stacklevel=2)
        return matrices, seconds


def _read(path: Path) -> tuple[NDArray[Any], float] | None:
    """Read matrices; those that are not there, or not whole, are computed again."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return kept["matrices"], float(kept["seconds"])
    except (OSError, ValueError, KeyError, EOFError, TypeError, RuntimeError, zipfile.BadZipFile):
        return None
