"""How the paper uses its data sets (section 5.1 and appendices A.5, A.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from wassergraph.datasets.load import load_dataset
from wassergraph.evaluation.preparation import Preparation
from wassergraph.graphs.batch import GraphBatch

#: The edge label of two atoms without a bond in BZR_MD and COX2_MD, which are complete graphs.
_NO_BOND = 1


def bonded(graphs: GraphBatch) -> GraphBatch:
    """Return molecules with bonds as edges, bond lengths as edge weights, and one-hot atom types as attributes."""
    return graphs.drop_edges(_NO_BOND).weights_from_attributes(0).one_hot_labels()


_RAW = Preparation(standardize=False)
_STANDARDIZED = Preparation(standardize=True)
_BONDED = Preparation(bonded, standardize=True)

#: Data set and kind → how the paper uses it. Attributes are standardized if there are several, except coordinates.
SETUPS: dict[tuple[str, str], Preparation] = {
    **{(name, "categorical"): _RAW for name in ("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "ENZYMES")},
    ("ENZYMES", "continuous"): _STANDARDIZED,
    ("PROTEINS", "continuous"): _RAW,
    ("PROTEINS_full", "continuous"): _STANDARDIZED,
    ("IMDB-BINARY", "continuous"): Preparation(GraphBatch.degree_attributes, standardize=False),
    ("BZR", "continuous"): _RAW,
    ("COX2", "continuous"): _RAW,
    ("BZR_MD", "continuous"): _BONDED,
    ("COX2_MD", "continuous"): _BONDED,
    ("Synthie", "continuous"): _STANDARDIZED,
    ("SYNTHETICnew", "continuous"): Preparation(standardize=False, iterations=100),
}


def paper_setups(name: str) -> dict[str, Preparation]:
    """Return how the paper uses a data set, by kind; empty if the paper does not use it.

    Pass it to :func:`wassergraph.evaluate` as ``preparation`` for graphs that are known to be this published data set.

    Parameters
    ----------
    name : str
        The name of the data set in the TU collection.

    Returns
    -------
    dict of Preparation
        By kind, "categorical" or "continuous".
    """
    return {kind: setup for (dataset, kind), setup in SETUPS.items() if dataset == name}


def paper_setup(name: str, kind: str) -> Preparation:
    """Return how the paper uses a data set for a kind; the default preparation if it does not."""
    return SETUPS.get((name, "continuous" if kind == "joint" else kind), Preparation())


def load_prepared(name: str, kind: str, data_home: str | Path | None = None) -> tuple[GraphBatch, NDArray[Any]]:
    """Load a data set by name, and prepare its graphs as the paper does for this kind.

    Parameters
    ----------
    name : str
        The name of the data set.
    kind : str
        "categorical", "continuous" or "joint".
    data_home : str or Path, optional
        As in :func:`wassergraph.load_dataset`.

    Returns
    -------
    graphs, y : GraphBatch, (N) array
        The prepared graphs, and their classes.
    """
    graphs, y = load_dataset(name, data_home=data_home)
    return paper_setup(name, kind).prepare(graphs), y
