"""The compiled part of counts.py: tiles of sums over labels."""

from __future__ import annotations

from wassergraph.baselines.tasks import ProductTask, SharedTask
from wassergraph.transport.compiled import compiled
from wassergraph.transport.tree import first_from

_compiled = compiled(set())

#: So many columns of a product are computed together, because they fit into the processor's cache.
_BLOCK = 1024


@_compiled
def multiply_tile(task: ProductTask) -> None:
    """Add a tile of ``left @ right`` to ``out``, skipping zeros of the left matrix."""
    for i in range(task.first_row, task.last_row):
        if task.stop[0]:
            return
        for begin in range(task.first_column, task.last_column, _BLOCK):
            end = begin + _BLOCK if begin + _BLOCK < task.last_column else task.last_column
            for c in range(task.n_labels):
                if task.left[i * task.n_labels + c] != 0.0:
                    _add_scaled(i, c, begin, end, task)


@_compiled
def _add_scaled(i: int, c: int, begin: int, end: int, task: ProductTask) -> None:
    """Add a part of a row of the right matrix, times an entry of the left one, to a row of ``out``."""
    factor, right, out = task.left[i * task.n_labels + c], task.right, task.out
    row, place = c * task.n_right, (i - task.first_row) * (task.last_column - task.first_column) - task.first_column
    for j in range(begin, end):
        out[place + j] += factor * right[row + j]


@_compiled
def shared_tile(task: SharedTask) -> None:
    """Add a tile over all levels to ``out``."""
    for i in range(task.first_row, task.last_row):
        if task.stop[0]:
            return
        begin = i if task.from_diagonal and i > task.first_column else task.first_column
        for level in range(task.n_levels):
            place = level * (task.n_left + 1) + i
            for k in range(task.left.ptr[place], task.left.ptr[place + 1]):
                _add_label(i, begin, task.left.label[k], task.left.mass[k], task)


@_compiled
def _add_label(i: int, begin: int, label: int, count: float, task: SharedTask) -> None:
    """Add what one label of a graph, found ``count`` times, contributes to the graphs from ``begin`` on."""
    graph, masses, out = task.right.graph, task.right.mass_in_graph, task.out
    first, last = task.right.start[label], task.right.start[label + 1]
    last = first_from(graph, first, last, task.last_column)
    first = first_from(graph, first, last, begin)
    row = (i - task.first_row) * (task.last_column - task.first_column) - task.first_column
    if task.intersect:
        for position in range(first, last):
            other = masses[position]
            out[row + graph[position]] += count if count < other else other
    else:
        for position in range(first, last):
            out[row + graph[position]] += count * masses[position]
