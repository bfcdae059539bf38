"""The names that the nodes of a graph have in tables: their own or their positions, and those of their labels."""

from __future__ import annotations

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels, stereo_vocabulary


def node_names(graph: GraphBatch) -> list[str]:
    """Return the name or else the position of every node, with the name of its label.

    Examples
    --------
    >>> import wassergraph as wg
    >>> node_names(wg.from_smiles("CO"))
    ['0 (C)', '1 (O)']
    """
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    if graph.node_labels is None:
        return [str(name) for name in names]
    labels = map(stereo_vocabulary(graph).node_label_title, stereo_labels(graph).tolist())
    return [f"{name} ({label})" for name, label in zip(names, labels, strict=True)]
