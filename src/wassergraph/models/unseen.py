"""Unseen labels: what new graphs have and no training graph has, so that a model has learned nothing about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels, stereo_vocabulary
from wassergraph.metrics.node_embedding import Features


def unseen_labels(new: GraphBatch, training: GraphBatch, features: Features) -> NDArray[Any]:
    """Return the labels of each new graph that no training graph has.

    Parameters
    ----------
    new, training : GraphBatch
        New graphs, and those that a model was trained on.
    features : Features
        What the model compares. Labels count if it compares them; elements of molecules always do.

    Returns
    -------
    (n_new) array of str
        The names of the labels, with commas between them, such as "Fe, dative bond"; empty if all were seen.

    Examples
    --------
    >>> import wassergraph as wg
    >>> unseen_labels(wg.from_smiles(["CCO", "CS"]), wg.from_smiles(["CO"]), Features.NODE_LABELS).tolist()
    ['', 'S']
    """
    names: list[list[str]] = [[] for _ in range(len(new))]
    if features.uses_labels or (new.molecules and training.molecules):
        labels, seen = (stereo_labels(each) if features.uses_stereo else each.node_labels for each in (new, training))
        title = (stereo_vocabulary(new) if features.uses_stereo else new.vocabulary).node_label_title
        _add_unseen(names, new.graph_of_node, labels, seen, title)
    if features.uses_edge_labels:
        owners = new.graph_of_node[new.arc_tails]
        _add_unseen(names, owners, new.edge_labels, training.edge_labels, partial(_edge_title, new))
    return np.array([", ".join(each) for each in names], dtype=np.str_)


def _edge_title(graphs: GraphBatch, label: int) -> str:
    """Return what an edge label is called where labels of several kinds are listed."""
    name = graphs.vocabulary.edge_label(label)
    return name if graphs.molecules or label in graphs.vocabulary.edge_labels else f"edge label {name}"


def _add_unseen(
    names: list[list[str]],
    owners: IntArray,
    labels: IntArray | None,
    seen: IntArray | None,
    name: Callable[[int], str],
) -> None:
    """Add the names of those labels of each graph that are not among others; owners are the graphs of the labels."""
    if labels is None:
        return
    unseen = np.flatnonzero(~np.isin(labels, np.zeros(0, dtype=np.int64) if seen is None else np.unique(seen)))
    for graph, label in np.unique(np.column_stack([owners[unseen], labels[unseen]]), axis=0).tolist():
        names[graph].append(name(label))
