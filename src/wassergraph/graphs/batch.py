"""The graph container: a :class:`GraphBatch` stores any number of graphs in a few flat arrays.

    node_ptr   0        3     5            graph g has the nodes  node_ptr[g] … node_ptr[g + 1] - 1
    nodes      0  1  2 | 3  4              node ids are global: they count through the whole batch
    indptr     0  1  3  4  5  6            node v has the neighbors indices[indptr[v]:indptr[v + 1]]
    indices    1 |0  2 |1 |4 |3            sorted, no repeats, every edge in both directions

What belongs to a node has one row per node; what belongs to an edge has one row per entry of ``indices`` (an *arc*),
so that the two directions of an edge may carry different data. A batch is checked once, when it is made; everything
that takes a batch may rely on it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wassergraph import notebook
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, InputTypeError
from wassergraph.graphs.fields import (
    ARRAYS,
    EDGE_DATA,
    NODE_ANNOTATIONS,
    NODE_DATA,
    OPTIONAL,
    equal,
    read_field,
    read_labels,
    read_only,
    take_rows,
)
from wassergraph.graphs.invariants import (
    check_data,
    check_same_fields,
    check_structure,
    count,
    locate_node,
)
from wassergraph.graphs.line_graph import line_graph
from wassergraph.graphs.one_hot import Unseen, one_hot
from wassergraph.graphs.slices import GraphIndex, offsets, opposite_arcs, positions, ranges
from wassergraph.graphs.summary import Summary, summarize
from wassergraph.graphs.texts import Texts
from wassergraph.graphs.to_networkx import to_networkx
from wassergraph.graphs.vocabulary import EMPTY, MOLECULES, Vocabulary, join_vocabularies, molecule_names

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False, repr=False)
class GraphBatch:
    """Graphs, with the data of their nodes and edges, in a few read-only arrays.

    A batch is usually made by :func:`wassergraph.load_dataset` or by a reader such as
    :func:`wassergraph.from_networkx`. A single graph is a batch of length 1.

    Parameters
    ----------
    node_ptr : (n_graphs + 1) integers
        Graph ``g`` has the nodes ``node_ptr[g]`` to ``node_ptr[g + 1] - 1``.
    indptr : (n_nodes + 1) integers
        Node ``v`` has the arcs ``indptr[v]`` to ``indptr[v + 1] - 1``.
    indices : (n_arcs) integers
        The node that each arc leads to. Sorted within a node, no repeats, both directions of every edge.
    node_labels : (n_nodes) integers, optional
        One category per node.
    node_attributes : (n_nodes, d) floats, optional
        One vector per node.
    edge_weights : (n_arcs) floats, optional
        One number per arc; without them every edge has the weight 1.
    edge_labels : (n_arcs) integers, optional
        One category per arc.
    edge_attributes : (n_arcs, e) floats, optional
        One vector per arc.
    molecules : bool
        Whether the graphs are molecules: node labels are atomic numbers, and edge labels are RDKit's bond types.
    node_positions : (n_nodes, 2 or 3) floats, optional
        Where drawings show the nodes.
    node_names : (n_nodes) texts, optional
        What the nodes are called.
    vocabulary : Vocabulary, optional
        What labels and attributes are called.
    structures : Texts or iterable of str, optional
        What molecules were read from, as SMILES: charges, hydrogens and stereochemistry are drawn as they are there.
        No distance depends on it, and it does not matter whether two batches are equal.

    Attributes
    ----------
    n_graphs, n_nodes, n_edges, n_arcs, n_self_loops : int
        The numbers of graphs, nodes, edges, arcs and self-loops. An edge is two arcs, a self-loop is one.
    sizes : (n_graphs) integers
        The number of nodes of each graph.
    degrees : (n_nodes) integers
        The number of neighbors of each node; a node with a self-loop is its own neighbor.
    graph_of_node : (n_nodes) integers
        The graph that each node belongs to.
    arc_tails : (n_arcs) integers
        The node that each arc starts from.
    shape : (int,)
        ``(n_graphs,)``, by which scikit-learn recognizes that a batch can be indexed like an array.
    noun : str
        What one of the graphs is called: "molecule" or "graph".

    See Also
    --------
    load_dataset : read a data set
    from_edges : read lists of edges
    from_networkx : read networkx graphs
    from_smiles : read molecules
    Vocabulary : the names of labels and attributes

    Notes
    -----
    Names and positions are shown, and change no distance. Two batches that differ in them only are equal.

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
    molecules: bool = False
    node_positions: FloatArray | None = None
    node_names: NDArray[np.str_] | None = None
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    structures: Texts | None = None

    #: Arrays that are no part of the content by which results are known: see :mod:`wassergraph.files.content_keys`.
    _not_content: ClassVar[tuple[str, ...]] = NODE_ANNOTATIONS

    def __post_init__(self) -> None:
        for name in (*ARRAYS, *NODE_ANNOTATIONS):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, read_field(name, value))
        object.__setattr__(self, "molecules", bool(self.molecules))
        object.__setattr__(self, "vocabulary", self._fitting_names())
        structures: Any = self.structures
        if structures is not None and not isinstance(structures, Texts):
            object.__setattr__(self, "structures", Texts.of(structures))
        check_structure(self)
        check_data(self)

    def _fitting_names(self) -> Vocabulary:
        """Return the vocabulary, without names of attributes that were replaced by others of another number."""
        names = molecule_names(self.vocabulary) if self.molecules else self.vocabulary
        columns = 0 if self.node_attributes is None else self.node_attributes.shape[1]
        return names if len(names.node_attributes) in (0, columns) else replace(names, node_attributes=())

    @classmethod
    def _trusted(
        cls,
        *,
        molecules: bool,
        vocabulary: Vocabulary | None = None,
        structures: Texts | None = None,
        **arrays: NDArray[Any] | None,
    ) -> Self:
        """Return a batch of arrays that are known to be valid, without copying or checking them."""
        batch = object.__new__(cls)
        for name in (*ARRAYS, *NODE_ANNOTATIONS):
            value = arrays.get(name)
            object.__setattr__(batch, name, None if value is None else read_only(value))
        object.__setattr__(batch, "molecules", molecules)
        names = vocabulary if vocabulary is not None else MOLECULES if molecules else EMPTY
        object.__setattr__(batch, "vocabulary", names)
        object.__setattr__(batch, "structures", structures)
        return batch

    # Sizes

    @property
    def n_graphs(self) -> int:
        """The number of graphs."""
        return len(self.node_ptr) - 1

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all graphs."""
        return len(self.indptr) - 1

    @property
    def n_arcs(self) -> int:
        """The number of arcs: two for every edge, one for a self-loop."""
        return len(self.indices)

    @property
    def n_edges(self) -> int:
        """The number of undirected edges; a self-loop counts as one."""
        return (self.n_arcs + self.n_self_loops) // 2

    @property
    def n_self_loops(self) -> int:
        """The number of edges from a node to itself."""
        return int(np.count_nonzero(self.arc_tails == self.indices))

    @property
    def shape(self) -> tuple[int]:
        """``(n_graphs,)``, by which scikit-learn recognizes that a batch can be indexed like an array."""
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
        """The node that each arc starts from (n_arcs); ``indices`` contains the node that it leads to."""
        return np.repeat(np.arange(self.n_nodes), self.degrees)

    # Selecting graphs

    def __len__(self) -> int:
        return self.n_graphs

    def __iter__(self) -> Iterator[GraphBatch]:
        return (self[g] for g in range(len(self)))

    def __getitem__(self, index: GraphIndex | tuple[GraphIndex, EllipsisType]) -> GraphBatch:
        """Return the graphs at a position, slice, mask or index array, in time proportional to their size."""
        if isinstance(index, tuple):
            if len(index) != 2 or index[1] is not Ellipsis:
                raise TypeError(f"a GraphBatch has one axis, the graphs; got the index {index!r}")
            index = index[0]
        return self._take(positions(index, len(self)))

    def _take(self, graphs: IntArray) -> GraphBatch:
        sizes = self.node_ptr[graphs + 1] - self.node_ptr[graphs]
        nodes = ranges(self.node_ptr[graphs], sizes)
        node_ptr = offsets(sizes)
        degrees = self.indptr[nodes + 1] - self.indptr[nodes]
        arcs = ranges(self.indptr[nodes], degrees)
        # Node ids are global: the heads of a graph's arcs shift by as much as its first node does.
        shift = np.repeat(node_ptr[:-1] - self.node_ptr[graphs], sizes)
        return GraphBatch._trusted(
            node_ptr=node_ptr,
            indptr=offsets(degrees),
            indices=self.indices[arcs] + np.repeat(shift, degrees),
            **{name: take_rows(getattr(self, name), nodes) for name in (*NODE_DATA, *NODE_ANNOTATIONS)},
            **{name: take_rows(getattr(self, name), arcs) for name in EDGE_DATA},
            molecules=self.molecules,
            vocabulary=self.vocabulary,
            structures=None if self.structures is None else self.structures.take(graphs),
        )

    # Comparing, describing and converting

    def __eq__(self, other: object) -> bool:
        # Names and positions do not count, as they change no distance.
        if not isinstance(other, GraphBatch):
            return NotImplemented
        same = all(equal(getattr(self, name), getattr(other, name)) for name in ARRAYS)
        return same and self.molecules == other.molecules

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # so that == with an array calls __eq__ above instead of numpy

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        raise TypeError(
            "a GraphBatch cannot be converted to an array; its arrays are .node_attributes, .node_labels, .indices, …"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, ({field.name: getattr(self, field.name) for field in fields(self)},)

    def __repr__(self) -> str:
        head = ", ".join(
            count(number, noun)
            for number, noun in [(self.n_graphs, self.noun), (self.n_nodes, "node"), (self.n_edges, "edge")]
        )
        data = [f"{name.replace('_', ' ')}{self._extent(name)}" for name in OPTIONAL if getattr(self, name) is not None]
        return f"GraphBatch({'; '.join([head, *([', '.join(data)] if data else [])])})"

    @property
    def noun(self) -> str:
        """What one of the graphs is called: "molecule" or "graph"."""
        return "molecule" if self.molecules else "graph"

    def _repr_html_(self) -> str:
        drawings = "" if notebook.draw_graphs is None else notebook.draw_graphs(self)
        return notebook.html_heading(repr(self)) + drawings + notebook.html_table(self.summary().rows())

    def _extent(self, name: str) -> str:
        value = getattr(self, name)
        if value.ndim == 2:
            return f" ({value.shape[1]}-d)"
        return f" ({count(len(np.unique(value)), 'kind')})" if value.dtype == np.int64 else ""

    def summary(self) -> Summary:
        """Return counts and sizes of the graphs.

        Returns
        -------
        Summary
            ``print`` it for a table.

        Examples
        --------
        >>> import wassergraph as wg
        >>> wg.from_edges([[(0, 1), (1, 2)]], symmetrize=True).summary().degree.max
        2.0
        """
        return summarize(self)

    def adjacency(self) -> csr_array:
        """Return the block-diagonal adjacency matrix of all graphs.

        Returns
        -------
        (n_nodes, n_nodes) scipy.sparse.csr_array
            The edge weights, or ones. It shares memory with the batch.
        """
        data = np.ones(self.n_arcs) if self.edge_weights is None else self.edge_weights
        return csr_array((data, self.indices, self.indptr), shape=(self.n_nodes, self.n_nodes), copy=False)

    def to_networkx(self) -> list[networkx.Graph]:
        """Convert the graphs to networkx.

        Returns
        -------
        list of networkx.Graph
            The nodes are counted from 0. Node data is stored as ``label`` and ``attributes``, with ``name`` and ``pos``
            if nodes have names and positions, edge data as ``weight``, ``label`` and ``attributes``; labels are the
            numbers that ``vocabulary`` has names for. A graph whose edge data depends on the direction becomes a
            ``networkx.DiGraph``.
        """
        return [to_networkx(graph) for graph in self]

    # Deriving a batch

    @staticmethod
    def concatenate(batches: Iterable[GraphBatch]) -> GraphBatch:
        """Return one batch with the graphs of several, which must have the same fields.

        Parameters
        ----------
        batches : iterable of GraphBatch
            At least one. A label must not have different names in two of them.

        Returns
        -------
        GraphBatch
            The graphs of all batches, in their order, with positions and names of nodes if all batches have them.

        Examples
        --------
        >>> import wassergraph as wg
        >>> wg.GraphBatch.concatenate([wg.from_smiles("CCO"), wg.from_smiles(["CCN", "CC"])]).n_graphs
        3
        """
        batches = list(batches)
        if not batches:
            raise InputError("there are no batches to concatenate", remedy="pass at least one")
        for position, batch in enumerate(batches):
            if not isinstance(batch, GraphBatch):
                raise InputTypeError(f"batch {position} is of the type {type(batch).__name__}, not a GraphBatch")
            check_same_fields(batches[0], batch, position)
        nodes = offsets([batch.n_nodes for batch in batches])
        return GraphBatch._trusted(
            node_ptr=offsets(np.concatenate([batch.sizes for batch in batches])),
            indptr=offsets(np.concatenate([batch.degrees for batch in batches])),
            indices=np.concatenate([b.indices + first for b, first in zip(batches, nodes, strict=False)]),
            **{
                name: np.concatenate([getattr(batch, name) for batch in batches])
                for name in (*OPTIONAL, *NODE_ANNOTATIONS)
                if _all_have(batches, name)
            },
            molecules=all(batch.molecules for batch in batches),
            vocabulary=_join_names(batches),
            structures=_join_structures(batches),
        )

    def keep_edges(self, labels: int | Iterable[int]) -> GraphBatch:
        """Return the graphs with only the edges that have one of the labels, and with all nodes.

        Parameters
        ----------
        labels : int or iterable of int
            The edge labels to keep.

        Returns
        -------
        GraphBatch
            The graphs with these edges.
        """
        return self._with_arcs(np.isin(self._require("edge_labels"), read_labels(labels)))

    def drop_edges(self, labels: int | Iterable[int]) -> GraphBatch:
        """Return the graphs without the edges that have one of the labels, and with all nodes.

        Parameters
        ----------
        labels : int or iterable of int
            The edge labels to drop.

        Returns
        -------
        GraphBatch
            The graphs with the other edges.

        Notes
        -----
        For example, ``batch.drop_edges(1)`` removes the pairs of atoms without a bond from BZR_MD and COX2_MD.
        """
        return self._with_arcs(~np.isin(self._require("edge_labels"), read_labels(labels)))

    def weights_from_attributes(self, column: int = 0) -> GraphBatch:
        """Return the graphs with one column of the edge attributes as edge weights.

        Parameters
        ----------
        column : int
            The position of the column.

        Returns
        -------
        GraphBatch
            The graphs with these edge weights.
        """
        attributes = self._require("edge_attributes")
        width = attributes.shape[1]
        if not -width <= operator.index(column) < width:
            raise InputError(f"column {column} is out of range: the edge attributes have {count(width, 'column')}")
        return replace(self, edge_weights=attributes[:, column])

    def one_hot_labels(self, alphabet: Iterable[int] | None = None, *, unseen: Unseen = "error") -> GraphBatch:
        """Return the graphs with one-hot encoded node labels as node attributes.

        Parameters
        ----------
        alphabet : iterable of int, optional
            The label of each column; by default all labels of these graphs, sorted. Pass that of the training graphs
            so that new graphs have the same columns.
        unseen : "error" or "zeros"
            What to do with a node whose label is not in the alphabet: raise an error, or use a row of zeros.

        Returns
        -------
        GraphBatch
            The graphs with these attributes in place of any others.

        Examples
        --------
        >>> import wassergraph as wg
        >>> wg.from_smiles("CCO").one_hot_labels().node_attributes.tolist()
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
        """
        labels = self._require("node_labels")
        columns = np.unique(labels) if alphabet is None else read_labels(alphabet)
        names = replace(self.vocabulary, node_attributes=tuple(map(self.vocabulary.node_label, columns.tolist())))
        return replace(self, node_attributes=one_hot(self, labels, columns, unseen), vocabulary=names)

    def degree_attributes(self) -> GraphBatch:
        """Replace the node attributes by the degree.

        Returns
        -------
        GraphBatch
            The graphs with the degree as the only node attribute.
        """
        names = replace(self.vocabulary, node_attributes=("degree",))
        return replace(self, node_attributes=self.degrees[:, None].astype(np.float64), vocabulary=names)

    def append_degrees(self) -> GraphBatch:
        """Append the degree to the node attributes.

        Returns
        -------
        GraphBatch
            The graphs with the degree as one more node attribute, the last.
        """
        attributes = self._require("node_attributes")
        known = map(self.vocabulary.node_attribute, range(attributes.shape[1]))
        names = replace(self.vocabulary, node_attributes=(*known, "degree"))
        return replace(self, node_attributes=np.column_stack([attributes, self.degrees]), vocabulary=names)

    def degree_labels(self) -> GraphBatch:
        """Replace the node labels by the degree.

        Returns
        -------
        GraphBatch
            The graphs with the degree of each node as its label.
        """
        names = replace(self.vocabulary, node_labels={})
        return replace(self, node_labels=self.degrees, molecules=False, vocabulary=names)

    def line_graph(self) -> GraphBatch:
        """Return the line graph of every graph: its nodes are the edges, joined if they share an end.

        Edge labels and edge attributes become node labels and node attributes. A kernel on the graphs and a kernel on
        their line graphs can be combined to a product or to a weighted sum, so that edges take part, as the paper
        suggests.

        Returns
        -------
        GraphBatch
            The line graphs, in the same order.

        Raises
        ------
        ValueError
            If a graph has no edges, or if edge labels or edge attributes depend on the direction.

        Examples
        --------
        >>> import numpy as np, wassergraph as wg
        >>> batch = wg.from_smiles(["CCO", "CC=O", "CC#N"])
        >>> nodes, edges = wg.distances(batch), wg.distances(batch.line_graph())
        >>> np.exp(-(0.5 * nodes + 0.5 * edges)).shape
        (3, 3)
        """
        return line_graph(self)

    def with_names(
        self,
        *,
        node_labels: Mapping[int, str] | None = None,
        edge_labels: Mapping[int, str] | None = None,
        node_attributes: Sequence[str] | None = None,
    ) -> GraphBatch:
        """Return the graphs with names for their labels and attributes, which tables and drawings show.

        Parameters
        ----------
        node_labels, edge_labels : dict of str by int, optional
            The name of each label; by default the names stay as they are.
        node_attributes : sequence of str, optional
            The name of each column of the node attributes.

        Returns
        -------
        GraphBatch
            The same graphs with these names.

        Examples
        --------
        >>> import wassergraph as wg
        >>> batch = wg.from_edges([[(0, 1)]], node_labels=[[0, 1]], symmetrize=True)
        >>> batch.with_names(node_labels={0: "helix", 1: "sheet"}).vocabulary.node_label(1)
        'sheet'
        """
        names = self.vocabulary.updated(node_labels, edge_labels, node_attributes)
        columns = 0 if self.node_attributes is None else self.node_attributes.shape[1]
        if node_attributes is not None and len(names.node_attributes) != columns:
            given = count(len(names.node_attributes), "name")
            raise InputError(f"there are {given} for {count(columns, 'node attribute')}", remedy="pass one for each")
        return replace(self, vocabulary=names)

    def positions_from_attributes(self, columns: Sequence[int] = (0, 1)) -> GraphBatch:
        """Return the graphs with two or three columns of the node attributes as positions, where drawings show nodes.

        Parameters
        ----------
        columns : sequence of int
            The positions of the columns: of x and y, or of x, y and z.

        Returns
        -------
        GraphBatch
            The graphs with these positions. The attributes stay.

        Examples
        --------
        >>> import wassergraph as wg
        >>> batch = wg.from_edges([[(0, 1)]], node_attributes=[[[0, 0], [3, 1]]], symmetrize=True)
        >>> batch.positions_from_attributes().node_positions.tolist()
        [[0.0, 0.0], [3.0, 1.0]]
        """
        attributes = self._require("node_attributes")
        width = attributes.shape[1]
        for column in columns:
            if not -width <= operator.index(column) < width:
                raise InputError(f"column {column} is out of range: the node attributes have {count(width, 'column')}")
        return replace(self, node_positions=attributes[:, list(columns)])

    def _require(self, name: str) -> NDArray[Any]:
        value: NDArray[Any] | None = getattr(self, name)
        if value is None:
            present = [field.replace("_", " ") for field in OPTIONAL if getattr(self, field) is not None]
            known = f"they have {', '.join(present)}" if present else "they have neither labels nor attributes"
            raise InputError(f"the graphs have no {name.replace('_', ' ')}; {known}")
        return value

    def _with_arcs(self, kept: NDArray[np.bool_]) -> GraphBatch:
        tails = self.arc_tails
        one_way = np.flatnonzero(kept & ~kept[opposite_arcs(tails, self.indices)])
        if one_way.size:
            arc = one_way[0]
            graph, node = locate_node(self, tails[arc])
            head = self.indices[arc] - self.node_ptr[graph]
            raise InputError(
                f"the edge to node {head} would be kept but not the edge back, which has another label",
                remedy="keep or drop both labels",
                graph=graph,
                node=node,
            )
        return GraphBatch._trusted(
            node_ptr=self.node_ptr,
            indptr=offsets(np.bincount(tails[kept], minlength=self.n_nodes)),
            indices=self.indices[kept],
            **{name: getattr(self, name) for name in (*NODE_DATA, *NODE_ANNOTATIONS)},
            **{name: take_rows(getattr(self, name), kept) for name in EDGE_DATA},
            molecules=self.molecules,
            vocabulary=self.vocabulary,
            structures=self.structures,
        )


def _all_have(batches: Sequence[GraphBatch], name: str) -> bool:
    """Return whether all batches have a field, with the same number of columns."""
    values = [getattr(batch, name) for batch in batches]
    return all(value is not None and value.shape[1:] == values[0].shape[1:] for value in values)


def _join_names(batches: Sequence[GraphBatch]) -> Vocabulary:
    """Return the names of several batches."""
    joined = join_vocabularies(batch.vocabulary for batch in batches)
    others = [batch for batch in batches if not batch.molecules]
    # Beside molecules, a label of other graphs that has no name is no element.
    unnamed = any(batch.node_labels is not None and not batch.vocabulary.node_labels for batch in others)
    return join_vocabularies(batch.vocabulary for batch in others) if unnamed else joined


def _join_structures(batches: list[GraphBatch]) -> Texts | None:
    """Return the structures of all batches; those of a batch without any are empty."""
    if all(batch.structures is None for batch in batches):
        return None
    parts = (Texts.of([""] * len(batch)) if batch.structures is None else batch.structures for batch in batches)
    return Texts.concatenate(parts)


def _unpickle(values: dict[str, Any]) -> GraphBatch:
    return GraphBatch._trusted(**{"molecules": False, **values})
