"""Run everything that has no result yet, except what other processes are running."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from wassergraph.datasets.download import DownloadError
from wassergraph.errors import MissingFileError
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.plans import plan_for
from wassergraph.evaluation.trial import Trial
from wassergraph.files.atomic import remove_leftovers
from wassergraph.files.locks import claim
from wassergraph.files.provenance import current_provenance
from wassergraph.metrics.node_embedding import EmbeddingKind
from wassergraph.reproduction.duplicates import DEDUPLICATED, without_duplicates
from wassergraph.reproduction.published_files import GRAPH_VARIANTS
from wassergraph.reproduction.results import Key, Run, RunResult, write_result
from wassergraph.reproduction.setups import load_prepared, paper_setup
from wassergraph.scores.measures import measures_for

#: The folder of lock files, in the folder of results.
LOCKS = ".locks"


def list_runs(keys: Iterable[Key], repetitions: Iterable[int]) -> list[Run]:
    """Return the runs of methods on data sets: all repetitions of the first, then those of the next, and so on."""
    return [Run(*key, repetition) for key, repetition in itertools.product(keys, repetitions)]


def run_all(
    runs: Sequence[Run],
    results: Path,
    *,
    cache: Path | None = None,
    data_home: str | Path | None = None,
    threads: Threads | None = None,
    log: Callable[[str], None] = print,
) -> None:
    """Run everything that has no result yet, and write each result as soon as it is computed.

    Several processes may work on the same runs: each is run by one of them. A process that is killed loses only the
    repetition that it was running.

    Parameters
    ----------
    runs : sequence of Run
        What to run, in this order.
    results, cache : Path
        The folders of results, and of matrices.
    data_home : str or Path, optional
        The folder of data sets, as in :func:`wassergraph.load_dataset`.
    threads : Threads, optional
        How to compute.
    log : callable
        Called with a line of text for each run that is done; prints it by default.

    Raises
    ------
    MissingFileError
        If data sets could not be loaded; everything else is run before.
    """
    current_provenance()  # record the commit at the start; it may change before the end
    progress = _Log(runs, results, log)
    missing: dict[str, Exception] = {}
    for key, group in itertools.groupby(runs, key=lambda run: run.key):
        if key.dataset in missing:
            continue
        trial = functools.cache(partial(_trial, key, cache, data_home, threads or Threads()))
        try:
            for run in group:
                progress.add(_run(run, results, trial))
        except (DownloadError, MissingFileError) as error:  # the other data sets need not wait for this one
            missing[key.dataset] = error
    if missing:
        reasons = "; ".join(f"{dataset}: {error}" for dataset, error in missing.items())
        raise MissingFileError(f"these data sets could not be loaded (all others are done): {reasons}")


class _Log:
    """Logs a line for each result, with the work that is left."""

    def __init__(self, runs: Sequence[Run], results: Path, log: Callable[[str], None]) -> None:
        self.runs, self.results, self.log = runs, results, log
        self.begin, self.n_done = time.perf_counter(), 0

    def add(self, result: RunResult | None) -> None:
        if result is None:
            return
        self.n_done += 1
        left = sum(not run.is_done(self.results) for run in self.runs)
        minutes = left * (time.perf_counter() - self.begin) / self.n_done / 60
        accuracy, seconds = 100 * np.mean(result.scores.accuracy), result.scores.seconds["selection"]
        done = f"{result.run}: {accuracy:.2f} % in {seconds:.0f} s"
        self.log(f"{done}; {left} of {len(self.runs)} left, {minutes:.0f} min at this speed")


def _run(run: Run, results: Path, trial: Callable[[], Trial]) -> RunResult | None:
    """Run one repetition and write its result, unless it is done, or another process is running it."""
    if run.is_done(results):
        return None
    with claim(results / LOCKS, "-".join([*run.key, str(run.repetition)]), wait=False) as is_ours:
        if not is_ours or run.is_done(results):
            return None
        remove_leftovers(run.path(results))
        return write_result(results, run, trial().run(run.repetition))


def split_variants(method: str) -> tuple[str, list[str]]:
    """Return a method without the variants that change the graphs, and these variants in the order of changes.

    Examples
    --------
    >>> split_variants("hgk-sp+all-pairs+as-published")
    ('hgk-sp+all-pairs', ['as-published'])
    """
    name, *variants = method.split("+")
    of_graphs = (*GRAPH_VARIANTS, DEDUPLICATED)
    others = [variant for variant in variants if variant not in of_graphs]
    return "+".join([name, *others]), [variant for variant in of_graphs if variant in variants]


def _trial(key: Key, cache: Path | None, data_home: str | Path | None, threads: Threads) -> Trial:
    kind = cast(EmbeddingKind, key.kind)
    graphs, y = load_prepared(key.dataset, kind, data_home)
    method, variants = split_variants(key.method)
    for variant in variants:
        if variant == DEDUPLICATED:
            graphs, y = without_duplicates(graphs, y, kind, threads)
        else:
            graphs = GRAPH_VARIANTS[variant](graphs)
    plan = plan_for(graphs, method, kind, paper_setup(key.dataset, kind))
    return Trial(graphs, y, plan, measures=measures_for("classification", "accuracy"), cache=cache, threads=threads)
