"""Positions in flat arrays: offsets of consecutive pieces, opposite arcs, and what an index selects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import IntArray
from wassergraph.graphs.invariants import count

#: What selects graphs of a batch.
GraphSelector: TypeAlias = int | np.integer[Any] | slice | Sequence[int] | NDArray[Any]


def offsets(lengths: ArrayLike) -> IntArray:
    """Return where each of several consecutive pieces begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the concatenation of the ranges [starts[i], starts[i] + lengths[i])."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


def opposite_arcs(tails: IntArray, heads: IntArray) -> IntArray:
    """Return, for every arc of a batch, the arc in the opposite direction."""
    return np.lexsort((tails, heads))  # sorted by head, then by tail, the arcs are in the order of their opposites


def positions(index: GraphSelector, length: int) -> IntArray:
    """Return the non-negative positions that an index selects of a sequence of ``length``."""
    if isinstance(index, slice):
        return np.arange(*index.indices(length))
    array = np.atleast_1d(np.asarray(index))
    if array.size == 0 and array.dtype != bool:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iub" or isinstance(index, bool | np.bool_):
        raise TypeError(f"graphs are selected by position, slice, mask or index array, not by {index!r}")
    if array.dtype == bool:
        if len(array) != length:
            raise IndexError(f"the mask has {len(array)} values for {count(length, 'graph')}")
        return np.flatnonzero(array)
    outside = array[(array < -length) | (array >= length)]
    if outside.size:
        raise IndexError(f"graph {outside[0]} is out of range: the batch has {count(length, 'graph')}")
    signed = array.astype(np.int64)
    return np.where(signed < 0, signed + length, signed)
