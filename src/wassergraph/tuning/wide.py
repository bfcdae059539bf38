"""The wide search, which also chooses the data that distances use, and how the numbers of nodes enter them.

It chooses among a list of metrics, of which the first is kept unless another one is clearly better.
:mod:`wassergraph.tuning.screening` saves the distances of those that are not worth their cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from sklearn.base import clone

from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.learners.effort import Effort
from wassergraph.metrics.decisions import EdgeLabels, Kind, Masses, candidate_masses, choose_features, choose_kind
from wassergraph.metrics.wwl import WWL
from wassergraph.tuning.candidates import Family, depths_of, families_of
from wassergraph.tuning.grid import is_auto

#: What a model chooses: among the values of its metric, and regularization, as the paper does; or also the metric.
Search: TypeAlias = Literal["auto", "metric", "wide"]
DecidedSearch: TypeAlias = Literal["metric", "wide"]
#: Up to so many graphs every way is computed for all of them; with more, see :mod:`wassergraph.tuning.screening`.
SCREENED_ABOVE = 800
#: By default, larger collections of graphs other than molecules are searched as in the paper: the wide search keeps up
#: to 43 matrices in memory, 9 GB for so many graphs.
MOST_GRAPHS = 5_000

#: The values of gamma, as multiples of one over the median of a matrix, and those of C.
WIDE_GAMMAS = (0.1, 0.3, 1.0, 3.0)
WIDE_C_VALUES = (1e-1, 1e0, 1e1, 1e2, 1e3)
#: Ways other than the paper's are tried up to this depth: deeper ones are rarely chosen, and cost as much.
WIDE_DEPTH = 4
#: The most work: after each inner fold the best matrices remain, and among their candidates those near the best. With
#: many candidates the best one is often best by chance, so that the paper's way is kept unless another one is better by
#: three quarters of a standard error.
WIDE_EFFORT = Effort(margin=3.0, keep=(24, 12, 6), lead=0.75, max_iter=300_000, skip_unsolved=True)


def decide_search(search: Search, graphs: GraphBatch, *, numbers: bool = False, pinned: bool = False) -> DecidedSearch:
    """Return which search is made.

    Parameters
    ----------
    search : "auto", "metric" or "wide"
        The choice of the user. "auto" is the wide search for molecules, and for classes of up to 5,000 other graphs,
        unless parameters are given that it would choose.
    graphs : GraphBatch
        The training graphs.
    numbers : bool
        Whether numbers are learned, not classes.
    pinned : bool
        Whether values are given for a parameter that a wide search chooses.

    Returns
    -------
    "metric" or "wide"
    """
    check_choice("search", search, Search)
    if search != "auto":
        return search
    is_open = not pinned and (graphs.molecules or not (numbers or len(graphs) > MOST_GRAPHS))
    return "wide" if is_open else "metric"


def decides_itself(metric: WWL) -> bool:
    """Return whether a metric has values for parameters that a wide search chooses."""
    return not is_auto(metric.depth) or metric.degrees or not (is_auto(metric.size_weight) or metric.size_weight == 0)


def wide_metrics(graphs: object, metric: WWL | None = None) -> list[WWL]:
    """Return the metrics that the wide search of models compares, of which the first is kept unless another is better.

    For molecules these are both labels and attributes, and labels alone, with both masses. For other graphs they are
    attributes, labels, and both together, as far as the graphs have them, with and without edge labels and degrees,
    with each mass; the first compares what ``metric`` does, and the others have depths of at most 4.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        The training graphs.
    metric : WWL, optional
        What it says, other than "auto", is said by all metrics that are returned; by default ``WWL()``.

    Returns
    -------
    list of WWL
        Metrics that have learned nothing yet. A model with this list and ``search="wide"`` is one with
        ``search="wide"`` alone; metrics can be removed from it, or added.

    See Also
    --------
    GraphClassifier : chooses one of several metrics
    WWL : the metric

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> metrics = wg.wide_metrics(graphs, wg.WWL(kind="categorical"))
    >>> [metric.mass for metric in metrics]
    ['share', 'count']
    >>> model = wg.GraphClassifier([*metrics, wg.WWL(depth=2, mass="count")], search="wide").fit(graphs, y)
    >>> len(model.grid_scores_.grid.matrices)
    22
    """
    batch, template = as_batch(graphs), WWL() if metric is None else metric
    if not isinstance(template, WWL):
        raise InputTypeError(f"{{}} must be a WWL, such as WWL(depth=3), got {metric!r}", options=[Option("metric")])
    for name, value in (("degrees", template.degrees), ("size_weight", template.size_weight)):
        if value and not is_auto(value):
            remedy = "leave it out, or let a model search its metric alone, with {}"
            options = [Option(name, value), Option("search", "metric")]
            raise InputError("the wide search chooses this itself, but {} is given", remedy=remedy, options=options)
    if not batch.molecules:
        return _of_graphs(batch, template)
    check_choice("kind", template.kind, Kind)
    both: list[Kind] = ["joint", "categorical"] if batch.node_attributes is not None else ["categorical"]
    return [_changed(template, kind=kind) for kind in (both if template.kind == "auto" else [template.kind])]


def wide_families(graphs: GraphBatch, metrics: WWL | Sequence[WWL]) -> list[Family]:
    """Return the families of a wide search: those of some metrics, or of those that are made from one.

    Attributes of molecules help more often than they harm, so that they are preferred, unless there are so many
    molecules that attributes must earn their cost.
    """
    several = wide_metrics(graphs, metrics) if isinstance(metrics, WWL) else metrics
    if not graphs.molecules:
        return families_of(several, graphs, shown=lambda name: name not in ("label_weight", "stereo"), preferred=True)
    preferred = len(graphs) <= SCREENED_ABOVE and choose_kind(graphs, several[0].kind)[0] == "joint"
    shown = {"kind", "mass", *(("stereo",) if len({metric.stereo for metric in several}) > 1 else ())}
    return families_of(several, graphs, shown=lambda name: name in shown, preferred=preferred)


def _of_graphs(graphs: GraphBatch, template: WWL) -> list[WWL]:
    learned = clone(template).set_params(mass="share").learn(graphs)
    if learned.kind != "categorical":
        template = _changed(template, standardize=learned.standardized)
    tried: Masses = ("share", "count") if is_auto(template.mass) else template.mass
    kinds, masses, attributes = _kinds(graphs, template.kind), candidate_masses(graphs, tried), graphs.node_attributes
    ways: list[dict[str, Any]] = []
    if "continuous" in kinds:
        ways += [{"kind": "continuous", "mass": mass, "edge_labels": "ignore"} for mass in masses]
        # Unless the degree is an attribute already.
        if attributes is not None and not (attributes == graphs.degrees[:, None]).all(axis=0).any():
            ways.append({**ways[0], "degrees": True})
    if "categorical" in kinds:
        refined = _refinements(graphs, template.edge_labels)
        ways += [{"kind": "categorical", "mass": mass, "edge_labels": each} for each in refined for mass in masses]
    if "joint" in kinds:
        several = masses if template.kind == "joint" else masses[:1]
        ways += [{"kind": "joint", "mass": mass, "edge_labels": template.edge_labels} for mass in several]
    for way in ways:  # the size term is tried where distances do not know the size yet
        unknown = way["mass"] == "share" and way["kind"] != "joint" and "degrees" not in way
        way["size_weight"] = "auto" if unknown else 0.0

    def is_other(way: dict[str, Any]) -> bool:
        return "degrees" in way or choose_features(graphs, way["kind"], way["edge_labels"]) is not learned.features

    first, *others = sorted(ways, key=is_other)
    depths = depths_of(template)
    shallow = tuple(depth for depth in depths if depth <= WIDE_DEPTH) or depths[:1]
    return [_changed(template, **first), *(_changed(template, **way, depth=shallow) for way in others)]


def _changed(metric: WWL, **parameters: Any) -> WWL:
    """Return a metric that has learned nothing, with other parameters."""
    changed: WWL = clone(metric).set_params(**parameters)
    return changed


def _kinds(graphs: GraphBatch, kind: Kind) -> list[Kind]:
    """Return the kinds to compare."""
    check_choice("kind", kind, Kind)
    if kind != "auto":
        return [kind]
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    present: dict[Kind, bool] = {
        "continuous": attributes or graphs.edge_weights is not None,
        "categorical": True,
        "joint": labels and attributes,
    }
    return [each for each, is_present in present.items() if is_present]


def _refinements(graphs: GraphBatch, edge_labels: EdgeLabels) -> list[EdgeLabels]:
    """Return whether labels are refined over edge labels; both, if that is not decided and there are edge labels."""
    check_choice("edge_labels", edge_labels, EdgeLabels)
    if edge_labels != "auto":
        return [edge_labels]
    return ["ignore", "use"] if graphs.edge_labels is not None and graphs.node_labels is not None else ["ignore"]
