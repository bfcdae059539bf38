"""From PyTorch Geometric ``Data`` objects. Their tensors become numpy arrays without torch being imported here."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.formats.features import FeatureNames, as_rows
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_type
from wassergraph.graphs.packing import EdgeRules, GraphParts, SelfLoops, pack_parts
from wassergraph.optional import require

_DEFAULTS = ("x", "edge_weight", "edge_attr")  # fields that every Data object has, be it as None


def from_pyg(
    graphs: Any | Iterable[Any],
    *,
    node_labels: str | None = None,
    node_attributes: str | None = "x",
    edge_weights: str | None = "edge_weight",
    edge_labels: str | None = None,
    edge_attributes: str | None = "edge_attr",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
) -> GraphBatch:
    """Read one ``torch_geometric.data.Data`` or several; data is taken from the field of the given name.

    A data set of PyTorch Geometric is such a list. Its ``y`` is left to you: ``[data.y.item() for data in graphs]``.

    Parameters
    ----------
    graphs : Data, or an iterable of them
        A data set, a list, a ``Batch`` or a loader of batches.
    node_labels, node_attributes, edge_weights, edge_labels, edge_attributes : str, optional
        The field to read. ``x``, ``edge_weight`` and ``edge_attr`` may be absent, any other name may not.
        Integer categories in ``x`` are labels: pass ``node_labels="x", node_attributes=None``.
    symmetrize, self_loops
        See :class:`wassergraph.graphs.packing.EdgeRules`.

    Examples
    --------
    >>> import torch, wassergraph as wg
    >>> from torch_geometric.data import Data
    >>> graph = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> wg.from_pyg([graph])
    GraphBatch(1 graph, 2 nodes, 1 edge; node attributes (2-d))
    """
    require("torch_geometric")
    from torch_geometric.data import Batch, Data

    names = FeatureNames(node_labels, node_attributes, edge_weights, edge_labels, edge_attributes)
    listed: list[Any] = []
    for graph in [graphs] if isinstance(graphs, Data) else graphs:
        listed += graph.to_data_list() if isinstance(graph, Batch) else [graph]
    for position, graph in enumerate(listed):
        if not isinstance(graph, Data):
            raise TypeError(f"graph {position} is a {type(graph).__name__}, not a torch_geometric.data.Data")
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops))


def _parts(graph: Any, position: int, names: FeatureNames) -> GraphParts:
    if graph.edge_index is None and "adj_t" in graph:
        raise ValueError(f"graph {position} keeps its edges in adj_t: give it an edge_index (2, m) instead")
    edges = np.zeros((2, 0), dtype=np.int64) if graph.edge_index is None else _array(graph.edge_index)
    check_type(f"graph {position}: edge_index", edges, integers=True)
    if edges.ndim != 2 or len(edges) != 2:
        raise ValueError(f"graph {position}: edge_index must have the shape (2, m), got {edges.shape}")
    found = {field: _field(graph, position, field, name) for field, name in asdict(names).items()}
    data: dict[str, Any] = {
        field: as_rows(field, value, position) for field, value in found.items() if value is not None
    }
    return GraphParts(n_nodes=operator.index(graph.num_nodes or 0), edges=edges.T.astype(np.int64), **data)


def _field(graph: Any, position: int, field: str, name: str | None) -> NDArray[Any] | None:
    """Give what a graph has under a name, with vectors for attributes and single values for the rest."""
    if name is None:
        return None
    value = getattr(graph, name, None)
    if value is None:
        if name in _DEFAULTS:
            return None
        raise ValueError(f"graph {position} has no field {name!r} to take the {field} from; it has {graph.keys()}")
    array = _array(value)
    if field.endswith("attributes"):
        return array.reshape(len(array), 1) if array.ndim == 1 else array
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)
