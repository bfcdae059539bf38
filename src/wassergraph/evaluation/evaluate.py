"""How good is a method on some graphs? Nested cross-validation of one or several, on the same folds, in one call.

graphs, y ──▶ a plan for each method ──▶ Trial ──repetition by repetition──▶ a Row for each ──▶ Report
              (kind, setup, recipe)      (matrices, once)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray
from wassergraph.embedding.scheme import Kind, learn_scheme
from wassergraph.evaluation.methods import METHODS, Threads
from wassergraph.evaluation.methods import Kind as ChosenKind
from wassergraph.evaluation.plans import Plan, make_plan
from wassergraph.evaluation.trial import FOLDS, INNER_FOLDS, MANY_GRAPHS, Trial
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole, count
from wassergraph.learning.classes import class_name, read_classes
from wassergraph.reproduction.paper import method_title
from wassergraph.reproduction.results import circumstances
from wassergraph.reproduction.setups import SETUPS, Setup, as_they_are

#: How graphs are used, by kind: what stands for "continuous" is for "joint", too.
Setups: TypeAlias = Mapping[str, Setup]

#: Stands for all methods that fit the data.
ALL = "all"
#: Other forms of a method that is there as well: evaluated only where they are named.
_FORMS = ("wwl-sinkhorn", "v-gaussian", "e-gaussian", "rbf-wl-columns")
_STEPS = {"matrices": "matrices", "selection": "selection", "training and test": "test"}


@dataclass(frozen=True, eq=False)
class Row:
    """How one method did.

    Attributes
    ----------
    title : str
        The name of the method as the paper writes it.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both were compared.
    features : str
        What was compared: "node labels", "node attributes", "one-hot labels", "degrees", "edge labels", ….
    standardized : bool
        Whether attributes were scaled.
    accuracy : (repetitions, folds) floats
        The share of test graphs that were classified correctly.
    parameters : list of list of dict
        What was chosen, for each repetition and fold, on the training part alone.
    seconds : dict
        The time of each step, added up over the repetitions; the matrices are computed once.
    unsolved : int
        How many candidates were left out in an inner fold: a machine, of theirs or of a smaller C, took too many steps.
    """

    title: str
    kind: str
    features: str
    standardized: bool
    accuracy: FloatArray
    parameters: list[list[dict[str, Any]]]
    seconds: dict[str, float]
    unsolved: int

    @property
    def mean(self) -> float:
        """The mean accuracy."""
        return float(self.accuracy.mean())

    @property
    def std(self) -> float:
        """The standard deviation of the repetitions' means; of a single repetition, that of its folds."""
        return float(np.std(self.accuracy.mean(axis=1) if len(self.accuracy) > 1 else self.accuracy[0]))

    def favorite(self) -> tuple[dict[str, Any], int]:
        """Give the parameters that were chosen most often, and in how many folds."""
        chosen = [fold for repetition in self.parameters for fold in repetition]
        favorite = max(chosen, key=chosen.count)
        return favorite, chosen.count(favorite)

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers as plain lists and dictionaries, ready for JSON."""
        return {**vars(self), "accuracy": self.accuracy.tolist(), "mean": self.mean, "std": self.std}


@dataclass(frozen=True, eq=False)
class Report:
    """What an evaluation found; print it for a table.

    Attributes
    ----------
    rows : dict of Row
        How each method did, by its name.
    classes : dict of int
        How many graphs each class has.
    folds, inner_folds : int
        How many parts the graphs were cut into, and their training parts to choose parameters.
    random_state : int
        The seed of the first repetition's folds; the next repetition has the next seed, and all methods the same folds.
    """

    rows: dict[str, Row]
    classes: dict[str, int]
    folds: int
    inner_folds: int
    random_state: int

    @property
    def repetitions(self) -> int:
        """How often the graphs were cut into folds anew."""
        return len(next(iter(self.rows.values())).accuracy)

    @property
    def majority(self) -> float:
        """The share of the largest class: what always answering with it would reach."""
        return max(self.classes.values()) / sum(self.classes.values())

    @property
    def accuracies(self) -> dict[str, FloatArray]:
        """The accuracies (repetitions, folds) by the title of the method, as :func:`draw_accuracies` takes them."""
        return {row.title: row.accuracy for row in self.rows.values()}

    @property
    def std_over(self) -> Literal["repetitions", "folds"]:
        """What the standard deviations are taken over."""
        return "repetitions" if self.repetitions > 1 else "folds"

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain lists and dictionaries, ready for JSON, with the versions that computed it."""
        return {
            "graphs": sum(self.classes.values()),
            "classes": self.classes,
            "majority_class": self.majority,
            "folds": self.folds,
            "inner_folds": self.inner_folds,
            "repetitions": self.repetitions,
            "random_state": self.random_state,
            "std_over": self.std_over,
            "methods": {name: row.to_dict() for name, row in self.rows.items()},
            **circumstances(),
        }

    def __str__(self) -> str:
        lines = [["method", "compares", "accuracy in %", *_STEPS.values(), "chosen most often (folds)"]]
        lines += [_cells(row) for row in self.rows.values()]
        lines.append(["largest class", "", f"{100 * self.majority:6.2f}", "", "", "", ""])
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        table = [
            "  ".join(
                cell.rjust(width) if 3 <= column <= 5 else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        head = f"{sum(self.classes.values()):,} graphs, {len(self.classes)} classes"
        return "\n".join([head, "", *table, "", *self._notes()])

    def _notes(self) -> list[str]:
        """Say how the numbers came about."""
        again = "" if self.repetitions == 1 else f", {self.repetitions} times with other folds"
        notes = [
            f"Cross-validation with {self.folds} folds{again}, the same for every method; parameters are chosen by "
            f"{self.inner_folds} inner folds",
            f"on the training part of each fold. ± is the standard deviation over {self._n_values()} {self.std_over}.",
        ]
        if sum(self.classes.values()) > MANY_GRAPHS:
            notes.append("Candidates that were far behind after some of the inner folds were not followed further.")
        scaled = ", ".join(row.title for row in self.rows.values() if row.standardized)
        notes += [f"Attributes were standardized for {scaled}."] if scaled else []
        notes += [
            f"{row.title}: {count(row.unsolved, 'candidate')} left out in an inner fold: a machine took too many steps."
            for row in self.rows.values()
            if row.unsolved
        ]
        return notes

    def _n_values(self) -> int:
        return self.repetitions if self.std_over == "repetitions" else self.folds


def _cells(row: Row) -> list[str]:
    """Write one method as the cells of a table."""
    parameters, times = row.favorite()
    written = ", ".join(f"{n} = {v:g}" if isinstance(v, int | float) else f"{n} = {v}" for n, v in parameters.items())
    accuracy = f"{100 * row.mean:6.2f} ± {100 * row.std:5.2f}"
    spent = [f"{row.seconds[step]:.2f} s" for step in _STEPS]
    return [row.title, row.features, accuracy, *spent, f"{written} ({times} of {row.accuracy.size})"]


def evaluate(
    graphs: Any,
    y: ArrayLike,
    *,
    method: str | Sequence[str] = "wwl",
    kind: Kind = "auto",
    standardize: bool | Literal["auto"] = "auto",
    setup: Setup | Setups | None = None,
    repetitions: int = 1,
    folds: int = FOLDS,
    inner_folds: int = INNER_FOLDS,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | Path | None = None,
) -> Report:
    """Estimate how well methods classify graphs: nested cross-validation, as in the paper, on the same folds for all.

    Every fold chooses the parameters of a method by cross-validation on its training graphs, trains a support vector
    machine with them, and is tested on graphs that took no part in either. With more than 2,000 graphs, candidates that
    are far behind after some of the inner folds are not followed further. The matrices of a method are computed once,
    of all graphs: standardized attributes know the mean and spread of all graphs, though no class.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader takes
        The graphs.
    y : (N) array
        The class of every graph.
    method : str or sequence of str
        "wwl", or the paper's methods to compare with: "v", "e", "wl" and "wl-oa" on labels, "vh-c", "rbf-wl", "hgk-wl",
        "hgk-sp" and "gh" on attributes; "wwl-sinkhorn"; a variant such as "wwl+joint" or "wwl+svc"; or "all", which is
        all that find in the graphs what they compare, but for other forms of a method ("wwl-sinkhorn", "v-gaussian").
    kind : "auto", "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared. By default each method takes what it is for, and one that is
        for several takes what :func:`wassergraph.wl_embedding` would: attributes if there are any. Graphs without
        labels have the degrees for labels; graphs without attributes one-hot labels, or degrees.
    standardize : bool or "auto"
        Whether to scale attributes; "auto" does if there are two or more of them, unless ``setup`` says otherwise.
    setup : Setup, or dict of Setup by kind, optional
        What to do to the graphs first; :func:`paper_setups` gives that of the paper for one of its data sets.
    repetitions : int
        How often to repeat it with other folds.
    folds, inner_folds : int
        How many parts to cut the graphs into, and their training parts to choose parameters; stratified, shuffled.
    random_state : int
        The seed of the folds; each repetition has the next one.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.
    cache : str or Path, optional
        A folder to keep matrices in, so that the next call need not compute them.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> report = wg.evaluate(graphs, y, method=["wl", "v"], folds=4, inner_folds=3)
    >>> report.rows["wl"].accuracy.shape, report.rows["wl"].mean > report.rows["v"].mean
    ((1, 4), True)
    """
    batch = as_batch(graphs)
    check_whole("repetitions", repetitions, 1)
    check_whole("random_state", random_state, 0)
    classes = _check_classes(y, len(batch), folds, inner_folds)
    jobs = _jobs(batch, method, kind, standardize, setup)
    rows = {}
    for number, job in enumerate(jobs, 1):
        if progress and len(jobs) > 1 and sys.stderr is not None:
            print(f"{job.title}, {number} of {len(jobs)} methods", file=sys.stderr)
        with warnings.catch_warnings():  # said already, once
            warnings.filterwarnings("ignore", message="the class .* fewer than the", category=UserWarning)
            folder = None if cache is None else Path(cache)
            trial = Trial(job.graphs, y, job.plan, cache=folder, threads=Threads(n_jobs, progress))
            seeds = range(random_state, random_state + repetitions)
            rows[job.method] = _row(
                job, [trial.repetition(seed, folds=folds, inner_folds=inner_folds) for seed in seeds]
            )
    return Report(rows, classes, folds, inner_folds, random_state)


def paper_setups(name: str) -> dict[str, Setup]:
    """Say how the paper uses a data set, by kind; empty if the paper has it not."""
    return {kind: used for (dataset, kind), used in SETUPS.items() if dataset == name}


def fitting_methods(graphs: GraphBatch, kind: Kind = "auto", setup: Setup | Setups | None = None) -> list[str]:
    """Name the methods that find in the graphs what they compare.

    Those on labels need node labels, E edge labels; those on attributes need some, or graphs without labels, whose
    degrees they take; with a kind, only those that are for it are named.
    """
    prepared = _prepare(graphs, _of_kind(setup, "continuous"))
    labels, attributes = graphs.node_labels is not None, prepared.node_attributes is not None
    present = {"categorical"} if labels else set()
    present |= {"continuous"} if attributes or not labels else set()
    wanted = present if kind == "auto" else {kind}
    lacking = () if graphs.edge_labels is not None else ("e",)
    return [name for name, known in METHODS.items() if wanted & set(known.kinds) and name not in (*lacking, *_FORMS)]


@dataclass(frozen=True, eq=False)
class _Job:
    """A method, planned: the graphs as it takes them, and what it compares."""

    method: str
    plan: Plan
    graphs: GraphBatch
    features: str

    @property
    def title(self) -> str:
        return method_title(self.method)


def _jobs(
    graphs: GraphBatch, method: str | Sequence[str], kind: Kind, standardize: Any, setup: Setup | Setups | None
) -> list[_Job]:
    """Plan all methods, so that a mistake is told before the work begins."""
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}")
    if standardize not in (True, False, "auto"):
        raise ValueError(f'standardize must be True, False or "auto", got {standardize!r}')
    methods = [method] if isinstance(method, str) else list(method)
    while ALL in methods:
        place = methods.index(ALL)
        methods[place : place + 1] = fitting_methods(graphs, kind, setup)
    if not methods:
        raise ValueError(f"there is no method to evaluate: choose from {', '.join(METHODS)}, or {ALL}")
    return [_job(graphs, each, kind, standardize, setup) for each in dict.fromkeys(methods)]


def _job(graphs: GraphBatch, method: str, kind: Kind, standardize: Any, setup: Setup | Setups | None) -> _Job:
    taken = _choose_kind(graphs, method, setup) if kind == "auto" else kind
    used = _of_kind(setup, taken)
    prepared = _prepare(graphs, used)
    if used is None:
        used = Setup(as_they_are, standardize=learn_scheme(prepared, kind=taken).n_attributes > 1)
    if standardize != "auto":
        used = replace(used, standardize=bool(standardize))
    plan = make_plan(method, taken, used)
    return _Job(method, plan, prepared, _features(graphs, prepared, method, plan.recipes[0].kind))


def _choose_kind(graphs: GraphBatch, method: str, setup: Setup | Setups | None) -> ChosenKind:
    """Say which kind a method takes of itself; one that is not known takes any, and is refused later."""
    prepared = _prepare(graphs, _of_kind(setup, "continuous"))
    automatic = learn_scheme(prepared, kind="auto").kind
    known = METHODS.get(method.partition("+")[0])
    return automatic if known is None or automatic in known.kinds else known.kinds[0]


def _features(graphs: GraphBatch, prepared: GraphBatch, method: str, kind: ChosenKind) -> str:
    """Say what is compared; attributes that were made of labels or degrees are called by what they were made of."""
    if method.partition("+")[0] in ("e", "e-gaussian"):
        return "number of edges" if prepared.edge_labels is None else "edge labels"
    after = learn_scheme(prepared, kind=kind)
    if kind != "continuous" or graphs.node_attributes is not None:
        return after.features
    before = learn_scheme(graphs, kind=kind)
    made = np.array_equal(before.attributes(graphs), after.attributes(prepared))
    return before.features if made else after.features


def _of_kind(setup: Setup | Setups | None, kind: str) -> Setup | None:
    if isinstance(setup, Mapping):
        return setup.get("continuous" if kind == "joint" else kind)
    return setup


def _prepare(graphs: GraphBatch, setup: Setup | None) -> GraphBatch:
    return graphs if setup is None else setup.prepare(graphs)


def _row(job: _Job, records: Sequence[Mapping[str, Any]]) -> Row:
    """Bring the repetitions of a method together."""
    times = [record["seconds"] for record in records]
    seconds = {step: sum(each[step] for each in times) for step in times[0]}
    recipe = job.plan.recipes[0]
    return Row(
        title=job.title,
        kind=recipe.kind,
        features=job.features,
        standardized=recipe.standardize,
        accuracy=np.array([record["accuracy"] for record in records]),
        parameters=[record["parameters"] for record in records],
        seconds={**seconds, "matrices": times[0]["matrices"]},
        unsolved=sum(record["unsolved"] for record in records),
    )


def _check_classes(y: ArrayLike, n_graphs: int, folds: int, inner_folds: int) -> dict[str, int]:
    """Make sure that folds can be cut, before long work begins; gives how many graphs each class has."""
    classes, codes = read_classes(y, n_graphs)
    counts = np.bincount(codes)
    check_whole("folds", folds, 2)
    training = counts - -(-counts // folds)  # that many at least train in every fold
    for name, number, most in [("folds", folds, counts.max()), ("inner_folds", inner_folds, training.max())]:
        if check_whole(name, number, 2) > most:
            part = "" if name == "folds" else " in the training part of a fold"
            raise ValueError(
                f"{name} must be from 2 to {most}, the number of graphs in the largest class{part}; got {number}"
            )
    rare = class_name(classes[counts.argmin()])
    if training.min() < 2:
        raise ValueError(
            f"the class {rare} has {counts.min()} graphs, too few for {folds} folds with others inside: "
            f"{3 if folds > 2 else 4} are needed; leave the class out, or give it more graphs"
        )
    if counts.min() < folds:
        warnings.warn(
            f"the class {rare} has {counts.min()} graphs, fewer than the {folds} folds: some folds test without it",
            stacklevel=3,
        )
    return {str(name): int(number) for name, number in zip(classes, counts, strict=True)}
