"""Definiteness on every data set: are distances conditionally negative definite, kernels positive definite? (A.1)

    D ──conditional_definiteness──▶ a row "cnd" for each depth
      ──exp(-gamma D)──definiteness──▶ a row for each depth and gamma

Only eigenvalues are computed. The file is written anew after every set, so a run that was killed goes on where it was.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wassergraph.experiments.store import circumstances
from wassergraph.experiments.tables import markdown
from wassergraph.kernels import Definiteness, conditional_definiteness, definiteness, laplacian_kernel
from wassergraph.learning.selection import GAMMAS
from wassergraph.progress import Progress
from wassergraph.threads import n_threads
from wassergraph.writing import check_target, write_atomically

#: The Weisfeiler–Lehman iterations, one matrix of distances for each.
DEPTHS = (0, 3, 7)
#: Two of the six gammas, the flattest kernel but one and one of the steep ones.
QUICK_GAMMAS = (1e-3, 1.0)
#: How a file names the verdict on the distances themselves, which is one for every gamma.
CND = "cnd"

#: A data set's name, the kind of embedding, and a function that gives its distances (len(DEPTHS), N, N).
DistanceSet: TypeAlias = tuple[str, str, Callable[[], NDArray[Any]]]


@dataclasses.dataclass(frozen=True)
class SpectrumRow:
    """The spectrum of one matrix: of the kernel exp(-gamma D), or, where gamma is None, of -½ D without its mean.

    ``n_negative`` and ``negative_mass`` count eigenvalues that are negative beyond rounding, as in
    :class:`wassergraph.Definiteness`.
    """

    dataset: str
    kind: str
    depth: int
    gamma: float | None
    graphs: int
    smallest: float
    largest: float
    n_negative: int
    negative_mass: float
    verdict: str


def run_spectra(
    path: Path,
    sets: Iterable[DistanceSet],
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> None:
    """Examine the spectra of every set, and write them to a CSV file; sets that are in there already are kept.

    Parameters
    ----------
    path : Path
        Where to write, and to go on.
    sets : iterable of (data set, kind, distances)
        ``distances()`` gives an array (3, N, N), for the depths 0, 3 and 7. It is called for sets that are not done.
    quick : bool
        Whether two gammas are enough; what a quick run wrote is completed by the next that is not.
    n_jobs : int, optional
        The number of threads of the linear algebra; None means 1, and -1 all processors.
    progress : bool
        Whether to show a progress bar.
    """
    check_target(path)
    gammas = QUICK_GAMMAS if quick else GAMMAS
    wanted = list(sets)
    done = {key: rows for key, rows in _by_set(path).items() if _is_whole(rows, gammas)}
    commits = _commits(path) if done else []
    per_set = len(DEPTHS) * (1 + len(gammas))
    with Progress("spectra", per_set * len(wanted), "matrices", show=progress) as bar:
        for dataset, kind, distances in wanted:
            if (dataset, kind) in done:
                bar.update(per_set)
                continue
            with threadpool_limits(n_threads(n_jobs)):
                done[dataset, kind] = _examine(dataset, kind, distances(), gammas, bar)
            order = [(name, sort) for name, sort, _ in wanted]
            write_atomically(path, _text(_in_order(done, order), commits).encode())


def _examine(
    dataset: str, kind: str, stack: NDArray[Any], gammas: Sequence[float], bar: Progress
) -> list[SpectrumRow]:
    """Compute the rows of one set."""
    if stack.ndim != 3 or len(stack) != len(DEPTHS) or stack.shape[1] != stack.shape[2]:
        raise ValueError(
            f"the distances of {dataset} ({kind}) have the shape {stack.shape}: give one square matrix for each of the "
            f"depths {DEPTHS}"
        )
    rows = []
    for depth, matrix in zip(DEPTHS, stack, strict=True):
        for gamma in (None, *gammas):
            found = (
                conditional_definiteness(matrix) if gamma is None else definiteness(laplacian_kernel(matrix, gamma))
            )
            rows.append(_row(dataset, kind, depth, gamma, len(matrix), found))
            bar.update(1)
    return rows


def _row(dataset: str, kind: str, depth: int, gamma: float | None, graphs: int, found: Definiteness) -> SpectrumRow:
    ends = found.smallest_eigenvalue, found.largest_eigenvalue
    return SpectrumRow(
        dataset, kind, depth, gamma, graphs, *ends, found.n_negative, found.negative_mass, found.verdict
    )
