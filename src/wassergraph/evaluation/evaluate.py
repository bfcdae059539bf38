"""Nested cross-validation of one method or several, on the same folds, in one call.

graphs, y ──▶ a plan for each method ──Trial──▶ repetitions ──▶ a Row for each method ──▶ Report
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.embedding.node_embedding import EmbeddingKind, Features
from wassergraph.embedding.scheme import EdgeLabels, Kind, Masses, Standardize, check_standardize, learn_scheme
from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.methods import METHODS, Method, method_title
from wassergraph.evaluation.plans import Choices, Plan, plan_for
from wassergraph.evaluation.preparation import Preparations, preparation_for
from wassergraph.evaluation.repetition import Repetition
from wassergraph.evaluation.report import EdgeFeatures, Report, Row
from wassergraph.evaluation.trial import Trial
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice, check_whole
from wassergraph.learning.classes import class_name, read_classes
from wassergraph.learning.classification import INNER_FOLDS, OUTER_FOLDS
from wassergraph.learning.folds import Auto, check_seed, fit_folds

#: The name for every method that applies to the graphs.
ALL = "all"


def evaluate(
    graphs: Any,
    y: ArrayLike,
    *,
    method: str | Sequence[str] = "wwl",
    kind: Kind = "auto",
    standardize: Standardize = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Masses = "auto",
    depth: int | Sequence[int] | None = None,
    gamma: float | Sequence[float] | None = None,
    C: float | Sequence[float] | None = None,  # noqa: N803 - scikit-learn's name
    preparation: Preparations | None = None,
    repetitions: int = 1,
    folds: int | Auto = "auto",
    inner_folds: int | Auto = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    cache: str | Path | None = None,
) -> Report:
    """Estimate how accurately methods classify graphs, by nested cross-validation on the same folds for all methods.

    In every outer fold, the parameters of a method are chosen by cross-validation on the training graphs (the inner
    folds), an SVM is trained with them, and it is tested on the graphs of the fold, which were used for neither. With
    more than 2,000 graphs, candidates that are far behind the best after an inner fold are not evaluated on the next
    ones. The matrices of a method are computed once, for all graphs: if attributes are standardized, the mean and
    standard deviation are those of all graphs, but classes are not used.

    Parameters
    ----------
    graphs : GraphBatch, or anything that a reader accepts
        The graphs.
    y : (N) array
        The class of every graph.
    method : str or sequence of str
        "wwl"; "v", "e", "wl" and "wl-oa", which compare labels; "vh-c", "rbf-wl", "hgk-wl", "hgk-sp" and "gh", which
        compare attributes; "wwl-sinkhorn"; a variant such as "wwl+joint" or "wwl+svc"; or "all", which is every method
        that applies to these graphs, without other forms of a method such as "wwl-sinkhorn". Upper and lower case are
        the same.
    kind : "auto", "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared. With "auto", a method that is defined for one kind uses that
        one; others use attributes if there are any, as :func:`wassergraph.wl_embedding` does. Where graphs have no
        labels, degrees take their place; where they have no attributes, one-hot labels or degrees do.
    standardize : bool or "auto"
        Whether to standardize attributes. "auto" follows ``preparation``; without one, attributes are
        standardized if there are two or more of them, as in :func:`wassergraph.wl_embedding`. The report shows the
        decision.
    edge_labels : "auto", "use" or "ignore"
        Whether methods that refine labels do so over edge labels, too; "auto" does so for molecules.
    mass : "auto", "share", "count", or a sequence of the last two
        The masses that WWL chooses from; "auto" is both for molecules and "share" for other graphs, as in
        :class:`wassergraph.WWLClassifier`.
    depth, gamma, C : number or sequence of numbers, optional
        The values to choose from, for the methods that have such a parameter; by default those of the paper.
    preparation : Preparation, or dict of Preparation by kind, optional
        How to prepare the graphs of a data set before they are compared; the command line uses it for the data sets of
        the paper.
    repetitions : int
        How often to repeat the cross-validation with new random folds.
    folds, inner_folds : int or "auto"
        The numbers of outer folds, and of inner folds, which are used to choose parameters. Both are stratified and
        shuffled. "auto" is 10 outer and 5 inner folds, or fewer, with a warning, if no class has as many graphs.
    random_state : int
        The seed of the folds; each repetition has the next one.
    n_jobs, progress
        As in :func:`wassergraph.wwl_distances`.
    cache : str or Path, optional
        A folder to keep matrices in, so that the next call need not compute them.

    Returns
    -------
    Report
        The accuracies, chosen parameters and times of every method; ``print`` it for a table.

    Raises
    ------
    ValueError
        If an option is wrong, a method does not apply to the graphs, or a class has too few graphs for the folds.

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
    check_seed(check_whole("random_state", random_state, 0) + repetitions - 1)
    classes, folds, inner_folds = _check_classes(y, len(batch), folds, inner_folds)
    settings = _Settings(kind, standardize, edge_labels, mass, Choices.read(depth, gamma, C), preparation)
    planned = _plan_methods(batch, method, settings)
    rows = {}
    for number, each in enumerate(planned, 1):
        if progress and len(planned) > 1 and sys.stderr is not None:
            print(f"{method_title(each.name)}, {number} of {len(planned)} methods", file=sys.stderr)
        with _without_repeated_warnings():
            folder = None if cache is None else Path(cache)
            trial = Trial(each.graphs, y, each.plan, cache=folder, threads=Threads(n_jobs, progress))
            seeds = range(random_state, random_state + repetitions)
            rows[each.name] = each.row([trial.run(seed, folds=folds, inner_folds=inner_folds) for seed in seeds])
    return Report(rows, classes, folds, inner_folds, random_state)


