"""Numbers for 64-bit codes, and how often each occurs in every graph, by counting in place of sorting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.transport.compiled import compiled
from wassergraph.transport.tasks import CountTask, NumberTask

jit = compiled(set())
#: Odd numbers below 2^32 that scramble the lower and the upper half of a code: their products do not overflow.
_LOWER, _UPPER = np.uint64(0x9E3779B1), np.uint64(0x85EBCA6B)
_HALF_MASK = np.uint64(0xFFFFFFFF)
_ONE, _16_BITS, _32_BITS = np.uint64(1), np.uint64(16), np.uint64(32)


@jit
def number_codes(task: NumberTask) -> None:
    """Enter codes in a table, and write the number of each, by where it first occurs, until the table is half full.

    All slots are free at first. The codes that were seen before are entered again.
    """
    codes, slots, distinct, progress = task.codes, task.slots, task.distinct, task.progress
    count = progress[1]
    for number in range(count):
        slots[find(distinct[number], task.n_slots, slots, distinct)] = number
    for t in range(progress[0], task.n_codes):
        slot = find(codes[t], task.n_slots, slots, distinct)
        if slots[slot] < 0:
            if 2 * count == task.n_slots:
                progress[0], progress[1] = t, count
                return
            slots[slot] = count
            distinct[count] = codes[t]
            count += 1
        task.numbers[t] = slots[slot]
    progress[0], progress[1] = task.n_codes, count


@jit
def find(code: np.uint64, n_slots: int, slots: IntArray, distinct: NDArray[np.uint64]) -> int:
    """Return the place of a code in a table, or the free one where it belongs."""
    last = np.uint64(n_slots - 1)
    scrambled = ((code & _HALF_MASK) * _LOWER) ^ ((code >> _32_BITS) * _UPPER)
    scrambled ^= scrambled >> _32_BITS
    slot = (scrambled ^ (scrambled >> _16_BITS)) & last
    while slots[slot] >= 0 and distinct[slots[slot]] != code:
        slot = (slot + _ONE) & last
    return int(slot)


@jit
def count_numbers(task: CountTask) -> None:
    """Sum the weights of equal numbers in every graph: a compressed sparse row matrix, its rows in any order."""
    numbers, totals, last_graph, indices, end = task.numbers, task.totals, task.last_graph, task.indices, 0
    for g in range(task.n_graphs):
        begin = end
        for t in range(task.ptr[g], task.ptr[g + 1]):
            number = numbers[t]
            if last_graph[number] != g:
                last_graph[number], totals[number] = g, 0.0
                indices[end] = number
                end += 1
            totals[number] += task.weights[t]
        for k in range(begin, end):
            task.sums[k] = totals[indices[k]]
        task.indptr[g + 1] = end
