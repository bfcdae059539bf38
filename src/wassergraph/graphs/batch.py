"""GraphBatch: any number of graphs, how they are selected and changed, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from wassergraph import notebook
from wassergraph.errors import InputError
from wassergraph.graphs.fields import as_labels
from wassergraph.graphs.flat_graphs import FlatGraphs
from wassergraph.graphs.invariants import count, require_field, take_columns
from wassergraph.graphs.joining import join_batches
from wassergraph.graphs.line_graph import line_graph
from wassergraph.graphs.one_hot import Unseen, one_hot_labels
from wassergraph.graphs.slices import GraphSelector, positions
from wassergraph.graphs.subgraphs import keep_arcs, take_graphs
from wassergraph.graphs.summary import Summary, describe, summarize
from wassergraph.graphs.to_networkx import to_networkx

if TYPE_CHECKING:
    import networkx


class GraphBatch(FlatGraphs):
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
    node_stereo : (n_nodes) integers, optional
        The stereochemistry at each atom of molecules: 0 for none, or for a center or a double bond that is not
        specified, and other numbers for R, S, E and Z. None if no molecule has any.

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

    # Selecting graphs

    def __len__(self) -> int:
        return self.n_graphs

    def __iter__(self) -> Iterator[GraphBatch]:
        return (self[g] for g in range(len(self)))

    def __getitem__(self, index: GraphSelector | tuple[GraphSelector, EllipsisType]) -> GraphBatch:
        """Return the graphs at a position, slice, mask or index array, in time proportional to their size."""
        if isinstance(index, tuple):
            if len(index) != 2 or index[1] is not Ellipsis:
                raise TypeError(f"a GraphBatch has one axis, the graphs; got the index {index!r}")
            index = index[0]
        return take_graphs(self, positions(index, len(self)))

    # Describing and converting

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, ({field.name: getattr(self, field.name) for field in fields(self)},)

    def __repr__(self) -> str:
        return describe(self)

    def _repr_html_(self) -> str:
        drawings = "" if notebook.draw_thumbnails is None else notebook.draw_thumbnails(self)
        return notebook.html_heading(repr(self)) + drawings + notebook.html_table(self.summary().rows())

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
        return join_batches(list(batches))

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
        return keep_arcs(self, np.isin(require_field(self, "edge_labels"), as_labels(labels)))

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
        return keep_arcs(self, ~np.isin(require_field(self, "edge_labels"), as_labels(labels)))

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
        return replace(self, edge_weights=take_columns(self, "edge_attributes", [column])[:, 0])

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
        return one_hot_labels(self, alphabet, unseen)

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
        attributes = require_field(self, "node_attributes")
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
        return replace(self, node_positions=take_columns(self, "node_attributes", columns))


def _unpickle(values: dict[str, Any]) -> GraphBatch:
    return GraphBatch._trusted(**{"molecules": False, **values})
