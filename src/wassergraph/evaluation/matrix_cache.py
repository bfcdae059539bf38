"""Matrices that are computed once and kept in a folder."""

from __future__ import annotations

import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.files.atomic import atomic_file
from wassergraph.files.locks import claim


def cached(folder: Path | None, key: str, compute: Callable[[], NDArray[Any]]) -> tuple[NDArray[Any], float]:
    """Return matrices and the seconds that their computation took, from a file if they were computed before.

    Parameters
    ----------
    folder : Path or None
        Where the files are; with None, matrices are computed and not saved.
    key : str
        The name of the file: a :func:`wassergraph.files.content_keys.content_key`.
    compute : callable
        Computes the matrices. If another process is doing so, its result is awaited and read.

    Returns
    -------
    matrices, seconds : array, float
        What ``compute`` returned, and how long it took when it was called.
    """
    if folder is None:
        return _timed(compute)
    with claim(folder, key, wait=True):
        path = folder / f"{key}.npz"
        kept = _read(path)
        if kept is None:
            kept = _timed(compute)
            _write(path, *kept)
        return kept


def _timed(compute: Callable[[], NDArray[Any]]) -> tuple[NDArray[Any], float]:
    begin = time.perf_counter()
    matrices = compute()
    return matrices, time.perf_counter() - begin


def _write(path: Path, matrices: NDArray[Any], seconds: float) -> None:
    try:
        with atomic_file(path) as file:
            np.savez(file, matrices=matrices, seconds=np.float64(seconds))
    except OSError as error:  # a full disk is no reason to lose the matrices
        warnings.warn(f"the matrices cannot be saved to {path.parent}: {error}", stacklevel=3)


def _read(path: Path) -> tuple[NDArray[Any], float] | None:
    """Return the matrices of a file, or None if it does not exist or is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return kept["matrices"], float(kept["seconds"])
    except (OSError, ValueError, KeyError, EOFError, TypeError, RuntimeError, zipfile.BadZipFile):
        return None
