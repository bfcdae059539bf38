"""The wide search: what graphs are compared by, and how sizes count, are chosen, too.

    graphs ──wide_families──▶ embeddings ──▶ distances ──wide_matrices──▶ matrices and their parameters ──▶ selection

A *family* is one way to embed graphs. Its distances are computed once for all depths. With the size term they are
further candidates, which cost no transport.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.node_embedding import Mass
from wassergraph.embedding.scheme import Kind, Scheme, Standardize, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.candidates import DerivedMatrix, median_distance
from wassergraph.learning.effort import Effort

Search: TypeAlias = Literal["paper", "wide"]

#: The values of gamma, as multiples of one over the median of a matrix, and those of C.
WIDE_GAMMAS = (0.1, 0.3, 1.0, 3.0)
WIDE_C_VALUES = (1e-1, 1e0, 1e1, 1e2, 1e3)
#: The size term, as a share of the distances: β · median |log n - log n'| = share · median D.
SIZE_SHARE = 0.3
#: The most work: after each inner fold the best matrices remain, and among their candidates those near the best. With
#: many candidates the best one is often best by chance, so that the paper's way is kept unless another one is better by
#: half a standard error.
WIDE_EFFORT = Effort(margin=3.0, keep=(24, 12, 6), lead=0.5, max_iter=300_000, skip_unsolved=True)


@dataclass(frozen=True)
class Family:
    """One way to embed graphs.

    Attributes
    ----------
    scheme : Scheme
        The embedding.
    sizes : bool
        Whether its distances are used a second time, with the size term.
    """

    scheme: Scheme
    sizes: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """What distinguishes this family from the others, for people to read."""
        return {
            "kind": self.scheme.kind,
            "edge_labels": self.scheme.features.uses_edge_labels,
            "degrees": self.scheme.degrees,
            "mass": self.scheme.mass,
        }


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
        sizes = mass == "share" and kind != "joint" and "degrees" not in options
        return Family(learn_scheme(graphs, kind=kind, mass=mass, **options), sizes)

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


def wide_matrices(
    families: Sequence[Family], depths: Sequence[int], stacks: Sequence[NDArray[Any]], graphs: GraphBatch
) -> tuple[list[DerivedMatrix], list[dict[str, Any]]]:
    """Return the matrices to choose from, and the parameters of each.

    Parameters
    ----------
    families : sequence of Family
        The families.
    depths : sequence of int
        The depths.
    stacks : sequence of (n_depths, N, N) floats
        The distances of every family.
    graphs : GraphBatch
        The N graphs.

    Returns
    -------
    matrices, parameters : list of DerivedMatrix, list of dict
    """
    log_sizes = np.log(graphs.sizes.astype(np.float64))
    differences = median_distance(np.abs(log_sizes[:, None] - log_sizes))
    matrices: list[DerivedMatrix] = []
    parameters: list[dict[str, Any]] = []
    for family, stack in zip(families, stacks, strict=True):
        definite = family.scheme.kind == "categorical"
        for share in (0.0, SIZE_SHARE) if family.sizes else (0.0,):
            for depth, distances in zip(depths, stack, strict=True):
                weight = float(f"{share * median_distance(distances) / differences:.6g}")
                matrices.append(DerivedMatrix(distances, log_sizes, weight, definite=definite))
                parameters.append({**family.parameters, "size_weight": weight, "depth": depth})
    return matrices, parameters
