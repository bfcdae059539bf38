"""Numbers for 64-bit codes, and how often each occurs in every graph, by counting in place of sorting."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray

_jit = nb.njit(nogil=True, cache=True, error_model="numpy")
#: The length of the first table; a power of 2. A table that is half full is replaced by one of twice its length.
_FIRST_LENGTH = 1024
#: Odd numbers below 2^32 that scramble the lower and the upper half of a code: their products do not overflow.
_LOWER, _UPPER = np.uint64(0x9E3779B1), np.uint64(0x85EBCA6B)
_HALF_MASK = np.uint64(0xFFFFFFFF)
_ONE, _16_BITS, _32_BITS = np.uint64(1), np.uint64(16), np.uint64(32)


@_jit
def number_codes(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], IntArray]:
    """Return the different codes in the order in which they first occur, and the number of each code among them.

    Like ``np.unique(codes, return_inverse=True)`` but for the order, and in much less time where codes are repeated.

    Parameters
    ----------
    codes : (n) 64-bit integers
        Any codes.

    Returns
    -------
    distinct : (n_distinct) 64-bit integers
        The different codes.
    numbers : (n) integers
        The position of each code among them.
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
    return distinct[:count], numbers


@_jit
def _find(code: np.uint64, slots: IntArray, distinct: NDArray[np.uint64]) -> int:
    """Return the place of a code in a table, or the free one where it belongs."""
    last = np.uint64(len(slots) - 1)
    scrambled = ((code & _HALF_MASK) * _LOWER) ^ ((code >> _32_BITS) * _UPPER)
    scrambled ^= scrambled >> _32_BITS
    slot = (scrambled ^ (scrambled >> _16_BITS)) & last
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
