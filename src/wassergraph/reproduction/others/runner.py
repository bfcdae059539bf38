"""Run everything on benchmarks that has no result yet, except what other processes are running."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wassergraph.datasets.download import DownloadError
from wassergraph.errors import MissingFileError
from wassergraph.evaluation.matrices import Threads
from wassergraph.files.atomic import remove_leftovers
from wassergraph.files.locks import claim
from wassergraph.files.provenance import Provenance, current_provenance
from wassergraph.reproduction.others.benchmarks import BenchmarkEntry
from wassergraph.reproduction.others.methods import fit_and_predict, score_predictions
from wassergraph.reproduction.others.reading import SplitExamples, read_split
from wassergraph.reproduction.others.results import EntryResult, write_entry
from wassergraph.reproduction.runner import LOCKS


def run_entries(
    entries: Sequence[BenchmarkEntry],
    results: Path,
    folder: Path,
    *,
    data_home: str | Path | None = None,
    threads: Threads | None = None,
    log: Callable[[str], None] = print,
) -> None:
    """Run everything that has no result yet, and write each result as soon as it is computed.

    Several processes may work on the same entries: each is run by one of them. A process that is killed loses only the
    entry that it was running.

    Parameters
    ----------
    entries : sequence of BenchmarkEntry
        What to run, in this order.
    results : Path
        The folder of all results.
    folder : Path
        The folder of the files of benchmarks.
    data_home : str or Path, optional
        The folder of TU data sets, as in :func:`wassergraph.load_dataset`.
    threads : Threads, optional
        How to compute.
    log : callable
        Called with a line of text for each entry that is done; prints it by default.

    Raises
    ------
    MissingFileError
        If files of a set could not be found or loaded; everything else is run before.
    """
    provenance = current_provenance()  # the commit at the start; it may change before the end
    left = [entry for entry in entries if not entry.is_done(results)]
    if not left:
        log(f"all {len(entries)} results exist in {results}: name another folder to compute them again")
    begin, missing = time.perf_counter(), dict[str, Exception]()
    for number, entry in enumerate(left, start=1):
        if entry.set in missing:
            continue
        try:
            result = _run(entry, results, functools.partial(read_split, entry, folder, data_home), threads, provenance)
        except (DownloadError, MissingFileError) as error:  # the other sets need not wait for this one
            missing[entry.set] = error
            continue
        if result is not None:
            minutes = (len(left) - number) * (time.perf_counter() - begin) / number / 60
            log(f"{_described(result)}; {len(left) - number} of {len(entries)} left, {minutes:.0f} min at this speed")
    if missing:
        reasons = "; ".join(map(str, missing.values()))
        raise MissingFileError(f"these sets could not be read (all others are done): {reasons}")


def _run(
    entry: BenchmarkEntry,
    results: Path,
    read: Callable[[], SplitExamples],
    threads: Threads | None,
    provenance: Provenance,
) -> EntryResult | None:
    """Run an entry and write its result, unless it is done, or another process is running it."""
    with claim(results / LOCKS, "-".join(map(str, entry)), wait=False) as is_ours:
        if not is_ours or entry.is_done(results):
            return None
        remove_leftovers(entry.path(results))
        split = read()
        found = fit_and_predict(entry.method, split, threads or Threads())
        scores = score_predictions(split.test, found.predictions)
        cliffs = split.test.cliffs
        sizes = len(split.train), len(split.test), 0 if cliffs is None else int(cliffs.sum())
        result = EntryResult(entry, *sizes, scores, found.parameters, found.seconds, provenance)
        write_entry(results, result)
        return result


def _described(result: EntryResult) -> str:
    """Return a result in one line: ``ours on CHEMBL2835_Ki: RMSE 0.391, on cliffs 0.747, in 17 s``."""
    scores, seconds = result.scores, sum(result.seconds.values())
    if "accuracy" in scores:
        said = f"accuracy {100 * (scores['accuracy'] or 0):.2f} %"
    else:
        cliffs = scores.get("cliff_rmse")
        said = f"RMSE {scores['rmse']:.3f}" + ("" if cliffs is None else f", on cliffs {cliffs:.3f}")
    return f"{result.entry}: {said}, in {seconds:.0f} s"
