"""Read PyTorch Geometric ``Data`` objects. Their tensors become numpy arrays without torch being imported here."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError
from wassergraph.formats.features import FeatureNames, array_fields
from wassergraph.formats.unused import warn_unused
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import check_type
from wassergraph.graphs.packing import EdgeRules, GraphParts, Repeats, SelfLoops, pack_parts
from wassergraph.optional import require

if TYPE_CHECKING:
    from torch_geometric.data import Data

_MAY_BE_ABSENT = ("x", "edge_weight", "edge_attr", "pos")
_FIELDS = ("node_labels", "node_attributes", "edge_weights", "edge_labels", "edge_attributes", "node_positions")
#: Fields that are not data of nodes: edges, targets, splits, and what batches and meshes need.
_KNOWN = (
    *("x", "edge_index", "edge_attr", "edge_weight", "adj_t", "y", "pos", "face", "batch", "ptr", "num_nodes", "idx"),
    *("name", "train_mask", "val_mask", "test_mask"),
)


def from_pyg(
    graphs: Data | Iterable[Data],
    *,
    node_labels: str | None = None,
    node_attributes: str | None = "x",
    edge_weights: str | None = "edge_weight",
    edge_labels: str | None = None,
    edge_attributes: str | None = "edge_attr",
    node_positions: str | None = "pos",
    symmetrize: bool = False,
    self_loops: SelfLoops = "keep",
    repeats: Repeats = "error",
) -> GraphBatch:
    """Read PyTorch Geometric graphs, with the fields that are named.

    The targets are not read; use ``[data.y.item() for data in graphs]``. A warning lists other fields with one row per
    node that are not read, unless ``node_labels`` is named.

    Parameters
    ----------
    graphs : Data, or an iterable of them
        A list, a data set of PyTorch Geometric, a ``Batch`` or a loader of batches.
    node_labels, node_attributes, edge_weights, edge_labels, edge_attributes : str, optional
        The field to read. ``x``, ``edge_weight`` and ``edge_attr`` may be absent, any other name may not.
        If ``x`` contains integer categories, pass ``node_labels="x", node_attributes=None``.
    node_positions : str, optional
        The field of positions, where drawings show the nodes; ``pos`` may be absent. They change no distance.
    symmetrize, self_loops, repeats
        As in :func:`wassergraph.from_edges`.

    Returns
    -------
    GraphBatch
        The graphs, in the order in which they were passed.

    See Also
    --------
    from_networkx : read networkx graphs
    from_edges : read lists of edges
    GraphBatch : what is returned

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

    names = FeatureNames(node_labels, node_attributes, edge_weights, edge_labels, edge_attributes, node_positions)
    listed: list[Data] = []
    for graph in [graphs] if isinstance(graphs, Data) else graphs:
        listed += graph.to_data_list() if isinstance(graph, Batch) else [graph]
    for position, graph in enumerate(listed):
        if not isinstance(graph, Data):
            problem = f"the type {type(graph).__name__} is not a torch_geometric.data.Data"
            raise InputTypeError(problem, graph=position)
    parts = [_parts(graph, position, names) for position, graph in enumerate(listed)]
    if node_labels is None:
        warn_unused(_unread_fields(listed, names), {})
    return pack_parts(parts, EdgeRules(symmetrize=symmetrize, self_loops=self_loops, repeats=repeats))


def _unread_fields(graphs: list[Data], names: FeatureNames) -> dict[str, Any]:
    """Return the fields with one row per node that are not read, with a text where they are categories."""
    aside = {*names.used("node"), *_KNOWN}
    fields: dict[str, Any] = {}
    for name in (set.intersection(*(set(graph.keys()) for graph in graphs)) if graphs else set()) - aside:
        values = [graph[name] for graph in graphs]
        if all(len(np.shape(v)) == 1 and len(v) == graph.num_nodes for v, graph in zip(values, graphs, strict=True)):
            fields[name] = "category" if _array(values[0]).dtype.kind in "iU" else 0.0
    return dict(sorted(fields.items()))


def _parts(graph: Data, position: int, names: FeatureNames) -> GraphParts:
    given = {field: _field(graph, position, field, getattr(names, field)) for field in _FIELDS}
    data = array_fields(given, position)
    return GraphParts(n_nodes=operator.index(graph.num_nodes or 0), edges=_edges(graph, position), **data)


def _edges(graph: Data, position: int) -> IntArray:
    """Return the ends of the listed edges (m, 2)."""
    if graph.edge_index is None and "adj_t" in graph:
        raise InputError("the edges are in adj_t", remedy="store them in edge_index (2, m)", graph=position)
    edges = np.zeros((2, 0), dtype=np.int64) if graph.edge_index is None else _array(graph.edge_index)
    check_type("edge_index", edges, integers=True, graph=position)
    if edges.ndim != 2 or len(edges) != 2:
        raise InputError(f"edge_index must have the shape (2, m), got {edges.shape}", graph=position)
    return edges.T.astype(np.int64)


def _field(graph: Data, position: int, field: str, name: str | None) -> NDArray[Any] | None:
    """Return the values of a field of a graph: vectors for attributes, single values otherwise."""
    if name is None:
        return None
    value = getattr(graph, name, None)
    if value is None:
        if name in _MAY_BE_ABSENT:
            return None
        known = ", ".join(graph.keys())
        raise InputError(f"there is no field {name!r} to read as {field}, only {known}", graph=position)
    array = _array(value)
    if field.endswith(("attributes", "positions")):
        return array.reshape(len(array), 1) if array.ndim == 1 else array
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)
