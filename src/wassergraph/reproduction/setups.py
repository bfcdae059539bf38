"""The paper's data sets as the paper uses them (section 5.1 and appendices A.5, A.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from wassergraph.datasets.load import load_dataset
from wassergraph.graphs.batch import GraphBatch

#: The edge label of two atoms without a bond in BZR_MD and COX2_MD, which are complete graphs.
_NO_BOND = 1


@dataclass(frozen=True)
class Setup:
    """How a data set is used: what is done to its graphs first, and whether attributes are standardized."""

    prepare: Callable[[GraphBatch], GraphBatch]
    standardize: bool = False
    iterations: int = 20


def as_they_are(graphs: GraphBatch) -> GraphBatch:
    """Do nothing to graphs."""
    return graphs


def bonded(graphs: GraphBatch) -> GraphBatch:
    """Leave out pairs of atoms without a bond; the distance of the others is the edge weight, the atom type one-hot."""
    return graphs.drop_edges(_NO_BOND).weights_from_attributes(0).one_hot_labels()


_PLAIN = Setup(as_they_are)
_SCALED = Setup(as_they_are, standardize=True)
_BONDED = Setup(bonded, standardize=True)

#: Data set and kind → how the paper uses it. Attributes are standardized if there are several, except coordinates.
SETUPS: dict[tuple[str, str], Setup] = {
    **{(name, "categorical"): _PLAIN for name in ("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "ENZYMES")},
    ("ENZYMES", "continuous"): _SCALED,
    ("PROTEINS", "continuous"): _PLAIN,
    ("PROTEINS_full", "continuous"): _SCALED,
    ("IMDB-BINARY", "continuous"): Setup(GraphBatch.degree_attributes),
    ("BZR", "continuous"): _PLAIN,
    ("COX2", "continuous"): _PLAIN,
    ("BZR_MD", "continuous"): _BONDED,
    ("COX2_MD", "continuous"): _BONDED,
    ("Synthie", "continuous"): _SCALED,
    ("SYNTHETICnew", "continuous"): Setup(as_they_are, iterations=100),
}


def load(name: str, kind: str, data_home: str | Path | None = None) -> tuple[GraphBatch, NDArray[Any]]:
    """Load a data set and prepare it as the paper does for this kind; one that the paper has not is left as it is."""
    graphs, y = load_dataset(name, data_home=data_home)
    return setup(name, graphs, kind).prepare(graphs), y


def setup(name: str, graphs: GraphBatch, kind: str) -> Setup:
    """Say how to use a data set; one that the paper has not by the paper's rule."""
    known = SETUPS.get((name, "continuous" if kind == "joint" else kind))
    if known is not None:
        return known
    return Setup(as_they_are, standardize=graphs.node_attributes is not None and graphs.node_attributes.shape[1] > 1)


def paper_setups(name: str) -> dict[str, Setup]:
    """Return how the paper uses a data set, by kind; empty for a data set that the paper does not have."""
    return {kind: used for (dataset, kind), used in SETUPS.items() if dataset == name}
