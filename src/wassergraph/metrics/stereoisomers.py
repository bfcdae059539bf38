"""Count molecules that differ in stereochemistry only, which a metric that ignores it does not tell apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels
from wassergraph.metrics.labels import mix

#: How often neighborhoods are widened; molecules are compared with all data of atoms and bonds.
_ROUNDS = 6


class Stereoisomers(NamedTuple):
    """Molecules that have the same atoms and bonds as others with another stereochemistry, and groups of these."""

    molecules: int
    groups: int


def count_stereoisomers(graphs: GraphBatch) -> Stereoisomers:
    """Count molecules of which another one differs in stereochemistry only.

    Examples
    --------
    >>> import wassergraph as wg
    >>> count_stereoisomers(wg.from_smiles(["C[C@H](O)F", "C[C@@H](O)F", "CC(O)F", "F/C=C/F", "CCO"]))
    Stereoisomers(molecules=3, groups=1)
    """
    if graphs.node_stereo is None or graphs.node_labels is None:
        return Stereoisomers(0, 0)
    attributes = np.zeros((graphs.n_nodes, 0)) if graphs.node_attributes is None else graphs.node_attributes + 0.0
    columns = np.ascontiguousarray(attributes.T).view(np.int64)
    kinds = np.unique(_sums(graphs, [graphs.node_labels, *columns]), return_inverse=True)[1]
    several = np.flatnonzero(np.bincount(kinds)[kinds] > 1)
    if not several.size:
        return Stereoisomers(0, 0)
    marked = _sums(graphs, [stereo_labels(graphs), *columns])
    pairs = np.unique(np.stack([kinds[several].astype(np.uint64), marked[several]]), axis=1)
    isomers = np.bincount(pairs[0].astype(np.int64), minlength=kinds.max() + 1) > 1
    return Stereoisomers(int(isomers[kinds].sum()), int(isomers.sum()))


def _sums(graphs: GraphBatch, columns: list[IntArray]) -> NDArray[np.uint64]:
    """Return a number for each graph, the same for graphs that have the same nodes and edges with the same data.

    Neighborhoods are hashed as for distances, without a search for collisions, which would take most of the time: this
    is a count for a warning.
    """
    codes = np.zeros(graphs.n_nodes, dtype=np.uint64)
    for column in columns:
        codes = mix(codes + column.astype(np.uint64))
    labels = np.zeros(graphs.n_arcs, dtype=np.int64) if graphs.edge_labels is None else graphs.edge_labels
    bonds = mix(labels.astype(np.uint64))
    for _ in range(_ROUNDS):
        codes = mix(mix(codes) + _pieces(mix(codes[graphs.indices] + bonds), graphs.indptr))
    return _pieces(mix(codes), graphs.node_ptr)


def _pieces(values: NDArray[np.uint64], ptr: IntArray) -> NDArray[np.uint64]:
    """Return the sums of consecutive pieces of an array, modulo 2⁶⁴."""
    with np.errstate(over="ignore"):
        totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
        return np.asarray(totals[ptr[1:]] - totals[ptr[:-1]])