def applicable_methods(graphs: GraphBatch, kind: Kind = "auto", preparation: Preparations | None = None) -> list[str]:
    """Return the names of the methods that apply to graphs, without other forms of a method.

    Methods that compare labels need node labels, and "e" needs edge labels; those that compare attributes need node
    attributes, or graphs without labels, whose degrees they use.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    kind : "auto", "categorical", "continuous" or "joint"
        If not "auto", only the methods that are defined for this kind are returned.
    preparation : Preparation, or dict of Preparation by kind, optional
        What is done to the graphs first.

    Returns
    -------
    list of str
        Names of :data:`wassergraph.evaluation.methods.METHODS`.
    """
    prepared = preparation_for("continuous", preparation).prepare(graphs)
    has_labels = graphs.node_labels is not None
    present: set[str] = {"categorical"} if has_labels else set()
    present |= {"continuous"} if prepared.node_attributes is not None or not has_labels else set()
    kinds = present if kind == "auto" else {kind}

    def applies(method: Method) -> bool:
        has_edges = graphs.edge_labels is not None or not method.compares_edges
        return method.form_of is None and has_edges and bool(kinds & set(method.kinds))

    return [name for name, method in METHODS.items() if applies(method)]


@dataclass(frozen=True, eq=False)
class _PlannedMethod:
    """A method with its plan, the prepared graphs, and what it uses of them."""

    name: str
    plan: Plan
    graphs: GraphBatch
    features: Features | EdgeFeatures

    def row(self, repetitions: Sequence[Repetition]) -> Row:
        options = self.plan.options[0]
        return Row(method_title(self.name), options.kind, self.features, options.standardize, tuple(repetitions))


class _Settings(NamedTuple):
    """What is common to all methods of an evaluation."""

    kind: Kind
    standardize: Standardize
    edge_labels: EdgeLabels
    mass: Masses
    choices: Choices
    preparations: Preparations | None

    def check(self, plans: Sequence[Plan]) -> None:
        """Raise an error if an option is given that no method has."""
        self.choices.check(plans)
        if self.mass != "auto" and not any(METHODS[plan.options[0].method].has_masses for plan in plans):
            problem = "{} is an option of exact WWL distances, which none of these methods uses"
            raise InputError(problem, remedy="remove it", options=[Option("mass")])


def _plan_methods(graphs: GraphBatch, method: str | Sequence[str], settings: _Settings) -> list[_PlannedMethod]:
    """Plan all methods, so that errors are raised before any computation."""
    check_choice("kind", settings.kind, Kind)
    check_standardize(settings.standardize)
    names = [_known_method(name) for name in ([method] if isinstance(method, str) else method)]
    applicable = applicable_methods(graphs, settings.kind, settings.preparations) if ALL in names else []
    names = [each for name in names for each in (applicable if name == ALL else [name])]
    if not names:
        raise InputError(
            "there is no method to evaluate",
            remedy=f"choose {{}} from {', '.join(METHODS)}, or {ALL}",
            options=[Option("method")],
        )
    planned = [_plan_method(graphs, name, settings) for name in dict.fromkeys(names)]
    settings.check([each.plan for each in planned])
    return planned


