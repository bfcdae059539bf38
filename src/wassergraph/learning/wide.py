"""The wide search: what graphs are compared by, and how sizes count, are chosen, too.

A *family* is one way to embed graphs: its distances are computed once for all depths. With the size term they are
further candidates, which cost no transport.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.node_embedding import Mass
from wassergraph.embedding.scheme import Kind, Standardize, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.candidates import Family
from wassergraph.learning.effort import Effort

Search: TypeAlias = Literal["paper", "wide"]

#: The values of gamma, as multiples of one over the median of a matrix, and those of C.
WIDE_GAMMAS = (0.1, 0.3, 1.0, 3.0)
WIDE_C_VALUES = (1e-1, 1e0, 1e1, 1e2, 1e3)
#: The weights of the size term, relative to the distances.
SIZE_SHARES = (0.0, 0.3)
#: The most work: after each inner fold the best matrices remain, and among their candidates those near the best. With
#: many candidates the best one is often best by chance, so that the paper's way is kept unless another one is better by
#: half a standard error.
WIDE_EFFORT = Effort(margin=3.0, keep=(24, 12, 6), lead=0.5, max_iter=300_000, skip_unsolved=True)


def wide_families(
    graphs: GraphBatch, *, kind: Kind = "auto", standardize: Standardize = "auto", isolated: Isolated = "halve"
) -> list[Family]:
    """Return the families to choose from, that of the paper first.

    Parameters
    ----------
    graphs : GraphBatch
        The training graphs.
    kind : "auto", "categorical", "continuous" or "joint"
        What to compare: "auto" is attributes, labels, and both together, as far as the graphs have them. Graphs without
        labels have their degrees as labels.
    standardize, isolated
        As in :func:`wassergraph.wl_embedding`.

    Returns
    -------
    list of Family
    """
    labels, attributes = graphs.node_labels is not None, graphs.node_attributes is not None
    weighted = attributes or graphs.edge_weights is not None

    def learn(kind: Kind, mass: Mass, **options: Any) -> Family:
        options = {"edge_labels": "ignore", "standardize": standardize, "isolated": isolated, **options}
        scheme = learn_scheme(graphs, kind=kind, mass=mass, **options)
        parameters = {
            "kind": scheme.kind,
            "edge_labels": scheme.features.uses_edge_labels,
            "degrees": scheme.degrees,
            "mass": mass,
        }
        sized = mass == "share" and kind != "joint" and not scheme.degrees
        return Family(scheme, parameters, SIZE_SHARES if sized else (0.0,))

    families: list[Family] = []
    masses: tuple[Mass, Mass] = ("share", "count")
    if kind == "continuous" or (kind == "auto" and weighted):
        families += [learn("continuous", mass) for mass in masses]
        if attributes and not _has_degrees(graphs):
            families.append(learn("continuous", "share", degrees=True))
    if kind in ("auto", "categorical"):
        families += [learn("categorical", mass) for mass in masses]
        if labels and graphs.edge_labels is not None:
            families += [learn("categorical", mass, edge_labels="use") for mass in masses]
    if kind == "joint" or (kind == "auto" and labels and attributes):
        families.append(learn("joint", "share"))
    return families


def _has_degrees(graphs: GraphBatch) -> bool:
    """Return whether the degree is an attribute already."""
    assert graphs.node_attributes is not None
    return bool((graphs.node_attributes == graphs.degrees[:, None]).all(axis=0).any())
