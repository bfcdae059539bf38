"""The arrays of a :class:`~wassergraph.GraphBatch`, which store any number of graphs one behind the other.

    node_ptr   0        3     5            graph g has the nodes  node_ptr[g] … node_ptr[g + 1] - 1
    nodes      0  1  2 | 3  4              node ids are global: they count through the whole batch
    indptr     0  1  3  4  5  6            node v has the neighbors indices[indptr[v]:indptr[v + 1]]
    indices    1 |0  2 |1 |4 |3            sorted, no repeats, every edge in both directions

What belongs to a node has one row per node; what belongs to an edge has one row per entry of ``indices`` (an *arc*),
so that the two directions of an edge may carry different data. A batch is checked once, when it is made; everything
that takes a batch may rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.fields import ALL_ARRAYS, ARRAYS, NODE_ANNOTATIONS, STEREO, read_field, read_only
from wassergraph.graphs.invariants import check_data, check_structure
from wassergraph.graphs.texts import Texts
from wassergraph.graphs.vocabulary import EMPTY, MOLECULES, Vocabulary, molecule_names


@dataclass(frozen=True, eq=False, repr=False)
class FlatGraphs:
    """Graphs in a few read-only arrays, which are checked; their fields are those of the batch."""

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
    node_stereo: IntArray | None = None

    #: Arrays that are no part of the content by which results are known: see :mod:`wassergraph.files.content_keys`.
    _not_content: ClassVar[tuple[str, ...]] = NODE_ANNOTATIONS

    def __post_init__(self) -> None:
        for name in ALL_ARRAYS:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, read_field(name, value))
        if self.node_stereo is not None and not self.node_stereo.any():
            object.__setattr__(self, STEREO, None)
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
        known = {name: None if (value := arrays.get(name)) is None else read_only(value) for name in ALL_ARRAYS}
        if (stereo := known[STEREO]) is not None and not stereo.any():  # of molecules that have none
            known[STEREO] = None
        names = vocabulary if vocabulary is not None else MOLECULES if molecules else EMPTY
        for name, kept in {**known, "molecules": molecules, "vocabulary": names, "structures": structures}.items():
            object.__setattr__(batch, name, kept)
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

    @property
    def noun(self) -> str:
        """What one of the graphs is called: "molecule" or "graph"."""
        return "molecule" if self.molecules else "graph"

    # Comparing

    def __eq__(self, other: object) -> bool:
        # Names and positions do not count, as they change no distance.
        if not isinstance(other, FlatGraphs):
            return NotImplemented
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ARRAYS)
        return same and self.molecules == other.molecules

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # so that == with an array calls __eq__ above instead of numpy

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        raise TypeError(
            "a GraphBatch cannot be converted to an array; its arrays are .node_attributes, .node_labels, .indices, …"
        )
