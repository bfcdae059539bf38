"""Run the paper's tables and figures, each by its name, and go on where the last run ended.

table1, table2, table3, sinkhorn, variants ──▶ units ──running──▶ results/kind/set/method/repetition.json
noise, runtime, definiteness ───────────────────────────────────▶ results/name.csv
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from wassergraph.evaluation.methods import METHODS, Threads
from wassergraph.evaluation.plans import make_plan
from wassergraph.graphs.invariants import check_whole
from wassergraph.reproduction.csv_tables import is_quick
from wassergraph.reproduction.definiteness import DEPTHS, run_spectra
from wassergraph.reproduction.noise import run_noise
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.render import render_page
from wassergraph.reproduction.results import cached, claim, content_key
from wassergraph.reproduction.runner import LOCKS, list_units, run_units
from wassergraph.reproduction.runtime import run_runtime
from wassergraph.reproduction.setups import SETUPS, load, setup
from wassergraph.reproduction.statistics import REPETITIONS

#: What a quick run is made of, one repetition on small sets without the slowest methods, and where it goes.
QUICK_SETS = ("MUTAG", "PTC_MR", "BZR", "COX2_MD", "SYNTHETICnew")
SLOW = "hgk"
QUICK_HOME = Path("out/quick")

#: Other readings of the paper, on sets where they may matter: (data set, kind, method).
VARIED = (
    *((name, "continuous", "wwl+svc") for name in ("ENZYMES", "BZR", "COX2", "BZR_MD", "COX2_MD")),
    *((name, "continuous", "wwl+wide") for name in ("BZR", "COX2", "COX2_MD", "SYNTHETICnew")),
    *((name, "continuous", "wwl+standardized") for name in ("BZR", "COX2", "SYNTHETICnew", "IMDB-BINARY")),
    *((name, "continuous", "wwl+raw") for name in ("BZR_MD", "COX2_MD", "Synthie")),
    *((name, "continuous", "wwl+keep") for name in ("ENZYMES", "BZR", "COX2_MD", "SYNTHETICnew", "Synthie")),
    *((name, "continuous", "wwl+joint") for name in ("ENZYMES", "BZR", "COX2")),
    *(
        (name, "continuous", "vh-c+depths")
        for name in ("IMDB-BINARY", "BZR", "COX2", "BZR_MD", "COX2_MD", "SYNTHETICnew", "Synthie")
    ),
    *((name, "continuous", "vh-c+standardized") for name in ("IMDB-BINARY", "SYNTHETICnew")),
    *((name, "continuous", "gh+unnormalized") for name in ("BZR", "COX2", "BZR_MD", "COX2_MD", "SYNTHETICnew")),
    *((name, "continuous", "rbf-wl+normalized") for name in ("BZR", "COX2", "BZR_MD", "COX2_MD", "SYNTHETICnew")),
    *((name, "continuous", "rbf-wl+columns") for name in ("ENZYMES", "PROTEINS_full", "BZR_MD", "COX2_MD")),
    *((name, "continuous", f"hgk-{base}+results") for base in ("wl", "sp") for name in ("BZR", "COX2_MD")),
    *(
        (name, "categorical", f"{m}+gaussian")
        for name in ("PROTEINS", "MUTAG", "PTC_MR", "ENZYMES", "DD")
        for m in "ve"
    ),
    ("NCI1", "categorical", "e+gaussian"),
    *((name, "categorical", f"{method}+normalized") for method in ("v", "wl", "wl-oa") for name in ("MUTAG", "PTC_MR")),
    ("PROTEINS", "continuous", "wwl"),
)


@dataclass(frozen=True)
class Surroundings:
    """Where results, matrices, the page and data sets are, what to run of it, and how."""

    results: Path = Path("results")
    page: Path = Path("docs/reproduction.md")
    quick: bool = False
    cache: Path | None = None
    data_home: str | Path | None = None
    only: tuple[str, ...] = ()
    repetitions: int = REPETITIONS
    threads: Threads = field(default_factory=Threads)
    tell: Callable[[str], None] = print


def surroundings(results: str | None = None, page: str | None = None, *, quick: bool = False) -> Surroundings:
    """Say where results and the page go; a quick run has places of its own, so that it never passes for a whole one."""
    home = QUICK_HOME if quick else Path()
    usual = Surroundings()
    return Surroundings(
        home / usual.results if results is None else Path(results),
        home / usual.page if page is None else Path(page),
        quick,
    )


def reproduce(
    what: Iterable[str],
    around: Surroundings,
    *,
    cache: str | Path | None = None,
    data_home: str | Path | None = None,
    only: Sequence[str] = (),
    repetitions: int = REPETITIONS,
    n_jobs: int | None = None,
    progress: bool = False,
    tell: Callable[[str], None] = print,
) -> None:
    """Run some of :data:`EXPERIMENTS`, in the order given; "all" is everything.

    What has results already is left alone; a run that is killed, or interrupted, goes on where it was.

    Parameters
    ----------
    what : iterable of str
        The names of experiments.
    around : Surroundings
        Where results go, of :func:`surroundings`.
    cache, data_home : str or Path, optional
        Folders for matrices, which are not kept without one, and of data sets.
    only : sequence of str
        Of tables, only these data sets or methods.
    repetitions : int
        How often each cross-validation is repeated.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.
    tell : callable
        What to do with a line about each thing that is done; by default it is printed.
    """
    names = list(what)
    unknown = [name for name in names if name not in (*EXPERIMENTS, "all")]
    if unknown:
        raise ValueError(f"there is no experiment {unknown[0]!r}: choose from {', '.join(EXPERIMENTS)} and all")
    known = {name for cell in (*CELLS, *VARIED) for name in (cell[0], cell[2])}
    strange = [name for name in only if name not in known]
    if strange:
        raise ValueError(f"no table has a data set or method {strange[0]!r}: choose from {', '.join(sorted(known))}")
    check_whole("repetitions", repetitions, 1)
    around.results.mkdir(parents=True, exist_ok=True)
    whole = replace(
        around,
        cache=None if cache is None else Path(cache),
        data_home=data_home,
        only=tuple(only),
        repetitions=repetitions,
        threads=Threads(n_jobs, progress),
        tell=tell,
    )
    for name in EXPERIMENTS if "all" in names else names:
        EXPERIMENTS[name](whole)


def render(around: Surroundings) -> Path:
    """Write the page from the results, and say where it is."""
    if not around.results.is_dir():
        raise FileNotFoundError(f"there is no folder {around.results}: run an experiment first, or name another folder")
    around.page.parent.mkdir(parents=True, exist_ok=True)
    render_page(around.results, around.page)
    return around.page


def _cells(cells: Sequence[tuple[str, str, str]]) -> Callable[[Surroundings], None]:
    """Make an experiment of (data set, kind, method)."""

    def run(around: Surroundings) -> None:
        chosen = [cell for cell in cells if _is_wanted(cell, around.only)]
        if around.quick:
            chosen = [cell for cell in chosen if cell[0] in QUICK_SETS and not cell[2].startswith(SLOW)]
        if not chosen:
            around.tell(f"nothing to run on {', '.join(dict.fromkeys(cell[0] for cell in cells))} with these options")
        units = list_units(chosen, range(1 if around.quick else around.repetitions))
        run_units(
            units,
            around.results,
            cache=around.cache,
            data_home=around.data_home,
            n_jobs=around.threads.n_jobs,
            progress=around.threads.progress,
            tell=around.tell,
        )

    return run


def _is_wanted(cell: Sequence[str], only: Sequence[str]) -> bool:
    """Whether a (data set, kind, method) is named: its data set, if data sets are, and its method, if methods are."""
    sets = {dataset for dataset, _ in SETUPS}
    by_set, by_method = set(only) & sets, set(only) - sets
    return (not by_set or cell[0] in by_set) and (not by_method or cell[-1] in by_method or len(cell) == 2)


def _table(number: int) -> list[tuple[str, str, str]]:
    """List the cells of a table, WWL on all data sets first."""
    cells = [(dataset, kind, method) for dataset, method, kind in TABLES[number - 1].keys]
    return sorted(cells, key=lambda cell: cell[2] != "wwl")


def _noise(around: Surroundings) -> None:
    _once(around, "noise.csv", lambda path: run_noise(path, quick=around.quick, **vars(around.threads)))


def _runtime(around: Surroundings) -> None:
    _once(around, "runtime.csv", lambda path: run_runtime(path, quick=around.quick, **vars(around.threads)))


def _once(around: Surroundings, name: str, run: Callable[[Path], None]) -> None:
    path = around.results / name
    with claim(around.results / LOCKS, name, wait=True):
        if path.exists() and (around.quick or not is_quick(path)):
            around.tell(f"{path} is there already: remove it to run it again")
            return
        run(path)
        around.tell(f"{path} is written")


def _definiteness(around: Surroundings) -> None:
    names = [cell for cell in SETUPS if (not around.quick or cell[0] in QUICK_SETS) and _is_wanted(cell, around.only)]
    sets = [(dataset, kind, _distances(dataset, kind, around)) for dataset, kind in names]
    path = around.results / "definiteness.csv"
    with claim(around.results / LOCKS, path.name, wait=True):
        run_spectra(path, sets, quick=around.quick, **vars(around.threads))
    around.tell(f"{path} is written")


def _distances(dataset: str, kind: Any, around: Surroundings) -> Callable[[], NDArray[Any]]:
    """Give a function for the distances of a data set at the depths whose kernels are looked at."""

    def compute() -> NDArray[Any]:
        graphs, _ = load(dataset, kind, around.data_home)
        (recipe,) = make_plan("wwl", kind, setup(dataset, graphs, kind)).recipes
        key = content_key(graphs, recipe)
        stack, _ = cached(around.cache, key, lambda: METHODS["wwl"].matrices(graphs, recipe, around.threads))
        return stack[[recipe.depths.index(depth) for depth in DEPTHS]]

    return compute


#: All cells of the paper: (data set, kind, method).
CELLS = (*_table(1), *_table(2), *_table(3), ("ENZYMES", "continuous", "wwl-sinkhorn"))
#: What can be run, in the order in which "all" runs it.
EXPERIMENTS: dict[str, Callable[[Surroundings], None]] = {
    "noise": _noise,
    "runtime": _runtime,
    "table1": _cells(_table(1)),
    "table2": _cells(_table(2)),
    "table3": _cells(_table(3)),
    "sinkhorn": _cells(CELLS[-1:]),
    "variants": _cells(VARIED),
    "definiteness": _definiteness,
}
