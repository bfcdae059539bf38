"""Numbers for 64-bit codes, and how often each occurs in every graph, by counting in place of sorting."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")
#: The length of the first table; a power of 2. A table that is half full is replaced by one of twice its length.
_FIRST_LENGTH = 1024
_ONE, _HALF, _QUARTER = np.uint64(1), np.uint64(32), np.uint64(16)


@_jit
def number_codes(codes: NDArray[np.uint64]) -> tuple[IntArray, int]:
    """Return numbers for codes, from 0 on, in the order in which codes first occur.

    Parameters
    ----------
    codes : (n) 64-bit integers
        Any codes.

    Returns
    -------
    numbers : (n) integers
        The number of each; equal codes have the same.
    n_distinct : int
        How many different codes there are.
    """
    numbers = np.empty(len(codes), np.int64)
    slots, distinct = np.full(_FIRST_LENGTH, -1), np.empty(_FIRST_LENGTH // 2, np.uint64)
    count = 0
    for t in range(len(codes)):
        slot = _find(codes[t], slots, distinct)
        if slots[slot] < 0:
            if count == len(distinct):
                slots, distinct = _grow(distinct)
                slot = _find(codes[t], slots, distinct)
            slots[slot] = count
            distinct[count] = codes[t]
            count += 1
        numbers[t] = slots[slot]
    return numbers, count


@_jit
def _find(code: np.uint64, slots: IntArray, distinct: NDArray[np.uint64]) -> int:
    """Return the place of a code in a table, or the free one where it belongs."""
    last = np.uint64(len(slots) - 1)
    folded = code ^ (code >> _HALF)  # so that codes may differ in any of their bits
    slot = (folded ^ (folded >> _QUARTER)) & last
    while slots[slot] >= 0 and distinct[slots[slot]] != code:
        slot = (slot + _ONE) & last
    return int(slot)


@_jit
def _grow(distinct: NDArray[np.uint64]) -> tuple[IntArray, NDArray[np.uint64]]:
    """Return a table of twice the length with the same codes."""
    longer = np.empty(2 * len(distinct), np.uint64)
    longer[: len(distinct)] = distinct
    slots = np.full(2 * len(longer), -1)
    for number in range(len(distinct)):
        slots[_find(distinct[number], slots, longer)] = number
    return slots, longer


@_jit
def count_numbers(
    ptr: IntArray, numbers: IntArray, weights: IntArray, n_distinct: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Sum the weights of equal numbers in every graph.

    Parameters
    ----------
    ptr : (n_graphs + 1) integers
        Graph g has the items ``ptr[g]`` to ``ptr[g + 1] - 1``.
    numbers, weights : (n_items) integers
        The number, below ``n_distinct``, and the weight of every item.
    n_distinct : int
        How many numbers there are.

    Returns
    -------
    indptr, indices, sums : (n_graphs + 1), (n), (n) arrays
        The numbers that occur in each graph, sorted, and their weights, as a compressed sparse row matrix.
    """
    indptr = np.zeros(len(ptr), np.int64)
    indices, sums = np.empty(len(numbers), np.int64), np.empty(len(numbers))
    total, last_graph = np.zeros(n_distinct), np.full(n_distinct, -1)
    end = 0
    for g in range(len(ptr) - 1):
        begin = end
        for t in range(ptr[g], ptr[g + 1]):
            number = numbers[t]
            if last_graph[number] != g:
                last_graph[number], total[number] = g, 0.0
                indices[end] = number
                end += 1
            total[number] += weights[t]
        indices[begin:end].sort()
        for k in range(begin, end):
            sums[k] = total[indices[k]]
        indptr[g + 1] = end
    return indptr, indices[:end].copy(), sums[:end].copy()