def _known_method(name: str) -> str:
    """Return the name of a method in lower case; raise an error that names a similar one if there is none."""
    base = name.lower().partition("+")[0]
    if base not in METHODS and base != ALL:
        raise InputError(
            f"{{}} must be one of {', '.join(METHODS)}, {ALL}, or a variant such as wwl+joint, got {name!r}",
            remedy=did_you_mean(base, [*METHODS, ALL]),
            options=[Option("method")],
        )
    return name.lower()


def _plan_method(graphs: GraphBatch, name: str, settings: _Settings) -> _PlannedMethod:
    kind, preparations = settings.kind, settings.preparations
    used = _default_kind(graphs, name, preparations) if kind == "auto" else kind
    preparation = preparation_for(used, preparations)
    if settings.standardize != "auto":
        preparation = replace(preparation, standardize=bool(settings.standardize))
    prepared = preparation.prepare(graphs)
    plan = settings.choices.apply(
        plan_for(prepared, name, used, preparation, edge_labels=settings.edge_labels, mass=settings.mass)
    )
    return _PlannedMethod(name, plan, prepared, _features(graphs, prepared, plan))


def _default_kind(graphs: GraphBatch, name: str, preparations: Preparations | None) -> EmbeddingKind:
    """Return the kind that a method uses by default; for an unknown method any kind, since an error is raised later."""
    prepared = preparation_for("continuous", preparations).prepare(graphs)
    automatic = learn_scheme(prepared, kind="auto").kind
    method = METHODS.get(name.partition("+")[0])
    return automatic if method is None or automatic in method.kinds else method.kinds[0]


def _features(graphs: GraphBatch, prepared: GraphBatch, plan: Plan) -> Features | EdgeFeatures:
    """Return what is compared; attributes that are labels or degrees count as these."""
    options = plan.options[0]
    if METHODS[options.method].compares_edges:
        return EdgeFeatures.EDGE_COUNT if prepared.edge_labels is None else EdgeFeatures.EDGE_LABELS
    after = learn_scheme(prepared, kind=options.kind, edge_labels=options.refined_over)
    if options.kind != "continuous" or graphs.node_attributes is not None:
        return after.features
    before = learn_scheme(graphs, kind=options.kind)
    are_equal = np.array_equal(before.attributes(graphs), after.attributes(prepared))
    return before.features if are_equal else after.features


@contextmanager
def _without_repeated_warnings() -> Iterator[None]:
    """Suppress the warning about rare classes, which is shown once for all methods."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the class .* fewer than the", category=UserWarning)
        yield


def _check_classes(
    y: ArrayLike, n_graphs: int, folds: int | Auto, inner_folds: int | Auto
) -> tuple[dict[str, int], int, int]:
    """Check that there are enough graphs for the folds.

    Returns
    -------
    classes : dict of int
        The number of graphs in each class.
    folds, inner_folds : int
        The numbers of folds.
    """
    classes, numbers = read_classes(y, n_graphs)
    counts = np.bincount(numbers)
    folds = check_whole("folds", fit_folds(folds, OUTER_FOLDS, int(counts.max())), 2)
    training = counts - -(-counts // folds)  # the smallest number of training graphs of each class in any fold
    _check_folds("folds", folds, int(counts.max()), "")
    inner_folds = fit_folds(inner_folds, INNER_FOLDS, int(training.max()), what="inner folds")
    _check_folds("inner_folds", inner_folds, int(training.max()), " in the training part of a fold")
    rare = class_name(classes[counts.argmin()])
    if training.min() < 2:
        needed = 3 if folds > 2 else 4
        raise InputError(
            f"the class {rare} has {counts.min()} graphs, but nested cross-validation with {folds} folds needs "
            f"{needed}",
            remedy="leave the class out, or add graphs to it",
        )
    if counts.min() < folds:
        warnings.warn(
            f"the class {rare} has {counts.min()} graphs, fewer than the {folds} folds: some folds test without it",
            stacklevel=3,
        )
    return {str(name): int(number) for name, number in zip(classes, counts, strict=True)}, folds, inner_folds


def _check_folds(name: str, number: int, most: int, part: str) -> None:
    if check_whole(name, number, 2) > most:
        raise InputError(
            f"{{}} must be from 2 to {most}, the number of graphs in the largest class{part}, got {number}",
            options=[Option(name)],
        )
