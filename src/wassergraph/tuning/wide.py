"""The wide search, which also chooses the data that distances use, and how the numbers of nodes enter them.

A *family* is one way to embed graphs: its distances are computed once for all depths. With the size term they are
further candidates, which cost no transport. :mod:`wassergraph.tuning.screening` saves the distances of families that
are not worth their cost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeAlias

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_choice
from wassergraph.learners.effort import Effort
from wassergraph.metrics.decisions import EdgeLabels, Kind, Masses, candidate_masses
from wassergraph.metrics.node_embedding import Mass
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.wwl import WWL
from wassergraph.tuning.candidates import Family

#: What a model chooses: among the values of its metric, and regularization, as the paper does; or also the metric.
Search: TypeAlias = Literal["auto", "metric", "wide"]
DecidedSearch: TypeAlias = Literal["metric", "wide"]
#: Up to so many graphs every way is computed for all of them; with more, see :mod:`wassergraph.tuning.screening`.
MANY_GRAPHS = 800
#: By default, larger collections of graphs other than molecules are searched as in the paper: the wide search keeps up
#: to 43 matrices in memory, 9 GB for so many graphs.
MOST_GRAPHS = 5_000

#: The values of gamma, as multiples of one over the median of a matrix, and those of C.
WIDE_GAMMAS = (0.1, 0.3, 1.0, 3.0)
WIDE_C_VALUES = (1e-1, 1e0, 1e1, 1e2, 1e3)
#: The weights of the size term, relative to the distances.
SIZE_SHARES = (0.0, 0.3)
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


def wide_families(
    graphs: GraphBatch,
    *,
    kind: Kind = "auto",
    edge_labels: EdgeLabels = "auto",
    mass: Masses = "auto",
    **options: Any,
) -> list[Family]:
    """Return the families to choose from, first that of the paper's search, or for molecules those of labels.

    Parameters
    ----------
    graphs : GraphBatch
        The training graphs.
    kind : "auto", "categorical", "continuous" or "joint"
        What to compare: "auto" is attributes, labels, and both together, as far as the graphs have them; for molecules
        labels, and both together. Graphs without labels have their degrees as labels.
    edge_labels : "auto", "use" or "ignore"
        Whether labels are refined over edge labels: "auto" tries both, if there are any; for molecules it is "use".
    mass : "auto", "share", "count", or a sequence of the last two
        The masses: "auto" tries both.
    **options
        Other parameters of :class:`wassergraph.WWL`.

    Returns
    -------
    list of Family
    """
    if graphs.molecules:
        return _molecule_families(graphs, kind, edge_labels=edge_labels, mass=mass, **options)
    paper = WWL(kind=kind, edge_labels=edge_labels, **options).learn(graphs)
    if paper.kind != "categorical":
        options["standardize"] = paper.standardized
    kinds, masses = _kinds(graphs, kind), candidate_masses(graphs, ("share", "count") if mass == "auto" else mass)
    families = []
    if "continuous" in kinds:
        families += [_family(graphs, "continuous", each, **options) for each in masses]
        if graphs.node_attributes is not None and not _has_degrees(graphs):
            families.append(_family(graphs, "continuous", masses[0], degrees=True, **options))
    if "categorical" in kinds:
        refined = _refinements(graphs, edge_labels)
        families += [_family(graphs, "categorical", m, edge_labels=e, **options) for e in refined for m in masses]
    if "joint" in kinds:
        several = masses if kind == "joint" else masses[:1]
        families += [_family(graphs, "joint", each, edge_labels=edge_labels, **options) for each in several]
    families.sort(key=lambda family: not _is_paper(family, paper))
    return [replace(families[0], preferred=True), *(replace(family, deepest=WIDE_DEPTH) for family in families[1:])]


def _molecule_families(graphs: GraphBatch, kind: Kind, *, mass: Masses, **options: Any) -> list[Family]:
    """Return the families of molecules: both labels and attributes, and labels alone, with both masses.

    Attributes help more often than they harm, so that both together are preferred, unless there are so many graphs that
    they must earn their cost.
    """
    check_choice("kind", kind, Kind)
    both: list[Kind] = ["joint", "categorical"] if graphs.node_attributes is not None else ["categorical"]
    schemes = [
        WWL(kind=each, mass=one, **options).learn(graphs)
        for each in (both if kind == "auto" else [kind])
        for one in candidate_masses(graphs, mass)
    ]
    preferred = len(graphs) <= MANY_GRAPHS
    return [
        Family(scheme, {"kind": scheme.kind, "mass": scheme.mass}, preferred=preferred and scheme.kind == "joint")
        for scheme in schemes
    ]


def _is_paper(family: Family, paper: Scheme) -> bool:
    """Return whether a family compares what the paper's search compares, apart from its mass."""
    return family.scheme.features is paper.features and not family.scheme.degrees


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


def _family(graphs: GraphBatch, kind: Kind, mass: Mass, **options: Any) -> Family:
    scheme = WWL(kind=kind, mass=mass, **{"edge_labels": "ignore", **options}).learn(graphs)
    parameters = {
        "kind": scheme.kind,
        "edge_labels": scheme.features.uses_edge_labels,
        "degrees": scheme.degrees,
        "mass": mass,
        "size_weight": 0.0,
    }
    with_sizes = mass == "share" and kind != "joint" and not scheme.degrees
    return Family(scheme, parameters, SIZE_SHARES if with_sizes else (0.0,))


def _has_degrees(graphs: GraphBatch) -> bool:
    """Return whether the degree is an attribute already."""
    assert graphs.node_attributes is not None
    return bool((graphs.node_attributes == graphs.degrees[:, None]).all(axis=0).any())
