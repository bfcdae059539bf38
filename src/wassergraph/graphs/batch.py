"""The one graph container: a :class:`GraphBatch` holds any number of graphs in a few flat arrays.

    node_ptr   0        3     5            graph g owns the nodes node_ptr[g] … node_ptr[g + 1] - 1
    nodes      0  1  2 | 3  4              node ids are global: they count through the whole batch
    indptr     0  1  3  4  5  6            node v has the neighbors indices[indptr[v]:indptr[v + 1]]
    indices    1 |0  2 |1 |4 |3            sorted, no repeats, every edge in both directions

What belongs to a node has one row per node; what belongs to an edge has one row per entry of ``indices`` (an *arc*),
so that the two directions of an edge may carry different data. Making a batch checks it, once; after that
everything may trust it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from types import EllipsisType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.invariants import (
    EDGE_DATA,
    NODE_DATA,
    check_data,
    check_same_kind,
    check_structure,
    check_type,
    count,
    name_node,
)
from wassergraph.graphs.slices import GraphIndex, offsets, positions, ranges
from wassergraph.graphs.summary import Summary, summarize
from wassergraph.optional import require

OPTIONAL = NODE_DATA + EDGE_DATA
_INTEGER = ("node_ptr", "indptr", "indices", "node_labels", "edge_labels")
_MATRIX = ("node_attributes", "edge_attributes")
_NETWORKX_NAMES = {
    "node_labels": "label",
    "node_attributes": "attributes",
    "edge_weights": "weight",
    "edge_labels": "label",
    "edge_attributes": "attributes",
}


@dataclass(frozen=True, eq=False, repr=False)
class GraphBatch:
    """Hold graphs, with what is known of their nodes and edges, in a few read-only arrays.

    Most people get a batch from :func:`wassergraph.load_dataset` or from a reader such as
    :func:`wassergraph.from_networkx`. A single graph is a batch of length 1.

    Parameters
    ----------
    node_ptr : (n_graphs + 1) integers
        Graph ``g`` owns the nodes ``node_ptr[g]`` to ``node_ptr[g + 1] - 1``.
    indptr : (n_nodes + 1) integers
        Node ``v`` owns the arcs ``indptr[v]`` to ``indptr[v + 1] - 1``.
    indices : (n_arcs) integers
        Where each arc leads. Sorted within a node, no repeats, both directions of every edge.
    node_labels : (n_nodes) integers, optional
        One category per node.
    node_attributes : (n_nodes, d) floats, optional
        One vector per node.
    edge_weights : (n_arcs) floats, optional
        One number per arc; without them every edge weighs 1.
    edge_labels : (n_arcs) integers, optional
        One category per arc.
    edge_attributes : (n_arcs, e) floats, optional
        One vector per arc.

    Examples
    --------
    >>> import wassergraph as wg
    >>> batch = wg.from_edges([[(0, 1), (1, 2)], [(0, 1)]], symmetrize=True)
    >>> batch
    GraphBatch(2 graphs, 5 nodes, 3 edges)
    >>> batch[1].n_nodes
    2
    """

    node_ptr: IntArray
    indptr: IntArray
    indices: IntArray
    node_labels: IntArray | None = None
    node_attributes: FloatArray | None = None
    edge_weights: FloatArray | None = None
    edge_labels: IntArray | None = None
    edge_attributes: FloatArray | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                object.__setattr__(self, field.name, _own(field.name, value))
        check_structure(self)
        check_data(self)

    @classmethod
    def _trusted(cls, **arrays: NDArray[Any] | None) -> Self:
        """Wrap arrays that are known to be right, without copying or checking them."""
        batch = object.__new__(cls)
        for field in fields(cls):
            value = arrays.get(field.name)
            object.__setattr__(batch, field.name, None if value is None else _read_only(value))
        return batch

    # Sizes

    @property
    def n_graphs(self) -> int:
        """How many graphs there are."""
        return len(self.node_ptr) - 1

    @property
    def n_nodes(self) -> int:
        """How many nodes all graphs have together."""
        return len(self.indptr) - 1

    @property
    def n_arcs(self) -> int:
        """How many arcs there are: two for every edge, one for a self-loop."""
        return len(self.indices)

    @property
    def n_edges(self) -> int:
        """How many undirected edges there are, a self-loop counting as one."""
        return (self.n_arcs + self.n_self_loops) // 2

    @property
    def n_self_loops(self) -> int:
        """How many edges lead from a node to itself."""
        return int(np.count_nonzero(self.arc_tails == self.indices))

    @property
    def shape(self) -> tuple[int]:
        """``(n_graphs,)``; scikit-learn keeps a batch packed when it splits it because of this."""
        return (self.n_graphs,)

    @property
    def sizes(self) -> IntArray:
        """The number of nodes of each graph (n_graphs)."""
        return np.diff(self.node_ptr)

    @property
    def degrees(self) -> IntArray:
        """The number of neighbors of each node (n_nodes); a node with a self-loop is its own neighbor."""
        return np.diff(self.indptr)

    @property
    def graph_of_node(self) -> IntArray:
        """The graph that each node belongs to (n_nodes)."""
        return np.repeat(np.arange(self.n_graphs), self.sizes)

    @property
    def arc_tails(self) -> IntArray:
        """The node that each arc starts from (n_arcs); ``indices`` tells where it leads."""
        return np.repeat(np.arange(self.n_nodes), self.degrees)

    # Taking graphs out

    def __len__(self) -> int:
        return self.n_graphs

    def __iter__(self) -> Iterator[GraphBatch]:
        return (self[g] for g in range(len(self)))

    def __getitem__(self, index: GraphIndex | tuple[GraphIndex, EllipsisType]) -> GraphBatch:
        """Take graphs by position, slice, mask or index array; the cost is that of the graphs taken."""
        if isinstance(index, tuple):
            if len(index) != 2 or index[1] is not Ellipsis:
                raise TypeError(f"a GraphBatch has one axis, its graphs; got the index {index!r}")
            index = index[0]
        return self._take(positions(index, len(self)))

    def _take(self, graphs: IntArray) -> GraphBatch:
        sizes = self.node_ptr[graphs + 1] - self.node_ptr[graphs]
        nodes = ranges(self.node_ptr[graphs], sizes)
        node_ptr = offsets(sizes)
        degrees = self.indptr[nodes + 1] - self.indptr[nodes]
        arcs = ranges(self.indptr[nodes], degrees)
        # Node ids are global: what a graph's arcs point at moves by as much as its first node does.
        shift = np.repeat(node_ptr[:-1] - self.node_ptr[graphs], sizes)
        return GraphBatch._trusted(
            node_ptr=node_ptr,
            indptr=offsets(degrees),
            indices=self.indices[arcs] + np.repeat(shift, degrees),
            **{name: _rows(getattr(self, name), nodes) for name in NODE_DATA},
            **{name: _rows(getattr(self, name), arcs) for name in EDGE_DATA},
        )

    # Looking at a batch

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphBatch):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # comparing with an array is for us to do, not for numpy

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        raise TypeError(
            "a GraphBatch is not an array of numbers; its arrays are .node_attributes, .node_labels, .indices, …"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, ({field.name: getattr(self, field.name) for field in fields(self)},)

    def __repr__(self) -> str:
        head = ", ".join(
            count(number, noun)
            for number, noun in [(self.n_graphs, "graph"), (self.n_nodes, "node"), (self.n_edges, "edge")]
        )
        data = [f"{name.replace('_', ' ')}{self._extent(name)}" for name in OPTIONAL if getattr(self, name) is not None]
        return f"GraphBatch({'; '.join([head, *([', '.join(data)] if data else [])])})"

    def _extent(self, name: str) -> str:
        value = getattr(self, name)
        if value.ndim == 2:
            return f" ({value.shape[1]}-d)"
        return f" ({count(len(np.unique(value)), 'kind')})" if value.dtype == np.int64 else ""

    def summary(self) -> Summary:
        """Count and measure what is inside; print the result for a table.

        Examples
        --------
        >>> import wassergraph as wg
        >>> wg.from_edges([[(0, 1), (1, 2)]], symmetrize=True).summary().degree.mean
        1.3333333333333333
        """
        return summarize(self)

    def adjacency(self) -> csr_array:
        """Give the block-diagonal adjacency matrix (n_nodes, n_nodes) of the edge weights, without copying it.

        Without edge weights the entries are ones, and only these are new.
        """
        data = np.ones(self.n_arcs) if self.edge_weights is None else self.edge_weights
        return csr_array((data, self.indices, self.indptr), shape=(self.n_nodes, self.n_nodes), copy=False)

    def to_networkx(self) -> list[Any]:
        """Turn every graph into a ``networkx.Graph`` whose nodes count from 0.

        Node data is stored as ``label`` and ``attributes``, edge data as ``weight``, ``label`` and ``attributes``.
        A graph whose edge data depends on the direction becomes a ``networkx.DiGraph``, so that nothing is lost.
        """
        require("networkx")
        import networkx as nx

        result = []
        for graph in self:
            tails, heads = graph.arc_tails, graph.indices
            out = nx.Graph() if _is_symmetric(graph) else nx.DiGraph()
            out.add_nodes_from(zip(range(graph.n_nodes), _dictionaries(graph, NODE_DATA, graph.n_nodes), strict=True))
            data = _dictionaries(graph, EDGE_DATA, graph.n_arcs)
            out.add_edges_from(zip(tails.tolist(), heads.tolist(), data, strict=True))
            result.append(out)
        return result

    # Making a batch from a batch

    @staticmethod
    def concatenate(batches: Iterable[GraphBatch]) -> GraphBatch:
        """Join batches, one behind the other. All must carry the same kinds of data."""
        batches = list(batches)
        if not batches:
            raise ValueError("no batches to concatenate: give at least one")
        for position, batch in enumerate(batches):
            if not isinstance(batch, GraphBatch):
                raise TypeError(f"batch {position} is a {type(batch).__name__}, not a GraphBatch")
            check_same_kind(batches[0], batch, position)
        nodes = offsets([batch.n_nodes for batch in batches])
        return GraphBatch._trusted(
            node_ptr=offsets(np.concatenate([batch.sizes for batch in batches])),
            indptr=offsets(np.concatenate([batch.degrees for batch in batches])),
            indices=np.concatenate([b.indices + first for b, first in zip(batches, nodes, strict=False)]),
            **{
                name: np.concatenate([getattr(batch, name) for batch in batches])
                for name in OPTIONAL
                if getattr(batches[0], name) is not None
            },
        )

    def keep_edges(self, labels: int | Iterable[int]) -> GraphBatch:
        """Keep the edges whose label is among ``labels``, and every node."""
        return self._with_arcs(np.isin(self._need("edge_labels"), _as_labels(labels)))

    def drop_edges(self, labels: int | Iterable[int]) -> GraphBatch:
        """Drop the edges whose label is among ``labels``, and keep every node.

        The paper leaves out the pairs of atoms without a bond in BZR_MD and COX2_MD: ``batch.drop_edges(1)``.
        """
        return self._with_arcs(~np.isin(self._need("edge_labels"), _as_labels(labels)))

    def weights_from_attributes(self, column: int = 0) -> GraphBatch:
        """Use one column of the edge attributes as the edge weight."""
        attributes = self._need("edge_attributes")
        width = attributes.shape[1]
        if not -width <= operator.index(column) < width:
            raise ValueError(f"column {column} is out of range: the edge attributes have {count(width, 'column')}")
        return replace(self, edge_weights=attributes[:, column])

    def one_hot_labels(
        self, alphabet: Iterable[int] | None = None, *, unseen: Literal["error", "zeros"] = "error"
    ) -> GraphBatch:
        """Use the node labels, one-hot, as node attributes: one column per label of the alphabet, in its order.

        Give the ``alphabet`` of the training graphs when new graphs must get the same columns; a label outside of it
        is an error, or a row of zeros with ``unseen="zeros"``.
        """
        if unseen not in ("error", "zeros"):
            raise ValueError(f"unseen must be 'error' or 'zeros', got {unseen!r}")
        labels = self._need("node_labels")
        columns = np.unique(labels) if alphabet is None else _as_labels(alphabet)
        if len(np.unique(columns)) < len(columns):
            raise ValueError(f"the alphabet repeats a label: {columns.tolist()}")
        one_hot = labels[:, None] == columns
        outside = np.flatnonzero(~one_hot.any(axis=1))
        if outside.size and unseen == "error":
            where = name_node(self, outside[0])
            raise ValueError(
                f"{where} has the label {labels[outside[0]]}, which is not in the alphabet; "
                'add it, or pass unseen="zeros" for a row of zeros'
            )
        return replace(self, node_attributes=one_hot.astype(np.float64))

    def degree_attributes(self) -> GraphBatch:
        """Use the degree as the one node attribute, as the paper does for IMDB-BINARY."""
        return replace(self, node_attributes=self.degrees[:, None].astype(np.float64))

    def degree_labels(self) -> GraphBatch:
        """Use the degree as the node label."""
        return replace(self, node_labels=self.degrees)

    def _need(self, name: str) -> NDArray[Any]:
        value: NDArray[Any] | None = getattr(self, name)
        if value is None:
            have = [known.replace("_", " ") for known in OPTIONAL if getattr(self, known) is not None]
            raise ValueError(f"these graphs have no {name.replace('_', ' ')}; they have {', '.join(have) or 'none'}")
        return value

    def _with_arcs(self, kept: NDArray[np.bool_]) -> GraphBatch:
        tails = self.arc_tails
        one_way = np.flatnonzero(kept & ~kept[_reverse(self)])
        if one_way.size:
            arc = one_way[0]
            first = self.node_ptr[self.graph_of_node[tails[arc]]]
            raise ValueError(
                f"{name_node(self, tails[arc])}: the edge to node {self.indices[arc] - first} would be kept, but not "
                "the way back, which has another label: keep or drop both labels"
            )
        return GraphBatch._trusted(
            node_ptr=self.node_ptr,
            indptr=offsets(np.bincount(tails[kept], minlength=self.n_nodes)),
            indices=self.indices[kept],
            **{name: getattr(self, name) for name in NODE_DATA},
            **{name: _rows(getattr(self, name), kept) for name in EDGE_DATA},
        )


def _unpickle(arrays: dict[str, Any]) -> GraphBatch:
    return GraphBatch._trusted(**arrays)


# Arrays


def _own(name: str, value: ArrayLike) -> NDArray[Any]:
    """Copy ``value`` into a read-only array of the type and dimension that the field ``name`` has."""
    array = np.asanyarray(value)
    ndim = 2 if name in _MATRIX else 1
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got an array of shape {array.shape}")
    integers = name in _INTEGER
    check_type(name, array, integers=integers)
    return _read_only(np.array(array, dtype=np.int64 if integers else np.float64, order="C"))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _rows(array: NDArray[Any] | None, index: NDArray[Any]) -> NDArray[Any] | None:
    return None if array is None else array[index]


def _same(left: NDArray[Any] | None, right: NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return np.array_equal(left, right)


def _as_labels(labels: int | Iterable[int]) -> IntArray:
    array = np.atleast_1d(list(labels) if isinstance(labels, set | frozenset | Iterator) else labels)  # type: ignore[arg-type]
    check_type(f"labels ({labels!r})", array, integers=True)
    if array.ndim != 1:
        raise ValueError(f"labels are a number or a list of numbers, got the shape {array.shape}")
    return array.astype(np.int64)


def _reverse(batch: GraphBatch) -> IntArray:
    """Give the arc that leads the other way, for every arc."""
    return np.lexsort((batch.arc_tails, batch.indices))


def _is_symmetric(batch: GraphBatch) -> bool:
    """Whether both directions of every edge carry the same data."""
    reverse = _reverse(batch)
    return all(_same(value, _rows(value, reverse)) for value in (getattr(batch, name) for name in EDGE_DATA))


def _dictionaries(graph: GraphBatch, names: tuple[str, ...], length: int) -> list[dict[str, Any]]:
    """Give the data of each node or arc as a dictionary."""
    columns = {
        _NETWORKX_NAMES[name]: list(value) if value.ndim == 2 else value.tolist()
        for name in names
        if (value := getattr(graph, name)) is not None
    }
    return [{key: column[row] for key, column in columns.items()} for row in range(length)]
