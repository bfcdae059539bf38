"""Run the tables and figures of the paper by name, and continue where the last run ended.

table1 … table3, sinkhorn, variants, published, beyond ──run_all──▶ results/kind/set/method/repetition.json
noise, runtime, definiteness, duplicates ──────────────────▶ results/name.csv
others ─────────────────────────────────────run_entries──▶ results/others/benchmark/set/method.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray

from wassergraph.errors import InputError, MissingFileError, Option
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.plans import plan_for
from wassergraph.evaluation.trial import compute_matrices
from wassergraph.files.locks import claim
from wassergraph.graphs.invariants import check_whole
from wassergraph.metrics.node_embedding import EmbeddingKind
from wassergraph.reproduction.beyond import render_beyond
from wassergraph.reproduction.choosing import render_choosing
from wassergraph.reproduction.csv_tables import is_quick
from wassergraph.reproduction.definiteness import SPECTRUM_DEPTHS, run_spectra
from wassergraph.reproduction.duplicates import run_duplicates
from wassergraph.reproduction.experiments import (
    BEST_COMPARISONS,
    BEYOND_KEYS,
    PUBLISHED_KEYS,
    SINKHORN_KEYS,
    VARIANT_KEYS,
    check_names,
    is_selected,
    select,
    table_keys,
)
from wassergraph.reproduction.noise import run_noise
from wassergraph.reproduction.others.benchmarks import select_entries
from wassergraph.reproduction.others.page import render_benchmarks
from wassergraph.reproduction.others.reading import find_benchmarks
from wassergraph.reproduction.others.runner import run_entries
from wassergraph.reproduction.render import render_page
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.runner import LOCKS, list_runs, run_all
from wassergraph.reproduction.runtime import run_runtime
from wassergraph.reproduction.setups import SETUPS, load_prepared, paper_setup
from wassergraph.reproduction.statistics import REPETITIONS

#: A quick run has one repetition on these data sets, without the methods whose names begin with the next word.
QUICK_SETS = ("MUTAG", "PTC_MR", "BZR", "COX2_MD", "SYNTHETICnew")
SLOW = "hgk"
#: The folder of a quick run, so that its results are never mistaken for those of a full one.
QUICK_HOME = Path("out/quick")
RESULTS, PAGE = Path("results"), Path("docs/reproduction.md")
#: The names of the other pages, which stand next to the first, and of a page that shows some of the results.
BEYOND, BENCHMARKS_PAGE, CHOOSING = "beyond.md", "benchmarks.md", "choosing.md"
#: The experiment that is no part of "all": its files are not downloaded.
APART = "others"


@dataclass(frozen=True)
class RunSettings:
    """Where the files of the experiments are, which part of the experiments is run, and how.

    Attributes
    ----------
    results, page : Path
        The folder of results, and the file of the page of the reproduction; those of what goes beyond it, beyond.md and
        benchmarks.md, are in the same folder.
    quick : bool
        Whether a small part of every experiment is enough.
    cache : Path, optional
        The folder of saved matrices; None does not save them.
    data_home : str or Path, optional
        The folder of data sets, as in :func:`wassergraph.load_dataset`.
    benchmarks : str or Path, optional
        The folder of the files of benchmarks that others have set, see :func:`find_benchmarks`.
    only : tuple of str
        The benchmarks, data sets and methods that tables are limited to, if any.
    repetitions : int
        The number of repetitions of each cross-validation.
    threads : Threads
        How to compute.
    log : callable
        Called with a line of text for every finished step.
    """

    results: Path = RESULTS
    page: Path = PAGE
    quick: bool = False
    cache: Path | None = None
    data_home: str | Path | None = None
    benchmarks: str | Path | None = None
    only: tuple[str, ...] = ()
    repetitions: int = REPETITIONS
    threads: Threads = field(default_factory=Threads)
    log: Callable[[str], None] = print


def make_settings(
    results: str | Path | None = None,
    page: str | Path | None = None,
    *,
    quick: bool = False,
    cache: str | Path | None = None,
    data_home: str | Path | None = None,
    benchmarks: str | Path | None = None,
    only: Sequence[str] = (),
    repetitions: int = REPETITIONS,
    n_jobs: int | None = None,
    progress: bool = False,
    log: Callable[[str], None] = print,
) -> RunSettings:
    """Return the settings of a run; the default paths of results and page depend on ``quick``.

    Parameters
    ----------
    results, page, quick, cache, data_home, benchmarks, only, repetitions, log
        As in :class:`RunSettings`.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    RunSettings
    """
    home = QUICK_HOME if quick else Path()
    return RunSettings(
        results=home / RESULTS if results is None else Path(results),
        page=home / PAGE if page is None else Path(page),
        quick=quick,
        cache=None if cache is None else Path(cache),
        data_home=data_home,
        benchmarks=benchmarks,
        only=tuple(only),
        repetitions=repetitions,
        threads=Threads(n_jobs, progress),
        log=log,
    )


def reproduce(names: Iterable[str], settings: RunSettings) -> None:
    """Run experiments in this order; results that exist are not computed again.

    Parameters
    ----------
    names : iterable of str
        Names of :data:`EXPERIMENTS`; "all" means every one but "others", whose files are not downloaded.
    settings : RunSettings
        The settings, from :func:`make_settings`.

    Raises
    ------
    ValueError
        If there is no such experiment, data set or method.
    """
    wanted = list(names)
    unknown = [name for name in wanted if name not in (*EXPERIMENTS, "all")]
    if unknown:
        raise InputError(
            f"there is no experiment {unknown[0]!r}", remedy=f"choose from {', '.join(EXPERIMENTS)} and all"
        )
    check_names(settings.only)
    check_whole("repetitions", settings.repetitions, 1)
    settings.results.mkdir(parents=True, exist_ok=True)
    every = [name for name in EXPERIMENTS if name != APART or name in wanted]
    for name in every if "all" in wanted else wanted:
        EXPERIMENTS[name](settings)


def render(settings: RunSettings) -> tuple[Path, ...]:
    """Write all pages, and the accuracies on the page about choosing a method, from the results; return their paths."""
    beyond, benchmarks = (settings.page.with_name(name) for name in (BEYOND, BENCHMARKS_PAGE))
    if settings.page in (beyond, benchmarks):
        problem = f"{{}} must not be {settings.page.name}, the name of another page"
        raise InputError(problem, options=[Option("page")])
    if not settings.results.is_dir():
        raise MissingFileError(
            "there is no such folder",
            remedy="run an experiment first, or name the folder of the results with {}",
            options=[Option("results")],
            file=settings.results,
        )
    settings.page.parent.mkdir(parents=True, exist_ok=True)
    render_page(settings.results, settings.page)
    render_beyond(settings.results, beyond)
    render_benchmarks(settings.results, benchmarks)
    render_choosing(settings.results, settings.page.with_name(CHOOSING))
    return settings.page, beyond, benchmarks


def _run_keys(keys: Sequence[Key], settings: RunSettings) -> None:
    """Run methods on data sets."""
    selected = select(keys, settings.only)
    if settings.quick:
        selected = [key for key in selected if key.dataset in QUICK_SETS and not key.method.startswith(SLOW)]
    if not selected:
        datasets = ", ".join(dict.fromkeys(key.dataset for key in keys))
        settings.log(f"nothing to run on {datasets} with these options")
    run_all(
        list_runs(selected, range(1 if settings.quick else settings.repetitions)),
        settings.results,
        cache=settings.cache,
        data_home=settings.data_home,
        threads=settings.threads,
        log=settings.log,
    )


def _others(settings: RunSettings) -> None:
    """Run our defaults, and what is compared with them, on benchmarks that others have set."""
    entries = select_entries(settings.only, quick=settings.quick)
    if not entries:
        settings.log("nothing to run on benchmarks with these options")
        return
    run_entries(
        entries,
        settings.results,
        find_benchmarks(settings.benchmarks),
        data_home=settings.data_home,
        threads=settings.threads,
        log=settings.log,
    )


def _duplicates(settings: RunSettings) -> None:
    pairs = [pair for pair in BEST_COMPARISONS if not settings.quick or pair[0] in QUICK_SETS]
    _run_once("duplicates", run_duplicates, settings, pairs=pairs, data_home=settings.data_home)


def _run_once(name: str, run: Callable[..., None], settings: RunSettings, **options: Any) -> None:
    """Run an experiment that writes one table, unless the table exists; a full run replaces that of a quick one."""
    path = settings.results / f"{name}.csv"
    with claim(settings.results / LOCKS, path.name, wait=True):
        if path.exists() and (settings.quick or not is_quick(path)):
            settings.log(f"{path} exists already: remove it to run it again")
            return
        run(path, quick=settings.quick, **vars(settings.threads), **options)
        settings.log(f"{path} is written")


def _definiteness(settings: RunSettings) -> None:
    names = [name for name in SETUPS if is_selected(name[0], settings.only)]
    if settings.quick:
        names = [name for name in names if name[0] in QUICK_SETS]
    sets = [(dataset, kind, partial(_distances, dataset, kind, settings)) for dataset, kind in names]
    path = settings.results / "definiteness.csv"
    with claim(settings.results / LOCKS, path.name, wait=True):
        run_spectra(path, sets, quick=settings.quick, **vars(settings.threads))
    settings.log(f"{path} is written")


def _distances(dataset: str, kind: str, settings: RunSettings) -> NDArray[Any]:
    """Compute the WWL distances of a data set at the depths whose kernels are examined."""
    chosen = cast(EmbeddingKind, kind)
    graphs, _ = load_prepared(dataset, chosen, settings.data_home)
    (options,) = plan_for(graphs, "wwl", chosen, paper_setup(dataset, chosen)).options
    stack, _ = compute_matrices(graphs, options, settings.cache, settings.threads)
    return stack[[options.depths.index(depth) for depth in SPECTRUM_DEPTHS]]


#: The experiments by name, in the order in which "all" runs those of the paper.
EXPERIMENTS: dict[str, Callable[[RunSettings], None]] = {
    "noise": partial(_run_once, "noise", run_noise),
    "runtime": partial(_run_once, "runtime", run_runtime),
    "table1": partial(_run_keys, table_keys(1)),
    "table2": partial(_run_keys, table_keys(2)),
    "table3": partial(_run_keys, table_keys(3)),
    "sinkhorn": partial(_run_keys, SINKHORN_KEYS),
    "variants": partial(_run_keys, VARIANT_KEYS),
    "published": partial(_run_keys, PUBLISHED_KEYS),
    "definiteness": _definiteness,
    "duplicates": _duplicates,
    "beyond": partial(_run_keys, BEYOND_KEYS),
    APART: _others,
}
