"""Transport on lines, where sorting solves it: one dimension exactly, more dimensions as a mean over random lines."""

from __future__ import annotations

from wassergraph.transport.compiled import compiled
from wassergraph.transport.exact import common_total
from wassergraph.transport.tasks import LineTask, ProjectTask

jit = compiled(set())


@jit
def project(task: ProjectTask) -> None:
    """Project nodes on a line.

    Every node is projected by the same sum, in the same order, so that the result does not depend on which nodes are
    projected together.
    """
    for i in range(task.n_nodes):
        coordinate = 0.0
        for t in range(task.length):
            coordinate += task.points[i * task.width + t] * task.direction[t]
        task.coordinates[i] = coordinate


@jit
def add_line(task: LineTask) -> None:
    """Add the distances of pairs (k, 2) of graphs on a line to out (k).

    Coordinates are sorted within each graph. Mass is moved in order, from the left end to the right end.
    """
    left, right = task.left, task.right
    for t in range(task.n_pairs):
        if task.stop[0]:
            return
        g, h = task.pairs[2 * t], task.pairs[2 * t + 1]
        unit = common_total(left.total[g], right.total[h])
        scale, other_scale = unit // left.total[g], unit // right.total[h]
        i, j = left.ptr[g], right.ptr[h]
        supply, demand, moved, result = left.mass[i] * scale, right.mass[j] * other_scale, 0, 0.0
        while True:
            amount = supply if supply < demand else demand
            result += amount * abs(left.coordinates[i] - right.coordinates[j])
            moved += amount
            if moved == unit:
                break
            supply -= amount
            demand -= amount
            if supply == 0:
                i += 1
                supply = left.mass[i] * scale
            if demand == 0:
                j += 1
                demand = right.mass[j] * other_scale
        task.out[t] += result / unit
