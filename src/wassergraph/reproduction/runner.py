"""Go through units of work: what is done is skipped, what another process does is left to it, the rest is run."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wassergraph.datasets.download import DownloadError
from wassergraph.errors import MissingFileError
from wassergraph.evaluation.methods import Threads
from wassergraph.evaluation.plans import make_plan
from wassergraph.evaluation.trial import Trial
from wassergraph.files.atomic import remove_leftovers
from wassergraph.reproduction.results import Unit, circumstances, claim, write_record
from wassergraph.reproduction.setups import load, setup

#: The claims of running processes, below the folder of results.
LOCKS = ".locks"


def list_units(cells: Iterable[tuple[str, str, str]], repetitions: Iterable[int]) -> list[Unit]:
    """List the units of (data set, kind, method), all repetitions of one after the other."""
    return [Unit(*cell, repetition) for cell, repetition in itertools.product(cells, repetitions)]


def run_units(
    units: Sequence[Unit],
    results: Path,
    *,
    cache: Path | None = None,
    data_home: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    tell: Callable[[str], None] = print,
) -> None:
    """Run all units that have no result yet, and write one for each as soon as it is there.

    Several processes may run the same units: each is claimed by one of them. A process that is killed loses the
    repetition at hand, and whoever runs the units again goes on from there.

    Parameters
    ----------
    units : sequence of Unit
        What to run, in this order.
    results, cache : Path
        The folders of results, and of matrices.
    data_home : str or Path, optional
        Where the data sets are, as in :func:`wassergraph.load_dataset`.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.
    tell : callable
        What to do with a line about each unit that is done; by default it is printed.
    """
    circumstances()  # those at the start count, not what a commit in the meantime makes of them
    begin, ran = time.perf_counter(), 0
    missing: dict[str, Exception] = {}
    for cell, group in itertools.groupby(units, key=lambda unit: (unit.dataset, unit.kind, unit.method)):
        trials = functools.cache(partial(_trial, *cell, cache, data_home, Threads(n_jobs, progress)))
        try:
            for unit in group if cell[0] not in missing else ():
                record = _run(unit, results, trials)
                if record is None:
                    continue
                ran += 1
                left = sum(not other.is_done(results) for other in units)
                pace = left * (time.perf_counter() - begin) / ran / 60
                tell(f"{_found(unit, record)}; {left} of {len(units)} left, {pace:.0f} min at this pace")
        except (DownloadError, MissingFileError) as error:  # the other data sets need not wait for this one
            missing[cell[0]] = error
    if missing:
        found = "; ".join(f"{dataset}: {error}" for dataset, error in missing.items())
        raise MissingFileError(f"some data sets could not be loaded, all others are done. {found}")


def _run(unit: Unit, results: Path, trials: Callable[[], Trial]) -> dict[str, Any] | None:
    """Run a unit and write its result, unless there is one, or somebody else is at it."""
    if unit.is_done(results):
        return None
    with claim(results / LOCKS, "-".join(map(str, vars(unit).values())), wait=False) as ours:
        if not ours or unit.is_done(results):
            return None
        remove_leftovers(unit.path(results))
        record = trials().repetition(unit.repetition)
        write_record(results, unit, record)
        return record


def _found(unit: Unit, record: dict[str, Any]) -> str:
    accuracy, seconds = 100 * np.mean(record["accuracy"]), record["seconds"]["selection"]
    name = f"{unit.dataset} {unit.kind} {unit.method} repetition {unit.repetition}"
    return f"{name}: {accuracy:.2f} % in {seconds:.0f} s"


def _trial(
    dataset: str, kind: Any, method: str, cache: Path | None, data_home: str | Path | None, threads: Threads
) -> Trial:
    graphs, y = load(dataset, kind, data_home)
    return Trial(graphs, y, make_plan(method, kind, setup(dataset, graphs, kind)), cache=cache, threads=threads)
